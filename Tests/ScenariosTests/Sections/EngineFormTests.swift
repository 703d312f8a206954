import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// Keys of `engine:`, also one at a time as a command line gives them.
@Suite("Forms of the engine's settings") struct EngineFormTests {
  private static let keys = [
    "mode", "byebye", "byebye-source", "update-source", "location", "unsolicited", "descriptions",
    "description-patience", "tombstone", "default-lease", "maximum-lease", "peripheral-silence", "scan", "browse",
    "asks-for-services", "manager", "limits.entries-total", "limits.entries-per-source", "limits.entries-per-device",
    "limits.parts", "limits.searches-open", "limits.services-per-search", "limits.tombstones", "limits.peripherals",
    "limits.name-bytes", "limits.location-bytes", "user-agent", "switches",
  ]

  private func applied(_ settings: String...) throws -> EngineConfiguration {
    var engine = EngineConfiguration()
    try engine.apply(settings)
    return engine
  }
  private func said(_ settings: String...) -> String {
    var engine = EngineConfiguration()
    do {
      try engine.apply(settings)
      return "none"
    } catch {
      return error.description
    }
  }

  @Test("the keys of settings are those of an engine, with those of its limits behind a dot")
  func settingKeys() { expectEqual(EngineConfiguration.settingKeys, Self.keys) }

  @Test("a setting changes what its key names and nothing else")
  func settings() throws {
    func one(_ setting: String, _ change: (inout EngineConfiguration) -> Void) throws {
      var wanted = EngineConfiguration()
      change(&wanted)
      #expect(wanted != EngineConfiguration(), "\(setting)")
      try expectEqual(applied(setting), wanted, "\(setting)")
    }
    try one("mode=strict") { $0.mode = .strict }
    try one("byebye=each-part") { $0.byebyePolicy = .eachPart }
    try one("byebye-source=any-address") { $0.byebyeSource = .anyAddress }
    try one("update-source=any-address") { $0.updateSource = .anyAddress }
    try one("location=any") { $0.locationPolicy = .off }
    try one("unsolicited=accept") { $0.unsolicited = .accept }
    try one("descriptions=fetch") { $0.descriptions = .fetch }
    try one("description-patience=7s") { $0.descriptionLimits.patience = .seconds(7) }
    try one("tombstone=8s") { $0.tombstone = .seconds(8) }
    try one("default-lease=9s") { $0.leaseDefaultSeconds = 9 }
    try one("maximum-lease=10s") { $0.leaseMaximumSeconds = 10 }
    try one("peripheral-silence=11s") { $0.peripheralSilence = .seconds(11) }
    try one("asks-for-services=false") { $0.asksForServices = false }
    try one("user-agent=a=b") { $0.userAgent = "a=b" }
    try one("switches=byebyeIgnored,updateIgnored") { $0.switches = [.byebyeIgnored, .updateIgnored] }
    expectEqual(try applied("location=any", "location=scope"), EngineConfiguration())
    expectEqual(try applied("switches=byebyeIgnored", "switches="), EngineConfiguration())
    expectEqual(try applied(), EngineConfiguration())
  }

  @Test("a setting of a limit changes that limit alone")
  func limits() throws {
    let limits: [(key: String, path: WritableKeyPath<EngineLimits, Int>)] = [
      ("entries-total", \.entriesTotal), ("entries-per-source", \.entriesPerSource),
      ("entries-per-device", \.entriesPerDevice), ("parts", \.parts), ("searches-open", \.searchesOpen),
      ("services-per-search", \.servicesPerSearch), ("tombstones", \.tombstones), ("peripherals", \.peripherals),
      ("name-bytes", \.nameBytes), ("location-bytes", \.locationBytes),
    ]
    for (number, (key, path)) in limits.enumerated() {
      var wanted = EngineConfiguration()
      wanted.limits[keyPath: path] = number + 77_001
      try expectEqual(applied("limits.\(key)=\(number + 77_001)"), wanted, "\(key)")
    }
    let form = Form<EngineLimits>.limits
    for count in [0, 100_000_000] {
      var wanted = EngineLimits()
      wanted.parts = count
      try FormBench.means(form, "{parts: \(count)}", wanted)
    }
    for count in [-1, 100_000_001] {
      try FormBench.refuses(
        form, "{parts: \(count)}", ["'\(count)' is not a whole number from 0 to 100000000 such as 3"])
    }
    try FormBench.means(form, "{}", EngineLimits())
  }

  @Test("a setting that cannot be used is refused with what could be")
  func slips() throws {
    for text in ["", "mode", "=", "=strict"] {
      expectEqual(said(text), "a setting is KEY=VALUE, as in byebye=each-part, and not '\(text)'")
    }
    expectEqual(said("byeby=any-part"), "unknown key 'byeby', did you mean 'byebye'?")
    let known = Self.keys.joined(separator: ", ")
    expectEqual(said("qqqqqqqqqqqq=1"), "unknown key 'qqqqqqqqqqqq'; known are \(known)")
    let long = String(repeating: "q", count: 41)
    expectEqual(said("\(long)=1"), "unknown key '\(long.dropLast())…'; known are \(known)")
    expectEqual(said("tombstone=5"), "tombstone: '5' has no unit: a duration is written such as 250ms or 3s")
    expectEqual(said("tombstone="), "tombstone: '' is not a duration such as 250ms or 3s")
    expectEqual(said("limits.parts=x"), "limits.parts: 'x' is not a whole number from 0 to 100000000 such as 3")
    expectEqual(said("scan=x"), "scan: expected a mapping, found 'x'")
    expectEqual(said("location=off"), "location: unknown policy 'off'; known are any, scope")
    expectEqual(said("switches=qqqqqqqq,zzzzzzzz"), "switches: unknown switch 'qqqqqqqq'")
    // Of several the first one that is wrong is told, and what stands before it holds.
    var engine = EngineConfiguration()
    #expect(throws: EngineSettingError.self) { try engine.apply(["mode=strict", "x", "tombstone=1s"]) }
    var wanted = EngineConfiguration()
    wanted.mode = .strict
    expectEqual(engine, wanted)
  }

  @Test("a scan has a window that fits into its interval")
  func scans() throws {
    let form = Form<ScanPolicy>.scan
    func policy(_ window: Int64, _ interval: Int64) -> ScanPolicy {
      ScanPolicy(window: .milliseconds(window), interval: .milliseconds(interval))
    }
    try FormBench.means(form, "{}", ScanPolicy())
    try FormBench.means(form, "{mode: passive}", ScanPolicy(.passive))
    try FormBench.means(form, "{window: 3ms, interval: 4ms}", policy(3, 4))
    try FormBench.means(form, "{window: 4ms, interval: 4ms}", policy(4, 4))
    try FormBench.refuses(
      form, "{window: 5ms, interval: 4ms}", ["a window of 5ms does not fit into an interval of 4ms"])
    try FormBench.means(
      form, "{window: 2500us, interval: 2500us}",
      ScanPolicy(window: .microseconds(2_500), interval: .microseconds(2_500)))
    try FormBench.means(form, "{window: 10240ms, interval: 10240ms}", policy(10_240, 10_240))
    try FormBench.refuses(form, "{window: 2499us}", ["2499us is not from 2500us to 10240ms"])
    try FormBench.refuses(form, "{interval: 10241ms}", ["10241ms is not from 2500us to 10240ms"])
    try FormBench.refuses(form, "{mode: x}", ["unknown mode 'x'; known are passive, active"])
  }

  @Test("a word in camel case is written with small letters, and a hyphen before each capital but the first letter")
  func kebab() {
    for (word, kebab) in [
      ("", ""), ("any", "any"), ("anyPart", "any-part"), ("Any", "any"), ("AnyPart", "any-part"), ("aBC", "a-b-c"),
    ] {
      expectEqual(kebabCase(word), kebab)
    }
  }

  @Test("a change is of the kind that its attribute names")
  func changes() {
    func kind(_ name: DeviceAttribute.Name) -> EventPattern.ChangeKind { .init(.attribute(name, from: nil)) }
    expectEqual(kind(.location), .location)
    expectEqual(kind(.bootID), .bootID)
    expectEqual(kind(.configID), .configID)
    expectEqual(kind(.name), .name)
    expectEqual(kind(.services), .services)
    expectEqual(kind(.host), .host)
    expectEqual(kind(.port), .port)
    expectEqual(kind(.txt), .txt)
    expectEqual(EventPattern.ChangeKind(.address(from: .ip(IPAddress(10, 0, 0, 1)))), .address)
    expectEqual(EventPattern.ChangeKind(.united(part: "uuid:a")), .united)
    expectEqual(
      EventPattern.ChangeKind.allCases.map(\.rawValue),
      ["location", "address", "boot-id", "config-id", "united", "name", "services", "host", "port", "txt"])
  }
}
