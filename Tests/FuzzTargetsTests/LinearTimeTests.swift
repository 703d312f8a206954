import RollcallConformance
import Foundation
import RollcallFuzzTargets
import RollcallPrimitives
import Testing
import RollcallTrace
import RollcallWire

#if canImport(Glibc)
  import Glibc
#endif

/// Eight times the bytes take about eight times the time of this thread; quadratic work would take sixty-four times.
/// The worst shapes that are known, each near the largest input that can come.
@Suite("Linear time", .serialized)
struct LinearTimeTests {
  private static let shapes: [(name: String, make: @Sendable (Int) -> [UInt8], read: @Sendable ([UInt8]) -> Void)] = [
    (
      "one endless line", { Array("NOTIFY * HTTP/1.1\r\nA: ".utf8) + Array(repeating: 0x20, count: $0) },
      { _ = SSDPReader.read($0, mode: .lenient) }
    ),
    (
      "nothing but carriage returns", { Array("HTTP/1.1 200 OK\r\n".utf8) + Array(repeating: 0x0D, count: $0) },
      { _ = SSDPReader.read($0, mode: .lenient) }
    ),
    (
      "lines without a colon",
      { Array("HTTP/1.1 200 OK\r\n".utf8) + (0..<($0 / 4)).flatMap { _ in [0x61, 0x62, 13, 10] as [UInt8] } },
      { _ = SSDPReader.read($0, mode: .lenient) }
    ),
    (
      "beginnings of max-age",
      { Array("HTTP/1.1 200 OK\r\nCACHE-CONTROL: ".utf8) + (0..<($0 / 7)).flatMap { _ in "max-ag,".utf8 } + [13, 10] },
      { _ = SSDPReader.read($0, mode: .lenient) }
    ),
    (
      "a LOCATION of colons", { Array("http://".utf8) + Array(repeating: 0x3A, count: $0) },
      { bytes in bytes.withUnsafeBytes { _ = LocationURL.check($0) } }
    ),
    (
      "a LOCATION in an open bracket", { Array("http://[".utf8) + Array(repeating: 0x3A, count: $0) },
      { bytes in bytes.withUnsafeBytes { _ = LocationURL.check($0) } }
    ),
    (
      "a USN of single colons", { Array("uuid:a".utf8) + (0..<($0 / 2)).flatMap { _ in ":a".utf8 } },
      { bytes in bytes.withUnsafeBytes { _ = USN.split($0) } }
    ),
    (
      "a target of digits", { Array("urn:a:device:b:".utf8) + Array(repeating: 0x39, count: $0) },
      { bytes in bytes.withUnsafeBytes { _ = SearchTarget.matches(asked: $0, offered: $0, ignoringCase: true) } }
    ),
    (
      "a head of folded lines",
      { Array("HTTP/1.1 200 OK\r\nA: b\r\n".utf8) + (0..<($0 / 4)).flatMap { _ in " c\r\n".utf8 } }, readResponse
    ),
    (
      "a head of lengths",
      { Array("HTTP/1.1 200 OK\r\nContent-Length: 1".utf8) + (0..<($0 / 2)).flatMap { _ in ",1".utf8 } + crlf },
      readResponse
    ),
    (
      "chunks of one byte",
      {
        Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
          + (0..<($0 / 6)).flatMap { _ in "1\r\nx\r\n".utf8 }
      },
      readResponse
    ),
    (
      "a request of empty lines", { Array(repeating: 0x0A, count: $0) },
      { _ = HTTPRequestHead.read($0) }
    ),
    (
      "a trace line of blanks", { Array("1.000000000 tv < interface 0 up".utf8) + Array(repeating: 0x20, count: $0) },
      { _ = try? TraceText.read(String(decoding: $0, as: UTF8.self)[...]) { _ in 0 } }
    ),
    (
      "a trace line of escapes",
      {
        Array("1.000000000 tv < 10.0.0.1:1 -> 10.0.0.2:2 if0 ttl1 ".utf8) + (0..<($0 / 4)).flatMap { _ in "\\x00".utf8 }
      },
      { _ = try? TraceText.read(String(decoding: $0, as: UTF8.self)[...]) { _ in 0 } }
    ),
    (
      "a finding of escapes",
      { Array("{\"clause\":\"".utf8) + (0..<($0 / 6)).flatMap { _ in "\\u0041".utf8 } + Array("\"}".utf8) },
      { _ = try? ExpectedBreach.read(String(decoding: $0, as: UTF8.self)) }
    ),
  ]

  private static let documents: [(name: String, make: @Sendable (Int) -> [UInt8], read: @Sendable ([UInt8]) -> Void)] =
    [
      ("attributes", { document("<a \(repeated($0 / 16) { "attribute\($0)='' " })/>") }, readDocument),
      ("namespaces", { document("<a \(repeated($0 / 16) { "xmlns:n\($0)='u\($0)' " })/>") }, readDocument),
      ("references", { document("<a>\(repeated($0 / 5) { _ in "&#65;" })</a>") }, readDocument),
      ("ampersands", { document("<a>\(repeated($0) { _ in "&" })</a>") }, readDocument),
      ("open references", { document("<a>\(repeated($0 / 2) { _ in "&a" })</a>") }, readDocument),
      ("comments", { document("<a>\(repeated($0 / 8) { _ in "<!-- -->" })</a>") }, readDocument),
      ("elements in each other", { document("\(repeated($0 / 3) { _ in "<a>" })") }, readDocument),
      ("text before the root", { document("\(repeated($0 / 8) { _ in "x<!---->" })<a/>") }, readDocument),
    ]

  private static func document(_ text: String) -> [UInt8] { Array(text.utf8) }
  private static func repeated(_ count: Int, _ text: (Int) -> String) -> String { (0..<count).map(text).joined() }

  /// With limits that nothing reaches, so that only the reader itself can keep the time.
  private static func readDocument(_ bytes: [UInt8]) {
    var limits = XMLReader.Limits()
    (limits.depth, limits.elements, limits.attributes, limits.namespaces) = (1 << 20, 1 << 20, 1 << 20, 64)
    (limits.textBytes, limits.valueBytes) = (1 << 20, 1 << 20)
    bytes.withUnsafeBytes { bytes in
      XMLReader.withReader(of: bytes, mode: .lenient, limits: limits) { reader in
        while let event = try? reader.next(), event != .finished {}
      }
    }
  }

  private static let crlf: [UInt8] = [13, 10, 13, 10]

  private static func readResponse(_ bytes: [UInt8]) {
    var limits = HTTPResponseReader.Limits(bodyBytesMaximum: 1 << 20)
    (limits.headBytesMaximum, limits.fieldsMaximum) = (1 << 20, 1 << 20)
    var reader = HTTPResponseReader(limits: limits)
    reader.take(bytes)
  }

  @Test("eight times the bytes do not take thirty times the time", arguments: shapes.indices)
  func linear(index: Int) {
    let shape = Self.shapes[index]
    let (small, large) = (shape.make(8_000), shape.make(64_000))
    // The least of several tries: other programs on the processor only make it longer.
    let (short, long) = (Self.least { shape.read(small) }, Self.least { shape.read(large) })
    #expect(long < 30 * max(short, 2_000), "\(shape.name): \(short) ns and \(long) ns")
  }

  @Test("eight times the bytes of XML do not take thirty times the time", arguments: documents.indices)
  func linearXML(index: Int) {
    let shape = Self.documents[index]
    let (small, large) = (shape.make(8_000), shape.make(64_000))
    let (short, long) = (Self.least { shape.read(small) }, Self.least { shape.read(large) })
    #expect(long < 30 * max(short, 2_000), "\(shape.name): \(short) ns and \(long) ns")
  }

  private static func least(_ work: () -> Void) -> UInt64 {
    (0..<7).map { _ in
      let start = threadNanoseconds()
      work()
      return threadNanoseconds() - start
    }.min() ?? 0
  }

  /// What this thread has used of its processor.
  private static func threadNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
