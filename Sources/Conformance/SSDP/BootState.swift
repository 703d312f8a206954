import RollcallPrimitives

/// What one UUID said of its BOOTID.
struct BootDevice {
  /// The value in force, and the one before; −1: none.
  var bootID: Int64 = -1
  var bootIDBefore: Int64 = -1
  var changedAt = Instant.zero
  var heardAt = Instant.zero
  /// Whether any of its messages had one.
  var hasBootID = false
  /// Whether something happened after which another value is right.
  var mayChange = false
  /// What the first announcement on a lane that is new has to exceed; −1: nothing.
  var floor: Int64 = -1
  /// NEXTBOOTID of an update that no announcement has followed; −1: none.
  var next: Int64 = -1
  var nextFrom: Int64 = -1
  /// Where it speaks from, for a few addresses.
  var lanes: [Int] = []
}

/// One UUID at one address: what stands announced there.
struct BootLane: AdvertLane {
  struct Slot: AdvertSlot {
    var advert: Int32
    var expiry: Instant
    var isAlive = false
    /// When it last stood, and a byebye or the loss of the address ended that.
    var revokedAt = Instant(nanoseconds: .min)
    var lostAt = Instant(nanoseconds: .min)
    /// LOCATION as it was announced last and before.
    var location: UInt64 = 0
    var locationBefore: UInt64 = 0
  }
  /// A message that was announced from the address before this one.
  struct Heirloom {
    var advert: Int32
    var isRevoked: Bool
    var isAnnounced = false
  }

  var scene = FindingCollector.Scene(party: PartyID(-1), claim: .uda10, time: .zero, position: 0)
  var interface = InterfaceID(0)
  var address = IPAddress(v4: 0)
  var slots: [Slot] = []
  var cursor = 0
  /// Whether nothing was announced since the lane is there (again).
  var isFresh = true
  /// What the next announcement has to exceed; −1: nothing.
  var floor: Int64 = -1
  var leftAt = Instant.never
  /// When the root said byebye last, where the address was not lost since; read where the lane is fresh.
  var rootLeftAt = Instant.never
  var heirlooms: [Heirloom] = []
  var heirSince = Instant.never

  var isKnown: Bool { scene.party.number >= 0 }
  var isAnnounced: Bool { slots.contains { $0.isAlive } }
}

/// One message that a byebye may revoke.
struct BootAdvert {
  /// USN as it was announced; `nil`: it was not.
  var usn: UInt64?
  /// Whether an answer to a search showed that it is one of the device's.
  var wasAnswered = false
  /// Byebyes that came before any announcement.
  var early: FindingCollector.Scene?
  var earlyCount = 0
}

/// A host in a trace.
struct BootHost {
  var lanes: [Int] = []
  var interfaces: [InterfaceChange] = []
  var lastUpdate = Instant(nanoseconds: .min)
  /// Since when updates are owed; `never`: they are not.
  var owedSince = Instant.never
  var owedBy: FindingCollector.Scene?
  var movedAt = Instant.never
}

struct BootParty {
  /// NEXTBOOTID of the updates that are being sent; −1: none were.
  var updateNext: Int64 = -1
}
