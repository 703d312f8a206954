/// Whether a session wants its connections sealed.
package enum EncryptionPreference: UInt8, Hashable, Sendable, CaseIterable {
  case optional = 0
  case required = 1
  case none = 2

  /// Whether a connection of these two is sealed; `nil`: they cannot connect (MP-43).
  package func isSealed(with other: EncryptionPreference) -> Bool? {
    switch (self, other) {
    case (.required, .none), (.none, .required): nil
    case (.none, _), (_, .none): false
    case (.optional, _), (.required, _): true
    }
  }
}

/// The packets that open a connection: `hello` asks, `welcome` and `refusal` answer. See docs/sessions.md.
package enum SessionOpening: Hashable, Sendable {
  package static let version: UInt8 = 1
  package static let signatureBytes = 64
  package static let agreementBytes = 32

  /// Why somebody opens a connection.
  package enum Purpose: UInt8, Hashable, Sendable, CaseIterable { case invitation = 1, introduction, manual }
  /// Why somebody does not.
  package enum Refusal: UInt8, Hashable, Sendable, CaseIterable {
    case wrongPeer = 1
    case wrongVersion, encryption, full, connectedAlready, busy
  }

  package struct Hello: Hashable, Sendable {
    /// The number by which the asker wants to be addressed; never 0.
    package var link: UInt64
    package var target: SessionPeerID
    package var purpose: Purpose
    /// The token of the connection data, for `manual`; zeros for the others.
    package var token: [UInt8]
    package var preference: EncryptionPreference
    package var card: SessionCard
    /// X25519, 32 bytes, for this connection alone.
    package var agreement: [UInt8]
    package var signature: [UInt8] = []
    package init(
      link: UInt64, target: SessionPeerID, purpose: Purpose, token: [UInt8]? = nil, preference: EncryptionPreference,
      card: SessionCard, agreement: [UInt8]
    ) {
      (self.link, self.target, self.purpose, self.preference) = (link, target, purpose, preference)
      (self.token, self.card) = (token ?? Array(repeating: 0, count: ConnectionData.tokenBytes), card)
      self.agreement = agreement
    }
  }

  package struct Welcome: Hashable, Sendable {
    /// The number of the hello.
    package var askedLink: UInt64
    /// The number by which the answerer wants to be addressed; never 0.
    package var link: UInt64
    package var preference: EncryptionPreference
    package var card: SessionCard
    package var agreement: [UInt8]
    /// Of the whole hello and of everything in the welcome before it.
    package var signature: [UInt8] = []
    package init(
      askedLink: UInt64, link: UInt64, preference: EncryptionPreference, card: SessionCard, agreement: [UInt8]
    ) {
      (self.askedLink, self.link, self.preference) = (askedLink, link, preference)
      (self.card, self.agreement) = (card, agreement)
    }
  }

  case hello(Hello)
  case welcome(Welcome)
  case refusal(link: UInt64, Refusal)

  /// Everything before the signature; all of a refusal.
  package var signedBytes: [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .hello(let hello):
      bytes = [SessionPacketKind.hello.rawValue, SessionOpening.version]
      bytes.append(number: hello.link)
      bytes.append(hello.target)
      bytes.append(hello.purpose.rawValue)
      bytes.append(contentsOf: hello.token)
      bytes.append(hello.preference.rawValue)
      bytes.append(hello.card)
      bytes.append(contentsOf: hello.agreement)
    case .welcome(let welcome):
      bytes = [SessionPacketKind.welcome.rawValue, SessionOpening.version]
      bytes.append(number: welcome.askedLink)
      bytes.append(number: welcome.link)
      bytes.append(welcome.preference.rawValue)
      bytes.append(welcome.card)
      bytes.append(contentsOf: welcome.agreement)
    case .refusal(let link, let refusal):
      bytes = [SessionPacketKind.refusal.rawValue, SessionOpening.version]
      bytes.append(number: link)
      bytes.append(refusal.rawValue)
    }
    return bytes
  }

  package var bytes: [UInt8] {
    switch self {
    case .hello(let hello): signedBytes + hello.signature
    case .welcome(let welcome): signedBytes + welcome.signature
    case .refusal: signedBytes
    }
  }

  /// Reads one opening packet, from its kind on.
  package init(_ bytes: UnsafeRawBufferPointer) throws(SessionFault) {
    var cursor = SessionCursor(bytes)
    guard let kind = SessionPacketKind(rawValue: try cursor.byte()) else { throw SessionFault(.unknownKind, at: 0) }
    let version = try cursor.byte()
    guard version == SessionOpening.version else { throw SessionFault(.wrongVersion, at: 1) }
    switch kind {
    case .hello:
      let link = try cursor.link()
      let target = try cursor.peerID()
      var place = cursor.offset
      guard let purpose = Purpose(rawValue: try cursor.byte()) else { throw SessionFault(.badValue, at: place) }
      place = cursor.offset
      let token = try cursor.array(ConnectionData.tokenBytes)
      guard purpose == .manual || token.allSatisfy({ $0 == 0 }) else { throw SessionFault(.badValue, at: place) }
      let preference = try cursor.preference()
      let card = try cursor.card()
      var hello = Hello(
        link: link, target: target, purpose: purpose, token: token, preference: preference, card: card,
        agreement: try cursor.array(SessionOpening.agreementBytes))
      hello.signature = try cursor.array(SessionOpening.signatureBytes)
      self = .hello(hello)
    case .welcome:
      let (asked, link) = (try cursor.link(), try cursor.link())
      let preference = try cursor.preference()
      let card = try cursor.card()
      var welcome = Welcome(
        askedLink: asked, link: link, preference: preference, card: card,
        agreement: try cursor.array(SessionOpening.agreementBytes))
      welcome.signature = try cursor.array(SessionOpening.signatureBytes)
      self = .welcome(welcome)
    case .refusal:
      let link = try cursor.link()
      let place = cursor.offset
      guard let refusal = Refusal(rawValue: try cursor.byte()) else { throw SessionFault(.badValue, at: place) }
      self = .refusal(link: link, refusal)
    case .plain, .sealed: throw SessionFault(.unknownKind, at: 0)
    }
    try cursor.end()
  }
}

extension SessionCursor {
  fileprivate mutating func link() throws(SessionFault) -> UInt64 {
    let place = offset
    let link = try number(UInt64.self)
    guard link != 0 else { throw SessionFault(.badValue, at: place) }
    return link
  }
  fileprivate mutating func preference() throws(SessionFault) -> EncryptionPreference {
    let place = offset
    guard let preference = EncryptionPreference(rawValue: try byte()) else { throw SessionFault(.badValue, at: place) }
    return preference
  }
}
