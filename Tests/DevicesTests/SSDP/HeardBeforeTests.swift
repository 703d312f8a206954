import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// One multicast is read by the first of those that hear it; what it is stands beside its bytes for all others.
@Suite("A message that others have read before") struct HeardBeforeTests {
  private static let notify =
    "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:alive\r\nNT: x\r\nUSN: uuid:1::x\r\n\r\n"

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
      expectEqual(answers([], to: Self.notify, readBefore: modes), [], "\(modes)")
      expectEqual(answers([.answersNotify], to: Self.notify, readBefore: modes), ["200 upnp:rootdevice"], "\(modes)")
      expectEqual(answers([], to: "M-SEARCH", readBefore: modes), [], "\(modes)")
    }
  }

  @Test("announcements, answers and what is no message are nothing to a device, unless a quirk has it hear them")
  func ignored() {
    let store = PayloadStore()
    func ignores(_ text: String) -> Bool {
      let payload = store.store(Array(text.utf8))
      defer { store.release(payload) }
      let datagram = Datagram(
        source: Endpoint(IPAddress(192, 168, 1, 9), port: 50_000), destination: Endpoint(.ssdpGroup4, port: 1_900),
        interface: InterfaceID(0), hopLimit: 2, payload: payload)
      // The second time it has been read already.
      let both = (0..<2).map { _ in RootDevice.ignores(datagram, in: store) }
      expectEqual(both[0], both[1], "\(text)")
      return both[0]
    }
    expectEqual(ignores(search("upnp:rootdevice")), false)
    expectEqual(ignores(search("urn:x:device:Nobody:1")), false)
    expectEqual(ignores(Self.notify), true)
    expectEqual(ignores("HTTP/1.1 200 OK\r\nST: x\r\nUSN: uuid:1::x\r\n\r\n"), true)
    expectEqual(ignores("M-SEARCH"), true)
    expectEqual(ignores(""), true)
    func hearsEverything(_ quirks: [Quirk]) -> Bool {
      RootDevice(treeDescription(), quirks: quirks, seed: Seed(1), name: "x").hearsEverything
    }
    expectEqual(
      Quirk.catalogue.map(\.example).filter { hearsEverything([$0]) }, [.reanswersOwnMulticast, .answersNotify])
    expectEqual(hearsEverything([]), false)
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
