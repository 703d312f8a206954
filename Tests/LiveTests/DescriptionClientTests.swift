import RollcallDiscovery
import NIOCore
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallServing
import Testing

@testable import RollcallLive

@Suite("Fetching descriptions")
struct DescriptionClientTests {
  private let body = "<root/>"
  private func whole(_ body: String, _ status: String = "200 OK") -> String {
    "HTTP/1.1 \(status)\r\nContent-Type: text/xml\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  /// What a fetch came to, without times and ports.
  private func outcome(
    _ answer: ScriptedServer.Answer, _ configure: (inout DescriptionClient.Limits) -> Void = { _ in }
  ) throws -> String {
    let bench = try FetchBench(configure) { _ in answer }
    defer { bench.end() }
    bench.find("uuid:1", path: "/d.xml")
    return try bench.lines(1)[0]
  }

  @Test("a description arrives whole: with its length, chunked, in pieces, or up to the close")
  func arrives() throws {
    try expectEqual(outcome(.bytes(whole(body))), "uuid:1 /d.xml 200 <root/>")
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<ro\r\n4\r\not/>\r\n0\r\n\r\n"
    try expectEqual(outcome(.bytes(chunked)), "uuid:1 /d.xml 200 <root/>")
    try expectEqual(outcome(.pieces(whole(body).map(String.init))), "uuid:1 /d.xml 200 <root/>")
    try expectEqual(outcome(.bytesThenClose("HTTP/1.0 200\n\n" + body)), "uuid:1 /d.xml 200 <root/>")
    let large = String(repeating: "x", count: 900_000)
    try expectEqual(outcome(.bytes(whole(large))), "uuid:1 /d.xml 200 \(large)")
  }

  @Test("a server that fails is told by reason")
  func failures() throws {
    try expectEqual(outcome(.bytes(whole("no", "404 Not Found"))), "uuid:1 /d.xml failed status 404")
    try expectEqual(outcome(.close), "uuid:1 /d.xml failed closedEarly")
    try expectEqual(
      outcome(.bytesThenClose("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<ro")),
      "uuid:1 /d.xml failed closedEarly 200")
    try expectEqual(outcome(.bytes("ICY 200 OK\r\n\r\n")), "uuid:1 /d.xml failed badResponse")
    try expectEqual(
      outcome(.bytes("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 20_000))),
      "uuid:1 /d.xml failed badResponse")
    try expectEqual(
      outcome(.bytes(whole(String(repeating: "x", count: 101)))) { $0.bodyBytesMaximum = 100 },
      "uuid:1 /d.xml failed tooLong 200")
  }

  @Test("a server that is slow, or never ends, is left when patience or room ends")
  func endless() throws {
    let impatient: (inout DescriptionClient.Limits) -> Void = { $0.patience = .milliseconds(60) }
    try expectEqual(outcome(.silence, impatient), "uuid:1 /d.xml failed timedOut")
    try expectEqual(
      outcome(.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<"), impatient), "uuid:1 /d.xml failed timedOut 200")
    let endless = ScriptedServer.Answer.endless("HTTP/1.1 200 OK\r\n\r\n", String(repeating: "x", count: 4_096))
    try expectEqual(outcome(endless) { $0.bodyBytesMaximum = 50_000 }, "uuid:1 /d.xml failed tooLong 200")
    try expectEqual(
      outcome(.endless("HTTP/1.1 200 OK\r\n", String(repeating: "X: x\r\n", count: 700))),
      "uuid:1 /d.xml failed badResponse")
  }

  @Test("redirects are followed on the link, and nowhere else")
  func redirects() throws {
    func moved(_ to: String) -> ScriptedServer.Answer {
      .bytes("HTTP/1.1 302 Found\r\nLocation: \(to)\r\nContent-Length: 0\r\n\r\n")
    }
    let bench = try FetchBench { path in
      switch path {
      case "/a": moved("b/../c")
      case "/c", "/short": .bytes(whole(body))
      case "/loop": moved("/pool")
      case "/pool": moved("/loop")
      case "/1", "/2", "/3": moved("/\(path.dropFirst())1")
      case "/off": moved("http://192.0.2.1/d.xml")
      case "/name": moved("http://tv.local/d.xml")
      case "/tls": moved("https://127.0.0.1/d.xml")
      case "/nowhere": .bytes("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")
      default: moved(path + "1")
      }
    }
    defer { bench.end() }
    for path in ["/a", "/loop", "/1", "/off", "/name", "/tls", "/nowhere"] { bench.find("uuid:\(path)", path: path) }
    let lines = try bench.lines(7).sorted()
    expectEqual(
      lines,
      [
        "uuid:/1 /1 -> /11 -> /111 failed tooManyRedirects 302", "uuid:/a /a -> /c 200 <root/>",
        "uuid:/loop /loop -> /pool failed redirectLoop 302", "uuid:/name /name failed redirectRefused 302",
        "uuid:/nowhere /nowhere failed status 302", "uuid:/off /off failed redirectRefused 302",
        "uuid:/tls /tls failed redirectRefused 302",
      ])
    let off = bench.failure(of: "uuid:/off")
    expectEqual(
      off?.explanation,
      "redirected to http://192.0.2.1/d.xml: expected 127.0.0.1 or a host on its link, found 192.0.2.1: offLink (outOfScope)"
    )
    expectEqual(
      bench.server.paths.sorted(),
      [
        "/1", "/11", "/111", "/a", "/c", "/loop", "/name", "/nowhere", "/off", "/pool", "/tls",
      ])
  }

  @Test("nobody listens: connection refused")
  func nobody() throws {
    let bench = try FetchBench { _ in .close }
    defer { bench.end() }
    let port = try bench.closedPort()
    bench.take(.found(bench.sighting("uuid:1", "http://127.0.0.1:\(port)/d.xml")))
    try expectEqual(bench.lines(1), ["uuid:1 /d.xml failed connectionRefused"])
  }

  @Test("it asks from the interface's address on the link of the host, with the host's name and port")
  func asks() throws {
    let bench = try FetchBench(own: IPAddress(127, 0, 0, 9)) { _ in .bytes(whole(body)) }
    defer { bench.end() }
    bench.find("uuid:1", path: "/d.xml?a=b")
    _ = try bench.lines(1)
    expectEqual(bench.server.clients, [IPAddress(127, 0, 0, 9)])
    expectEqual(
      bench.server.requests,
      [
        "GET /d.xml?a=b HTTP/1.1\r\nHOST: 127.0.0.1:\(bench.server.port)\r\nUSER-AGENT: test\r\nACCEPT: text/xml, */*\r\n"
          + "ACCEPT-ENCODING: identity\r\nCONNECTION: close\r\n\r\n"
      ])
  }

  @Test("without an address on the link of the host there is nothing to ask from")
  func noAddress() throws {
    let bench = try FetchBench(own: nil) { _ in .close }
    defer { bench.end() }
    bench.find("uuid:1", path: "/d.xml")
    try expectEqual(bench.lines(1), ["uuid:1 /d.xml failed interfaceGone"])
    let beyond = try FetchBench(own: IPAddress(10, 0, 0, 1)) { _ in .close }
    defer { beyond.end() }
    beyond.find("uuid:1", path: "/d.xml")
    try expectEqual(beyond.lines(1), ["uuid:1 /d.xml failed outOfScope"])
  }

  @Test("a hundred LOCATIONs are fetched four at a time, each once and in the order of asking")
  func hundred() throws {
    // Answers when four have asked: fewer at a time would never get one, more are seen.
    let bench = try FetchBench({
      ($0.queue.connectionsMaximum, $0.queue.connectionsPerHostMaximum) = (4, 4)
      $0.patience = .seconds(30)
    }) { _ in .together(4, whole(body)) }
    defer { bench.end() }
    for number in 0..<100 {
      bench.find("uuid:\(number)", path: "/\(number)")
      bench.find("uuid:other-\(number)", path: "/\(number)")
    }
    let lines = try bench.lines(100)
    expectEqual(lines.sorted(), (0..<100).map { "uuid:\($0) /\($0) 200 <root/>" }.sorted())
    expectEqual(bench.client.attemptsPeak, 4)
    expectEqual(bench.server.askedTogetherMaximum, 4)
    // Four at a time may overtake one another; the four after them may not.
    for group in 0..<25 {
      let asked = bench.server.paths[(group * 4)..<(group * 4 + 4)]
      expectEqual(asked.sorted(), (group * 4..<group * 4 + 4).map { "/\($0)" }.sorted())
    }
  }

  @Test("what is under way or waits when the run ends is reported as stopped, in order, and nothing after it")
  func stops() throws {
    let bench = try FetchBench({ $0.queue.connectionsMaximum = 1 }) { _ in .silence }
    defer { bench.end() }
    for number in 1...3 { bench.find("uuid:\(number)", path: "/\(number)") }
    bench.stop()
    bench.find("uuid:4", path: "/4")
    try expectEqual(bench.lines(3), (1...3).map { "uuid:\($0) /\($0) failed stopped" })
  }

  @Test("the table has a column for descriptions where they are asked for")
  func table() {
    let sighting = DeviceSighting(
      device: "uuid:1", location: "http://10.0.0.9/a", source: IPAddress(10, 0, 0, 9), interface: InterfaceID(0),
      bootID: nil)
    var table = DeviceTable(showsDescriptions: true)
    table.take(.found(sighting), at: .zero)
    table.take(
      .description(
        DescriptionFetch(
          device: "uuid:1", location: "http://10.0.0.9/a", cause: .found, interface: InterfaceID(0), duration: .zero,
          outcome: .failed(.init(.timedOut, "too late")))), at: .zero)
    let lines = table.lines(at: .zero, title: "eth0", rows: 20, columns: 120)
    expectEqual(lines[2], "DEVICE                SOURCE           ANSWERS    FOR  DESCRIPTION  LOCATION")
    expectEqual(lines[3], "uuid:1                10.0.0.9         0        0 s     timedOut     http://10.0.0.9/a")
    expectEqual(
      lines.last, "0.000000000  description uuid:1 http://10.0.0.9/a failed timedOut after 0 ms: too late")
  }
}
