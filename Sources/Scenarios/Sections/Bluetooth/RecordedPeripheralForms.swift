import RollcallDevices
import RollcallPrimitives
import RollcallWire

extension RecordedPeripheral.Plan {
  static let fields: [Field<RecordedPeripheral.Plan>] = [
    .required("packets", \.packets, .list(of: .recordedPacket), "What it sends, and when it was heard.")
  ]
}

extension HostSection {
  /// The keys of somebody whom no place and no power makes weaker.
  static let fieldsOfRecordedPeripheral = fields.filter { $0.key.name == "clock-drift" }
}

extension Form<RecordedPeripheral.Packet> {
  static let recordedPacket = Form.record(
    RecordedPeripheral.Packet(),
    [
      .required(
        "pdu", \.pdu, .hexBytes(upTo: RecordedPeripheral.Plan.pduBytesMaximum),
        "Header and payload in hexadecimal digits, as they are on the air."),
      .required(
        "heard", \.heard, .list(of: .hearing, countMaximum: 20_000),
        "Each time that it is heard: when, from its appearance on, on which channel, and how strongly."),
    ])
}

extension Form<RecordedPeripheral.Hearing> {
  /// `1.5s ch37 -58dBm`; channel and strength are left out where nobody knows them.
  static let hearing = Form.scalar(
    "a time with channel and strength", example: "1.5s ch37 -58dBm, or 1.5s alone", hasUnit: true,
    upTo: Number.longestInterval,
    schema: Schema(
      .members(
        ("type", .string("string")), ("pattern", .string(#"^[0-9.]+(ns|us|ms|s|m|h|d)( ch[0-9]+)?( -?[0-9]+dBm)?$"#)))),
    print: { hearing in
      [
        Form<Interval>.measured.write(hearing.at, false).text, hearing.channel.map { "ch\($0)" },
        hearing.strength.map { "\($0)dBm" },
      ].compactMap(\.self).joined(separator: " ")
    },
    parse: { text in
      let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      var hearing = RecordedPeripheral.Hearing(at: .zero)
      for word in words.dropFirst() {
        if word.hasPrefix("ch"), hearing.channel == nil, hearing.strength == nil {
          guard let channel = Number.natural(word.dropFirst(2)), channel < 40 else { return .malformed }
          hearing.channel = UInt8(channel)
        } else if word.hasSuffix("dBm"), hearing.strength == nil {
          let digits = word.dropLast(3)
          guard let size = Number.natural(digits.hasPrefix("-") ? digits.dropFirst() : digits), size <= 128,
            let strength = Int8(exactly: digits.hasPrefix("-") ? -Int(size) : Int(size)), strength != .max
          else { return .malformed }
          hearing.strength = strength
        } else {
          return .malformed
        }
      }
      return Number.interval(words.first ?? "").map { time -> RecordedPeripheral.Hearing? in
        hearing.at = time
        return hearing
      }
    })
}
