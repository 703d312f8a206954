import RollcallDevices
import RollcallPrimitives
import RollcallWire

// What a peripheral serves to who is connected.
extension Form<[GATTPlan.Service]> {
  static let services = Form.list(of: .gattService, countMaximum: GATTPlan.servicesMaximum)
}

extension Form<GATTPlan.Service> {
  static let gattService = Form.record(
    GATTPlan.Service(BluetoothUUID(short: 0), []),
    [
      .required("service", \.uuid, .bluetoothUUID, "Its UUID."),
      .key(
        "primary", \.isPrimary, .bool, default: true, "Whether it is a primary service; else only others include it."),
      .key(
        "includes", \.includes, .list(of: .bluetoothUUID, countMaximum: 8), default: [],
        "UUIDs of services of this peripheral that it includes."),
      .key(
        "characteristics", \.characteristics,
        .list(of: .characteristic, countMaximum: GATTPlan.characteristicsMaximum), default: [],
        "Its characteristics, in the order of their handles."),
    ]
  ).named("gatt-service")
}

extension Form<GATTPlan.Characteristic> {
  private static let plain = GATTPlan.Characteristic(BluetoothUUID(short: 0), [.read])

  static let characteristic = Form.record(
    plain,
    [
      .required("uuid", \.uuid, .bluetoothUUID, "Its UUID."),
      .key("offers", \.properties, .properties, default: plain.properties, "What it offers."),
      .key("value", \.value, .value, default: [], "Its value at first."),
      .optional("text", \.text, .line("a text", example: "Battery level"), "What it is, for people: a descriptor."),
      .optional(
        "sends-every", \.sendsEvery, .duration,
        "While somebody subscribes, it sends its value so often, with the number of the notification added."),
      .optional("error", \.error, .attributeError, "It answers who reads or writes it with this error."),
    ])
}

extension Form<GATTCharacteristic.Properties> {
  private static let names: [(name: String, value: GATTCharacteristic.Properties)] = [
    ("broadcast", .broadcast), ("read", .read), ("write-without-response", .writeWithoutResponse), ("write", .write),
    ("notify", .notify), ("indicate", .indicate),
  ]
  static let properties = Form<[GATTCharacteristic.Properties]>.list(
    of: .word("a property", names), countMaximum: names.count
  ).map(
    { list, _, _ in GATTCharacteristic.Properties(list) },
    back: { all in names.map(\.value).filter { all.contains($0) } })
}

extension Form<UInt8> {
  static let attributeError = Form.scalar(
    "an error of the attribute protocol", example: "0x05",
    schema: Schema(.members(("type", .array([.string("integer"), .string("string")])))),
    print: { "0x" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) },
    parse: { text in text.hasPrefix("0x") ? UInt8(digits: text.dropFirst(2), radix: 16) : UInt8(digits: text[...]) })
}

extension Form<[UInt8]> {
  /// The value of an attribute: up to 512 bytes.
  static let value = hexBytes(upTo: AttributePDU.valueBytesMaximum)
}
