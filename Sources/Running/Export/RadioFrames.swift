import RollcallPrimitives
import RollcallTrace
import RollcallWire

/// Packets of the air as frames of LINKTYPE 256, and as words.
enum RadioFrames {
  /// The frame of an entry with which a host was given a packet; `nil`: it is another entry.
  static func bytes(of entry: TraceEntry) -> [UInt8]? {
    guard case .signal(.radio(.heard(let packet))) = entry.content else { return nil }
    return bytes(of: packet)
  }

  /// `nil`: the format has to say the channel, and has no place for another access address.
  static func bytes(of packet: RadioPDU) -> [UInt8]? {
    guard let channel = packet.channel, packet.accessAddress == AirFrame.advertisingAddress else { return nil }
    return AirFrame.bytes(pdu: packet.bytes, channel: channel, strength: packet.strength)
  }

  /// `ADV_IND from c0:ff:ee:00:00:01/random (tag), -58 dBm`.
  static func text(of packet: RadioPDU, name: (RadioAddress) -> String?) -> String {
    guard let pdu = packet.bytes.withUnsafeBytes({ try? AdvertisingPDU($0) }) else {
      return "a packet of \(packet.bytes.count) bytes"
    }
    let sender = pdu.sender.map { " from \($0)" + (name($0).map { " (\($0))" } ?? "") } ?? ""
    return pdu.name(onChannel: packet.channel) + sender + (packet.strength.map { ", \($0) dBm" } ?? "")
  }
}
