import RollcallPrimitives
import RollcallReporting

/// What became of a reproduction, for people.
package enum ReproduceText {
  package static func summary(_ outcome: Reproduce.Outcome) -> [String] {
    let reproduction = outcome.reproduction
    var lines: [String] = []
    if !outcome.tape.messages.isEmpty {
      lines.append(
        "\(PlainWords.count(outcome.tape.messages.count, "message")): \(reproduction.ownCount) from the inhabitants' own behaviour, "
          + "\(reproduction.rawCount) spelled out (\(percent(reproduction.share)) own)")
    }
    if !outcome.tape.packets.list.isEmpty { lines.append("\(packets(outcome.tape)), each heard as it was") }
    if let difference = outcome.comparison.difference {
      lines.append("the run does not say the same: \(difference)")
    } else if outcome.comparison.foundCount == 0 {
      lines.append("no reports, neither of the capture nor of the run: there was nothing to compare")
    } else {
      lines.append(
        "\(PlainWords.count(outcome.comparison.foundCount, "report")), the same in the same order, at most "
          + "\(outcome.comparison.worst.decimal) s apart")
    }
    if let difference = outcome.fixedPoint.difference {
      lines.append("recorded and replayed again it does not say the same: \(difference)")
    }
    if !outcome.isShapeKept { lines.append("without names the engine says something else than with them") }
    if !outcome.isTapeTrue {
      lines.append("the messages alone do not say what the capture says: what it holds beyond them is not reproduced")
    }
    lines += outcome.ambiguities
    lines += outcome.broken.map { "does not hold: \($0)" }
    lines += reproduction.losses.map { "not reconstructed: \($0)" }
    return lines
  }

  /// A line of the table over many captures.
  package static func row(_ path: String, _ outcome: Reproduce.Outcome) -> String {
    let verdict = outcome.comparison.difference ?? outcome.fixedPoint.difference.map { "fixed point: \($0)" } ?? "same"
    var heard: [String] = []
    if !outcome.tape.messages.isEmpty {
      heard.append(
        "\(PlainWords.count(outcome.tape.messages.count, "message")), \(percent(outcome.reproduction.share)) own, ")
    }
    if !outcome.tape.packets.list.isEmpty { heard.append("\(packets(outcome.tape)), ") }
    return
      "\(path): \(heard.joined())\(compared(outcome)): \(verdict)"
      + (outcome.isShapeKept ? "" : " (names matter)") + (outcome.isTapeTrue ? "" : " (more than messages)")
      + (outcome.ambiguities.isEmpty ? "" : " (names became one)")
      + (outcome.broken.isEmpty ? "" : " (\(outcome.broken.count) broken)")
  }

  private static func compared(_ outcome: Reproduce.Outcome) -> String {
    if outcome.comparison.expectedCount == 0, outcome.comparison.foundCount == 0 { return "nothing to compare" }
    return PlainWords.count(outcome.reports.count, "report") + ", \(outcome.comparison.worst.decimal) s"
  }

  /// `85 packets of 7 peripherals`
  static func packets(_ tape: CaptureTape) -> String {
    PlainWords.count(tape.packets.list.count, "packet") + " of "
      + PlainWords.count(tape.packets.addresses.count, "peripheral")
  }

  static func percent(_ share: Double) -> String { "\(Int(share * 100 + 0.5)) %" }
}
