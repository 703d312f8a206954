import RollcallPrimitives
import RollcallWire

/// A record that somebody said, and what becomes of it.
///
/// There may be tens of thousands: small fields stand in the space that alignment would leave empty, 96 bytes in all.
struct CachedRecord: Sendable {
  var record: DNSRecord
  var sender: IPAddress
  /// Why it ends, if it ends then.
  var cause = LossCause.expired
  /// How often it was asked for since it was received.
  var refreshCount: UInt8 = 0
  /// Queries that are still to come since somebody doubts it.
  var reconfirmsLeft: UInt8 = 0
  /// Queries of others that it would have answered, since it was received, up to 255.
  var unansweredCount: UInt8 = 0
  /// Where it stands among those of its name and type.
  var place: Int32 = 0
  var link: Int
  var receivedAt: Instant
  var expiresAt: Instant
  /// When it is to be asked for again; `.never`: not before it ends.
  var refreshAt = Instant.never

  var deadline: Instant { min(expiresAt, refreshAt) }
  var key: RecordCache.Key { RecordCache.Key(link: link, name: record.name, type: record.type) }
}

/// The records of others, each for its interface, within bounds.
struct RecordCache: Sendable {
  /// Records of one name and type on one interface.
  struct Key: Hashable, Sendable {
    var link: Int
    var name: DNSName
    var type: DNSType
  }
  /// What makes a record another one than those of its key.
  private struct Identity: Hashable, Sendable {
    var link: Int
    var name: DNSName
    var data: DNSData

    init(_ link: Int, _ record: DNSRecord) { (self.link, name, data) = (link, record.name, record.data) }
  }

  private var records: [CachedRecord?] = []
  private var freeSlots: [Int] = []
  private var slots: [Identity: Int] = [:]
  private var groups: [Key: [Int]] = [:]
  private var senderCounts: [IPAddress: Int] = [:]
  private var deadlines = DeadlineHeap()

  var count: Int { slots.count }
  var deadline: Instant { deadlines.firstKey }
  /// The one whose deadline comes first.
  var next: Int? { deadlines.first.map { Int($0.record) } }

  subscript(slot: Int) -> CachedRecord? { records.indices.contains(slot) ? records[slot] : nil }

  func count(from sender: IPAddress) -> Int { senderCounts[sender] ?? 0 }
  func slots(_ key: Key) -> [Int] { groups[key] ?? [] }
  func slot(_ link: Int, _ record: DNSRecord) -> Int? { slots[Identity(link, record)] }

  /// The records of a name and type, in an order that is the same in every run.
  func records(_ key: Key) -> [CachedRecord] { slots(key).compactMap { records[$0] } }

  /// The one that was received last.
  func newest(_ key: Key) -> CachedRecord? {
    records(key).reduce(nil) { best, record in
      guard let best, best.receivedAt >= record.receivedAt else { return record }
      return best
    }
  }

  mutating func insert(_ record: CachedRecord) {
    let slot = freeSlots.popLast() ?? records.count
    var record = record
    let key = record.key
    record.place = Int32(groups[key]?.count ?? 0)
    if slot == records.count { records.append(record) } else { records[slot] = record }
    groups[key, default: []].append(slot)
    slots[Identity(record.link, record.record)] = slot
    senderCounts[record.sender, default: 0] += 1
    deadlines.set(UInt32(slot), record.deadline)
  }

  /// Changes a record, whose name, data and interface stay.
  mutating func update(_ slot: Int, _ change: (inout CachedRecord) -> Void) {
    guard var record = self[slot] else { return }
    let sender = record.sender
    change(&record)
    if record.sender != sender {
      leave(sender)
      senderCounts[record.sender, default: 0] += 1
    }
    records[slot] = record
    deadlines.set(UInt32(slot), record.deadline)
  }

  mutating func remove(_ slot: Int) {
    guard let record = self[slot] else { return }
    records[slot] = nil
    freeSlots.append(slot)
    deadlines.remove(UInt32(slot))
    leave(record.sender)
    slots[Identity(record.link, record.record)] = nil
    let key = record.key
    guard let last = groups[key]?.popLast() else { return }
    if groups[key]?.isEmpty == true { groups[key] = nil }
    if last != slot {
      groups[key]?[Int(record.place)] = last
      records[last]?.place = record.place
    }
  }

  /// The slots of an interface, rising.
  func slots(onLink link: Int) -> [Int] { records.indices.filter { records[$0]?.link == link } }

  private mutating func leave(_ sender: IPAddress) {
    let count = (senderCounts[sender] ?? 1) - 1
    senderCounts[sender] = count == 0 ? nil : count
  }

  /// What is not as it has to be, for tests.
  var brokenInvariants: [String] {
    var broken: [String] = []
    let present = records.count { $0 != nil }
    if present != slots.count { broken.append("\(present) records in slots, \(slots.count) found by data") }
    let grouped = groups.reduce(0) { $0 + $1.value.count }  // ordered: a sum
    if present != grouped { broken.append("\(present) records in slots, \(grouped) in groups") }
    let sent = senderCounts.reduce(0) { $0 + $1.value }  // ordered: a sum
    if present != sent { broken.append("\(present) records in slots, \(sent) of senders") }
    if present != deadlines.count { broken.append("\(present) records in slots, \(deadlines.count) deadlines") }
    return broken
  }
}
