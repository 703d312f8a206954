import RollcallPrimitives
import RollcallSimulation
import RollcallWire

extension Form<RadioSection> {
  static let radio = Form.record(
    RadioSection(),
    [
      .key("position", \.position, .position, default: Position(), "Where it is."),
      .key(
        "transmit-power", \.transmitPower, .decibelMilliwatts, default: RadioSection().transmitPower,
        "How strongly it sends."),
      .key(
        "sensitivity", \.sensitivity, .decibelMilliwatts, default: RadioSection().sensitivity,
        "The weakest packet that it receives."),
      .key("loss", \.loss, .loss, default: .none, "Which share of packets it fails to receive beside that."),
    ]
  ).named("radio")
}

extension Form<AirPlan> {
  static let air = Form.record(
    AirPlan(),
    [
      .key(
        "path-loss-exponent", \.exponentTenths, .exponent, default: AirPlan().exponentTenths,
        "2 in the open, 3 and more between walls."),
      .key(
        "shadowing", \.shadowingMillidecibels, .decibels, default: AirPlan().shadowingMillidecibels,
        "The standard deviation of what stands between two radios, drawn once for each pair."),
      .key(
        "capture", \.captureDecibels, .wholeDecibels, default: AirPlan().captureDecibels,
        "How much stronger a packet has to be than others at the same time."),
    ])
}

extension Form<Position> {
  static let position = Form.record(
    Position(),
    [
      .key("east", \.x, .length, default: 0, "From the middle of the world to the east."),
      .key("north", \.y, .length, default: 0, "To the north."), .key("up", \.z, .length, default: 0, "Upwards."),
    ]
  ).named("position")
}

extension Form<Int64> {
  private static let units: [(name: String, size: UInt64)] = [("mm", 1), ("cm", 10), ("m", 1_000), ("km", 1_000_000)]

  static let length = Form.scalar(
    "a length", example: "3m, -50cm or 1.5m", hasUnit: true, upTo: "100km either way",
    schema: Schema(
      .members(
        ("type", .string("string")), ("pattern", .string(#"^-?[0-9]+(\.[0-9]+)?(mm|cm|m|km)$"#)),
        ("examples", .array([.string("3m")])))),
    print: { $0 == 0 ? "0m" : ($0 < 0 ? "-" : "") + Number.text($0.magnitude, units: units) },
    parse: { text in
      let isNegative = text.hasPrefix("-")
      return Number.quantity(
        String(isNegative ? text.dropFirst() : text[...]), units: units, upTo: UInt64(Position.millimetresMaximum)
      ).map { isNegative ? -Int64($0) : Int64($0) }
    }
  ).named("length")
}

extension Form<Int> {
  private static func signed(
    _ noun: String, _ example: String, unit: String, _ range: ClosedRange<Int>
  ) -> Form {
    Form.scalar(
      noun, example: example, hasUnit: true, upTo: "\(range.upperBound)\(unit), down to \(range.lowerBound)\(unit)",
      schema: Schema(
        .members(("type", .string("string")), ("pattern", .string("^-?[0-9]+\(unit)$")))),
      print: { "\($0)\(unit)" },
      parse: { text in
        guard text.hasSuffix(unit) else { return .malformed }
        let digits = text.dropLast(unit.count)
        let isNegative = digits.hasPrefix("-")
        switch Number.whole(isNegative ? digits.dropFirst() : digits, upTo: 1_000) {
        case .value(let magnitude):
          let value = isNegative ? -Int(magnitude) : Int(magnitude)
          return range.contains(value) ? .value(value) : .tooLarge
        case .tooLarge: return .tooLarge
        case .malformed: return .malformed
        }
      })
  }

  static let decibelMilliwatts = signed("a power", "-95dBm or 4dBm", unit: "dBm", -127...30)
  static let wholeDecibels = signed("a ratio of powers", "21dB", unit: "dB", 0...100)

  /// Thousandths of a decibel.
  static let decibels = Form.scalar(
    "a deviation", example: "4dB or 2.5dB", hasUnit: true, upTo: "30dB",
    schema: Schema(.members(("type", .string("string")), ("pattern", .string(#"^[0-9]+(\.[0-9]+)?dB$"#)))),
    print: { decibelText($0) },
    parse: { text in Number.quantity(text, units: [("dB", 1_000)], upTo: 30_000).map { Int($0) } })

  private static func decibelText(_ thousandths: Int) -> String {
    let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1_000)
    if rest == 0 { return "\(whole)dB" }
    var digits = Substring(String(1_000 + rest).dropFirst())
    while digits.last == "0" { digits = digits.dropLast() }
    return "\(whole).\(digits)dB"
  }

  /// Tenths: `2`, `2.5`.
  static let exponent = Form.scalar(
    "an exponent from 1 to 6", example: "2 or 2.5",
    schema: Schema(.members(("type", .string("number")), ("minimum", .integer(1)), ("maximum", .integer(6)))),
    print: { $0 % 10 == 0 ? "\($0 / 10)" : "\($0 / 10).\($0 % 10)" },
    parse: { text in
      guard let (mantissa, decimals) = Number.decimal(text), decimals <= 1 else { return nil }
      let tenths = decimals == 1 ? mantissa : mantissa * 10
      return (10...60).contains(tenths) ? Int(tenths) : nil
    })
}

extension Form<Int8> {
  static let decibelMilliwatts8 = Form<Int>.decibelMilliwatts.map(
    { value, _, _ in Int8(clamping: value) }, back: { Int($0) })
}
