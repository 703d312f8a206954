import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// What a root device has beside its profile: each key alone, as it is printed and as it changes the description.
@Suite("Forms of root devices") struct RootDeviceFormTests {
  private let form = Form<InhabitantEntry>.inhabitant
  private static let uuid = DeviceUUID(high: 0x2FAC_1234_31F8_41B4, low: 0xA222_0800_2B34_C003)
  private static let fallback = DeviceUUID(high: 0x2FAC_1234_31F8_41B4, low: 0xA222_0800_2B34_C004)
  private static let text = "2fac1234-31f8-41b4-a222-08002b34c003"

  private var plain: DeviceDescription {
    var plain = Profile.camera.description
    plain.root.uuid = Self.fallback
    return plain
  }

  /// The key is printed as it was read, and changes the description of a camera so and not otherwise.
  private func key(
    _ keys: String, _ change: (inout RootDeviceSection) -> Void, makes: (inout DeviceDescription) -> Void
  ) throws {
    var section = RootDeviceSection(profile: .camera)
    change(&section)
    try FormBench.means(
      form, "{kind: root-device, profile: camera, \(keys)}", InhabitantEntry("", .rootDevice(section)))
    var wanted = plain
    makes(&wanted)
    #expect(wanted != plain, "\(keys)")
    expectEqual(section.description(uuid: Self.fallback), wanted, "\(keys)")
  }

  @Test("a device without keys is its profile with the UUID that it is given")
  func profile() throws {
    expectEqual(RootDeviceSection(profile: .camera).description(uuid: Self.fallback), plain)
    let camera = RootDeviceSection(profile: .camera)
    try FormBench.means(form, "{kind: root-device, profile: camera}", InhabitantEntry("", .rootDevice(camera)))
    try FormBench.means(form, "{kind: root-device}", InhabitantEntry("", .rootDevice(RootDeviceSection())))
    try FormBench.reads(
      form, "{kind: root-device, profile: basic, quirks: []}", InhabitantEntry("", .rootDevice(RootDeviceSection())))
  }

  @Test("keys of what a device says of itself set their own part of its description")
  func texts() throws {
    try key("device-type: a", { $0.deviceType = "a" }, makes: { $0.root.type = "a" })
    try key("services: [a, b]", { $0.services = ["a", "b"] }, makes: { $0.root.services = ["a", "b"] })
    try key(
      "embedded: [{type: a, services: [b], uuid: \(Self.text)}]",
      { $0.embedded = [EmbeddedSection(type: "a", services: ["b"], uuid: Self.uuid)] },
      makes: { $0.embedded = [DevicePart(type: "a", services: ["b"], uuid: Self.uuid)] })
    try key(
      "embedded: [{type: a}]", { $0.embedded = [EmbeddedSection(type: "a")] },
      makes: { $0.embedded = [DevicePart(type: "a")] })
    try key("server: a", { $0.server = "a" }, makes: { $0.server = "a" })
    try key("friendly-name: a", { $0.friendlyName = "a" }, makes: { $0.friendlyName = "a" })
    try key("manufacturer: a", { $0.manufacturer = "a" }, makes: { $0.manufacturer = "a" })
    try key("model: a", { $0.model = "a" }, makes: { $0.modelName = "a" })
    try key("apps: [a, b]", { $0.apps = ["a", "b"] }, makes: { $0.television.apps = ["a", "b"] })
    try key("pairing-key: a", { $0.pairingKey = "a" }, makes: { $0.television.pairingKey = "a" })
    try key("webos: {}", { $0.webOS = WebOSPlan() }, makes: { $0.television.webOS = WebOSPlan() })
    try key("uuid: \(Self.text)", { $0.uuid = Self.uuid }, makes: { $0.root.uuid = Self.uuid })
    try key("uuid-style: capitals", { $0.uuidStyle = .capitals }, makes: { $0.uuidStyle = .capitals })
    try key("uuid-style: serial-number", { $0.uuidStyle = .serialNumber }, makes: { $0.uuidStyle = .serialNumber })
  }

  @Test("numbers of a device set their own part of its description")
  func numbers() throws {
    try key("max-age: 7s", { $0.maxAge = 7 }, makes: { $0.maxAgeSeconds = 7 })
    try key("boot-id: 4294967295", { $0.bootID = .max }, makes: { $0.initialBootID = .max })
    try key("config-id: 4294967295", { $0.configID = .max }, makes: { $0.configID = .max })
    try key("port: 65535", { $0.port = 65_535 }, makes: { $0.port = 65_535 })
    try key("path: /p", { $0.path = "/p" }, makes: { $0.path = "/p" })
    try key("secure-port: 11", { $0.securePort = 11 }, makes: { $0.securePort = 11 })
    try key("searchport: 12", { $0.searchPort = 12 }, makes: { $0.searchPort = 12 })
    try key("notify-port: 13", { $0.notifyPort = 13 }, makes: { $0.notifySourcePort = 13 })
    try key("ttl: 0", { $0.ttl = 0 }, makes: { $0.hopLimit = 0 })
    try key("ttl: 255", { $0.ttl = 255 }, makes: { $0.hopLimit = 255 })
    try key("repeats: 100", { $0.repeats = 100 }, makes: { $0.timing.repeats = 100 })
    try key("renewal-repeats: 100", { $0.renewalRepeats = 100 }, makes: { $0.timing.renewalRepeats = 100 })
    try key("byebye-repeats: 100", { $0.byebyeRepeats = 100 }, makes: { $0.timing.byebyeRepeats = 100 })
  }

  @Test("times of a device set their own part of its description")
  func times() throws {
    let range: ClosedRange<Interval> = .seconds(77) ... .seconds(78)
    try key("start-jitter: 77s..78s", { $0.startJitter = range }, makes: { $0.timing.startJitter = range })
    try key("set-gap: 77s..78s", { $0.setGap = range }, makes: { $0.timing.setGap = range })
    try key("message-spacing: 77s..78s", { $0.messageSpacing = range }, makes: { $0.timing.messageSpacing = range })
    try key("renewal: 77s..78s", { $0.renewal = range }, makes: { $0.timing.renewalInterval = range })
  }

  @Test("keys of a webOS television are printed where they differ, and its web apps are at most 64 of 64 bytes")
  func television() throws {
    func webOS(_ yaml: String, _ change: (inout WebOSPlan) -> Void) throws {
      var plan = WebOSPlan()
      change(&plan)
      var section = RootDeviceSection()
      section.webOS = plan
      try FormBench.means(form, "{kind: root-device, webos: \(yaml)}", InhabitantEntry("", .rootDevice(section)))
    }
    try webOS("{answers: accept}") { $0.answer = .accept }
    try webOS("{answers: decline}") { $0.answer = .decline }
    try webOS("{answers-after: 2s}") { $0.answerDelay = .seconds(2) }
    try webOS("{web-apps: [a, b]}") { $0.webApps = ["a", "b"] }
    let most = String(repeating: "q", count: 64)
    try webOS("{web-apps: [\(most)]}") { $0.webApps = [most] }
    let many = Array(repeating: "a", count: 64)
    try webOS("{web-apps: [\(many.joined(separator: ", "))]}") { $0.webApps = many }
    func refuses(_ yaml: String, _ said: String...) throws {
      try FormBench.refuses(form, "{kind: root-device, webos: \(yaml)}", said)
    }
    try refuses(
      "{web-apps: [\(most)q]}",
      "'\(String(repeating: "q", count: 40))…' is not the id of a web app such as any of at most 64 bytes")
    try refuses(
      "{web-apps: [\(many.joined(separator: ", ")), a]}", "a list of 65, at most 64 are allowed")
    try refuses("{answers: x}", "unknown answer 'x'; known are accept, decline, ignore")
    try refuses("{answers-after: 5}", "'5' has no unit: a duration is written such as 250ms or 3s")
  }

  @Test("an embedded device has a type, and a UUID is one in each of its spellings")
  func parts() throws {
    let embedded = Form<EmbeddedSection>.embedded
    try FormBench.means(embedded, "{type: a}", EmbeddedSection(type: "a"))
    try FormBench.means(embedded, "{type: a, services: [b]}", EmbeddedSection(type: "a", services: ["b"]))
    try FormBench.reads(embedded, "{type: a, services: []}", EmbeddedSection(type: "a"))
    try FormBench.refuses(embedded, "{services: []}", ["missing key 'type'"])
    try FormBench.means(Form<DeviceUUID>.uuid, Self.text, Self.uuid)
    try FormBench.reads(Form<DeviceUUID>.uuid, Self.text.uppercased(), Self.uuid)
    try FormBench.refuses(
      Form<DeviceUUID>.uuid, "x", ["'x' is not a UUID such as 2fac1234-31f8-41b4-a222-08002b34c003"])
    try FormBench.means(Form<DeviceUUID.Style>.uuidStyle, "standard", .standard)
    try FormBench.refuses(
      Form<DeviceUUID.Style>.uuidStyle, "x", ["unknown style 'x'; known are standard, capitals, serial-number"])
  }

  @Test("a version of UDA is a word for the reader, and may be a number for an editor")
  func versions() throws {
    let form = Form<UDAVersion>.uda
    for version in UDAVersion.allCases { try FormBench.means(form, version.rawValue, version) }
    guard case .array(let forms)? = form.schema.json["anyOf"] else {
      Issue.record("one form only")
      return
    }
    expectEqual(forms.count, 2)
    expectEqual(forms.last?["type"], .string("number"))
  }

  @Test("keys of a search are printed where they differ")
  func search() throws {
    let form = Form<SearchDeed>.search
    try FormBench.means(form, "{}", SearchDeed())
    try FormBench.means(form, "{id: 7}", SearchDeed(id: 7))
    try FormBench.means(form, "{target: a}", SearchDeed(target: "a"))
    try FormBench.means(form, "{mx: 7s}", SearchDeed(waitSeconds: 7))
    try FormBench.means(form, "{broadcasts: 1000}", SearchDeed(broadcasts: 1_000))
    try FormBench.means(form, "{spacing: 7s}", SearchDeed(spacing: .seconds(7)))
    try FormBench.means(form, "{host: tv}", SearchDeed(host: Target(.name("tv"))))
    try FormBench.means(form, "{interface: 15}", SearchDeed(interface: 15))
    try FormBench.reads(form, "{target: \"ssdp:all\", mx: 3s, broadcasts: 3}", SearchDeed())
  }
}
