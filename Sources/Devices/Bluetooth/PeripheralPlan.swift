package import RollcallPrimitives
package import RollcallWire

/// A Bluetooth LE peripheral as somebody planned it.
package struct PeripheralPlan: Hashable, Sendable {
  /// What a set of it can be used for; the raw value is the name in scenarios.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// ADV_IND: centrals may connect, and scanners may ask for more.
    case connectable
    /// ADV_SCAN_IND: scanners may ask for more.
    case scannable
    /// ADV_NONCONN_IND: it only speaks, as beacons do.
    case nonConnectable
  }

  /// What it is called by on the air.
  package enum Address: Hashable, Sendable {
    /// Given by the maker, or static random: it stays.
    case fixed(RadioAddress)
    /// Non-resolvable and private: another one after each of these intervals, and at each start.
    case rotating(every: Interval)
  }

  /// What it says of itself: fields of the advertisement, and of the scan response.
  package struct Saying: Hashable, Sendable {
    package var advertised: AdvertisedFields
    package var responded: AdvertisedFields

    package init(_ advertised: AdvertisedFields, responded: AdvertisedFields = AdvertisedFields()) {
      (self.advertised, self.responded) = (advertised, responded)
    }
  }

  package var kind: Kind
  /// Whether it uses extended advertising: more data, on a data channel.
  package var isExtended: Bool
  package var address: Address
  /// From one advertising event to the next, without the random part.
  package var interval: Interval
  /// After a start or a change it advertises faster for a while; `nil`: it does not.
  package var fast: Fast?
  package var saying: Saying
  /// What it says after `reconfigure`, and again after that what it said before; `nil`: the same.
  package var otherSaying: Saying?
  package var quirks: [PeripheralQuirk]
  /// What a central finds when it is connected.
  package var gatt: GATTPlan
  /// What it has after `reconfigure`; `nil`: the same.
  package var otherGATT: GATTPlan?
  /// So many centrals at a time; while there is room it advertises.
  package var connectionsMaximum: Int

  package struct Fast: Hashable, Sendable {
    package var interval: Interval
    package var duration: Interval
    package init(interval: Interval, duration: Interval) { (self.interval, self.duration) = (interval, duration) }
  }

  package init(
    kind: Kind = .connectable, isExtended: Bool = false, address: Address, interval: Interval = .milliseconds(100),
    fast: Fast? = nil,
    saying: Saying, otherSaying: Saying? = nil, quirks: [PeripheralQuirk] = [],
    gatt: GATTPlan = GATTPlan(), otherGATT: GATTPlan? = nil, connectionsMaximum: Int = 1
  ) {
    (self.gatt, self.otherGATT, self.connectionsMaximum) = (gatt, otherGATT, connectionsMaximum)
    self.kind = kind
    self.isExtended = isExtended
    self.address = address
    self.interval = interval
    self.fast = fast
    self.saying = saying
    self.otherSaying = otherSaying
    self.quirks = quirks
  }

  /// `nil`: it has private ones.
  package var fixedAddress: RadioAddress? {
    if case .fixed(let address) = address { address } else { nil }
  }

  /// Data of an advertisement or a scan response has at most so many bytes.
  package static let dataBytesMaximum = 31
  /// The same with extended advertising.
  package static let extendedDataBytesMaximum = AdvertisingPDU.extendedDataBytesMaximum
}

/// What peripherals of the field do to their advertising data; the number is that of the row AD-….
package enum PeripheralQuirk: String, Hashable, Sendable, CaseIterable {
  /// AD-1: zeros up to 31 bytes.
  case paddedWithZeros
  /// AD-3: a last structure that says that it is longer than what is left.
  case overrunningStructure
  /// AD-4: a length byte behind the last structure, and nothing else.
  case loneLengthByte
  /// AD-5: a structure of a type without data.
  case emptyStructure
  /// AD-6: manufacturer data of one byte.
  case shortManufacturerData
  /// AD-7: a list of services with a byte too many.
  case oddServiceList
  /// AD-8: service data without a whole UUID.
  case shortServiceData
  /// AD-9: two fields of manufacturer data.
  case twoManufacturerFields
  /// AD-10: a name in Latin-1.
  case nameInLatin1
  /// AD-10: a name with zeros behind it.
  case nameWithZeros
  /// AD-11: a transmit power of two bytes.
  case longTransmitPower
  // Of connections.
  /// It ends the first connection at once.
  case refusesFirstConnection
  /// It ends each connection after a second.
  case endsConnections
  /// Its server of attributes says nothing.
  case answersNothing
  /// It answers who reads with a PDU of another kind.
  case answersWrongly
  /// Its services stand in falling order.
  case fallingHandles
  /// It sends a notification that nobody subscribed to as soon as it is connected.
  case notifiesUnasked

  /// What it is, for people.
  package var text: String {
    switch self {
    case .paddedWithZeros: "Zeros up to 31 bytes behind the last structure (AD-1)."
    case .overrunningStructure: "A last structure that says that it is longer than what is left (AD-3)."
    case .loneLengthByte: "A length byte behind the last structure, and nothing else (AD-4)."
    case .emptyStructure: "A structure of a type without data (AD-5)."
    case .shortManufacturerData: "Manufacturer data of one byte (AD-6)."
    case .oddServiceList: "A list of services with a byte too many (AD-7)."
    case .shortServiceData: "Service data without a whole UUID (AD-8)."
    case .twoManufacturerFields: "Two fields of manufacturer data (AD-9)."
    case .nameInLatin1: "A name in Latin-1, with a byte that is no UTF-8 (AD-10)."
    case .nameWithZeros: "A name with zeros behind it (AD-10)."
    case .longTransmitPower: "A transmit power of two bytes (AD-11)."
    case .refusesFirstConnection: "It ends the first connection at once."
    case .endsConnections: "It ends each connection after a second."
    case .answersNothing: "Its server of attributes says nothing."
    case .answersWrongly: "It answers who reads with a PDU of another kind."
    case .fallingHandles: "Its services stand in falling order."
    case .notifiesUnasked: "It sends a notification that nobody subscribed to as soon as it is connected."
    }
  }

  /// The bytes of the fields as a peripheral with these quirks sends them; cut to what a packet holds.
  static func bytes(
    of fields: AdvertisedFields, _ quirks: [PeripheralQuirk], upTo byteCount: Int = PeripheralPlan.dataBytesMaximum
  ) -> [UInt8] {
    var plain = fields
    var extra: [UInt8] = []
    func add(_ kind: AdvertisingStructure.Kind, _ data: some Collection<UInt8>) {
      extra += AdvertisingStructure.bytes(kind, data)
    }
    for quirk in quirks {
      switch quirk {
      case .emptyStructure: add(.appearance, [])
      case .shortManufacturerData: add(.manufacturerData, [0x4C])
      case .shortServiceData: add(.serviceData16, [0x0F])
      case .twoManufacturerFields:
        add(.manufacturerData, [0xFF, 0xFF, 1])
        add(.manufacturerData, [0xFF, 0xFF, 2])
      case .longTransmitPower: add(.transmitPower, [4, 0])
      case .oddServiceList:
        add(.services16, plain.services.flatMap(\.littleEndian) + [0x18])
        plain.services = []
      case .nameInLatin1, .nameWithZeros:
        guard let name = plain.name else { continue }
        plain.name = nil
        add(.completeName, Array(name.utf8) + (quirk == .nameInLatin1 ? [0xE9] : [0, 0, 0]))
      case .paddedWithZeros, .overrunningStructure, .loneLengthByte, .refusesFirstConnection, .endsConnections,
        .answersNothing, .answersWrongly, .fallingHandles, .notifiesUnasked:
        break
      }
    }
    var bytes = plain.bytes + extra
    if quirks.contains(.overrunningStructure) {
      bytes += [0x1E, AdvertisingStructure.Kind.completeName.rawValue, 0x58]
    }
    if quirks.contains(.loneLengthByte) { bytes.append(5) }
    if quirks.contains(.paddedWithZeros) {
      bytes += [UInt8](repeating: 0, count: max(0, PeripheralPlan.dataBytesMaximum - bytes.count))
    }
    return Array(bytes.prefix(byteCount))
  }
}
