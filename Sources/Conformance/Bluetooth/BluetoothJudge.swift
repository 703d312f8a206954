package import RollcallPrimitives
import RollcallWire

/// A packet of the air as a judge sees it.
package struct HeardPacket {
  /// In a capture since the Unix epoch, in a run since its start.
  package var time: Instant
  /// The frame of a capture or the entry of a trace, from 1.
  package var position: Int
  /// The number of the host that sent it, where that is known; −1: not.
  package var host: Int32
  package var packet: RadioPDU

  package init(time: Instant, position: Int, host: Int32 = -1, packet: RadioPDU) {
    (self.time, self.position, self.host, self.packet) = (time, position, host, packet)
  }
}

/// Judges what peripherals advertise: their addresses, how often they speak, and the form of their data.
///
/// A peripheral is its address. Packets of scanners and of connections are not judged.
struct BluetoothJudge: ProtocolJudge {
  static let clauses: [ClauseID] = [
    .addressKind, .addressRandom, .advertisingInterval, .flagsInResponse, .discoverable, .onceInData, .dataOverrun,
    .dataUUIDs, .dataService, .dataManufacturer, .dataNumber, .dataFlags, .dataName,
  ]

  /// Of one peripheral on one channel.
  private struct Last {
    var time: Instant
    var digest: UInt64
  }
  private struct Place: Hashable {
    var address: RadioAddress
    var channel: UInt8
  }
  private var lasts: [Place: Last] = [:]

  /// More than these have no interval that is judged.
  static let placesMaximum = 12_288
  private let placesMaximum: Int
  /// The same packet again within so long is a copy of the receivers: no event follows another so soon.
  static let copyMaximum = Interval.milliseconds(2)
  static let intervalMinimum = Interval.milliseconds(20)
  /// Clocks of receivers are that far off.
  static let slack = Interval.microseconds(500)

  init(placesMaximum: Int = BluetoothJudge.placesMaximum) { self.placesMaximum = placesMaximum }

  mutating func hear(_ heard: HeardPacket, _ books: inout Books) {
    let bytes = heard.packet.bytes
    bytes.withUnsafeBytes { raw in
      guard let pdu = try? AdvertisingPDU(raw), pdu.isAdvertisement, let address = pdu.sender else { return }
      let party = books.parties.number(of: address, host: heard.host)
      let scene = FindingCollector.Scene(
        party: party, claim: .bluetooth40, time: heard.time, position: heard.position)
      let data = AdvertisedFields(UnsafeRawBufferPointer(rebasing: raw[pdu.data]))
      books.parties.hear(party, claim: .bluetooth40, product: data.name)
      books.packetCount += 1
      books.last = max(books.last, heard.time)
      judge(address, scene, &books.collector)
      judge(data, pdu, scene, &books.collector)
      judgeInterval(heard, pdu, address, scene, &books.collector)
    }
  }

  mutating func overhear(_ observation: HeardPacket, _ books: inout Books) {}
  mutating func note(_ event: TraceEvent, _ books: inout Books) {}
  mutating func close(at end: Instant, _ books: inout Books) {}
  func device(_ number: Int32) -> String? { nil }

  private func judge(
    _ address: RadioAddress, _ scene: FindingCollector.Scene, _ collector: inout FindingCollector
  ) {
    guard address.isRandom else { return }
    let kind = address.bits >> 46
    collector.rule(
      .addressKind, kind != 2, at: scene, expected: "the highest bits 00, 01 or 11", found: "10 in \(address)")
    // Of a resolvable address a part is a hash.
    guard kind == 0 || kind == 3 else { return }
    let random = address.bits & 0x3FFF_FFFF_FFFF
    collector.rule(
      .addressRandom, random != 0 && random != 0x3FFF_FFFF_FFFF, at: scene,
      expected: "46 bits that are not all equal", found: "\(address)")
  }

  private func judge(
    _ data: AdvertisedFields, _ pdu: AdvertisingPDU, _ scene: FindingCollector.Scene,
    _ collector: inout FindingCollector
  ) {
    let kinds = data.kinds
    func has(_ kind: AdvertisingStructure.Kind) -> Bool { kinds.contains(kind) }
    if pdu.kind == .scanResponse, !kinds.isEmpty {
      collector.rule(
        .flagsInResponse, !has(.flags), at: scene, expected: "no flags in a scan response", found: "flags")
    }
    if let flags = data.flags, has(.flags) {
      collector.rule(
        .discoverable, flags & 3 != 3, at: scene, expected: "one of the bits 0 and 1 at most", found: "flags \(flags)")
    }
    let single: [AdvertisingStructure.Kind] = [.flags, .shortenedName, .completeName, .transmitPower, .appearance]
    if kinds.contains(where: { single.contains($0) }) {
      let twice = single.first { kind in kinds.filter { $0 == kind }.count > 1 }
      collector.rule(
        .onceInData, twice == nil, at: scene, expected: "each type once",
        found: "type \(twice?.rawValue ?? 0) \(kinds.filter { $0 == twice }.count) times")
    }
    if !kinds.isEmpty || !data.faults.isEmpty {
      collector.rule(
        .dataOverrun, !data.faults.contains { $0.reason == .overrun }, at: scene,
        expected: "structures that end within the packet",
        found: "byte \(BluetoothJudge.offset(.overrun, data)) of the data begins one that does not")
    }
    let formed: [(ClauseID, AdvertisedFields.Fault.Reason, [AdvertisingStructure.Kind], String)] = [
      (
        .dataUUIDs, .partOfUUID,
        [
          .incompleteServices16, .services16, .incompleteServices32, .services32, .incompleteServices128, .services128,
          .solicitedServices16, .solicitedServices32, .solicitedServices128,
        ], "whole UUIDs"
      ),
      (
        .dataService, .serviceDataTooShort, [.serviceData16, .serviceData32, .serviceData128],
        "a whole UUID before the data"
      ),
      (.dataManufacturer, .manufacturerDataTooShort, [.manufacturerData], "two bytes for the company"),
      (.dataNumber, .numberSize, [.transmitPower, .appearance], "as many bytes as the number has"),
      (.dataFlags, .noFlags, [.flags], "a byte of flags"),
      (.dataName, .nameNotUTF8, [.shortenedName, .completeName], "UTF-8"),
    ]
    for (clause, reason, of, expected) in formed where kinds.contains(where: { of.contains($0) }) {
      collector.rule(
        clause, !data.faults.contains { $0.reason == reason }, at: scene, expected: expected,
        found: "the structure at byte \(BluetoothJudge.offset(reason, data)) of the data has not")
    }
  }

  private static func offset(_ reason: AdvertisedFields.Fault.Reason, _ data: AdvertisedFields) -> Int {
    data.faults.first { $0.reason == reason }?.offset ?? 0
  }

  /// A receiver that hears one channel hears each event at most once; a controller does not say which channel it was.
  private mutating func judgeInterval(
    _ heard: HeardPacket, _ pdu: AdvertisingPDU, _ address: RadioAddress, _ scene: FindingCollector.Scene,
    _ collector: inout FindingCollector
  ) {
    guard let channel = heard.packet.channel, channel >= 37,
      pdu.kind == .connectable || pdu.kind == .nonconnectable || pdu.kind == .scannable
    else { return }
    let place = Place(address: address, channel: channel)
    let digest = heard.packet.bytes.withUnsafeBytes { Digest.hash($0) }
    let last = lasts[place]
    guard last != nil || lasts.count < placesMaximum else { return }
    guard let last, last.digest == digest else {
      // Another set of its own, or something new: from here on it counts.
      lasts[place] = Last(time: heard.time, digest: digest)
      return
    }
    let gap = heard.time - last.time
    // A copy, or a file whose times go back.
    if gap < BluetoothJudge.copyMaximum { return }
    lasts[place] = Last(time: heard.time, digest: digest)
    collector.rule(
      .advertisingInterval, gap + BluetoothJudge.slack >= BluetoothJudge.intervalMinimum, at: scene,
      expected: "20 ms from one event to the next",
      found: "\(gap.nanoseconds / 1_000) us on channel \(channel)")
  }
}
