import Foundation
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// How often packets meet, against the formula of uncoordinated senders.
@Suite struct AirStatisticsTests {
  private static let period = Interval.milliseconds(100)
  /// A packet with 31 bytes of data.
  private static let airtime = Interval.microseconds(376)

  /// The packets of the first of so many advertisers on one channel, and how many of them met no other.
  private func alone(among count: Int, seed: UInt64, for duration: Interval) -> (alone: Int, all: Int) {
    var rig = RadioRig(seed: Seed(seed))
    var starts = Seed(seed).stream("starts")
    for _ in 0..<count {
      rig.addAdvertiser(
        every: AirStatisticsTests.period, byteCount: 31,
        at: .zero + starts.interval(in: .zero...AirStatisticsTests.period))
    }
    var sent: [(start: Int64, isFirst: Bool)] = []
    rig.tap = { _, channel, start, host in if channel == 37 { sent.append((start.nanoseconds, host == 0)) } }
    _ = rig.run(for: duration)
    sent.sort { $0.start < $1.start }
    let airtime = AirStatisticsTests.airtime.nanoseconds
    var (alone, all) = (0, 0)
    // Neither the first nor the last of all: of those not every neighbour is there.
    for place in sent.indices.dropFirst().dropLast() where sent[place].isFirst {
      all += 1
      let isAlone =
        sent[place].start - sent[place - 1].start >= airtime && sent[place + 1].start - sent[place].start >= airtime
      if isAlone { alone += 1 }
    }
    return (alone, all)
  }

  @Test(arguments: [(2, 3_000), (5, 2_000), (20, 1_000), (100, 300), (200, 150)])
  func `the share of packets that meet no other is that of the formula`(count: Int, seconds: Int) {
    let (alone, all) = alone(among: count, seed: UInt64(count), for: .seconds(Int64(seconds)))
    // The mean period has 5 ms more than the interval.
    let chance = pow(1 - 2 * 0.376 / 105, Double(count - 1))
    let deviation = (chance * (1 - chance) / Double(all)).squareRoot()
    let found = Double(alone) / Double(all)
    // Two-sided, alpha 0.001.
    #expect(abs(found - chance) < 3.29 * deviation, "\(count) advertisers: \(found), expected \(chance) of \(all)")
    #expect(all > seconds * 9)
  }

  @Test func `without the random part two that began together would meet for ever; with it they separate`() {
    var apart: [Int] = []
    for seed in 1...50 {
      var rig = RadioRig(seed: Seed(UInt64(seed)))
      for _ in 0..<2 { rig.addAdvertiser(every: AirStatisticsTests.period, byteCount: 31) }
      var starts: [[Int64]] = [[], []]
      rig.tap = { _, channel, start, host in if channel == 37 { starts[host].append(start.nanoseconds) } }
      _ = rig.run(for: .seconds(10))
      let first = zip(starts[0], starts[1]).enumerated().first { abs($1.0 - $1.1) >= 376_000 }
      apart.append(first?.offset ?? .max)
    }
    // Most are apart at once, since the first event is delayed as well; each is soon.
    #expect(apart.allSatisfy { $0 <= 5 }, "\(apart)")
    #expect(apart.contains { $0 > 0 })
  }
}
