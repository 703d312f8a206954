import RollcallWire

/// The fields of an answer to a search (1g).
package struct ResponseChecks: CheckFamily {
  package static let judgesMessagesAlone = true
  package static let clauses: [ClauseID] = [.answerFields, .answerDate, .answerNoError]

  private var locations = FormMemo()
  private var servers = ServerMemo()

  package init(_ circumstances: Circumstances) {}

  package mutating func hear(_ witness: Witness, _ docket: inout Docket) {
    if witness.kind == nil {
      checkStatus(witness, &docket)
    } else if witness.kind == .response {
      docket.held(.answerNoError, witness)
      checkFields(witness, &docket)
      if let date = witness.value(.date) {
        docket.check(
          .answerDate, witness, DateValue.isWellFormed(date), expected: "a date of RFC 1123", found: .bytes(date))
      }
    }
  }

  /// A status line with another number than 200, sent to where searches come from.
  private func checkStatus(_ witness: Witness, _ docket: inout Docket) {
    let bytes = witness.observation.bytes
    guard Bytes.hasPrefix(bytes, ignoringCase: "http/"), let blank = bytes.prefix(16).firstIndex(of: 32),
      blank + 4 <= bytes.count, bytes[(blank + 1)..<(blank + 4)].allSatisfy(Bytes.isDigit), bytes[blank + 1] >= 51
    else { return }
    let end = bytes.firstIndex { $0 == 13 || $0 == 10 } ?? bytes.count
    docket.violated(
      .answerNoError, witness, expected: "silence, or HTTP/1.1 200 OK",
      found: .bytes(UnsafeRawBufferPointer(rebasing: bytes[..<end])))
  }

  private mutating func checkFields(_ witness: Witness, _ docket: inout Docket) {
    var isHeld = true
    func broken(
      _ found: Found, _ expected: StaticString = "CACHE-CONTROL, EXT, LOCATION, SERVER, ST and USN"
    ) {
      isHeld = false
      docket.violated(.answerFields, witness, expected: expected, found: found)
    }
    for field in [SSDPField.cacheControl, .location, .server, .st, .usn] as [SSDPField] {
      if !witness.has(field) {
        broken(.text("no \(field.name)"))
      } else if witness.value(field)?.isEmpty == true {
        broken(.text("\(field.name) is empty"))
      }
    }
    if !witness.has(.ext) { broken(.text("no EXT")) }
    if let ext = witness.value(.ext), !ext.isEmpty { broken(.text("EXT is not empty")) }
    if let lease = witness.value(.cacheControl), !lease.isEmpty {
      if !MaxAge.isWellFormed(lease) {
        broken(.bytes(lease))
      } else if lease.contains(UInt8(ascii: ",")) {
        broken(.bytes(lease), "no directive but max-age")
      }
    }
    if let location = witness.value(.location), !location.isEmpty {
      if witness.message.index.pointee.repeated &>> UInt32(SSDPField.location.rawValue) & 1 != 0 {
        broken(.text("LOCATION more than once"), "LOCATION with one absolute URL")
      } else if !locations.isWellFormed(location, { LocationValue.isWellFormed($0) }) {
        broken(.bytes(location), "LOCATION with one absolute URL")
      }
    }
    if let server = witness.value(.server), !server.isEmpty, !servers.isWellFormed(server, witness.claim) {
      broken(.bytes(server), ServerValue.expected(witness.claim))
    }
    if isHeld { docket.held(.answerFields, witness) }
  }
}
