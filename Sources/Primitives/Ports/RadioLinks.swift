// Connections of Bluetooth LE, as a host sees them over its controller. They carry frames of L2CAP, whole, in order and
// once each; what a link layer does for that (events, acknowledgements, fragments) is the driver's business.

/// The number of a connection within one machine. The machine chooses the numbers of those that it asks for; those that
/// others open are numbered by the driver, from the top downwards. A number should not be used again.
@frozen public struct LinkID: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var number: UInt32
  @inlinable public init(_ number: UInt32) { self.number = number }
  @inlinable public static func < (left: LinkID, right: LinkID) -> Bool { left.number < right.number }
}

public enum LinkRole: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// It asked for the connection.
  case central
  /// It advertised.
  case peripheral
}

/// How often two radios meet, and how long they wait for each other.
public struct LinkParameters: Hashable, Sendable, BitwiseCopyable {
  /// From one connection event to the next: 7.5 ms ... 4 s, a multiple of 1.25 ms.
  public var interval: Interval
  /// How many events in a row the peripheral may leave out: 0 ... 499.
  public var latency: UInt16
  /// Without a packet from the other side for so long, the connection is lost: 100 ms ... 32 s.
  public var timeout: Interval

  public init(interval: Interval = .milliseconds(30), latency: UInt16 = 0, timeout: Interval = .seconds(4)) {
    (self.interval, self.latency, self.timeout) = (interval, latency, timeout)
  }

  /// Whether a controller takes them: inside the bounds, and the timeout is longer than two events that the peripheral
  /// attends.
  public var areValid: Bool {
    let unit = Interval.microseconds(1_250).nanoseconds
    guard (6...3_200).contains(interval.nanoseconds / unit), interval.nanoseconds % unit == 0, latency < 500,
      timeout >= .milliseconds(100), timeout <= .seconds(32)
    else { return false }
    return timeout.nanoseconds > 2 * (Int64(latency) + 1) * interval.nanoseconds
  }
}

/// Sizes that hold for the connections of every driver.
public enum LinkSize {
  /// What a machine may send before some of it was acknowledged; a controller has no room for more, and drops it.
  public static let framesMaximum = 32
  /// Of one frame, its header included: an attribute PDU of 517 bytes.
  public static let frameBytesMaximum = 4 + 517
  /// Of a frame in one packet of the air: both sides have agreed on the longest packets that there are.
  public static let packetBytesMaximum = 251
}

/// What becomes of a machine's connection.
public enum LinkSignal: Hashable, Sendable {
  case connected(LinkRole, own: RadioAddress, peer: RadioAddress, LinkParameters)
  /// A whole frame of L2CAP, its header included.
  case frame([UInt8])
  /// So many more frames, in the order in which they were sent, have reached the other side.
  case acknowledged(frames: UInt32)
  /// How strongly the other side was heard last, in dBm; `nil`: it was not heard yet.
  case strength(Int8?)
  /// From now on these hold.
  case updated(LinkParameters)
  /// It ends, or never was.
  case ended(LinkEnd)
}

public enum LinkEnd: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// This side asked for it.
  case closed
  case closedByPeer
  /// Nothing was heard for the timeout of the connection.
  case timedOut
  /// The other side did not answer in the first six events.
  case notEstablished
  /// The controller cannot: the parameters have no meaning, the radio is off, or it has no room.
  case refused
  /// This side's radio was switched off.
  case radioOff
}

/// What a machine wants of a connection.
public enum LinkEffect: Hashable, Sendable {
  /// As soon as this address advertises that it can be connected to; until then it is waited for, without an end.
  case connect(to: RadioAddress, LinkParameters)
  /// A whole frame of L2CAP, its header included.
  case send([UInt8])
  case readStrength
  /// Other parameters, which both sides take over at one instant. Only the central's controller does that, and only
  /// with parameters that are valid.
  case update(LinkParameters)
  /// Ends it, or the wait for it.
  case end
}

extension LinkSignal {
  func fold(into digest: inout Digest) {
    switch self {
    case .connected(let role, let own, let peer, let parameters):
      digest.combine(1, role == .central ? 1 : 2)
      own.fold(into: &digest)
      peer.fold(into: &digest)
      parameters.fold(into: &digest)
    case .frame(let bytes):
      digest.combine(2)
      digest.combine(bytes)
    case .acknowledged(let frames): digest.combine(3, UInt64(frames))
    case .strength(let strength): digest.combine(4, UInt64(UInt8(bitPattern: strength ?? 127)))
    case .ended(let end):
      digest.combine(5)
      digest.combine(end.rawValue)
    case .updated(let parameters):
      digest.combine(6)
      parameters.fold(into: &digest)
    }
  }

  func write(to words: inout WordWriter) {
    switch self {
    case .connected(let role, let own, let peer, let parameters):
      words.add("connected")
      words.add(role.rawValue)
      words.add(own.description)
      words.add("with")
      words.add(peer.description)
      parameters.write(to: &words)
    case .frame(let bytes):
      words.add("frame")
      words.rest(bytes)
    case .acknowledged(let frames):
      words.add("acknowledged")
      words.add(frames)
    case .strength(let strength):
      words.add("strength")
      words.add(strength.map { String($0) } ?? "?")
    case .updated(let parameters):
      words.add("updated")
      parameters.write(to: &words)
    case .ended(let end): words.add(end.rawValue)
    }
  }

  init(from words: inout WordReader) throws(WordError) {
    let event = try words.next("what became of a connection")
    switch event {
    case "connected":
      let role = try words.value(LinkRole.self, "central or peripheral")
      let own = try words.radioAddress()
      try words.word("with")
      self = .connected(role, own: own, peer: try words.radioAddress(), try LinkParameters(from: &words))
    case "frame": self = .frame(try words.bytes())
    case "acknowledged": self = .acknowledged(frames: try words.number("a number of frames"))
    case "strength": self = .strength(try words.strength())
    case "updated": self = .updated(try LinkParameters(from: &words))
    default:
      guard let end = LinkEnd(rawValue: String(event)) else { throw words.error("what became of a connection") }
      self = .ended(end)
    }
  }
}

extension LinkEffect {
  func fold(into digest: inout Digest) {
    switch self {
    case .connect(let address, let parameters):
      digest.combine(1)
      address.fold(into: &digest)
      parameters.fold(into: &digest)
    case .send(let bytes):
      digest.combine(2)
      digest.combine(bytes)
    case .readStrength: digest.combine(3)
    case .end: digest.combine(4)
    case .update(let parameters):
      digest.combine(5)
      parameters.fold(into: &digest)
    }
  }

  func write(to words: inout WordWriter) {
    switch self {
    case .connect(let address, let parameters):
      words.add("connect")
      words.add(address.description)
      parameters.write(to: &words)
    case .send(let bytes):
      words.add("send")
      words.rest(bytes)
    case .readStrength: words.add("read-strength")
    case .update(let parameters):
      words.add("update")
      parameters.write(to: &words)
    case .end: words.add("end")
    }
  }

  init(from words: inout WordReader) throws(WordError) {
    let expected = "connect, send, read-strength, update or end"
    switch try words.next(expected) {
    case "connect": self = .connect(to: try words.radioAddress(), try LinkParameters(from: &words))
    case "send": self = .send(try words.bytes())
    case "read-strength": self = .readStrength
    case "update": self = .update(try LinkParameters(from: &words))
    case "end": self = .end
    default: throw words.error(expected)
    }
  }
}

extension LinkParameters {
  fileprivate func fold(into digest: inout Digest) {
    digest.combine(UInt64(bitPattern: interval.nanoseconds), UInt64(bitPattern: timeout.nanoseconds))
    digest.combine(UInt64(latency))
  }

  fileprivate func write(to words: inout WordWriter) {
    words.add("every")
    words.add(interval.description)
    words.add("latency")
    words.add(latency)
    words.add("timeout")
    words.add(timeout.description)
  }

  fileprivate init(from words: inout WordReader) throws(WordError) {
    try words.word("every")
    let interval = try words.interval()
    try words.word("latency")
    let latency: UInt16 = try words.number("a number of events")
    try words.word("timeout")
    self.init(interval: interval, latency: latency, timeout: try words.interval())
  }
}

extension RadioAddress {
  func fold(into digest: inout Digest) { digest.combine(bits &<< 1 | (isRandom ? 1 : 0)) }
}

extension WordReader {
  mutating func radioAddress() throws(WordError) -> RadioAddress {
    let expected = "a Bluetooth address such as c0:ff:ee:00:00:01/random"
    guard let address = RadioAddress(try next(expected)) else { throw error(expected) }
    return address
  }

  mutating func strength() throws(WordError) -> Int8? {
    let expected = "a strength in dBm such as -60, or ?"
    let level = try next(expected)
    let strength = Int8(level)
    guard level == "?" || strength.map({ $0 != 127 && String($0) == level }) == true else { throw error(expected) }
    return strength
  }
}
