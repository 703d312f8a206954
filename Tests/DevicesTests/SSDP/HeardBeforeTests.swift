import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// One multicast is read by the first of those that hear it; what it is stands beside its bytes for all others.
@Suite("A message that others have read before") struct HeardBeforeTests {
  /// What a device answers to a message that was read in these modes before it hears it.
  private func answers(_ quirks: [Quirk], to text: String, readBefore modes: [SSDPMode]) -> [String] {
    var device = bench(treeDescription(), quirks + [.noRenewal, .answersImmediately])
    device.act(.appear)
    device.run(until: .zero + .seconds(10))
    device.sent = []
    device.hear(text, readBefore: modes)
    device.run(for: .seconds(10))
    return device.sent.map(\.summary)
  }

  @Test("a search is answered, an announcement only by a device with that quirk, in whatever modes it was read before")
  func reading() {
    let root = search("upnp:rootdevice")
    for modes in [[], [.lenient], [.strict], [.lenient, .strict], [.strict, .lenient]] as [[SSDPMode]] {
      expectEqual(answers([], to: root, readBefore: modes), ["200 upnp:rootdevice"], "\(modes)")
      expectEqual(answers([], to: foreignAnnouncement, readBefore: modes), [], "\(modes)")
      expectEqual(
        answers([.answersNotify], to: foreignAnnouncement, readBefore: modes), ["200 upnp:rootdevice"], "\(modes)")
      expectEqual(answers([], to: "M-SEARCH", readBefore: modes), [], "\(modes)")
    }
  }

  @Test("a device that is prefetched before each event does what one does that is not")
  func prefetching() {
    func sent(isPrefetched: Bool) -> [Bench<RootDevice>.Sent] {
      var device = bench(treeDescription(), [])
      func prefetch() { if isPrefetched { _ = device.machine.prefetch() } }
      prefetch()
      device.act(.appear)
      for second in 1...20 as ClosedRange<Int64> {
        prefetch()
        if second % 5 == 0 { device.hear(search("ssdp:all")) }
        prefetch()
        device.run(until: .zero + .seconds(second))
      }
      prefetch()
      device.act(.leave)
      device.run(for: .seconds(5))
      prefetch()
      return device.sent
    }
    let plain = sent(isPrefetched: false)
    #expect(plain.count > 4 * treeCount)
    expectEqual(sent(isPrefetched: true), plain)
  }
}
