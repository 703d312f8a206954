import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallExaminers

@Suite("The examiner of control points, step by step")
struct ControlPointExaminerStepsTests {
  /// An examiner that is given one signal after another; each step tells what it wants then.
  private struct Desk {
    var examiner: ControlPointExaminer
    var outbox = Outbox(payloads: PayloadStore())

    init(
      _ probes: [ControlPointProbe] = [.nameCase], _ change: (inout ControlPointExamination.Setting) -> Void = { _ in }
    ) {
      examiner = ControlPointExaminer(Examined.setting(probes, change), command: ["toy"])
    }

    static func time(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    mutating func give(_ signal: SignalValue, at milliseconds: Int64) -> [String] {
      examiner.receive(signal, at: Desk.time(milliseconds), into: &outbox)
      return taken()
    }

    mutating func wake(at milliseconds: Int64) -> [String] {
      examiner.wake(at: Desk.time(milliseconds), into: &outbox)
      return taken()
    }

    /// The control point searches.
    mutating func search(at milliseconds: Int64) -> [String] {
      let text =
        "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: ssdp:all\r\n\r\n"
      let payload = outbox.payloads.store(Array(text.utf8))
      let datagram = Datagram(
        source: Endpoint(Examined.control, port: 40_000), destination: .ssdp(.v4), interface: InterfaceID(0),
        hopLimit: 4, payload: payload)
      examiner.receive(.datagram(datagram), at: Desk.time(milliseconds), into: &outbox)
      outbox.payloads.release(payload)
      return taken()
    }

    /// What is answered to a request of the control point.
    mutating func ask(_ text: String, stream: UInt32, room: UInt32 = 65_536, at milliseconds: Int64) -> [UInt8] {
      let id = StreamID(stream)
      let signals: [StreamSignal] = [
        .accepted(
          id, listener: StreamID(1), local: Endpoint(Examined.device, port: 50_900),
          remote: Endpoint(Examined.control, port: 41_000)),
        .room(id, byteCount: room), .bytes(id, Array(text.utf8)),
      ]
      for signal in signals { examiner.receive(.streams(signal), at: Desk.time(milliseconds), into: &outbox) }
      var answer: [UInt8] = []
      for position in 0..<outbox.count {
        if case .streams(.write(id, let bytes)) = outbox[position] { answer += bytes }
      }
      outbox.removeAll()
      return answer
    }

    private mutating func taken() -> [String] {
      var lines: [String] = []
      for position in 0..<outbox.count {
        let effect = outbox[position]
        if case .transmit(let datagram) = effect {
          lines.append("send \(datagram.source) to \(datagram.destination), TTL \(datagram.hopLimit)")
          outbox.payloads.release(datagram.payload)
        } else {
          lines.append(effect.value?.text ?? "")
        }
      }
      outbox.removeAll()
      return lines
    }
  }

  private static let there = SignalValue.interface(ExaminerBench.change)
  private static let elsewhere = SignalValue.interface(
    InterfaceChange(
      interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(IPAddress(10, 9, 9, 9), prefixBits: 24)]))

  private func refused(_ stream: UInt32) -> SignalValue { .streams(.ended(StreamID(stream), .refused)) }

  /// An examiner that has its port, and whose command is started at 100 ms.
  private func started(_ probes: [ControlPointProbe] = [.nameCase]) -> Desk {
    var desk = Desk(probes)
    let listening = desk.give(Self.there, at: 0)
    expectEqual(listening, ["join 239.255.255.250:1900 if0", "stream 1 listen 10.77.1.10:50900 if0"])
    let begun = desk.wake(at: 100)
    expectEqual(begun, ["process start toy"])
    return desk
  }

  @Test("before it begins, a port that is taken is left for the next one, for descriptions and off the subnet alike")
  func ports() {
    var desk = Desk { $0.isOffSubnetWatched = true }
    expectEqual(
      desk.give(Self.there, at: 0),
      [
        "join 239.255.255.250:1900 if0", "stream 1 listen 10.77.1.10:50900 if0",
        "stream 2 listen 203.0.113.66:50901 if0",
      ])
    expectEqual(desk.examiner.deadline, Desk.time(100))
    expectEqual(desk.give(refused(1), at: 10), ["stream 3 listen 10.77.1.10:50901 if0"])
    expectEqual(desk.examiner.examination.setting.pagePort, 50_901)
    expectEqual(desk.examiner.examination.setting.offSubnet.port, 50_901)
    expectEqual(desk.examiner.examination.names.pagePort, 50_901)
    expectEqual(desk.examiner.deadline, Desk.time(110))
    expectEqual(desk.give(refused(2), at: 20), ["stream 4 listen 203.0.113.66:50902 if0"])
    expectEqual(desk.examiner.examination.setting.pagePort, 50_901)
    expectEqual(desk.examiner.examination.setting.offSubnet.port, 50_902)
    expectEqual(desk.examiner.examination.names.offSubnet.port, 50_902)
    expectEqual(desk.examiner.deadline, Desk.time(120))
    expectEqual(desk.wake(at: 119), [])
    expectEqual(desk.examiner.deadline, Desk.time(120))
    expectEqual(desk.wake(at: 120), ["process start toy"])
    expectEqual(desk.examiner.deadline, Desk.time(6_120))
    // What was told of a port is told.
    expectEqual(desk.give(refused(3), at: 130), [])
    expectEqual(desk.examiner.examination.setting.pagePort, 50_901)
    expectEqual(desk.give(.command(.stop), at: 200), ["process signal 15", "stream 4 reset"])
    #expect(desk.examiner.isOver)
    expectEqual(desk.examiner.deadline, nil)
    expectEqual(desk.give(Self.there, at: 300), [])
  }

  @Test("thirty-two ports are tried, from the first one on, and none below it or behind the last")
  func portBounds() {
    var pages = Desk()
    _ = pages.give(Self.there, at: 0)
    for number in 1...31 as ClosedRange<UInt32> {
      let next = "stream \(number + 1) listen 10.77.1.10:\(50_900 + number) if0"
      expectEqual(pages.give(refused(number), at: 1), [next])
    }
    expectEqual(pages.give(refused(32), at: 2), [])
    expectEqual(pages.examiner.failure, .noPort(Endpoint(Examined.device, port: 50_900)))
    #expect(pages.examiner.isOver)
    var others = Desk { $0.isOffSubnetWatched = true }
    _ = others.give(Self.there, at: 0)
    for number in 2...32 as ClosedRange<UInt32> {
      let next = "stream \(number + 1) listen 203.0.113.66:\(50_900 + number) if0"
      expectEqual(others.give(refused(number), at: 1), [next])
    }
    expectEqual(others.give(refused(33), at: 2), ["stream 1 reset"])
    expectEqual(others.examiner.failure, .noPort(Endpoint(IPAddress(203, 0, 113, 66), port: 50_901)))
    let bounds: [(port: UInt16, next: UInt16?)] = [
      (65_535, nil), (50_898, nil), (50_899, 50_900), (50_930, 50_931), (50_931, nil),
    ]
    for (port, next) in bounds {
      var desk = Desk { $0.pagePort = port }
      _ = desk.give(Self.there, at: 0)
      let wanted = next.map { ["stream 2 listen 10.77.1.10:\($0) if0"] } ?? []
      expectEqual(desk.give(refused(1), at: 1), wanted, "\(port)")
      expectEqual(desk.examiner.isOver, next == nil, "\(port)")
    }
  }

  @Test("its address is waited for until five seconds after it was told of the interface, and a loss of it ends all")
  func addresses() {
    var nowhere = Desk()
    expectEqual(nowhere.examiner.deadline, nil)
    let other = SignalValue.interface(
      InterfaceChange(
        interface: InterfaceID(1), isUp: true, addresses: [InterfaceAddress(Examined.device, prefixBits: 24)]))
    expectEqual(nowhere.give(other, at: 0), [])
    expectEqual(nowhere.examiner.deadline, nil)
    for time in [0, 1_000] as [Int64] {
      expectEqual(nowhere.give(Self.elsewhere, at: time), [])
      expectEqual(nowhere.examiner.deadline, Desk.time(5_000))
    }
    expectEqual(nowhere.wake(at: 4_999), [])
    #expect(!nowhere.examiner.isOver)
    expectEqual(nowhere.wake(at: 5_000), [])
    #expect(nowhere.examiner.isOver)
    expectEqual(nowhere.examiner.failure, .noAddress)
    expectEqual(nowhere.examiner.lostInterface, nil)
    expectEqual(nowhere.examiner.deadline, nil)

    var late = Desk()
    _ = late.give(Self.elsewhere, at: 0)
    expectEqual(late.give(Self.there, at: 4_000).count, 2)
    expectEqual(late.give(Self.there, at: 4_050), [])
    expectEqual(late.examiner.deadline, Desk.time(4_100))
    expectEqual(late.give(Self.elsewhere, at: 4_060), ["stream 1 reset"])
    expectEqual(late.examiner.failure, .noAddress)
    expectEqual(late.examiner.lostInterface, Desk.time(4_060))

    var lost = started()
    expectEqual(lost.give(Self.there, at: 200), [])
    expectEqual(lost.give(other, at: 210), [])
    expectEqual(lost.give(Self.elsewhere, at: 300), ["process signal 15", "stream 1 reset"])
    #expect(lost.examiner.isOver)
    expectEqual(lost.examiner.failure, nil)
    expectEqual(lost.examiner.lostInterface, Desk.time(300))
  }

  @Test("a stop ends it at once, before it has an address, before it begins and with a connection that is open")
  func stops() {
    var waiting = Desk()
    expectEqual(waiting.give(.command(.stop), at: 0), [])
    #expect(waiting.examiner.isOver)
    var listening = Desk()
    _ = listening.give(Self.there, at: 0)
    expectEqual(listening.give(.command(.stop), at: 50), ["stream 1 reset"])
    #expect(listening.examiner.isOver)
    expectEqual(listening.examiner.failure, nil)
    var asked = started()
    let connection = StreamSignal.accepted(
      StreamID(9), listener: StreamID(1), local: Endpoint(Examined.device, port: 50_900),
      remote: Endpoint(Examined.control, port: 41_000))
    expectEqual(asked.give(.streams(connection), at: 150), [])
    expectEqual(asked.give(.command(.stop), at: 200), ["process signal 15", "stream 1 reset", "stream 9 reset"])
  }

  @Test("a command is asked to end, is ended 1.5 seconds later, and is sent no signal when it is gone")
  func command() {
    var desk = started()
    expectEqual(desk.examiner.deadline, Desk.time(6_100))
    expectEqual(desk.wake(at: 6_100), ["process signal 15"])
    expectEqual(desk.examiner.deadline, Desk.time(7_600))
    expectEqual(desk.wake(at: 7_599), [])
    expectEqual(desk.wake(at: 7_600), ["process signal 9"])
    expectEqual(desk.examiner.deadline, nil)
    // The next run, whose command ends by itself; nobody heard of anything that would have to say byebye.
    expectEqual(desk.give(.process(.ended(.signal(9))), at: 7_700), ["process start toy"])
    expectEqual(desk.examiner.deadline, Desk.time(9_700))
    expectEqual(desk.give(.process(.ended(.exit(code: 0))), at: 7_800), [])
    expectEqual(desk.examiner.deadline, Desk.time(7_800))
    expectEqual(desk.wake(at: 7_800), ["stream 1 reset"])
    #expect(desk.examiner.isOver)
    expectEqual(desk.examiner.failure, nil)

    var stopped = started()
    expectEqual(stopped.wake(at: 6_100), ["process signal 15"])
    expectEqual(stopped.give(.command(.stop), at: 6_200), ["stream 1 reset"])
    #expect(stopped.examiner.isOver)

    var missing = started()
    expectEqual(missing.give(.process(.ended(.notStarted(errno: 2))), at: 150), ["stream 1 reset"])
    expectEqual(missing.examiner.failure, .notStarted(errno: 2))
    #expect(missing.examiner.isOver)
  }

  @Test("datagrams, lines and refusals count from the begin on, and baits leave with TTL 2")
  func signals() {
    let refusals = [Refusal.Deed.send, .join].map { deed in
      SignalValue.refused(
        Refusal(deed: deed, interface: InterfaceID(0), address: Examined.control, port: 50_902))
    }
    let text = Array("found b4170000-0000-4000-8000-000000000000".utf8)
    let line = SignalValue.process(.line(text, isError: false))
    var early = Desk()
    _ = early.give(Self.there, at: 0)
    for signal in refusals + [line] { expectEqual(early.give(signal, at: 10), []) }
    expectEqual(early.search(at: 20), [])
    expectEqual(early.examiner.examination.log.entries, [])
    expectEqual([early.examiner.examination.lineCount, early.examiner.examination.refusedCount], [0, 0])

    var desk = started()
    expectEqual(desk.search(at: 200), [])
    expectEqual(desk.examiner.examination.log.entries.map(\.hopLimit), [4])
    expectEqual(desk.examiner.deadline, Desk.time(250))
    let sent = "send 10.77.1.10:50902 to 10.77.1.20:40000, TTL 2"
    expectEqual(desk.wake(at: 249), [])
    expectEqual(desk.wake(at: 250), [sent])
    expectEqual(desk.wake(at: 330), [sent, sent])
    let uuid = "b4170000-0000-4000-8000-000000000000"
    expectEqual(desk.give(.process(.line(text, isError: true)), at: 340), [])
    expectEqual(desk.examiner.examination.shown(uuid), [])
    expectEqual(desk.examiner.examination.lineCount, 0)
    expectEqual(desk.give(line, at: 350), [])
    expectEqual(desk.examiner.examination.shown(uuid), ["told"])
    expectEqual(desk.examiner.examination.lineCount, 1)
    for signal in refusals {
      expectEqual(desk.give(signal, at: 360), [])
      expectEqual(desk.examiner.examination.refusedCount, 1)
    }
  }

  @Test("due steps are done before a line of output or the end of the command counts, and its kind of end is kept")
  func order() {
    let sent = "send 10.77.1.10:50902 to 10.77.1.20:40000, TTL 2"
    var printed = started()
    _ = printed.search(at: 200)
    expectEqual(printed.give(.process(.line(Array("found".utf8), isError: false)), at: 250), [sent])
    let ends: [(signal: SignalValue, text: String)] = [
      (.process(.ended(.exit(code: 3))), "it ended with exit code 3"),
      (.process(.ended(.signal(11))), "it was ended by signal 11"),
    ]
    for (signal, text) in ends {
      var early = started()
      _ = early.search(at: 200)
      expectEqual(early.give(signal, at: 210), ["process start toy"])
      expectEqual(early.examiner.examination.samples.map(\.text), ["\(text) before anything was sent to it"])
      var late = started()
      _ = late.search(at: 200)
      expectEqual(late.give(signal, at: 250), [sent, "process start toy"])
    }
  }

  @Test("a huge page has 16 MiB, as the answer to HEAD says")
  func hugePage() {
    var desk = started([.hugePage])
    _ = desk.search(at: 200)
    let request = "HEAD /b/000000000001.xml HTTP/1.1\r\nHOST: x\r\n\r\n"
    let answer = String(decoding: desk.ask(request, stream: 9, at: 210), as: UTF8.self)
    #expect(answer.contains("\r\nCONTENT-LENGTH: 16777216\r\n"))
  }

  @Test("pages are there from the begin on, for GET and HEAD, and of a huge one it is kept whether all of it was taken")
  func pages() {
    func request(_ method: String, _ path: String) -> String { "\(method) \(path) HTTP/1.1\r\nHOST: x\r\n\r\n" }
    let (good, huge) = ("/b/000000000000.xml", "/b/000000000001.xml")
    var early = Desk([.hugePage])
    _ = early.give(Self.there, at: 0)
    expectEqual(
      String(decoding: early.ask(request("GET", good), stream: 9, at: 50).prefix(12), as: UTF8.self), "HTTP/1.1 404")
    var desk = started([.hugePage])
    _ = desk.search(at: 200)
    let rows: [(method: String, path: String, status: Int, hasBody: Bool)] = [
      ("GET", good, 200, true), ("HEAD", good, 200, false), ("GET", "/b/0000000000ff.xml", 404, true),
      ("HEAD", "/x", 404, false), ("POST", good, 405, true), ("HEAD", huge, 200, false),
    ]
    for (place, row) in rows.enumerated() {
      let answer = desk.ask(request(row.method, row.path), stream: 10 + UInt32(place), at: 210)
      let text = String(decoding: answer, as: UTF8.self)
      expectEqual(String(text.prefix(12)), "HTTP/1.1 \(row.status)", "\(row.method) \(row.path)")
      expectEqual(!text.hasSuffix("\r\n\r\n"), row.hasBody, "\(row.method) \(row.path)")
    }
    expectEqual(desk.examiner.examination.pagesTaken, [:])
    expectEqual(desk.ask(request("GET", huge), stream: 30, room: 12, at: 220), Array("HTTP/1.1 200".utf8))
    expectEqual(desk.examiner.examination.pagesTaken, [:])
    _ = desk.give(.streams(.ended(StreamID(30), .reset)), at: 230)
    expectEqual(desk.examiner.examination.pagesTaken, [1: false])
    let whole = desk.ask(request("GET", huge), stream: 31, room: 1 << 25, at: 240)
    expectEqual(whole.suffix(16 << 20).first, 32)
    expectEqual(whole.last, 32)
    expectEqual(desk.examiner.examination.pagesTaken, [1: true])
  }
}
