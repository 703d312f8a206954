import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Testing

@testable import RollcallCampaigns

@Suite("Curves of a campaign")
struct CurveTests {
  @Test("shares have Wilson's intervals")
  func shares() {
    func text(_ estimate: ShareEstimate) -> String {
      [estimate.low, estimate.share, estimate.high].map { Decimals.text($0, 4) }.joined(separator: " ")
    }
    // The first two by hand, the third is the example of Newcombe (1998).
    expectEqual(text(ShareEstimate(0, of: 10)), "0.0000 0.0000 0.2775")
    expectEqual(text(ShareEstimate(5, of: 10)), "0.2366 0.5000 0.7634")
    expectEqual(text(ShareEstimate(81, of: 263)), "0.2553 0.3080 0.3662")
    expectEqual(text(ShareEstimate(10, of: 10)), "0.7225 1.0000 1.0000")
    expectEqual(text(ShareEstimate(0, of: 0)), "0.0000 0.0000 1.0000")
    expectEqual(
      [(1, 1), (0, 1), (1, 10), (9, 10)].map { text(ShareEstimate($0.0, of: $0.1)) },
      ["0.2065 1.0000 1.0000", "0.0000 0.0000 0.7935", "0.0179 0.1000 0.4042", "0.5958 0.9000 0.9821"])
  }

  @Test("quantiles lie between two of the values, where there are enough of them")
  func quantiles() {
    func text(_ count: Int, of total: Int, _ quantile: Double) -> String {
      let times: [Interval] = (1...max(1, count)).prefix(count).map { .seconds(Int64($0)) }
      let estimate = QuantileEstimate(times, of: total, quantile)
      return [estimate.low, estimate.value, estimate.high].map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
    }
    // Ranks from tables of the binomial distribution.
    expectEqual(text(5, of: 5, 0.5), "- 3s -")
    expectEqual(text(10, of: 10, 0.5), "2s 5s 9s")
    expectEqual(text(100, of: 100, 0.5), "40s 50s 61s")
    expectEqual(text(100, of: 100, 0.9), "84s 90s 96s")
    // Not found in as many runs: it came in 45 of 100, so half of them never saw it.
    expectEqual(text(45, of: 100, 0.5), "40s - -")
    expectEqual(text(0, of: 0, 0.5), "- - -")
    expectEqual(text(1, of: 1, 0.5), "- 1s -")
    func ranks(_ total: Int, _ quantile: Double) -> String {
      let (low, high) = QuantileEstimate.ranks(of: total, quantile)
      return [low, high].map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
    }
    expectEqual(
      (0...12).map { ranks($0, 0.5) },
      ["- -", "- -", "- -", "- -", "- -", "- -", "1 6", "1 7", "1 8", "2 8", "2 9", "2 10", "3 10"])
    expectEqual(
      (32...40).map { ranks($0, 0.9) },
      ["25 -", "26 -", "27 -", "28 -", "29 36", "29 37", "30 38", "31 39", "32 40"])
    expectEqual(
      [ranks(1, 0.99), ranks(1, 0.01), ranks(2_000, 0.5), ranks(10_000, 0.9)],
      ["1 -", "- 1", "956 1045", "8941 9059"])
    expectEqual(QuantileEstimate.binomial(4, 0.5), [0.0625, 0.25, 0.375, 0.25, 0.0625])
  }

  @Test("numbers are printed rounded, without a sign of zero")
  func decimals() {
    expectEqual(
      [(0.25, 1), (1.005, 0), (-0.004, 2), (-1.5, 1), (12.3456, 3), (1e13, 1)].map { Decimals.text($0.0, $0.1) },
      ["0.3", "1", "0.00", "-1.5", "12.346", "∞"])
    expectEqual([-0.01, -1e13, 0.0].map { Decimals.text($0, 2) }, ["-0.01", "-∞", "0.00"])
  }

  static let plan = """
    scenario: Found by <search> alone
    duration: 12s
    network: {link: {latency: 1ms, loss: 20%}}
    inhabitants: {tv: {kind: root-device, link: {outbound: {multicast-loss: 100%}}}}
    timeline: [{at: 1s, search: {target: "upnp:rootdevice", mx: 3s, broadcasts: 1}}]
    sweep:
      timeline[0].search.broadcasts: [1, 3]
      network.link.loss: [0%, 20%, 40%]
    """

  private func curves(_ yaml: String, seeds: ClosedRange<UInt64>) throws -> CurveSet {
    let plan = try Scenario(yaml: yaml, file: "plan.yaml")
    let campaign = try Campaign(plan: plan, file: "plan.yaml", seeds: seeds, version: "test")
    var records: [RunRecord] = []
    try CampaignTests.withStore(of: campaign) { store in
      try CampaignRunner(campaign, in: store, CampaignRunner.Options()).run()
      records = try store.records()
    }
    return CurveSet(campaign.title, campaign.points, records)
  }

  @Test("what is measured agrees with theory, for a share and for a time")
  func theory() throws {
    let source = try curves(CurveTests.plan, seeds: 1...200)
    expectEqual(source.axis, "network.link.loss")
    expectEqual(source.curves.map(\.label), ["broadcasts 1", "broadcasts 3"])
    expectEqual(source.curves.flatMap { $0.places.map(\.x) }, [0, 20, 40, 0, 20, 40])
    var outside = 0
    for place in source.curves.flatMap(\.places) {
      let theory = try #require(place.theory)
      // 1 − q on each of four links, and a copy that is lost on the first one is lost for all.
      #expect(abs(theory.share - place.found.share) < 0.12, "\(place.text): \(theory.share)")
      if theory.share < place.found.low || theory.share > place.found.high { outside += 1 }
      if let median = theory.median, let low = place.median.low, let high = place.median.high {
        if !(low...high).contains(median) { outside += 1 }
      }
    }
    // One in twenty is expected to be.
    #expect(outside <= 3)
    expectEqual(source.curves[0].places[1].theory.map { Decimals.text($0.share, 4) }, "0.4096")
  }

  @Test(
    "there is no theory where something else matters",
    arguments: [
      ("duration: 12s", "duration: 2s"), ("multicast-loss: 100%", "multicast-loss: 50%"),
      ("latency: 1ms", "latency: 1ms..2ms"),
      ("upnp:rootdevice", "ssdp:all"), ("kind: root-device,", "kind: root-device, quirks: [doubleAnswer],"),
      ("tv: {kind", "tag: {kind: peripheral}, tv: {kind"), ("latency: 1ms,", "latency: 1ms, duplicate: 1%,"),
    ])
  func noTheory(text: String, other: String) throws {
    let yaml = CurveTests.plan.replacing(text, with: other)
    #expect(yaml != CurveTests.plan)
    let source = try curves(yaml, seeds: 1...1)
    expectEqual(source.curves.flatMap(\.places).compactMap(\.theory), [])
  }

  @Test("the picture is well-formed, holds every dot with words to it, and takes names as text")
  func picture() throws {
    let source = try curves(CurveTests.plan, seeds: 1...10)
    let svg = try #require(CurvePicture.svg(source))
    expectEqual(CurvePicture.svg(source), svg)
    let root = try XMLElementTree(svg).root
    expectEqual(root.name, "svg")
    func all(_ name: String, _ node: XMLElementTree.Node) -> Int {
      node.children.reduce(node.name == name ? 1 : 0) { $0 + all(name, $1) }
    }
    let medians = source.curves.flatMap(\.places).count { $0.median.value != nil }
    expectEqual(all("circle", root), 6 + medians)
    // The document, and each dot.
    expectEqual(all("title", root), 7 + medians)
    #expect(svg.contains("Found by &lt;search&gt; alone"))
    #expect(CurvePicture.svg(CurveSet("", [], [])) == nil)
  }
}
