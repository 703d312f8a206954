import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// Keys that say more of a report, beside reports of which they say something and beside all others.
@Suite("Keys that say more of a report") struct StrayKeyTests {
  private static let form = Form<Expectation>.expectation
  private static let heads = ["found", "lost", "changed", "service", "description", "failed"]

  private struct Detail {
    var key: String
    var value: Tree
    /// The reports that it says something of.
    var partners: [String]
    /// How the complaint names them.
    var named: String
    init(_ key: String, _ value: Tree, _ partners: [String], _ named: String? = nil) {
      (self.key, self.value, self.partners) = (key, value, partners)
      self.named = named ?? partners.joined(separator: "' or '")
    }
  }

  private func check(_ details: [Detail], beside heads: [String]) {
    for detail in details {
      for head in heads {
        let device = head == "service" ? Tree.mapping([]) : Tree.scalar("any")
        var reader = Reader()
        let value = Self.form.read(.mapping([(head, device), (detail.key, detail.value)]), &reader)
        let isMeant = detail.partners.contains(head)
        let said: [String] = isMeant ? [] : ["'\(detail.key)' stands only beside '\(detail.named)'"]
        expectEqual(reader.complaints.map(\.message), said, "\(detail.key) beside \(head)")
        expectEqual(value != nil, isMeant, "\(detail.key) beside \(head)")
      }
    }
  }

  @Test("causes, changes, attributes and outcomes stand beside the reports that have them")
  func devices() {
    check(
      [
        Detail("cause", .scalar("byebye"), ["lost"]), Detail("what", .scalar("txt"), ["changed"]),
        Detail("has", .mapping([("port", .scalar("1"))]), ["found", "changed"]),
        Detail("outcome", .scalar("failed"), ["description"]),
      ], beside: Self.heads + ["connected", "peer-found", "device-found"])
  }

  @Test("ends, reasons and values stand beside the reports of a peripheral that have them")
  func peripherals() {
    check(
      [
        Detail("end", .scalar("closed"), ["disconnected", "connection-failed"]),
        Detail("reason", .scalar("refused"), ["request-failed"]), Detail("characteristic", .scalar("2A19"), ["value"]),
        Detail("equals", .scalar("0a"), ["value"]),
      ], beside: PeripheralPattern.Kind.allCases.map(\.rawValue) + ["lost", "device-disconnected"])
  }

  @Test("information, sizes and numbers stand beside those reports of a nearby peer that have them; a peer beside each")
  func nearbyPeers() {
    let kinds = NearbyPattern.Kind.allCases.map(\.rawValue)
    let sized = ["message", "stream-ended", "file-ended", "peer-invited"]
    check(
      [
        Detail("peer", .scalar("any"), kinds, "peer-connected"), Detail("info", .scalar("a=b"), ["peer-found"]),
        Detail("ending", .scalar("failed"), ["stream-ended", "file-ended"]),
        Detail("bytes", .scalar("3"), sized, "message' or 'file-ended"), Detail("number", .scalar("3"), ["message"]),
        Detail("total", .scalar("3"), ["message"]),
      ], beside: kinds + ["found", "value", "device-found"])
  }

  @Test("of several stray keys the first is reported at its place, and the entry is not read")
  func places() throws {
    let rows: [(yaml: String, said: String)] = [
      ("{cause: byebye, found: tv}", "1:2 'cause' stands only beside 'lost'"),
      ("{found: tv, cause: byebye}", "1:13 'cause' stands only beside 'lost'"),
      ("{found: tv, what: txt, cause: byebye}", "1:24 'cause' stands only beside 'lost'"),
      ("{never: {found: tv, total: 3}}", "1:21 'total' stands only beside 'message'"),
      (
        "{found: tv, after: {found: tv, end: closed, within: 1s}}",
        "1:32 'end' stands only beside 'disconnected' or 'connection-failed'"
      ),
    ]
    for (yaml, said) in rows {
      let answer = try FormBench.answer(Self.form, yaml)
      expectEqual(answer.said, [said], "\(yaml)")
      expectEqual(answer.value, nil, "\(yaml)")
    }
  }

  @Test("an entry names one report, one time, and one thing after which it happens")
  func choices() throws {
    func alone(_ key: String, _ other: String) -> String { "'\(key)' cannot stand beside '\(other)': only one of them" }
    let own = ["found", "lost", "changed", "service", "search-ended", "description", "failed", "rejected"]
    let others =
      PeripheralPattern.Kind.allCases.map(\.rawValue) + NearbyPattern.Kind.allCases.map(\.rawValue)
      + ManagedPattern.Kind.allCases.map(\.rawValue)
    let anchors = (own + others + ["timeline", "fault", "mended"]).joined(separator: ", ")
    let rows: [(yaml: String, said: String)] = [
      ("{found: tv, lost: tv}", "1:13 " + alone("lost", "found")),
      ("{found: tv, connected: tv}", "1:13 " + alone("connected", "found")),
      ("{found: tv, at: 1s, within: 1s..2s}", "1:21 " + alone("within", "at")),
      ("{found: tv, at: 1s, after: {fault: f, within: 1s}}", "1:21 " + alone("after", "at")),
      ("{found: tv, within: 1s, after: {fault: f, within: 1s}}", "1:25 " + alone("after", "within")),
      ("{found: tv, after: {timeline: t1, fault: f1, within: 3s}}", "1:35 " + alone("fault", "timeline")),
      ("{found: tv, after: {fault: f1, mended: f1, within: 3s}}", "1:32 " + alone("mended", "fault")),
      ("{found: tv, after: {lost: tv, timeline: t1, within: 3s}}", "1:31 " + alone("timeline", "lost")),
      ("{found: tv, after: {timeline: t1}}", "1:20 missing key 'within'"),
      ("{found: tv, after: {within: 3s}}", "1:20 missing one of the keys " + anchors),
    ]
    for (yaml, said) in rows {
      let answer = try FormBench.answer(Self.form, yaml)
      expectEqual(answer.said, [said], "\(yaml)")
      expectEqual(answer.value, nil, "\(yaml)")
    }
  }
}
