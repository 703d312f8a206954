import RollcallDiscovery
import RollcallPrimitives

extension Form<EngineSection> {
  static let engine = Form.record(
    EngineSection(),
    HostSection.fields.map { $0.lifted(\.host) } + [PhoneUser.field(\.user)]
      + EngineConfiguration.fields.map { $0.lifted(\.configuration) })
}

extension EngineConfiguration {
  static let fields: [Field<EngineConfiguration>] = policies + quantities

  private static let policies: [Field<EngineConfiguration>] = [
    .key("mode", \.mode, .kebab("a mode"), default: standard.mode, "How much the reader forgives."),
    .key("byebye", \.byebyePolicy, .kebab("a policy"), default: standard.byebyePolicy, "What one byebye ends."),
    .key("byebye-source", \.byebyeSource, .kebab("a policy"), default: standard.byebyeSource, "Whose byebye counts."),
    .key("update-source", \.updateSource, .kebab("a policy"), default: standard.updateSource, "Whose update counts."),
    .key(
      "location", \.locationPolicy, locations, default: standard.locationPolicy,
      "Which LOCATION is handed on: any, or one that is a URL of the sender or its link."),
    .key(
      "unsolicited", \.unsolicited, .kebab("a policy"), default: standard.unsolicited,
      "What becomes of a response that answers no open search."),
    .key(
      "descriptions", \.descriptions, .kebab("a policy"), default: standard.descriptions,
      "Whether the engine fetches descriptions over HTTP; then devices serve them, and their fetches are reported."),
    .key(
      "description-patience", \.descriptionLimits.patience, .duration, default: standard.descriptionLimits.patience,
      "How long a fetch may take, redirects included."),
  ]

  // Not `off`: other readers of YAML take that for a Bool.
  private static let locations = Form<LocationPolicy>.word("a policy", [("any", .off), ("scope", .scope)])

  private static let quantities: [Field<EngineConfiguration>] = [
    .key(
      "tombstone", \.tombstone, .duration, default: standard.tombstone,
      "How long after a byebye a late message of the time before is refused."),
    .key(
      "default-lease", \.leaseDefaultSeconds, .seconds(0...Int(Int32.max)), default: standard.leaseDefaultSeconds,
      "The lease of a message without a readable max-age."),
    .key(
      "maximum-lease", \.leaseMaximumSeconds, .seconds(0...Int(Int32.max)), default: standard.leaseMaximumSeconds,
      "Longer leases are cut to this."),
    .key(
      "peripheral-silence", \.peripheralSilence, .duration, default: standard.peripheralSilence,
      "A Bluetooth peripheral that is not heard for so long is lost."),
    .optional(
      "scan", \.scan, .scan, "How it listens for Bluetooth peripherals; by default it does not."),
    .key(
      "browse", \.browse, .browses, default: [],
      "Which services of multicast DNS it looks for from the start: types, subtypes or all; none by default."),
    .key(
      "asks-for-services", \.asksForServices, .bool, default: true,
      "Whether it asks for these services; false: it only listens to what is said of them."),
    .optional(
      "manager", \.manager, .manager,
      "The manager of devices for the application; there is none by default."),
    .key("limits", \.limits, .limits, default: EngineLimits(), "The most that the engine keeps."),
    .optional(
      "user-agent", \.userAgent, .line("a USER-AGENT value", example: "Linux/6.6 UPnP/2.0 App/1.0"),
      "USER-AGENT of its searches; none is sent by default."),
    .key(
      "switches", \.switchList, .list(of: .word("a switch")), default: [],
      "Faults planted into the engine, to prove that a scenario can fail."),
  ]

  private static let standard = EngineConfiguration()

  fileprivate var switchList: [EngineSwitch] {
    get { switches.all }
    set { switches = EngineSwitches(newValue) }
  }
}

extension Form<ScanPolicy> {
  private static let standard = ScanPolicy()
  private static let windows = Form<Interval>.duration.within(.microseconds(2_500) ... .milliseconds(10_240))

  static let scan = Form.record(
    standard,
    [
      .key("mode", \.mode, .kebab("a mode"), default: standard.mode, "Whether it asks for scan responses."),
      .key("window", \.window, windows, default: standard.window, "How long it listens on one channel."),
      .key(
        "interval", \.interval, windows, default: standard.interval,
        "From the beginning of one window to that of the next."),
    ],
    check: { scan, tree, reader in
      if scan.window <= scan.interval { return true }
      reader.complain("a window of \(scan.window) does not fit into an interval of \(scan.interval)", at: tree.mark)
      return false
    })
}

extension Form<EngineLimits> {
  static let limits = Form.record(EngineLimits(), EngineLimits.fields)
}

extension EngineLimits {
  private static let standard = EngineLimits()
  private static let many = Form<Int>.integer(0...100_000_000)

  static let fields: [Field<EngineLimits>] = [
    .key("entries-total", \.entriesTotal, many, default: standard.entriesTotal, "Leases altogether."),
    .key(
      "entries-per-source", \.entriesPerSource, many, default: standard.entriesPerSource, "Leases from one address."),
    .key("entries-per-device", \.entriesPerDevice, many, default: standard.entriesPerDevice, "Leases of one device."),
    .key("parts", \.parts, many, default: standard.parts, "UUIDs of one device."),
    .key("searches-open", \.searchesOpen, many, default: standard.searchesOpen, "Searches at a time."),
    .key(
      "services-per-search", \.servicesPerSearch, many, default: standard.servicesPerSearch,
      "Services that one search keeps."),
    .key(
      "tombstones", \.tombstones, many, default: standard.tombstones,
      "Devices that said byebye and are remembered for the tombstone."),
    .key("peripherals", \.peripherals, many, default: standard.peripherals, "Bluetooth peripherals."),
    .key(
      "name-bytes", \.nameBytes, many, default: standard.nameBytes, "Bytes of a whole USN, and of a target (NT, ST)."),
    .key("location-bytes", \.locationBytes, many, default: standard.locationBytes, "Bytes of a LOCATION."),
  ]
}

extension Form {
  /// One case of an enum whose raw values are in camel case, written with small letters and hyphens.
  static func kebab(_ noun: String) -> Form
  where Value: CaseIterable & RawRepresentable & Hashable, Value.RawValue == String {
    word(noun, Value.allCases.map { (kebabCase($0.rawValue), $0) })
  }
}

/// `anyPart` as `any-part`.
func kebabCase(_ text: String) -> String {
  var kebab = ""
  for character in text {
    if character.isUppercase, !kebab.isEmpty { kebab += "-" }
    kebab += character.lowercased()
  }
  return kebab
}
