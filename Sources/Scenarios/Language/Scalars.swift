import RollcallPrimitives
import RollcallSimulation
import RollcallWire

// The scalars of the language. A pattern in the schema is what an editor can check; the parser is stricter.

private let durationPattern = #"[0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h)"#
private let ratioPattern = #"([0-9]+(\.[0-9]+)?%|[0-9]+/[0-9]+)"#

private func pattern(_ pattern: String, _ example: String) -> Schema {
  Schema(
    .members(
      ("type", .string("string")), ("pattern", .string("^" + pattern + "$")),
      ("examples", .array([.string(example)]))))
}

extension Form<Interval> {
  static let duration = Form.scalar(
    "a duration", example: "250ms or 3s", hasUnit: true, upTo: Number.longestInterval,
    schema: pattern(durationPattern, "250ms"), print: \.description, parse: { Number.interval($0) }
  ).named("duration")
}

extension Form<Interval> {
  /// A measured time: `2.030308753s` where the whole number of nanoseconds says nothing to anybody.
  static let measured: Form = {
    var form = Form<Interval>.duration
    form.write = { interval, _ in
      for (size, unit) in [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")] as [(Int64, String)]
      where interval.nanoseconds >= size {
        let (whole, rest) = interval.nanoseconds.quotientAndRemainder(dividingBy: size)
        if rest == 0 { break }
        let digits = String(String(size + rest).dropFirst())
        let end = digits.lastIndex { $0 != "0" } ?? digits.startIndex
        return .scalar("\(whole).\(digits[...end])\(unit)")
      }
      return .scalar(interval.description)
    }
    return form
  }()
}

extension Form<Instant> {
  /// Since the run began.
  static let instant = Form.scalar(
    "an instant of the run", example: "250ms or 3s", hasUnit: true, upTo: Number.longestInterval,
    schema: pattern(durationPattern, "3s"), print: { $0.sinceStart.description },
    parse: { Number.interval($0).map { Instant.zero + $0 } }
  ).named("instant")
}

extension Form<ClosedRange<Interval>> {
  static let durations = Form.scalar(
    "a range of durations", example: "200us..1ms", hasUnit: true, upTo: Number.longestInterval,
    schema: pattern(durationPattern + #"(\.\."# + durationPattern + ")?", "200us..1ms"),
    print: { $0.lowerBound == $0.upperBound ? "\($0.lowerBound)" : "\($0.lowerBound)..\($0.upperBound)" },
    parse: { Number.range($0, Number.interval) }
  ).named("durations")
}

extension Form<ClosedRange<Instant>> {
  static let instants = Form<ClosedRange<Interval>>.durations.map(
    { range, _, _ in (.zero + range.lowerBound)...(.zero + range.upperBound) },
    back: { ($0.lowerBound - Instant.zero)...($0.upperBound - Instant.zero) })
}

extension Form<Ratio> {
  static let ratio = Form.scalar(
    "a share", example: "10%, 0.5% or 1/3", hasUnit: true, schema: pattern(ratioPattern, "10%"),
    print: { Number.text($0) }, parse: Number.ratio
  ).named("share")
}

extension Form<Int> {
  static let bytes = Form.scalar(
    "a size", example: "512B or 64KiB", hasUnit: true, upTo: "1024GiB",
    schema: pattern(#"[0-9]+(\.[0-9]+)?(B|KiB|MiB|GiB|kB|MB)"#, "64KiB"),
    print: { Number.text(UInt64(max(0, $0)), units: Number.sizes) },
    parse: { Number.quantity($0, units: Number.sizes, upTo: 1 << 40).map { Int($0) } }
  ).named("size")

  /// A whole number in decimal, without a unit: a count or a number that the standard writes so.
  static func integer(_ range: ClosedRange<Int>) -> Form {
    let example = String(min(max(3, range.lowerBound), range.upperBound))
    return Form.scalar(
      "a whole number from \(range.lowerBound) to \(range.upperBound)", example: example,
      schema: Schema(
        .members(
          ("type", .string("integer")), ("minimum", .integer(range.lowerBound)), ("maximum", .integer(range.upperBound))
        )
      ), print: { String($0) },
      parse: { text in
        let isNegative = text.utf8.first == 0x2D
        guard let magnitude = Number.natural(isNegative ? text.dropFirst() : text[...]).flatMap({ Int(exactly: $0) })
        else { return nil }
        let value = isNegative ? -magnitude : magnitude
        return range.contains(value) ? value : nil
      })
  }

  /// A number of whole seconds, with its unit.
  static func seconds(_ range: ClosedRange<Int>) -> Form {
    Form.scalar(
      "whole seconds from \(range.lowerBound)s to \(range.upperBound)s", example: "\(max(3, range.lowerBound))s",
      hasUnit: true, schema: pattern("[0-9]+(s|m|h)", "3s"), print: { Interval.seconds(Int64($0)).description },
      parse: { text in
        guard case .value(let interval) = Number.interval(text), interval.nanoseconds % 1_000_000_000 == 0 else {
          return nil
        }
        let seconds = Int(interval.nanoseconds / 1_000_000_000)
        return range.contains(seconds) ? seconds : nil
      })
  }
}

extension Form<UInt32> {
  static let number32 = Form<Int>.integer(0...Int(UInt32.max)).map(
    { value, _, _ in UInt32(value) }, back: { Int($0) })
}

extension Form<UInt16> {
  static let port = Form<Int>.integer(0...65_535).map({ value, _, _ in UInt16(value) }, back: { Int($0) })
}

extension Form<Int64> {
  static let bandwidth = Form.scalar(
    "a bandwidth", example: "10Mbit/s", hasUnit: true, upTo: "\(Int64.max)bit/s",
    schema: pattern(#"[0-9]+(\.[0-9]+)?[kMG]?bit/s"#, "10Mbit/s"),
    print: { Number.text(UInt64(max(0, $0)), units: Number.rates) },
    parse: { text in
      Number.quantity(text, units: Number.rates, upTo: UInt64(Int64.max)).map { $0 > 0 ? Int64($0) : nil }
    }
  ).named("bandwidth")

  static let partsPerMillion = Form.scalar(
    "a drift", example: "100ppm or -50ppm", hasUnit: true, upTo: "500000ppm either way",
    schema: pattern("-?[0-9]+ppm", "100ppm"), print: { "\($0)ppm" },
    parse: { text in
      guard text.hasSuffix("ppm") else { return .malformed }
      let digits = text.dropLast(3)
      let isNegative = digits.first == "-"
      return Number.whole(isNegative ? digits.dropFirst() : digits, upTo: 500_000).map { magnitude -> Int64? in
        isNegative ? -Int64(magnitude) : Int64(magnitude)
      }
    }
  ).named("drift")
}

extension Form<Bool> {
  static let bool = Form.scalar(
    "true or false", example: "true", schema: Schema(.members(("type", .string("boolean")))),
    print: { $0 ? "true" : "false" }, parse: { $0 == "true" ? true : $0 == "false" ? false : nil })
}

extension Form<String> {
  /// Any text, at most `countMaximum` bytes in UTF-8.
  static func text(_ noun: String = "a text", countMaximum: Int = 65_536) -> Form {
    Form.scalar(
      noun, example: "any of at most \(countMaximum) bytes", schema: Schema(.members(("type", .string("string")))),
      print: { $0 }, parse: { $0.utf8.count <= countMaximum ? $0 : nil })
  }

  /// One line of text that is not empty.
  static func line(_ noun: String, example: String) -> Form {
    Form.scalar(
      noun, example: example,
      schema: Schema(.members(("type", .string("string")), ("minLength", .integer(1)))), print: { $0 },
      parse: { text in
        !text.isEmpty && text.utf8.count <= 1_000 && text.unicodeScalars.allSatisfy { $0.value >= 0x20 } ? text : nil
      })
  }

  /// The name of something in this document; whether it is there is checked later.
  static func name(_ noun: String, example: String) -> Form {
    Form.scalar(
      noun, example: example, schema: pattern("[A-Za-z][A-Za-z0-9_-]*", example), print: { $0 },
      parse: { isName($0) ? $0 : nil })
  }
}

extension Form<IPAddress> {
  static let address = Form.scalar(
    "an address", example: "192.168.1.20 or fe80::20",
    schema: Schema(.members(("type", .string("string")), ("examples", .array([.string("192.168.1.20")])))),
    print: \.description, parse: { IPAddress($0) }
  ).named("address")
}

extension Form<InterfaceAddress> {
  static let subnet = Form.scalar(
    "a subnet", example: "192.168.1.0/24", schema: pattern("[0-9a-fA-F.:]+/[0-9]+", "192.168.1.0/24"),
    print: { "\($0.address)/\($0.prefixBits)" },
    parse: { text in
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, let address = IPAddress(parts[0]), let bits = Number.natural(parts[1]),
        address.family == .v4, (8...30).contains(bits),
        address.low & (0xFFFF_FFFF >> bits) == 0
      else { return nil }
      return InterfaceAddress(address, prefixBits: Int(bits))
    }
  ).named("subnet")
}

extension Form<CountRange> {
  static let count = Form.scalar(
    "a count", example: "12, 10..12 or 3..", upTo: "\(CountRange.countMaximum)",
    schema: Schema(
      .members(
        (
          "anyOf",
          .array([
            .members(("type", .string("integer")), ("minimum", .integer(0))),
            .members(("type", .string("string")), ("pattern", .string(#"^[0-9]+(\.\.[0-9]*)?$"#))),
          ])
        ))), print: \.description, parse: { CountRange.read($0) }
  ).named("count")
}

extension Form<ClosedRange<UInt64>> {
  static let seeds = Form.scalar(
    "a range of seeds", example: "1..200", upTo: "\(UInt64.max)",
    schema: .any(of: [Form<UInt64>.seed.schema, pattern(#"[0-9]+(\.\.[0-9]+)?"#, "1..200")]),
    print: { $0.lowerBound == $0.upperBound ? "\($0.lowerBound)" : "\($0.lowerBound)..\($0.upperBound)" },
    parse: { Number.range($0) { Number.whole($0, upTo: .max) } })
}

extension Form {
  /// One word of a closed list.
  @_semantics("optimize.sil.specialize.generic.never")
  static func word(_ noun: String, _ words: [(name: String, value: Value)]) -> Form where Value: Hashable {
    let names = words.map(\.name)
    return Form(
      schema: Schema(.members(("type", .string("string")), ("enum", .array(names.map { .string($0) })))),
      read: { tree, reader in reader.word(tree, noun, names).map { words[$0].value } },
      write: { value, _ in .scalar(words.first { $0.value == value }?.name ?? "") })
  }

  /// One case of an enum whose raw values are the words.
  @_semantics("optimize.sil.specialize.generic.never")
  static func word(_ noun: String) -> Form
  where Value: CaseIterable & RawRepresentable & Hashable, Value.RawValue == String {
    word(noun, Value.allCases.map { ($0.rawValue, $0) })
  }
}

extension Reader {
  /// Which of these words the tree is.
  fileprivate mutating func word(_ tree: Tree, _ noun: String, _ names: [String]) -> Int? {
    guard case .scalar(let text) = tree.content else {
      wrongKind(tree, expected: "\(noun) such as \(names.first ?? "")")
      return nil
    }
    if let index = names.firstIndex(of: text) { return index }
    complain("unknown \(noun.bare) '\(shortened(text))'" + suggestion(for: text, of: names), at: tree.mark)
    return nil
  }
}

extension String {
  /// Without its article.
  fileprivate var bare: String {
    hasPrefix("a ") ? String(dropFirst(2)) : hasPrefix("an ") ? String(dropFirst(3)) : self
  }
}

extension Instant {
  var sinceStart: Interval { self - Instant.zero }
}
