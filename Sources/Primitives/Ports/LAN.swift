// The LAN: UDP datagrams in both directions, and what a host's stack does for a machine to hear them.

/// What a machine can want of the LAN beside sending.
public enum LANEffect: Hashable, Sendable {
  /// Hear what is sent to this multicast group and port on an interface; IGMP or MLD follows.
  case join(Endpoint, InterfaceID)
  case leave(Endpoint, InterfaceID)
  /// Take this address on the interface from now on.
  case readdress(IPAddress, InterfaceID)
}

extension LANEffect: PortValue {
  public static var port: PortNumber { .lan }
  public static var verbs: [String] { ["join", "leave", "readdress"] }

  public func fold(into digest: inout Digest) {
    switch self {
    case .join(let group, let interface):
      digest.combine(1, UInt64(interface.number))
      digest.combine(group)
    case .leave(let group, let interface):
      digest.combine(2, UInt64(interface.number))
      digest.combine(group)
    case .readdress(let address, let interface):
      digest.combine(3, UInt64(interface.number))
      digest.combine(address)
    }
  }

  public func write(to words: inout WordWriter) {
    switch self {
    case .join(let group, let interface):
      words.add("join")
      words.add(group)
      words.add(interface)
    case .leave(let group, let interface):
      words.add("leave")
      words.add(group)
      words.add(interface)
    case .readdress(let address, let interface):
      words.add("readdress")
      words.add(address)
      words.add(interface)
    }
  }

  public init(verb: Substring, from words: inout WordReader) throws(WordError) {
    switch verb {
    case "join": self = .join(try words.endpoint(), try words.interface())
    case "leave": self = .leave(try words.endpoint(), try words.interface())
    case "readdress": self = .readdress(try words.address(), try words.interface())
    default: throw words.error("join, leave or readdress")
    }
  }
}

/// A datagram with bytes of its own, as it is kept when its payload is long recycled.
public struct RecordedDatagram: Hashable, Sendable {
  public var source: Endpoint
  public var destination: Endpoint
  public var interface: InterfaceID
  public var hopLimit: UInt8
  public var bytes: [UInt8]

  public init(source: Endpoint, destination: Endpoint, interface: InterfaceID, hopLimit: UInt8, bytes: [UInt8]) {
    (self.source, self.destination, self.interface) = (source, destination, interface)
    (self.hopLimit, self.bytes) = (hopLimit, bytes)
  }

  public init(_ datagram: Datagram, in payloads: PayloadStore) {
    source = datagram.source
    destination = datagram.destination
    interface = datagram.interface
    hopLimit = datagram.hopLimit
    bytes = payloads.array(of: datagram.payload)
  }

  /// The same datagram in a store, held once.
  public func datagram(in payloads: PayloadStore) -> Datagram {
    Datagram(
      source: source, destination: destination, interface: interface, hopLimit: hopLimit, payload: payloads.store(bytes)
    )
  }

  /// `192.168.1.20:1900 -> 239.255.255.250:1900 if0 ttl2 NOTIFY * HTTP/1.1\r\n…`
  public func write(to words: inout WordWriter) {
    words.add(source)
    words.add("->")
    words.add(destination)
    words.add(interface)
    words.add("ttl\(hopLimit)")
    words.rest(bytes)
  }

  /// Reads what `write` wrote, from behind the source on.
  public init(source: Endpoint, from words: inout WordReader) throws(WordError) {
    self.source = source
    try words.word("->")
    destination = try words.endpoint()
    interface = try words.interface()
    let limit = try words.next("ttl and a number")
    guard limit.hasPrefix("ttl"), let hopLimit = UInt8(digits: limit.dropFirst(3)) else {
      throw words.error("ttl and a number")
    }
    self.hopLimit = hopLimit
    bytes = try words.bytes()
  }
}
