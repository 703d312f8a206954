import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// The changes that faults of one place and of several make, in the order of time.
@Suite("Schedules of faults") struct FaultScheduleTests {
  /// A fault of the querier of a segment: the first one has it ask every second, the second one every two seconds.
  private struct Entry {
    var id: String
    var segment: Int
    var begin: Int64
    var end: Int64?

    init(_ id: String, of segment: Int, _ begin: Int64, _ end: Int64?) {
      (self.id, self.segment, self.begin, self.end) = (id, segment, begin, end)
    }
  }

  /// When each change comes, of which fault, and what it makes of the segment.
  private func changes(_ entries: [Entry], heal: Int64? = nil) -> [String] {
    var schedule = FaultSchedule()
    for (number, entry) in entries.enumerated() {
      schedule.add(
        id: entry.id, breaks: .querier(segment: entry.segment, interval: .seconds(Int64(number + 1))),
        at: at(entry.begin), mends: .querier(segment: entry.segment, interval: nil), until: entry.end.map { at($0) })
    }
    return schedule.resolved(heal: heal.map { at($0) }).map { change in
      let what: String
      switch change.fault {
      case .querier(let segment, let interval): what = "\(segment) " + (interval.map { "\($0)" } ?? "plan")
      case .healEverything: what = "all"
      default: what = "?"
      }
      return "\(change.at - Instant.zero) \(change.id) \(what)"
    }
  }

  @Test("the fault of a place that began last is in force, and the end of one brings back the latest that stands")
  func places() {
    expectEqual(
      changes([
        Entry("a", of: 0, 1, 10), Entry("b", of: 0, 2, 5), Entry("c", of: 0, 3, 4), Entry("d", of: 0, 5, 6),
        Entry("e", of: 1, 1, 10), Entry("f", of: 1, 1, 10),
      ]),
      [
        "1s a 0 1s", "1s e 1 5s", "1s f 1 6s", "2s b 0 2s", "3s c 0 3s", "4s c 0 2s", "5s b 0 4s", "5s d 0 4s",
        "6s d 0 1s", "10s a 0 plan", "10s e 1 plan", "10s f 1 plan",
      ])
  }

  @Test("healing stands between its instant and later changes, and ends all faults that began until then")
  func healing() {
    let entries = [
      Entry("a", of: 0, 1, nil), Entry("b", of: 0, 2, 8), Entry("c", of: 0, 6, 7), Entry("d", of: 1, 1, 5),
      Entry("e", of: 1, 2, nil), Entry("f", of: 2, 5, nil), Entry("g", of: 2, 6, 9),
    ]
    expectEqual(
      changes(entries, heal: 5),
      [
        "1s a 0 1s", "1s d 1 4s", "2s b 0 2s", "2s e 1 5s", "5s d 1 plan", "5s f 2 6s", "5s heal all", "6s c 0 3s",
        "6s g 2 7s", "7s c 0 plan", "8s b 0 plan", "9s g 2 plan",
      ])
    expectEqual(
      changes(entries),
      [
        "1s a 0 1s", "1s d 1 4s", "2s b 0 2s", "2s e 1 5s", "5s d 1 5s", "5s f 2 6s", "6s c 0 3s", "6s g 2 7s",
        "7s c 0 2s", "8s b 0 1s", "9s g 2 6s",
      ])
  }
}
