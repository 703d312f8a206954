import RollcallPrimitives
import RollcallWire

/// What each sender said last, and when.
struct MulticastSaid {
  struct Place: Hashable {
    var party: PartyID
    var link: LinkKey
    var key: UInt64
  }
  struct Entry {
    var speaker: Speaker
    var time: Instant
    var ttlSeconds: UInt32
  }

  /// What comes beyond so many is not followed.
  static let placesMaximum = 16_384
  var placesMaximum = MulticastSaid.placesMaximum

  private var entries: [Place: Entry] = [:]
  /// By name and type.
  private var kinds: [Place: Instant] = [:]
  /// Who said a record, first to last: by link and record.
  private var sayers: [Place: [PartyID]] = [:]

  private static let nobody = PartyID(-1)

  func last(_ record: DNSRecord, of heard: HeardMessage) -> Entry? { last(record, heard.scene.party, heard.link) }

  func last(_ record: DNSRecord, _ party: PartyID, _ link: LinkKey) -> Entry? {
    entries[Place(party: party, link: link, key: MulticastKey.record(record))]
  }

  /// When the sender of a message last multicast any record of a name and type.
  func last(_ name: DNSName, _ type: DNSType, of heard: HeardMessage) -> Instant? {
    kinds[Place(party: heard.scene.party, link: heard.link, key: MulticastKey.name(name, type))]
  }

  /// The record as anybody said it last.
  func anybodys(_ record: DNSRecord, on link: LinkKey) -> Entry? {
    entries[Place(party: MulticastSaid.nobody, link: link, key: MulticastKey.record(record))]
  }

  func sayers(of record: DNSRecord, on link: LinkKey) -> [PartyID] {
    sayers[Place(party: MulticastSaid.nobody, link: link, key: MulticastKey.record(record))] ?? []
  }

  /// Takes down what a response says; what goes to one host is said to nobody else.
  mutating func note(_ heard: HeardMessage) {
    guard heard.message.flags.isResponse, heard.isMulticast else { return }
    for record in heard.message.answers + heard.message.additionals {
      let key = MulticastKey.record(record)
      let (own, every) = (
        Place(party: heard.scene.party, link: heard.link, key: key),
        Place(party: MulticastSaid.nobody, link: heard.link, key: key)
      )
      guard entries[own] != nil || entries.count < placesMaximum else { continue }
      let entry = Entry(speaker: heard.speaker, time: heard.time, ttlSeconds: record.ttlSeconds)
      (entries[own], entries[every]) = (entry, entry)
      let kind = Place(party: heard.scene.party, link: heard.link, key: MulticastKey.name(record.name, record.type))
      kinds[kind] = heard.time
      if sayers[every, default: []].contains(heard.scene.party) || sayers[every, default: []].count >= 16 { continue }
      sayers[every, default: []].append(heard.scene.party)
    }
  }
}
