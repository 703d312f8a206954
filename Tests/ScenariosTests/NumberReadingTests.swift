import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// Numbers and quantities alone, without a document: what each text is worth, at both sides of every bound.
@Suite("Numbers of the scenario language") struct NumberReadingTests {
  /// The value as text, or why there is none.
  private func spelled<Value>(_ reading: Reading<Value>) -> String {
    switch reading {
    case .value(let value): "\(value)"
    case .tooLarge: "too large"
    case .malformed: "malformed"
    }
  }

  @Test("a reading keeps its fault when it is mapped, and a value that maps to nothing is malformed")
  func readings() {
    let rows: [(reading: Reading<Int>, said: String)] = [
      (.value(4), "5"), (.value(0), "malformed"), (.tooLarge, "too large"), (.malformed, "malformed"),
    ]
    for (reading, said) in rows {
      expectEqual(spelled(reading.map { (number: Int) -> Int? in number > 0 ? number + 1 : nil }), said)
    }
  }

  @Test("a natural number is digits and nothing else, without a zero before others, up to 64 bits")
  func naturals() {
    let rows: [(text: String, value: UInt64?)] = [
      ("0", 0), ("1", 1), ("9", 9), ("10", 10), ("109", 109), ("18446744073709551615", .max),
      ("18446744073709551616", nil), ("", nil), ("00", nil), ("01", nil), ("+1", nil), ("-1", nil), ("1:", nil),
      ("/1", nil), ("1.0", nil), (" 1", nil), ("1 ", nil), ("\u{663}", nil), ("x", nil),
    ]
    for (text, value) in rows { expectEqual(Number.natural(text), value, "\(text)") }
  }

  @Test("a number without unit is too large beyond its bound, and malformed where it is none")
  func wholes() {
    let rows: [(text: String, maximum: UInt64, said: String)] = [
      ("0", 0, "0"), ("1", 0, "too large"), ("8", 9, "8"), ("9", 9, "9"), ("10", 9, "too large"),
      ("18446744073709551615", .max, "18446744073709551615"), ("18446744073709551616", .max, "too large"),
      ("", 9, "malformed"), ("00", 9, "malformed"), ("01", 9, "malformed"), ("+1", 9, "malformed"),
      ("1:", 9, "malformed"), ("-1", 9, "malformed"), ("1.0", 9, "malformed"),
    ]
    for (text, maximum, said) in rows { expectEqual(spelled(Number.whole(text, upTo: maximum)), said, "\(text)") }
  }

  @Test("a decimal has at most nine decimals, and its digits together fit in 64 bits")
  func decimals() {
    let rows: [(text: String, said: String?)] = [
      ("0", "0 0"), ("7", "7 0"), ("0.25", "25 2"), ("1.0", "10 1"), ("1.09", "109 2"), ("0.000000001", "1 9"),
      ("1.000000000", "1000000000 9"), ("1.0000000000", nil), ("1.", nil), (".5", nil), (".", nil), ("", nil),
      ("1.2.3", nil), ("1..2", nil), ("1.x", nil), ("1.:", nil), ("1.5:", nil), ("01.5", nil), ("-1", nil),
      ("18446744073709551615", "18446744073709551615 0"), ("18446744073709551616", nil),
      ("1844674407370955161.5", "18446744073709551615 1"), ("1844674407370955161.6", nil),
      ("1844674407370955162.0", nil),
    ]
    for (text, said) in rows {
      let found = Number.decimal(text).map { "\($0.mantissa) \($0.decimals)" }
      expectEqual(found, said, "\(text)")
    }
  }

  @Test("a duration is exact to the nanosecond, in one unit, with at most nine decimals")
  func intervals() {
    let rows: [(text: String, said: String)] = [
      ("0s", "0s"), ("0h", "0s"), ("1ns", "1ns"), ("2us", "2us"), ("3ms", "3ms"), ("4s", "4s"), ("5m", "5m"),
      ("6h", "6h"), ("1.0s", "1s"), ("1.5s", "1500ms"), ("1.05s", "1050ms"), ("1.9s", "1900ms"),
      ("0.25m", "15s"), ("0.5h", "30m"), ("1.000000000s", "1s"), ("1.000000001s", "1000000001ns"),
      ("1.0000000000s", "malformed"), ("1.5ns", "malformed"), ("1.0ns", "1ns"), ("0.0001us", "malformed"),
      ("1.s", "malformed"), (".5s", "malformed"), ("1..5s", "malformed"), ("1.2.3s", "malformed"),
      ("1.2.s", "malformed"), ("s", "malformed"), (".s", "malformed"), ("", "malformed"), ("1", "malformed"),
      ("1.5", "malformed"), ("1s ", "malformed"), ("1 s", "malformed"), ("1sec", "malformed"), ("01s", "malformed"),
      ("-1s", "malformed"), ("1.\u{663}s", "malformed"), ("\u{663}s", "malformed"), ("1.5x", "malformed"),
    ]
    for (text, said) in rows { expectEqual(spelled(Number.interval(text)), said, "\(text)") }
  }

  @Test("a quantity is too large beyond its bound, also where 64 bits do not hold it")
  func largeQuantities() {
    let rows: [(text: String, maximum: UInt64, said: String)] = [
      ("9ns", 10, "9"), ("10ns", 10, "10"), ("11ns", 10, "too large"), ("10.5ns", 10, "too large"),
      ("10.1ns", 10, "too large"), ("9.5ns", 10, "malformed"), ("9.1ns", 10, "malformed"), ("0.01us", 10, "10"),
      ("0.011us", 10, "too large"),
      ("18446744073709551615ns", .max, "18446744073709551615"), ("18446744073709551616ns", .max, "too large"),
      ("18446744073709551615.5ns", .max, "too large"),
      ("18446744073.709551615s", .max, "18446744073709551615"), ("18446744073.709551616s", .max, "too large"),
      // 64 bits would hold what is left of these.
      ("18446744074s", .max, "too large"), ("18446744074.5s", .max, "too large"),
      ("18446744073709551616.s", .max, "malformed"), ("18446744073709551616d", .max, "malformed"),
    ]
    for (text, maximum, said) in rows {
      let reading = Number.quantity(text, units: Number.durations, upTo: maximum)
      expectEqual(spelled(reading), said, "\(text)")
    }
    expectEqual(Number.longestInterval, "9223372036854775807ns")
    expectEqual(spelled(Number.interval("9223372036854775807ns")), "9223372036854775807ns")
    for text in ["9223372036854775808ns", "18446744073.709551616s", "18446744074s"] {
      expectEqual(spelled(Number.interval(text)), "too large", "\(text)")
    }
  }

  @Test("of two units of the same size the first is written")
  func alikeUnits() {
    expectEqual(Number.text(3, units: [("a", 1), ("b", 1)]), "3a")
    expectEqual(Number.text(20, units: [("a", 1), ("b", 10), ("c", 10)]), "2b")
  }

  @Test("a share is a percentage with at most six decimals or a fraction, and never more than the whole")
  func ratios() {
    let rows: [(text: String, said: String?)] = [
      ("0%", "0/1"), ("0.0%", "0/1"), ("1%", "1/100"), ("10%", "10/100"), ("0.5%", "5/1000"), ("0.25%", "25/10000"),
      ("99.9%", "999/1000"), ("99.999999%", "99999999/100000000"), ("0.000001%", "1/100000000"), ("100%", "1/1"),
      ("100.0%", "1/1"), ("0.0000001%", nil), ("0.0000000%", nil), ("101%", nil), ("100.1%", nil), ("%", nil),
      ("%5", nil), ("-1%", nil), ("1/3%", nil), ("1/3", "1/3"), ("0/5", "0/5"), ("5/5", "5/5"), ("2/4", "2/4"),
      ("6/5", nil), ("0/0", nil), ("1/0", nil), ("1/2/3", nil), ("/3", nil), ("3/", nil), ("/", nil), ("/1/3", nil),
      ("1/3/", nil), ("1", nil),
      ("0.5", nil), ("0.5/1", nil), ("1/02", nil), ("", nil),
    ]
    for (text, said) in rows {
      let found = Number.ratio(text).map { "\($0.numerator)/\($0.denominator)" }
      expectEqual(found, said, "\(text)")
    }
  }

  @Test("a share is written in percent where that reads back as the same two numbers, else as a fraction")
  func writtenRatios() {
    let rows: [(numerator: UInt64, denominator: UInt64, text: String)] = [
      (0, 1, "0%"), (1, 1, "100%"), (10, 100, "10%"), (5, 1_000, "0.5%"), (1, 100_000_000, "0.000001%"),
      (1, 3, "1/3"), (1, 10, "1/10"), (10, 1_000, "10/1000"), (0, 5, "0/5"), (5, 5, "5/5"), (0, 100, "0/100"),
    ]
    for (numerator, denominator, text) in rows {
      let ratio = Ratio(numerator, in: denominator)
      expectEqual(Number.text(ratio), text)
      expectEqual(Number.ratio(text), ratio, "\(text)")
    }
  }

  @Test("the ends of a range stand at both sides of the first two dots")
  func ends() {
    let rows: [(text: String, ends: String?)] = [
      ("", nil), (".", nil), ("1", nil), ("12", nil), ("1.5", nil), ("1.5.2", nil), (".1.", nil), ("..", "|"),
      ("..5", "|5"), ("3..", "3|"), ("1..2", "1|2"), ("1...2", "1|.2"), ("1..2..3", "1|2..3"), ("1.5..2", "1.5|2"),
      ("\u{E4}..\u{F6}", "\u{E4}|\u{F6}"),
    ]
    for (text, ends) in rows {
      let found = Number.ends(text).map { "\($0.low)|\($0.high)" }
      expectEqual(found, ends, "\(text)")
    }
  }

  @Test("a range goes from its low end to its high end; an end that is none counts before one that is too large")
  func ranges() {
    let rows: [(text: String, said: String)] = [
      ("3", "3...3"), ("9", "9...9"), ("10", "too large"), ("1..3", "1...3"), ("3..3", "3...3"), ("0..9", "0...9"),
      ("3..2", "malformed"), ("1..10", "too large"), ("10..1", "too large"), ("10..11", "too large"),
      ("x..10", "malformed"), ("10..x", "malformed"), ("x..y", "malformed"), ("1..x", "malformed"),
      ("x..1", "malformed"), ("..3", "malformed"), ("1..", "malformed"), ("..", "malformed"), ("1...3", "malformed"),
      ("1..2..3", "malformed"), ("", "malformed"), (".", "malformed"), ("1.3", "malformed"),
    ]
    for (text, said) in rows {
      let reading: Reading<ClosedRange<UInt64>> = Number.range(text) { Number.whole($0, upTo: 9) }
      expectEqual(spelled(reading), said, "\(text)")
    }
  }

  @Test("a count is one number, a range, or a range without upper end, and is written as it is read")
  func counts() {
    let rows: [(text: String, said: String)] = [
      ("0", "0"), ("12", "12"), ("10..12", "10..12"), ("3..3", "3"), ("3..", "3.."), ("0..", "0.."),
      ("1000000000", "1000000000"), ("1000000001", "too large"), ("1000000000..", "1000000000.."),
      ("1000000001..", "too large"), ("1..1000000001", "too large"), ("3..2", "malformed"), ("..3", "malformed"),
      ("..", "malformed"), ("x..", "malformed"), ("", "malformed"), ("1.5", "malformed"), ("-1", "malformed"),
    ]
    for (text, said) in rows { expectEqual(spelled(CountRange.read(text)), said, "\(text)") }
    expectEqual(CountRange.exactly(3), CountRange(3, 3))
    expectEqual(CountRange.atLeast(3), CountRange(3, nil))
  }

  @Test("a count is allowed from the least to the greatest, both included")
  func containedCounts() {
    let rows: [(range: CountRange, allowed: [Int])] = [
      (CountRange(2, 4), [2, 3, 4]), (.exactly(3), [3]), (.atLeast(3), [3, 4, 5, .max]), (.exactly(0), [0]),
      (CountRange(0, 1), [0, 1]),
    ]
    for (range, allowed) in rows {
      let counts: [Int] = [0, 1, 2, 3, 4, 5, .max]
      expectEqual(counts.filter { range.contains($0) }, allowed, "\(range.description)")
    }
  }
}
