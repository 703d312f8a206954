import RollcallPrimitives
import RollcallWire

/// A name that a host has for itself, with the records that come with it: its own, or a service's.
struct MDNSEntity: Hashable, Sendable {
  /// What stands where in `records` of a service, behind the pointer to it and before those of its subtypes.
  enum Place {
    static let service = 1
    static let text = 2
    static let absence = 3
    static let listing = 4
  }

  /// `nil`: the host.
  var service: MDNSService?
  /// The label as it was planned, without a number.
  var label: [UInt8]
  /// 1 as planned; what stands behind the label after so many conflicts.
  var number: UInt32 = 1
  var name: DNSName
  /// Of a service in the order of `Place`; those of a host are each interface's own.
  var records: [DNSRecord] = []
  /// A service that was withdrawn; its place is free.
  var isRemoved = false

  init(host label: [UInt8]) {
    self.label = label
    name = MDNSEntity.name(label, in: .local)
  }

  init(_ service: MDNSService, host: DNSName, _ timing: MDNSTiming) {
    (self.service, label) = (service, service.instance)
    name = MDNSEntity.name(label, in: service.type.domainName)
    makeRecords(host: host, timing)
  }

  var isHost: Bool { service == nil }

  /// Takes the next name (RFC 6762 §9): `label-2` of a host, `label (2)` of a service.
  mutating func rename() {
    number = number == .max ? 2 : number + 1
    let suffix = isHost ? "-\(number)" : " (\(number))"
    name = MDNSEntity.name(label, suffix, in: service?.type.domainName ?? .local)
  }

  mutating func makeRecords(host: DNSName, _ timing: MDNSTiming) {
    guard let service else { return }
    let (short, long, type) = (timing.hostTTLSeconds, timing.otherTTLSeconds, service.type.domainName)
    records = [
      DNSRecord(type, .ptr(name), ttlSeconds: long),
      DNSRecord(
        name, .srv(priority: 0, weight: 0, port: service.port, target: host), ttlSeconds: short, isCacheFlush: true),
      DNSRecord(name, .txt(service.txt), ttlSeconds: long, isCacheFlush: true),
      DNSRecord(name, .nsec(next: name, types: [.txt, .srv]), ttlSeconds: short, isCacheFlush: true),
      DNSRecord(ServiceType.enumerationName, .ptr(type), ttlSeconds: long),
    ]
    for subtype in service.subtypes {
      guard let owner = try? service.type.name(ofSubtype: subtype) else { continue }
      records.append(DNSRecord(owner, .ptr(name), ttlSeconds: long))
    }
  }

  /// The records of a host on one interface, NSEC last; none where it has no address.
  func hostRecords(_ addresses: [IPAddress], _ timing: MDNSTiming) -> [DNSRecord] {
    if addresses.isEmpty { return [] }
    var types: DNSTypeSet = []
    if addresses.contains(where: { $0.family == .v4 }) { types.insert(.a) }
    if addresses.contains(where: { $0.family == .v6 }) { types.insert(.aaaa) }
    let data = addresses.map(DNSData.address) + [.nsec(next: name, types: types)]
    return data.map { DNSRecord(name, $0, ttlSeconds: timing.hostTTLSeconds, isCacheFlush: true) }
  }

  /// The label with what stands behind it, within 63 bytes and without half a character.
  private static func name(_ label: [UInt8], _ suffix: String = "", in parent: DNSName) -> DNSName {
    var kept = Array(label.prefix(DNSName.labelBytesMaximum - suffix.utf8.count))
    if kept.count < label.count {
      // The bytes 10xxxxxx go on with a character, whose first byte goes with them.
      var next = label[kept.count]
      while next & 0xC0 == 0x80, let last = kept.popLast() { next = last }
    }
    if kept.isEmpty { kept = [UInt8(ascii: "x")] }
    return parent.adding(kept + suffix.utf8) ?? parent.adding("x" + suffix) ?? parent
  }
}

/// The keys of what concerns a host, so that the messages of all others cost little (`DNSHearing`).
struct MDNSInterest: Sendable {
  /// Of the names that only it may have: its own, and those of its services.
  private(set) var own: [UInt64] = []
  /// Of the names that it can be asked for.
  private(set) var asked: [UInt64] = []
  /// Of the records that it could have said itself.
  private(set) var heard: [UInt64] = []

  init(_ entities: [MDNSEntity]) {
    own.reserveCapacity(entities.count)
    for entity in entities where !entity.isRemoved { own.append(entity.name.key) }
    (asked, heard) = (own, own)
    for record in entities.flatMap(\.records) {
      guard let pointer = record.pointerKey else { continue }
      if !asked.contains(record.name.key) { asked.append(record.name.key) }
      if !heard.contains(pointer) { heard.append(pointer) }
    }
  }
}

/// A record of a responder: whose, and which.
struct MDNSPlace: Hashable, Sendable {
  var entity: Int
  var record: Int
}

/// How far an interface is with a name.
struct MDNSClaim: Hashable, Sendable {
  enum Phase: Hashable, Sendable {
    /// So many probes were sent; the next deed is due then.
    case probing(sent: Int, due: Instant)
    case owned
    case none
  }
  var phase = Phase.none
  /// Whether the name was announced on this interface, so that a goodbye is owed.
  var isAnnounced = false
  /// A probe goes out a second time (`doubledProbes`).
  var isRepeated = false
  /// When each record was last multicast here.
  var sentAt: [Instant] = []

  static let longAgo = Instant(nanoseconds: .min)

  var due: Instant { if case .probing(_, let due) = phase { due } else { .never } }

  func lastSent(_ record: Int) -> Instant { record < sentAt.count ? sentAt[record] : MDNSClaim.longAgo }

  mutating func setSent(_ record: Int, at now: Instant) {
    while sentAt.count <= record { sentAt.append(MDNSClaim.longAgo) }
    sentAt[record] = now
  }
}
