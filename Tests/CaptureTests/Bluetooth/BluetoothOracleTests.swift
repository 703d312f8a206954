import Foundation
import RollcallCapture
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// The packets of advertising in real captures, against what tshark says of them.
@Suite struct BluetoothOracleTests {
  /// What one packet is, in words that both sides can say; `nil` parts are not compared.
  struct Packet: Equatable, CustomStringConvertible {
    var frame: Int
    var kind: Int
    var address: String?
    var isRandom: Bool?
    var types: [UInt8]
    var companies: [Int]
    var names: [String]
    var channel: Int?
    var strength: Int?
    var description: String {
      "frame \(frame): kind \(kind) from \(address ?? "-"), types \(types), companies \(companies), names \(names), "
        + "channel \(channel.map(String.init) ?? "-"), strength \(strength.map(String.init) ?? "-")"
    }
  }

  private func found(_ file: URL) throws -> (packets: [Packet], extractor: RadioExtractor) {
    var reader = try CaptureReader(path: file.path)
    var extractor = RadioExtractor()
    var frame = CaptureFrame()
    var packets: [Packet] = []
    while reader.next(&frame) {
      for heard in extractor.packets(of: frame) {
        heard.bytes.withUnsafeBytes { bytes in
          guard let pdu = try? AdvertisingPDU(bytes) else { return }
          let data = UnsafeRawBufferPointer(rebasing: bytes[pdu.data])
          let fields = pdu.isAdvertisement ? AdvertisedFields(data) : AdvertisedFields()
          // tshark shows the advertiser of a request, and no name of a message that is not an advertisement.
          let address = [.scanRequest, .connectRequest].contains(pdu.kind) ? pdu.target : pdu.sender
          packets.append(
            Packet(
              frame: frame.number, kind: Int(pdu.kind.rawValue),
              address: address.map { String($0.description.prefix(17)) }, isRandom: pdu.sender?.isRandom,
              types: fields.kinds.map(\.rawValue),
              companies: fields.manufacturerData.map { Int($0[0]) | Int($0[1]) << 8 },
              names: fields.name.map { [$0] } ?? [], channel: heard.channel.map(Int.init),
              strength: heard.strength.map(Int.init)))
        }
      }
    }
    return (packets, extractor)
  }

  private func expected(_ file: URL) throws -> (packets: [Packet], wrongCRC: Int) {
    let json = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: file.appendingPathExtension("expect.json")))
        as? [String: Any])
    var wrongCRC = 0
    var packets: [Packet] = []
    for entry in try #require(json["ble_adv"] as? [[String: Any]]) {
      func texts(_ key: String) -> [String] { entry[key] as? [String] ?? [] }
      func numbers(_ key: String) -> [Int] {
        texts(key).compactMap { $0.hasPrefix("0x") ? Int($0.dropFirst(2), radix: 16) : Int($0) }
      }
      // Where its dissector fails in the data, it never comes to the CRC: with a right CRC it does not fail.
      if entry["crc_incorrect"] as? Bool == true || entry["malformed"] as? Bool == true {
        wrongCRC += 1
        continue
      }
      let frequency = numbers("rf_channel").first.flatMap { AirFrame.channel(ofFrequency: UInt8($0)) }
      packets.append(
        Packet(
          frame: try #require(entry["frame"] as? Int), kind: try #require(entry["pdu_type"] as? Int),
          address: texts("adv_addr").first, isRandom: texts("tx_random").first.map { $0 == "1" },
          types: numbers("ad_types").map { UInt8($0) },
          companies: numbers("company"), names: texts("names"),
          channel: frequency.map(Int.init) ?? numbers("channel").first, strength: numbers("rssi").first))
    }
    return (packets, wrongCRC)
  }

  @Test func `every packet of advertising in every capture is the one that tshark found`() throws {
    let captures = CaptureFolder.captures(in: "ble", for: "packets of Bluetooth LE against tshark")
    if CaptureFolder.url == nil { return }
    var total = 0
    for file in captures {
      let name = file.lastPathComponent
      let (expected, wrongCRC) = try expected(file)
      let (found, extractor) = try found(file)
      let theirs = expected.filter { $0.kind <= 8 }
      expectEqual(found.count, theirs.count, "\(name): \(found.count) packets, tshark has \(theirs.count)")
      for (mine, other) in zip(found, theirs) {
        var mine = mine
        // tshark does not look into PPI for the channel.
        if other.channel == nil { mine.channel = nil }
        if other.strength == nil { mine.strength = nil }
        if mine == other { continue }
        Issue.record("\(name): \(mine); tshark has \(other)")
        break
      }
      expectEqual(extractor.counts.advertising, found.count, "\(name)")
      expectEqual(extractor.counts.wrongCRC, wrongCRC, "\(name)")
      CaptureFolder.checked(file)
      total += found.count
    }
    #expect(total > 0)
  }
}
