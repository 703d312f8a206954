import RollcallPrimitives

/// One lease: what one (path, USN, NT) said last.
struct LeaseRecord: BitwiseCopyable {
  /// When it ends: the newest message and its max-age.
  var deadline = Instant.zero
  var part = none
  var target = none
  /// What follows `::` in the USN: a target, or one of the two values below.
  var suffix = none
  /// The usable LOCATION of the newest message that had one.
  var location = none
  var source = none
  /// Neighbours in the part's list, oldest first.
  var next = none
  var previous = none
  /// See `LeaseTable.nextMark`.
  var mark: UInt32 = 0
  var path: UInt16 = 0
  var isLive = false
  /// NT is upnp:rootdevice, and the part names its device.
  var isRootMessage = false
  /// It was announced, and not only told in an answer.
  var wasAnnounced = false

  /// The USN is the bare UUID.
  static var bareUSN: UInt32 { none }
  /// The USN goes with its NT, as UDA has it.
  static var suffixIsTarget: UInt32 { none - 1 }
}

/// One UUID; its number is that of its name.
struct PartRecord: BitwiseCopyable {
  var device = none
  var firstLease = none
  var lastLease = none
  /// The lease that was renewed last: devices repeat themselves in order, so the next one is a good guess.
  var cursor = none
  /// The next part of the device.
  var next = none
  /// It has no lease and does not name the device: see `LeaseTable.idlePartCount`.
  var isIdle = false
}

/// One root device, or a UUID that stands for itself.
struct DeviceRecord: BitwiseCopyable {
  var lastHeard = Instant.zero
  /// Until when the location in force was promised.
  var locationDeadline = Instant.zero
  /// Until when the address in force was promised.
  var sourceDeadline = Instant.zero
  /// −1: not known, here and below.
  var bootID: Int64 = -1
  var configID: Int64 = -1
  /// The UUID that names the device.
  var root = none
  var firstPart = none
  var partCount: UInt16 = 0
  /// The path that the location in force came by.
  var path: UInt16 = 0
  var leaseCount: UInt32 = 0
  /// The location in force.
  var location = none
  /// The address in force.
  var source = none
  /// What came before, for the few devices that have a past.
  var history = none
  /// Neighbours among the devices that stand for themselves and share a location; the next free one for a free record.
  var nextSolo = none
  var previousSolo = none
  var isLive = false
  /// Reported found and not lost; false for one that said byebye and is remembered for the tombstone.
  var isPresent = false
  var isRoot = false
  var isHeld = false
  /// Some of its leases ended and all others end within a second: its location is settled when they have.
  var mayEnd = false
  /// Whether a byebye may still be followed by stragglers: see `DeviceHistory.endedUntil`.
  var wasEnded = false
}

/// Four values in a row, in the record that holds them.
struct Four<Value: BitwiseCopyable & Sendable>: BitwiseCopyable, Sendable {
  private var first: Value
  private var second: Value
  private var third: Value
  private var fourth: Value

  init(repeating value: Value) { (first, second, third, fourth) = (value, value, value, value) }

  subscript(place: Int) -> Value {
    get {
      switch place {
      case 0: first
      case 1: second
      case 2: third
      case 3: fourth
      default: preconditionFailure("there is no place \(place)")
      }
    }
    set {
      switch place {
      case 0: first = newValue
      case 1: second = newValue
      case 2: third = newValue
      case 3: fourth = newValue
      default: preconditionFailure("there is no place \(place)")
      }
    }
  }
}

/// What a device was before: kept only for devices that changed.
struct DeviceHistory: BitwiseCopyable {
  struct Former: BitwiseCopyable {
    /// A location or source; `none` for an empty place.
    var name = none
    var deadline = Instant.zero
  }
  /// Locations that were in force, the newest first: three of them.
  var locations = Four(repeating: Former())
  /// Addresses that were in force, the newest first: three of them.
  var sources = Four(repeating: Former())
  /// When another address came in force: the first of `sources` was left then.
  var movedAt = Instant(nanoseconds: .min)
  var previousBootID: Int64 = -1
  var bootChangedAt = Instant.zero
  var previousConfigID: Int64 = -1
  var configChangedAt = Instant.zero
  /// Stragglers of a byebye are refused before this.
  var endedUntil = Instant.zero
  /// The path that the byebye came by; `everyPath` if the device was lost.
  var endedPath: UInt16 = 0
  /// Addresses that the device had when it said byebye; all that it had, unless every place is taken.
  var endedSources = Four<IPAddress?>(repeating: nil)
  var nextFree = none

  static var everyPath: UInt16 { .max }
  static var endedSourcesMaximum: Int { 4 }
}

/// Who a location belongs to.
struct LocationClaim: BitwiseCopyable {
  /// The root that announced it.
  var root = none
  /// Devices that stand for themselves and have this location in force.
  var firstSolo = none
  /// Whether sharing it makes two UUIDs one device: only a well-formed URL does.
  var joins = false
  /// From whom it came when it was last found fit to be reported, on which path, under which addresses of ours: the
  /// same again needs no second judgement.
  var sender = IPAddress(v4: 0)
  var path = UInt16.max
  var version: UInt32 = 0
}

/// An address that announced something.
struct SourceRecord: BitwiseCopyable {
  var address = IPAddress(v4: 0)
  var references: UInt32 = 0
  var leases: UInt32 = 0
  /// The device first heard from here.
  var device = none
  /// SEARCHPORT as last announced; −1: never.
  var searchPort: Int32 = -1
  var nextFree = none
}
