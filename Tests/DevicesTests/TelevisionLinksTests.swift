import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

@Suite("A webOS television over its WebSockets") struct TelevisionLinksTests {
  /// A television as a value: what it does is told as lines.
  private struct Rig {
    var links: TelevisionLinks
    var television: Television
    var outbox = Outbox(payloads: PayloadStore())
    var seconds = 0
    private var upgraded: Set<UInt32> = []
    private var now: Instant { .zero + .seconds(Int64(seconds)) }

    init(_ answer: WebOSPlan.Answer = .accept, after delay: Interval = .seconds(3)) {
      var plan = TelevisionPlan()
      var webOS = WebOSPlan()
      (webOS.answer, webOS.answerDelay, webOS.webApps) = (answer, delay, ["quiz"])
      (plan.apps, plan.webOS) = (["YouTube"], webOS)
      (links, television) = (TelevisionLinks(webOS), Television(plan))
    }

    mutating func accept(_ stream: UInt32, room: UInt32 = 65_536) -> [String] {
      links.accept(StreamID(stream), at: now, into: &outbox)
      return give(.room(StreamID(stream), byteCount: room))
    }

    mutating func give(_ signal: StreamSignal) -> [String] {
      links.receive(signal, at: now, &television, into: &outbox)
      return lines()
    }

    mutating func give(_ stream: UInt32, _ bytes: [UInt8]) -> [String] { give(.bytes(StreamID(stream), bytes)) }

    static let request = WebSocketHandshake.request(
      path: "/", authority: "10.0.0.9:3000", userAgent: "x", key: [UInt8](repeating: 1, count: 16))

    mutating func open(_ stream: UInt32 = 1) -> [String] { accept(stream) + give(stream, Rig.request) }

    mutating func say(_ message: SSAPMessage, _ stream: UInt32 = 1) -> [String] {
      give(stream, WebSocketMessage.text(message.text).frame(mask: 0x0102_0304))
    }
    mutating func ask(_ request: SSAPRequest, id: String = "9") -> [String] { say(request.message(id: id)) }
    mutating func register(_ access: SSAPMessage.Access, _ key: String? = nil, _ stream: UInt32 = 1) -> [String] {
      say(.register(id: "1", key: key, access), stream)
    }

    mutating func run(to seconds: Int) -> [String] {
      self.seconds = seconds
      links.advance(to: now, into: &outbox)
      return lines()
    }

    private mutating func lines() -> [String] {
      defer { outbox.removeAll() }
      return outbox.effects.map { effect in
        switch effect {
        case .streams(.write(let stream, let bytes)):
          let text = String(decoding: bytes, as: UTF8.self)
          return "\(stream.number) " + (text.hasPrefix("HTTP") ? String(text.prefix { $0 != "\r\n" }) : frames(bytes))
        case .streams(.finish(let stream)): return "\(stream.number) finish"
        case .streams(.reset(let stream)): return "\(stream.number) reset"
        default: return "something else"
        }
      }
    }

    private func frames(_ bytes: [UInt8]) -> String {
      var reader = WebSocketReader(of: .server, byteCountMaximum: 65_536)
      reader.take(bytes)
      var texts: [String] = []
      while let message = reader.next() {
        switch message {
        case .text(let text):
          let message = SSAPMessage.read(text)
          texts.append(
            [message?.kind.rawValue, message?.error, message?.from, message?.payload.line].compactMap { $0 }
              .joined(separator: " "))
        case .close(let status, _): texts.append("close \(status.map { String($0) } ?? "")")
        case .pong(let bytes): texts.append("pong \(bytes)")
        case .ping, .binary: texts.append("something else")
        }
      }
      return texts.isEmpty ? "\(bytes.count) bytes" : texts.joined(separator: ", ")
    }
  }

  private static let upgrade = "1 HTTP/1.1 101 Switching Protocols"
  private static let question = #"1 response {"pairingType":"PROMPT","returnValue":true}"#
  private static func key(_ number: Int, _ stream: Int = 1) -> String {
    "\(stream) registered {\"client-key\":\"client-\(number)\"}"
  }

  @Test("an application that wants much is let in when the person agrees, and then knows a key")
  func agrees() {
    var rig = Rig()
    expectEqual(rig.open(), [Self.upgrade])
    expectEqual(rig.register(.full), [Self.question])
    expectEqual(rig.links.deadline, .zero + .seconds(3))
    expectEqual(rig.run(to: 2), [])
    expectEqual(rig.run(to: 3), [Self.key(1)])
    expectEqual(rig.links.deadline, .never)
    expectEqual(rig.open(2), ["2 HTTP/1.1 101 Switching Protocols"])
    expectEqual(rig.register(.full, "client-1", 2), [Self.key(1, 2)])
    expectEqual(rig.register(.full, "client-9", 2).count, 1)
    expectEqual(rig.run(to: 6), [Self.key(2, 2)])
    rig.links.forget()
    expectEqual(rig.register(.full, "client-1", 2), [#"2 response {"pairingType":"PROMPT","returnValue":true}"#])
  }

  @Test("an application that wants little is let in at once, and its key is worth no more than that")
  func little() {
    var rig = Rig()
    _ = rig.open()
    expectEqual(rig.register(.open), [Self.key(1)])
    expectEqual(rig.register(.open, "client-1"), [Self.key(1)])
    expectEqual(rig.register(.open, "other"), [Self.key(2)])
    expectEqual(rig.register(.full, "client-1"), [Self.question])
  }

  @Test("a person who declines or does not answer")
  func declines() {
    var rig = Rig(.decline)
    _ = rig.open()
    _ = rig.register(.full)
    expectEqual(rig.run(to: 3), ["1 error 403 User denied access {}"])
    expectEqual(rig.ask(.appState(app: "YouTube", session: nil)), [#"1 error 401 not registered {}"#])
    rig = Rig(.ignore)
    _ = rig.open()
    _ = rig.register(.full)
    expectEqual(rig.links.deadline, .never)
    expectEqual(rig.run(to: 1_000), [])
  }

  @Test("apps and web apps share one screen")
  func apps() {
    var rig = Rig()
    _ = rig.open()
    _ = rig.register(.open)
    expectEqual(
      rig.ask(.launch(app: "YouTube", content: nil)),
      [#"1 response {"returnValue":true,"id":"YouTube","sessionId":"run-1"}"#])
    let running = [#"1 response {"returnValue":true,"running":true,"visible":true}"#]
    let stopped = [#"1 response {"returnValue":true,"running":false,"visible":false}"#]
    expectEqual(rig.ask(.appState(app: "YouTube", session: nil)), running)
    expectEqual(rig.ask(.appState(app: "YouTube", session: "run-1")), running)
    expectEqual(rig.ask(.appState(app: "YouTube", session: "run-2")), stopped)
    expectEqual(
      rig.ask(.launchWebApp("quiz", content: String(repeating: "x", count: 4_096))),
      [#"1 response {"returnValue":true,"webAppId":"quiz","sessionId":"run-2"}"#])
    expectEqual(rig.ask(.appState(app: "YouTube", session: nil)), stopped)
    let connected = [
      #"1 response {"returnValue":true,"state":"CONNECTED","sessionId":"run-2","appId":"webapphost-quiz"}"#
    ]
    let waiting = [#"1 response {"returnValue":true,"state":"WAITING_FOR_APP"}"#]
    let plain = SSAPMessage(
      .request, id: "9", uri: "ssap://webapp/connectToApp", payload: .members(("webAppId", .string("quiz"))))
    expectEqual(rig.say(plain), connected)
    expectEqual(rig.ask(.connectToApp("quiz", session: nil)), connected)
    expectEqual(rig.ask(.connectToApp("quiz", session: "run-2")), connected)
    expectEqual(rig.ask(.connectToApp("quiz", session: "run-1")), waiting)
    let gone = [#"1 error 404 no such session {"returnValue":false}"#]
    expectEqual(rig.ask(.closeWebApp("quiz", session: "run-1")), gone)
    expectEqual(rig.ask(.close(app: "quiz", session: "run-2")), gone)
    // Those that asked for that hear it, once for each time that they asked.
    expectEqual(
      rig.ask(.closeWebApp("quiz", session: "run-2")), [#"1 response {"returnValue":true}"#] + waiting + waiting)
    expectEqual(rig.ask(.closeWebApp("quiz", session: "run-2")), gone)
    expectEqual(rig.ask(.connectToApp("quiz", session: nil)), waiting)
    let unknown = [#"1 error 404 no such app {"returnValue":false}"#]
    for request: SSAPRequest in [
      .launch(app: "quiz", content: nil), .launchWebApp("YouTube", content: nil), .appState(app: "quiz", session: nil),
      .connectToApp("YouTube", session: nil),
    ] { expectEqual(rig.ask(request), unknown) }
    expectEqual(
      rig.ask(.launch(app: "YouTube", content: String(repeating: "x", count: 4_097))),
      [#"1 error 413 too much to show {"returnValue":false}"#])
    expectEqual(
      rig.say(SSAPMessage(.hello, id: "7")), [#"1 hello {"pairingTypes":["PROMPT"],"deviceOS":"webOS"}"#])
    expectEqual(rig.say(SSAPMessage(.other, id: "7")), [])
    expectEqual(
      rig.say(SSAPMessage(.request, id: "7", uri: "ssap://other")), ["1 error 404 no such service or method {}"])
  }

  @Test("a web app says what it is told to the application that told it, if that is connected to it and until it ends")
  func webApps() {
    var rig = Rig()
    for stream: UInt32 in [1, 2] {
      _ = rig.open(stream)
      _ = rig.register(.open, nil, stream)
    }
    _ = rig.ask(.launchWebApp("quiz", content: nil))
    let hello = SSAPMessage.peer(to: "webapphost-quiz", .string("hello"))
    expectEqual(rig.say(hello), [])
    _ = rig.ask(.connectToApp("quiz", session: nil), id: "7")
    expectEqual(rig.say(hello), [#"1 p2p webapphost-quiz "hello""#])
    expectEqual(
      rig.say(.peer(to: "webapphost-quiz", .members(("n", .integer(1))))), [#"1 p2p webapphost-quiz {"n":1}"#])
    expectEqual(rig.say(hello, 2), [])
    expectEqual(rig.say(.peer(to: "webapphost-chess", .string("x"))), [])
    // Another app comes to the screen, by whomever.
    expectEqual(
      rig.say(SSAPRequest.launch(app: "YouTube", content: nil).message(id: "3"), 2),
      [
        #"2 response {"returnValue":true,"id":"YouTube","sessionId":"run-2"}"#,
        #"1 response {"returnValue":true,"state":"WAITING_FOR_APP"}"#,
      ])
    expectEqual(rig.say(hello), [])
    _ = rig.ask(.launchWebApp("quiz", content: nil))
    _ = rig.ask(.connectToApp("quiz", session: nil), id: "8")
    expectEqual(rig.say(SSAPMessage(.unsubscribe, id: "7")), [])
    expectEqual(rig.say(hello).count, 1)
    expectEqual(rig.say(SSAPMessage(.unsubscribe, id: "8")), [])
    expectEqual(rig.say(hello), [])
    // The end of one that nobody is connected to is told to nobody.
    expectEqual(rig.ask(.closeWebApp("quiz", session: "run-3")), [#"1 response {"returnValue":true}"#])
  }

  @Test("what is no WebSocket is refused and ended; what is no message ends it")
  func refusals() {
    for (bytes, expected): ([UInt8], [String]) in [
      (Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), ["1 HTTP/1.1 426 Upgrade Required", "1 finish"]),
      (Array("GET /x HTTP/1.1\r\nHost: x\r\n\r\n".utf8), ["1 HTTP/1.1 404 Not Found", "1 finish"]),
      (Array("nonsense\r\n\r\n".utf8), ["1 HTTP/1.1 400 Bad Request", "1 finish"]),
      (Rig.request + WebSocketMessage.text("x").frame(mask: 1), [Self.upgrade, "1 close 1008", "1 finish"]),
      (Rig.request + WebSocketMessage.text("x").frame(mask: nil), [Self.upgrade, "1 close 1002", "1 finish"]),
      (Rig.request + WebSocketMessage.binary([1]).frame(mask: 1), [Self.upgrade, "1 close 1003", "1 finish"]),
      (Rig.request + [0x81, 0xFF, 0, 0, 0, 0, 0, 1, 0, 1], [Self.upgrade, "1 close 1009", "1 finish"]),
      (Rig.request + WebSocketMessage.ping([7]).frame(mask: 1), [Self.upgrade, "1 pong [7]"]),
      (Rig.request + WebSocketMessage.pong([7]).frame(mask: 1), [Self.upgrade]),
      (
        Rig.request + WebSocketMessage.close(status: 1_000, reason: "").frame(mask: 1),
        [Self.upgrade, "1 close 1000", "1 finish"]
      ),
    ] {
      var rig = Rig()
      _ = rig.accept(1)
      expectEqual(rig.give(1, bytes), expected)
      rig = Rig()
      _ = rig.accept(1)
      expectEqual(bytes.flatMap { rig.give(1, [$0]) }, expected)
    }
  }

  @Test("a connection that says nothing is reset, and so is one that does not end, and one that takes nothing")
  func bounds() {
    var rig = Rig()
    _ = rig.accept(1)
    expectEqual(rig.links.deadline, .zero + .seconds(30))
    expectEqual(rig.run(to: 29), [])
    expectEqual(rig.run(to: 30), ["1 reset"])
    _ = rig.open()
    _ = rig.give(1, WebSocketMessage.close(status: nil, reason: "").frame(mask: 1))
    expectEqual(rig.run(to: 59), [])
    expectEqual(rig.run(to: 60), ["1 reset"])
    _ = rig.accept(1, room: 300)
    _ = rig.give(1, Rig.request)
    let ping = WebSocketMessage.ping([UInt8](repeating: 7, count: 125)).frame(mask: 1)
    var lines: [String] = []
    for _ in 0..<530 where lines.last != "1 reset" { lines += rig.give(1, ping) }
    #expect(lines.last == "1 reset" && lines.count < 6)
    #expect(!rig.links.owns(StreamID(1)))
    for stream in 1...16 { expectEqual(rig.accept(UInt32(stream)), []) }
    expectEqual(rig.accept(17), ["17 reset"])
    rig.links.reset(into: &rig.outbox)
    expectEqual(rig.outbox.count, 16)
  }

  @Test("65,536 bytes may wait to be written; with one more the application is reset")
  func waiting() {
    guard case .head(let head) = HTTPRequestHead.read(Rig.request),
      case .upgrade(let answer) = WebSocketHandshake.answer(to: head)
    else {
      Issue.record("the request makes no WebSocket")
      return
    }
    func ping(_ count: Int) -> [UInt8] {
      WebSocketMessage.ping([UInt8](repeating: 7, count: count)).frame(mask: 1)
    }
    // A pong of up to 125 bytes has two more: 516 of 127 bytes are 65,532.
    for (count, expected): (Int, [String]) in [(2, []), (3, ["1 reset"])] {
      var rig = Rig()
      _ = rig.accept(1, room: UInt32(answer.count))
      expectEqual(rig.give(1, Rig.request), [Self.upgrade])
      for _ in 0..<516 { expectEqual(rig.give(1, ping(125)), []) }
      expectEqual(rig.give(1, ping(count)), expected, "\(count)")
      expectEqual(rig.links.owns(StreamID(1)), expected.isEmpty, "\(count)")
    }
  }

  @Test("an application whose WebSocket was closed is not let in any more, and hears of no web app")
  func closed() {
    var rig = Rig()
    let binary = WebSocketMessage.binary([1]).frame(mask: 1)
    _ = rig.open()
    expectEqual(rig.register(.full), [Self.question])
    expectEqual(rig.give(1, binary), ["1 close 1003", "1 finish"])
    expectEqual(rig.links.deadline, .zero + .seconds(30))
    expectEqual(rig.run(to: 3), [])
    for stream: UInt32 in [2, 3] {
      _ = rig.open(stream)
      _ = rig.register(.open, nil, stream)
    }
    _ = rig.say(SSAPRequest.launchWebApp("quiz", content: nil).message(id: "5"), 2)
    expectEqual(
      rig.say(SSAPRequest.connectToApp("quiz", session: nil).message(id: "6"), 2),
      [#"2 response {"returnValue":true,"state":"CONNECTED","sessionId":"run-1","appId":"webapphost-quiz"}"#])
    expectEqual(rig.give(2, binary), ["2 close 1003", "2 finish"])
    expectEqual(
      rig.say(SSAPRequest.launch(app: "YouTube", content: nil).message(id: "7"), 3),
      [#"3 response {"returnValue":true,"id":"YouTube","sessionId":"run-2"}"#])
  }

  @Test("what comes behind the end of a WebSocket is not kept")
  func behindTheEnd() {
    var rig = Rig()
    _ = rig.open()
    expectEqual(rig.give(1, WebSocketMessage.binary([1]).frame(mask: 1)), ["1 close 1003", "1 finish"])
    let before = String(reflecting: rig.links).utf8.count
    expectEqual(rig.give(1, [UInt8](repeating: 0, count: 500)), [], "the television has said its last word")
    expectEqual(String(reflecting: rig.links).utf8.count, before, "500 bytes would show")
  }

  @Test("what may not be written yet is written when there is room, and the end follows it")
  func room() {
    var rig = Rig()
    _ = rig.accept(1, room: 10)
    expectEqual(rig.give(1, Array("x\r\n\r\n".utf8)), ["1 HTTP/1.1 4"])
    expectEqual(rig.give(.room(StreamID(1), byteCount: 20)), ["1 20 bytes"])
    expectEqual(rig.give(.room(StreamID(1), byteCount: 1_000)).last, "1 finish")
    expectEqual(rig.give(.room(StreamID(1), byteCount: 1_000)), [])
    expectEqual(rig.give(.ended(StreamID(1), .finished)), [])
    #expect(!rig.links.owns(StreamID(1)))
    // The other side ends first, and still takes what waits.
    expectEqual(rig.accept(2, room: 10), [])
    expectEqual(rig.give(2, Array("x\r\n\r\n".utf8)).count, 1)
    expectEqual(rig.give(.ended(StreamID(2), .finished)), [])
    expectEqual(rig.give(.room(StreamID(2), byteCount: 20)), ["2 20 bytes"])
    #expect(rig.links.owns(StreamID(2)))
    expectEqual(rig.give(.room(StreamID(2), byteCount: 1_000)).last, "2 finish")
    #expect(!rig.links.owns(StreamID(2)))
  }

  @Test("an application that leaves takes its question from the screen")
  func leaves() {
    for (end, expected) in [(StreamEnd.finished, ["1 finish"]), (.reset, [])] {
      var rig = Rig()
      _ = rig.open()
      _ = rig.register(.full)
      expectEqual(rig.give(.ended(StreamID(1), end)), expected)
      #expect(!rig.links.owns(StreamID(1)))
      expectEqual(rig.links.deadline, .never)
      expectEqual(rig.run(to: 10), [])
    }
  }

  @Test("64 applications are known and 16 web apps listened to; beyond that the first ones are forgotten")
  func memory() {
    var rig = Rig()
    _ = rig.open()
    for number in 1...64 { expectEqual(rig.register(.open), [Self.key(number)]) }
    for number in [1, 64] { expectEqual(rig.register(.open, "client-\(number)"), [Self.key(number)]) }
    expectEqual(rig.register(.open), [Self.key(65)])
    expectEqual(rig.register(.open, "client-2"), [Self.key(2)])
    expectEqual(rig.register(.open, "client-1"), [Self.key(66)])
    expectEqual(rig.register(.open, "client-2"), [Self.key(67)])
    for (asked, forgotten, told) in [(16, "x", 16), (16, "1", 15), (17, "1", 16), (17, "2", 15)] {
      _ = rig.ask(.launchWebApp("quiz", content: nil))
      for number in 1...asked { _ = rig.ask(.connectToApp("quiz", session: nil), id: "\(number)") }
      _ = rig.say(SSAPMessage(.unsubscribe, id: forgotten))
      expectEqual(rig.ask(.launch(app: "YouTube", content: nil)).count, 1 + told, "\(asked) \(forgotten)")
    }
  }
}
