import RollcallPrimitives
import RollcallWire

/// SSDP form read by the table of `SSDPReader` and by nothing else: slow, plain, and no line shared with the reader
/// that it is compared with.
struct SSDPReference: Hashable {
  struct Field: Hashable {
    var name: [UInt8]
    var value: [UInt8]
    var number: SSDPField
  }

  var kind: SSDPKind
  var fields: [Field]
  var maxAgeSeconds: Int64
  /// BOOTID, NEXTBOOTID, CONFIGID, SEARCHPORT, MX.
  var numbers: [Int64]
  var byteCount: Int

  enum Outcome: Hashable {
    case message(SSDPReference)
    case rejected(RejectionReason, Int)
  }

  static func read(_ bytes: [UInt8], mode: SSDPMode) -> Outcome {
    let isStrict = mode == .strict
    if bytes.isEmpty { return .rejected(.empty, 0) }
    if bytes.count > 65_507 { return .rejected(.tooLong, 65_507) }
    var fields: [Field] = []
    var startLine = ""
    var start = 0
    var byteCount = bytes.count
    var isFirst = true
    var isClosed = false
    while start < bytes.count {
      let feed = bytes[start...].firstIndex(of: 0x0A)
      var text = bytes[start..<(feed ?? bytes.count)]
      let raw = text.count
      while text.last == 0x0D { text.removeLast() }
      let returns = raw - text.count
      let next = feed.map { $0 + 1 } ?? bytes.count
      if isFirst {
        switch startForm(text, isCut: feed == nil && returns == 0, isStrict: isStrict) {
        case .success(let form): startLine = form
        case .failure(let wrong): return .rejected(wrong.reason, wrong.offset)
        }
      }
      if isStrict {
        if feed == nil { return .rejected(.noBlankLine, bytes.count) }
        if returns != 1 { return .rejected(.lineEnd, text.endIndex) }
      }
      if text.isEmpty, !isFirst {
        byteCount = next
        isClosed = true
        if isStrict, next < bytes.count { return .rejected(.bytesAfterBlankLine, next) }
        break
      }
      if !isFirst {
        switch field(text, isStrict: isStrict) {
        case .failure(let wrong): return .rejected(wrong.reason, wrong.offset)
        case .success(nil): break
        case .success(let field?):
          if isStrict, field.number != .other, fields.contains(where: { $0.number == field.number }) {
            return .rejected(.duplicateField, start)
          }
          if fields.count == 32 { return .rejected(.tooManyFields, start) }
          fields.append(field)
        }
      }
      isFirst = false
      start = next
    }
    if isStrict, !isClosed { return .rejected(.noBlankLine, bytes.count) }
    func first(_ number: SSDPField) -> [UInt8]? { fields.first { $0.number == number }?.value }
    return .message(
      SSDPReference(
        kind: kind(startLine, first(.nts), isStrict: isStrict), fields: fields,
        maxAgeSeconds: first(.cacheControl).map(maxAge) ?? -1,
        numbers: [.bootID, .nextBootID, .configID, .searchPort, .mx].map { first($0).map(decimal) ?? -1 },
        byteCount: byteCount))
  }

  private struct Wrong: Error {
    var reason: RejectionReason
    var offset: Int
  }

  private static func startForm(
    _ text: ArraySlice<UInt8>, isCut: Bool, isStrict: Bool
  ) -> Result<String, Wrong> {
    let forms = ["NOTIFY * HTTP/1.1", "M-SEARCH * HTTP/1.1", "HTTP/1.1 200 OK"]
    for form in forms where text.starts(with: form.utf8) {
      let rest = text.dropFirst(form.utf8.count)
      if rest.isEmpty || !isStrict && rest.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return .success(form) }
    }
    let common = forms.map { form in zip(text, form.utf8).prefix { $0 == $1 }.count }.max() ?? 0
    return .failure(Wrong(reason: isCut && common == text.count ? .tooShort : .startLine, offset: common))
  }

  private static func field(_ text: ArraySlice<UInt8>, isStrict: Bool) -> Result<Field?, Wrong> {
    let blanks: [UInt8] = [0x20, 0x09]
    func wrong(_ reason: RejectionReason, _ offset: Int) -> Result<Field?, Wrong> {
      isStrict ? .failure(Wrong(reason: reason, offset: offset)) : .success(nil)
    }
    if blanks.contains(text[text.startIndex]) { return wrong(.foldedLine, text.startIndex) }
    guard let colon = text.firstIndex(of: 0x3A) else { return wrong(.noColon, text.startIndex) }
    if colon == text.startIndex { return wrong(.emptyName, colon) }
    var name = text[..<colon]
    while let last = name.last, blanks.contains(last) { name.removeLast() }
    if name.endIndex < colon, isStrict { return wrong(.whitespaceBeforeColon, name.endIndex) }
    if name.count > 255 { return wrong(.tooLong, name.startIndex + 255) }
    var value = text[(colon + 1)...].drop { blanks.contains($0) }
    while let last = value.last, blanks.contains(last) || last == 0x0D { value.removeLast() }
    if isStrict {
      let token = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
      if let bad = name.firstIndex(where: { !token.contains($0) }) { return wrong(.nameBytes, bad) }
      if let bad = value.firstIndex(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
        return wrong(.controlByte, bad)
      }
      var offset = value.startIndex
      while offset < value.endIndex {
        let sizes = (1...4).filter { offset + $0 <= value.endIndex }
        guard let size = sizes.first(where: { String(validating: value[offset..<(offset + $0)], as: UTF8.self) != nil })
        else { return wrong(.notUTF8, offset) }
        offset += size
      }
    }
    let upper = name.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
    let number = SSDPField.allCases.first { $0 != .other && Array($0.name.utf8) == upper } ?? .other
    return .success(Field(name: Array(name), value: Array(value), number: number))
  }

  private static func kind(_ startLine: String, _ nts: [UInt8]?, isStrict: Bool) -> SSDPKind {
    if startLine.hasPrefix("M") { return .search }
    if startLine.hasPrefix("H") { return .response }
    let nts = nts ?? []
    let said = isStrict ? nts : nts.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    switch String(validating: said, as: UTF8.self) {
    case "ssdp:alive": return .notifyAlive
    case "ssdp:byebye": return .notifyByebye
    case "ssdp:update": return .notifyUpdate
    default: return .notifyOther
    }
  }

  private static func decimal(_ value: [UInt8]) -> Int64 {
    guard !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }) else { return -1 }
    let digits = value.drop { $0 == 0x30 }
    if digits.count > 10 { return -1 }
    let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    return number > 0x7FFF_FFFF ? -1 : number
  }

  private static func maxAge(_ value: [UInt8]) -> Int64 {
    func isToken(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: Array("!#$%&'*+-.^_`|~".utf8).contains(byte)
      }
    }
    let name = Array("max-age".utf8)
    guard value.count >= name.count else { return -1 }
    for start in 0...(value.count - name.count) {
      let end = start + name.count
      guard value[start..<end].map({ (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }) == name,
        start == 0 || !isToken(value[start - 1]), end == value.count || !isToken(value[end])
      else { continue }
      let digits = value[end...].drop { [0x20, 0x09, 0x3D, 0x3A, 0x22].contains($0) }
        .prefix { (0x30...0x39).contains($0) }
      if digits.isEmpty { return -1 }
      return digits.reduce(Int64(0)) { min($0 * 10 + Int64($1 - 0x30), 0x7FFF_FFFF) }
    }
    return -1
  }
}
