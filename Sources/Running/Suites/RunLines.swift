import RollcallPrimitives
import RollcallReporting
package import RollcallScenarios
import RollcallTrace

/// Runs as JSON lines.
package enum RunLines {
  /// `{"kind":"run",…}` of `rollcall run --format json`.
  package static func json(_ run: SuiteRun) -> String {
    var line = JSONLine(kind: "run")
    line.add("scenario", run.path)
    line.add("point", object: run.point.map { ($0.path, $0.text) })
    line.add("seed", run.seed)
    line.add("outcome", run.outcome.rawValue)
    if let standing = run.standing { line.add("standing", standing.kind.rawValue) }
    line.add("digest", run.digest.description)
    line.add("entries", run.entries)
    line.add("virtualSeconds", raw: trimmed(run.virtualTime.decimal))
    if let planted = run.planted { line.add("planted", planted) }
    if let engine = run.engine { line.add("engine", engine) }
    if let message = run.message { line.add("message", message) }
    if !run.notes.isEmpty { line.add("engineSaid", run.notes) }
    line.add("expectations", raw: "[" + run.verdicts.map { json($0, of: run) }.joined(separator: ",") + "]")
    if let reports = run.reports {
      line.add("reportCount", reports.count)
      line.add("reports", raw: "[" + reports.listed.map { json($0.report, at: $0.time) }.joined(separator: ",") + "]")
    }
    return line.closed
  }

  private static func json(_ verdict: Verdict, of run: SuiteRun) -> String {
    var object = JSONLine()
    object.add("id", verdict.id)
    if verdict.place.line > 0 { object.add("line", verdict.place.line) }
    object.add("outcome", verdict.outcome.rawValue)
    if verdict.isBad {
      object.add("expected", verdict.expected)
      object.add("found", verdict.found)
      if let time = verdict.time { object.add("time", time.description) }
    }
    if verdict.untestedWindows > 0 { object.add("untestedWindows", verdict.untestedWindows) }
    if let nearby = run.nearby.first(where: { $0.id == verdict.id })?.reports {
      object.add("nearby", raw: "[" + nearby.map(json).joined(separator: ",") + "]")
    }
    return object.closed
  }

  private static func json(_ nearby: NearbyReport) -> String {
    var object = JSONLine()
    object.add("side", nearby.side.rawValue)
    object.add("entry", nearby.cause.entry)
    object.add("frame", nearby.cause.frame)
    object.add("cause", nearby.cause.text)
    object.add("report", raw: json(nearby.report, at: nearby.time))
    return object.closed
  }

  private static func json(_ report: Report, at time: Instant) -> String {
    var object = JSONLine()
    object.add("time", time.description)
    ReportLine.add(report, to: &object)
    return object.closed
  }

  /// Decimal seconds without the zeros that say nothing; always a number that JSON knows.
  private static func trimmed(_ decimal: String) -> String {
    var text = decimal
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }

  /// `{"kind":"skipped",…}`: a scenario that was not run.
  package static func skipped(_ path: String, why: String) -> String {
    var line = JSONLine(kind: "skipped")
    line.add("scenario", path)
    line.add("reason", why)
    return line.closed
  }

  /// - Parameters:
  ///   - expected: the file of expected results; `nil`: there is none.
  ///   - suite: what was to be run, where another engine is in the place of Rollcall's.
  package static func summary(
    _ account: RunAccount, expected: ExpectedRuns? = nil, suite: Suite? = nil
  ) -> String {
    var line = JSONLine(kind: "summary")
    line.add("runs", account.runCount)
    line.add("passed", account.goodCount - account.knownCount)
    line.add("failed", account.runCount - account.goodCount)
    if let expected {
      line.add("known", account.knownCount)
      line.add("unmet", expected.unmet.count)
    }
    line.add("scenarios", account.scenarioCount)
    if let suite, suite.options.engine?.isForeign == true {
      line.add("notForEngine", suite.unfit.count)
      line.add("notAsked", suite.unaskedCount)
    }
    let failures = account.failures.map { failure -> String in
      var object = JSONLine()
      object.add("scenario", failure.path)
      object.add("point", object: failure.point.map { ($0.path, $0.text) })
      object.add("count", failure.seeds.count)
      object.add("seeds", failure.seeds.texts)
      return object.closed
    }
    if !failures.isEmpty { line.add("failures", raw: "[" + failures.joined(separator: ",") + "]") }
    if let planned = account.interruptedOf {
      line.add("interrupted", true)
      line.add("planned", planned)
    }
    return line.closed
  }
}

/// A failed run, told to a person.
package enum FailureText {
  /// What was expected, what was found, when, what happened around it, and the one command that repeats it.
  package static func lines(_ run: SuiteRun) -> [String] {
    var lines: [String] = []
    if let standing = run.standing?.text { lines.append(standing) }
    if let message = run.message { lines.append(message) }
    lines += run.notes.map { "    " + $0 }
    for verdict in run.verdicts where verdict.isBad {
      let place = verdict.place.line == 0 ? "" : verdict.place.text(in: run.path) + ": "
      lines.append("\(place)\(verdict.id)  \(verdict.text)")
      if verdict.outcome == .vacuous {
        lines.append("    not tested: \(verdict.found)")
      } else {
        lines.append("    expected  \(verdict.expected)")
        lines.append("    found     \(verdict.found)")
        if let time = verdict.time { lines.append("    when      \(time) s") }
      }
      for one in run.nearby.first(where: { $0.id == verdict.id })?.reports ?? [] {
        lines += self.lines(one, verdict.names)
      }
    }
    lines.append("again: \(command(run))")
    return lines
  }

  private static func lines(_ nearby: NearbyReport, _ names: [String: String]) -> [String] {
    let frame = nearby.cause.frame.map { ", frame \($0)" } ?? ""
    let side = nearby.side.rawValue.padded(to: 8)
    return [
      "    \(side)  \(nearby.time) \(ReportText.line(nearby.report, names: names))",
      "              by entry \(nearby.cause.entry)\(frame): \(nearby.cause.text)",
    ]
  }

  package static func command(_ run: SuiteRun) -> String {
    command(path: run.path, seed: run.seed, point: run.point, bites: run.planted != nil, engine: run.engine)
  }

  /// The command that performs one run.
  /// - Parameter engine: the command of an engine in the place of Rollcall's.
  package static func command(
    path: String, seed: UInt64, point: [Point.Value], bites: Bool, engine: String? = nil
  ) -> String {
    var words = ["rollcall", "run", isPlain(path) ? path : quoted(path), "--seed", "\(seed)"]
    for value in point { words += ["--set", quoted("\(value.path)=\(value.text)")] }
    if bites { words.append("--bites") }
    if let engine { words += ["--engine", quoted(engine)] }
    return words.joined(separator: " ")
  }

  /// One word for a shell, whatever stands in it.
  private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }

  /// Whether a shell takes a path as it stands.
  private static func isPlain(_ path: String) -> Bool {
    !path.isEmpty
      && path.utf8.allSatisfy { byte in
        switch byte {
        // Digits, letters, + , - . / and % : = @ _, and what is no ASCII.
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B...0x2F, 0x25, 0x3A, 0x3D, 0x40, 0x5F, 0x80...0xFF: true
        default: false
        }
      }
  }
}
