import RollcallExpectations
import RollcallWire
import Testing

@Suite("What a webOS television and an application say") struct SSAPMessageTests {
  @Test("every message is read again as it was written")
  func roundTrip() throws {
    let requests: [SSAPRequest] = [
      .launch(app: "youtube", content: "v=1"), .launch(app: "a", content: nil), .appState(app: "a", session: "s"),
      .appState(app: "a", session: nil), .close(app: "a", session: "s"), .launchWebApp("w", content: nil),
      .launchWebApp("w", content: "c"), .connectToApp("w", session: nil), .connectToApp("w", session: "s"),
      .closeWebApp("w", session: "s"),
    ]
    for (number, request) in requests.enumerated() {
      let message = request.message(id: "r\(number)")
      let read = try #require(SSAPMessage.read(message.text))
      expectEqual(read, message)
      expectEqual(SSAPRequest(read), request)
    }
    let error = SSAPMessage(.error, id: "1", error: "403 User denied access")
    expectEqual(error.text, #"{"type":"error","id":"1","error":"403 User denied access","payload":{}}"#)
    expectEqual(SSAPMessage.read(error.text), error)
    expectEqual(error.status, 403)
  }

  @Test("what is launched stands in the words of the television")
  func form() {
    expectEqual(
      SSAPRequest.launch(app: "youtube", content: "v=1").message(id: "2").text,
      #"{"type":"request","id":"2","uri":"ssap://system.launcher/launch","#
        + #""payload":{"id":"youtube","contentId":"v=1"}}"#)
    expectEqual(
      SSAPMessage.register(id: "1", key: "k", .open).text,
      #"{"type":"register","id":"1","payload":{"pairingType":"PROMPT","client-key":"k","manifest":{"manifestVersion":1,"#
        + #""permissions":["LAUNCH","LAUNCH_WEBAPP","APP_TO_APP","CONTROL_AUDIO","CONTROL_INPUT_MEDIA_PLAYBACK"]}}}"#)
    expectEqual(
      SSAPRequest.connectToApp("w", session: nil).message(id: "2").text,
      #"{"type":"subscribe","id":"2","uri":"ssap://webapp/connectToApp","payload":{"webAppId":"w"}}"#)
    expectEqual(
      SSAPMessage.peer(to: "host", .string("x")).text, #"{"type":"p2p","to":"host","payload":"x"}"#)
  }

  @Test("a registration says how much it wants, and what it was given before")
  func registration() throws {
    for (access, key): (SSAPMessage.Access, String?) in [(.open, nil), (.full, "k"), (.open, "k"), (.full, nil)] {
      let message = SSAPMessage.register(id: "0", key: key, access)
      let read = try #require(SSAPMessage.read(message.text))
      expectEqual(read, message)
      expectEqual(read.access, access)
      expectEqual(read.clientKey, key)
    }
    expectEqual(SSAPMessage(.register, id: "0").access, .open)
    let odd = SSAPMessage(
      .register, id: "0", payload: .members(("manifest", .members(("permissions", .array([.integer(1)]))))))
    expectEqual(odd.access, .full)
    for (count, isKey) in [(0, false), (1, true), (255, true), (256, false)] {
      let key = String(repeating: "k", count: count)
      expectEqual(SSAPMessage.register(id: "0", key: key, .open).clientKey, isKey ? key : nil)
    }
  }

  @Test("a number may be an id; other members are left alone; everything else is no message")
  func forgiving() {
    expectEqual(
      SSAPMessage.read(#"{"id":7,"x":1,"type":"response"}"#), SSAPMessage(.response, id: "7", payload: .object([])))
    let long = String(repeating: "i", count: 256)
    for text in [
      "", "[]", "1", #"{"id":"1"}"#, #"{"type":"response"}"#, #"{"type":5,"id":"1"}"#,
      #"{"type":"response","id":"1","payload":[]}"#, #"{"type":"response","id":"1","payload":null}"#,
      #"{"type":"response","id":"\#(long)"}"#, #"{"type":"response","id":1.5}"#,
    ] { expectEqual(SSAPMessage.read(text), nil, "\(text)") }
    #expect(SSAPMessage.read(#"{"type":"response","id":"\#(long.dropLast())"}"#) != nil)
    // Another kind is left alone, whatever is in it, and so is what nobody says to nobody.
    for text in [
      #"{"type":"other","id":{}}"#, #"{"type":"p2p","payload":1}"#, #"{"type":"p2p","from":"x"}"#,
      #"{"type":"p2p","from":7,"payload":1}"#, #"{"type":"p2p","from":"\#(long)","payload":1}"#,
    ] {
      expectEqual(SSAPMessage.read(text), SSAPMessage(.other, id: ""), "\(text)")
    }
  }

  @Test("what a web app and an application say is any value, with the name of the web app")
  func peers() {
    let payloads: [JSONValue] = [.string(""), .null, .array([.integer(1)]), .members(("a", .object([])))]
    for payload in payloads {
      let messages: [SSAPMessage] = [
        .peer(from: "x", payload), .peer(to: "x", payload), .peer(from: "x", to: "y", payload),
      ]
      for message in messages { expectEqual(SSAPMessage.read(message.text), message) }
    }
    expectEqual(
      SSAPMessage.read(#"{"payload":{"a":1},"from":"x","id":"7","type":"p2p"}"#),
      .peer(from: "x", .members(("a", .integer(1)))))
  }

  @Test("a request that lacks what it needs is none")
  func lacking() {
    for text in [
      #"{"type":"request","id":"1"}"#, #"{"type":"request","id":"1","uri":"ssap://system.launcher/launch"}"#,
      #"{"type":"request","id":"1","uri":"ssap://system.launcher/close","payload":{"id":"a"}}"#,
      #"{"type":"request","id":"1","uri":"ssap://webapp/closeWebApp","payload":{"webAppId":"a"}}"#,
      #"{"type":"request","id":"1","uri":"ssap://other","payload":{"id":"a"}}"#,
      #"{"type":"response","id":"1","uri":"ssap://webapp/connectToApp","payload":{"webAppId":"a"}}"#,
    ] { expectEqual(SSAPMessage.read(text).flatMap { SSAPRequest($0) }, nil, "\(text)") }
  }

  @Test("an error has a status where it begins with three digits")
  func statuses() {
    for (text, status): (String?, Int?) in [
      ("404 no such service", 404), ("599", 599), ("100 x", 100), ("099 x", nil), ("600 x", nil), ("40 x", nil),
      ("4040 x", nil), ("x", nil), ("", nil), (nil, nil),
    ] { expectEqual(SSAPMessage(.error, id: "1", error: text).status, status, "\(text ?? "none")") }
  }

  @Test("a question for the user is a response that says so")
  func question() {
    let asks = JSONValue.members(("pairingType", .string("PROMPT")))
    #expect(SSAPMessage(.response, id: "0", payload: asks).asksUser)
    #expect(!SSAPMessage(.registered, id: "0", payload: asks).asksUser)
    #expect(!SSAPMessage(.response, id: "0").asksUser)
  }
}
