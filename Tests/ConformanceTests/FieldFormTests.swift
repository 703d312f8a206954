import RollcallConformance
import Testing

@Suite("Forms of values") struct FieldFormTests {
  @Test(
    "A date of RFC 1123 is one, with a name or a numeric zone",
    arguments: [
      "Mon, 01 Jan 2024 00:00:00 GMT", "Sun, 1 Dec 1999 23:59:60 UT", "Wed, 31 Feb 2024 10:11:12 +0100",
      "Sat, 09 May 2026 01:02:03 -0930",
    ])
  func wellFormed(date: String) { #expect(isDate(date)) }

  @Test(
    "What only looks like a date is none",
    arguments: [
      "", "Mon", "Mon,", "Mon, 01 Jan 2024 00:00:00", "Mon, 01 Jan 2024 00:00:00 ", "Mon, 01 Jan 2024 00:00:00 GMT ",
      "Mon 01 Jan 2024 00:00:00 GMT", "mon, 01 Jan 2024 00:00:00 GMT", "Mon,  01 Jan 2024 00:00:00 GMT",
      "Mon, 001 Jan 2024 00:00:00 GMT", "Mon, 00 Jan 2024 00:00:00 GMT", "Mon, 32 Jan 2024 00:00:00 GMT",
      "Mon, 01 Jän 2024 00:00:00 GMT", "Mon, 01 Jan 24 00:00:00 GMT", "Mon, 01 Jan 20245 00:00:00 GMT",
      "Mon, 01 Jan 2024 24:00:00 GMT", "Mon, 01 Jan 2024 00:60:00 GMT", "Mon, 01 Jan 2024 00:00:61 GMT",
      "Mon, 01 Jan 2024 0:00:00 GMT", "Mon, 01 Jan 2024 00:00 GMT", "Mon, 01 Jan 2024 00:00:00 CET",
      "Mon, 01 Jan 2024 00:00:00 +100", "Mon, 01 Jan 2024 00:00:00 +01000", "Mon, 01 Jan 2024 00:00:00 0100",
      "Mon, 01 Jan 2024 000:00:00 GMT", "Mon, 01 Jan 2024 00:000:00 GMT", "Mon, 01 Jan 2024 00:00:000 GMT",
      "Mon, 01 Jan 2024 00:0:00 GMT", "Mon, 01 Jan 2024 00:00:0 GMT", "Mon, 01 Jan 2024 -0100",
      "Thu Jan  1 00:00:00 1970", "Monday, 01-Jan-24 00:00:00 GMT",
    ])
  func illFormed(date: String) { #expect(!isDate(date)) }

  private func isDate(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBytes { DateValue.isWellFormed($0) }
  }
}
