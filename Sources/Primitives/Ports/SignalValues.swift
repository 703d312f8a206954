/// The number of a value that a machine is given; good until the call returns.
@frozen public struct ValueID: Hashable, Sendable, BitwiseCopyable {
  public let port: PortNumber
  @usableFromInline let number: UInt32
}

/// Where values of signals live while machines are given them. Not thread-safe: it belongs to one driver.
public final class SignalValues {
  private var values: [SignalValue?] = []
  private var free: [UInt32] = []

  public init() {}

  /// - Precondition: the call that was given this number has not returned.
  public subscript(id: ValueID) -> SignalValue {
    guard let value = values[Int(id.number)] else { preconditionFailure("the value of a signal that is over") }
    return value
  }

  /// Keeps a value until `remove`.
  public func put(_ value: SignalValue) -> ValueID {
    let port = type(of: value.value).port
    if let number = free.popLast() {
      values[Int(number)] = value
      return ValueID(port: port, number: number)
    }
    values.append(value)
    return ValueID(port: port, number: UInt32(values.count - 1))
  }

  public func remove(_ id: ValueID) {
    precondition(values[Int(id.number)] != nil, "removed twice")
    values[Int(id.number)] = nil
    free.append(id.number)
  }

  /// Values that were put and not removed.
  public var count: Int { values.count - free.count }
}
