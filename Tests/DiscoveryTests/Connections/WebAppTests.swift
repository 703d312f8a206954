import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

@Suite("What applications and web apps say to each other") struct WebAppTests {
  private static let services = [ConnectionRig.webOS(.none)]
  private static let refused = "did nothing with the app: expected"
  private static let ended = "#1 the web app w says no more"

  private static func web(_ session: String = "s", app: String = "w") -> LaunchSession {
    LaunchSession(appID: app, sessionID: session, serviceID: "webOS TV", kind: .webApp)
  }

  private static func answer(_ id: Int, _ members: (String, JSONValue)...) -> SSAPMessage {
    SSAPMessage(.response, id: "\(id)", payload: .object(members.map { .init($0.0, $0.1) }))
  }

  /// A television that is ready, and joins this web app as it says: its answer is that to the second message.
  private static func joined(_ appID: String? = "host-w", faults: ConnectionFaults = []) -> ConnectionRig {
    var rig = ConnectionRig(faults: faults)
    _ = rig.ask(.connect, services)
    _ = rig.upgrade(1)
    _ = rig.say(1, SSAPMessage(.registered, id: "1"))
    _ = rig.ask(.join(.known(web())), services)
    var members: [JSONValue.Member] = [.init("state", .string("CONNECTED"))]
    if let appID { members.append(.init("appId", .string(appID))) }
    expectEqual(rig.say(1, SSAPMessage(.response, id: "2", payload: .object(members))), ["#1 7: joined w"])
    return rig
  }

  private static func send(_ message: WebAppMessage, _ session: LaunchSession = web()) -> AppRequest.Deed {
    .send(.known(session), message)
  }

  @Test("texts and values of JSON go to the web app that was joined, and come from it")
  func talk() {
    var rig = WebAppTests.joined()
    expectEqual(
      rig.ask(WebAppTests.send(.text("a \"b\"")), WebAppTests.services),
      ["1 to host-w \"a \\\"b\\\"\"", "#1 7: sent a message to the web app"])
    expectEqual(
      rig.ask(WebAppTests.send(.json("{ \"a\" : [1, null] }")), WebAppTests.services).first,
      "1 to host-w {\"a\":[1,null]}")
    expectEqual(
      rig.ask(.send(.latest(app: "w"), .text("x")), WebAppTests.services).first, "1 to host-w \"x\"")
    expectEqual(rig.say(1, .peer(from: "host-w", .string("hello"))), ["#1 the web app w says hello"])
    expectEqual(
      rig.say(1, .peer(from: "host-w", .members(("a", .array([.null, .bool(true)]))))),
      ["#1 the web app w says {\"a\":[null,true]}"])
    expectEqual(rig.say(1, .peer(from: "host-w", .integer(7))), ["#1 the web app w says 7"])
    // Of another web app, to somebody else, and of nobody.
    expectEqual(rig.say(1, .peer(from: "w", .string("x"))), [])
    expectEqual(rig.say(1, .peer(to: "host-w", .string("x"))), [])
    expectEqual(rig.send(1, .text("{\"type\":\"p2p\",\"payload\":\"x\"}")), [])
  }

  @Test("a web app that the television gives no other name has its own")
  func unnamed() {
    for name in [nil, "", String(repeating: "x", count: 256)] as [String?] {
      var rig = WebAppTests.joined(name)
      expectEqual(rig.ask(WebAppTests.send(.text("x")), WebAppTests.services).first, "1 to w \"x\"")
      expectEqual(rig.say(1, .peer(from: "w", .string("x"))), ["#1 the web app w says x"])
    }
  }

  @Test("what was not joined, or was left, is told nothing and says nothing")
  func strangers() {
    var rig = WebAppTests.joined()
    let absent = "expected a web app that was joined, w is not"
    expectEqual(
      rig.ask(WebAppTests.send(.text("x"), WebAppTests.web("other")), WebAppTests.services),
      ["#1 7: did nothing with the app: \(absent)"])
    expectEqual(
      rig.ask(.leave(.known(WebAppTests.web())), WebAppTests.services),
      ["1 unsubscribe 2", "#1 7: left the web app", WebAppTests.ended])
    expectEqual(rig.say(1, .peer(from: "host-w", .string("x"))), [])
    for deed in [WebAppTests.send(.text("x")), .leave(.known(WebAppTests.web()))] {
      expectEqual(rig.ask(deed, WebAppTests.services), ["#1 7: did nothing with the app: \(absent)"])
    }
    let app = LaunchSession(appID: "a", sessionID: "http://10.0.0.9:8060/apps/a/run", serviceID: "DIAL")
    var dial = ConnectionRig.ready()
    expectEqual(
      dial.ask(WebAppTests.send(.text("x"), app)),
      ["#1 7: \(WebAppTests.refused) a web app, found a, which is an app"])
  }

  @Test("what is said has bounds, and is JSON where it is said to be that")
  func bounds() {
    var rig = WebAppTests.joined()
    let long = String(repeating: "x", count: 8_192)
    expectEqual(rig.ask(WebAppTests.send(.text(long)), WebAppTests.services).count, 2)
    for (message, expected): (WebAppMessage, String) in [
      (.text(long + "x"), "at most 8192 bytes for the web app, found 8193"),
      (.json(long + "x"), "at most 8192 bytes for the web app, found 8193"),
      (.json("{\"a\":"), "a value of JSON for the web app, found cutShort at byte 5"),
      (.json("{} x"), "a value of JSON for the web app, found behindTheEnd at byte 3"),
    ] {
      expectEqual(
        rig.ask(WebAppTests.send(message), WebAppTests.services), ["#1 7: \(WebAppTests.refused) \(expected)"])
    }
    // What is longest when it is written is within the bounds of a message.
    let controls = String(repeating: "\u{1}", count: 8_192)
    expectEqual(rig.ask(WebAppTests.send(.text(controls)), WebAppTests.services).count, 2)
  }

  @Test("a web app that runs no more ends once, whatever says so first")
  func ends() {
    for happens: (inout ConnectionRig) -> [String] in [
      { $0.say(1, WebAppTests.answer(2, ("state", .string("WAITING_FOR_APP")))) },
      { $0.say(1, SSAPMessage(.error, id: "2", error: "500 x")) },
    ] {
      var rig = WebAppTests.joined()
      expectEqual(rig.say(1, WebAppTests.answer(2, ("state", .string("CONNECTED")))), [])
      expectEqual(happens(&rig), [WebAppTests.ended])
      expectEqual(happens(&rig), [])
      expectEqual(rig.say(1, .peer(from: "host-w", .string("x"))), [])
    }
    var rig = WebAppTests.joined()
    _ = rig.ask(.close(.known(WebAppTests.web())), WebAppTests.services)
    expectEqual(rig.say(1, WebAppTests.answer(3)), ["#1 7: closed the app", WebAppTests.ended])
    expectEqual(rig.say(1, WebAppTests.answer(2, ("state", .string("WAITING_FOR_APP")))), [])
  }

  @Test("with its device a web app ends, and before that is told")
  func device() {
    for (happens, told): ((inout ConnectionRig) -> [String], String) in [
      ({ $0.lose() }, "#1 disconnected: it is gone"),
      ({ $0.ask(.disconnect) }, "#1 disconnected, as the application wanted"),
      ({ $0.end(1, .reset) }, "#1 disconnected: the connection to it has ended"),
    ] {
      var rig = WebAppTests.joined()
      expectEqual(happens(&rig).suffix(2), [WebAppTests.ended, told])
    }
  }

  @Test("a web app that is joined once more is one, and a new session of it ends the one before")
  func again() {
    var rig = WebAppTests.joined()
    _ = rig.ask(.join(.known(WebAppTests.web())), WebAppTests.services)
    expectEqual(rig.say(1, WebAppTests.answer(3, ("state", .string("CONNECTED")))), ["#1 7: joined w"])
    // What is said later of the first time is of no account.
    expectEqual(rig.say(1, WebAppTests.answer(2, ("state", .string("WAITING_FOR_APP")))), [])
    _ = rig.ask(.joinWebApp(app: "w"), WebAppTests.services)
    expectEqual(
      rig.say(1, WebAppTests.answer(4, ("state", .string("CONNECTED")), ("sessionId", .string("t")))),
      [WebAppTests.ended, "#1 7: joined w"])
    expectEqual(
      rig.ask(WebAppTests.send(.text("x"), WebAppTests.web("t")), WebAppTests.services).first, "1 to w \"x\"")
  }

  @Test("16 web apps are joined at a time on one device")
  func many() {
    var rig = WebAppTests.joined()
    for number in 2...15 {
      _ = rig.ask(.join(.known(WebAppTests.web(app: "w\(number)"))), WebAppTests.services)
      expectEqual(
        rig.say(1, WebAppTests.answer(number + 1, ("state", .string("CONNECTED")))), ["#1 7: joined w\(number)"])
    }
    let refused = ["#1 7: \(WebAppTests.refused) at most 16 web apps that are joined at a time"]
    // One that is about to be joined counts.
    expectEqual(rig.ask(.join(.known(WebAppTests.web(app: "w16"))), WebAppTests.services).count, 1)
    expectEqual(rig.ask(.joinWebApp(app: "more"), WebAppTests.services), refused)
    expectEqual(rig.say(1, WebAppTests.answer(17, ("state", .string("CONNECTED")))), ["#1 7: joined w16"])
    expectEqual(rig.ask(.joinWebApp(app: "more"), WebAppTests.services), refused)
    expectEqual(rig.ask(.joinWebApp(app: "w3"), WebAppTests.services).count, 1)
  }

  @Test("planted faults hear nothing, and notice no end but that of the connection")
  func faults() {
    var rig = WebAppTests.joined(faults: .webAppsUnheard)
    expectEqual(rig.say(1, .peer(from: "host-w", .string("x"))), [])
    rig = WebAppTests.joined(faults: .webAppEndsUnnoticed)
    expectEqual(rig.say(1, WebAppTests.answer(2, ("state", .string("WAITING_FOR_APP")))), [])
    expectEqual(rig.end(1, .reset).first, WebAppTests.ended)
  }
}
