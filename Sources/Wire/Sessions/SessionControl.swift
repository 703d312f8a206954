package import RollcallPrimitives

/// A message of the session itself, carried reliably between those of the application. See docs/sessions.md.
package enum SessionControl: Hashable, Sendable {
  package static let contextBytesMaximum = 65_536
  package static let certificatesMaximum = 16
  package static let certificateBytesMaximum = 32_768
  package static let nameBytesMaximum = 1_024
  package static let membersMaximum = 7
  /// More than any control message needs.
  package static let byteCountMaximum = 131_072

  /// Which side of a stream or resource speaks.
  package enum Side: UInt8, Hashable, Sendable, CaseIterable { case sender = 0, receiver }
  package enum Outcome: UInt8, Hashable, Sendable, CaseIterable { case complete = 0, cancelled, failed }
  package struct Member: Hashable, Sendable {
    package var card: SessionCard
    package var endpoint: Endpoint
    package init(_ card: SessionCard, at endpoint: Endpoint) { (self.card, self.endpoint) = (card, endpoint) }
  }

  /// `context` `nil` and empty are two things. Certificates: the identity's first, then its chain; none: no identity.
  case invitation(timeoutMilliseconds: UInt32, context: [UInt8]?, certificates: [[UInt8]])
  case accept(certificates: [[UInt8]])
  case decline
  /// Stands for invitation and acceptance where both sides expect the connection.
  case greeting(certificates: [[UInt8]])
  /// The sender accepts the certificates of the other side.
  case ready
  case members([Member])
  case streamOpen(channel: UInt32, name: String)
  /// The reader has taken so many bytes: so many more may be sent.
  case streamCredit(channel: UInt32, bytes: UInt32)
  case streamEnd(channel: UInt32, Side)
  /// `byteCount` `nil`: not known before the end. `fileName`: of the file at the sender, which may be empty.
  case resourceOpen(channel: UInt32, byteCount: Int?, name: String, fileName: String)
  case resourceEnd(channel: UInt32, Side, Outcome)
  /// An invitation is accepted for a session that opens a connection of its own; this one has no more to do.
  case elsewhere

  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .invitation(let timeout, let context, let certificates):
      bytes = [1]
      bytes.append(number: timeout)
      bytes.append(context == nil ? 0 : 1)
      if let context {
        bytes.append(number: UInt32(truncatingIfNeeded: context.count))
        bytes += context
      }
      bytes.append(certificates: certificates)
    case .accept(let certificates):
      bytes = [2]
      bytes.append(certificates: certificates)
    case .decline: bytes = [3]
    case .greeting(let certificates):
      bytes = [4]
      bytes.append(certificates: certificates)
    case .ready: bytes = [5]
    case .members(let members):
      bytes = [6, UInt8(truncatingIfNeeded: members.count)]
      for member in members {
        bytes.append(member.card)
        bytes.append(member.endpoint)
      }
    case .streamOpen(let channel, let name):
      bytes = [7]
      bytes.append(number: channel)
      bytes.append(longName: name)
    case .streamCredit(let channel, let count):
      bytes = [8]
      bytes.append(number: channel)
      bytes.append(number: count)
    case .streamEnd(let channel, let side):
      bytes = [9]
      bytes.append(number: channel)
      bytes.append(side.rawValue)
    case .resourceOpen(let channel, let byteCount, let name, let fileName):
      bytes = [10]
      bytes.append(number: channel)
      bytes.append(number: byteCount.map { UInt64($0) } ?? .max)
      bytes.append(longName: name)
      bytes.append(longName: fileName)
    case .resourceEnd(let channel, let side, let outcome):
      bytes = [11]
      bytes.append(number: channel)
      bytes.append(side.rawValue)
      bytes.append(outcome.rawValue)
    case .elsewhere: bytes = [12]
    }
    return bytes
  }

  package init(_ bytes: UnsafeRawBufferPointer) throws(SessionFault) {
    var cursor = SessionCursor(bytes)
    switch try cursor.byte() {
    case 1:
      let timeout = try cursor.number(UInt32.self)
      var place = cursor.offset
      let flag = try cursor.byte()
      guard flag <= 1 else { throw SessionFault(.badValue, at: place) }
      var context: [UInt8]?
      if flag == 1 {
        place = cursor.offset
        let count = Int(try cursor.number(UInt32.self))
        guard count <= SessionControl.contextBytesMaximum else { throw SessionFault(.overLimit, at: place) }
        context = try cursor.array(count)
      }
      self = .invitation(timeoutMilliseconds: timeout, context: context, certificates: try cursor.certificates())
    case 2: self = .accept(certificates: try cursor.certificates())
    case 3: self = .decline
    case 4: self = .greeting(certificates: try cursor.certificates())
    case 5: self = .ready
    case 6:
      let count = Int(try cursor.byte())
      guard (1...SessionControl.membersMaximum).contains(count) else { throw SessionFault(.overLimit, at: 1) }
      var members: [Member] = []
      for _ in 0..<count { members.append(Member(try cursor.card(), at: try cursor.endpoint())) }
      self = .members(members)
    case 7:
      let channel = try cursor.channel()
      self = .streamOpen(channel: channel, name: try cursor.name(2, maximum: SessionControl.nameBytesMaximum))
    case 8:
      let channel = try cursor.channel()
      let place = cursor.offset
      let count = try cursor.number(UInt32.self)
      guard count > 0 else { throw SessionFault(.badValue, at: place) }
      self = .streamCredit(channel: channel, bytes: count)
    case 9: self = .streamEnd(channel: try cursor.channel(), try cursor.side())
    case 10:
      let channel = try cursor.channel()
      let place = cursor.offset
      let count = try cursor.number(UInt64.self)
      guard count == .max || count < 1 &<< 62 else { throw SessionFault(.badValue, at: place) }
      self = .resourceOpen(
        channel: channel, byteCount: count == .max ? nil : Int(count),
        name: try cursor.name(2, maximum: SessionControl.nameBytesMaximum),
        fileName: try cursor.name(2, minimum: 0, maximum: SessionControl.nameBytesMaximum))
    case 11:
      let (channel, side) = (try cursor.channel(), try cursor.side())
      let place = cursor.offset
      guard let outcome = Outcome(rawValue: try cursor.byte()) else { throw SessionFault(.badValue, at: place) }
      self = .resourceEnd(channel: channel, side, outcome)
    case 12: self = .elsewhere
    default: throw SessionFault(.unknownKind, at: 0)
    }
    try cursor.end()
  }

  /// The same of bytes in an array.
  package init(bytes: [UInt8]) throws(SessionFault) {
    let result = bytes.withUnsafeBytes { raw -> Result<SessionControl, SessionFault> in
      do throws(SessionFault) { return .success(try SessionControl(raw)) } catch { return .failure(error) }
    }
    self = try result.get()
  }
}

extension SessionCursor {
  fileprivate mutating func channel() throws(SessionFault) -> UInt32 {
    let place = offset
    let channel = try number(UInt32.self)
    guard channel != 0 else { throw SessionFault(.badValue, at: place) }
    return channel
  }
  fileprivate mutating func side() throws(SessionFault) -> SessionControl.Side {
    let place = offset
    guard let side = SessionControl.Side(rawValue: try byte()) else { throw SessionFault(.badValue, at: place) }
    return side
  }
  /// A count, then each behind its length of two bytes.
  fileprivate mutating func certificates() throws(SessionFault) -> [[UInt8]] {
    var place = offset
    let count = Int(try byte())
    guard count <= SessionControl.certificatesMaximum else { throw SessionFault(.overLimit, at: place) }
    var (found, total): ([[UInt8]], Int) = ([], 0)
    for _ in 0..<count {
      place = offset
      let size = Int(try number(UInt16.self))
      total &+= size
      guard total <= SessionControl.certificateBytesMaximum else { throw SessionFault(.overLimit, at: place) }
      found.append(try array(size))
    }
    return found
  }
}

extension [UInt8] {
  fileprivate mutating func append(certificates: [[UInt8]]) {
    append(UInt8(truncatingIfNeeded: certificates.count))
    for certificate in certificates {
      append(number: UInt16(truncatingIfNeeded: certificate.count))
      append(contentsOf: certificate)
    }
  }
  fileprivate mutating func append(longName name: String) {
    append(number: UInt16(truncatingIfNeeded: name.utf8.count))
    append(contentsOf: name.utf8)
  }
}
