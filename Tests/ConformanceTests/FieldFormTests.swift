import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallConformance

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
      "Thu Jan  1 00:00:00 1970", "Monday, 01-Jan-24 00:00:00 GMT", ", 01 Jan 2024 00:00:00 GMT",
      "Mon, 01  2024 00:00:00 GMT",
    ])
  func illFormed(date: String) { #expect(!isDate(date)) }

  private func isDate(_ text: String) -> Bool { bytes(text) { DateValue.isWellFormed($0) } }

  private func bytes(_ text: String, _ isWellFormed: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    Array(text.utf8).withUnsafeBytes(isWellFormed)
  }

  @Test("max-age has an equals sign and digits, blanks and tabs around them, and other directives beside it")
  func leases() {
    let whole = ["max-age=0", " max-age\t=\t1800 ", "MAX-AGE =\t1\t, x", "x,max-age=1,"]
    let broken = ["", ",", "x", "max-age", "max-age=", "max-age=,1", "max-age 1", "max-age=1 x", "max-age\n=1"]
    for value in whole { expectEqual(bytes(value) { MaxAge.isWellFormed($0) }, true, "\(value.debugDescription)") }
    for value in broken { expectEqual(bytes(value) { MaxAge.isWellFormed($0) }, false, "\(value.debugDescription)") }
  }

  @Test("SERVER of UDA 1.0 has two words on each side of UPnP/x.y, parted by a blank, tab, comma or slash")
  func listedServers() {
    let whole = ["L 6 UPnP/1.0 P 1", "L\t6\tUPnP/1.0\tP\t1", "L,6,UPnP/1.0,P,1", "L/6 UPnP/1.0 P/1"]
    let broken = ["L UPnP/1.0 P/1", "L/6 UPnP/1.0 P", "L/6 P/1", "L\n6 UPnP/1.0 P/1", "L/6 UPnP/1.0 P-1"]
    for value in whole { expectEqual(bytes(value) { ServerValue.namesAll($0) }, true, "\(value.debugDescription)") }
    for value in broken { expectEqual(bytes(value) { ServerValue.namesAll($0) }, false, "\(value.debugDescription)") }
  }

  @Test("a comment in SERVER ends where its first bracket is closed")
  func comments() {
    let whole = ["(a) L/6 UPnP/1.1 P/1", "(ab) L/6 UPnP/1.1 P/1", "((a) b) L/6 UPnP/1.1 P/1", "L/6 UPnP/1.1 P/1 (ab)"]
    let broken = ["(ab L/6 UPnP/1.1 P/1", "(ab)) L/6 UPnP/1.1 P/1", "((ab) L/6 UPnP/1.1 P/1", "L/6 UPnP/1.1 (P/1)"]
    for value in whole { expectEqual(bytes(value) { ServerValue.isWellFormed($0) }, true, "\(value)") }
    for value in broken { expectEqual(bytes(value) { ServerValue.isWellFormed($0) }, false, "\(value)") }
  }

  @Test("HOST over IPv6 is an address between two brackets, the port left out where it is 1900")
  func hosts() {
    let address = IPAddress(v6High: 0xFE80_0000_0000_0000, low: 0x10)
    func names(_ port: UInt16, _ text: String) -> Bool {
      bytes(text) { HostValue.names(Endpoint(address, port: port), $0) }
    }
    let texts = ["[fe80::10]:1900", "[fe80::10]", "[fe80::10x", "xfe80::10]", "[fe80::1]", ""]
    expectEqual(texts.map { names(1_900, $0) }, [true, true, false, false, false, false])
    expectEqual(texts.map { names(1_901, $0) }, [false, false, false, false, false, false])
  }
}
