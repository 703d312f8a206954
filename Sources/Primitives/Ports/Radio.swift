// The radio: what is heard in the air, and what a Bluetooth LE controller is asked for. Connections: RadioLinks.swift.

/// A device address of Bluetooth LE.
@frozen public struct RadioAddress: Hashable, Sendable, BitwiseCopyable {
  /// 48 bits, the first byte as it is printed highest.
  public var bits: UInt64
  public var isRandom: Bool
  @inlinable public init(bits: UInt64, isRandom: Bool) {
    (self.bits, self.isRandom) = (bits & 0xFFFF_FFFF_FFFF, isRandom)
  }
}

/// One packet as a receiver heard it.
public struct RadioPDU: Hashable, Sendable {
  /// 0 ... 39; `nil`: the receiver did not say.
  public var channel: UInt8?
  /// Received strength in dBm; `nil`: the receiver could not tell. 127, which stands for that on other interfaces, is
  /// read as `nil`.
  public var strength: Int8?
  public var accessAddress: UInt32
  /// Header and payload, without CRC.
  public var bytes: [UInt8]
  public init(channel: UInt8?, strength: Int8?, accessAddress: UInt32, bytes: [UInt8]) {
    (self.channel, self.strength, self.accessAddress, self.bytes) = (channel, strength, accessAddress, bytes)
    if strength == 127 { self.strength = nil }
  }
}

/// What a machine hears.
public enum RadioSignal: Hashable, Sendable {
  case heard(RadioPDU)
  case link(LinkID, LinkSignal)
}

/// What a machine wants of its controller.
public enum RadioEffect: Hashable, Sendable {
  /// Sends this PDU in every advertising event of a set, in place of what the set sent before; `response` answers
  /// active scanners.
  case advertise(set: UInt8, every: Interval, pdu: [UInt8], response: [UInt8])
  case stopAdvertising(set: UInt8)
  /// Listens for `window` of each `interval`, one channel after the other.
  case scan(window: Interval, interval: Interval, isActive: Bool)
  case stopScan
  case link(LinkID, LinkEffect)
  /// Asks and connects from this address from now on; before that it has one of its own.
  case setAddress(RadioAddress)
  /// Puts a packet that a receiver heard once on the air again: who listens hears it as that receiver did, whatever
  /// channel it listens on. Only an air that is no real one can do that.
  case resend(RadioPDU)
  /// Forgets everything: nothing is sent or heard any more, and connections are left without a word.
  case reset
}

extension RadioAddress: CustomStringConvertible {
  /// `c0:ff:ee:00:00:01/random`
  public var description: String {
    let bytes = (0..<6).map { place -> String in
      let byte = UInt8(truncatingIfNeeded: bits >> UInt64(40 - 8 * place))
      return (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return bytes.joined(separator: ":") + (isRandom ? "/random" : "/public")
  }

  /// Reads what `description` writes.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1] == "random" || parts[1] == "public" else { return nil }
    let bytes = parts[0].split(separator: ":", omittingEmptySubsequences: false)
    guard bytes.count == 6 else { return nil }
    var bits: UInt64 = 0
    for byte in bytes {
      guard byte.utf8.count == 2, let value = UInt8(digits: byte, radix: 16) else { return nil }
      bits = bits << 8 | UInt64(value)
    }
    self.init(bits: bits, isRandom: parts[1] == "random")
  }
}

extension RadioSignal: PortValue {
  public static var port: PortNumber { .radio }
  public static var verbs: [String] { ["heard", "link"] }

  public func fold(into digest: inout Digest) {
    switch self {
    case .heard(let pdu): pdu.fold(1, into: &digest)
    case .link(let link, let signal):
      digest.combine(2, UInt64(link.number))
      signal.fold(into: &digest)
    }
  }

  public func write(to words: inout WordWriter) {
    switch self {
    case .heard(let pdu):
      words.add("heard")
      pdu.write(to: &words)
    case .link(let link, let signal):
      words.add("link")
      words.add(link.number)
      signal.write(to: &words)
    }
  }

  public init(verb: Substring, from words: inout WordReader) throws(WordError) {
    if verb == "link" {
      let link = LinkID(try words.number("the number of a connection"))
      self = .link(link, try LinkSignal(from: &words))
      return
    }
    self = .heard(try RadioPDU(from: &words))
  }
}

extension RadioPDU {
  fileprivate func fold(_ verb: UInt64, into digest: inout Digest) {
    digest.combine(verb, UInt64(channel ?? 0xFF) &<< 8 | UInt64(UInt8(bitPattern: strength ?? 127)))
    digest.combine(UInt64(accessAddress))
    digest.combine(bytes)
  }

  fileprivate func write(to words: inout WordWriter) {
    words.add("ch" + (channel.map { String($0) } ?? "?"))
    words.add(strength.map { String($0) } ?? "?")
    words.add(accessAddress)
    words.rest(bytes)
  }

  fileprivate init(from words: inout WordReader) throws(WordError) {
    let channel = try words.next("a channel such as ch37")
    let number = channel.hasPrefix("ch") ? UInt8(digits: channel.dropFirst(2)) : nil
    guard channel == "ch?" || number.map({ $0 < 40 }) == true else { throw words.error("a channel such as ch37") }
    let strength = try words.strength()
    let accessAddress: UInt32 = try words.number("an access address")
    self.init(channel: number, strength: strength, accessAddress: accessAddress, bytes: try words.bytes())
  }
}

extension RadioEffect: PortValue {
  public static var port: PortNumber { .radio }
  public static var verbs: [String] {
    ["advertise", "stop-advertising", "scan", "stop-scan", "link", "set-address", "reset-radio", "resend"]
  }

  public func fold(into digest: inout Digest) {
    switch self {
    case .advertise(let set, let every, let pdu, let response):
      digest.combine(1, UInt64(set))
      digest.combine(UInt64(bitPattern: every.nanoseconds))
      digest.combine(pdu)
      digest.combine(response)
    case .stopAdvertising(let set): digest.combine(2, UInt64(set))
    case .scan(let window, let interval, let isActive):
      digest.combine(3, isActive ? 2 : 1)
      digest.combine(UInt64(bitPattern: window.nanoseconds), UInt64(bitPattern: interval.nanoseconds))
    case .stopScan: digest.combine(4)
    case .link(let link, let effect):
      digest.combine(5, UInt64(link.number))
      effect.fold(into: &digest)
    case .reset: digest.combine(6)
    case .setAddress(let address):
      digest.combine(7)
      address.fold(into: &digest)
    case .resend(let pdu): pdu.fold(8, into: &digest)
    }
  }

  public func write(to words: inout WordWriter) {
    switch self {
    case .advertise(let set, let every, let pdu, let response):
      words.add("advertise")
      words.add(set)
      words.add(every.description)
      // How many of the bytes are the PDU; the response is the rest.
      words.add(pdu.count)
      words.rest(pdu + response)
    case .stopAdvertising(let set):
      words.add("stop-advertising")
      words.add(set)
    case .scan(let window, let interval, let isActive):
      words.add("scan")
      words.add(window.description)
      words.add("of")
      words.add(interval.description)
      words.add(isActive ? "active" : "passive")
    case .stopScan: words.add("stop-scan")
    case .link(let link, let effect):
      words.add("link")
      words.add(link.number)
      effect.write(to: &words)
    case .setAddress(let address):
      words.add("set-address")
      words.add(address.description)
    case .reset: words.add("reset-radio")
    case .resend(let pdu):
      words.add("resend")
      pdu.write(to: &words)
    }
  }

  public init(verb: Substring, from words: inout WordReader) throws(WordError) {
    switch verb {
    case "advertise":
      let set: UInt8 = try words.number("the number of an advertising set")
      let every = try words.interval()
      let count: UInt16 = try words.number("the size of the PDU in bytes")
      let bytes = try words.bytes()
      guard bytes.count >= Int(count) else { throw words.error("\(count) bytes") }
      self = .advertise(
        set: set, every: every, pdu: Array(bytes.prefix(Int(count))), response: Array(bytes.dropFirst(Int(count))))
    case "stop-advertising": self = .stopAdvertising(set: try words.number("the number of an advertising set"))
    case "scan":
      let window = try words.interval()
      try words.word("of")
      let interval = try words.interval()
      let mode = try words.next("active or passive")
      guard mode == "active" || mode == "passive" else { throw words.error("active or passive") }
      self = .scan(window: window, interval: interval, isActive: mode == "active")
    case "stop-scan": self = .stopScan
    case "link":
      let link = LinkID(try words.number("the number of a connection"))
      self = .link(link, try LinkEffect(from: &words))
    case "set-address": self = .setAddress(try words.radioAddress())
    case "reset-radio": self = .reset
    case "resend": self = .resend(try RadioPDU(from: &words))
    default:
      throw words.error("advertise, stop-advertising, scan, stop-scan, link, set-address, reset-radio or resend")
    }
  }
}
