package import CoreBluetooth
package import RollcallPrimitives
import RollcallWire

extension AdvertisedIdentity {
  /// Advertising data and scan response of an application, each of 31 bytes at most (CB-64).
  ///
  /// Services come first, as many as there is room for; the others are in the overflow area. A name without room stands
  /// in the response, with ten bytes at most. In the background there is no name, and all services are in the area.
  package func bytes(isInBackground: Bool) -> (data: [UInt8], response: [UInt8]) {
    var data = RollcallWire.AdvertisedFields()
    var response = RollcallWire.AdvertisedFields()
    var surplus: [BluetoothUUID] = []
    data.flags = 0x06
    for service in services.compactMap({ BluetoothUUID($0.description) }) where !data.services.contains(service) {
      data.services.append(service)
      if isInBackground || data.bytes.count > AdvertisedIdentity.dataMaximum {
        data.services.removeLast()
        surplus.append(service)
      }
    }
    if !surplus.isEmpty { response.manufacturerData = [OverflowArea(surplus).bytes] }
    guard let localName, !isInBackground else { return (data.bytes, response.bytes) }
    data.name = localName
    if data.bytes.count > AdvertisedIdentity.dataMaximum {
      data.name = nil
      let room = min(
        AdvertisedIdentity.nameInResponseMaximum, AdvertisedIdentity.dataMaximum - response.bytes.count - 2)
      (response.name, response.isNameShortened) = AdvertisedIdentity.cut(localName, toBytes: room)
    }
    return (data.bytes, response.bytes)
  }

  static let dataMaximum = 31
  static let nameInResponseMaximum = 10

  /// As many whole characters as fit.
  private static func cut(_ name: String, toBytes count: Int) -> (String, isShortened: Bool) {
    var cut = ""
    for character in name {
      guard cut.utf8.count + String(character).utf8.count <= count else { return (cut, true) }
      cut.append(character)
    }
    return (cut, false)
  }
}

/// The area in which a phone advertises the services that it has no room for: one bit for each of 128 sums over a UUID.
///
/// Apple's sum is not published; this one is Rollcall's own. Services with the same sum cannot be told apart (CB-24).
package struct OverflowArea: Hashable, Sendable {
  private static let header: [UInt8] = [0x4C, 0x00, 0x01]
  private var mask = [UInt8](repeating: 0, count: 16)

  package init(_ services: [BluetoothUUID]) {
    for service in services {
      let bit = OverflowArea.bit(of: service)
      mask[bit / 8] |= 0x80 >> UInt8(bit % 8)
    }
  }

  /// `nil`: these bytes, of a field of manufacturer data, are something else.
  package init?(manufacturerData bytes: [UInt8]) {
    guard bytes.count == OverflowArea.header.count + 16, bytes.starts(with: OverflowArea.header) else { return nil }
    mask = Array(bytes.dropFirst(OverflowArea.header.count))
  }

  package var bytes: [UInt8] { OverflowArea.header + mask }

  package func contains(_ service: BluetoothUUID) -> Bool {
    let bit = OverflowArea.bit(of: service)
    return mask[bit / 8] & 0x80 >> UInt8(bit % 8) != 0
  }

  /// All sixteen bytes, each bit added without carry; the highest bit is left out.
  package static func bit(of service: BluetoothUUID) -> Int {
    let folded = service.high ^ service.low
    var sum: UInt64 = 0
    for place in 0..<8 as Range<UInt64> { sum ^= folded >> (8 * place) }
    return Int(sum & 0x7F)
  }
}
