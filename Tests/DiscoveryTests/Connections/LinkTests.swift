import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

@Suite("Services that are controlled over a WebSocket") struct LinkTests {
  private static func registered(_ key: String = "k") -> SSAPMessage {
    SSAPMessage(.registered, id: "1", payload: .members(("client-key", .string(key))))
  }
  private static let asks = SSAPMessage(.response, id: "1", payload: .members(("pairingType", .string("PROMPT"))))

  private static func rig(
    _ service: ReachableService = ConnectionRig.webOS(), faults: ConnectionFaults = []
  ) -> ConnectionRig {
    var rig = ConnectionRig(faults: faults)
    expectEqual(rig.ask(.connect, [service]), ["1 connect 10.0.0.9:3000"])
    expectEqual(
      rig.upgrade(1),
      ["1 GET /", "1 register \(service.pairing == .prompt ? "full" : "open") without a key"])
    return rig
  }

  private static func ready(_ services: [ReachableService] = [ConnectionRig.webOS(.none)]) -> ConnectionRig {
    var rig = ConnectionRig()
    _ = rig.ask(.connect, services)
    _ = rig.upgrade(1)
    expectEqual(rig.say(1, registered()), ["#1 ready"])
    return rig
  }

  private static func answer(_ id: String, _ members: (String, JSONValue)...) -> SSAPMessage {
    SSAPMessage(.response, id: id, payload: .object(members.map { .init($0.0, $0.1) }))
  }

  @Test("the user agrees on the screen, and is asked no more with the key that came of it")
  func agrees() {
    var rig = LinkTests.rig()
    expectEqual(rig.say(1, LinkTests.asks), ["#1 webOS TV asks the user to agree"])
    // The screen asks once.
    expectEqual(rig.say(1, LinkTests.asks), [])
    expectEqual(rig.say(1, LinkTests.registered()), ["#1 paired for webOS TV", "#1 ready"])
    expectEqual(rig.connections.deadline, .never)
    expectEqual(rig.ask(.disconnect), ["1 close 1000", "1 finish", "#1 disconnected, as the application wanted"])
    expectEqual(rig.send(1, .close(status: 1_000, reason: "")), [])
    expectEqual(rig.end(1, .finished), [])
    expectEqual(rig.connections.deadline, .never)
    expectEqual(rig.ask(.connect, [ConnectionRig.webOS()]), ["2 connect 10.0.0.9:3000"])
    expectEqual(rig.upgrade(2), ["2 GET /", "2 register full k"])
    expectEqual(rig.say(2, LinkTests.registered()), ["#1 ready"])
  }

  @Test("a key that the television has forgotten is forgotten, and the user is asked anew")
  func forgotten() {
    var rig = ConnectionRig()
    rig.connections.note(RememberedKey(owner: "uuid:c", service: "webOS TV", key: "old"))
    rig.connections.note(RememberedKey(owner: "uuid:other", service: "webOS TV", key: "other"))
    _ = rig.ask(.connect, [ConnectionRig.webOS()])
    expectEqual(rig.upgrade(1), ["1 GET /", "1 register full old"])
    expectEqual(rig.say(1, LinkTests.asks), ["#1 webOS TV asks the user to agree"])
    expectEqual(rig.connections.keys.map(\.key), ["other"])
    expectEqual(rig.say(1, LinkTests.registered("new")), ["#1 paired for webOS TV", "#1 ready"])
    expectEqual(rig.connections.keys.map(\.key), ["other", "new"])
  }

  @Test("where no pairing is wanted nothing is kept, and an answer without a key is one")
  func open() {
    var rig = LinkTests.rig(ConnectionRig.webOS(.none))
    expectEqual(rig.say(1, SSAPMessage(.registered, id: "1")), ["#1 ready"])
    expectEqual(rig.connections.keys, [])
  }

  @Test("a user who declines, and one who does not answer, are told apart")
  func declines() {
    var rig = LinkTests.rig()
    _ = rig.say(1, LinkTests.asks, at: 1)
    expectEqual(
      rig.say(1, SSAPMessage(.error, id: "1", error: "403 User denied access")),
      [
        "1 reset",
        "#1 not connected: expected the user to agree on the screen of the device, the user declined (status 403)",
      ])
    rig = LinkTests.rig()
    _ = rig.say(1, LinkTests.asks, at: 1)
    expectEqual(rig.run(to: 60.9), [])
    expectEqual(
      rig.run(to: 61),
      ["1 reset", "#1 not connected: expected the user to answer on the screen of the device within 1m"])
    rig = LinkTests.rig(faults: .typingAwaitedForEver)
    _ = rig.say(1, LinkTests.asks, at: 1)
    expectEqual(rig.run(to: 1_000), [])
  }

  @Test("an application whose user does not agree cancels, and what it types means nothing here")
  func cancels() {
    var rig = LinkTests.rig()
    // The screen does not ask yet.
    expectEqual(rig.ask(.cancelPairing), [])
    _ = rig.say(1, LinkTests.asks)
    expectEqual(rig.ask(.pair(key: "1")), [])
    expectEqual(rig.ask(.cancelPairing), ["1 reset", "#1 not connected: the user does not agree"])
    expectEqual(rig.ask(.cancelPairing), [])
  }

  @Test("a television that refuses, ends, falls silent or says something else is not connected")
  func failures() {
    for (happens, expected): ((inout ConnectionRig) -> [String], [String]) in [
      (
        { $0.say(1, SSAPMessage(.error, id: "1", error: "500 x")) },
        ["1 reset", "#1 not connected: expected webOS TV to let the application in, it refused (status 500)"]
      ),
      (
        { $0.say(1, SSAPMessage(.error, id: "1")) },
        ["1 reset", "#1 not connected: expected webOS TV to let the application in, it refused"]
      ),
      (
        { $0.end(1, .reset) },
        ["#1 not connected: expected somebody to answer at 10.0.0.9:3000, the connection was ended"]
      ),
      ({ $0.end(1, .finished) }, ["1 finish", "#1 not connected: the device ended the connection"]),
      (
        { $0.send(1, .close(status: 1_001, reason: "")) },
        ["1 close 1000", "1 finish", "#1 not connected: the device ended the connection"]
      ),
      (
        { $0.send(1, .text("x")) },
        [
          "1 close 1000", "1 finish",
          "#1 not connected: expected a message of webOS from 10.0.0.9:3000, found something else",
        ]
      ),
      ({ $0.run(to: 9.9) }, []),
      (
        { $0.run(to: 10) },
        ["1 reset", "#1 not connected: expected an answer of 10.0.0.9:3000 within 10s, none came"]
      ),
      ({ $0.say(1, SSAPMessage(.error, id: "2")) }, []),
      ({ $0.say(1, LinkTests.registered(), at: 0) }, ["#1 paired for webOS TV", "#1 ready"]),
      ({ $0.send(1, .ping([7])) }, ["1 pong [7]"]), ({ $0.send(1, .binary([7])) }, []),
      ({ $0.send(1, .pong([7])) }, []),
      ({ $0.say(1, SSAPMessage(.other, id: "")) + $0.say(1, SSAPMessage(.hello, id: "1")) }, []),
      ({ $0.lose() }, ["1 reset", "#1 not connected: the device is gone"]),
      ({ $0.ask(.disconnect) }, ["1 close 1000", "1 finish", "#1 disconnected, as the application wanted"]),
    ] {
      var rig = LinkTests.rig()
      expectEqual(happens(&rig), expected)
    }
  }

  @Test("bytes that are no WebSocket are refused with their place")
  func hostile() {
    func happens(_ bytes: [UInt8], isUpgraded: Bool) -> [String] {
      var rig = ConnectionRig()
      _ = rig.ask(.connect, [ConnectionRig.webOS()])
      let stream = StreamID(DeviceConnections.firstStream + 1)
      if isUpgraded {
        _ = rig.upgrade(1)
      } else {
        _ = rig.give(.opened(stream, local: Endpoint(IPAddress(10, 0, 0, 1), port: 50_000)))
        _ = rig.give(.room(stream, byteCount: 65_536))
      }
      return rig.give(.bytes(stream, bytes))
    }
    expectEqual(
      happens([0x83, 0], isUpgraded: true),
      [
        "1 close 1002", "1 reset",
        "#1 not connected: expected a WebSocket from 10.0.0.9:3000, found opcode at byte 0 behind its head",
      ])
    expectEqual(
      happens([0x81, 127, 0, 0, 0, 0, 0, 1, 0, 1], isUpgraded: true),
      [
        "1 close 1009", "1 reset",
        "#1 not connected: expected a WebSocket from 10.0.0.9:3000, found tooLong at byte 1 behind its head",
      ])
    expectEqual(
      happens(Array("SSH-2.0\r\n".utf8), isUpgraded: false),
      ["1 reset", "#1 not connected: expected a WebSocket from 10.0.0.9:3000, found statusLine at byte 0"])
    expectEqual(
      happens(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), isUpgraded: false),
      ["1 reset", "#1 not connected: expected status 101, found 200 as the answer of 10.0.0.9:3000"])
    expectEqual(
      happens(
        Array("HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n".utf8),
        isUpgraded: false),
      [
        "1 reset",
        "#1 not connected: expected the field Sec-WebSocket-Accept with what follows from the key that was sent as the answer of 10.0.0.9:3000",
      ])
  }

  @Test("a connection that ends takes the device with it, and requests under way are answered")
  func ends() {
    var rig = LinkTests.ready()
    let service = ConnectionRig.webOS(.none)
    expectEqual(
      rig.ask(.state(app: "a"), [service]), ["1 ssap://system.launcher/getAppState {\"id\":\"a\"}"])
    expectEqual(
      rig.end(1, .reset),
      [
        "#1 7: did nothing with the app: expected somebody to answer at 10.0.0.9:3000, the connection was ended",
        "#1 disconnected: the connection to it has ended",
      ])
    expectEqual(
      rig.ask(.state(app: "a"), [service]),
      ["#1 7: did nothing with the app: expected a device that is ready, this one is not connected"])
    rig = LinkTests.ready()
    _ = rig.ask(.state(app: "a"), [service])
    expectEqual(
      rig.lose(),
      ["1 reset", "#1 7: did nothing with the app: the device is gone", "#1 disconnected: it is gone"])
    rig = LinkTests.ready()
    _ = rig.ask(.state(app: "a"), [service])
    expectEqual(
      rig.ask(.disconnect),
      [
        "1 close 1000", "1 finish", "#1 7: did nothing with the app: the application disconnected",
        "#1 disconnected, as the application wanted",
      ])
  }

  @Test("apps and web apps are launched, asked about, joined and closed")
  func apps() {
    var rig = LinkTests.ready()
    var message = 1
    func ask(_ deed: AppRequest.Deed, _ answer: (String, JSONValue)...) -> [String] {
      message += 1
      let asked = rig.ask(deed, [ConnectionRig.webOS(.none)])
      return asked
        + rig.say(1, SSAPMessage(.response, id: "\(message)", payload: .object(answer.map { .init($0.0, $0.1) })))
    }
    let session = LaunchSession(appID: "a", sessionID: "s", serviceID: "webOS TV")
    let web = LaunchSession(appID: "w", sessionID: "t", serviceID: "webOS TV", kind: .webApp)
    expectEqual(
      ask(.launch(app: "a", content: "c"), ("sessionId", .string("s"))),
      ["1 ssap://system.launcher/launch {\"id\":\"a\",\"contentId\":\"c\"}", "#1 7: launched a"])
    expectEqual(
      ask(.state(app: "a"), ("running", .bool(true)), ("visible", .bool(true))).last, "#1 7: the app is running")
    expectEqual(
      ask(.state(app: "a"), ("running", .bool(true)), ("visible", .bool(false))).last, "#1 7: the app is hidden")
    expectEqual(ask(.state(app: "a"), ("running", .bool(true))).last, "#1 7: the app is running")
    expectEqual(ask(.state(app: "a"), ("running", .bool(false))).last, "#1 7: the app is stopped")
    expectEqual(
      ask(.state(app: "a")).last, "#1 7: did nothing with the app: expected the state of a, found none")
    expectEqual(
      ask(.join(.known(session)), ("running", .bool(true))),
      ["1 ssap://system.launcher/getAppState {\"id\":\"a\",\"sessionId\":\"s\"}", "#1 7: joined a"])
    expectEqual(
      ask(.join(.latest(app: "a")), ("running", .bool(false))).last,
      "#1 7: did nothing with the app: expected the session of a that was launched, it is there no more")
    expectEqual(
      ask(.close(.known(session))),
      ["1 ssap://system.launcher/close {\"id\":\"a\",\"sessionId\":\"s\"}", "#1 7: closed the app"])
    expectEqual(
      ask(.launchWebApp(app: "w", content: nil), ("sessionId", .string("t"))),
      ["1 ssap://webapp/launchWebApp {\"webAppId\":\"w\"}", "#1 7: launched w"])
    expectEqual(
      ask(.join(.known(web)), ("state", .string("CONNECTED"))),
      ["1 ssap://webapp/connectToApp {\"webAppId\":\"w\",\"sessionId\":\"t\"}", "#1 7: joined w"])
    expectEqual(
      ask(.join(.known(web)), ("state", .string("WAITING_FOR_APP"))).suffix(2),
      [
        "#1 7: did nothing with the app: expected the session of w that was launched, it is there no more",
        "#1 the web app w says no more",
      ])
    expectEqual(
      ask(.joinWebApp(app: "w"), ("state", .string("CONNECTED")), ("sessionId", .string("u"))),
      ["1 ssap://webapp/connectToApp {\"webAppId\":\"w\"}", "#1 7: joined w"])
    expectEqual(
      ask(.joinWebApp(app: "w"), ("state", .string("WAITING_FOR_APP"))).last,
      "#1 7: did nothing with the app: expected the web app w to run, it does not")
    // The latest one is that which was joined by its id.
    expectEqual(
      ask(.close(.latest(app: "w"))),
      [
        "1 ssap://webapp/closeWebApp {\"webAppId\":\"w\",\"sessionId\":\"u\"}", "#1 7: closed the app",
        "#1 the web app w says no more",
      ])
    for deed in [AppRequest.Deed.launch(app: "a", content: nil), .launchWebApp(app: "a", content: nil)] {
      expectEqual(
        ask(deed).last, "#1 7: did nothing with the app: expected the id of the session of a, found none")
      let long = String(repeating: "x", count: 256)
      expectEqual(
        ask(deed, ("sessionId", .string(long))).last,
        "#1 7: did nothing with the app: expected the id of the session of a, found none")
      expectEqual(ask(deed, ("sessionId", .string(String(long.dropLast())))).last, "#1 7: launched a")
    }
  }

  @Test("what a television refuses is told with its reason")
  func refusals() {
    let session = LaunchSession(appID: "a", sessionID: "s", serviceID: "webOS TV")
    let gone = "expected the session of a that was launched, it is there no more"
    let unknown = "expected an app called a, the device knows none (status 404)"
    for (deed, error, expected): (AppRequest.Deed, String?, String) in [
      (.launch(app: "a", content: nil), "404 x", unknown), (.launchWebApp(app: "a", content: nil), "404 x", unknown),
      (.state(app: "a"), "404 x", unknown), (.joinWebApp(app: "a"), "404 x", unknown),
      (.close(.known(session)), "404 x", gone), (.join(.known(session)), "404 x", gone),
      (.launch(app: "a", content: nil), "500 x", "expected an answer about a, found status 500"),
      (.launch(app: "a", content: nil), nil, "expected an answer about a, found a refusal"),
    ] {
      var rig = LinkTests.ready()
      _ = rig.ask(deed, [ConnectionRig.webOS(.none)])
      expectEqual(
        rig.say(1, SSAPMessage(.error, id: "2", error: error)), ["#1 7: did nothing with the app: \(expected)"])
      // The same answer again is nobody's.
      expectEqual(rig.say(1, SSAPMessage(.error, id: "2", error: error)), [])
    }
    var rig = LinkTests.ready()
    _ = rig.ask(.state(app: "a"), [ConnectionRig.webOS(.none)])
    expectEqual(
      rig.say(1, LinkTests.answer("2", ("returnValue", .bool(false)))),
      ["#1 7: did nothing with the app: expected an answer about a, found a refusal"])
  }

  @Test("each request has its own time, and 16 may wait at a time")
  func bounds() {
    var rig = LinkTests.ready()
    let services = [ConnectionRig.webOS(.none)]
    for number in 1...16 {
      rig.seconds = Double(number)
      expectEqual(rig.ask(.state(app: "a"), number: UInt32(number), services).count, 1)
    }
    expectEqual(
      rig.ask(.state(app: "a"), number: 17, services),
      ["#1 17: did nothing with the app: expected at most 16 requests at a time"])
    expectEqual(
      rig.run(to: 12),
      [1, 2].map {
        "#1 \($0): did nothing with the app: expected an answer of 10.0.0.9:3000 within 10s, none came"
      })
    expectEqual(rig.say(1, LinkTests.answer("4", ("running", .bool(true)))), ["#1 3: the app is running"])
    expectEqual(rig.say(1, LinkTests.answer("3", ("running", .bool(true)))), [])
  }

  @Test("of two services the one that can do more is asked; the session says which is meant later")
  func chosen() {
    let services = [ConnectionRig.dial(), ConnectionRig.webOS(.none)]
    var rig = LinkTests.ready(services)
    expectEqual(
      rig.ask(.state(app: "a"), services), ["1 ssap://system.launcher/getAppState {\"id\":\"a\"}"])
    let session = LaunchSession(appID: "a", sessionID: "http://10.0.0.9:8060/apps/a/run", serviceID: "DIAL")
    expectEqual(rig.ask(.join(.known(session)), services), ["2 connect 10.0.0.9:8060"])
    let web = LaunchSession(appID: "a", sessionID: "s", serviceID: "DIAL", kind: .webApp)
    expectEqual(
      rig.ask(.close(.known(web)), services),
      ["#1 7: did nothing with the app: expected a service that launches web apps called DIAL, found none"])
    rig = ConnectionRig.ready()
    expectEqual(
      rig.ask(.launchWebApp(app: "a", content: nil)),
      ["#1 7: did nothing with the app: expected a service that launches web apps, found none"])
  }

  @Test("what is to be launched has its bounds")
  func tooMuch() {
    var rig = LinkTests.ready()
    let services = [ConnectionRig.webOS(.none)]
    let text = String(repeating: "x", count: 4_096)
    expectEqual(rig.ask(.launchWebApp(app: "a", content: text), services).count, 1)
    expectEqual(
      rig.ask(.launchWebApp(app: "a", content: text + "x"), services),
      ["#1 7: did nothing with the app: expected at most 4096 bytes for the app, found 4097"])
    expectEqual(
      rig.ask(.joinWebApp(app: ""), services),
      ["#1 7: did nothing with the app: expected the name of an app of 1 to 255 bytes, found 0"])
  }

  @Test("16 ended connections wait for their televisions to end them, too, and a further one is reset")
  func closing() {
    var rig = ConnectionRig()
    for number in 1...17 {
      _ = rig.ask(.connect, [ConnectionRig.webOS(.none)], of: "\(number)")
      _ = rig.upgrade(UInt32(number))
      _ = rig.say(UInt32(number), LinkTests.registered())
      let told = "#\(number) disconnected, as the application wanted"
      let more = number == 17 ? ["17 reset"] : []
      expectEqual(
        rig.ask(.disconnect, of: "\(number)"), ["\(number) close 1000", "\(number) finish"] + more + [told])
    }
    expectEqual(rig.run(to: 10), (1...16).map { "\($0) reset" })
  }

  @Test("16 devices are connected at a time over WebSockets")
  func links() {
    var rig = ConnectionRig()
    for number in 1...16 { expectEqual(rig.ask(.connect, [ConnectionRig.webOS()], of: "\(number)").count, 1) }
    expectEqual(
      rig.ask(.connect, [ConnectionRig.webOS()], of: "17"),
      ["#17 not connected: expected at most 16 connections at a time"])
  }

  @Test("a prompt by a service that is none of webOS is not known")
  func otherPrompt() {
    var other = ConnectionRig.webOS()
    other.control = nil
    var rig = ConnectionRig()
    expectEqual(
      rig.ask(.connect, [other]),
      [
        "#1 not connected: expected a service that is paired with a number or by webOS, found webOS TV, which asks on its screen"
      ])
  }

  @Test("a television that takes nothing is asked nothing more when 64 KB wait")
  func full() {
    var rig = ConnectionRig()
    let services = [ConnectionRig.webOS(.none)]
    _ = rig.ask(.connect, services)
    _ = rig.upgrade(1, room: 2_000)
    _ = rig.say(1, LinkTests.registered())
    let text = String(repeating: "x", count: 4_000)
    var asked = 0
    var lines: [String] = []
    while asked < 40, !(lines.last ?? "").contains("it takes nothing") {
      asked += 1
      // Each of them is answered in time.
      lines = rig.ask(.launch(app: "a", content: text), services)
      _ = rig.say(1, LinkTests.answer("\(asked + 1)", ("sessionId", .string("s"))))
    }
    expectEqual(asked, 18)
    expectEqual(
      lines, ["#1 7: did nothing with the app: expected 10.0.0.9:3000 to take what is sent, it takes nothing"])
  }

  @Test("a key of another service, or of another device, is not this one's")
  func otherKeys() {
    var rig = ConnectionRig()
    rig.connections.note(RememberedKey(owner: "uuid:c", service: "Other", key: "1"))
    rig.connections.note(RememberedKey(owner: "uuid:d", service: "webOS TV", key: "2"))
    _ = rig.ask(.connect, [ConnectionRig.webOS()])
    expectEqual(rig.upgrade(1), ["1 GET /", "1 register full without a key"])
  }

  @Test("a television beyond the link is not asked")
  func beyond() {
    var far = ConnectionRig.webOS()
    far.source = IPAddress(10, 9, 9, 9)
    var rig = ConnectionRig()
    let lines = rig.ask(.connect, [far])
    #expect(lines.count == 1 && lines[0].hasPrefix("#1 not connected: "))
  }

  @Test("a television that sent a close is given time to end its stream; one that ended it is not")
  func closed() {
    var rig = LinkTests.ready()
    rig.seconds = 5
    expectEqual(
      rig.send(1, .close(status: 1_000, reason: "")),
      ["1 close 1000", "1 finish", "#1 disconnected: the connection to it has ended"])
    expectEqual(rig.run(to: 14.9), [])
    expectEqual(rig.run(to: 15), ["1 reset"])
    rig = LinkTests.ready()
    _ = rig.end(1, .reset)
    expectEqual(rig.connections.deadline, .never)
    rig = LinkTests.ready()
    _ = rig.end(1, .finished)
    expectEqual(rig.connections.deadline, .never)
  }

  @Test("with the connection everything else ends that is under way with the device")
  func all() {
    let services = [ConnectionRig.dial(), ConnectionRig.webOS(.none)]
    var rig = LinkTests.ready(services)
    let session = LaunchSession(appID: "a", sessionID: "http://10.0.0.9:8060/apps/a/run", serviceID: "DIAL")
    expectEqual(rig.ask(.join(.known(session)), services), ["2 connect 10.0.0.9:8060"])
    let lost = "expected somebody to answer at 10.0.0.9:3000, the connection was ended"
    expectEqual(
      rig.end(1, .reset),
      ["2 reset", "#1 7: did nothing with the app: \(lost)", "#1 disconnected: the connection to it has ended"])
  }

  @Test("two services of one device are linked one after the other, and each request goes to its own")
  func two() {
    let services = [ConnectionRig.webOS(.none, "uuid:c"), ConnectionRig.webOS(.none, "uuid:d")]
    var rig = ConnectionRig()
    _ = rig.ask(.connect, services)
    _ = rig.upgrade(1)
    expectEqual(rig.say(1, LinkTests.registered()), ["2 connect 10.0.0.9:3000"])
    _ = rig.upgrade(2)
    expectEqual(rig.say(2, LinkTests.registered()), ["#1 ready"])
    expectEqual(rig.ask(.state(app: "a"), services).first?.prefix(2), "1 ")
    expectEqual(rig.ask(.state(app: "a"), services.reversed()).first?.prefix(2), "2 ")
    let none = "#1 7: did nothing with the app: expected a connection to webOS TV, there is none"
    expectEqual(rig.ask(.state(app: "a"), [ConnectionRig.webOS(.none, "uuid:e")]), [none])
    // Another device has another connection.
    _ = rig.ask(.connect, services, of: "2")
    _ = rig.upgrade(3)
    expectEqual(rig.say(3, LinkTests.registered()), ["4 connect 10.0.0.9:3000"])
    _ = rig.upgrade(4)
    expectEqual(rig.say(4, LinkTests.registered()), ["#2 ready"])
    expectEqual(rig.ask(.state(app: "a"), services, of: "2").first?.prefix(2), "3 ")
  }

  @Test("a session says whether it is of an app or of a web app")
  func kinds() {
    var rig = LinkTests.ready()
    let services = [ConnectionRig.webOS(.none)]
    _ = rig.ask(.launch(app: "a", content: nil), services)
    _ = rig.say(1, LinkTests.answer("2", ("sessionId", .string("s"))))
    _ = rig.ask(.launchWebApp(app: "w", content: nil), services)
    _ = rig.say(1, LinkTests.answer("3", ("sessionId", .string("t"))))
    expectEqual(
      rig.connections.sessions.map(\.session),
      [
        LaunchSession(appID: "a", sessionID: "s", serviceID: "webOS TV"),
        LaunchSession(appID: "w", sessionID: "t", serviceID: "webOS TV", kind: .webApp),
      ])
  }

  @Test("the answer to the request for a WebSocket may come in two pieces, with a message behind it")
  func pieces() {
    for cut in [1, 20, 60, 128, 129, 130, 140] {
      var rig = ConnectionRig()
      _ = rig.ask(.connect, [ConnectionRig.webOS(.none)])
      let answer = rig.answer(1) + WebSocketMessage.text(SSAPMessage(.registered, id: "1").text).frame(mask: nil)
      let stream = StreamID(DeviceConnections.firstStream + 1)
      let lines = rig.give(.bytes(stream, Array(answer[..<cut]))) + rig.give(.bytes(stream, Array(answer[cut...])))
      expectEqual(lines, ["1 register open without a key", "#1 ready"], "\(cut)")
    }
  }

  @Test("each WebSocket has a key of its own, and writes as much as it may")
  func room() {
    var rig = ConnectionRig()
    _ = rig.ask(.connect, [ConnectionRig.webOS(.none)])
    let stream = StreamID(DeviceConnections.firstStream + 1)
    _ = rig.give(.opened(stream, local: Endpoint(IPAddress(10, 0, 0, 1), port: 50_000)))
    expectEqual(rig.give(.room(stream, byteCount: 5)), ["1 GET /"])
    expectEqual(rig.give(.room(stream, byteCount: 0)), [])
    expectEqual(rig.give(.room(stream, byteCount: 1)).count, 1)
  }
}
