import RollcallPrimitives
import RollcallWire

/// Curves as a picture in SVG: how often all devices are found above, and how soon below. What was measured are dots with
/// their intervals, what theory says dashed lines. It needs no other file, suits light and dark screens, and is the same
/// text for the same results.
package struct CurvePicture {
  /// More are in the table alone: more colours are hard to tell apart.
  package static let curvesMaximum = 6

  // Colours that people with any sight tell apart, after Okabe and Ito (2008).
  private static let colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9"]
  private static let style = """
    :root{color-scheme:light dark}svg{background:#fff;font:12px system-ui,sans-serif}text{fill:#333}\
    .t{font-size:16px;font-weight:600;fill:#111}.p{font-size:13px;font-weight:600}.m{fill:#666}.g{stroke:#e4e4e4}\
    .a{stroke:#999}.l{fill:none;stroke-width:2}.d{stroke-dasharray:5 4;stroke-width:1.5}.b{opacity:.14}\
    .w{stroke-width:1.5}
    @media (prefers-color-scheme:dark){svg{background:#16181c}text{fill:#cfd2d6}.t{fill:#fff}.m{fill:#9ba3ad}\
    .g{stroke:#2b2f36}.a{stroke:#6b7280}}
    """

  // In pixels.
  private static let width = 760.0
  private static let left = 64.0
  private static let right = 736.0
  private static let margin = 24.0
  private static let panelHeight = 240.0
  private static let panelGap = 58.0
  private static let legendColumns = 3

  /// Characters of one text: a longer one would leave the picture.
  private static let textMaximum = 110

  private let source: CurveSet
  private let curves: [Curve]
  private var lines: [String] = []
  /// The ends of the axis.
  private let ends: (low: Double, high: Double)
  /// Where the first panel begins, and how high all of it is.
  private let top: Double
  private let height: Double

  /// The document; `nil`: there is nothing to draw.
  package static func svg(_ source: CurveSet) -> String? { markup(source, style: style, title: source.title) }

  /// The same inside a page that says how its classes look, and has the title above it.
  package static func inline(_ source: CurveSet) -> String? { markup(source, style: nil, title: "") }

  private static func markup(_ source: CurveSet, style: String?, title: String) -> String? {
    guard var picture = CurvePicture(source) else { return nil }
    picture.draw(style: style, title: title)
    return picture.lines.joined(separator: "\n") + "\n"
  }

  private init?(_ source: CurveSet) {
    self.source = source
    curves = Array(source.curves.prefix(CurvePicture.curvesMaximum))
    let all = curves.flatMap { $0.places.map(\.x) }
    guard let low = all.min(), let high = all.max() else { return nil }
    ends = (low, high)
    let rows = curves.count > 1 ? (curves.count - 1) / CurvePicture.legendColumns + 1 : 0
    top = 84 + 18 * Double(rows)
    height = top + 2 * CurvePicture.panelHeight + CurvePicture.panelGap + 58
  }

  // MARK: - The whole

  private mutating func draw(style: String?, title: String) {
    let (width, height) = (CurvePicture.number(CurvePicture.width), CurvePicture.number(height))
    lines.append(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 \(width) \(height)\""
        + " width=\"\(width)\" height=\"\(height)\">")
    lines.append("<title>\(CurvePicture.shown(source.title))</title>")
    if let style { lines.append("<style>\(style)</style>") }
    text(title, CurvePicture.margin, 28, "t")
    let hasTheory = curves.contains { $0.places.contains { $0.theory != nil } }
    let more = source.curves.count - curves.count
    text(
      "dots: measured, with 95 % intervals" + (hasTheory ? "; dashed: theory" : "")
        + (more > 0 ? "; \(more) more curves stand in the table" : ""), CurvePicture.margin, 46, "m")
    if curves.count > 1 { drawLegend() }
    drawShares(at: top)
    drawTimes(at: top + CurvePicture.panelHeight + CurvePicture.panelGap)
    text(source.axis, (CurvePicture.left + CurvePicture.right) / 2, self.height - 14, "m", anchor: "middle")
    lines.append("</svg>")
  }

  private mutating func drawLegend() {
    for (number, curve) in curves.enumerated() {
      let x = CurvePicture.margin + 235 * Double(number % CurvePicture.legendColumns)
      let y = 68 + 18 * Double(number / CurvePicture.legendColumns)
      line(x, y - 4, x + 18, y - 4, "stroke=\"\(CurvePicture.colours[number])\" stroke-width=\"3\"")
      text(curve.label, x + 24, y, "")
    }
  }

  // MARK: - Panels

  /// What is drawn of a place: `nil` where there is nothing.
  private struct Mark {
    var x: Double
    var value: Double?
    var low: Double?
    var high: Double?
    var theory: Double?
    var words: String
  }

  private mutating func drawShares(at y: Double) {
    drawFrame(at: y, "All devices found", ticks: [0, 0.25, 0.5, 0.75, 1], maximum: 1) {
      Decimals.text($0 * 100, 0) + " %"
    }
    for (number, curve) in curves.enumerated() {
      let marks = curve.places.sorted { $0.x < $1.x }.map { place in
        Mark(
          x: place.x, value: place.runCount > 0 ? place.found.share : nil, low: place.found.low, high: place.found.high,
          theory: place.theory?.share, words: CurveWords.share(place))
      }
      draw(marks, number, at: y, maximum: 1)
    }
  }

  private mutating func drawTimes(at y: Double) {
    let all = curves.flatMap(\.places).flatMap { place in
      [place.median.value, place.median.low, place.median.high, place.theory?.median].compactMap { $0 }
    }
    let longest = all.max().map(CurvePicture.seconds) ?? 1
    let steps: [Double] = [0.001, 0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000]
    let step = steps.first { longest <= 6 * $0 } ?? longest / 5
    let count = max(1, Int((longest / step).rounded(.up)))
    let places = step < 0.01 ? 3 : step < 0.1 ? 2 : step < 1 ? 1 : 0
    drawFrame(
      at: y, "Time until the last one is found (median of all runs)", ticks: (0...count).map { Double($0) * step },
      maximum: Double(count) * step
    ) { Decimals.text($0, places) + " s" }
    for (number, curve) in curves.enumerated() {
      let marks = curve.places.sorted { $0.x < $1.x }.map { place in
        Mark(
          x: place.x, value: place.median.value.map(CurvePicture.seconds),
          low: place.median.low.map(CurvePicture.seconds), high: place.median.high.map(CurvePicture.seconds),
          theory: place.theory?.median.map(CurvePicture.seconds), words: CurveWords.median(place))
      }
      draw(marks, number, at: y, maximum: Double(count) * step)
    }
  }

  private mutating func drawFrame(
    at y: Double, _ heading: String, ticks: [Double], maximum: Double, _ label: (Double) -> String
  ) {
    let bottom = y + CurvePicture.panelHeight
    text(heading, CurvePicture.margin, y - 10, "p")
    for tick in ticks {
      let height = bottom - CurvePicture.panelHeight * tick / maximum
      line(CurvePicture.left, height, CurvePicture.right, height, "class=\"g\"")
      text(label(tick), CurvePicture.left - 8, height + 4, "m", anchor: "end")
    }
    // Values that several curves have are written once.
    var written: [Double] = []
    for place in curves.flatMap(\.places) where !written.contains(place.x) {
      written.append(place.x)
      line(x(place.x), bottom, x(place.x), bottom + 5, "class=\"a\"")
      text(place.text, x(place.x), bottom + 19, "m", anchor: "middle")
    }
    line(CurvePicture.left, bottom, CurvePicture.right, bottom, "class=\"a\"")
  }

  private mutating func draw(_ marks: [Mark], _ number: Int, at top: Double, maximum: Double) {
    let colour = CurvePicture.colours[number]
    let bottom = top + CurvePicture.panelHeight
    func y(_ value: Double) -> Double { bottom - CurvePicture.panelHeight * value / maximum }
    func points(_ list: [(x: Double, value: Double)]) -> String {
      list.map { "\(CurvePicture.number(x($0.x))),\(CurvePicture.number(y($0.value)))" }.joined(separator: " ")
    }
    let shown = marks.filter { $0.value != nil }
    let lows = shown.compactMap { mark in mark.high.flatMap { _ in mark.low.map { (x: mark.x, value: $0) } } }
    let highs = shown.compactMap { mark in mark.low.flatMap { _ in mark.high.map { (x: mark.x, value: $0) } } }
    if lows.count > 1 {
      lines.append("<polygon class=\"b\" fill=\"\(colour)\" points=\"\(points(highs + lows.reversed()))\"/>")
    }
    let theory = marks.compactMap { mark in mark.theory.map { (x: mark.x, value: $0) } }
    if theory.count > 1 { lines.append("<polyline class=\"l d\" stroke=\"\(colour)\" points=\"\(points(theory))\"/>") }
    let values = marks.compactMap { mark in mark.value.map { (x: mark.x, value: $0) } }
    if values.count > 1 { lines.append("<polyline class=\"l\" stroke=\"\(colour)\" points=\"\(points(values))\"/>") }
    for mark in marks {
      guard let value = mark.value else { continue }
      // An end that is not known is beyond the panel.
      let (high, low) = (mark.high.map(y) ?? top, mark.low.map(y) ?? bottom)
      line(x(mark.x), high, x(mark.x), low, "class=\"w\" stroke=\"\(colour)\"")
      let (cx, cy) = (CurvePicture.number(x(mark.x)), CurvePicture.number(y(value)))
      lines.append(
        "<circle fill=\"\(colour)\" cx=\"\(cx)\" cy=\"\(cy)\" r=\"3.5\"><title>\(CurvePicture.shown(mark.words))</title>"
          + "</circle>")
    }
  }

  // MARK: - Pieces

  /// Where a value of the axis is.
  private func x(_ value: Double) -> Double {
    let part = ends.high > ends.low ? (value - ends.low) / (ends.high - ends.low) : 0.5
    return CurvePicture.left + 14 + (CurvePicture.right - CurvePicture.left - 28) * part
  }

  private static func seconds(_ interval: Interval) -> Double { Double(interval.nanoseconds) / 1e9 }
  private static func number(_ value: Double) -> String { Decimals.text(value, 1) }

  /// Text from anywhere, as it stands between tags: nothing hidden in it, and not too long.
  private static func shown(_ text: String) -> String {
    let scalars = text.unicodeScalars
    if scalars.count <= textMaximum { return XMLText.escaped(PlainText.shown(text)) }
    return XMLText.escaped(PlainText.shown(String(String.UnicodeScalarView(scalars.prefix(textMaximum)))) + "…")
  }

  private mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ attributes: String) {
    let (x1, y1) = (CurvePicture.number(x1), CurvePicture.number(y1))
    let (x2, y2) = (CurvePicture.number(x2), CurvePicture.number(y2))
    lines.append("<line x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\" \(attributes)/>")
  }

  private mutating func text(_ text: String, _ x: Double, _ y: Double, _ kind: String, anchor: String? = nil) {
    if text.isEmpty { return }
    let place = "x=\"\(CurvePicture.number(x))\" y=\"\(CurvePicture.number(y))\""
    let side = anchor.map { " text-anchor=\"\($0)\"" } ?? ""
    lines.append("<text class=\"\(kind)\" \(place)\(side)>\(CurvePicture.shown(text))</text>")
  }
}
