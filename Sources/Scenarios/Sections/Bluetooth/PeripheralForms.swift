import RollcallDevices
import RollcallPrimitives
import RollcallSimulation
import RollcallWire

extension PeripheralSection {
  private static let plain = PeripheralSection()

  static let fields: [Field<PeripheralSection>] =
    [
      .key(
        "advertises", \.kind, .kebab("a kind of advertisement"), default: plain.kind,
        "Whether centrals may connect to it, or scanners ask it for more."),
      .key(
        "extended", \.isExtended, .bool, default: false,
        "Whether it uses extended advertising: up to \(PeripheralPlan.extendedDataBytesMaximum) bytes of data, sent on a data channel. Scannable, it says all of it in its response."
      ),
      .optional("address", \.address, .radioAddress, "Its address; static random and made of its name by default."),
      .optional(
        "rotates", \.rotation, .duration, "How often it takes another private address; it has none by default."),
      .key(
        "interval", \.interval, .advertisingInterval, default: plain.interval,
        "From one advertising event to the next; 0 to 10 ms are added to each."),
      .optional("fast", \.fast, .fast, "How it advertises for a while after a start or a change."),
    ] + AdvertisedFields.fields.map { $0.lifted(\.saying.advertised) } + [
      .key("response", \.saying.responded, .advertised, default: AdvertisedFields(), "Its scan response."),
      .optional("then", \.otherSaying, .saying, "What it says after 'reconfigure'."),
      .key(
        "quirks", \.quirks, .list(of: .word("a quirk of a peripheral"), countMaximum: 16), default: [],
        "What is wrong with it: its advertising data, and how it behaves when it is connected."),
      .key("gatt", \.gatt, .services, default: [], "Its services, for who is connected."),
      .optional("then-gatt", \.otherGATT, .services, "Its services after 'reconfigure'."),
      .key("mtu", \.mtu, .mtu, default: plain.mtu, "The largest ATT_MTU that it takes, in bytes."),
      .key(
        "connections", \.connectionsMaximum, .integer(1...8), default: plain.connectionsMaximum,
        "So many centrals at a time; while there is room for one it advertises."),
    ]
}

extension Form<PeripheralPlan.Saying> {
  static let saying = Form.record(
    PeripheralSection.plainSaying,
    AdvertisedFields.fields.map { $0.lifted(\.advertised) } + [
      .key("response", \.responded, .advertised, default: AdvertisedFields(), "Its scan response.")
    ])
}

extension Form<PeripheralPlan.Fast> {
  static let fast = Form.record(
    PeripheralPlan.Fast(interval: .milliseconds(20), duration: .seconds(30)),
    [
      .required("interval", \.interval, .advertisingInterval, "From one advertising event to the next."),
      .required("for", \.duration, .duration, "How long."),
    ])
}

extension Form<AdvertisedFields> {
  /// Of a scan response: without flags.
  static let advertised = Form.record(AdvertisedFields(), AdvertisedFields.fieldsWithoutFlags)
}

extension AdvertisedFields {
  static let fields: [Field<AdvertisedFields>] =
    [
      .key(
        "flags", \.flags, .flags, default: PeripheralSection.plainSaying.advertised.flags, "Its flags; none for none.")
    ] + fieldsWithoutFlags

  static let fieldsWithoutFlags: [Field<AdvertisedFields>] = [
    .optional("name", \.name, .line("a name", example: "Thermometer"), "Its name."),
    .key("short-name", \.isNameShortened, .bool, default: false, "Whether the name is said to be shortened."),
    .key("services", \.services, uuids, default: [], "UUIDs of its services."),
    .key("solicits", \.solicitedServices, uuids, default: [], "UUIDs of services that it looks for."),
    .key(
      "service-data", \.serviceData, .list(of: .serviceData, countMaximum: 8), default: [], "Data under UUIDs."),
    .key(
      "manufacturer-data", \.manufacturerData, .list(of: .hexBytes, countMaximum: 8), default: [],
      "Each with the number of the company first, lowest byte first."),
    .optional("says-power", \.transmitPower, .decibelMilliwatts8, "The transmit power that it says."),
    .optional("appearance", \.appearance, .port, "The number of its appearance."),
  ]

  private static let uuids = Form<[BluetoothUUID]>.list(of: .bluetoothUUID, countMaximum: 16)
}

extension Form<AdvertisedFields.ServiceData> {
  static let serviceData = Form.record(
    AdvertisedFields.ServiceData(BluetoothUUID(short: 0), []),
    [
      .required("service", \.service, .bluetoothUUID, "The UUID."),
      .key("data", \.data, .hexBytes, default: [], "The bytes."),
    ])
}

extension Form<UInt8?> {
  static let flags = Form.scalar(
    "flags", example: "6 or none", upTo: "255",
    schema: Schema(.members(("type", .array([.string("integer"), .string("string")])))),
    print: { $0.map { String($0) } ?? "none" },
    parse: { text -> Reading<UInt8?> in
      text == "none" ? .value(nil) : Number.whole(text, upTo: 255).map { value -> UInt8?? in .some(UInt8(value)) }
    })
}

extension Form<BluetoothUUID> {
  static let bluetoothUUID = Form.scalar(
    "a Bluetooth UUID", example: "180D or 0000180D-0000-1000-8000-00805F9B34FB",
    schema: Schema(.members(("type", .array([.string("integer"), .string("string")])))), print: \.description,
    parse: { BluetoothUUID($0) }
  ).named("bluetooth-uuid")
}

extension Form<UInt16> {
  static let mtu = Form<Int>.integer(23...517).map({ value, _, _ in UInt16(value) }, back: { Int($0) })
}

extension Form<RadioAddress> {
  static let radioAddress = Form.scalar(
    "a Bluetooth address", example: "c0:ff:ee:00:00:01/random or 00:1b:dc:00:00:01/public",
    schema: Schema(.members(("type", .string("string")))), print: \.description,
    parse: { RadioAddress($0.lowercased()) })
}

extension Form<[UInt8]> {
  /// `4c000215`
  static let hexBytes = hexBytes(upTo: PeripheralPlan.extendedDataBytesMaximum)

  static func hexBytes(upTo byteCount: Int) -> Form {
    Form.scalar(
      "bytes in hexadecimal", example: "4c000215",
      schema: Schema(.members(("type", .array([.string("integer"), .string("string")])))),
      print: { PeripheralReport.hex($0) },
      parse: { text in text.utf8.count <= 2 * byteCount ? PeripheralReport.bytes(hex: text) : nil })
  }
}

extension Form<Interval> {
  /// As legacy advertising has it.
  static let advertisingInterval = Form<Interval>.duration.within(.milliseconds(20) ... .milliseconds(10_240))
}

extension Form where Value: Comparable & CustomStringConvertible {
  /// The same form, with bounds that are complained about.
  func within(_ range: ClosedRange<Value>) -> Form {
    var form = self
    form.read = { tree, reader in
      guard let value = read(tree, &reader) else { return nil }
      if range.contains(value) { return value }
      reader.complain("\(value) is not from \(range.lowerBound) to \(range.upperBound)", at: tree.mark)
      return nil
    }
    return form
  }
}
