package import Primitives
package import Scenarios
import Trace
import Wire

/// Measured times of one run for one expectation about a distribution.
package struct DistributionSample: Hashable, Sendable {
  /// Index into `Resolved.expectations`.
  package var expectation: Int
  package var values: [Interval]

  /// The hosts whose traces a scenario's distributions are measured on.
  static func hosts(of resolved: Resolved) -> [Int] {
    var hosts: [Int] = []
    for expectation in resolved.expectations {
      if case .distribution(_, let devices) = expectation.kind { hosts += devices.map { resolved.devices[$0].host } }
    }
    return hosts
  }

  /// Measures what the expectations ask for, on the traces of the devices themselves: links add nothing to it.
  static func take(from trace: [TraceEntry], of resolved: Resolved) -> [DistributionSample] {
    var samples: [DistributionSample] = []
    for (index, expectation) in resolved.expectations.enumerated() {
      guard case .distribution(let distribution, let devices) = expectation.kind else { continue }
      var values: [Interval] = []
      for device in devices {
        let station = UInt32(resolved.devices[device].host)
        let entries = trace.filter { $0.station == station }
        switch distribution.of {
        case .responseDelay: values += responseDelays(entries, target: target(of: distribution, resolved))
        case .renewalInterval: values += renewalIntervals(entries)
        }
      }
      samples.append(DistributionSample(expectation: index, values: values))
    }
    return samples
  }

  /// ST of the search that the expectation names; `nil` for any.
  private static func target(of distribution: Distribution, _ resolved: Resolved) -> String? {
    guard let number = distribution.search else { return nil }
    for entry in resolved.commands {
      if case .search(let search) = entry.command, search.id.number == number { return search.target }
    }
    return nil
  }

  /// From the newest M-SEARCH of a socket to each answer that goes back to it.
  private static func responseDelays(_ entries: [TraceEntry], target: String?) -> [Interval] {
    var asked: [Endpoint: Instant] = [:]
    var delays: [Interval] = []
    for entry in entries {
      switch entry.content {
      case .received(let datagram):
        guard let message = SSDPReader.read(datagram.bytes, mode: .lenient).message, message.kind == .search,
          target == nil || message.value(of: .st) == target
        else { continue }
        asked[datagram.source] = entry.time
      case .sent(let datagram):
        guard let time = asked[datagram.destination], datagram.bytes.starts(with: Array("HTTP/1.1".utf8)) else {
          continue
        }
        delays.append(entry.time - time)
      default: break
      }
    }
    return delays
  }

  /// From one announcement of the root device to the next that is no repeat of the same set: the messages of a set go
  /// together, so one of them speaks for all.
  private static func renewalIntervals(_ entries: [TraceEntry]) -> [Interval] {
    var last: [String: Instant] = [:]
    var intervals: [Interval] = []
    for entry in entries {
      guard case .sent(let datagram) = entry.content,
        let message = SSDPReader.read(datagram.bytes, mode: .lenient).message, message.kind == .notifyAlive,
        message.value(of: .nt) == "upnp:rootdevice", let usn = message.value(of: .usn)
      else { continue }
      if let before = last[usn], entry.time - before > .seconds(5) { intervals.append(entry.time - before) }
      last[usn] = entry.time
    }
    return intervals
  }
}

extension Judge {
  /// The verdict on an expectation that looks at all seeds of a point together; `nil` for all others.
  package static func verdict(
    on expectation: ResolvedExpectation, number: Int, over runs: [RunResult]
  ) -> Verdict? {
    var verdict = Verdict(id: expectation.id, text: expectation.text, outcome: .held)
    switch expectation.kind {
    case .share(let checks, let atLeast, let atMost):
      for check in checks {
        let count = UInt64(runs.count { Judge($0.evidence).occurs(check) })
        let total = UInt64(runs.count)
        func isBelow(_ ratio: Ratio) -> Bool { count * ratio.denominator < ratio.numerator * total }
        func isAbove(_ ratio: Ratio) -> Bool { count * ratio.denominator > ratio.numerator * total }
        if let atLeast, isBelow(atLeast) {
          verdict.outcome = .violated
          verdict.expected = "in at least \(atLeast) of the seeds"
          verdict.found = "\(count) of \(total) \(check.label)"
        } else if let atMost, isAbove(atMost) {
          verdict.outcome = .violated
          verdict.expected = "in at most \(atMost) of the seeds"
          verdict.found = "\(count) of \(total) \(check.label)"
        }
      }
    case .distribution(let distribution, _):
      let values = runs.flatMap { $0.samples.filter { $0.expectation == number }.flatMap(\.values) }
      judge(values, distribution, &verdict)
    default: return nil
    }
    if verdict.outcome == .vacuous, expectation.mayBeVacuous { verdict.outcome = .waived }
    return verdict
  }

  private static func judge(_ values: [Interval], _ distribution: Distribution, _ verdict: inout Verdict) {
    let range = distribution.range
    let width = Double((range.upperBound - range.lowerBound).nanoseconds)
    if let outside = values.first(where: { !range.contains($0) }) {
      verdict.outcome = .violated
      verdict.expected = "\(distribution.of.rawValue) from \(range.lowerBound) to \(range.upperBound)"
      verdict.found = outside.decimal + " s"
      return
    }
    if values.count < distribution.samplesMinimum {
      verdict.outcome = .vacuous
      verdict.found = "\(values.count) samples of \(distribution.samplesMinimum)"
      return
    }
    let sample = values.map { Double(($0 - range.lowerBound).nanoseconds) / width }
    let chance = ChiSquare.uniformity(of: sample)
    let alpha = Double(distribution.alpha.numerator) / Double(distribution.alpha.denominator)
    if chance < alpha {
      verdict.outcome = .violated
      verdict.expected = "\(distribution.of.rawValue) uniform, alpha \(alpha)"
      verdict.found = "\(values.count) samples with p = \(chance)"
    }
  }
}
