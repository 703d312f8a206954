import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Which description is fetched when: a queue is given reports, and its answers are noted as lines.
@Suite("The queue of descriptions")
struct DescriptionQueueTests {
  private struct Rig {
    var queue: DescriptionQueue
    var underWay: [DescriptionQueue.Request] = []
    var lines: [String] = []

    init(_ configure: (inout DescriptionQueue.Limits) -> Void = { _ in }) {
      var limits = DescriptionQueue.Limits()
      configure(&limits)
      queue = DescriptionQueue(limits: limits)
    }

    mutating func take(_ report: Report) {
      note(queue.take(report) { _ in [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)] })
      pump()
    }
    mutating func found(_ device: String, _ location: String?, host: UInt8 = 9) {
      take(.found(sighting(device, location, host: host)))
    }
    mutating func changed(_ device: String, _ location: String?, _ change: Change) {
      take(.changed(sighting(device, location), change))
    }
    mutating func finish() {
      let refusals = queue.finish(underWay.removeFirst())
      note(refusals)
      pump()
    }
    /// What was noted since the last call.
    mutating func noted() -> [String] {
      defer { lines = [] }
      return lines
    }

    private func sighting(_ device: String, _ location: String?, host: UInt8 = 9) -> DeviceSighting {
      DeviceSighting(
        device: device, location: location, source: IPAddress(10, 0, 0, host), interface: InterfaceID(0), bootID: nil)
    }
    private mutating func pump() {
      while let request = queue.next() {
        underWay.append(request)
        lines.append("\(request.device) \(request.target.endpoint)\(request.target.path) \(request.cause.rawValue)")
      }
    }
    private mutating func note(_ refusals: [DescriptionQueue.Refusal]) {
      for refusal in refusals { lines.append("\(refusal.device) \(refusal.failure.reason.rawValue)") }
    }
  }

  private let one = "http://10.0.0.9:80/1"

  @Test("a LOCATION is fetched once, also where devices share it and however often it is found")
  func once() {
    var rig = Rig()
    rig.found("a", one)
    rig.found("b", one)
    expectEqual(rig.noted(), ["a 10.0.0.9:80/1 found"])
    rig.finish()
    rig.found("c", one)
    rig.take(
      .changed(
        DeviceSighting(
          device: "a", location: one, source: IPAddress(10, 0, 0, 8), interface: InterfaceID(0), bootID: nil),
        .address(from: IPAddress(10, 0, 0, 9))))
    rig.changed("a", one, .united(part: "c"))
    expectEqual(rig.noted(), [])
  }

  @Test("it is fetched again when LOCATION, BOOTID or CONFIGID change, also while it is being fetched")
  func again() {
    var rig = Rig()
    rig.found("a", one)
    rig.changed("a", one, .bootID(from: 1))
    rig.changed("a", one, .configID(from: 1))
    expectEqual(rig.noted(), ["a 10.0.0.9:80/1 found"])
    rig.finish()
    expectEqual(rig.noted(), ["a 10.0.0.9:80/1 configID"])
    rig.finish()
    expectEqual(rig.noted(), [])
    rig.changed("a", one, .bootID(from: 1))
    rig.finish()
    rig.changed("a", "http://10.0.0.9:80/2", .location(from: one))
    rig.finish()
    expectEqual(rig.noted(), ["a 10.0.0.9:80/1 bootID", "a 10.0.0.9:80/2 location"])
    // Nobody has the first one any more, so it is news again.
    rig.changed("a", one, .location(from: nil))
    expectEqual(rig.noted(), ["a 10.0.0.9:80/1 location"])
  }

  @Test("a device that comes back is fetched again; one that goes before its turn is said to be gone")
  func lost() {
    var rig = Rig { $0.connectionsMaximum = 1 }
    rig.found("a", one)
    rig.found("b", "http://10.0.0.9/b")
    rig.found("c", "http://10.0.0.9/c")
    rig.take(.lost(device: "b", cause: .byebye))
    rig.take(.lost(device: "a", cause: .byebye))
    rig.take(.lost(device: "nobody", cause: .byebye))
    rig.finish()
    expectEqual(rig.noted(), ["a 10.0.0.9:80/1 found", "b deviceGone", "c 10.0.0.9:80/c found"])
    rig.finish()
    rig.found("a", one)
    expectEqual(rig.noted(), ["a 10.0.0.9:80/1 found"])
  }

  @Test("connections are bounded in all and for each host, and the order is that of asking")
  func order() {
    var rig = Rig { ($0.connectionsMaximum, $0.connectionsPerHostMaximum) = (3, 2) }
    for number in 1...3 { rig.found("a\(number)", "http://10.0.0.9/\(number)") }
    for number in 1...2 { rig.found("b\(number)", "http://10.0.0.8/\(number)", host: 8) }
    expectEqual(rig.noted(), ["a1 10.0.0.9:80/1 found", "a2 10.0.0.9:80/2 found", "b1 10.0.0.8:80/1 found"])
    rig.finish()
    rig.finish()
    expectEqual(rig.noted(), ["a3 10.0.0.9:80/3 found", "b2 10.0.0.8:80/2 found"])
    #expect(rig.queue.activeCount == 3 && rig.queue.waiting.isEmpty)
  }

  @Test("a full queue says so, and takes the next one when there is room again")
  func full() {
    var rig = Rig { ($0.connectionsMaximum, $0.waitingMaximum) = (1, 2) }
    for number in 1...4 { rig.found("d\(number)", "http://10.0.0.9/\(number)") }
    expectEqual(rig.noted(), ["d1 10.0.0.9:80/1 found", "d4 queueFull"])
    rig.finish()
    rig.changed("d4", "http://10.0.0.9/4", .bootID(from: 1))
    expectEqual(rig.noted(), ["d2 10.0.0.9:80/2 found"])
    rig.finish()
    rig.finish()
    expectEqual(rig.noted(), ["d3 10.0.0.9:80/3 found", "d4 10.0.0.9:80/4 bootID"])
  }

  @Test(
    "what may not be fetched is refused by name",
    arguments: [
      (nil, "noLocation"), ("https://10.0.0.9/", "scheme"), ("ftp://10.0.0.9/", "scheme"), ("/d.xml", "badLocation"),
      ("http://tv.local/", "hostName"), ("http://10.0.1.9/", "outOfScope"), ("http://127.0.0.1/", "outOfScope"),
      ("http://10.0.0.1/", "outOfScope"), ("http://[fe80::9]/", "outOfScope"), ("http://10.0.0.255/", "outOfScope"),
    ])
  func refused(location: String?, reason: String) {
    var rig = Rig()
    rig.found("a", location)
    expectEqual(rig.noted(), ["a \(reason)"])
  }

  @Test("ten thousand devices that come and go leave nothing behind")
  func bounded() {
    var rig = Rig { $0.connectionsMaximum = 4 }
    for number in 0..<10_000 {
      rig.found("d\(number)", "http://10.0.0.9/\(number)")
      rig.take(.lost(device: "d\(number)", cause: .expired))
    }
    while !rig.underWay.isEmpty { rig.finish() }
    #expect(rig.queue.activeCount == 0 && rig.queue.waiting.isEmpty && rig.queue.recordCount == 0)
    expectEqual(rig.noted().count, 10_000)
  }
}
