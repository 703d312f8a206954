/// Kinds of datagrams, as bits. Each type of machine says what its bits stand for.
///
/// A machine says which kinds it hears, and its type says of which kinds a datagram is. A datagram of none of the kinds that
/// a machine hears is nothing to that machine. One that is something to it has a bit of its kinds, always; one that is
/// nothing to it may have one, too.
public struct DatagramKinds: OptionSet, Hashable, Sendable, BitwiseCopyable {
  public let rawValue: UInt64

  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Every kind there may be.
  @inlinable public static var all: DatagramKinds { DatagramKinds(rawValue: .max) }

  /// The same as of any set, compiled where it is called.
  @inlinable @inline(__always) public func isDisjoint(with other: DatagramKinds) -> Bool {
    rawValue & other.rawValue == 0
  }
}
