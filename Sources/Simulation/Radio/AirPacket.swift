import RollcallPrimitives

/// A packet on the air. Times are nanoseconds of the run.
struct AirPacket {
  var start: Int64
  var end: Int64
  /// Which radio sends it.
  var radio: Int
  /// 0 ... 2: the place of its channel among the advertising channels; 3 ... 39: behind those, a data channel.
  var channel: Int
  /// Mixed with the key of each receiver: what one of them loses does not depend on what the others hear.
  var draw: UInt64
  /// Header and payload, without CRC.
  var bytes: [UInt8]

  /// As the standard numbers channels: 37 ... 39, or a data channel.
  var channelNumber: UInt8 { UInt8(channel < 3 ? 37 + channel : channel - 3) }

  /// The place of a data channel, 0 ... 36.
  static func place(ofDataChannel number: Int) -> Int { 3 + number }

  /// Of a PDU of so many bytes, behind preamble and access address and before its CRC, at a million bits a second.
  static func airtime(ofBytes count: Int) -> Int64 { Int64(1 + 4 + count + 3) * 8_000 }

  /// The longest one on the advertising channels: a header, an address and 31 bytes of data.
  static let airtimeMaximum = airtime(ofBytes: 2 + 6 + 31)
  /// The longest one on a data channel: a header, and a payload whose length is one byte.
  static let auxiliaryAirtimeMaximum = airtime(ofBytes: 2 + 255)
}

/// The packets that are on one channel now, are about to be, or were a moment ago; in the order of their starts.
struct AirChannel {
  private var packets: [AirPacket] = []
  /// The packets before this one meet nothing any more.
  private var first = 0

  /// No packet on it is longer.
  let airtimeMaximum: Int64

  init(airtimeMaximum: Int64 = AirPacket.airtimeMaximum) { self.airtimeMaximum = airtimeMaximum }

  /// How many are kept.
  var count: Int { packets.count }

  /// - Parameter now: a packet that ends now or later meets none that ended longer before than a packet takes.
  mutating func add(_ packet: AirPacket, at now: Int64) {
    while first < packets.count, packets[first].end < now - airtimeMaximum { first += 1 }
    if first >= 64, first * 2 >= packets.count {
      packets.removeFirst(first)
      first = 0
    }
    // Nearly always it comes last.
    var place = packets.count
    while place > first, packets[place - 1].start > packet.start { place -= 1 }
    packets.insert(packet, at: place)
  }

  /// Whether `body` is true of a packet of another radio that is on the air at the same time.
  @inline(__always) func meets(_ packet: AirPacket, where body: (AirPacket) -> Bool) -> Bool {
    var place = packets.count
    while place > first {
      place -= 1
      if packets[place].start >= packet.end { continue }
      // Those before began even earlier, and none is longer.
      if packets[place].start <= packet.start - airtimeMaximum { return false }
      if packets[place].end > packet.start, packets[place].radio != packet.radio, body(packets[place]) { return true }
    }
    return false
  }
}
