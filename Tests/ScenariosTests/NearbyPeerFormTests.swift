import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// Keys of a nearby peer, each alone: what it sets, and what is said against it.
@Suite("Nearby peers in YAML") struct NearbyPeerFormTests {
  private static let form = Form<NearbyPeerPlan>.record(NearbyPeerPlan(), NearbyPeerPlan.fields)

  private func read(_ key: String, _ value: Tree) -> (value: NearbyPeerPlan?, said: [String]) {
    FormBench.read(Self.form, .mapping([(key, value)]))
  }

  private func said(_ key: String, _ text: String) -> [String] { read(key, .scalar(text)).said }

  @Test("packets come through after a time or never, and a message is sent after a time or when asked for")
  func times() {
    var slow = NearbyPeerPlan()
    slow.quirks.dataPathDelay = .seconds(8)
    expectEqual(read("data-path", .scalar("8s")).value, slow)
    var cut = NearbyPeerPlan()
    cut.quirks.hasNoDataPath = true
    expectEqual(read("data-path", .scalar("none")).value, cut)
    expectEqual(
      said("data-path", "3"), ["'3' has no unit: a duration or none is written such as 10s or none"])
    func after(_ text: String) -> (value: NearbyPeerPlan?, said: [String]) {
      read("sends", .list([.mapping([("after", .scalar(text))])]))
    }
    var talker = NearbyPeerPlan()
    talker.messages = [NearbyPeerPlan.Message()]
    talker.messages[0].after = .seconds(2)
    expectEqual(after("2s").value, talker)
    talker.messages[0].after = nil
    expectEqual(after("asked").value, talker)
    expectEqual(after("3").said, ["'3' has no unit: a duration or asked is written such as 2s or asked"])
  }

  @Test("a peer invites each, those elected, or up to a thousand by their names")
  func invites() {
    var plan = NearbyPeerPlan()
    plan.invites = .everybody
    expectEqual(read("invites", .scalar("each")).value, plan)
    plan.invites = .elected
    expectEqual(read("invites", .scalar("elected")).value, plan)
    plan.invites = .named(["Ann", "each"])
    expectEqual(read("invites", .list([.scalar("Ann"), .scalar("each")])).value, plan)
    expectEqual(said("invites", "others"), ["'others' is not each, elected or names of peers such as each"])
    plan.invites = .named(Array(repeating: "x", count: 1_000))
    expectEqual(read("invites", FormBench.many(1_000, .scalar("x"))).value, plan)
    expectEqual(
      read("invites", FormBench.many(1_001, .scalar("x"))).said, ["a list of 1001, at most 1000 are allowed"])
    expectEqual(read("sends", FormBench.many(100, .mapping([]))).value?.messages.count, 100)
    expectEqual(read("sends", FormBench.many(101, .mapping([]))).said, ["a list of 101, at most 100 are allowed"])
  }

  @Test("discovery information is a key that is not empty and all behind the first equals sign, 255 bytes together")
  func information() {
    func info(_ text: String) -> (value: NearbyPeerPlan?, said: [String]) { read("info", .list([.scalar(text)])) }
    let long = String(repeating: "v", count: 253)
    for (text, pair) in [
      ("room=12", PeerInfo("room", "12")), ("note=", PeerInfo("note", "")), ("a=b=c", PeerInfo("a", "b=c")),
      ("k=\(long)", PeerInfo("k", long)),
    ] {
      var plan = NearbyPeerPlan()
      plan.info = [pair]
      expectEqual(info(text).value, plan, "\(text)")
    }
    for text in ["=v", "room", ""] {
      expectEqual(info(text).said, ["'\(text)' is not a pair of discovery information such as room=12"])
    }
    let shown = "k=" + String(repeating: "v", count: 38) + "…"
    expectEqual(
      info("k=v\(long)").said, ["'\(shown)' is too large: a pair of discovery information goes up to 255 bytes"])
    var chat = NearbyPeerPlan()
    chat.type = "chat"
    expectEqual(read("service-type", .scalar("chat")).value, chat)
    expectEqual(said("service-type", "bad name"), ["'bad name' is not a service type such as chat"])
  }
}
