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
  /// The devices that it is on the network now, by the names that an engine ought to report; none unless it says so.
  ///
  /// This is the truth with which scenarios compare an engine. A device that has begun to leave is there no longer.
  var presentDevices: [String] { get }
  /// Reads a word of each place outside of itself that the next `wake` or datagram will need, and changes nothing: a
  /// driver may call it some events before, so that those places are in a cache then. 0 unless it has such places.
  mutating func prefetch() -> UInt64
  /// The kinds of datagrams that it hears; asked once, when it enters a world. All unless it says otherwise.
  var heardKinds: DatagramKinds { get }
  /// The kinds of a datagram. Given to a machine that hears none of them, it would change and send nothing: a driver need
  /// not call that machine. All unless the type says otherwise.
  static func kinds(of datagram: Datagram, in payloads: PayloadStore) -> DatagramKinds
}

extension Machine {
  @inlinable public var presentDevices: [String] { [] }
  @inlinable public mutating func prefetch() -> UInt64 { 0 }
  @inlinable public var heardKinds: DatagramKinds { .all }
  @inlinable public static func kinds(of datagram: Datagram, in payloads: PayloadStore) -> DatagramKinds { .all }
}

extension Machine {
  /// Something other than a datagram arrived: its value is kept for the length of the call.
  @inlinable public mutating func receive(_ value: SignalValue, at now: Instant, into outbox: inout Outbox) {
    let id = outbox.values.put(value)
    receive(.value(id), at: now, into: &outbox)
    outbox.values.remove(id)
  }
}

/// Where a machine appends what it wants, in order. One outbox serves a whole run; the driver empties it after each call.
public struct Outbox {
  /// The store that payloads of this run live in: machines read from it and write into it.
  public let payloads: PayloadStore
  /// The values of signals that are no datagrams.
  public let values = SignalValues()

  @usableFromInline enum Kind: UInt8, BitwiseCopyable { case transmit, lan, report, other }
  /// A datagram, or where something else stands among what is of its kind; then `datagram` is any.
  @usableFromInline struct Item: BitwiseCopyable {
    @usableFromInline var kind: Kind
    @usableFromInline var index: Int32
    @usableFromInline var datagram: Datagram
    @inlinable init(_ datagram: Datagram) {
      kind = .transmit
      index = 0
      self.datagram = datagram
    }
    @inlinable mutating func become(_ kind: Kind, _ index: Int) {
      self.kind = kind
      self.index = Int32(truncatingIfNeeded: index)
    }
  }
  // Plain values, so that a busy sender appends without reference counting; overwritten rather than emptied.
  @usableFromInline var items: [Item] = []
  @usableFromInline var itemCount = 0
  @usableFromInline var lan: [LANEffect] = []
  // Overwritten, too: what a driver took out says nothing, so nothing is kept alive; what it only read stays until
  // another report takes its place, so at most as many as one call made.
  @usableFromInline var reports: [Report] = []
  @usableFromInline var reportCount = 0
  @usableFromInline var others: [Effect] = []

  public init(payloads: PayloadStore) { self.payloads = payloads }

  @inlinable public var isEmpty: Bool { itemCount == 0 }
  @inlinable public var count: Int { itemCount }

  /// Sends `datagram`, whose payload the caller holds once and gives away.
  @inlinable public mutating func transmit(_ datagram: Datagram) {
    if itemCount < items.count { items[itemCount] = Item(datagram) } else { items.append(Item(datagram)) }
    itemCount &+= 1
  }
  @inlinable public mutating func report(_ report: consuming Report) {
    append(.report, reportCount)
    if reportCount < reports.count { reports[reportCount] = report } else { reports.append(report) }
    reportCount &+= 1
  }
  /// Hears what is sent to this group and port.
  public mutating func join(_ group: Endpoint, on interface: InterfaceID) { append(.join(group, interface)) }
  public mutating func leave(_ group: Endpoint, on interface: InterfaceID) { append(.leave(group, interface)) }
  public mutating func readdress(_ address: IPAddress, on interface: InterfaceID) {
    append(.readdress(address, interface))
  }

  /// Anything of any port.
  public mutating func want(_ value: some PortValue) {
    switch Effect(value) {
    case .lan(let effect): append(effect)
    case .application(let report): self.report(report)
    case let effect:
      append(.other, others.count)
      others.append(effect)
    }
  }

  private mutating func append(_ effect: LANEffect) {
    append(.lan, lan.count)
    lan.append(effect)
  }
  @inlinable mutating func append(_ kind: Kind, _ index: Int) {
    if itemCount == items.count { addItem() }
    items[itemCount].become(kind, index)
    itemCount &+= 1
  }
  @usableFromInline mutating func addItem() {
    let nobody = Endpoint(IPAddress(v4: 0), port: 0)
    items.append(
      Item(Datagram(source: nobody, destination: nobody, interface: InterfaceID(0), hopLimit: 0, payload: .none)))
  }

  /// One item after the other, in order.
  @inlinable public subscript(position: Int) -> Effect {
    precondition(position < itemCount, "nothing stands there")
    let index = Int(items[position].index)
    switch items[position].kind {
    case .transmit: return .transmit(items[position].datagram)
    case .lan: return .lan(lan[index])
    case .report: return .application(reports[index])
    case .other: return others[index]
    }
  }

  /// The datagram at `position`, if that is what stands there: the fast path of a driver.
  @inlinable public func datagram(at position: Int) -> Datagram? {
    position < itemCount && items[position].kind == .transmit ? items[position].datagram : nil
  }

  /// Takes the report at `position` out, if that is what stands there; one that says nothing stays in its place.
  @inlinable public mutating func takeReport(at position: Int) -> Report? {
    guard position < itemCount, items[position].kind == .report else { return nil }
    var report = Report.rejected(Rejection(.empty, at: 0))
    swap(&report, &reports[Int(items[position].index)])
    return report
  }

  /// Everything in order, as values to compare in a test.
  public var effects: [Effect] { (0..<count).map { self[$0] } }

  /// Forgets everything; payloads are the driver's now.
  @inlinable public mutating func removeAll() {
    (itemCount, reportCount) = (0, 0)
    if !lan.isEmpty || !others.isEmpty { removeOthers() }
  }
  @usableFromInline @inline(never) mutating func removeOthers() {
    lan.removeAll(keepingCapacity: true)
    others.removeAll(keepingCapacity: true)
  }
}
