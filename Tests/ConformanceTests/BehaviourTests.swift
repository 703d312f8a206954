import RollcallConformance
import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Behaviour over time")
struct BehaviourTests {
  @Test(
    "one talk keeps the clause and gives no breach, the other breaks it and nothing else",
    arguments: BehaviourFixture.all)
  func bites(fixture: BehaviourFixture) throws {
    let clause = try #require(Clause.named(fixture.clause)).number
    let good = Said.judged(fixture.holds, fixture.circumstances)
    expectEqual(good.violated, fixture.givens, "\(good.lines)")
    #expect(good.total(clause).held > 0)
    let bad = Said.judged(fixture.breaks, fixture.circumstances)
    expectEqual(Set(bad.violated), Set([fixture.clause] + fixture.besides + fixture.givens), "\(bad.lines)")
  }

  /// What a capture may have lost: breaches of a run that are open questions there.
  @Test("what may be lost is a breach in a run and inconclusive in a capture", arguments: BehaviourFixture.all)
  func doubts(fixture: BehaviourFixture) throws {
    let clause = try #require(Clause.named(fixture.clause)).number
    // Deeds stand in no capture.
    if fixture.breaks.contains(where: { $0.deed != nil }) { return }
    let bad = Said.judged(fixture.breaks, .capture)
    if fixture.isComplete {
      expectEqual(bad.total(clause).violated, 0, "\(bad.lines)")
      #expect(bad.total(clause).inconclusive > 0, "\(bad.lines)")
    } else {
      #expect(bad.total(clause).violated > 0)
    }
  }

  /// Where an eventful hour is too short for a habit, or has no occasion.
  struct Mutant: CustomTestStringConvertible {
    var name: String
    var stand: Stand
    var quirks: [Quirk]
    var clauses: [String]
    /// What the correct device breaks as well, because the stand asks for it.
    var besides: [String] = []
    var testDescription: String { name }
  }

  static let stands: [Mutant] = [
    Mutant(
      name: "renews late", stand: brief, quirks: [.renewsLate], clauses: ["UDA-1.2.2-RENEW-HALF"],
      besides: ["UDA-1.2.2-A-CC-1800"]),
    Mutant(
      name: "lacks the uuid message of an embedded device", stand: nested, quirks: [.incompleteSet],
      clauses: ["UDA-1.2.2-ROOT3", "UDA-1.2.2-EMB2"]),
    Mutant(name: "starts at once", stand: restless, quirks: [.noJitter], clauses: ["UDA-1.2.2-JITTER"]),
    Mutant(name: "answers at once", stand: curious, quirks: [.answersImmediately], clauses: ["UDA-1.3.3-DELAY"]),
  ]

  private static let brief: Stand = {
    var stand = Stand()
    stand.description.maxAgeSeconds = 60
    return stand
  }()

  private static let nested: Stand = {
    var stand = Stand()
    stand.description = Profile.speaker.description
    return stand
  }()

  private static let restless: Stand = {
    var stand = Stand()
    stand.acts = (0..<40).flatMap { turn in
      [(Interval.minutes(turn), Act.appear), (Interval.minutes(turn) + .seconds(40), Act.leave)]
    }
    stand.duration = .minutes(42)
    return stand
  }()

  private static let curious: Stand = {
    var stand = Stand()
    var plan = Stand.searchers[0]
    (plan.copies, plan.interval, plan.searchCountMaximum) = (1, .seconds(25) ... .seconds(25), 30)
    stand.searchers = [plan]
    stand.duration = .minutes(20)
    stand.acts = [(.zero, .appear)]
    return stand
  }()

  @Test("a habit that takes its own stand is caught there, and a correct device keeps the clause", arguments: stands)
  func caught(mutant: Mutant) throws {
    var stand = mutant.stand
    let good = stand.judged()
    expectEqual(good.violatedByDevice, mutant.besides, "\(good.lines.joined(separator: "\n"))")
    for clause in mutant.clauses { #expect(good.total(try #require(Clause.named(clause)).number).held > 0) }
    stand.quirks = mutant.quirks
    let bad = stand.judged()
    expectEqual(Set(bad.violatedByDevice), Set(mutant.besides + mutant.clauses), "\(bad.lines.joined(separator: "\n"))")
  }

  @Test("the test of Kolmogorov and Smirnov takes an even sample and refuses a heap or a slope")
  func uniform() {
    let even = (0..<100).map { Int64($0) * 10_000 }
    #expect(!Distribution.isUneven(even, from: 0, to: 1_000_000))
    #expect(Distribution.isUneven(even.map { $0 * $0 / 1_000_000 }, from: 0, to: 1_000_000))
    #expect(Distribution.isUneven(Array(repeating: 0, count: 30), from: 0, to: 1_000_000))
    #expect(Distribution.isUneven([5, 5, 5], from: 5, to: 5))
    #expect(!Distribution.isUneven([], from: 0, to: 1))
    #expect(!Distribution.isUneven([.max, 0, .max / 2], from: 0, to: .max))
  }

  @Test("chance passes the test 999 times in 1000")
  func chance() {
    var stream = Seed(7).stream("waits")
    var refused = 0
    for _ in 0..<1_000 {
      let sample = (0..<40).map { _ in stream.interval(in: .zero ... .seconds(1)).nanoseconds }
      if Distribution.isUneven(sample, from: 0, to: 1_000_000_000) { refused += 1 }
    }
    #expect(refused <= 4)
  }

  @Test("the sign test refuses 18 of 20, and not 17")
  func sign() {
    #expect(Distribution.isTooOften(18, of: 20))
    #expect(!Distribution.isTooOften(17, of: 20))
    #expect(!Distribution.isTooOften(30, of: 60))
    #expect(Distribution.isTooOften(60, of: 60))
    #expect(!Distribution.isTooOften(9, of: 9))
    #expect(Distribution.isTooOften(10, of: 10))
  }
}
