import RollcallWire

/// HTTP read slowly, all at once, by splitting into lines.
enum HTTPReference {
  // MARK: Requests

  private static let kept = ["upgrade", "connection", "soapaction", "callback", "nt", "sid", "timeout"]

  static func request(_ bytes: [UInt8]) -> HTTPRequestHead.Reading {
    let lead = Array(bytes.prefix { $0 == 13 || $0 == 10 })
    var lines: [[UInt8]] = []
    var end: Int?
    var start = lead.count
    while let feed = bytes[start...].firstIndex(of: 10) {
      let line = bytes[start..<feed]
      start = feed + 1
      if !lines.isEmpty, line.isEmpty || Array(line) == [13] {
        end = start
        break
      }
      lines.append(withoutReturn(line))
    }
    guard let end, end <= HTTPRequestHead.byteCountMaximum else {
      return end != nil || bytes.count >= HTTPRequestHead.byteCountMaximum ? .refused(status: 431) : .incomplete
    }
    guard [[], [10], [13, 10]].contains(lead) else { return .refused(status: 400) }
    let words = lines[0].split(separator: 32, omittingEmptySubsequences: false).map { Array($0) }
    guard words.count == 3, isToken(words[0]), !words[1].isEmpty, words[1].allSatisfy({ $0 > 32 && $0 < 127 }),
      let path = path(String(decoding: words[1], as: UTF8.self)), words[2].count == 8,
      words[2].starts(with: "HTTP/".utf8), isDigit(words[2][5]), words[2][6] == 46, isDigit(words[2][7])
    else { return .refused(status: 400) }
    if words[2][5] != 49 { return .refused(status: 505) }
    let fields = lines.dropFirst().filter { !$0.isEmpty }
    if fields.count > HTTPRequestHead.fieldCountMaximum { return .refused(status: 431) }
    var names: [String] = []
    var length = 0
    for field in fields {
      let name = Array(field.prefix { $0 != 58 })
      guard name.count < field.count, isToken(name) else { return .refused(status: 400) }
      names.append(String(decoding: name, as: UTF8.self).lowercased())
      if names.last == "transfer-encoding" { return .refused(status: 411) }
      guard names.last == "content-length" else { continue }
      let value = String(decoding: field.dropFirst(name.count + 1), as: UTF8.self)
        .split { $0 == " " || $0 == "\t" }
      guard names.count(where: { $0 == "content-length" }) == 1, value.count == 1,
        value[0].utf8.allSatisfy({ (48...57).contains($0) })
      else { return .refused(status: 400) }
      guard let count = Int(value[0]), count <= HTTPRequestHead.bodyByteCountMaximum else {
        return .refused(status: 413)
      }
      length = count
    }
    let isOld = words[2][7] == 48
    guard isOld || names.contains("host") else { return .refused(status: 400) }
    var head = HTTPRequestHead(
      method: String(decoding: words[0], as: UTF8.self), path: path, minorVersion: isOld ? 0 : 1,
      hasHost: names.contains("host"), byteCount: end, bodyByteCount: length)
    for (name, field) in zip(names, fields)
    where kept.contains(name) || name.hasPrefix("sec-websocket-") {
      var value = field.dropFirst(name.utf8.count + 1)
      while let first = value.first, first == 32 || first == 9 { value.removeFirst() }
      while let last = value.last, last == 32 || last == 9 { value.removeLast() }
      head.fields.append(.init(name, String(decoding: value, as: UTF8.self)))
    }
    return .head(head)
  }

  private static func path(_ target: String) -> String? {
    if target == "*" { return target }
    var path = target[...]
    if target.lowercased().hasPrefix("http://") {
      path = target.dropFirst(7).drop { !"/?#".contains($0) }
      if path.first != "/" { path = "/" }
    } else if target.first != "/" {
      return nil
    }
    return String(path.prefix { $0 != "?" && $0 != "#" })
  }

  // MARK: Responses

  /// What is left of the bytes.
  private struct Rest {
    var bytes: ArraySlice<UInt8>

    /// The next line; `nil` where there is none that is whole and good.
    mutating func line() -> [UInt8]? {
      guard let feed = bytes.firstIndex(of: 10) else { return nil }
      let line = HTTPReference.withoutReturn(bytes[..<feed])
      bytes = bytes[(feed + 1)...]
      return HTTPReference.isClean(line) ? line : nil
    }
    mutating func take(_ count: Int) -> [UInt8]? {
      guard bytes.count >= count else { return nil }
      defer { bytes = bytes.dropFirst(count) }
      return Array(bytes.prefix(count))
    }
  }

  /// A response whose connection is closed behind the last byte; `nil` for anything that is none.
  static func response(_ bytes: [UInt8]) -> (head: HTTPResponseHead, body: [UInt8])? {
    var rest = Rest(bytes: bytes[...])
    var head: HTTPResponseHead
    repeat {
      guard let line = rest.line(), let found = statusLine(line), let fields = fields(&rest) else { return nil }
      head = HTTPResponseHead(status: found.status, minorVersion: found.minor, fields: fields)
    } while head.status < 200
    if head.status == 204 || head.status == 304 { return (head, []) }
    func values(_ name: String) -> [String] {
      head.fields.filter { $0.name.lowercased() == name }.flatMap { field in
        field.value.utf8.split(separator: 44, omittingEmptySubsequences: false).map {
          String(decoding: trimmed(Array($0)), as: UTF8.self)
        }
      }
    }
    let (lengths, codings) = (values("content-length"), values("transfer-encoding"))
    if !codings.isEmpty {
      guard lengths.isEmpty, head.minorVersion > 0, codings.map({ $0.lowercased() }) == ["chunked"],
        let body = chunks(&rest)
      else { return nil }
      return (head, body)
    }
    guard let length = lengths.first else { return (head, Array(rest.bytes)) }
    guard lengths.allSatisfy({ $0 == length }), length.utf8.allSatisfy(isDigit), length.utf8.count <= 18,
      let count = Int(length), let body = rest.take(count)
    else { return nil }
    return (head, body)
  }

  private static func statusLine(_ line: [UInt8]) -> (status: Int, minor: Int)? {
    guard line.count >= 12, line.starts(with: "HTTP/1.".utf8), isDigit(line[7]), line[8] == 32,
      line[9..<12].allSatisfy(isDigit), line.count == 12 || line[12] == 32,
      let status = Int(String(decoding: line[9..<12], as: UTF8.self)), (100...599).contains(status), status != 101
    else { return nil }
    return (status, Int(line[7]) - 48)
  }

  /// Fields up to an empty line.
  private static func fields(_ rest: inout Rest) -> [HTTPResponseHead.Field]? {
    var fields: [HTTPResponseHead.Field] = []
    while let line = rest.line() {
      if line.isEmpty { return fields }
      guard field(line, &fields) else { return nil }
    }
    return nil
  }

  private static func field(_ line: [UInt8], _ fields: inout [HTTPResponseHead.Field]) -> Bool {
    if line[0] == 32 || line[0] == 9 {
      guard let last = fields.indices.last else { return false }
      let words = [fields[last].value, String(decoding: trimmed(line), as: UTF8.self)]
      fields[last].value = words.filter { !$0.isEmpty }.joined(separator: " ")
      return true
    }
    let parts = line.split(separator: 58, maxSplits: 1, omittingEmptySubsequences: false).map { Array($0) }
    guard parts.count == 2, isToken(parts[0]) else { return false }
    fields.append(
      .init(String(decoding: parts[0], as: UTF8.self), String(decoding: trimmed(parts[1]), as: UTF8.self)))
    return true
  }

  private static func chunks(_ rest: inout Rest) -> [UInt8]? {
    var body: [UInt8] = []
    while let line = rest.line() {
      let words = line.split(separator: 59, maxSplits: 1, omittingEmptySubsequences: false)
      let text = String(decoding: words.first ?? [], as: UTF8.self)
      // Blanks may stand behind the number, and not before it.
      let digits = text.prefix { $0 != " " && $0 != "\t" }
      guard !digits.isEmpty, digits.utf8.allSatisfy(isHexDigit),
        text.dropFirst(digits.count).allSatisfy({ $0 == " " || $0 == "\t" })
      else { return nil }
      let size = Int(digits.drop { $0 == "0" }.prefix(9), radix: 16) ?? 0
      if size == 0 { return trailers(&rest) ? body : nil }
      guard let bytes = rest.take(size), rest.line()?.isEmpty == true else { return nil }
      body += bytes
    }
    return nil
  }

  /// The close may come anywhere in them.
  private static func trailers(_ rest: inout Rest) -> Bool {
    var ignored: [HTTPResponseHead.Field] = []
    while rest.bytes.contains(10) {
      guard let line = rest.line() else { return false }
      if line.isEmpty { return true }
      guard field(line, &ignored) else { return false }
    }
    return isClean(withoutReturn(rest.bytes))
  }

  // MARK: Bytes

  private static func withoutReturn(_ line: ArraySlice<UInt8>) -> [UInt8] {
    Array(line.last == 13 ? line.dropLast() : line)
  }
  private static func isClean(_ line: [UInt8]) -> Bool { line.allSatisfy { $0 == 9 || $0 >= 32 && $0 != 127 } }
  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
  private static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (65...70).contains(byte) || (97...102).contains(byte)
  }
  private static func isToken(_ name: [UInt8]) -> Bool {
    !name.isEmpty
      && name.allSatisfy {
        isDigit($0) || (65...90).contains($0) || (97...122).contains($0) || "!#$%&'*+-.^_`|~".utf8.contains($0)
      }
  }
  private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }
    return Array(bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
