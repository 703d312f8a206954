import MultipeerConnectivity
import RollcallExpectations
import RollcallPhones
import RollcallPrimitives
import RollcallScenarios
import RollcallSealing
import RollcallSessions
import RollcallSimulation
import RollcallTrace
import Testing

/// The sample application of the door on phones whose sessions have the cryptography of this room.
@Suite("Phones with sealed sessions") struct SealedPhonesTests {
  @Test("three applications chat, nobody else reads it, and the same seed gives the same run")
  func chat() throws {
    func run(_ cipher: @escaping @Sendable ([UInt8]) -> any SessionCipher) throws -> Digest {
      let scenario = try Scenario(yaml: "scenario: Sealed phones\nduration: 60s", file: "phones.yaml")
      let world = PhoneWorld(
        try scenario.resolved(), seed: Seed(1), others: [OtherPhone("ben"), OtherPhone("cem")], cipher: cipher)
      let chats = [("Ada", nil), ("Ben", "ben"), ("Cem", "cem")].map { name, phone in
        world.enter(phone) { Chat(name: name) }
      }
      for chat in chats { chat.start() }
      world.run(for: .seconds(10))
      chats[0].say("hi")
      world.run(for: .seconds(1))
      for chat in chats[1...] { expectEqual(chat.log.last, "Ada: hi") }
      chats[1].leave()
      world.run(for: .seconds(3))
      expectEqual(chats[0].session.connectedPeers.count, 1)
      return world.digest
    }
    let first = try run { SeededCipher(seed: $0) }
    try expectEqual(run { SeededCipher(seed: $0) }, first)
  }
}
