import RollcallDevices
import RollcallPeers
import RollcallPrimitives
import RollcallWire

extension InhabitantKind {
  static let forms: [(name: String, form: Form<InhabitantEntry>)] = [
    Form.of(
      "root-device", RootDeviceSection(), RootDeviceSection.fields, wrap: { .rootDevice($0) },
      unwrap: { if case .rootDevice(let section) = $0 { section } else { nil } }),
    Form.of(
      "control-point", ControlPointSection(), ControlPointSection.fields, wrap: { .controlPoint($0) },
      unwrap: { if case .controlPoint(let section) = $0 { section } else { nil } }),
    Form.of(
      "reflector", Reflector.Plan(), Reflector.Plan.fields, wrap: { .reflector($0) },
      unwrap: { if case .reflector(let section) = $0 { section } else { nil } }),
    Form.of(
      "flooder", FlooderSection(), FlooderSection.fields, wrap: { .flooder($0) },
      unwrap: { if case .flooder(let section) = $0 { section } else { nil } }),
    Form.of(
      "byebye-spoofer", ByebyeSpooferSection(), ByebyeSpooferSection.fields, wrap: { .byebyeSpoofer($0) },
      unwrap: { if case .byebyeSpoofer(let section) = $0 { section } else { nil } }),
    Form.of(
      "responder", ResponderSection(), ResponderSection.fields, wrap: { .responder($0) },
      unwrap: { if case .responder(let section) = $0 { section } else { nil } }),
    Form.of(
      "script", ScriptSection(), ScriptSection.fields, wrap: { .script($0) },
      unwrap: { if case .script(let section) = $0 { section } else { nil } }),
    Form.of(
      "recorded", RecordedSection(), RecordedSection.fields, wrap: { .recorded($0) },
      unwrap: { if case .recorded(let section) = $0 { section } else { nil } }),
    Form.of(
      "peripheral", PeripheralSection(), PeripheralSection.fields, host: HostSection.fieldsWithoutLAN,
      wrap: { .peripheral($0) }, unwrap: { if case .peripheral(let section) = $0 { section } else { nil } }),
    Form.of(
      "hci-host", HCIHostSection(), HCIHostSection.fields, host: HostSection.fieldsWithoutLAN,
      wrap: { .hciHost($0) }, unwrap: { if case .hciHost(let section) = $0 { section } else { nil } }),
    Form.of(
      "recorded-peripheral", RecordedPeripheral.Plan(), RecordedPeripheral.Plan.fields,
      host: HostSection.fieldsOfRecordedPeripheral, wrap: { .recordedPeripheral($0) },
      unwrap: { if case .recordedPeripheral(let plan) = $0 { plan } else { nil } }),
    Form.of(
      "mdns-responder", MDNSResponderSection(), MDNSResponderSection.fields, wrap: { .mdnsResponder($0) },
      unwrap: { if case .mdnsResponder(let section) = $0 { section } else { nil } }),
    Form.of(
      "mdns-tester", MDNSTesterSection(), MDNSTesterSection.fields, wrap: { .mdnsTester($0) },
      unwrap: { if case .mdnsTester(let section) = $0 { section } else { nil } }),
    Form.of(
      "nearby-peer", NearbyPeerPlan(), NearbyPeerPlan.fields, wrap: { .nearbyPeer($0) },
      unwrap: { if case .nearbyPeer(let plan) = $0 { plan } else { nil } }),
    Form.of(
      "phone", PhoneSection(), PhoneSection.fields, wrap: { .phone($0) },
      unwrap: { if case .phone(let section) = $0 { section } else { nil } }),
  ]
}

extension Form<Target> {
  static let target = Form.scalar(
    "a host", example: "tv, tv:1900, 192.168.1.20 or 192.168.1.20:1900",
    schema: Schema(.members(("type", .string("string")))), print: \.description, parse: { Target($0) })
}

extension Form<Int> {
  static let perSecond = Form.scalar(
    "a rate", example: "100/s", hasUnit: true, upTo: "10000000/s",
    schema: Schema(.members(("type", .string("string")), ("pattern", .string("^[0-9]+/s$")))),
    print: { "\($0)/s" },
    parse: { text in
      guard text.hasSuffix("/s") else { return .malformed }
      return Number.whole(text.dropLast(2), upTo: 10_000_000).map { Int($0) }
    })
}

private let searchTarget = Form<String>.line("a search target", example: "ssdp:all")

extension ControlPointSection {
  private static let plain = ControlPointDecoy.Plan()
  static let fields: [Field<ControlPointSection>] =
    searches.map { $0.lifted(\.plan) } + [.optional("host", \.host, .target, "Whom to ask alone, by unicast.")]

  private static let searches: [Field<ControlPointDecoy.Plan>] = [
    .key("target", \.target, searchTarget, default: plain.target, "ST of its searches."),
    .key("mx", \.mxSeconds, .seconds(0...3_600), default: plain.mxSeconds, "MX of its searches."),
    .key("every", \.interval, .durations, default: plain.interval, "To its first search, and from one to the next."),
    .key("copies", \.copies, .integer(0...1_000), default: plain.copies, "How often each search is sent."),
    .key("copy-spacing", \.copySpacing, .duration, default: plain.copySpacing, "From one copy to the next."),
    .optional("searches", \.searchCountMaximum, .integer(0...1_000_000), "Then it falls silent; never by default."),
    .key(
      "oddities", \.oddities, .list(of: .word("an oddity"), countMaximum: 32), default: [], "What is wrong with them."),
    .optional(
      "user-agent", \.userAgent, .line("a USER-AGENT value", example: "App/1.0"), "USER-AGENT, if it sends one."),
    .key("source-port", \.sourcePort, .port, default: plain.sourcePort, "The port that it sends from and hears on."),
    .key("ttl", \.ttl, .integer(0...255), default: plain.ttl, "TTL of its searches."),
  ]
}

extension ControlPointDecoy.Plan {
  fileprivate var mxSeconds: Int {
    get { Int(maximumWaitSeconds) }
    set { maximumWaitSeconds = Int64(newValue) }
  }
  fileprivate var ttl: Int {
    get { Int(hopLimit) }
    set { hopLimit = UInt8(clamping: newValue) }
  }
}

extension Reflector.Plan {
  static let fields: [Field<Reflector.Plan>] = [
    .key("mode", \.mode, .kebab("a mode"), default: .multicast, "To the group again, or back to the sender."),
    .key(
      "rate", \.countPerSecondMaximum, .perSecond, default: Reflector.Plan().countPerSecondMaximum, "At most so many."),
    .key("reflects-own", \.reflectsOwn, .bool, default: false, "Whether it reflects what it sent itself."),
    .key("ttl", \.ttl, .integer(0...255), default: Int(Reflector.Plan().hopLimit), "TTL of what it sends."),
  ]
  fileprivate var ttl: Int {
    get { Int(hopLimit) }
    set { hopLimit = UInt8(clamping: newValue) }
  }
}

extension FlooderSection {
  private static let plain = Flooder.Plan()
  static let fields: [Field<FlooderSection>] =
    flood.map { $0.lifted(\.plan) } + [
      .key("profile", \.profile, .profile, default: .basic, "The model that it pretends to be."),
      .optional("to", \.to, .target, "Where responses go."),
    ]

  private static let flood: [Field<Flooder.Plan>] = [
    .key("sends", \.message, .kebab("a message"), default: plain.message, "What it sends."),
    .key("rate", \.perSecond, .perSecond, default: plain.perSecond, "How much of it."),
    .key("for", \.duration, .duration, default: plain.duration, "How long, from its appearance."),
    .optional("devices", \.deviceCount, .integer(1...100_000_000), "How many it invents; one a message by default."),
    .key(
      "invents-addresses", \.inventsAddresses, .bool, default: plain.inventsAddresses,
      "Whether each invented device has an address of its own."),
  ]
}

extension ByebyeSpooferSection {
  private static let plain = ByebyeSpoofer.Plan()
  static let fields: [Field<ByebyeSpooferSection>] =
    forgeries.map { $0.lifted(\.plan) } + [
      .key(
        "victims", \.victims, .list(of: .name("the name of an inhabitant", example: "tv")), default: [],
        "Root devices whose root message it forges without having heard it.")
    ]

  private static let forgeries: [Field<ByebyeSpoofer.Plan>] = [
    .optional(
      "location", \.location, .line("a URL", example: "http://192.0.2.1/"),
      "It forges alive messages with this LOCATION; byebye without it."),
    .key("every", \.interval, .duration, default: plain.interval, "To its first forgery, and from one to the next."),
    .key("overhears", \.overhears, .bool, default: plain.overhears, "Whether it forges about every alive it hears."),
    .key("delay", \.delay, .durations, default: plain.delay, "From an overheard alive to its forgery."),
    .key(
      "impersonates", \.impersonates, .bool, default: plain.impersonates,
      "Whether forgeries come from the address of an overheard victim."),
    .key(
      "repeats-numbers", \.repeatsNumbers, .bool, default: plain.repeatsNumbers,
      "Whether it repeats BOOTID and CONFIGID of what it overheard."),
  ]
}

extension ByebyeSpoofer.Plan {
  fileprivate var location: String? {
    get { if case .alive(let location) = message { location } else { nil } }
    set { message = newValue.map { .alive(location: $0) } ?? .byebye }
  }
}

extension ResponderSection {
  private static let plain = Responder.Plan()
  static let fields: [Field<ResponderSection>] =
    answers.map { $0.lifted(\.plan) } + [
      .key("profile", \.profile, .profile, default: .basic, "The model that it pretends to be."),
      .key(
        "unsolicited", \.unsolicited, .list(of: .unsolicited, countMaximum: 1_000), default: [],
        "Answers to nobody's search."),
    ]

  private static let answers: [Field<Responder.Plan>] = [
    .key("answers-searches", \.answersSearches, .bool, default: plain.answersSearches, "Whether it answers searches."),
    .key("delay", \.delay, .durations, default: plain.delay, "From a search to its answer."),
    .key(
      "answers-per-search", \.answersPerSearch, .integer(0...10_000), default: plain.answersPerSearch,
      "How many, each with another UUID."),
    .optional("target", \.target, searchTarget, "ST of its answers; as asked by default."),
    .key("quirks", \.quirks, .list(of: .quirk, countMaximum: 64), default: [], "Bad habits of its answers."),
  ]
}

extension Form<ResponderSection.Unsolicited> {
  static let unsolicited = Form.record(
    ResponderSection.Unsolicited(to: Target(.name("engine")), target: "", every: .zero), fields)

  private static let fields: [Field<ResponderSection.Unsolicited>] = [
    .required("to", \.to, .target, "Whom it tells."),
    .required("target", \.target, searchTarget, "ST of the answer."),
    .required("every", \.every, .duration, "How often."),
  ]
}

extension ScriptSection {
  static let fields: [Field<ScriptSection>] = [
    .required("lines", \.lines, .list(of: .line), "What it sends, and when.")
  ]
}

extension Form<ScriptSection.Line> {
  static let line = Form.record(ScriptSection.Line(), fields)

  private static let payload = Choice(name: "payload")
  private static let fields: [Field<ScriptSection.Line>] = [
    .optional("at", \.at, .duration, "After its appearance; only when the timeline says so by default."),
    .optional(
      "text", \.text, .text("a payload"), choice: payload,
      "The payload as text, between double quotes with \\r\\n escapes."),
    .optional("hex", \.hex, .hex, choice: payload, "The payload in hexadecimal digits."),
    .optional("to", \.to, .target, "Where it goes; to the group of IPv4 by default."),
    .optional("from", \.from, .address, "The source address, where it is forged."),
    .key("source-port", \.sourcePort, .port, default: 1_900, "The source port."),
    .optional(
      "interface", \.interface, .interfaceNumber, "From which interface; from the first that is up by default."),
    .key("ttl", \.ttl, .integer(0...255), default: 2, "Its TTL."),
  ]
}

extension Form<[UInt8]> {
  static let hex = Form.scalar(
    "a payload", example: "4d2d53",
    schema: Schema(.members(("type", .string("string")), ("pattern", .string("^([0-9a-fA-F]{2})*$")))),
    print: { bytes in bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() },
    parse: { text in
      let digits = Array(text.utf8)
      guard digits.count % 2 == 0, digits.count <= 131_072 else { return nil }
      var bytes: [UInt8] = []
      for index in stride(from: 0, to: digits.count, by: 2) {
        guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
        bytes.append(high << 4 | low)
      }
      return bytes
    })

  private static func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }
}

extension ScriptSection.Line {
  /// The payload where it is text that reads back as the same bytes.
  fileprivate var text: String? {
    get { String(validating: payload, as: UTF8.self) }
    set { if let newValue { payload = Array(newValue.utf8) } }
  }
  fileprivate var hex: [UInt8]? {
    get { text == nil ? payload : nil }
    set { if let newValue { payload = newValue } }
  }
}
