import RollcallPrimitives

/// The store that marks of leases are drawn from; it is known by itself, and nothing else of it is used.
///
/// A copy of a registry has a copy of this. Both then draw from the same store, so that what they draw differs; and a
/// registry that is given the payloads of another store begins anew there.
struct MarkSource: @unchecked Sendable {
  private let store: PayloadStore?

  init(_ store: PayloadStore? = nil) { self.store = store }

  @inline(__always) func isFrom(_ other: PayloadStore) -> Bool { store === other }

  /// A mark that nothing else has; 0 where there is none to be had.
  func next() -> UInt32 { store?.nextMark() ?? 0 }
}
