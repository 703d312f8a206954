// The lines of a head, and what they say about the length of the body.
extension HTTPResponseReader {
  /// `HTTP/1.1 200 OK`; the reason phrase, and the blank before it, may be missing.
  mutating func readStatusLine() {
    let shape = Array("HTTP/".utf8)
    for (index, byte) in shape.enumerated() where index >= line.count || line[index] != byte {
      return refuse(.statusLine, at: lineStart + index)
    }
    func digit(_ index: Int) -> Int? {
      index < line.count && (48...57).contains(line[index]) ? Int(line[index]) - 48 : nil
    }
    guard let major = digit(5) else { return refuse(.statusLine, at: lineStart + 5) }
    if major != 1 { return refuse(.version, at: lineStart + 5) }
    guard line.count > 6, line[6] == UInt8(ascii: ".") else { return refuse(.statusLine, at: lineStart + 6) }
    guard let minor = digit(7) else { return refuse(.statusLine, at: lineStart + 7) }
    guard line.count > 8, line[8] == 32 else { return refuse(.statusLine, at: lineStart + 8) }
    var status = 0
    for index in 9..<12 {
      guard let value = digit(index) else { return refuse(.statusLine, at: lineStart + index) }
      status = status * 10 + value
    }
    if line.count > 12, line[12] != 32 { return refuse(.statusLine, at: lineStart + 12) }
    guard (100...599).contains(status), status != 101 || limits.allowsUpgrade else {
      return refuse(.status, at: lineStart + 9)
    }
    (draft.status, draft.minorVersion) = (status, minor)
    phase = .fields
  }

  /// A field, or the continuation of the one before it.
  mutating func readField() {
    func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }
    func trimmed(_ range: Range<Int>) -> Range<Int> {
      var (start, end) = (range.lowerBound, range.upperBound)
      while start < end, isBlank(line[start]) { start += 1 }
      while start < end, isBlank(line[end - 1]) { end -= 1 }
      return start..<end
    }
    if isBlank(line[0]) {
      guard !draft.fields.isEmpty else { return refuse(.foldedLine, at: lineStart) }
      let more = String(decoding: line[trimmed(0..<line.count)], as: UTF8.self)
      let last = draft.fields.count - 1
      if !more.isEmpty { draft.fields[last].value += draft.fields[last].value.isEmpty ? more : " " + more }
      return
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return refuse(.noColon, at: lineStart) }
    if colon == 0 { return refuse(.emptyName, at: lineStart) }
    if isBlank(line[colon - 1]) { return refuse(.whitespaceBeforeColon, at: lineStart + colon - 1) }
    for index in 0..<colon where !HTTPRequestHead.isTokenByte(line[index]) {
      return refuse(.nameBytes, at: lineStart + index)
    }
    if draft.fields.count == limits.fieldsMaximum { return refuse(.tooManyFields, at: lineStart) }
    let value = trimmed((colon + 1)..<line.count)
    draft.fields.append(
      HTTPResponseHead.Field(
        String(decoding: line[..<colon], as: UTF8.self), String(decoding: line[value], as: UTF8.self)))
    draft.offsets.append(lineStart + value.lowerBound)
  }

  /// A head as far as it was read.
  struct HeadDraft: Hashable, Sendable {
    var status = 0
    var minorVersion = 0
    var fields: [HTTPResponseHead.Field] = []
    /// Where the value of each field begins.
    var offsets: [Int] = []

    enum Framing: Hashable {
      case none, chunked, untilClose
      case length(Int)
      case refused(HTTPResponseRefusal)
    }

    /// How long the body is (RFC 9112, section 6.3); the request was a GET.
    func framing(bodyBytesMaximum: Int) -> Framing {
      if status == 101 || status == 204 || status == 304 { return .none }
      let lengths = members(of: "content-length")
      let codings = members(of: "transfer-encoding")
      if let first = codings.first {
        // A length beside a coding is how responses are smuggled; a coding under HTTP/1.0 is nobody's.
        if let length = lengths.first {
          return .refused(HTTPResponseRefusal(.ambiguousLength, at: max(length.offset, first.offset)))
        }
        guard minorVersion > 0, codings.count == 1, first.text.lowercased() == "chunked" else {
          return .refused(HTTPResponseRefusal(.transferCoding, at: first.offset))
        }
        return .chunked
      }
      guard let first = lengths.first else { return .untilClose }
      for length in lengths {
        let digits = length.text.utf8
        guard (1...18).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }),
          length.text == first.text
        else { return .refused(HTTPResponseRefusal(.contentLength, at: length.offset)) }
      }
      guard let count = Int(first.text), count <= bodyBytesMaximum else {
        return .refused(HTTPResponseRefusal(.bodyTooLong, at: first.offset))
      }
      return count == 0 ? .none : .length(count)
    }

    /// What stands between the commas of all fields of a name, each with the offset of the field's value.
    private func members(of name: String) -> [(text: String, offset: Int)] {
      var members: [(String, Int)] = []
      for (index, field) in fields.enumerated() where field.name.lowercased() == name {
        for part in field.value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
          let text = part.drop { $0 == 32 || $0 == 9 }
          let end = text.lastIndex { $0 != 32 && $0 != 9 }.map { text.index(after: $0) } ?? text.startIndex
          members.append((String(decoding: text[..<end], as: UTF8.self), offsets[index]))
        }
      }
      return members
    }
  }
}
