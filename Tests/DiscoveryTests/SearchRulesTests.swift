import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

/// What is an answer to a search and what is not, with the rules as they are and with planted faults; and what is sent.
@Suite("Rules of searches") struct SearchRulesTests {
  private let a = Endpoint(IPAddress(192, 168, 1, 9), port: 50_001)
  private let b = Endpoint(IPAddress(192, 168, 1, 10), port: 50_001)

  private func adopt(_ target: String) -> Command {
    .adopt(Search(id: SearchID(1), target: target, maximumWaitSeconds: 5), copyAt: a)
  }

  private func told(_ uuid: String, _ target: String, as name: String? = nil) -> Effect {
    .report(
      .service(
        ServiceSighting(
          search: SearchID(1), device: "uuid:\(uuid)", usn: name ?? usn(uuid, target), target: target,
          location: tvLocation)))
  }

  // MARK: Answers

  @Test("a search for a UUID takes the answer in letters of either case, wherever in the UUID they stand")
  func letterCase() {
    for asked in ["abcd-efgh", "ABCD-EFGH", "abcd-efgH", "Abcd-efgh", "ab"] {
      for offered in [asked.uppercased(), asked.lowercased()] {
        var rig = EngineRig()
        _ = rig.command(adopt("uuid:" + asked), at: 0)
        expectEqual(
          rig.hear(response(offered, "uuid:" + offered), to: a, at: 1),
          [found(offered), told(offered, "uuid:" + offered)], "\(asked) and \(offered)")
      }
    }
  }

  @Test("an answer that nobody asked for is refused for its USN first, and then for that")
  func unsolicited() {
    let texts: [(String, RejectionReason)] = [
      (response(usn: "tv"), .badUSN), (response(usn: "uuid::"), .badUSN), (response(), .noOpenSearch),
    ]
    for (text, reason) in texts {
      var rig = EngineRig()
      expectEqual(rig.hear(text, to: a, at: 0), [rejected(reason, text, at: reason == .badUSN ? "USN: " : nil)])
      expectEqual(rig.engine.counters.messages(.response), 1)
    }
  }

  // MARK: Planted faults

  @Test("where a part of an ST is enough, the whole of it has to be in the answer")
  func substring() {
    for (offered, isAnswer) in [
      ("abcdef", true), ("xabcdefx", true), ("abcdefx", true), ("abc", false), ("abcde", false), ("abcdeF", false),
    ] {
      var rig = EngineRig([.substringTarget])
      _ = rig.command(adopt("abcdef"), at: 0)
      let text = response("tv", offered)
      let expected = isAnswer ? [found(), told("tv", offered)] : [rejected(.targetNotAsked, text, at: "ST: ")]
      expectEqual(rig.hear(text, to: a, at: 1), expected, "\(offered)")
    }
  }

  @Test("where only the version that was asked for counts, letters of the other case are another ST")
  func exactVersion() {
    for (offered, isAnswer) in [("Foo:1", true), ("foo:1", false), ("FOO:1", false), ("Foo:2", false)] {
      var rig = EngineRig([.exactVersionOnly])
      _ = rig.command(adopt("urn:x:service:Foo:1"), at: 0)
      let text = response("tv", "urn:x:service:" + offered)
      let expected =
        isAnswer
        ? [found(), told("tv", "urn:x:service:" + offered)] : [rejected(.targetNotAsked, text, at: "ST: ")]
      expectEqual(rig.hear(text, to: a, at: 1), expected, "\(offered)")
    }
  }

  @Test("where every socket will do, an answer still has to be one to a search that is open")
  func anySocket() {
    var rig = EngineRig([.socketNotMatched])
    _ = rig.command(adopt("urn:x:service:Foo:1"), at: 0)
    let (asked, other) = ("urn:x:service:Foo:2", response())
    expectEqual(rig.hear(other, to: a, at: 1), [rejected(.targetNotAsked, other, at: "ST: ")])
    expectEqual(rig.hear(other, to: b, at: 1), [rejected(.noOpenSearch, other, at: nil)])
    expectEqual(rig.hear(response("tv", asked), to: b, at: 1), [found(), told("tv", asked)])
    for socket in [a, b] { expectEqual(rig.hear(response("tv", asked), to: socket, at: 2), []) }
  }

  @Test("where leases are told apart by USN alone, a search is still told of each ST under one USN")
  func byUSN() {
    var rig = EngineRig([.dedupByUSNOnly])
    _ = rig.command(adopt("ssdp:all"), at: 0)
    for turn in 0..<2 {
      for (place, target) in ["urn:x:service:A:1", "urn:x:service:B:1"].enumerated() {
        var expected = turn == 0 ? [told("tv", target, as: "uuid:tv")] : []
        if turn == 0, place == 0 { expected.insert(found(), at: 0) }
        expectEqual(rig.hear(response("tv", target, usn: "uuid:tv"), to: a, at: 1), expected, "\(target), \(turn)")
      }
    }
    expectEqual(rig.engine.counters.openLeases, 1)
  }

  // MARK: Searches of others, and the engine's own

  @Test("MX of a search that came to the engine alone means nothing, one that came to the group has to be a number")
  func multicastMX() {
    let text =
      "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: soon\r\nST: ssdp:all\r\n\r\n"
    var rig = EngineRig()
    expectEqual(rig.hear(text, to: Endpoint(EngineRig.ours, port: 1_900), at: 0), [])
    expectEqual(rig.engine.counters.messages(.search), 1)
    expectEqual(rig.hear(text, at: 0), [rejected(.badMX, text, at: "MX: ")])
    expectEqual(rig.engine.counters.messages(.search), 1)
  }

  @Test("a search to one host says who asks, too")
  func userAgent() {
    var rig = EngineRig { $0.userAgent = "Test/1 UPnP/1.1 rollcall/1" }
    let search = Search(id: SearchID(1), target: "ssdp:all", broadcasts: 1, host: Endpoint(EngineRig.tv, port: 0))
    expectEqual(rig.command(.search(search), at: 0), [])
    expectEqual(
      rig.sent,
      [
        EngineRig.Sent(
          source: "192.168.1.2:49152", destination: "192.168.1.20:1900", interface: 0, hopLimit: 2,
          text: "M-SEARCH * HTTP/1.1\r\nHOST: 192.168.1.20:1900\r\nMAN: \"ssdp:discover\"\r\nST: ssdp:all\r\n"
            + "USER-AGENT: Test/1 UPnP/1.1 rollcall/1\r\n\r\n")
      ])
  }
}
