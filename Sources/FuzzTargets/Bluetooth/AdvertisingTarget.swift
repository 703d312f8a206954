import RollcallCapture
import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// Advertising data, read by the walk and by a naive reference, alone and behind other data.
  package static let advertisingData = FuzzTarget(
    name: "advertising-data", dictionary: ["\u{2}\u{1}\u{6}", "\u{3}\u{3}", "\u{3}\u{16}"], seeds: advertisingSeeds
  ) { (bytes: [UInt8]) throws(FuzzFinding) in
    try checkWalk(bytes)
    let fields = bytes.withUnsafeBytes { AdvertisedFields($0) }
    var again = fields
    bytes.withUnsafeBytes { again.add($0) }
    try expect(again == fields, "the same data once more says something else")
    try expect(
      max(
        fields.services.count, fields.solicitedServices.count, fields.serviceData.count, fields.manufacturerData.count)
        <= AdvertisedFields.countMaximum, "more is kept than the bound")
    try expect(fields.faults.allSatisfy { (0..<bytes.count).contains($0.offset) }, "a fault lies outside")
    try expect(Set(fields.services).count == fields.services.count, "a service stands twice")
    // What is written from it is read as it was, where no structure was too long to write.
    let written = fields.bytes
    let read = written.withUnsafeBytes { AdvertisedFields($0) }
    guard fields.services.count <= 15, fields.solicitedServices.count <= 15 else { return }
    try expect(read.services.count == fields.services.count, "services were lost in writing")
    try expect(read.flags == fields.flags && read.transmitPower == fields.transmitPower, "a number was lost in writing")
  }

  private static func checkWalk(_ bytes: [UInt8]) throws(FuzzFinding) {
    var found: [[UInt8]] = []
    var end = AdvertisingWalk.End.whole
    bytes.withUnsafeBytes { raw in
      var walk = AdvertisingWalk(raw)
      while let structure = walk.next() { found.append([structure.kind.rawValue] + raw[structure.data]) }
      end = walk.end
    }
    // The reference takes structures from the front of what is left.
    var (rest, expected) = (bytes, [[UInt8]]())
    var expectedEnd = AdvertisingWalk.End.whole
    while let length = rest.first {
      if length == 0 {
        expectedEnd = .padding(at: bytes.count - rest.count)
        break
      }
      if rest.count <= Int(length) {
        expectedEnd = .overrun(at: bytes.count - rest.count)
        break
      }
      expected.append(Array(rest[1...Int(length)]))
      rest = Array(rest.dropFirst(Int(length) + 1))
    }
    try expect(found == expected && end == expectedEnd, "\(found), \(end); reference: \(expected), \(expectedEnd)")
  }

  private static let advertisingSeeds: [[UInt8]] = {
    var fields = AdvertisedFields()
    fields.flags = 6
    fields.name = "lamp"
    fields.services = [BluetoothUUID(short: 0x180D), BluetoothUUID(high: 1, low: 2)]
    fields.serviceData = [.init(BluetoothUUID(short: 0xFFFA), [1, 2])]
    fields.manufacturerData = [[0x4C, 0, 2, 0x15]]
    fields.transmitPower = -4
    return [fields.bytes, [0], [9, 0xFF], [2, 0x0A]]
  }()

  /// The first byte chooses a kind of capture, the rest is one frame of it: a frame gives the same packets whatever lies
  /// behind its end, and each packet is read or refused at a place inside it.
  package static let radioFrames = FuzzTarget(
    name: "radio-frames", dictionary: ["\u{4}\u{3E}", "\u{2}\u{1}\u{6}"], seeds: radioSeeds
  ) { (bytes: [UInt8]) throws(FuzzFinding) in
    var choices = ByteChoices(bytes)
    let linkType = choices.pick(LinkType.radio + [LinkType.ppi])
    let frame = choices.take(bytes.count)
    let first = packets(frame, linkType, behind: 0xA5)
    let second = packets(frame, linkType, behind: 0x11)
    try expect(first.packets == second.packets && first.counts == second.counts, "the bytes behind a frame matter")
    let counts = first.counts
    try expect(
      counts.wrongCRC + counts.others + counts.malformed <= 1, "one frame is counted more than once: \(counts)")
    for packet in first.packets {
      try expect(packet.channel.map { $0 < 40 } ?? true, "channel \(packet.channel ?? 0)")
      let fault = packet.bytes.withUnsafeBytes { raw -> RadioFault? in
        do throws(RadioFault) {
          let pdu = try AdvertisingPDU(raw)
          _ = AdvertisedFields(UnsafeRawBufferPointer(rebasing: raw[pdu.data]))
          return nil
        } catch { return error }
      }
      if let fault { try expect((0...packet.bytes.count).contains(fault.offset), "\(fault) lies outside") }
    }
  }

  private static func packets(
    _ bytes: [UInt8], _ linkType: UInt32, behind filler: UInt8
  ) -> (packets: [RadioPDU], counts: RadioExtractor.Counts) {
    var extractor = RadioExtractor()
    let padded = bytes + [UInt8](repeating: filler, count: CaptureFrame.paddingBytes)
    let found = padded.withUnsafeBytes { raw in
      var frame = CaptureFrame()
      (frame.number, frame.linkType, frame.capturedCount) = (1, linkType, bytes.count)
      if let base = raw.baseAddress { frame.bytes = base }
      return extractor.packets(of: frame)
    }
    return (found, extractor.counts)
  }

  private static let radioSeeds: [[UInt8]] = {
    let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
    let pdu = AdvertisingPDU.bytes(.connectable, from: lamp, data: [2, 1, 6])
    let event: [UInt8] = [0x3E, 15, 2, 1, 0, 1] + lamp.littleEndian + [3, 2, 1, 6, 0xC4]
    let frames: [[UInt8]] = [
      [4] + event, [0, 0, 0, 1, 4] + event, AirFrame.bytes(pdu: pdu), [0, 0, 0, 3] + event,
      AirFrame.bytes(pdu: pdu, channel: 38, strength: -60),
      [4, 1, 2, 3, 7, 0, 2, 10, 1, 39, 53, 0, 0, 1, 2, 3, 4] + AirFrame.bytes(pdu: pdu), event, event,
      [0, 0, 8, 0, 251, 0, 0, 0] + AirFrame.bytes(pdu: pdu),
    ]
    return frames.enumerated().map { [UInt8($0.offset)] + $0.element }
  }()
}
