/// Whatever lives on the network: an engine under test, a root device, an attacker.
///
/// A machine is a value that is given signals and time, and fills an outbox. It owns no socket, clock, task, dice or
/// log: chance comes from a stream that it was made with. Time never runs backwards. A foreign engine that speaks this
/// protocol runs in every driver.
public protocol Machine {
  /// The next moment at which this machine wants `wake`; `nil`: only if something arrives.
  ///
  /// A plain getter satisfies it. It may be mutating so that a driver reads it in place: a getter of a large value would
  /// be called on a copy, and it is asked for after every call.
  var deadline: Instant? { mutating get }
  /// Something arrived. Payloads are good until the call returns.
  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox)
  /// Time has come. An early or double wake is harmless: machines compare with `now`, never trust the wake-up.
  mutating func wake(at now: Instant, into outbox: inout Outbox)
}

/// What a machine can want.
public enum Effect: Hashable, Sendable {
  /// Send this datagram. The outbox hands its hold on the payload to the driver.
  case transmit(Datagram)
  /// Join a multicast group on an interface (IGMP or MLD follows), so that its datagrams arrive.
  case join(IPAddress, InterfaceID)
  case leave(IPAddress, InterfaceID)
  /// Take this address on the interface from now on.
  case readdress(IPAddress, InterfaceID)
  case report(Report)
}

/// Where a machine appends what it wants, in order. One outbox serves a whole run; the driver empties it after each call.
public struct Outbox {
  /// The store that payloads of this run live in: machines read from it and write into it.
  public let payloads: PayloadStore

  @usableFromInline enum Kind: UInt8, BitwiseCopyable { case transmit, join, leave, readdress, report }
  @usableFromInline struct Item: BitwiseCopyable {
    @usableFromInline var kind: Kind
    @usableFromInline var index: Int32
    @inlinable init(kind: Kind, index: Int32) { (self.kind, self.index) = (kind, index) }
  }
  // Plain values apart from reports, so that a busy sender appends without reference counting; the first two are
  // overwritten rather than emptied.
  @usableFromInline var items: [Item] = []
  @usableFromInline var itemCount = 0
  @usableFromInline var datagrams: [Datagram] = []
  @usableFromInline var datagramCount = 0
  @usableFromInline var groups: [(IPAddress, InterfaceID)] = []
  @usableFromInline var reports: [Report] = []

  public init(payloads: PayloadStore) { self.payloads = payloads }

  @inlinable public var isEmpty: Bool { itemCount == 0 }
  @inlinable public var count: Int { itemCount }

  /// Sends `datagram`, whose payload the caller holds once and gives away.
  @inlinable public mutating func transmit(_ datagram: Datagram) {
    append(Item(kind: .transmit, index: Int32(truncatingIfNeeded: datagramCount)))
    if datagramCount < datagrams.count { datagrams[datagramCount] = datagram } else { datagrams.append(datagram) }
    datagramCount &+= 1
  }
  @inlinable public mutating func report(_ report: consuming Report) {
    append(Item(kind: .report, index: Int32(truncatingIfNeeded: reports.count)))
    reports.append(report)
  }
  @inlinable mutating func append(_ item: Item) {
    if itemCount < items.count { items[itemCount] = item } else { items.append(item) }
    itemCount &+= 1
  }
  public mutating func join(_ group: IPAddress, on interface: InterfaceID) { append(.join, group, interface) }
  public mutating func leave(_ group: IPAddress, on interface: InterfaceID) { append(.leave, group, interface) }
  public mutating func readdress(_ address: IPAddress, on interface: InterfaceID) {
    append(.readdress, address, interface)
  }
  mutating func append(_ kind: Kind, _ address: IPAddress, _ interface: InterfaceID) {
    append(Item(kind: kind, index: Int32(truncatingIfNeeded: groups.count)))
    groups.append((address, interface))
  }

  /// One item after the other, in order.
  @inlinable public subscript(position: Int) -> Effect {
    precondition(position < itemCount, "nothing stands there")
    let index = Int(items[position].index)
    switch items[position].kind {
    case .transmit: return .transmit(datagrams[index])
    case .join: return .join(groups[index].0, groups[index].1)
    case .leave: return .leave(groups[index].0, groups[index].1)
    case .readdress: return .readdress(groups[index].0, groups[index].1)
    case .report: return .report(reports[index])
    }
  }

  /// The datagram at `position`, if that is what stands there: the fast path of a driver.
  @inlinable public func datagram(at position: Int) -> Datagram? {
    items[position].kind == .transmit ? datagrams[Int(items[position].index)] : nil
  }

  /// Takes the report at `position` out, if that is what stands there; one that says nothing stays in its place.
  @inlinable public mutating func takeReport(at position: Int) -> Report? {
    guard items[position].kind == .report else { return nil }
    var report = Report.rejected(Rejection(.empty, at: 0))
    swap(&report, &reports[Int(items[position].index)])
    return report
  }

  /// Everything in order, as values to compare in a test.
  public var effects: [Effect] { (0..<count).map { self[$0] } }

  /// Forgets everything; payloads are the driver's now.
  @inlinable public mutating func removeAll() {
    (itemCount, datagramCount) = (0, 0)
    if !groups.isEmpty { groups.removeAll(keepingCapacity: true) }
    if !reports.isEmpty { reports.removeAll(keepingCapacity: true) }
  }
}
