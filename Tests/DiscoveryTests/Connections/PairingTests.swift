import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

@Suite("Pairing with what the user types") struct PairingTests {
  private static let services = [ConnectionRig.netcast()]
  private static let askedFor = [
    "1 POST /udap/api/pairing [show the key]", "1 finish", "#1 Netcast TV shows a number for the user to type",
  ]

  @Test("the device shows a number, the user types it, and the device is ready; the next time nobody is asked")
  func paired() {
    var rig = ConnectionRig()
    expectEqual(rig.ask(.connect, PairingTests.services), ["1 connect 10.0.0.9:8080"])
    expectEqual(rig.ask(.connect, PairingTests.services), [])
    expectEqual(rig.respond(1, "200 OK"), PairingTests.askedFor)
    expectEqual(rig.ask(.pair(key: "314159")), ["2 connect 10.0.0.9:8080"])
    expectEqual(rig.ask(.pair(key: "1")), [])
    expectEqual(
      rig.respond(2, "200 OK"),
      ["2 POST /udap/api/pairing [key 314159]", "2 finish", "#1 paired for Netcast TV", "#1 ready"])
    expectEqual(rig.ask(.disconnect), ["3 connect 10.0.0.9:8080", "#1 disconnected, as the application wanted"])
    expectEqual(rig.respond(3, "200 OK"), ["3 POST /udap/api/pairing [byebye]", "3 finish"])
    expectEqual(rig.ask(.disconnect), [])
    expectEqual(rig.ask(.connect, PairingTests.services), ["4 connect 10.0.0.9:8080"])
    expectEqual(rig.respond(4, "200 OK"), ["4 POST /udap/api/pairing [key 314159]", "4 finish", "#1 ready"])
  }

  @Test("a wrong number ends the attempt; a number of an earlier launch that is right no more is asked for anew")
  func wrong() {
    var rig = ConnectionRig()
    _ = rig.ask(.connect, PairingTests.services)
    _ = rig.respond(1, "200 OK")
    _ = rig.ask(.pair(key: "1"))
    expectEqual(
      rig.respond(2, "401 No").last,
      "#1 not connected: expected the number on the screen of the device, found another one (status 401)")
    rig.connections.note(RememberedKey(owner: "UUID:B", service: "Netcast TV", key: "old"))
    _ = rig.ask(.connect, PairingTests.services)
    expectEqual(
      rig.respond(3, "401 No"), ["3 POST /udap/api/pairing [key old]", "3 finish", "4 connect 10.0.0.9:8080"])
    expectEqual(rig.connections.keys, [])
    expectEqual(rig.respond(4, "200 OK").last, PairingTests.askedFor.last)
  }

  @Test("the user has a minute, and not a moment more; then the number goes from the screen")
  func patience() {
    var rig = ConnectionRig()
    _ = rig.ask(.connect, PairingTests.services)
    _ = rig.respond(1, "200 OK", at: 5)
    #expect(rig.connections.deadline == .zero + .seconds(65))
    expectEqual(rig.run(to: 64.999), [])
    expectEqual(
      rig.run(to: 65),
      ["2 connect 10.0.0.9:8080", "#1 not connected: expected the user to type the number within 1m"])
    expectEqual(rig.ask(.pair(key: "314159")), [])
    expectEqual(rig.respond(2, "200 OK"), ["2 POST /udap/api/pairing [cancel]", "2 finish"])
  }

  @Test("who does not agree, or wants no connection any more, takes the number from the screen")
  func cancelled() {
    for (command, told) in [
      (DeviceCommand.cancelPairing, "#1 not connected: the user does not agree"),
      (.disconnect, "#1 disconnected, as the application wanted"),
    ] {
      var rig = ConnectionRig()
      _ = rig.ask(.connect, PairingTests.services)
      expectEqual(rig.ask(.cancelPairing), [], "nothing is to be typed yet")
      _ = rig.respond(1, "200 OK")
      expectEqual(rig.ask(command).sorted(), [told, "2 connect 10.0.0.9:8080"])
      expectEqual(rig.respond(2, "200 OK").first, "2 POST /udap/api/pairing [cancel]")
    }
  }

  @Test("a key has 1 to 64 bytes", arguments: [(0, false), (1, true), (64, true), (65, false)])
  func keyLengths(count: Int, isSent: Bool) {
    var rig = ConnectionRig()
    _ = rig.ask(.connect, PairingTests.services)
    _ = rig.respond(1, "200 OK")
    let answer = rig.ask(.pair(key: String(repeating: "7", count: count)))
    #expect((answer == ["2 connect 10.0.0.9:8080"]) == isSent, "\(answer)")
    if !isSent {
      expectEqual(answer.last, "#1 not connected: expected 1 to 64 bytes that the user typed, found \(count)")
    }
  }

  @Test("the user of a scenario types so long after they were asked")
  func scripted() {
    var rig = ConnectionRig(user: TypingUser(key: "5", delay: .seconds(3)))
    _ = rig.ask(.connect, PairingTests.services)
    _ = rig.respond(1, "200 OK", at: 2)
    #expect(rig.connections.deadline == .zero + .seconds(5))
    expectEqual(rig.run(to: 5), ["2 connect 10.0.0.9:8080"])
    expectEqual(rig.respond(2, "200 OK").last, "#1 ready")
  }

  @Test("two services of a device are paired one after the other, and two devices each on its own")
  func two() {
    var rig = ConnectionRig()
    let two = [ConnectionRig.netcast("uuid:b"), ConnectionRig.netcast("uuid:c")]
    _ = rig.ask(.connect, two)
    _ = rig.respond(1, "200 OK")
    _ = rig.ask(.pair(key: "1"))
    expectEqual(rig.respond(2, "200 OK").suffix(2), ["3 connect 10.0.0.9:8080", "#1 paired for Netcast TV"])
    expectEqual(rig.ask(.connect, [ConnectionRig.netcast("uuid:d")], of: "2"), ["4 connect 10.0.0.9:8080"])
    _ = rig.respond(4, "200 OK")
    _ = rig.respond(3, "200 OK")
    expectEqual(rig.ask(.pair(key: "9"), of: "2"), ["5 connect 10.0.0.9:8080"])
    expectEqual(rig.respond(5, "200 OK").last, "#2 ready")
    _ = rig.ask(.pair(key: "1"))
    expectEqual(rig.respond(6, "200 OK").last, "#1 ready")
    expectEqual(
      rig.ask(.disconnect),
      ["7 connect 10.0.0.9:8080", "8 connect 10.0.0.9:8080", "#1 disconnected, as the application wanted"])
    expectEqual(rig.connections.keys.map(\.owner), ["uuid:b", "uuid:d", "uuid:c"])
  }

  @Test(
    "a device that does not answer, refuses, answers something else or is not there ends the attempt, with the reason")
  func trouble() {
    func attempt(_ end: (inout ConnectionRig) -> [String]) -> String? {
      var rig = ConnectionRig()
      _ = rig.ask(.connect, PairingTests.services)
      let last = end(&rig).last
      #expect(rig.connections.connections.isEmpty && rig.connections.pending.isEmpty)
      return last
    }
    let stream = StreamID(DeviceConnections.firstStream + 1)
    expectEqual(
      attempt { $0.run(to: 10) },
      "#1 not connected: expected an answer of 10.0.0.9:8080 within 10s, none came")
    expectEqual(
      attempt { $0.give(.ended(stream, .refused)) },
      "#1 not connected: expected somebody to answer at 10.0.0.9:8080, the connection was refused")
    expectEqual(
      attempt { $0.give(.ended(stream, .reset)) },
      "#1 not connected: expected a response of HTTP from 10.0.0.9:8080, found noResponse at byte 0")
    expectEqual(
      attempt { $0.respond(1, "500 No") }, "#1 not connected: expected status 200 for Netcast TV, found 500")
    var rig = ConnectionRig()
    expectEqual(
      rig.ask(.connect, nil),
      ["#1 not connected: expected a device that the application was told of, found none"])
  }

  @Test("a device that is lost in the middle is not connected, and one that was ready is disconnected")
  func lost() {
    var rig = ConnectionRig()
    _ = rig.ask(.connect, PairingTests.services)
    expectEqual(rig.lose(), ["1 reset", "#1 not connected: the device is gone"])
    expectEqual(rig.lose(), [])
    rig = .ready()
    expectEqual(rig.lose(), ["#1 disconnected: it is gone"])
    expectEqual(rig.connections.deadline, .never)
  }

  @Test("the latest 1024 keys are kept, each service once")
  func keys() {
    var rig = ConnectionRig()
    for number in 0..<1_025 {
      rig.connections.note(RememberedKey(owner: "uuid:\(number)", service: "A", key: "1"))
    }
    rig.connections.note(RememberedKey(owner: "uuid:9", service: "A", key: "2"))
    rig.connections.note(RememberedKey(owner: "uuid:9", service: "B", key: "3"))
    expectEqual(rig.connections.keys.count, 1_024)
    expectEqual(rig.connections.keys.first?.owner, "uuid:2")
    expectEqual(rig.connections.keys.suffix(2).map(\.key), ["2", "3"])
  }
}
