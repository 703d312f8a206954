import Foundation

/// The C parser that much of the field used, where the system has it: `libhttp_parser.so.2.9`, opened at run time.
///
/// It only cuts a message into names and values, so its callbacks do what any user of it has to: compare each name with
/// those of interest, and read the numbers.
struct HTTPParserAnchor {
  struct Absence: Error { var text: String }

  /// What the callbacks found; the parser carries a pointer to it.
  struct Findings {
    var field = -1
    var sum = 0
  }

  typealias Notice = @convention(c) (UnsafeMutableRawPointer?) -> CInt
  typealias Piece = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> CInt

  /// `http_parser_settings` of 2.9: ten function pointers in this order.
  private struct Settings {
    var messageBegin: Notice?
    var url: Piece?
    var status: Piece?
    var headerField: Piece?
    var headerValue: Piece?
    var headersComplete: Notice?
    var body: Piece?
    var messageComplete: Notice?
    var chunkHeader: Notice?
    var chunkComplete: Notice?
  }

  private typealias Initialize = @convention(c) (UnsafeMutableRawPointer, CInt) -> Void
  private typealias Execute =
    @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer, UnsafeRawPointer, Int) -> Int

  /// `http_parser` of 2.9 has 32 bytes; the user's pointer is the last eight of them.
  private static let parserBytes = 32
  private static let dataOffset = 24
  /// HTTP_BOTH: requests and responses.
  private static let both: CInt = 2

  private let initialize: Initialize
  private let execute: Execute
  let name: String

  static func open() -> Result<HTTPParserAnchor, Absence> {
    let library = "libhttp_parser.so.2.9"
    guard let handle = dlopen(library, RTLD_NOW) else {
      return .failure(Absence(text: "\(library) is not there (Debian: libhttp-parser-dev)"))
    }
    guard let initialize = dlsym(handle, "http_parser_init"), let execute = dlsym(handle, "http_parser_execute"),
      let version = dlsym(handle, "http_parser_version")
    else { return .failure(Absence(text: "\(library) lacks its functions")) }
    let number = unsafeBitCast(version, to: (@convention(c) () -> CUnsignedLong).self)()
    guard number >> 8 == 0x0209 else {
      return .failure(Absence(text: "its version is \(number >> 16 & 255).\(number >> 8 & 255), not 2.9"))
    }
    return .success(
      HTTPParserAnchor(
        initialize: unsafeBitCast(initialize, to: Initialize.self), execute: unsafeBitCast(execute, to: Execute.self),
        name: "http-parser 2.9.\(number & 255)"))
  }

  func read(_ corpus: Corpus, repeats: Int) -> UInt64 {
    var settings = Settings()
    settings.headerField = { parser, bytes, count in
      HTTPParserAnchor.findings(parser).pointee.field = HTTPParserAnchor.field(bytes, count)
      return 0
    }
    settings.headerValue = { parser, bytes, count in
      let findings = HTTPParserAnchor.findings(parser)
      switch findings.pointee.field {
      case ..<0: break
      case 13, 17, 19: findings.pointee.sum &+= findings.pointee.field &* HTTPParserAnchor.number(bytes, count)
      default: findings.pointee.sum &+= findings.pointee.field &* count
      }
      return 0
    }
    let parser = UnsafeMutableRawPointer.allocate(byteCount: HTTPParserAnchor.parserBytes, alignment: 16)
    defer { parser.deallocate() }
    var findings = Findings()
    withUnsafeMutablePointer(to: &findings) { findings in
      corpus.bytes.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        for _ in 0..<repeats {
          for range in corpus.ranges {
            initialize(parser, HTTPParserAnchor.both)
            parser.storeBytes(of: findings, toByteOffset: HTTPParserAnchor.dataOffset, as: UnsafeMutablePointer.self)
            findings.pointee.sum &+= execute(parser, &settings, base + range.lowerBound, range.count)
          }
        }
      }
    }
    return UInt64(truncatingIfNeeded: findings.sum)
  }

  private static func findings(_ parser: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Findings> {
    parser.unsafelyUnwrapped.load(fromByteOffset: dataOffset, as: UnsafeMutablePointer<Findings>.self)
  }

  /// A number for each name of interest, by its length first; −1 for any other.
  private static func field(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    guard let bytes else { return -1 }
    switch count {
    case 2: return equals(bytes, "nt") ? 3 : equals(bytes, "st") ? 5 : -1
    case 3: return equals(bytes, "usn") ? 1 : equals(bytes, "nts") ? 23 : -1
    case 6: return equals(bytes, "server") ? 11 : -1
    case 8: return equals(bytes, "location") ? 7 : -1
    case 13: return equals(bytes, "cache-control") ? 13 : -1
    case 15: return equals(bytes, "bootid.upnp.org") ? 17 : -1
    case 17: return equals(bytes, "configid.upnp.org") ? 19 : -1
    default: return -1
    }
  }

  private static func equals(_ bytes: UnsafePointer<UInt8>, _ name: StaticString) -> Bool {
    strncasecmp(
      UnsafeRawPointer(bytes).assumingMemoryBound(to: CChar.self),
      UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self), name.utf8CodeUnitCount) == 0
  }

  /// The last number of a value.
  private static func number(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    guard let bytes else { return 0 }
    var start = count
    while start > 0, bytes[start - 1] &- 48 < 10 { start -= 1 }
    var value = 0
    while start < count {
      value = value &* 10 &+ Int(bytes[start] &- 48)
      start += 1
    }
    return value
  }
}
