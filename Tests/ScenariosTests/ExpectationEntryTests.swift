import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// Entries of `expect:` without a document around them: what is read, what is said, and what is written again.
@Suite("Entries of the key expect") struct ExpectationEntryTests {

  private func read(_ yaml: String) throws -> (value: Expectation?, said: [String]) {
    try FormBench.read(Form<Expectation>.expectation, yaml)
  }
  /// Each kind with least and most of its keys, as it is written.
  private var entries: [(yaml: String, entry: Expectation)] {
    let lost = Happens(.lost(.everyone), .within(at(1)...at(1)))
    let never = Never(.found(.anyone), .within(at(1)...at(2)))
    let late = Never(.found(.anyone), .after(.timeline("bye"), .zero ... .seconds(3)))
    let share = Share(.found(.anyone), .within(at(3)...at(3)), atLeast: .percent(10))
    let least = Distribution(of: .renewalInterval, from: "tv", range: .seconds(1) ... .seconds(2))
    let most = Distribution(
      of: .responseDelay, from: "tv", search: 5, range: .zero ... .seconds(2), alpha: .percent(3), samplesMinimum: 4)
    let all = Conforms(who: "tv", keeps: ["MD-29"], ignores: ["MD-44", "MD-29"])
    let distributed = "{distribution: {of: response-delay, from: tv, search: 5, range: 0s..2s, alpha: 3%"
    let events: [(yaml: String, entry: Expectation)] = [
      ("{found: any}", Expectation(.happens(Happens(.found(.anyone), times: .atLeast(1))))),
      ("{id: a, lost: each, at: 1s}", Expectation(id: "a", .happens(lost))),
      ("{found: any, times: 2..}", Expectation(.happens(Happens(.found(.anyone), times: .atLeast(2))))),
      ("{found: any, times: 1}", Expectation(.happens(Happens(.found(.anyone), times: .exactly(1))))),
      ("{never: {found: any}, within: 1s..2s}", Expectation(.never(never))),
      ("{never: {found: any}, after: {timeline: bye, within: 3s}}", Expectation(.never(late))),
      ("{never: {found: any}}", Expectation(.never(Never(.found(.anyone))))),
    ]
    let others: [(yaml: String, entry: Expectation)] = [
      ("{share: {found: any, at-least: 10%}, at: 3s}", Expectation(.share(share))),
      ("{share: {found: any, at-most: 20%}}", Expectation(.share(Share(.found(.anyone), atMost: .percent(20))))),
      ("{present: {at: 1s, devices: [tv, bulb]}}", Expectation(.present(Present(at: at(1), devices: ["tv", "bulb"])))),
      ("{present: {at: 2s, count: 3..4}}", Expectation(.present(Present(at: at(2), count: CountRange(3, 4))))),
      ("{always: {entries-at-most: 0}}", Expectation(.always(Always(entriesAtMost: 0)))),
      ("{always: {devices-at-most: 10000000}}", Expectation(.always(Always(devicesAtMost: 10_000_000)))),
      ("{converged: true}", Expectation(.converged)),
      ("{distribution: {of: renewal-interval, from: tv, range: 1s..2s}}", Expectation(.distribution(least))),
      ("\(distributed), minimum-samples: 4}}", Expectation(.distribution(most))),
      ("{conforms: {who: tv}}", Expectation(.conforms(Conforms(who: "tv")))),
      ("{conforms: {who: tv, keeps: [MD-29], ignores: [MD-44, MD-29]}}", Expectation(.conforms(all))),
    ]
    return events + others
  }

  @Test("an entry of each kind is read with all its keys, and written with those that are not the default")
  func kinds() throws {
    for (yaml, entry) in entries {
      let (value, said) = try read(yaml)
      expectEqual(value, entry, "\(yaml)")
      expectEqual(said, [], "\(yaml)")
      expectEqual(Form<Expectation>.expectation.write(entry, false).flow, yaml)
    }
  }

  @Test("a default is not written, and reads as if it were left out")
  func defaults() throws {
    let table: [(yaml: String, written: String)] = [
      ("{found: any, times: 1..}", "{found: any}"),
      ("{lost: each, within: 1s..1s}", "{lost: each, at: 1s}"),
      ("{conforms: {who: tv, keeps: [], ignores: []}}", "{conforms: {who: tv}}"),
      (
        "{distribution: {of: response-delay, from: tv, test: uniform, range: 1s, alpha: 0.1%, minimum-samples: 200}}",
        "{distribution: {of: response-delay, from: tv, range: 1s}}"
      ),
    ]
    for (yaml, written) in table {
      let value = try #require(try read(yaml).value, "\(yaml)")
      expectEqual(Form<Expectation>.expectation.write(value, false).flow, written)
      try expectEqual(read(written).value, value)
    }
  }

  @Test("a bound without any of its keys gives no value")
  func emptyBound() {
    let (value, said) = FormBench.read(Form<Always>.always, .mapping([]))
    expectEqual(value, nil)
    expectEqual(said, ["missing one of the keys entries-at-most, devices-at-most"])
  }

  @Test("an entry that contradicts itself has one message and gives no value")
  func contradictions() throws {
    let times = "'times' stands only beside an event that happens"
    let when = "stands only beside an event, never or share"
    let table: [(yaml: String, said: [String])] = [
      ("{converged: false}", ["converged is true, or not there at all"]),
      ("{converged: true, times: 2}", [times]), ("{present: {at: 1s, count: 1}, times: 2}", [times]),
      ("{never: {found: any}, times: 2}", [times]), ("{share: {found: any, at-least: 1%}, times: 2}", [times]),
      ("{conforms: {who: tv}, times: 1..}", [times]), ("{always: {devices-at-most: 1}, times: 2, at: 1s}", [times]),
      ("{always: {devices-at-most: 1}, at: 1s}", ["'at' \(when)"]),
      ("{present: {at: 1s, count: 1}, within: 1s..2s}", ["'within' \(when)"]),
      ("{converged: true, after: {found: any, within: 1s}}", ["'after' \(when)"]),
      ("{conforms: {who: tv}, at: 1s}", ["'at' \(when)"]),
      ("{share: {found: any}}", ["missing one of the keys at-least, at-most"]),
      ("{share: {found: any}, at: 1s}", ["missing one of the keys at-least, at-most"]),
      ("{always: {}}", ["missing one of the keys entries-at-most, devices-at-most"]),
      ("{found: any, cause: expired}", ["'cause' stands only beside 'lost'"]),
      ("{never: {found: any, cause: expired}}", ["'cause' stands only beside 'lost'"]),
      ("{share: {found: any, cause: expired, at-least: 1%}}", ["'cause' stands only beside 'lost'"]),
      ("{never: {found: any}, found: any}", ["'found' cannot stand beside 'never': only one of them"]),
      (
        "{always: {devices-at-most: 1}, converged: true}",
        ["'converged' cannot stand beside 'always': only one of them"]
      ),
    ]
    for (yaml, said) in table {
      let answer = try read(yaml)
      expectEqual(answer.value, nil, "\(yaml)")
      expectEqual(answer.said, said, "\(yaml)")
    }
  }

  @Test("each part of an entry needs its keys, and takes each in its bounds")
  func parts() throws {
    let number = "is not a whole number from"
    let start = "{distribution: {of: response-delay, from: tv, range: 1s"
    let table: [(yaml: String, said: [String])] = [
      ("{present: {at: 1s}}", ["missing one of the keys devices, count"]),
      ("{present: {count: 1}}", ["missing key 'at'"]),
      ("{present: {at: 1s, devices: [], count: 1}}", ["'count' cannot stand beside 'devices': only one of them"]),
      ("{distribution: {}}", ["missing key 'of'", "missing key 'from'", "missing key 'range'"]),
      (
        "{distribution: {of: x, from: tv, test: y, range: 1s}}",
        [
          "unknown quantity 'x'; known are response-delay, renewal-interval", "unknown test 'y'; known are uniform",
        ]
      ),
      ("\(start), minimum-samples: 0}}", ["'0' \(number) 1 to 10000000 such as 3"]),
      ("\(start), minimum-samples: 1}}", []), ("\(start), minimum-samples: 10000000}}", []),
      ("\(start), minimum-samples: 10000001}}", ["'10000001' \(number) 1 to 10000000 such as 3"]),
      ("{always: {entries-at-most: -1}}", ["'-1' \(number) 0 to 10000000 such as 3"]),
      ("{always: {entries-at-most: 10000001}}", ["'10000001' \(number) 0 to 10000000 such as 3"]),
      ("{always: {entries-at-most: 10000000, devices-at-most: 0}}", []),
      ("{always: {devices-at-most: 10000001}}", ["'10000001' \(number) 0 to 10000000 such as 3"]),
      ("{conforms: {}}", ["missing key 'who'"]),
    ]
    for (yaml, said) in table {
      let answer = try read(yaml)
      expectEqual(answer.said, said, "\(yaml)")
      expectEqual(answer.value != nil, said.isEmpty, "\(yaml)")
    }
  }

  @Test("a clause is named by its whole id in capitals, and some judge has to look at it")
  func clauses() throws {
    func said(_ key: String, _ id: String) throws -> [String] {
      try read("{conforms: {who: tv, \(key): ['\(id)']}}").said
    }
    for key in ["keeps", "ignores"] {
      try expectEqual(said(key, "MD-29"), [])
      // Nobody looks at MD-48: which sockets a host has is in no message.
      for id in ["md-29", "Md-29", "MD-48", "md-48", "MD-2", "MD-29 ", ""] {
        try expectEqual(said(key, id), ["'\(id)' is not the id of a clause that is judged such as MD-29"], "\(key)")
      }
    }
  }

  @Test("shares and distributions alone are judged over all seeds together")
  func overSeeds() {
    for (yaml, entry) in entries {
      let isOverSeeds = yaml.hasPrefix("{share") || yaml.hasPrefix("{distribution")
      expectEqual(entry.isOverSeeds, isOverSeeds, "\(yaml)")
    }
  }

  @Test("an expectation without an id is called by its number, from 1")
  func ids() {
    let kind = Expectation.Kind.happens(Happens(.found(.anyone)))
    let scenario = Scenario("a", expectations: [Expectation(kind), Expectation(id: "b", kind), Expectation(kind)])
    expectEqual(scenario.expectations.indices.map { scenario.id(ofExpectation: $0) }, ["e1", "b", "e3"])
  }
}
