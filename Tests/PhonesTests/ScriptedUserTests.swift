import Foundation
import MultipeerConnectivity
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// `user:` of a scenario, with an application that has an `MCAdvertiserAssistant` and an `MCBrowserViewController`.
@Suite("People who use phones, as a scenario scripts them (MP-48, MP-49)", .serialized)
struct ScriptedUserTests {
  /// Ada in the place of the engine looks at her screen; the others advertise.
  private struct Room {
    let world: PhoneWorld
    let ada: PromptApp
    let others: [PromptApp]

    /// - Parameters:
    ///   - user: of Ada's phone.
    ///   - phones: what stands behind `user:` of the others, by their names.
    init(_ user: String, _ phones: KeyValuePairs<String, String>, peersMaximum: Int = 8) throws {
      let inhabitants = phones.map { "  \($0.key.lowercased()): {kind: phone, user: {\($0.value)}}\n" }
      let yaml = "scenario: A room\nduration: 10m\nengine: {user: {\(user)}}\ninhabitants:\n" + inhabitants.joined()
      let resolved = try Scenario(yaml: yaml, file: "room.yaml").resolved()
      let world = PhoneWorld(resolved, seed: Seed(1))
      self.world = world
      ada = PromptApp("Ada", on: world)
      others = phones.map { PromptApp($0.key, on: world, phone: $0.key.lowercased()) }
      ada.controller.maximumNumberOfPeers = peersMaximum
      for app in others { app.assistant.start() }
      ada.controller.viewWillAppear(true)
    }

    /// Whole seconds from one line to another.
    func seconds(from first: Instant?, to second: Instant?) throws -> Int64 {
      try (#require(second) - #require(first)).nanoseconds / 1_000_000_000
    }
  }

  /// What comes of an answer: what Ben's application and Ada's are told in 20 seconds, and who is connected.
  private func outcome(_ keys: String) throws -> [[String]] {
    let room = try Room("selects: [Ben], done-after: 1s", ["Ben": keys])
    room.world.run(for: .seconds(20))
    #expect(room.world.isReproducible)
    return [room.others[0].lines, room.ada.lines, room.ada.connected]
  }

  @Test("an invitation is accepted, declined or ignored, and no answer passes for another one")
  func answers() throws {
    let expected: KeyValuePairs = [
      "invitations: accept": [["present", "dismiss"], ["found Ben", "done"], ["Ben"]],
      "invitations: decline": [["present", "dismiss"], ["found Ben"], []],
      "invitations: ignore": [["present"], ["found Ben"], []],
    ]
    for (keys, lines) in expected {
      let found = try outcome(keys)
      expectEqual(found, lines, "\(keys)")
      expectEqual(expected.filter { $0.value == found }.map(\.key), [keys])
    }
    // Nobody answers who was not told to.
    try expectEqual(outcome(""), outcome("invitations: ignore"))
  }

  @Test("an answer, a selection and Done come as late as the scenario says")
  func delays() throws {
    for seconds in [0, 3] as [Int64] {
      let room = try Room(
        "selects: each, selects-after: \(seconds)s, done-after: \(2 * seconds)s",
        ["Ben": "invitations: accept, invitations-after: \(3 * seconds)s"])
      room.world.run(for: .seconds(40))
      let (ada, ben) = (room.ada, room.others[0])
      try expectEqual(room.seconds(from: ada.time(of: "found Ben"), to: ben.time(of: "present")), seconds)
      try expectEqual(room.seconds(from: ben.time(of: "present"), to: ben.time(of: "dismiss")), 3 * seconds)
      try expectEqual(room.seconds(from: ben.time(of: "dismiss"), to: ada.time(of: "done")), 2 * seconds)
    }
  }

  @Test("each peer is selected, or those that are named, or nobody")
  func selections() throws {
    for (keys, names) in [
      ("selects: each", ["Ben", "Cem", "Dan"]), ("selects: [Ben, Dan, Eve]", ["Ben", "Dan"]), ("selects: []", []),
      ("done-after: 0s", []),
    ] {
      let accepts = "invitations: accept"
      let room = try Room(keys, ["Ben": accepts, "Cem": accepts, "Dan": accepts])
      room.world.run(for: .seconds(20))
      expectEqual(room.ada.connected, names, "\(keys)")
      expectEqual(
        room.others.filter { $0.lines.contains("present") }.map(\.session.myPeerID.displayName), names, "\(keys)")
    }
  }

  @Test("a peer is selected once, and again when it was away")
  func once() throws {
    let room = try Room("selects: each", ["Ben": "invitations: decline"])
    room.world.run(for: .minutes(2))
    expectEqual(room.others[0].lines, ["present", "dismiss"])
    room.others[0].assistant.stop()
    room.world.run(for: .seconds(10))
    room.others[0].assistant.start()
    room.world.run(for: .seconds(10))
    expectEqual(room.others[0].lines, ["present", "dismiss", "present", "dismiss"])
    expectEqual(room.ada.lines, ["found Ben", "found Ben"])
  }

  @Test("a peer for which there is no room is selected when another one has declined")
  func noRoom() throws {
    let room = try Room(
      "selects: each, selects-after: 1s",
      ["Ben": "invitations: decline, invitations-after: 5s", "Cem": "invitations: decline, invitations-after: 5s"],
      peersMaximum: 2)
    room.world.run(for: .seconds(30))
    expectEqual(room.others.map(\.lines), [["present", "dismiss"], ["present", "dismiss"]])
    let times = room.others.compactMap { $0.time(of: "present") }.sorted()
    // The answer of the first one, and then the delay of the selection.
    try expectEqual(room.seconds(from: times.first, to: times.last), 6)
  }

  @Test(
    "Cancel is pressed as long after the screen came up as the scenario says, and the earlier of two buttons counts")
  func buttons() throws {
    for (keys, lines) in [
      ("cancel-after: 30s", ["found Ben", "cancel"]), ("cancel-after: 90s", ["found Ben"]),
      ("done-after: 1s, cancel-after: 30s", ["found Ben", "done"]),
      ("done-after: 40s, cancel-after: 30s", ["found Ben", "cancel"]), ("cancel-after: 0s", ["cancel"]),
    ] {
      let room = try Room("selects: each, " + keys, ["Ben": "invitations: accept"])
      let start = room.world.now
      room.world.run(for: .seconds(60))
      expectEqual(room.ada.lines.filter { lines.contains("found Ben") || $0 != "found Ben" }, lines, "\(keys)")
      if keys == "cancel-after: 30s" {
        try expectEqual(room.seconds(from: start, to: room.ada.time(of: "cancel")), 30)
        // The next screen is another one.
        room.ada.controller.viewDidDisappear(true)
        room.ada.controller.viewWillAppear(true)
        room.world.run(for: .seconds(31))
        expectEqual(room.ada.lines.filter { $0 == "cancel" }.count, 2)
      }
    }
  }

  @Test("code can ask for something else than the scenario")
  func code() throws {
    let room = try Room("selects: each", ["Ben": "invitations: decline"])
    room.world.answerInvitations(.accept, on: "ben")
    room.world.run(for: .seconds(10))
    expectEqual(room.ada.connected, ["Ben"])
  }

  @Test("a file with phones is read, and a phone of code cannot have the name of one of them")
  func file() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "scripted-user-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "room.yaml").path
    let yaml = """
      scenario: A room
      inhabitants: {guest: {kind: phone, count: 2, user: {invitations: accept}}}
      """
    try Data(yaml.utf8).write(to: URL(filePath: path))
    let world = try PhoneWorld(path, others: [OtherPhone("eve")])
    for name in ["guest-1", "guest-2", "eve"] { expectEqual(world.phone(name).name, name) }
    #expect(throws: PhoneWorldError.self) { try PhoneWorld(path, others: [OtherPhone("guest-2")]) }
    // Of several points the first one is run.
    try Data("scenario: A room\nduration: 1s\nsweep: {duration: [2s, 3s]}\n".utf8).write(to: URL(filePath: path))
    let swept = try PhoneWorld(path)
    swept.run(for: .seconds(9))
    expectEqual(swept.now, .zero + .seconds(2))
  }

  @Test("the same scenario, applications and seed give the same run")
  func deterministic() throws {
    func digest(_ answer: String) throws -> UInt64 {
      let room = try Room("selects: each, done-after: 1s", ["Ben": "invitations: \(answer)", "Cem": ""])
      room.world.run(for: .seconds(20))
      return room.world.digest.state
    }
    try expectEqual(digest("accept"), digest("accept"))
    #expect(try digest("accept") != digest("decline"))
  }
}
