import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

@Suite("A peer as multicast DNS shows it") struct RecordTests {
  private let id = SessionPeerID(high: 0x0123_4567_89AB_CDEF, low: 1)
  private let instance = "0123456789abcdef0000000000000001"

  private func txt(_ name: String, _ info: [PeerInfo]?) -> [UInt8]? { PeerRecord(PeerName(id, name), info).txt }
  /// Strings of a TXT record, each behind its length.
  private func strings(_ parts: [[UInt8]]) -> [UInt8] {
    parts.flatMap { [UInt8(truncatingIfNeeded: $0.count)] + $0 }
  }
  private func read(_ txt: [UInt8], instance: String? = nil) throws -> PeerRecord? {
    let type = try #require(PeerRecord.serviceType("chat"))
    return PeerRecord(try ServiceInstanceName(instance ?? self.instance, type), txt: txt)
  }

  @Test("an instance is the ID in 32 lower-case hexadecimal digits, and nothing else is one")
  func instances() throws {
    expectEqual(PeerRecord.instance(of: id), instance)
    expectEqual(PeerRecord.id(ofInstance: instance), id)
    let last = SessionPeerID(high: .max, low: .max)
    expectEqual(PeerRecord.id(ofInstance: PeerRecord.instance(of: last)), last)
    let (stem, rest) = (String(instance.dropLast()), String(instance.dropFirst()))
    for wrong in ["", stem, instance + "0", "+" + rest, instance.uppercased()] {
      expectEqual(PeerRecord.id(ofInstance: wrong), nil, "\(wrong)")
    }
    // Beside 0, 9, a and f in ASCII.
    for wrong in ["/", ":", "`", "g"] {
      expectEqual(PeerRecord.id(ofInstance: stem + wrong), nil, "\(wrong)")
      expectEqual(PeerRecord.id(ofInstance: wrong + rest), nil, "\(wrong)")
    }
    expectEqual(try read(strings([Array("_d=n".utf8)]), instance: stem), nil)
    for (name, isOne) in [("abcdefghijklmno", true), ("abcdefghijklmnop", false), ("", false), ("a b", false)] {
      expectEqual(PeerRecord.serviceType(name) != nil, isOne, "type \(name)")
    }
  }

  @Test("a name has 1 to 63 bytes, a pair 255 with its key, and no key is there twice")
  func fits() throws {
    let longest = String(repeating: "n", count: 63)
    let record = strings([Array("_d=".utf8) + Array(longest.utf8)])
    expectEqual(txt(longest, nil), record)
    expectEqual(try read(record), PeerRecord(PeerName(id, longest), nil))
    for name in ["", longest + "n"] {
      expectEqual(txt(name, nil), nil)
      expectEqual(try read(strings([Array("_d=".utf8) + Array(name.utf8)])), nil, "\(name.utf8.count) bytes")
    }
    expectEqual(txt("n", []), txt("n", nil))
    for (count, isThere) in [(253, true), (254, false)] {
      let found = txt("n", [PeerInfo("k", String(repeating: "v", count: count))])
      expectEqual(found != nil, isThere, "\(count) bytes")
    }
    expectEqual(txt("n", [PeerInfo("a", "1"), PeerInfo("A", "2")]), nil)
    expectEqual(txt("n", [PeerInfo("", "1")]), nil)
  }

  @Test("a key that is _d behind underscores has one more on the network, and is read as it was given")
  func escaped() throws {
    let keys: [(String, String)] = [
      ("_d", "__d"), ("_D", "__D"), ("__d", "___d"), ("d", "d"), ("_dd", "_dd"), ("x_d", "x_d"), ("_e", "_e"),
      ("_", "_"),
    ]
    for (key, wire) in keys {
      let record = strings([Array("_d=n".utf8), Array((wire + "=v").utf8)])
      expectEqual(txt("n", [PeerInfo(key, "v")]), record, "\(key)")
      expectEqual(try read(record)?.info, [PeerInfo(key, "v")], "\(key)")
    }
  }

  @Test("a record without a name in UTF-8 is no peer, and of its other pairs those with text as their value are read")
  func pairs() throws {
    let name = Array("_d=n".utf8)
    let (broken, value): ([UInt8], [UInt8]) = (Array("_d=".utf8) + [0xFF], Array("x=".utf8) + [0xFF])
    for parts in [[], [Array("a=b".utf8)], [Array("_d".utf8)], [broken]] as [[[UInt8]]] {
      expectEqual(try read(strings(parts)), nil, "\(parts)")
    }
    // The first string says that it is longer than the record.
    expectEqual(try read([9, 1]), nil)
    let found = try read(strings([Array("b=2".utf8), name, Array("a".utf8), value, Array("c=".utf8)]))
    expectEqual(found?.peer, PeerName(id, "n"))
    expectEqual(found?.info, [PeerInfo("b", "2"), PeerInfo("c", "")])
    expectEqual(try read(strings([Array("_D=n".utf8)])), PeerRecord(PeerName(id, "n"), nil))
  }
}
