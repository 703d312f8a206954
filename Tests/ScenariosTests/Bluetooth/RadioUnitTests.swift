import RollcallExpectations
import Testing

@testable import RollcallScenarios

/// Lengths, powers and exponents: what each text is worth, and how the value is written.
@Suite("Units of radios") struct RadioUnitTests {
  @Test("a length has the largest unit that keeps it whole, and a sign where it is negative")
  func lengths() {
    FormBench.check(
      Form<Int64>.length,
      [
        ("0mm", "0 as 0m"), ("1mm", "1 as 1mm"), ("-1mm", "-1 as -1mm"), ("7cm", "70 as 7cm"),
        ("-50cm", "-500 as -50cm"), ("1.5m", "1500 as 150cm"), ("3m", "3000 as 3m"), ("100km", "100000000 as 100km"),
        ("3", "'3' has no unit: a length is written such as 3m, -50cm or 1.5m"),
        ("0.5mm", "'0.5mm' is not a length such as 3m, -50cm or 1.5m"),
        ("100000001mm", "'100000001mm' is too large: a length goes up to 100km either way"),
      ])
  }

  @Test("powers and their ratios are whole numbers with a unit, up to both of their bounds")
  func powers() {
    let power = "a power goes up to 30dBm, down to -127dBm"
    FormBench.check(
      Form<Int>.decibelMilliwatts,
      [
        ("30dBm", "30 as 30dBm"), ("-127dBm", "-127 as -127dBm"), ("0dBm", "0 as 0dBm"),
        ("31dBm", "'31dBm' is too large: \(power)"), ("-128dBm", "'-128dBm' is too large: \(power)"),
        ("1001dBm", "'1001dBm' is too large: \(power)"), ("-1001dBm", "'-1001dBm' is too large: \(power)"),
        ("3", "'3' has no unit: a power is written such as -95dBm or 4dBm"),
        ("3dB", "'3dB' is not a power such as -95dBm or 4dBm"),
      ])
    let ratio = "a ratio of powers goes up to 100dB, down to 0dB"
    FormBench.check(
      Form<Int>.wholeDecibels,
      [
        ("0dB", "0 as 0dB"), ("100dB", "100 as 100dB"), ("101dB", "'101dB' is too large: \(ratio)"),
        ("-1dB", "'-1dB' is too large: \(ratio)"), ("3", "'3' has no unit: a ratio of powers is written such as 21dB"),
      ])
  }

  @Test("a deviation is exact to a thousandth of a decibel, and is written without noughts at its end")
  func deviations() {
    FormBench.check(
      Form<Int>.decibels,
      [
        ("0dB", "0 as 0dB"), ("2.5dB", "2500 as 2.5dB"), ("2.050dB", "2050 as 2.05dB"), ("2.005dB", "2005 as 2.005dB"),
        ("0.001dB", "1 as 0.001dB"), ("30dB", "30000 as 30dB"),
        ("30.001dB", "'30.001dB' is too large: a deviation goes up to 30dB"),
        ("0.0001dB", "'0.0001dB' is not a deviation such as 4dB or 2.5dB"),
        ("3", "'3' has no unit: a deviation is written such as 4dB or 2.5dB"),
      ])
  }

  @Test("an exponent has at most one decimal, whatever number its digits would make")
  func exponents() {
    FormBench.check(
      Form<Int>.exponent,
      [
        ("1", "10 as 1"), ("2", "20 as 2"), ("2.1", "21 as 2.1"), ("2.5", "25 as 2.5"), ("6.0", "60 as 6"),
      ]
        + ["0.01", "0.06", "2.55", "0.9", "6.1"].map { ($0, "'\($0)' is not an exponent from 1 to 6 such as 2 or 2.5") }
    )
  }
}
