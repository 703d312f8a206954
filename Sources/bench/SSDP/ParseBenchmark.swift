import Foundation
import RollcallPrimitives
import RollcallWire

/// Reading a thousand varied messages, with the fields that a control point looks up.
enum ParseBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    let corpus = Corpus(messageCount: options.size(1_000, smoke: 40), deviceCount: 150, seed: 7)
    let datas = (0..<corpus.count).map { Data(corpus.message($0)) }
    let repeats = options.size(50, smoke: 1)
    var contenders = [
      Contender("SSDPReader", operations: corpus.count * repeats) { read(corpus, repeats: repeats) },
      Contender("article", operations: corpus.count) {
        datas.reduce(0) { Proof.fold($0, UInt64(FoundationParser.parse($1).checksum)) }
      },
    ]
    let parser = HTTPParserAnchor.open()
    if case .success(let parser) = parser {
      contenders.append(
        Contender("http-parser", operations: corpus.count * repeats) { parser.read(corpus, repeats: repeats) })
    }
    let contest = Contest(contenders, passes: options.passes(11))
    report.note(
      "parse: \(corpus.count) messages of \(corpus.byteCount / corpus.count) bytes, kind, numbers and eight fields each"
    )
    report.add(
      Figure(
        name: "SSDP message", value: contest.median(0), unit: "ns",
        anchor: ("the article's Foundation parser", contest.median(1)), ratio: contest.ratio(1, to: 0),
        target: .atLeast(150)))
    switch parser {
    case .success(let parser):
      report.add(
        Figure(
          name: "SSDP message", value: contest.median(0), unit: "ns",
          anchor: ("\(parser.name) + field lookup", contest.median(2)), ratio: contest.ratio(0, to: 2),
          target: .atMost(0.3)))
    case .failure(let reason): report.note("http-parser was left out: \(reason.text)")
    }
    report.note("instructions a message: Tools/instructions.sh (target <= 2 500; needs valgrind)")
    return contest.proof
  }

  /// This many passes over the thousand messages, and nothing else.
  static func passes(_ count: Int) -> (operations: Int, proof: UInt64) {
    (count * 1_000, read(Corpus(messageCount: 1_000, deviceCount: 150, seed: 7), repeats: count))
  }

  private static func read(_ corpus: Corpus, repeats: Int) -> UInt64 {
    let index = UnsafeMutablePointer<SSDPIndex>.allocate(capacity: 1)
    index.initialize(to: SSDPIndex())
    defer { index.deallocate() }
    var sum = 0
    corpus.bytes.withUnsafeBytes { bytes in
      for _ in 0..<repeats {
        for range in corpus.ranges {
          let datagram = UnsafeRawBufferPointer(rebasing: bytes[range])
          if SSDPReader.read(datagram, mode: .lenient, into: index) == nil { sum &+= checksum(index) }
        }
      }
    }
    return UInt64(truncatingIfNeeded: sum)
  }

  @inline(__always) private static func checksum(_ index: UnsafePointer<SSDPIndex>) -> Int {
    var sum = Int(index.pointee.kind.rawValue)
    if let range = index.range(of: .usn) { sum &+= range.count }
    if let range = index.range(of: .nt) { sum &+= 3 &* range.count }
    if let range = index.range(of: .st) { sum &+= 5 &* range.count }
    if let range = index.range(of: .location) { sum &+= 7 &* range.count }
    if let range = index.range(of: .server) { sum &+= 11 &* range.count }
    sum &+= 13 &* Int(index.pointee.maxAgeSeconds) &+ 17 &* Int(index.pointee.bootID)
    return sum &+ 19 &* Int(index.pointee.configID)
  }
}

/// SSDP as many apps read it: a String, its lines, a dictionary of upper-cased names, a regular expression, a URL.
///
/// The way of a well-known tutorial, in code of our own. It knows only responses there; here it takes every message.
enum FoundationParser {
  struct Service {
    var expires: Date?
    var location: URL?
    var server: String?
    var target: String?
    var usn: String?
    var others: [String: String]

    var checksum: Int {
      (expires == nil ? 0 : 1) + (location?.absoluteString.utf8.count ?? 0) + (server?.utf8.count ?? 0)
        + (target?.utf8.count ?? 0) + (usn?.utf8.count ?? 0) + others.count
    }
  }

  static func parse(_ data: Data) -> Service {
    guard let text = String(data: data, encoding: .utf8) else { return Service(others: [:]) }
    var fields = dictionary(of: text)
    let age = fields.removeValue(forKey: "CACHE-CONTROL")
    let location = fields.removeValue(forKey: "LOCATION")
    let server = fields.removeValue(forKey: "SERVER")
    let target = fields.removeValue(forKey: "ST") ?? fields.removeValue(forKey: "NT")
    let usn = fields.removeValue(forKey: "USN")
    return Service(
      expires: age.flatMap(expiry), location: location.flatMap { URL(string: $0) }, server: server, target: target,
      usn: usn, others: fields)
  }

  private static func dictionary(of text: String) -> [String: String] {
    var fields: [String: String] = [:]
    for line in text.split(separator: "\r\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count < 2 { continue }
      let name = parts[0].uppercased().trimmingCharacters(in: .whitespacesAndNewlines)
      fields[name] = parts[1].trimmingCharacters(in: .whitespacesAndNewlines)
    }
    return fields
  }

  private static func expiry(_ value: String) -> Date? {
    guard let digits = value.range(of: "[0-9]+$", options: .regularExpression),
      let seconds = TimeInterval(value[digits])
    else { return nil }
    return Date(timeIntervalSinceNow: seconds)
  }
}
