import RollcallExpectations
import RollcallPrimitives
import RollcallSealing
import RollcallSessions
import RollcallWire
import Testing

@Suite("Identities from seeded bytes")
struct PeerIdentityTests {
  private let authority: (name: String, seed: [UInt8]) = ("Lab", [9])

  @Test("the same names and seeds give the same certificates, and another name, seed or authority gives another one")
  func deterministic() throws {
    let chain = try PeerIdentity(name: "lamp", seed: [1], authority: authority).chain
    expectEqual(try PeerIdentity(name: "lamp", seed: [1], authority: authority).chain, chain)
    #expect(try PeerIdentity(name: "tv", seed: [1], authority: authority).chain[0] != chain[0])
    #expect(try PeerIdentity(name: "lamp", seed: [2], authority: authority).chain[0] != chain[0])
    expectEqual(try PeerIdentity(name: "tv", seed: [2], authority: authority).chain[1], chain[1])
    #expect(try PeerIdentity(name: "lamp", seed: [1], authority: ("Lab", [8])).chain[1] != chain[1])
    // They fit what a session carries.
    #expect(chain.reduce(0) { $0 + $1.count } < SessionControl.certificateBytesMaximum)
  }

  @Test("a certificate names its peer where the authority signed it, and nobody where another did or a byte is changed")
  func decision() throws {
    let chain = try PeerIdentity(name: "lämp", seed: [1], authority: authority).chain
    let other = try PeerIdentity(name: "lamp", seed: [1], authority: ("Lab", [8])).chain
    expectEqual(PeerIdentity.name(in: chain[0], signedBy: chain[1]), "lämp")
    expectEqual(PeerIdentity.name(in: chain[1], signedBy: chain[1]), "Lab")
    expectEqual(PeerIdentity.name(in: chain[0], signedBy: other[1]), nil)
    expectEqual(PeerIdentity.name(in: other[0], signedBy: chain[1]), nil)
    expectEqual(PeerIdentity.name(in: [1, 2], signedBy: chain[1]), nil)
    for place in chain[0].indices {
      var changed = chain[0]
      changed[place] ^= 1
      expectEqual(PeerIdentity.name(in: changed, signedBy: chain[1]), nil, "byte \(place)")
    }
  }
}
