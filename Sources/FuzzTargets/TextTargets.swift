import RollcallConformance
import RollcallPrimitives
import RollcallTrace

extension FuzzTarget {
  /// Lines of a trace: refused at a column that is there; what is read is read again from what is written of it, times
  /// print as they stood, and bytes are written in one way only.
  package static let trace = FuzzTarget(name: "trace", dictionary: traceWords, seeds: traceSeeds) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    let text = String(decoding: bytes, as: UTF8.self)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { try checkTrace(line) }
    for cut in cuts(of: bytes) { try checkTrace(String(decoding: bytes[..<cut], as: UTF8.self)[...]) }
    try expect(WordReader.unescaped(WordWriter.escaped(bytes)[...]) == bytes, "escaped, the bytes are others")
  }

  private static func checkTrace(_ line: Substring) throws(FuzzFinding) {
    var station: Substring = ""
    let read: TraceEntry
    do throws(WordError) {
      read = try TraceText.read(line) { name in
        station = name
        return 1
      }
    } catch {
      try expect((1...(line.utf8.count + 1)).contains(error.column), "column \(error.column) of \(line.utf8.count)")
      try expect(!error.expected.isEmpty, "nothing was expected")
      return
    }
    try expect(
      line.utf8.starts(with: "\(read.time) \(station) ".utf8), "the time \(read.time) stands there differently")
    switch read.content {
    case .received(let datagram), .sent(let datagram):
      try expect(line.hasSuffix(WordWriter.escaped(datagram.bytes)), "the bytes stand there differently")
    default: break
    }
    let printed = TraceText.line(read) { _ in String(station) }
    let again: TraceEntry
    do throws(WordError) { again = try TraceText.read(printed[...]) { _ in 1 } } catch {
      throw FuzzFinding("printed, it is refused at column \(error.column): \(printed)")
    }
    try expect(again == read, "printed, it reads differently: \(printed)")
  }

  /// A file of reviewed breaches: refused at a line that is there; else one breach for each line that is neither empty
  /// nor a remark, of a clause that exists, and the same ones when they are printed anew. Twice the file is twice as many.
  static let expectedFindings = FuzzTarget(
    name: "expected-findings", dictionary: findingWords, seeds: findingSeeds
  ) { (bytes: [UInt8]) throws(FuzzFinding) in
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = PlainText.lines(of: text)
    let breaches: [ExpectedBreach]
    do throws(ExpectedBreach.Failure) { breaches = try ExpectedBreach.read(text) } catch {
      try expect((1...lines.count).contains(error.line) && !error.expected.isEmpty, "line \(error.line)")
      let before = lines[..<(error.line - 1)].joined(separator: "\n")
      try expect((try? ExpectedBreach.read(before)) != nil, "what stands before line \(error.line) is refused, too")
      return
    }
    let numbers = lines.indices.filter { !lines[$0].isEmpty && lines[$0].utf8.first != 35 }.map { $0 + 1 }
    try expect(breaches.map(\.line) == numbers, "breaches of lines \(breaches.map(\.line))")
    for breach in breaches { try expect(Clause.named(breach.key.clause) != nil, "no clause \(breach.key.clause)") }
    let printed = breaches.map(json).joined(separator: "\n")
    try expect((try? ExpectedBreach.read(printed))?.map(\.key) == breaches.map(\.key), "printed, others: \(printed)")
    let twice = try? ExpectedBreach.read(text + "\n" + text)
    try expect(twice?.map(\.key) == breaches.map(\.key) + breaches.map(\.key), "twice the file is not twice as many")
  }

  /// In an order of its own, with every letter that JSON can escape escaped.
  private static func json(_ breach: ExpectedBreach) -> String {
    func quoted(_ text: String) -> String {
      "\"" + text.unicodeScalars.map { $0.value < 0x80 ? "\\u00" + hex($0.value) : String($0) }.joined() + "\""
    }
    func hex(_ value: UInt32) -> String { (value < 16 ? "0" : "") + String(value, radix: 16) }
    let key = breach.key
    return
      "{ \"found\" : \(quoted(key.found)), \"role\":\(quoted(key.role)),\"count\":3 ,\"party\":\(quoted(key.party)),"
      + "\"clause\":\(quoted(key.clause))}"
  }

  private static let traceWords = [
    "0.000000000 ", "12.500000000 ", " < ", " > ", " tv ", " -> ", "10.0.0.1:1900", "239.255.255.250:1900",
    "[fe80::1]:1900", " if0 ", " ttl2 ", "\\r\\n", "\\x00", "\\xff", "\\\\", "interface 0 up ", "down", "10.0.0.1/24",
    "fe80::1/64", "command ", "search 1 ", "hold ", "release ", "crash 3s ", "keeps-state", "found ", "changed ",
    "lost ", "search-ended ", " services", " / ", " of ", "failed ", "service ", "adopt ", " mx 3 x2", " spacing 250ms",
    " to ",
    "stream 1 ", "store ", "process ", "heard ch37 ", "advertise ", "scan ", "join ", "refused send ", " port ", "\"\"",
    "rejected badMX at 3", "uuid:1 ", "http://10.0.0.1/ ", " boot 1", "location from ", "address from ", "bootID from ",
    "configID from ", "united ", "stopped", "byebye", "expired", "-", "wake", "+1", "é", "\t", "\r", "\n",
  ]

  private static let traceSeeds = [
    "12.500000000 tv < 10.0.0.1:1900 -> 239.255.255.250:1900 if0 ttl2 M-SEARCH * HTTP/1.1\\r\\nA: \\\\ \\x00\\r\\n",
    "0.000000000 here > [fe80::1]:1900 -> [ff02::c]:1900 if3 ttl255 \\xff", "1.000000000 tv < wake",
    "1.000000000 tv < interface 1 up 10.0.0.2/24 fe80::2/64", "1.000000000 tv < interface 0 down",
    "2.000000000 tv < command crash 3s keeps-state", "2.000000000 tv < power off",
    "2.000000000 tv < command adopt 10.0.0.9:50000 search 4 a\\x20b mx 3 x1 spacing 250ms to 10.0.0.8:0 if1",
    "2.000000000 tv > service 4 uuid:1::a a - of uuid:1", "2.000000000 tv > join 239.255.255.250:1900 if0",
    "2.000000000 tv > search-ended 4 a stopped 1 services / uuid:1::a a - of uuid:1",
    "2.000000000 tv > failed cannotJoin search 1 if0 : Ask.", "2.000000000 tv < stream 1 bytes a\\x00 b",
    "2.000000000 tv > stream 1 connect 10.0.0.1:80 if0", "2.000000000 tv < heard ch37 -60 2391391958 \\x00",
    "2.000000000 tv > advertise 1 100ms 2 abcd", "2.000000000 tv < store value key a",
    "2.000000000 tv > store get \"\"",
    "2.000000000 tv < process exit 0", "2.000000000 tv > process start a \"\" b",
    "2.000000000 tv < command search 4 ssdp:all mx 3 x3",
    "2.000000000 tv < command hold uuid:1", "3.000000000 tv > found uuid:1 http://10.0.0.1/ 10.0.0.1 if0 boot 7",
    "3.000000000 tv > changed uuid:1 - 10.0.0.1 if0 location from http://10.0.0.1/",
    "3.000000000 tv > changed uuid:1 - 10.0.0.1 if0 bootID from -\n3.000000000 tv > lost uuid:1 byebye",
    "4.000000000 tv > search-ended 4 ssdp:all 0 services", "4.000000000 tv > rejected badMX at 7",
    "3.000000000 tv > changed uuid:1 - 10.0.0.1 if0 united uuid:2",
  ].map { Array($0.utf8) }

  private static let findingWords = [
    "{\"clause\":\"", "\"party\":\"", "\"role\":\"device\"", "\"role\":\"controlPoint\"", "\"found\":\"", "\"count\":3",
    "\"at\":12", "UDA-1.2.2-A-LOC", "uda-1.2.2-a-loc", "\",", "}", "{}", "\n", "#", "\\n", "\\u0041", "\\ud800", "\\\"",
    "\\/", "\t", "\r", " ", ":", ",", "null", "[", "é",
  ]

  private static let findingSeeds = [
    "# reviewed\n\n{\"clause\":\"UDA-1.2.2-A-LOC\",\"party\":\"uuid:1\",\"role\":\"device\",\"found\":\"none\",\"count\":3,\"at\":12}\n",
    "{\"found\":\"a \\\"b\\\" \\u00e9\\n\",\"role\":\"controlPoint\",\"party\":\"x\",\"clause\":\"uda-1.2.2-a-loc\"}",
    "{\"clause\":\"NOTHING\",\"party\":\"\",\"role\":\"\",\"found\":\"\"}", "{}", "[]", "#\n#\n", "{\"a\":\"\\ud800\"}",
  ].map { Array($0.utf8) }
}
