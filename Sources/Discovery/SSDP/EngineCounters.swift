package import RollcallPrimitives
package import RollcallWire

/// What the engine has seen and holds, as plain numbers.
package struct EngineCounters: Hashable, Sendable {
  private var messagesByKind = [Int](repeating: 0, count: SSDPKind.allCases.count)
  private var rejectedByReason = [Int](repeating: 0, count: RejectionReason.allCases.count)
  /// Datagrams that reached the engine while it ran.
  package internal(set) var datagrams = 0
  /// Devices that were reported found, each time counted.
  package internal(set) var devicesEver = 0
  package internal(set) var devicesPresent = 0 {
    didSet { if devicesPresent > devicesPresentPeak { devicesPresentPeak = devicesPresent } }
  }
  package internal(set) var openLeases = 0 {
    didSet { if openLeases > openLeasesPeak { openLeasesPeak = openLeases } }
  }
  /// The most there ever were.
  package private(set) var devicesPresentPeak = 0
  package private(set) var openLeasesPeak = 0
  package internal(set) var evictions = 0
  /// Messages whose lease had to be guessed, since they had no readable max-age (D22).
  package internal(set) var leasesByDefault = 0
  /// M-SEARCHes that the engine heard from itself (D68).
  package internal(set) var ownMessages = 0

  package init() {}

  /// Messages of this kind whose form and fields were in order, whatever became of them.
  package func messages(_ kind: SSDPKind) -> Int { messagesByKind[Int(kind.rawValue)] }
  /// Datagrams refused for this reason.
  package func rejected(_ reason: RejectionReason) -> Int { rejectedByReason[reason.ordinal] }
  package var rejectedTotal: Int { rejectedByReason.reduce(0, +) }
  /// Every reason that occurred, in the order of their declaration.
  package var rejections: [(reason: RejectionReason, count: Int)] {
    RejectionReason.allCases.map { ($0, rejected($0)) }.filter { $0.1 > 0 }
  }

  mutating func count(_ kind: SSDPKind) { messagesByKind[Int(kind.rawValue)] += 1 }
  mutating func count(_ reason: RejectionReason) { rejectedByReason[reason.ordinal] += 1 }
}

extension RejectionReason {
  // One byte that counts the cases, as every payload-less enum of fewer than 256; a test holds it to that.
  var ordinal: Int { Int(unsafeBitCast(self, to: UInt8.self)) }
}
