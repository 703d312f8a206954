import Foundation

/// What a figure should be.
enum Target {
  case atMost(Double)
  case atLeast(Double)

  func isMet(by value: Double) -> Bool {
    switch self {
    case .atMost(let bound): value <= bound
    case .atLeast(let bound): value >= bound
    }
  }

  var text: String {
    switch self {
    case .atMost(let bound): "<= \(Report.number(bound))"
    case .atLeast(let bound): ">= \(Report.number(bound))"
    }
  }

  /// By how much a value misses it.
  func shortfall(_ value: Double) -> String {
    switch self {
    case .atMost(let bound): "missed by \(Report.number((value / bound - 1) * 100)) %"
    case .atLeast(let bound): "missed by \(Report.number((1 - value / bound) * 100)) %"
    }
  }
}

/// One line of the table.
struct Figure {
  var name: String
  var value: Double
  var unit: String
  /// What it is compared with, and what that took in the same unit.
  var anchor: (name: String, value: Double)?
  /// Value to anchor, or anchor to value where the target says how many times as fast it should be.
  var ratio: Double?
  /// The target is about the ratio if there is one, else about the value.
  var target: Target?
  /// A bound on the value itself, where there is a ratio that has no target.
  var aimsAtValue = false

  var aimed: Double { aimsAtValue ? value : ratio ?? value }
}

/// Prints figures as they come: a table for people, or JSON lines.
final class Report {
  private let isJSON: Bool
  /// Figures of a smoke run mean nothing, so they are held to nothing.
  private let isSmoke: Bool
  private var met = 0
  private var missed: [String] = []

  init(_ options: Options) { (isJSON, isSmoke) = (options.isJSON, options.isSmoke) }

  func begin() {
    if isJSON { return }
    print("Rollcall bench: process CPU time; contenders take turns within each pass, ratios are medians of the")
    print("ratios of the passes; every run of a world is recorded by its digest, nothing else, unless said.")
    if isSmoke { print("--smoke: everything tiny; the figures mean nothing.") }
    print("")
    print(Report.row(["figure", "value", "anchor", "ratio", "target", ""]))
    print(String(repeating: "-", count: 150))
  }

  func add(_ figure: Figure) {
    var verdict = ""
    var isMet: Bool?
    if let target = figure.target, !isSmoke {
      isMet = target.isMet(by: figure.aimed)
      verdict = isMet == true ? "met" : target.shortfall(figure.aimed)
      if isMet == true { met += 1 } else { missed.append(figure.name) }
    }
    if isJSON {
      var fields = [
        "\"name\":\(quote(figure.name))", "\"value\":\(plain(figure.value))", "\"unit\":\(quote(figure.unit))",
      ]
      if let anchor = figure.anchor {
        fields += ["\"anchor\":\(quote(anchor.name))", "\"anchorValue\":\(plain(anchor.value))"]
      }
      if let ratio = figure.ratio { fields.append("\"ratio\":\(plain(ratio))") }
      if let target = figure.target { fields.append("\"target\":\(quote(target.text))") }
      if let isMet { fields.append("\"met\":\(isMet)") }
      print("{\(fields.joined(separator: ","))}")
      return
    }
    let anchor = figure.anchor.map { "\($0.name) \(Report.number($0.value))" } ?? ""
    let aims = figure.aimsAtValue ? " \(figure.unit)" : figure.ratio == nil ? " \(figure.unit)" : "x"
    print(
      Report.row([
        figure.name, "\(Report.number(figure.value)) \(figure.unit)", anchor,
        figure.ratio.map { Report.number($0) + "x" } ?? "", figure.target.map { $0.text + aims } ?? "", verdict,
      ]))
  }

  /// A line between figures: definitions, and what was left out and why.
  func note(_ text: String) {
    print(isJSON ? "{\"note\":\(quote(text))}" : "  \(text)")
  }

  func end(proof: UInt64, seconds: Double) {
    if isJSON {
      print(
        "{\"summary\":{\"met\":\(met),\"missed\":[\(missed.map(quote).joined(separator: ","))],"
          + "\"cpuSeconds\":\(plain(seconds)),\"proof\":\"\(Proof.text(proof))\"}}")
      return
    }
    print("")
    let list = missed.isEmpty ? "" : ": " + missed.joined(separator: "; ")
    let verdict = "\(met) targets met, \(missed.count) missed\(list)"
    print(isSmoke ? "everything ran; no figure was held to its target" : verdict)
    print("\(Report.number(seconds)) s CPU, proof \(Proof.text(proof))")
  }

  private static func row(_ cells: [String]) -> String {
    let widths = [38, 19, 47, 9, 18, 0]
    var line = ""
    for (cell, width) in zip(cells, widths) {
      line += cell + String(repeating: " ", count: max(1, width - cell.count + 1))
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  /// Three significant digits, or all of a whole number.
  static func number(_ value: Double) -> String {
    let size = abs(value)
    if size >= 100 || value == value.rounded(), size < 1e15 { return grouped(Int(value.rounded())) }
    return String(format: size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f", value)
  }

  private static func grouped(_ value: Int) -> String {
    var digits = Array(String(abs(value)))
    var place = digits.count - 3
    while place > 0 {
      digits.insert(" ", at: place)
      place -= 3
    }
    return (value < 0 ? "-" : "") + String(digits)
  }

  private func plain(_ value: Double) -> String { value.isFinite ? String(format: "%.6g", value) : "null" }

  private func quote(_ text: String) -> String {
    let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
    return "\"\(escaped)\""
  }
}
