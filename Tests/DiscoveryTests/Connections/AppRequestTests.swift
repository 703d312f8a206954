import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

@Suite("Apps on a device") struct AppRequestTests {
  private static let session = LaunchSession(
    appID: "YouTube", sessionID: ConnectionRig.apps + "/YouTube/run-1", serviceID: "DIAL")

  private static func document(_ state: String, _ instance: String? = "run-1") -> String {
    String(decoding: DIALApp(name: "YouTube", state: state, instance: instance).bytes, as: UTF8.self)
  }

  @Test("an app is launched with what it is to show, joined and closed")
  func course() {
    var rig = ConnectionRig.ready()
    expectEqual(rig.ask(.launch(app: "YouTube", content: "v=1")), ["1 connect 10.0.0.9:8060"])
    expectEqual(
      rig.respond(1, "201 Created\r\nLocation: http://10.0.0.9:8060/apps/YouTube/run-1"),
      ["1 POST /apps/YouTube [v=1]", "1 finish", "#1 7: launched YouTube"])
    _ = rig.ask(.join(.latest(app: "YouTube")), number: 8)
    expectEqual(
      rig.respond(2, "200 OK", AppRequestTests.document("hidden")),
      ["2 GET /apps/YouTube", "2 finish", "#1 8: joined YouTube"])
    _ = rig.ask(.close(.known(AppRequestTests.session)), number: 9)
    expectEqual(
      rig.respond(3, "200 OK"), ["3 DELETE /apps/YouTube/run-1", "3 finish", "#1 9: closed the app"])
  }

  @Test(
    "the state of an app is as its document says",
    arguments: [
      ("running", "running"), ("stopped", "stopped"), ("hidden", "hidden"), ("installable=http://x", "installable"),
      ("Running", "other"),
    ])
  func states(word: String, state: String) {
    var rig = ConnectionRig.ready()
    _ = rig.ask(.state(app: "You/Tube"))
    let told = rig.respond(1, "200 OK", AppRequestTests.document(word))
    expectEqual(told.first, "1 GET /apps/You%2FTube")
    expectEqual(told.last, "#1 7: the app is \(state)")
  }

  @Test("a response that ends with its stream is whole then, and this side ends the stream, too")
  func untilEnd() {
    var rig = ConnectionRig.ready()
    _ = rig.ask(.state(app: "a"))
    let id = StreamID(DeviceConnections.firstStream + 1)
    _ = rig.give(.opened(id, local: Endpoint(IPAddress(10, 0, 0, 1), port: 50_000)))
    expectEqual(rig.give(.room(id, byteCount: 65_536)), ["1 GET /apps/a"])
    let text = "HTTP/1.0 200 OK\r\n\r\n" + AppRequestTests.document("running")
    expectEqual(rig.give(.bytes(id, Array(text.utf8))), [])
    expectEqual(rig.give(.ended(id, .finished)), ["1 finish", "#1 7: the app is running"])
    expectEqual(rig.connections.deadline, .never)
  }

  @Test("only the session that is meant is joined")
  func joined() {
    func join(_ status: String, _ document: String) -> String? {
      var rig = ConnectionRig.ready()
      _ = rig.ask(.join(.known(AppRequestTests.session)))
      return rig.respond(1, status, document).last
    }
    let gone =
      "#1 7: did nothing with the app: expected the session of YouTube that was launched, it is there no more"
    expectEqual(join("200 OK", AppRequestTests.document("running")), "#1 7: joined YouTube")
    let absolute = AppRequestTests.session.sessionID
    expectEqual(join("200 OK", AppRequestTests.document("running", absolute)), "#1 7: joined YouTube")
    expectEqual(join("200 OK", AppRequestTests.document("running", "run-2")), gone)
    expectEqual(join("200 OK", AppRequestTests.document("running", nil)), gone)
    expectEqual(join("200 OK", AppRequestTests.document("stopped")), gone)
    expectEqual(
      join("200 OK", "<a/>"),
      "#1 7: did nothing with the app: expected a document of DIAL with the state of YouTube")
  }

  @Test("what a device answers to a launch decides what becomes of it")
  func launches() {
    func launch(_ head: String) -> String? {
      var rig = ConnectionRig.ready()
      _ = rig.ask(.launch(app: "x", content: nil))
      return rig.respond(1, head).last.map { String($0.dropFirst("#1 7: ".count)) }
    }
    let nothing = "did nothing with the app: "
    expectEqual(launch("200 OK\r\nLocation: /apps/x/run"), "launched x")
    expectEqual(launch("201 Created"), nothing + "expected LOCATION of the app that was launched, found none")
    expectEqual(launch("404 No"), nothing + "expected an app called x, the device knows none (status 404)")
    expectEqual(launch("503 No"), nothing + "expected status 200 or 201, found 503")
    expectEqual(
      launch("201 Created\r\nLocation: http://8.8.8.8/run"),
      nothing + "expected 10.0.0.9 or a host on its link, found 8.8.8.8: offLink")
  }

  @Test("closing what runs no more is told from closing what cannot be closed")
  func closes() {
    func close(_ head: String) -> String? {
      var rig = ConnectionRig.ready()
      _ = rig.ask(.close(.known(AppRequestTests.session)))
      return rig.respond(1, head).last
    }
    expectEqual(close("204 No Content"), "#1 7: closed the app")
    expectEqual(
      close("404 No"),
      "#1 7: did nothing with the app: expected the session of YouTube that was launched, it is there no more")
    expectEqual(close("501 No"), "#1 7: did nothing with the app: expected status 200 or 201, found 501")
  }

  @Test("a request that cannot be sent is answered at once, with the reason")
  func refused() {
    func told(_ deed: AppRequest.Deed, _ services: [ReachableService] = [ConnectionRig.dial()]) -> [String] {
      var rig = ConnectionRig.ready()
      return rig.ask(deed, services)
    }
    func complaint(_ text: String) -> [String] { ["#1 7: did nothing with the app: " + text] }
    let long = String(repeating: "a", count: 255)
    expectEqual(told(.launch(app: long, content: nil)), ["1 connect 10.0.0.9:8060"])
    expectEqual(
      told(.launch(app: long + "a", content: nil)),
      complaint("expected the name of an app of 1 to 255 bytes, found 256"))
    expectEqual(told(.state(app: "")), complaint("expected the name of an app of 1 to 255 bytes, found 0"))
    let text = String(repeating: "b", count: 4_096)
    expectEqual(told(.launch(app: "a", content: text)), ["1 connect 10.0.0.9:8060"])
    expectEqual(
      told(.launch(app: "a", content: text + "b")), complaint("expected at most 4096 bytes for the app, found 4097"))
    expectEqual(told(.state(app: "a"), []), complaint("expected a service that launches apps, found none"))
    expectEqual(
      told(.state(app: "a"), [ConnectionRig.dial(apps: nil)]),
      complaint("expected the field Application-URL beside the description of DIAL, found none"))
    expectEqual(
      told(.state(app: "a"), [ConnectionRig.dial(apps: "http://9.9.9.9/apps/")]),
      complaint("expected 10.0.0.9 or a host on its link, found 9.9.9.9: offLink"))
    expectEqual(
      told(.close(.known(LaunchSession(appID: "a", sessionID: "http://9.9.9.9/a/run", serviceID: "DIAL")))),
      complaint("expected 10.0.0.9 or a host on its link, found 9.9.9.9: offLink"))
    expectEqual(
      told(.join(.known(LaunchSession(appID: "a", sessionID: "x", serviceID: "Roku")))),
      complaint("expected a service that launches apps called Roku, found none"))
    expectEqual(told(.join(.latest(app: "a"))), complaint("expected a session of a, none was launched"))
    var rig = ConnectionRig()
    expectEqual(
      rig.ask(.state(app: "a")), complaint("expected a device that is ready, this one is not connected"))
  }

  @Test("16 requests are under way at a time, and each has one answer when the device is lost or disconnected")
  func bounded() {
    var rig = ConnectionRig.ready()
    for number in 1...16 { _ = rig.ask(.state(app: "a"), number: UInt32(number)) }
    expectEqual(
      rig.ask(.state(app: "a"), number: 17),
      ["#1 17: did nothing with the app: expected at most 16 requests at a time"])
    expectEqual(rig.respond(3, "404 No").last?.hasPrefix("#1 3:"), true)
    expectEqual(rig.ask(.state(app: "a"), number: 18), ["17 connect 10.0.0.9:8060"])
    let told = rig.lose().filter { $0.hasPrefix("#") }
    expectEqual(told.count, 17)
    expectEqual(told.last, "#1 disconnected: it is gone")
    expectEqual(told.first, "#1 1: did nothing with the app: the device is gone")
    rig = .ready()
    _ = rig.ask(.state(app: "a"))
    expectEqual(
      rig.ask(.disconnect),
      [
        "1 reset", "#1 7: did nothing with the app: the application disconnected",
        "#1 disconnected, as the application wanted",
      ])
  }

  @Test("a device has ten seconds to answer, and not a moment more")
  func patience() {
    var rig = ConnectionRig.ready()
    rig.seconds = 1
    _ = rig.ask(.state(app: "a"))
    expectEqual(rig.run(to: 10.999), [])
    expectEqual(
      rig.run(to: 11),
      ["1 reset", "#1 7: did nothing with the app: expected an answer of 10.0.0.9:8060 within 10s, none came"])
  }

  @Test("a response of more than 64 KiB is refused")
  func tooLong() {
    for (count, isTaken) in [(65_536, true), (65_537, false)] {
      var rig = ConnectionRig.ready()
      _ = rig.ask(.state(app: "a"))
      let document = AppRequestTests.document("running")
      let padding = String(repeating: " ", count: count - document.utf8.count)
      let told = rig.respond(1, "200 OK", document + padding).last { $0.hasPrefix("#") }
      #expect((told == "#1 7: the app is running") == isTaken, "\(told ?? "nothing")")
    }
  }

  @Test("a stream that its server does not end is reset ten seconds after it was finished")
  func unfinished() {
    var rig = ConnectionRig.ready()
    _ = rig.ask(.state(app: "a"))
    let id = StreamID(DeviceConnections.firstStream + 1)
    _ = rig.give(.room(id, byteCount: 65_536))
    expectEqual(
      rig.give(.bytes(id, Array("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n".utf8))).first, "1 finish")
    expectEqual(rig.connections.deadline, .zero + .seconds(10))
    expectEqual(rig.run(to: 9.999), [])
    expectEqual(rig.run(to: 10), ["1 reset"])
    expectEqual(rig.run(to: 20), [])
  }

  @Test("the latest session of an app is the one that is meant, of the latest 256")
  func sessions() {
    var rig = ConnectionRig.ready()
    func session(_ number: Int, _ app: String) -> LaunchSession {
      LaunchSession(appID: app, sessionID: ConnectionRig.apps + "/\(app)/run-\(number)", serviceID: "DIAL")
    }
    rig.connections.sessions = [("1", session(1, "a")), ("2", session(2, "a")), ("1", session(3, "b"))]
    _ = rig.ask(.close(.latest(app: "a")))
    expectEqual(rig.respond(1, "200 OK").first, "1 DELETE /apps/a/run-1")
    for number in 0..<254 {
      _ = rig.ask(.launch(app: "c", content: nil))
      _ = rig.respond(UInt32(2 + number), "201 Created\r\nLocation: /apps/c/run-\(number)")
    }
    expectEqual(rig.connections.sessions.count, 256)
    expectEqual(rig.connections.sessions.first?.id, "2")
    _ = rig.ask(.close(.latest(app: "c")))
    expectEqual(rig.respond(256, "200 OK").first, "256 DELETE /apps/c/run-253")
    // One that is joined again and again takes no room of others.
    for _ in 0..<256 { rig.connections.note(session(4, "d"), of: "1") }
    expectEqual(rig.connections.sessions.first?.session.appID, "b")
  }
}
