/// What can reach a machine: a datagram, or the number of any other value.
///
/// It is as large as a datagram and holds nothing that is counted, since a busy network hands millions of them around.
@frozen public enum Signal: Sendable, BitwiseCopyable {
  case datagram(Datagram)
  /// `Outbox.values` has it until the call returns.
  case value(ValueID)
}

/// A signal that is no datagram, one case for each port: as machines read it, drivers give it and traces keep it.
public enum SignalValue: Hashable, Sendable {
  case host(HostSignal)
  case application(Command)
  case streams(StreamSignal)
  case radio(RadioSignal)
  case store(StoreSignal)
  case process(ProcessSignal)
  case other(AnyPortValue)

  public static func interface(_ change: InterfaceChange) -> SignalValue { .host(.interface(change)) }
  public static func refused(_ refusal: Refusal) -> SignalValue { .host(.refused(refusal)) }
  public static func command(_ command: Command) -> SignalValue { .application(command) }

  /// The value of whatever port.
  public var value: any PortValue {
    switch self {
    case .host(let value): value
    case .application(let value): value
    case .streams(let value): value
    case .radio(let value): value
    case .store(let value): value
    case .process(let value): value
    case .other(let value): value.value
    }
  }

  /// The types that are read by their first word; a reader may know others.
  public static let types: [any PortValue.Type] = [
    HostSignal.self, Command.self, StreamSignal.self, RadioSignal.self, StoreSignal.self, ProcessSignal.self,
  ]

  /// Reads what `value.text` writes, of the ports of this package.
  public init(text: some StringProtocol) throws(WordError) {
    var words = WordReader(Substring(text))
    let verb = try words.next("a signal")
    self.init(try words.value(verb, of: SignalValue.types, "a signal"))
  }

  public init(_ value: some PortValue) {
    switch value {
    case let value as HostSignal: self = .host(value)
    case let value as Command: self = .application(value)
    case let value as StreamSignal: self = .streams(value)
    case let value as RadioSignal: self = .radio(value)
    case let value as StoreSignal: self = .store(value)
    case let value as ProcessSignal: self = .process(value)
    default: self = .other(AnyPortValue(value))
    }
  }
}

/// What a machine can want, one case for each port; a datagram has its own, since it is by far the most frequent.
public enum Effect: Hashable, Sendable {
  /// Send this datagram. The outbox hands its hold on the payload to the driver.
  case transmit(Datagram)
  case lan(LANEffect)
  case application(Report)
  case streams(StreamEffect)
  case radio(RadioEffect)
  case store(StoreEffect)
  case process(ProcessEffect)
  case other(AnyPortValue)

  public static func join(_ group: Endpoint, _ interface: InterfaceID) -> Effect { .lan(.join(group, interface)) }
  public static func leave(_ group: Endpoint, _ interface: InterfaceID) -> Effect { .lan(.leave(group, interface)) }
  public static func readdress(_ address: IPAddress, _ interface: InterfaceID) -> Effect {
    .lan(.readdress(address, interface))
  }
  public static func report(_ report: Report) -> Effect { .application(report) }

  /// The value of whatever port; `nil` for a datagram.
  public var value: (any PortValue)? {
    switch self {
    case .transmit: nil
    case .lan(let value): value
    case .application(let value): value
    case .streams(let value): value
    case .radio(let value): value
    case .store(let value): value
    case .process(let value): value
    case .other(let value): value.value
    }
  }

  public static let types: [any PortValue.Type] = [
    LANEffect.self, Report.self, StreamEffect.self, RadioEffect.self, StoreEffect.self, ProcessEffect.self,
  ]

  public init(_ value: some PortValue) {
    switch value {
    case let value as LANEffect: self = .lan(value)
    case let value as Report: self = .application(value)
    case let value as StreamEffect: self = .streams(value)
    case let value as RadioEffect: self = .radio(value)
    case let value as StoreEffect: self = .store(value)
    case let value as ProcessEffect: self = .process(value)
    default: self = .other(AnyPortValue(value))
    }
  }
}
