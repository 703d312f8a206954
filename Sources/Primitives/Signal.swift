/// What can reach a machine.
public enum Signal: Hashable, Sendable {
  case datagram(Datagram)
  case interface(InterfaceChange)
  case refused(Refusal)
  case command(Command)
}

/// A network interface came, went, or changed its addresses.
public struct InterfaceChange: Hashable, Sendable {
  public var interface: InterfaceID
  public var isUp: Bool
  /// Addresses of the interface, with the number of bits that name its subnet; empty when it is down.
  public var addresses: [InterfaceAddress]

  public init(interface: InterfaceID, isUp: Bool, addresses: [InterfaceAddress]) {
    (self.interface, self.isUp, self.addresses) = (interface, isUp, addresses)
  }
}

/// An address with its prefix length in bits.
public struct InterfaceAddress: Hashable, Sendable {
  public var address: IPAddress
  public var prefixBits: Int
  public init(_ address: IPAddress, prefixBits: Int) { (self.address, self.prefixBits) = (address, prefixBits) }
}

/// The operating system said no: a group could not be joined, or a datagram could not be sent.
public struct Refusal: Hashable, Sendable {
  public enum Deed: String, Hashable, Sendable { case join, send }
  public var deed: Deed
  public var interface: InterfaceID
  /// The group that was to be joined, or the destination that was to be sent to.
  public var address: IPAddress
  /// The port of the socket that was refused; 0 for a join.
  public var port: UInt16
  public init(deed: Deed, interface: InterfaceID, address: IPAddress, port: UInt16) {
    (self.deed, self.interface, self.address, self.port) = (deed, interface, address, port)
  }
}

/// What somebody asks of a machine: the application of an engine, the timeline of an inhabitant.
public enum Command: Hashable, Sendable {
  /// An engine searches.
  case search(Search)
  /// An engine takes a search that somebody else sent as its own: a replay does so with captured searches.
  case adopt(Search, copyAt: Endpoint)
  /// An engine ends a search before its time.
  case stopSearch(SearchID)
  /// The application holds a device: no eviction may take it.
  case hold(device: String)
  case release(device: String)
  /// An engine stops: every device it knows is lost with cause `stopped`.
  case stop
  /// An inhabitant acts.
  case act(Act)
}

/// What the timeline can ask of an inhabitant.
public enum Act: Hashable, Sendable {
  /// Joins the network: first announcements after the start jitter.
  case appear
  /// Leaves in good order: byebye for everything that was announced.
  case leave
  /// Falls silent at once, without byebye; `appear` brings it back.
  case vanish
  /// The process dies and comes back after the given time; without its state BOOTID starts over.
  case crash(downFor: Interval, keepsState: Bool)
  /// Restarts in good order: byebye, then announcements with the next BOOTID.
  case reboot
  /// Takes another address on an interface.
  case move(interface: InterfaceID, to: IPAddress)
  /// Serves its description under another URL path and port, same address, same BOOTID.
  case relocate(port: UInt16)
  /// Announces ssdp:update with NEXTBOOTID (an interface came or went) and goes on under that BOOTID.
  case update
  /// Changes its description: CONFIGID grows.
  case reconfigure
  /// A control point or attacker sends its message number `script` now.
  case send(script: Int)
}

/// The number of a search within one engine.
@frozen public struct SearchID: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var number: UInt32
  @inlinable public init(_ number: UInt32) { self.number = number }
  @inlinable public static func < (left: SearchID, right: SearchID) -> Bool { left.number < right.number }
}

/// A search session that is asked for. It is single-use: a second search needs a second id.
public struct Search: Hashable, Sendable {
  public var id: SearchID
  /// ST, byte for byte as it goes on the wire.
  public var target: String
  /// MX in whole seconds, 1 ... 5.
  public var maximumWaitSeconds: Int
  /// How often the M-SEARCH is sent, at least once.
  public var broadcasts: Int
  /// From one copy to the next; `nil` means MX.
  public var spacing: Interval?
  /// `nil` for the group; an address (and port, 0 for the SEARCHPORT that it announced, else 1900) for a unicast search.
  public var host: Endpoint?
  /// Where to send from; `nil` for every interface that is up.
  public var interface: InterfaceID?

  public init(
    id: SearchID, target: String, maximumWaitSeconds: Int = 3, broadcasts: Int = 3, spacing: Interval? = nil,
    host: Endpoint? = nil, interface: InterfaceID? = nil
  ) {
    self.id = id
    self.target = target
    self.maximumWaitSeconds = maximumWaitSeconds
    self.broadcasts = broadcasts
    self.spacing = spacing
    self.host = host
    self.interface = interface
  }
}
