import RollcallWire

/// The fields of an answer to a search (1g).
package struct ResponseChecks: CheckFamily {
  package static let judgesMessagesAlone = true
  package static let clauses: [ClauseID] = [.answerFields, .answerDate, .answerNoError]

  private var locations = FormMemo()
  private var servers = ServerMemo()

  package init(_ circumstances: Circumstances) {}

  package mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector) {
    if context.kind == nil {
      checkStatus(context, &collector)
    } else if context.kind == .response {
      collector.held(.answerNoError, context)
      checkFields(context, &collector)
      if let date = context.value(.date) {
        collector.check(
          .answerDate, context, DateValue.isWellFormed(date), expected: "a date of RFC 1123", found: .bytes(date))
      }
    }
  }

  /// A status line with another number than 200, sent to where searches come from.
  private func checkStatus(_ context: MessageContext, _ collector: inout FindingCollector) {
    let bytes = context.observation.bytes
    guard Bytes.hasPrefix(bytes, ignoringCase: "http/"), let blank = bytes.prefix(16).firstIndex(of: 32),
      blank + 4 <= bytes.count, bytes[(blank + 1)..<(blank + 4)].allSatisfy(Bytes.isDigit), bytes[blank + 1] >= 51
    else { return }
    let end = bytes.firstIndex { $0 == 13 || $0 == 10 } ?? bytes.count
    collector.violated(
      .answerNoError, context, expected: "silence, or HTTP/1.1 200 OK",
      found: .bytes(UnsafeRawBufferPointer(rebasing: bytes[..<end])))
  }

  private mutating func checkFields(_ context: MessageContext, _ collector: inout FindingCollector) {
    var isHeld = true
    func broken(
      _ found: Found, _ expected: StaticString = "CACHE-CONTROL, EXT, LOCATION, SERVER, ST and USN"
    ) {
      isHeld = false
      collector.violated(.answerFields, context, expected: expected, found: found)
    }
    for field in [SSDPField.cacheControl, .location, .server, .st, .usn] as [SSDPField] {
      if !context.has(field) {
        broken(.text("no \(field.name)"))
      } else if context.value(field)?.isEmpty == true {
        broken(.text("\(field.name) is empty"))
      }
    }
    if !context.has(.ext) { broken(.text("no EXT")) }
    if let ext = context.value(.ext), !ext.isEmpty { broken(.text("EXT is not empty")) }
    if let lease = context.value(.cacheControl), !lease.isEmpty {
      if !MaxAge.isWellFormed(lease) {
        broken(.bytes(lease))
      } else if lease.contains(UInt8(ascii: ",")) {
        broken(.bytes(lease), "no directive but max-age")
      }
    }
    if let location = context.value(.location), !location.isEmpty {
      if context.message.index.pointee.repeated &>> UInt32(SSDPField.location.rawValue) & 1 != 0 {
        broken(.text("LOCATION more than once"), "LOCATION with one absolute URL")
      } else if !locations.isWellFormed(location, { LocationValue.isWellFormed($0) }) {
        broken(.bytes(location), "LOCATION with one absolute URL")
      }
    }
    if let server = context.value(.server), !server.isEmpty, !servers.isWellFormed(server, context.claim) {
      broken(.bytes(server), ServerValue.expected(context.claim))
    }
    if isHeld { collector.held(.answerFields, context) }
  }
}
