import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// How many descriptions are fetched and wait at a time, from where none is fetched, and what is remembered of them.
@Suite("Limits of the queue of descriptions") struct DescriptionLimitsTests {
  private let one = "http://10.0.0.9/1"
  private let two = "http://10.0.0.8/2"

  private func sighting(
    _ device: String, _ location: String, from source: IPAddress = IPAddress(10, 0, 0, 9)
  ) -> DeviceSighting {
    DeviceSighting(device: device, location: location, source: source, interface: InterfaceID(0), bootID: nil)
  }

  /// A queue on the network 10.0.0.0/24.
  private struct Rig {
    var queue = DescriptionQueue()
    var addresses = [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)]

    /// Why what a report asks for is not fetched; empty where it is.
    mutating func take(_ report: Report) -> [DescriptionFetch.Reason] {
      let refusals = queue.take(report) { _ in addresses }
      return refusals.map(\.failure.reason)
    }

    /// Everything that is to be fetched now.
    mutating func begin() -> [DescriptionQueue.Request] {
      var requests: [DescriptionQueue.Request] = []
      while let request = queue.next() { requests.append(request) }
      return requests
    }

    mutating func finish(_ request: DescriptionQueue.Request) -> [DescriptionQueue.Refusal] { queue.finish(request) }
  }

  @Test("without a word of its owner eight are fetched at a time, four of them from one host, and 1024 wait")
  func defaults() {
    var rig = Rig()
    for host in 2...10 {
      expectEqual(rig.take(.found(sighting("d\(host)", "http://10.0.0.\(host)/"))), [], "\(host)")
    }
    expectEqual(rig.begin().map(\.device), (2...9).map { "d\($0)" })
    #expect(rig.queue.activeCount == 8 && rig.queue.waiting.map(\.device) == ["d10"])

    rig = Rig()
    var refused: [Int] = []
    var fetched: [String] = []
    for number in 0..<1_030 {
      let reasons = rig.take(.found(sighting("d\(number)", "http://10.0.0.9/\(number)")))
      if !reasons.isEmpty { refused.append(number) }
      expectEqual(reasons, (number < 1_028 ? [] : [.queueFull]), "\(number)")
      fetched += rig.begin().map(\.device)
    }
    #expect(fetched == ["d0", "d1", "d2", "d3"] && refused == [1_028, 1_029])
    #expect(rig.queue.activeCount == 4 && rig.queue.waiting.map(\.device) == (4..<1_028).map { "d\($0)" })
  }

  @Test("this machine is fetched from where its owner allows it and it was this machine that announced it")
  func loopback() {
    let (here, location) = (IPAddress(127, 0, 0, 1), "http://127.0.0.1/d.xml")
    let (lo, link) = (InterfaceAddress(here, prefixBits: 8), InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24))
    let cases: [(isAllowed: Bool?, sender: IPAddress, address: InterfaceAddress, isFetched: Bool)] = [
      (nil, here, lo, false), (false, here, lo, false), (true, here, lo, true),
      (true, IPAddress(127, 0, 0, 2), lo, true), (true, IPAddress(10, 0, 0, 9), link, false), (true, here, link, false),
    ]
    for row in cases {
      var limits = DescriptionQueue.Limits()
      if let isAllowed = row.isAllowed { limits.allowsLoopback = isAllowed }
      var rig = Rig(queue: DescriptionQueue(limits: limits), addresses: [row.address])
      let reasons = rig.take(.found(sighting("a", location, from: row.sender)))
      expectEqual(reasons, (row.isFetched ? [] : [.outOfScope]), "\(row)")
      let target = DescriptionTarget(endpoint: Endpoint(here, port: 80), authority: "127.0.0.1", path: "/d.xml")
      expectEqual(rig.begin().map(\.target), (row.isFetched ? [target] : []), "\(row)")
    }
  }

  @Test("a device that moves to a LOCATION that another one has asks for nothing, until something is new there")
  func moved() {
    var rig = Rig()
    for (device, location) in [("a", one), ("b", two)] {
      expectEqual(rig.take(.found(sighting(device, location))), [])
      let requests = rig.begin()
      expectEqual(requests.map(\.location), [location])
      for request in requests { expectEqual(rig.finish(request), []) }
    }
    expectEqual(rig.take(.changed(sighting("b", one), .location(from: two))), [])
    expectEqual(rig.begin(), [])
    expectEqual(rig.take(.changed(sighting("b", one), .configID(from: 1))), [])
    let again = rig.begin()
    #expect(again.map(\.device) == ["b"] && again.map(\.location) == [one] && again.map(\.cause) == [.configID])
  }

  @Test("LOCATIONs, devices that have one, and hosts that are asked now are remembered, and nothing else")
  func recordCount() {
    var rig = Rig()
    expectEqual(rig.queue.recordCount, 0)
    for (device, location) in [("a", one), ("b", one), ("c", two)] {
      expectEqual(rig.take(.found(sighting(device, location))), [])
    }
    expectEqual(rig.queue.recordCount, 5)
    let requests = rig.begin()
    #expect(requests.map(\.device) == ["a", "c"] && rig.queue.recordCount == 7)
    for (request, left) in zip(requests, [6, 5]) {
      expectEqual(rig.finish(request), [])
      expectEqual(rig.queue.recordCount, left)
    }
    for (device, left) in [("a", 4), ("c", 2), ("b", 0)] {
      expectEqual(rig.take(.lost(device: device, cause: .byebye)), [])
      expectEqual(rig.queue.recordCount, left, "\(device)")
    }
  }
}
