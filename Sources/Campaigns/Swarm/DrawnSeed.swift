package import RollcallPrimitives

/// The seed of a drawn scenario: it says everything about it, and about its run.
///
/// A campaign counts its seeds from 1 on. For some of them it looks at several drawings and runs the one that is most
/// worth it: the number of the drawing stands above the 48 bits of the count, so that the seed of every run can be drawn
/// again without the campaign.
package struct DrawnSeed: Hashable, Sendable, Comparable {
  package let value: UInt64

  package static let countBits: UInt64 = 48
  /// The largest seed of a campaign.
  package static let countMaximum: UInt64 = 1 &<< countBits &- 1
  /// So many drawings of a seed are looked at.
  package static let drawingCount: UInt64 = 4

  /// Any number is a seed.
  package init(_ value: UInt64) { self.value = value }

  /// - Precondition: `count` is at most `countMaximum`.
  package init(_ count: UInt64, drawing: UInt64) {
    precondition(count <= DrawnSeed.countMaximum, "a seed of a campaign has \(DrawnSeed.countBits) bits")
    value = count | drawing &<< DrawnSeed.countBits
  }

  /// As the campaign counts it.
  package var count: UInt64 { value & DrawnSeed.countMaximum }
  package var seed: Seed { Seed(value) }
  package var traits: Traits { Traits(seed) }

  package static func < (left: DrawnSeed, right: DrawnSeed) -> Bool {
    (left.count, left.value) < (right.count, right.value)
  }
}
