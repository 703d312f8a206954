import RollcallPrimitives

/// What one device announces from one address: its messages, their leases, and the burst that is under way.
struct SetLane: AdvertLane {
  /// One message of the set.
  struct Slot: AdvertSlot {
    var advert: Int32
    var target: Target
    /// When it was last announced, and the number of that packet.
    var last: Instant
    var identification: Int32 = -1
    /// −1: unknown.
    var leaseSeconds: Int32
    var isAlive = false
    /// How often it was sent in the burst under way.
    var sentCount = 0
    /// How often it was sent with no more than a short pause between.
    var runCount = 0
    /// When its present renewal began, and the one before.
    var cycle: Instant
    var cycleBefore: Instant
    /// The slot of the same type in another version; −1: none.
    var rival = -1

    var expiry: Instant { leaseSeconds > 0 ? last + .seconds(Int64(leaseSeconds)) : .never }
  }

  var scene = FindingCollector.Scene(party: PartyID(-1), claim: .uda10, time: .zero, position: 0)
  var host: Int32 = -1
  var interface = InterfaceID(0)
  var address = IPAddress(v4: 0)
  var slots: [Slot] = []
  var cursor = 0

  var lastAlive = Instant.zero
  var isInBurst = false
  /// Whether the burst is the first after a start, or after a departure.
  var isInitial = true
  var sentCount = 0
  /// Messages that repeat the one right before them.
  var adjacentCount = 0
  var byebyeAt = Instant.never
  /// Pauses between renewals, in ten-thousandths of max-age.
  var intervals: [Int64] = []

  var isKnown: Bool { scene.party.number >= 0 }

  /// A slot for a message that was never announced before; −1 where there are too many.
  mutating func add(_ advert: Int32, _ target: Target, at now: Instant, leaseSeconds: Int32) -> Int {
    guard slots.count < SetLane.slotCountMaximum else { return -1 }
    var slot = Slot(
      advert: advert, target: target, last: now, leaseSeconds: leaseSeconds, cycle: now, cycleBefore: .zero)
    if target.stem >= 0 {
      slot.rival =
        slots.firstIndex { $0.target.stem == target.stem && $0.target.version != target.version } ?? -1
      if slot.rival >= 0 { slots[slot.rival].rival = slots.count }
    }
    slots.append(slot)
    cursor = slots.count - 1
    return cursor
  }

  /// Longer pauses than this part one burst of announcements from the next.
  static func burstGap(_ leaseSeconds: Int32) -> Interval {
    leaseSeconds <= 0 || leaseSeconds >= 75 ? .seconds(15) : .milliseconds(200) * Int64(leaseSeconds)
  }

  /// Longer pauses than this part a repetition of a set from its renewal.
  static func repeatGap(_ leaseSeconds: Int32) -> Interval {
    leaseSeconds <= 0 || leaseSeconds >= 30 ? .seconds(3) : .milliseconds(100) * Int64(leaseSeconds)
  }
}
