import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// Each scalar of the language alone: what it reads, what it says against the rest, and how it writes.
@Suite("Scalars of the scenario language") struct ScalarFormTests {
  /// How the form writes what it has read, or what it says against it.
  private func written<Value: Equatable & Sendable>(_ form: Form<Value>, _ text: String) -> String {
    let (value, said) = FormBench.read(form, .scalar(text))
    guard let value else { return said.joined(separator: "\n") }
    return form.write(value, false).scalarText ?? "no scalar"
  }

  @Test("a duration, an instant and ranges of them are written in the largest unit that keeps them whole")
  func times() {
    let tooLarge = "'9223372036854775808ns' is too large: "
    let (example, bound) = ("such as 250ms or 3s", "goes up to 9223372036854775807ns")
    let durations: [(text: String, line: String)] = [
      ("1500ms", "1500ms as 1500ms"), ("1.5s", "1500ms as 1500ms"), ("0h", "0s as 0s"), ("60s", "1m as 1m"),
      ("9223372036854775807ns", "9223372036854775807ns as 9223372036854775807ns"),
      ("9223372036854775808ns", "\(tooLarge)a duration \(bound)"), ("3d", "'3d' is not a duration \(example)"),
      ("3", "'3' has no unit: a duration is written \(example)"),
    ]
    for (text, line) in durations { expectEqual(FormBench.line(Form<Interval>.duration, text), line) }
    let instants: [(text: String, line: String)] = [
      ("1500ms", "1.500000000 as 1500ms"), ("0s", "0.000000000 as 0s"), ("1h", "3600.000000000 as 1h"),
      ("9223372036854775808ns", "\(tooLarge)an instant of the run \(bound)"),
      ("3d", "'3d' is not an instant of the run \(example)"),
      ("3", "'3' has no unit: an instant of the run is written \(example)"),
    ]
    for (text, line) in instants { expectEqual(FormBench.line(Form<Instant>.instant, text), line) }
    expectEqual(Instant(nanoseconds: 5).sinceStart, .nanoseconds(5))
    let ranges: [(text: String, line: String)] = [
      ("1ms..2ms", "1ms...2ms as 1ms..2ms"), ("3ms", "3ms...3ms as 3ms"), ("3ms..3ms", "3ms...3ms as 3ms"),
      ("0s..1h", "0s...1h as 0s..1h"),
      ("2ms..1ms", "'2ms..1ms' is not a range of durations such as 200us..1ms"),
      ("3", "'3' has no unit: a range of durations is written such as 200us..1ms"),
      ("9223372036854775808ns", "\(tooLarge)a range of durations \(bound)"),
    ]
    for (text, line) in ranges { expectEqual(FormBench.line(Form<ClosedRange<Interval>>.durations, text), line) }
    let spans = Form<ClosedRange<Instant>>.instants
    expectEqual(FormBench.line(spans, "1s..2s"), "1.000000000...2.000000000 as 1s..2s")
    expectEqual(FormBench.line(spans, "3s"), "3.000000000...3.000000000 as 3s")
    expectEqual(FormBench.line(spans, "2s..1s"), "'2s..1s' is not a range of durations such as 200us..1ms")
  }

  @Test("a measured time is written with decimals in the unit that leaves a whole part, without zeros at the end")
  func measured() {
    let rows: [(nanoseconds: Int64, text: String)] = [
      (0, "0s"), (1, "1ns"), (999, "999ns"), (1_000, "1us"), (1_001, "1.001us"), (1_010, "1.01us"),
      (1_500, "1.5us"), (2_000, "2us"), (999_999, "999.999us"), (1_000_000, "1ms"), (1_000_001, "1.000001ms"),
      (1_001_000, "1.001ms"), (1_500_000, "1.5ms"), (30_000_000, "30ms"), (999_999_999, "999.999999ms"),
      (1_000_000_000, "1s"), (1_000_000_001, "1.000000001s"), (1_500_000_000, "1.5s"),
      (2_030_308_753, "2.030308753s"), (2_030_308_000, "2.030308s"), (60_000_000_000, "1m"),
      (60_100_000_000, "60.1s"), (90_000_000_000, "90s"), (7_200_000_000_000, "2h"),
      (.max, "9223372036.854775807s"),
    ]
    for (nanoseconds, text) in rows {
      let interval = Interval(nanoseconds: nanoseconds)
      expectEqual(Form<Interval>.measured.write(interval, false), .scalar(text))
      let (value, said) = FormBench.read(Form<Interval>.measured, .scalar(text))
      expectEqual(value, interval, "\(text)")
      expectEqual(said, [])
    }
    expectEqual(Form<Interval>.measured.write(.nanoseconds(-1_500), false), .scalar("-1500ns"))
  }

  @Test("a share, a size and a bandwidth are written as they are read, and nothing negative is written")
  func quantities() {
    for text in ["0%", "10%", "0.5%", "100%", "1/3", "0/5"] { expectEqual(written(Form<Ratio>.ratio, text), text) }
    expectEqual(written(Form<Ratio>.ratio, "2"), "'2' has no unit: a share is written such as 10%, 0.5% or 1/3")
    expectEqual(written(Form<Ratio>.ratio, "4/3"), "'4/3' is not a share such as 10%, 0.5% or 1/3")
    let sizes: [(text: String, line: String)] = [
      ("0B", "0 as 0B"), ("1B", "1 as 1B"), ("0GiB", "0 as 0B"), ("1.5KiB", "1536 as 1536B"), ("2kB", "2000 as 2kB"),
      ("3MiB", "3145728 as 3MiB"), ("4MB", "4000000 as 4MB"), ("1024GiB", "1099511627776 as 1024GiB"),
      ("1099511627777B", "'1099511627777B' is too large: a size goes up to 1024GiB"),
      ("1KB", "'1KB' is not a size such as 512B or 64KiB"),
      ("512", "'512' has no unit: a size is written such as 512B or 64KiB"),
    ]
    for (text, line) in sizes { expectEqual(FormBench.line(Form<Int>.bytes, text), line) }
    expectEqual([-1, 0, 1].map { Form<Int>.bytes.write($0, false).scalarText }, ["0B", "0B", "1B"])
    let most = "9223372036854775807bit/s"
    let rates: [(text: String, line: String)] = [
      ("1bit/s", "1 as 1bit/s"), ("1500bit/s", "1500 as 1500bit/s"), ("10Mbit/s", "10000000 as 10Mbit/s"),
      ("2.5Gbit/s", "2500000000 as 2500Mbit/s"), ("7kbit/s", "7000 as 7kbit/s"), ("8Gbit/s", "8000000000 as 8Gbit/s"),
      (most, "9223372036854775807 as \(most)"), ("0bit/s", "'0bit/s' is not a bandwidth such as 10Mbit/s"),
      ("9223372036854775808bit/s", "'9223372036854775808bit/s' is too large: a bandwidth goes up to \(most)"),
      ("10", "'10' has no unit: a bandwidth is written such as 10Mbit/s"),
    ]
    for (text, line) in rates { expectEqual(FormBench.line(Form<Int64>.bandwidth, text), line) }
    expectEqual([-1, 0, 1].map { Form<Int64>.bandwidth.write($0, false).scalarText }, ["0bit/s", "0bit/s", "1bit/s"])
  }

  @Test("a drift is whole parts per million, up to half either way")
  func drifts() {
    let example = "a drift such as 100ppm or -50ppm"
    let bound = "a drift goes up to 500000ppm either way"
    let rows: [(text: String, line: String)] = [
      ("100ppm", "100 as 100ppm"), ("-50ppm", "-50 as -50ppm"), ("0ppm", "0 as 0ppm"), ("-0ppm", "0 as 0ppm"),
      ("500000ppm", "500000 as 500000ppm"), ("-500000ppm", "-500000 as -500000ppm"),
      ("500001ppm", "'500001ppm' is too large: \(bound)"), ("-500001ppm", "'-500001ppm' is too large: \(bound)"),
      ("5-ppm", "'5-ppm' is not \(example)"), ("--5ppm", "'--5ppm' is not \(example)"),
      ("-ppm", "'-ppm' is not \(example)"), ("5pp", "'5pp' is not \(example)"), ("5xppm", "'5xppm' is not \(example)"),
      ("12", "'12' has no unit: a drift is written such as 100ppm or -50ppm"),
    ]
    for (text, line) in rows { expectEqual(FormBench.line(Form<Int64>.partsPerMillion, text), line) }
  }

  @Test("a whole number lies in its range, and its example does too")
  func wholeNumbers() {
    func line(_ range: ClosedRange<Int>, _ text: String) -> String { FormBench.line(Form<Int>.integer(range), text) }
    let rows: [(range: ClosedRange<Int>, text: String, line: String)] = [
      (5...9, "5", "5 as 5"), (5...9, "9", "9 as 9"), (5...9, "4", "'4' is not a whole number from 5 to 9 such as 5"),
      (5...9, "10", "'10' is not a whole number from 5 to 9 such as 5"),
      (0...2, "3", "'3' is not a whole number from 0 to 2 such as 2"),
      (0...4, "5", "'5' is not a whole number from 0 to 4 such as 3"),
      (-9 ... -5, "-9", "-9 as -9"), (-9 ... -5, "-5", "-5 as -5"),
      (-9 ... -5, "5", "'5' is not a whole number from -9 to -5 such as -5"),
      (-9 ... -5, "-4", "'-4' is not a whole number from -9 to -5 such as -5"), (-1...1, "-0", "0 as 0"),
      (0...9, "+1", "'+1' is not a whole number from 0 to 9 such as 3"),
      (0...9, "1.0", "'1.0' is not a whole number from 0 to 9 such as 3"),
      (0...9, "1-", "'1-' is not a whole number from 0 to 9 such as 3"),
      (0...Int.max, "9223372036854775807", "9223372036854775807 as 9223372036854775807"),
    ]
    for (range, text, expected) in rows { expectEqual(line(range, text), expected) }
    let number = Form<UInt32>.number32
    expectEqual(FormBench.line(number, "0"), "0 as 0")
    expectEqual(FormBench.line(number, "4294967295"), "4294967295 as 4294967295")
    expectEqual(
      FormBench.line(number, "4294967296"), "'4294967296' is not a whole number from 0 to 4294967295 such as 3")
    let port = Form<UInt16>.port
    expectEqual(FormBench.line(port, "0"), "0 as 0")
    expectEqual(FormBench.line(port, "65535"), "65535 as 65535")
    expectEqual(FormBench.line(port, "65536"), "'65536' is not a whole number from 0 to 65535 such as 3")
  }

  @Test("whole seconds are written with a unit, and lie in their range")
  func wholeSeconds() {
    func line(_ text: String) -> String { FormBench.line(Form<Int>.seconds(5...7_200), text) }
    let noun = "whole seconds from 5s to 7200s"
    let rows: [(text: String, line: String)] = [
      ("5s", "5 as 5s"), ("7200s", "7200 as 2h"), ("2h", "7200 as 2h"), ("60s", "60 as 1m"), ("90s", "90 as 90s"),
      ("6000ms", "6 as 6s"), ("4s", "'4s' is not \(noun) such as 5s"), ("7201s", "'7201s' is not \(noun) such as 5s"),
      ("5500ms", "'5500ms' is not \(noun) such as 5s"), ("5000000001ns", "'5000000001ns' is not \(noun) such as 5s"),
      ("s", "'s' is not \(noun) such as 5s"), ("6", "'6' has no unit: \(noun) is written such as 5s"),
    ]
    for (text, expected) in rows { expectEqual(line(text), expected) }
    expectEqual(FormBench.line(Form<Int>.seconds(0...9), "0s"), "0 as 0s")
    expectEqual(FormBench.line(Form<Int>.seconds(0...9), "10s"), "'10s' is not whole seconds from 0s to 9s such as 3s")
  }

  @Test("true and false are words, and nothing else is")
  func booleans() {
    expectEqual(FormBench.line(Form<Bool>.bool, "true"), "true as true")
    expectEqual(FormBench.line(Form<Bool>.bool, "false"), "false as false")
    for text in ["True", "yes", "", "0"] {
      expectEqual(FormBench.line(Form<Bool>.bool, text), "'\(text)' is not true or false such as true")
    }
  }

  @Test("a text has at most so many bytes, a line also no control characters, a name only those of names")
  func texts() {
    let short = Form<String>.text("a word", countMaximum: 3)
    for text in ["", "abc", "\u{E4}b", "a\nb"] { expectEqual(written(short, text), text) }
    for text in ["abcd", "\u{E4}bc"] {
      expectEqual(written(short, text), "'\(text)' is not a word such as any of at most 3 bytes")
    }
    let line = Form<String>.line("a title", example: "One")
    let long = String(repeating: "w", count: 1_000)
    for text in [" ", "!", "a b", "\u{E4}", "\u{7F}", long] { expectEqual(written(line, text), text) }
    for text in ["", "\t", "\u{1F}", "a\tb", "a\u{0}"] {
      expectEqual(written(line, text), "'\(text)' is not a title such as One")
    }
    expectEqual(written(line, "a\nb"), "'a b' is not a title such as One")
    expectEqual(written(line, long + "w"), "'\(long.prefix(40))…' is not a title such as One")
    expectEqual(written(line, String(long.dropLast()) + "\u{E4}"), "'\(long.prefix(40))…' is not a title such as One")
    let name = Form<String>.name("the name of a thing", example: "tv")
    for text in ["a", "Z9", "a-b_c"] { expectEqual(written(name, text), text) }
    for text in ["", "9a", "-a", "a.b", "\u{E4}"] {
      expectEqual(written(name, text), "'\(text)' is not the name of a thing such as tv")
    }
  }

  @Test("an address is of either family, a subnet of IPv4 with 8 to 30 bits and nothing behind them")
  func addresses() {
    for text in ["192.168.1.20", "fe80::20", "0.0.0.0"] { expectEqual(written(Form<IPAddress>.address, text), text) }
    expectEqual(
      written(Form<IPAddress>.address, "10.0.0.256"),
      "'10.0.0.256' is not an address such as 192.168.1.20 or fe80::20")
    let good = ["10.0.0.0/8", "10.128.0.0/9", "192.168.1.0/24", "10.0.0.4/30", "255.255.255.252/30"]
    for text in good { expectEqual(written(Form<InterfaceAddress>.subnet, text), text) }
    let bad = [
      "10.0.0.0/7", "10.0.0.0/31", "10.128.0.0/8", "10.0.0.1/8", "10.0.0.2/30", "fe80::/10", "2001:db8::/24",
      "10.0.0.0", "10.0.0.0/", "/8", "10.0.0.0/8/8", "/10.0.0.0/8", "10.0.0.0//8", "10.0.0.0/08", "10.0.0.0/x", "x/8",
      "10.0.0.0/99",
    ]
    for text in bad {
      expectEqual(written(Form<InterfaceAddress>.subnet, text), "'\(text)' is not a subnet such as 192.168.1.0/24")
    }
    let subnet = FormBench.read(Form<InterfaceAddress>.subnet, .scalar("192.168.1.0/24")).value
    expectEqual(subnet?.prefixBits, 24)
    expectEqual(subnet?.address.description, "192.168.1.0")
  }

  @Test("a count and a range of seeds are written as they are read")
  func ranges() {
    let counts: [(text: String, line: String)] = [
      ("12", "12 as 12"), ("10..12", "10..12 as 10..12"), ("3..", "3.. as 3.."), ("3..3", "3 as 3"),
      ("3..2", "'3..2' is not a count such as 12, 10..12 or 3.."),
      ("1000000001", "'1000000001' is too large: a count goes up to 1000000000"),
    ]
    for (text, line) in counts { expectEqual(FormBench.line(Form<CountRange>.count, text), line) }
    let seeds: [(text: String, line: String)] = [
      ("5", "5...5 as 5"), ("1..3", "1...3 as 1..3"), ("0..0", "0...0 as 0"),
      ("2..1", "'2..1' is not a range of seeds such as 1..200"),
      ("18446744073709551616", "'18446744073709551616' is too large: a range of seeds goes up to 18446744073709551615"),
    ]
    for (text, line) in seeds { expectEqual(FormBench.line(Form<ClosedRange<UInt64>>.seeds, text), line) }
  }

  @Test("a word is one of a list; another word is unknown under the noun without its article")
  func words() {
    let colours: [(name: String, value: Int)] = [("red", 1), ("green", 2), ("blue", 3)]
    let form = Form<Int>.word("a colour", colours)
    expectEqual(colours.map { FormBench.line(form, $0.name) }, ["1 as red", "2 as green", "3 as blue"])
    expectEqual(FormBench.line(form, "gren"), "unknown colour 'gren', did you mean 'green'?")
    let unknown = "'xxxxxx'; known are red, green, blue"
    let nouns: [(noun: String, bare: String)] = [
      ("a colour", "colour"), ("an answer", "answer"), ("answer", "answer"), ("the colour", "the colour"),
    ]
    for (noun, bare) in nouns {
      expectEqual(FormBench.line(Form<Int>.word(noun, colours), "xxxxxx"), "unknown \(bare) \(unknown)")
    }
    expectEqual(FormBench.read(form, .list([])).said, ["expected a colour such as red, found an empty list"])
    let none = Form<Int>.word("a colour", [])
    expectEqual(FormBench.read(none, .list([])).said, ["expected a colour such as , found an empty list"])
    expectEqual(FormBench.line(none, "red"), "unknown colour 'red'")
    // A value that no word stands for.
    expectEqual(form.write(9, false), .scalar(""))
  }
}
