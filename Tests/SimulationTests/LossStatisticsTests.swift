import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// Chances come out as configured, at alpha = 0.001 with fixed seeds: a wrong generator or a wrong rule fails here.
@Suite("Statistics of the links")
struct LossStatisticsTests {
  /// The number of successes of `trials` at `percent` lies within 3.29 standard deviations: two-sided, alpha = 0.001.
  func isPlausible(_ successes: Int, of trials: Int, percent: Double) -> Bool {
    let p = percent / 100
    let mean = Double(trials) * p
    let deviation = (Double(trials) * p * (1 - p)).squareRoot()
    return abs(Double(successes) - mean) <= 3.29 * deviation
  }

  func passages(_ rule: LinkRule, count: Int, seed: UInt64) -> [Link.Passage?] {
    var rules = RuleBook()
    var link = Link(rule: rules.compiled(rule), linkKey: Seed(seed).stream("link"))
    var draw = Seed(seed).stream("sender")
    var overflow = false
    return (0..<count).map { _ in
      link.pass(
        byteCount: 300, isMulticast: false, headerBytes: 20, draw: draw.next(), at: 0, overflow: &overflow)
    }
  }

  @Test("uniform loss is as configured", arguments: [1, 10, 50] as [UInt64], [3, 4] as [UInt64])
  func uniformLoss(percent: UInt64, seed: UInt64) {
    let lost = passages(LinkRule(loss: .uniform(.percent(percent))), count: 20_000, seed: seed).filter { $0 == nil }
    #expect(isPlausible(lost.count, of: 20_000, percent: Double(percent)))
  }

  @Test("duplication is as configured")
  func duplication() {
    let copies = passages(LinkRule(duplicate: .percent(7)), count: 20_000, seed: 5).filter { $0!.copyArrival >= 0 }
    #expect(isPlausible(copies.count, of: 20_000, percent: 7))
  }

  @Test("Gilbert–Elliott: the share of losses and the mean burst are as the two states say")
  func gilbertElliott() {
    // In the bad state everything is lost: share p / (p + r), mean burst 1 / r.
    let rule = LinkRule(
      loss: .gilbertElliott(goodToBad: .percent(5), badToGood: .percent(25), inGood: .never, inBad: .always))
    let lost = passages(rule, count: 60_000, seed: 6).map { $0 == nil }
    let share = Double(lost.count(where: { $0 })) / 60_000
    let bursts = zip(lost, lost.dropFirst()).filter { !$0 && $1 }.count
    let meanBurst = Double(lost.count(where: { $0 })) / Double(bursts)
    // The effective sample is the number of cycles, some 2 500: 3.29 deviations of the share and of the mean burst.
    #expect(abs(share - 5.0 / 30) < 0.0155)
    #expect(abs(meanBurst - 4) < 0.24)
  }

  @Test("uniform latency is uniform (Kolmogorov–Smirnov)")
  func uniformLatency() {
    let rule = LinkRule(latency: .uniform(.zero ... .milliseconds(10)))
    let times = passages(rule, count: 5_000, seed: 8).map { Double($0!.arrival) / 1e7 }.sorted()
    let distance = times.enumerated().map { max(abs($1 - Double($0) / 5_000), abs($1 - Double($0 + 1) / 5_000)) }.max()!
    // 1.949 / √n is the critical distance at alpha = 0.001.
    #expect(distance < 1.949 / 5_000.squareRoot())
  }

  @Test("exponential and normal latency have the mean and the spread that were asked for")
  func tails() {
    let exponential = passages(
      LinkRule(latency: .exponential(minimum: .milliseconds(1), mean: .milliseconds(2))), count: 20_000, seed: 9)
    let mean = exponential.reduce(0.0) { $0 + Double($1!.arrival) / 1e6 } / 20_000
    #expect(abs(mean - 3) < 3.29 * 2 / 20_000.squareRoot())
    let normal = passages(
      LinkRule(latency: .normal(mean: .milliseconds(10), deviation: .milliseconds(2))), count: 20_000, seed: 10)
    let values = normal.map { Double($0!.arrival) / 1e6 }
    let average = values.reduce(0, +) / 20_000
    let deviation = (values.reduce(0) { $0 + ($1 - average) * ($1 - average) } / 20_000).squareRoot()
    #expect(abs(average - 10) < 3.29 * 2 / 20_000.squareRoot())
    #expect(abs(deviation - 2) < 0.04)
  }
}
