import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallTrace
import RollcallWire

/// What a trace is to others: its digest in every field, its lines to the letter, what is kept of it, and the rules by
/// which machines are driven.
@Suite("What a trace promises")
struct TraceContractTests {
  private static let device = DeviceSighting(
    device: "uuid:a", location: "http://10.0.0.1/", source: IPAddress(10, 0, 0, 1), interface: InterfaceID(2),
    bootID: 7)
  private static let service = ServiceSighting(
    search: SearchID(9), device: "uuid:a", usn: "uuid:a::upnp:rootdevice", target: "upnp:rootdevice",
    location: "http://10.0.0.1/")
  private static let search = Search(
    id: SearchID(9), target: "ssdp:all", maximumWaitSeconds: 3, broadcasts: 2, spacing: .milliseconds(500),
    host: Endpoint(IPAddress(v6High: 0xFE80 << 48, low: 1), port: 1_900), interface: InterfaceID(1))

  /// Signals and what their lines say.
  private static let signals: [(signal: SignalValue, text: String)] = [
    (
      .interface(
        InterfaceChange(
          interface: InterfaceID(3), isUp: true,
          addresses: [
            InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 24),
            InterfaceAddress(IPAddress(v6High: 0xFE80 << 48, low: 2), prefixBits: 64),
          ])), "interface 3 up 10.0.0.2/24 fe80::2/64"
    ),
    (.interface(InterfaceChange(interface: InterfaceID(3), isUp: true, addresses: [])), "interface 3 up"),
    (.interface(InterfaceChange(interface: InterfaceID(3), isUp: false, addresses: [])), "interface 3 down"),
    (
      .refused(Refusal(deed: .join, interface: InterfaceID(1), address: .ssdpGroup6, port: 0)),
      "refused join if1 ff02::c port 0"
    ),
    (
      .refused(Refusal(deed: .send, interface: InterfaceID(0), address: .ssdpGroup4, port: 1_900)),
      "refused send if0 239.255.255.250 port 1900"
    ),
    (.command(.search(search)), "command search 9 ssdp:all mx 3 x2 spacing 500ms to [fe80::1]:1900 if1"),
    (.command(.search(Search(id: SearchID(1), target: "a"))), "command search 1 a mx 3 x3"),
    (
      .command(.adopt(Search(id: SearchID(1), target: "a"), copyAt: Endpoint(IPAddress(10, 0, 0, 9), port: 40_000))),
      "command adopt 10.0.0.9:40000 search 1 a mx 3 x3"
    ),
    (.command(.stopSearch(SearchID(4))), "command stop-search 4"), (.command(.stop), "command stop"),
    (.command(.hold(device: "uuid:a")), "command hold uuid:a"),
    (.command(.release(device: "uuid:a")), "command release uuid:a"),
    (.command(.act(.leave)), "command leave"), (.command(.act(.send(script: 2))), "command send 2"),
    (
      .command(.act(.crash(downFor: .seconds(2), keepsState: false))),
      "command crash 2s"
    ),
  ]

  /// Effects and what their lines say.
  private static let effects: [(effect: Effect, text: String)] = [
    (.join(.ssdp(.v4), InterfaceID(0)), "join 239.255.255.250:1900 if0"),
    (.leave(.ssdp(.v6), InterfaceID(1)), "leave [ff02::c]:1900 if1"),
    (.readdress(IPAddress(10, 0, 0, 3), InterfaceID(2)), "readdress 10.0.0.3 if2"),
    (.report(.found(device)), "found uuid:a http://10.0.0.1/ 10.0.0.1 if2 boot 7"),
    (
      .report(
        .changed(
          DeviceSighting(
            device: "uuid:a", location: nil, source: IPAddress(10, 0, 0, 1), interface: InterfaceID(2), bootID: nil),
          .location(from: nil))), "changed uuid:a - 10.0.0.1 if2 location from -"
    ),
    (
      .report(.changed(device, .location(from: "http://b/"))),
      "changed uuid:a http://10.0.0.1/ 10.0.0.1 if2 boot 7 location from http://b/"
    ),
    (
      .report(.changed(device, .address(from: IPAddress(10, 0, 0, 8)))),
      "changed uuid:a http://10.0.0.1/ 10.0.0.1 if2 boot 7 address from 10.0.0.8"
    ),
    (
      .report(.changed(device, .bootID(from: 6))),
      "changed uuid:a http://10.0.0.1/ 10.0.0.1 if2 boot 7 bootID from 6"
    ),
    (
      .report(.changed(device, .configID(from: nil))),
      "changed uuid:a http://10.0.0.1/ 10.0.0.1 if2 boot 7 configID from -"
    ),
    (
      .report(.changed(device, .united(part: "uuid:b"))),
      "changed uuid:a http://10.0.0.1/ 10.0.0.1 if2 boot 7 united uuid:b"
    ),
    (.report(.lost(device: "uuid:a", cause: .expired)), "lost uuid:a expired"),
    (.report(.service(service)), "service 9 uuid:a::upnp:rootdevice upnp:rootdevice http://10.0.0.1/ of uuid:a"),
    (
      .report(
        .service(ServiceSighting(search: SearchID(8), device: "uuid:a", usn: "uuid:a", target: "b", location: nil))),
      "service 8 uuid:a b - of uuid:a"
    ),
    (
      .report(
        .searchEnded(
          SearchOutcome(search: SearchID(9), target: "ssdp:all", services: [service, service], wasStopped: true))),
      "search-ended 9 ssdp:all stopped 2 services / uuid:a::upnp:rootdevice upnp:rootdevice http://10.0.0.1/ of uuid:a "
        + "/ uuid:a::upnp:rootdevice upnp:rootdevice http://10.0.0.1/ of uuid:a"
    ),
    (
      .report(.searchEnded(SearchOutcome(search: SearchID(9), target: "a", services: [], wasStopped: false))),
      "search-ended 9 a 0 services"
    ),
    (
      .report(
        .failed(Failure(reason: .cannotJoin, search: SearchID(9), interface: InterfaceID(2), explanation: "Ask."))),
      "failed cannotJoin search 9 if2 : Ask."
    ),
    (.report(.failed(Failure(reason: .noInterface, explanation: "Ask."))), "failed noInterface : Ask."),
    (.report(.rejected(Rejection(.badMX, at: 12))), "rejected badMX at 12"),
  ]

  /// The line of an entry, and the entry of the line.
  private func expect(_ entry: TraceEntry, _ line: String) {
    expectEqual(TraceText.line(entry) { "h\($0)" }, line)
    let read = try? TraceText.read(Substring(line)) { UInt32($0.dropFirst()) ?? 99 }
    expectEqual(read, entry, "\(line)")
  }

  @Test("each signal and each effect has its line, to the letter, and is read back from it")
  func lines() {
    for one in TraceContractTests.signals {
      let entry = TraceEntry(time: Instant(nanoseconds: 1_000_000_020), station: 7, content: .signal(one.signal))
      expect(entry, "1.000000020 h7 < \(one.text)")
    }
    for one in TraceContractTests.effects {
      let entry = TraceEntry(time: .zero, station: 0, content: .effect(one.effect))
      expect(entry, "0.000000000 h0 > \(one.text)")
    }
    let bytes: [UInt8] = [0, 9, 10, 13, 15, 16, 31, 32, 91, 92, 93, 126, 127, 128, 255]
    expectEqual(WordWriter.escaped(bytes), "\\x00\\x09\\n\\r\\x0f\\x10\\x1f [\\\\]~\\x7f\\x80\\xff")
  }

  @Test("numbers and times of a line are read up to their bounds, and no further")
  func bounds() {
    func isRead(_ line: String) -> Bool { (try? TraceText.read(Substring(line)) { _ in 0 }) != nil }
    let route = "1.000000000 a < 10.0.0.1:65535 -> [ff02::c]:0"
    let cases: [(good: String, bad: String)] = [
      ("8999999999.999999999 a < wake", "9000000000.000000000 a < wake"),
      ("0.000000000 a < wake", "00.000000000 a < wake"),
      ("1.000000000 a < wake", "1.0000000000 a < wake"), ("\(route) if65535 ttl255 x", "\(route) if65536 ttl255 x"),
      ("\(route) if0 ttl0 ", "\(route) if0 ttl256 "), ("\(route) if0 ttl1 ~", "\(route) if0 ttl1 \u{7F}"),
      ("\(route) if0 ttl1 \\x7f\\x1f", "\(route) if0 ttl1 \\x7e"), ("\(route) if0 ttl1 \\\\", "\(route) if0 ttl1 \\"),
      ("\(route) if0 ttl1 \\x00", "\(route) if0 ttl1 \\x0"), ("\(route) if0 ttl1 \\r", "\(route) if0 ttl1 \\x0d"),
      ("1.000000000 a < interface 65535 up 10.0.0.1/24", "1.000000000 a < interface 65536 up 10.0.0.1/24"),
      ("1.000000000 a < interface 0 down", "1.000000000 a < interface 0 up 10.0.0.1"),
    ]
    for one in cases {
      #expect(isRead(one.good), "\(one.good)")
      #expect(!isRead(one.bad), "\(one.bad)")
    }
    // What is given is not taken for what is wanted.
    for line in [
      "1.000000000 a < lost uuid:a byebye", "1.000000000 a > lost uuid:a gone", "1.000000000 a > interface 0 down",
      "1.000000000 a > command stop", "1.000000000 a < command search x", "1.000000000 a > rejected nothing at 0",
      "1.000000000 a > changed uuid:a - 10.0.0.1 if0 colour from red", "1.000000000 a > found uuid:a - nowhere if0",
    ] {
      #expect(!isRead(line), "\(line)")
    }
  }

  @Test("the digest of a run is what it always was, entry by entry")
  func digest() {
    let payloads = PayloadStore()
    let heard = Datagram(
      source: Endpoint(IPAddress(10, 0, 0, 1), port: 1_900), destination: Endpoint(.ssdpGroup4, port: 1_900),
      interface: InterfaceID(0), hopLimit: 2, payload: payloads.store(Array("a".utf8)))
    let text = "NOTIFY * HTTP/1.1\r\nNTS: ssdp:alive\r\nUSN: uuid:a\r\n\r\n"
    let sent = Datagram(
      source: Endpoint(IPAddress(v6High: 0xFE80 << 48, low: 1), port: 1_901),
      destination: Endpoint(.ssdpGroup6, port: 1_900), interface: InterfaceID(3), hopLimit: 255,
      payload: payloads.store(Array(text.utf8)))
    let (device, service) = (TraceContractTests.device, TraceContractTests.service)
    let far = DeviceSighting(
      device: "uuid:a", location: nil, source: IPAddress(v6High: 0xFE80 << 48, low: 1), interface: InterfaceID(0),
      bootID: nil)
    let effects: [Effect] = [
      .join(.ssdp(.v4), InterfaceID(2)), .leave(.ssdp(.v4), InterfaceID(2)), .report(.found(device)),
      .report(.changed(far, .location(from: "http://10.0.0.1/"))), .report(.changed(far, .location(from: nil))),
      .report(.changed(device, .address(from: IPAddress(10, 0, 0, 8)))), .report(.changed(device, .bootID(from: nil))),
      .report(.changed(device, .bootID(from: 6))), .report(.changed(device, .configID(from: nil))),
      .report(.changed(device, .configID(from: 1))), .report(.changed(device, .united(part: "uuid:b"))),
      .report(.lost(device: "uuid:a", cause: .expired)), .report(.service(service)),
      .report(
        .searchEnded(SearchOutcome(search: SearchID(9), target: "ssdp:all", services: [service], wasStopped: true))),
      .report(.rejected(Rejection(.badMX, at: 12))),
      .report(
        .failed(Failure(reason: .cannotJoin, search: SearchID(9), interface: InterfaceID(2), explanation: "Ask."))),
    ]
    let socket = Endpoint(IPAddress(10, 0, 0, 9), port: 40_000)
    var gate = Gate()
    var states: [String] = []
    gate.woken(station: 3, at: Instant(nanoseconds: 5))
    states.append(gate.digest.description)
    let mark = Gate.mark(of: heard, in: payloads)
    gate.received(heard, mark: mark, station: 3, at: Instant(nanoseconds: 6), in: payloads)
    states.append(gate.digest.description)
    gate.sent(sent, station: 4, at: Instant(nanoseconds: 6), in: payloads)
    states.append(gate.digest.description)
    gate.received(.command(.stop), station: 3, at: Instant(nanoseconds: 1_000_000_000))
    states.append(gate.digest.description)
    for effect in effects {
      var reporting = gate
      gate.wanted(effect, station: 3, at: Instant(nanoseconds: 1_000_000_000))
      states.append(gate.digest.description)
      guard case .application(let report) = effect else { continue }
      reporting.reported(report, station: 3, at: Instant(nanoseconds: 1_000_000_000))
      expectEqual(reporting.digest, gate.digest)
    }
    for search in [TraceContractTests.search, Search(id: SearchID(1), target: "a")] {
      gate.received(
        .command(.adopt(search, copyAt: socket)), station: 3, at: Instant(nanoseconds: 2_000_000_000))
      states.append(gate.digest.description)
    }
    expectEqual(
      states,
      [
        "0084588236e2167e", "838112c2dd4dfe72", "33dcf38850a3920c", "57941e136cfb655e", "277bbc51287f1b27",
        "94b3f310ed1406ac", "c67516cd0f0cce9a", "c0f3197a60a1021b", "e563316c409e337d", "2e74a436a906a3d4",
        "8b8b0b5a0594edb7", "74e84eebceb6d93a", "4138015a85d5b0ef", "c7e425896f5e500a", "f617d14792f7b43b",
        "b8d0556ad3255812", "e4c345f808c2434f", "36815e960643a917", "18d5828abb8c4616", "4694b746705883db",
        "b2b3e9a520f5ff9c", "327fd957d5fc4250",
      ])
    expectEqual(gate.entryCount, 22)
  }

  // MARK: - What is kept

  @Test("a recorder keeps the stations that it was told to, up to its bound, with their numbers among all entries")
  func recorder() {
    let recorder = Recorder(stations: [2, 5], entriesMaximum: 3)
    var gate = Gate(recorder: recorder)
    for (number, station) in ([1, 2, 5, 2, 3, 5, 2] as [UInt32]).enumerated() {
      gate.woken(station: station, at: Instant(nanoseconds: Int64(number)))
    }
    expectEqual(recorder.entries.map { "\($0.time.nanoseconds) \($0.station)" }, ["1 2", "2 5", "3 2"])
    expectEqual(recorder.numbers, [2, 3, 4])
    expectEqual(recorder.droppedCount, 2)
    expectEqual(gate.entryCount, 7)
  }

  @Test("two traces part where an entry differs or one of them ends")
  func differences() {
    func entries(_ stations: [UInt32]) -> [TraceEntry] {
      stations.map { TraceEntry(time: .zero, station: $0, content: .woken) }
    }
    let cases: [(left: [UInt32], right: [UInt32], index: Int?)] = [
      ([], [], nil), ([1, 2], [1, 2], nil), ([1, 2], [1, 3], 1), ([1, 2, 3], [2, 2, 3], 0), ([1, 2], [1], 1),
      ([1], [1, 2], 1), ([], [1], 0), ([1, 2, 3], [1, 2], 2),
    ]
    for one in cases {
      let (left, right) = (entries(one.left), entries(one.right))
      let found = TraceDifference.first(between: left, and: right)
      expectEqual(found?.index, one.index, "\(one.left) \(one.right)")
      expectEqual(found?.left, one.index.flatMap { $0 < left.count ? left[$0] : nil }, "\(one.left) \(one.right)")
      expectEqual(found?.right, one.index.flatMap { $0 < right.count ? right[$0] : nil }, "\(one.left) \(one.right)")
    }
    let datagram = RecordedDatagram(
      source: Endpoint(.ssdpGroup4, port: 1), destination: Endpoint(.ssdpGroup4, port: 2), interface: InterfaceID(0),
      hopLimit: 1, bytes: [])
    let contents: [TraceEntry.Content] = [
      .received(datagram), .signal(.command(.stop)), .woken, .sent(datagram),
      .effect(.join(.ssdp(.v4), InterfaceID(0))),
    ]
    let inputs = contents.map { TraceEntry(time: .zero, station: 0, content: $0).isInput }
    expectEqual(inputs, [true, true, true, false, false])
  }

  // MARK: - How machines are driven

  /// Is woken at its moments, the first of them first, and joins a group each time that it is woken or told something.
  private struct Sleeper: Machine {
    var moments: [Int64]
    /// Whether it stays at its first moment for ever.
    var isStuck = false
    var deadline: Instant? { moments.first.map { Instant(nanoseconds: $0) } }
    mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
      outbox.join(.ssdp(.v6), on: InterfaceID(0))
    }
    mutating func wake(at now: Instant, into outbox: inout Outbox) {
      outbox.join(.ssdp(.v4), on: InterfaceID(0))
      if !isStuck { moments.removeFirst() }
    }
  }

  private struct Stand: ~Copyable, Driver {
    var gate: Gate
    var outbox = Outbox(payloads: PayloadStore())
    init(_ recorder: Recorder) { gate = Gate(recorder: recorder) }
    mutating func settle(station: UInt32, at now: Instant) {
      for effect in outbox.effects { gate.wanted(effect, station: station, at: now) }
      outbox.removeAll()
    }
  }

  @Test("who is due is woken before it is given anything, for each moment that has come and for none that has not")
  func driving() {
    enum Deed { case stop, hear, wake, advance(from: Int64) }
    let hear = "< 255.255.255.255:1 -> 255.255.255.255:2 if0 ttl1 x"
    let (four, six) = ("> join 239.255.255.250:1900 if0", "> join [ff02::c]:1900 if0")
    func woken(_ time: Int64) -> [String] { ["\(time) < wake", "\(time) \(four)"] }
    let cases: [(moments: [Int64], deed: Deed, lines: [String], next: Int64?)] = [
      ([1, 4, 5, 9], .stop, woken(5) + woken(5) + woken(5) + ["5 < command stop", "5 \(six)"], 9),
      ([5, 6], .hear, woken(5) + ["5 \(hear)", "5 \(six)"], 6), ([6], .hear, ["5 \(hear)", "5 \(six)"], 6),
      ([5, 5], .wake, woken(5) + woken(5), nil), ([6], .wake, [], 6), ([], .wake, [], nil),
      ([1, 3, 3, 5, 7], .advance(from: 0), woken(1) + woken(3) + woken(3), 5),
      ([4, 5], .advance(from: 2), woken(4), 5),
      ([1, 4], .advance(from: 2), woken(2) + woken(4), nil), ([5], .advance(from: 2), [], 5),
    ]
    for one in cases {
      let recorder = Recorder()
      var stand = Stand(recorder)
      let machine = UnsafeMutablePointer<Sleeper>.allocate(capacity: 1)
      machine.initialize(to: Sleeper(moments: one.moments))
      let five = Instant(nanoseconds: 5)
      var next: Instant?
      switch one.deed {
      case .stop: next = stand.give(.command(.stop), to: machine, station: 1, at: five)
      case .hear:
        let broadcast = IPAddress(255, 255, 255, 255)
        let datagram = Datagram(
          source: Endpoint(broadcast, port: 1), destination: Endpoint(broadcast, port: 2), interface: InterfaceID(0),
          hopLimit: 1, payload: stand.outbox.payloads.store(Array("x".utf8)))
        let mark = Gate.mark(of: datagram, in: stand.outbox.payloads)
        next = stand.give(datagram, mark: mark, to: machine, station: 1, at: five)
      case .wake: next = stand.wakeIfDue(machine, station: 1, at: five)
      case .advance(let start):
        var now = Instant(nanoseconds: start)
        next = stand.advance(machine, station: 1, to: five, from: &now)
        expectEqual(now, five)
      }
      let lines = recorder.entries.map { entry -> String in
        let line = TraceText.line(entry) { _ in "a" }
        return "\(entry.time.nanoseconds) \(line.dropFirst("0.000000005 a ".count))"
      }
      expectEqual(lines, one.lines, "\(one.moments)")
      expectEqual(next?.nanoseconds, one.next, "\(one.moments)")
      machine.deinitialize(count: 1).deallocate()
    }
  }

  @Test("who asks for the same moment for ever is woken a thousand times, and then has to wait")
  func stuck() {
    let recorder = Recorder()
    var stand = Stand(recorder)
    let machine = UnsafeMutablePointer<Sleeper>.allocate(capacity: 1)
    machine.initialize(to: Sleeper(moments: [3], isStuck: true))
    defer { machine.deinitialize(count: 1).deallocate() }
    func wakes() -> Int { recorder.entries.count { $0.content == .woken } }
    let next = stand.wakeIfDue(machine, station: 0, at: Instant(nanoseconds: 3))
    expectEqual(next, Instant(nanoseconds: 3))
    expectEqual(wakes(), 1_000)
    var now = Instant.zero
    stand.advance(machine, station: 0, to: Instant(nanoseconds: 9), from: &now)
    expectEqual(now, Instant(nanoseconds: 9))
    expectEqual(wakes(), 2_000)
  }
}
