import Foundation
import RollcallConnect
import RollcallExpectations
import Testing

/// What `SSDPServiceParser` makes of the bytes of an answer.
@Suite("A parser of answers") struct ServiceParserTests {
  private static let lines = [
    "HTTP/1.1 200 OK", "CACHE-CONTROL: max-age=3600", "DATE: Thu, 01 Jan 2026 00:00:00 GMT", "EXT:",
    "LOCATION: http://192.168.1.104:8060/dial/dd.xml", "SERVER: OS/1.0 UPnP/1.1 Stick/2.0", "ST: roku:ecp",
    "USN: uuid:roku:ecp:X004",
  ]
  private static let time = Date(timeIntervalSince1970: 1_000_000)

  private static func parse(_ lines: [String], end: String = "\r\n", tail: String = "\r\n") -> SSDPService? {
    let text = lines.map { $0 + end }.joined() + tail
    return SSDPServiceParser.parse(Array(text.utf8), receivedAt: time)
  }

  /// The lines, with another one in the place of that which begins like this.
  private static func replacing(_ name: String, with line: String?) -> [String] {
    lines.flatMap { $0.hasPrefix(name) ? line.map { [$0] } ?? [] : [$0] }
  }

  /// Every property, equality or not.
  private static func all(_ service: SSDPService?) -> [String] {
    guard let service else { return [] }
    let others = service.otherHeaders.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return [
      "\(service.cacheControl.timeIntervalSince(time))", service.location.absoluteString, service.server,
      service.searchTarget, service.uniqueServiceName,
    ] + others
  }
  private static let whole = [
    "3600.0", "http://192.168.1.104:8060/dial/dd.xml", "OS/1.0 UPnP/1.1 Stick/2.0", "roku:ecp", "uuid:roku:ecp:X004",
    "DATE=Thu, 01 Jan 2026 00:00:00 GMT",
  ]

  @Test("names five fields, and puts all others into the dictionary")
  func whole() {
    expectEqual(ServiceParserTests.all(ServiceParserTests.parse(ServiceParserTests.lines)), ServiceParserTests.whole)
  }

  @Test("data is read as of now")
  func now() throws {
    let data = Data((ServiceParserTests.lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    let service = try #require(SSDPServiceParser.parse(data))
    #expect(service.cacheControl > Date(timeIntervalSinceNow: 3_500))
    expectEqual(SearchArchive.services(in: [data, Data()]), [service])
  }

  @Test(
    "without a field that it needs there is no service",
    arguments: ["CACHE-CONTROL", "LOCATION", "SERVER", "ST", "USN"])
  func missing(name: String) {
    expectEqual(
      ServiceParserTests.all(ServiceParserTests.parse(ServiceParserTests.replacing("\(name):", with: nil))), [])
    // Nothing behind the colon is as good as no field.
    expectEqual(
      ServiceParserTests.all(ServiceParserTests.parse(ServiceParserTests.replacing("\(name):", with: "\(name):"))), [])
  }

  @Test("a field that nobody needs may be missing")
  func others() {
    let service = ServiceParserTests.parse(ServiceParserTests.replacing("DATE:", with: nil))
    expectEqual(ServiceParserTests.all(service), Array(ServiceParserTests.whole.dropLast()))
    expectEqual(service?.otherHeaders, [:])
  }

  @Test("names count in any letter case, and stand in the dictionary in upper case")
  func letterCase() {
    let lines = ServiceParserTests.lines.map { line in
      guard let colon = line.firstIndex(of: ":"), !line.hasPrefix("HTTP") else { return line }
      return line[..<colon].lowercased() + line[colon...]
    }
    let service = ServiceParserTests.parse(lines + ["x-User-Agent: Redsonic", "BootID.upnp.org : 7"])
    expectEqual(
      ServiceParserTests.all(service),
      Array(ServiceParserTests.whole.dropLast()) + [
        "BOOTID.UPNP.ORG=7", ServiceParserTests.whole[5], "X-USER-AGENT=Redsonic",
      ])
  }

  @Test("a field with a blank behind its colon is empty, one with nothing is left out")
  func blank() {
    let service = ServiceParserTests.parse(ServiceParserTests.replacing("DATE:", with: "DATE: ") + ["X-LAST:\t"])
    expectEqual(service?.otherHeaders, ["DATE": "", "X-LAST": ""])
  }

  @Test("of a field that is there twice the last counts")
  func twice() {
    let service = ServiceParserTests.parse(
      ServiceParserTests.lines + ["SERVER: Other/1", "X-A: 1", "x-a: 2", "CACHE-CONTROL: max-age=60"])
    expectEqual(service?.server, "Other/1")
    expectEqual(service?.otherHeaders["X-A"], "2")
    expectEqual(service.map { $0.cacheControl.timeIntervalSince(ServiceParserTests.time) }, 60)
    // This field alone.
    let other = ServiceParserTests.parse(ServiceParserTests.lines + ["CACHE-CONTROL: max-age=60"])
    expectEqual(other.map { $0.cacheControl.timeIntervalSince(ServiceParserTests.time) }, 60)
  }

  @Test(
    "reads how long an answer holds in every form that devices send",
    arguments: [
      ("max-age=1800", 1_800), ("MAX-AGE = 1800", 1_800), ("max-age=\"1800\"", 1_800), ("no-cache, max-age=60", 60),
      ("max-age=60, must-revalidate", 60), ("max-age=0", 0), ("max-age=0, private", 0), ("1800", 1_800),
      ("max-age=00060", 60), ("max-age=99999999999999999999", 2_147_483_647), ("max-age", nil), ("max-age=", nil),
      ("never", nil),
    ] as [(String, Double?)])
  func lifetimes(value: String, seconds: Double?) {
    let service = ServiceParserTests.parse(
      ServiceParserTests.replacing("CACHE-CONTROL:", with: "CACHE-CONTROL: \(value)"))
    expectEqual(service.map { $0.cacheControl.timeIntervalSince(ServiceParserTests.time) }, seconds)
  }

  @Test("a value may have colons, and blanks around it do not count")
  func values() {
    let service = ServiceParserTests.parse(ServiceParserTests.replacing("SERVER:", with: "SERVER:  a: b:c \t"))
    expectEqual(service?.server, "a: b:c")
  }

  @Test("lines that end with LF alone, and a missing blank line, are forgiven")
  func forgiven() {
    let lines = ServiceParserTests.lines
    expectEqual(
      ServiceParserTests.all(ServiceParserTests.parse(lines, end: "\n", tail: "\n")), ServiceParserTests.whole)
    expectEqual(ServiceParserTests.all(ServiceParserTests.parse(lines, tail: "")), ServiceParserTests.whole)
    expectEqual(
      ServiceParserTests.all(ServiceParserTests.parse(lines + ["no colon here"])), ServiceParserTests.whole)
  }

  @Test("what is no answer, and what is not UTF-8, is no service")
  func refused() {
    let rest = ServiceParserTests.lines.dropFirst()
    for start in ["HTTP/1.1 404 Not Found", "NOTIFY * HTTP/1.1", "M-SEARCH * HTTP/1.1", "hello"] {
      expectEqual(ServiceParserTests.all(ServiceParserTests.parse([start] + rest)), [])
    }
    expectEqual(ServiceParserTests.all(SSDPServiceParser.parse([UInt8](), receivedAt: ServiceParserTests.time)), [])
    let bytes = Array((ServiceParserTests.lines.joined(separator: "\r\n") + "\r\nX: ").utf8) + [0xFF, 13, 10, 13, 10]
    expectEqual(ServiceParserTests.all(SSDPServiceParser.parse(bytes, receivedAt: ServiceParserTests.time)), [])
  }

  @Test("two answers are one service if location, server, target and name are the same, whatever else differs")
  func equality() throws {
    let service = try #require(ServiceParserTests.parse(ServiceParserTests.lines))
    func other(_ name: String, _ value: String) -> SSDPService? {
      ServiceParserTests.parse(ServiceParserTests.replacing("\(name):", with: "\(name): \(value)"))
    }
    expectEqual(other("CACHE-CONTROL", "max-age=1"), service)
    expectEqual(other("DATE", "today"), service)
    for (name, value) in [("LOCATION", "http://192.168.1.104/"), ("SERVER", "a"), ("ST", "a"), ("USN", "uuid:a")] {
      let different = try #require(other(name, value))
      #expect(different != service)
    }
  }
}
