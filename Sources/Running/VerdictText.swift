package import RollcallPrimitives
import RollcallReporting
import RollcallScenarios
import RollcallTrace

/// Verdicts in words.
extension Verdict {
  /// What was expected; empty where it held.
  package var expected: String { reason?.expected(names) ?? "" }
  /// What was found instead.
  package var found: String { reason?.found(names) ?? "" }
  /// When; `nil` where no moment can be named.
  package var time: Instant? { outcome == .violated ? reason?.time : nil }
}

extension VerdictReason {
  /// - Parameter names: of nearby peers, as for `found`.
  func expected(_ names: [String: String] = [:]) -> String {
    switch self {
    case .count(let miss):
      let what = [miss.event.text, miss.label].filter { !$0.isEmpty }.joined(separator: " of ")
      return "\(what), \(miss.times)×, from \(miss.window.lowerBound) to \(miss.window.upperBound)"
    case .forbidden(let event, let window, _):
      return "no \(event.text) from \(window.lowerBound) to \(window.upperBound)"
    case .devices(let at, let wanted, _, _, let isConvergence):
      return (isConvergence ? "converged: " : "")
        + "exactly \(wanted.count) devices at \(at): \(VerdictReason.list(wanted, names))"
    case .deviceCount(let at, let wanted, _): return "\(wanted) devices at \(at)"
    case .changeAfterConvergence(let from, _): return "converged: no change after \(from)"
    case .peak(let of, let bound, _): return "at most \(bound) \(of.rawValue)"
    case .share(_, let bound, let isLower, _, _): return "in at \(isLower ? "least" : "most") \(bound) of the seeds"
    case .sampleOutside(let quantity, let range, _):
      return "\(quantity.rawValue) from \(range.lowerBound) to \(range.upperBound)"
    case .unevenSample(let quantity, _, _, let alpha): return "\(quantity.rawValue) uniform, alpha \(alpha)"
    case .broken(let clause, let who, let expected, _, _): return "\(clause) of \(who): \(expected)"
    case .notKept(let clause, let who): return "\(clause), kept by \(who) at least once"
    case .notTested(let event, let label, _, let end):
      let what = [event.text, label].filter { !$0.isEmpty }.joined(separator: " of ")
      return "a window for \(what) that ends before the run does, at \(end)"
    case .nothingHappened: return "a run in which something happens"
    case .neverHappened: return "that it happens at all, for an upper bound alone"
    case .noSeedTells: return "a seed under which the window ends before the run does"
    case .tooFewSamples(_, let wanted): return "\(wanted) samples"
    }
  }

  /// - Parameter names: what the scenario calls its nearby peers, by their names as devices.
  func found(_ names: [String: String] = [:]) -> String {
    switch self {
    case .count(let miss):
      if miss.count > 0 {
        let times = miss.listed.map { "\($0)" }.joined(separator: ", ")
        let rest = miss.count > miss.listed.count ? miss.last.map { ", … \($0)" } : nil
        return "\(miss.count)×: \(times)" + (rest ?? "")
      }
      guard let nearest = miss.nearest else { return "it never happened" }
      let side = nearest.time < miss.window.lowerBound ? "before" : "after"
      let distance = VerdictReason.distance(nearest.time, miss.window).decimal
      return "only \(distance) s \(side): \(nearest.time) \(ReportText.line(nearest.report, names: names))"
    case .forbidden(_, _, let report), .changeAfterConvergence(_, let report):
      return ReportText.line(report.report, names: names)
    case .devices(_, _, let missing, let surplus, _):
      var parts: [String] = []
      if !missing.isEmpty { parts.append("missing: \(VerdictReason.list(missing, names))") }
      if !surplus.isEmpty { parts.append("not expected: \(VerdictReason.list(surplus, names))") }
      return parts.joined(separator: "; ")
    case .deviceCount(_, _, let present): return "\(present.count): \(VerdictReason.list(present, names))"
    case .peak(_, _, let found): return "\(found) at the peak"
    case .share(let label, _, _, let count, let seeds):
      return "\(count) of \(seeds)" + (label.isEmpty ? "" : " \(label)")
    case .sampleOutside(_, _, let value): return value.decimal + " s"
    case .unevenSample(_, let count, let chance, _): return "\(count) samples with p = \(chance)"
    case .broken(_, _, _, let found, _): return found
    case .notKept: return "no occasion on which it did"
    case .notTested(_, _, let windows, _):
      return windows == 0
        ? "what it counts from never happened"
        : "the run ended before \(windows == 1 ? "its window" : "each of its \(windows) windows") did"
    case .nothingHappened: return "nothing was ever reported"
    case .neverHappened: return "it never happened, which breaks no upper bound"
    case .noSeedTells: return "the run of every seed ended before the window did"
    case .tooFewSamples(let count, let wanted): return "\(count) samples of \(wanted)"
    }
  }

  /// The moment that it is about; `nil`: none.
  package var time: Instant? {
    switch self {
    case .count(let miss): miss.last ?? miss.window.upperBound
    case .forbidden(_, _, let report), .changeAfterConvergence(_, let report): report.time
    case .devices(let at, _, _, _, _), .deviceCount(let at, _, _), .broken(_, _, _, _, let at): at
    default: nil
    }
  }

  static func distance(_ time: Instant, _ window: ClosedRange<Instant>) -> Interval {
    time < window.lowerBound ? window.lowerBound - time : max(.zero, time - window.upperBound)
  }

  private static func list(_ devices: [String], _ names: [String: String]) -> String {
    if devices.isEmpty { return "none" }
    return devices.prefix(6).map { names[$0] ?? $0 }.joined(separator: " ") + (devices.count > 6 ? " …" : "")
  }
}
