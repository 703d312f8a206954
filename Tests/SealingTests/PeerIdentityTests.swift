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

  @Test("a certificate lasts ten years from its start, has a positive number of 16 bytes, and one is an authority")
  func fields() throws {
    let chain = try PeerIdentity(name: "lamp", seed: [1], authority: authority).chain
    func place(of part: [UInt8], in bytes: [UInt8]) -> Int? {
      bytes.indices.first { bytes[$0...].starts(with: part) }
    }
    // 1 700 000 000 s after 1970, and 3 650 days later.
    let validity: [UInt8] = Array("231114221320Z".utf8) + [0x17, 13] + Array("331111221320Z".utf8)
    // Version 3, then the number: an INTEGER of 16 bytes.
    let version: [UInt8] = [0xA0, 3, 2, 1, 2, 2, 16]
    // Basic constraints, critical: nothing, or an authority of peers alone.
    let constraints: [UInt8] = [6, 3, 0x55, 0x1D, 0x13, 1, 1, 0xFF, 4]
    for (certificate, value) in zip(chain, [[2, 0x30, 0], [8, 0x30, 6, 1, 1, 0xFF, 2, 1, 0]] as [[UInt8]]) {
      #expect(place(of: validity, in: certificate) != nil)
      #expect(place(of: constraints + value, in: certificate) != nil)
      let start = try #require(place(of: version, in: certificate))
      #expect((0x40...0x7F).contains(certificate[start + version.count]))
    }
    let later = try PeerIdentity(name: "lamp", seed: [1], authority: authority, start: 1_700_000_001).chain
    #expect(place(of: Array("231114221321Z".utf8), in: later[0]) != nil)
  }
}
