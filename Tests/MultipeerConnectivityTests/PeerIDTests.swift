import MultipeerConnectivity
import RollcallExpectations
import Testing

@Suite struct PeerIDTests {
  /// Four bytes of UTF-8.
  private static let face = "\u{1F600}"

  @Test func `a name has 1 to 63 bytes of UTF-8`() {
    expectEqual(PeerRules.fault(displayName: ""), .emptyName)
    expectEqual(PeerRules.fault(displayName: "a"), nil)
    expectEqual(PeerRules.fault(displayName: String(repeating: "a", count: 63)), nil)
    expectEqual(PeerRules.fault(displayName: String(repeating: "a", count: 64)), .nameTooLong(byteCount: 64))
    expectEqual(PeerRules.fault(displayName: String(repeating: Self.face, count: 15) + "abc"), nil)
    expectEqual(PeerRules.fault(displayName: String(repeating: Self.face, count: 16)), .nameTooLong(byteCount: 64))
  }

  @Test func `a peer is made with the longest name, and shows it`() {
    let name = String(repeating: Self.face, count: 15) + "abc"
    expectEqual(MCPeerID(displayName: name).displayName, name)
  }

  @Test func `an empty name ends the program`() async {
    await #expect(processExitsWith: .failure) { _ = MCPeerID(displayName: "") }
  }

  @Test func `a name of 64 bytes ends the program`() async {
    await #expect(processExitsWith: .failure) { _ = MCPeerID(displayName: String(repeating: "a", count: 64)) }
  }

  @Test func `two peers of one name are different, and a copy is the same`() throws {
    let first = MCPeerID(displayName: "same")
    let second = MCPeerID(displayName: "same")
    #expect(first != second)
    #expect(first.hash != second.hash)
    let copy = try #require(first.copy() as? MCPeerID)
    #expect(copy == first)
    expectEqual(copy.hash, first.hash)
    expectEqual([first: 1, second: 2][copy], 1)
    #expect(!first.isEqual("same"))
  }

  @Test func `peers are told apart by their identities, whatever their names`() {
    let one = MCPeerID(key: PeerKey(identity: [1, 2], name: "a"))
    let renamed = MCPeerID(key: PeerKey(identity: [1, 2], name: "b"))
    #expect(one == renamed)
    expectEqual(one.hash, renamed.hash)
    #expect(one != MCPeerID(key: PeerKey(identity: [1, 3], name: "a")))
  }

  /// The number is that of FNV-1a, so that no process has another.
  @Test func `the hash depends on the identity alone, and has no seed`() {
    let peer = MCPeerID(key: PeerKey(identity: Array("foobar".utf8), name: "any"))
    expectEqual(UInt64(bitPattern: Int64(peer.hash)), 0x8594_4171_f739_67e8)
    expectEqual(peer.hashValue, peer.hash)
  }

  @Test func `an archive keeps identity and name`() throws {
    let peer = MCPeerID(displayName: "Zoë")
    let data = try NSKeyedArchiver.archivedData(withRootObject: peer, requiringSecureCoding: true)
    let back = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data))
    #expect(back == peer)
    #expect(back !== peer)
    expectEqual(back.hash, peer.hash)
    expectEqual(back.displayName, "Zoë")
    let list = try NSKeyedArchiver.archivedData(withRootObject: [peer, peer], requiringSecureCoding: true)
    let all = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, MCPeerID.self], from: list)
    expectEqual(all as? [MCPeerID], [peer, peer])
  }

  /// An XML archive of another process: the class is found by its name, before anything of the module was used.
  private static func archive(identity: String, name: String) -> Data {
    Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict>
      <key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key><integer>100000</integer>
      <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
      <key>$objects</key><array><string>$null</string>
      <dict><key>$class</key><dict><key>CF$UID</key><integer>4</integer></dict>
      <key>identity</key><dict><key>CF$UID</key><integer>2</integer></dict>
      <key>displayName</key><dict><key>CF$UID</key><integer>3</integer></dict></dict>
      <data>\(identity)</data><string>\(name)</string>
      <dict><key>$classes</key><array><string>MultipeerConnectivity.MCPeerID</string><string>NSObject</string></array>
      <key>$classname</key><string>MultipeerConnectivity.MCPeerID</string></dict>
      </array></dict></plist>
      """.utf8)
  }

  @Test func `an archive of another process is the same peer here`() throws {
    let data = Self.archive(identity: "Zm9vYmFy", name: "Ada")
    let peer = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data))
    expectEqual(peer.displayName, "Ada")
    #expect(peer == MCPeerID(key: PeerKey(identity: Array("foobar".utf8), name: "Ada")))
  }

  @Test(arguments: [("", "Ada"), ("Zm9v", ""), ("Zm9v", String(repeating: "a", count: 64))])
  func `an archive without an identity, or with a name that is none, is no peer`(identity: String, name: String) {
    let data = Self.archive(identity: identity, name: name)
    let peer = try? NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data)
    #expect(peer == nil)
  }

  @Test func `a device gives the identities of its peers`() {
    let device = ScriptedDevice()
    let (first, second) = on(device) { (MCPeerID(displayName: "a"), MCPeerID(displayName: "a")) }
    expectEqual(first.key.identity.first, 1)
    expectEqual(second.key.identity.first, 2)
  }

  @Test func `a peer that devices tell of has one object as long as somebody holds it`() {
    let first = MCPeerID.of(.other(200))
    #expect(MCPeerID.of(.other(200)) === first)
    #expect(MCPeerID.of(.other(201)) !== first)
  }

  @Test func `an archive holds an identity of 1 to 64 bytes`() throws {
    for (count, isPeer) in [(1, true), (64, true), (65, false)] {
      let peer = MCPeerID(key: PeerKey(identity: [UInt8](repeating: 7, count: count), name: "a"))
      let data = try NSKeyedArchiver.archivedData(withRootObject: peer, requiringSecureCoding: true)
      let back = try? NSKeyedUnarchiver.unarchivedObject(ofClass: MCPeerID.self, from: data)
      expectEqual(back?.key.identity.count, isPeer ? count : nil)
    }
  }
}
