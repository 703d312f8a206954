import MultipeerConnectivity
import RollcallExpectations
import Testing

// An application may say of the classes what the framework does not. Of another package it says `@retroactive` too.
extension MCSession: @unchecked Sendable {}
extension MCPeerID: @unchecked Sendable {}

@Suite struct ValueTests {
  @Test func `numbers are those of the reference`() {
    expectEqual(MCSessionState.allCases.map(\.rawValue), [0, 1, 2])
    expectEqual(MCSessionState.notConnected.rawValue, 0)
    expectEqual(MCSessionState.connecting.rawValue, 1)
    expectEqual(MCSessionState.connected.rawValue, 2)
    expectEqual(MCSessionSendDataMode.reliable.rawValue, 0)
    expectEqual(MCSessionSendDataMode.unreliable.rawValue, 1)
    expectEqual(MCEncryptionPreference.optional.rawValue, 0)
    expectEqual(MCEncryptionPreference.required.rawValue, 1)
    expectEqual(MCEncryptionPreference.none.rawValue, 2)
    expectEqual(kMCSessionMinimumNumberOfPeers, 2)
    expectEqual(kMCSessionMaximumNumberOfPeers, 8)
  }

  @Test func `errors have the numbers of the reference, in all the ways that applications look at them`() {
    let codes: [MCError.Code] = [
      .unknown, .notConnected, .invalidParameter, .unsupported, .timedOut, .cancelled, .unavailable,
    ]
    expectEqual(codes.map(\.rawValue), Array(0...6))
    expectEqual(MCError.Code.allCases, codes)
    expectEqual(MCError.Code(rawValue: 3), .unsupported)
    expectEqual(MCError.Code(rawValue: 7), nil)
    let error: any Error = MCError(.cancelled)
    expectEqual((error as? MCError)?.code, .cancelled)
    expectEqual((error as NSError).domain, "MCErrorDomain")
    expectEqual((error as NSError).code, 5)
    switch error {
    case MCError.cancelled: break
    default: Issue.record("no case matches")
    }
    do { throw error } catch MCError.cancelled {} catch { Issue.record("it is not caught") }
  }

  @Test func `an error of a layer below keeps its domain`() {
    let error = PeerError.lower(domain: NSPOSIXErrorDomain, code: 104).asError
    expectEqual((error as NSError).domain, NSPOSIXErrorDomain)
    expectEqual((error as NSError).code, 104)
  }

  @Test func `a service type has 1 to 15 lowercase letters, digits and single hyphens inside`() {
    for good in ["a", "abc-txtchat", "a1", "1a", "abcdefghijklmno", "a-b-c"] {
      expectEqual(PeerRules.fault(serviceType: good), nil)
    }
    expectEqual(PeerRules.fault(serviceType: ""), .serviceTypeLength(0))
    expectEqual(PeerRules.fault(serviceType: "abcdefghijklmnop"), .serviceTypeLength(16))
    expectEqual(PeerRules.fault(serviceType: "abC"), .serviceTypeCharacter(offset: 2))
    expectEqual(PeerRules.fault(serviceType: "a_b"), .serviceTypeCharacter(offset: 1))
    expectEqual(PeerRules.fault(serviceType: "a b"), .serviceTypeCharacter(offset: 1))
    expectEqual(PeerRules.fault(serviceType: "ä"), .serviceTypeCharacter(offset: 0))
    expectEqual(PeerRules.fault(serviceType: "`"), .serviceTypeCharacter(offset: 0))
    expectEqual(PeerRules.fault(serviceType: "{"), .serviceTypeCharacter(offset: 0))
    expectEqual(PeerRules.fault(serviceType: "-a"), .serviceTypeHyphen(offset: 0))
    expectEqual(PeerRules.fault(serviceType: "a-"), .serviceTypeHyphen(offset: 1))
    expectEqual(PeerRules.fault(serviceType: "a--b"), .serviceTypeHyphen(offset: 2))
    expectEqual(PeerRules.fault(serviceType: "12-3"), .serviceTypeWithoutLetter)
  }

  @Test func `a pair of discovery information has at most 255 bytes, and no equals sign in its key`() {
    expectEqual(PeerRules.fault(discoveryInfo: nil), nil)
    expectEqual(PeerRules.fault(discoveryInfo: [:]), nil)
    expectEqual(PeerRules.fault(discoveryInfo: ["k": "a=b"]), nil)
    expectEqual(PeerRules.fault(discoveryInfo: ["k": ""]), nil)
    let key = String(repeating: "k", count: 100)
    expectEqual(PeerRules.fault(discoveryInfo: [key: String(repeating: "v", count: 154)]), nil)
    expectEqual(
      PeerRules.fault(discoveryInfo: [key: String(repeating: "v", count: 155)]),
      .pairTooLong(key: key, byteCount: 256))
    expectEqual(
      PeerRules.fault(discoveryInfo: ["k": String(repeating: "é", count: 127)]), .pairTooLong(key: "k", byteCount: 256))
    expectEqual(PeerRules.fault(discoveryInfo: ["a=b": ""]), .equalsSign(key: "a=b"))
    expectEqual(PeerRules.fault(discoveryInfo: ["": "v"]), .emptyKey)
    // About 400 bytes in all are an advice, no limit.
    let many = Dictionary(uniqueKeysWithValues: (0..<20).map { ("k\($0)", String(repeating: "v", count: 100)) })
    expectEqual(PeerRules.fault(discoveryInfo: many), nil)
  }

  /// The initialisers end the program where the answer is not nil; a test can only ask.
  @Test func `each bound of the contract can be asked on both of its sides, without ending the program (MP-52)`() {
    func text(_ count: Int) -> String { String(repeating: "a", count: count) }
    // MP-01.
    expectEqual(
      [0, 1, 63, 64].map { PeerRules.fault(displayName: text($0)) },
      [.emptyName, nil, nil, .nameTooLong(byteCount: 64)]
    )
    // MP-06.
    expectEqual(
      [0, 1, 15, 16].map { PeerRules.fault(serviceType: text($0)) },
      [.serviceTypeLength(0), nil, nil, .serviceTypeLength(16)])
    expectEqual(
      ["a-1", "A", "-a", "1"].map { PeerRules.fault(serviceType: $0) },
      [nil, .serviceTypeCharacter(offset: 0), .serviceTypeHyphen(offset: 0), .serviceTypeWithoutLetter])
    // MP-07.
    expectEqual(
      [253, 254].map { PeerRules.fault(discoveryInfo: ["k": text($0)]) },
      [nil, .pairTooLong(key: "k", byteCount: 256)])
    expectEqual(
      ["k", "", "k="].map { PeerRules.fault(discoveryInfo: [$0: "v"]) }, [nil, .emptyKey, .equalsSign(key: "k=")])
    // MP-51: a browser that is idle and has no delegate.
    let bench = Bench()
    expectEqual(PeerRules.fault(browser: bench.browser), .browserIsBusy)
    bench.browser.delegate = nil
    expectEqual(PeerRules.fault(browser: bench.browser), nil)
    bench.browser.startBrowsingForPeers()
    expectEqual(PeerRules.fault(browser: bench.browser), .browserIsBusy)
  }

  @Test func `a time-out that is not positive is 30 seconds, and an infinite one does not end`() {
    let standard: Int64 = 30_000_000_000
    for seconds in [0, -0.0, -1, -Double.infinity, Double.nan, -Double.greatestFiniteMagnitude] {
      expectEqual(PeerRules.timeoutNanoseconds(seconds), standard)
    }
    expectEqual(PeerRules.timeoutNanoseconds(1.5), 1_500_000_000)
    expectEqual(PeerRules.timeoutNanoseconds(.leastNonzeroMagnitude), 1)
    expectEqual(PeerRules.timeoutNanoseconds(8_000_000_000), 8_000_000_000_000_000_000)
    for seconds in [9_000_000_000, 1e300, .infinity] { expectEqual(PeerRules.timeoutNanoseconds(seconds), nil) }
  }

  @Test func `a file name of a peer stays in its folder`() {
    expectEqual(PeerRules.fileName("photo.jpg"), "photo.jpg")
    expectEqual(PeerRules.fileName("Übersicht 1.pdf"), "Übersicht 1.pdf")
    expectEqual(PeerRules.fileName("../../etc/passwd"), "passwd")
    expectEqual(PeerRules.fileName("C:\\Windows\\cmd.exe"), "cmd.exe")
    for hostile in ["", "/", "//", "..", ".", "a/..", "a/.", "\\", "\0", "\u{7F}", "\n"] {
      let name = PeerRules.fileName(hostile)
      #expect(name == "resource" || name == "a", "\(hostile.debugDescription) became \(name)")
    }
    expectEqual(PeerRules.fileName("a\0b\nc\u{7F}d\u{85}e\u{202E}f"), "abcdef")
    expectEqual(PeerRules.fileName(String(repeating: "a", count: 300)).utf8.count, 255)
    expectEqual(PeerRules.fileName(String(repeating: "é", count: 200)).utf8.count, 254)
  }

  @Test func `discovery information is a list in the order of its keys below, and a dictionary above`() {
    let list = InfoPair.list(["b": "2", "a": "1"])
    expectEqual(list, [InfoPair(key: "a", value: "1"), InfoPair(key: "b", value: "2")])
    expectEqual(InfoPair.dictionary(list), ["a": "1", "b": "2"])
    expectEqual(InfoPair.list(nil), nil)
    expectEqual(InfoPair.dictionary(nil), nil)
    // A device may be wrong: the first one counts.
    expectEqual(InfoPair.dictionary([InfoPair(key: "a", value: "1"), InfoPair(key: "a", value: "2")]), ["a": "1"])
  }

  @Test func `a description says identity and name`() {
    let peer = MCPeerID(key: PeerKey(identity: [0x0A, 0xFF], name: "Ada"))
    expectEqual(peer.description, "<MCPeerID: 0aff DisplayName = Ada>")
  }

  @Test func `a file name has 255 bytes at most and nothing that ends a line, and may end with a slash`() {
    for whole in [String(repeating: "a", count: 255), String(repeating: "é", count: 127) + "a"] {
      expectEqual(PeerRules.fileName(whole), whole)
      expectEqual(PeerRules.fileName(whole + "b"), whole)
    }
    expectEqual(PeerRules.fileName("a\u{2028}b\u{2029}c"), "abc")
    expectEqual(PeerRules.fileName("folder/a.txt/"), "a.txt")
    expectEqual(PeerRules.fileName("folder\\a.txt/\\"), "a.txt")
  }
}
