import RollcallDevices
import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Entries of `inhabitants:`, their kinds, and whom they speak of.
@Suite("Forms of inhabitants") struct InhabitantFormTests {
  private let form = Form<InhabitantEntry>.inhabitant
  private static let kinds: [InhabitantKind] = [
    .rootDevice(RootDeviceSection()), .controlPoint(ControlPointSection()), .reflector(Reflector.Plan()),
    .flooder(FlooderSection()), .byebyeSpoofer(ByebyeSpooferSection()), .responder(ResponderSection()),
    .script(ScriptSection()), .recorded(RecordedSection()), .peripheral(PeripheralSection()),
    .hciHost(HCIHostSection()), .recordedPeripheral(RecordedPeripheral.Plan()),
    .mdnsResponder(MDNSResponderSection()), .mdnsTester(MDNSTesterSection()), .nearbyPeer(NearbyPeerPlan()),
    .phone(PhoneSection()),
  ]
  private static let names = [
    "root-device", "control-point", "reflector", "flooder", "byebye-spoofer", "responder", "script", "recorded",
    "peripheral", "hci-host", "recorded-peripheral", "mdns-responder", "mdns-tester", "nearby-peer", "phone",
  ]

  @Test("each kind has a name, by which its form is found and its entry is printed")
  func eachKind() {
    expectEqual(Self.kinds.map(\.name), Self.names)
    expectEqual(InhabitantKind.forms.map(\.name), Self.names)
    for kind in Self.kinds {
      let first = form.write(InhabitantEntry("x", kind), false).entries?.first
      expectEqual(first?.key, "kind")
      expectEqual(first?.value.text, kind.name)
    }
    expectEqual(form.write(InhabitantEntry("x", .reflector(Reflector.Plan())), false).flow, "{kind: reflector}")
    expectEqual(InhabitantKind.standard, .rootDevice(RootDeviceSection()))
  }

  @Test("for an editor the kind of an entry is a word that has to be there")
  func schema() throws {
    for (name, form) in InhabitantKind.forms {
      let json = form.schema.json
      guard case .array(let required)? = json["required"] else {
        Issue.record("\(name) needs nothing")
        continue
      }
      expectEqual(required.first, .string("kind"), "\(name)")
      expectEqual(json["properties"]?["kind"]?["const"], .string(name))
    }
  }

  @Test("some kinds are devices, some are on a LAN, and some on the air of Bluetooth")
  func places() {
    let entries = Self.kinds.map { InhabitantEntry("x", $0) }
    func names(_ isMeant: (InhabitantEntry) -> Bool) -> [String] { entries.filter(isMeant).map(\.kind.name) }
    expectEqual(
      names(\.isDevice), ["root-device", "peripheral", "hci-host", "mdns-responder", "nearby-peer"])
    expectEqual(names(\.hasRadio), ["peripheral", "hci-host", "recorded-peripheral", "phone"])
    expectEqual(
      names(\.hasInterfaces),
      [
        "root-device", "control-point", "reflector", "flooder", "byebye-spoofer", "responder", "script", "recorded",
        "mdns-responder", "mdns-tester", "nearby-peer", "phone",
      ])
  }

  @Test("only a root device has the quirks of one")
  func quirks() {
    for (kind, name) in zip(Self.kinds, Self.names) {
      var changed = kind
      let isPlanted = changed.plant(.noExt)
      expectEqual(isPlanted, name == "root-device", "\(name)")
      if !isPlanted { expectEqual(changed, kind, "\(name)") }
    }
    var device = InhabitantKind.rootDevice(RootDeviceSection(profile: .tv, quirks: [.noBlankLine]))
    let isPlanted = device.plant(.noExt)
    #expect(isPlanted)
    expectEqual(device, .rootDevice(RootDeviceSection(profile: .tv, quirks: [.noBlankLine, .noExt])))
    expectEqual(device.lanDevice, RootDeviceSection(profile: .tv, quirks: [.noBlankLine, .noExt]))
    expectEqual(InhabitantKind.script(ScriptSection()).lanDevice, nil)
  }

  @Test("one member has the name of its entry, and several have their numbers from 1")
  func members() {
    let wanted: [(count: Int, names: [String])] = [
      (-1, []), (0, []), (1, ["a"]), (2, ["a-1", "a-2"]), (3, ["a-1", "a-2", "a-3"]),
    ]
    for (count, names) in wanted { expectEqual(InhabitantEntry("a", count: count).memberNames, names) }
  }

  @Test("the kind of an entry may stand anywhere in its mapping, and has to be known")
  func kind() throws {
    let entry = InhabitantEntry("", count: 2, .reflector(Reflector.Plan()))
    try FormBench.reads(form, "{count: 2, kind: reflector}", entry)
    try FormBench.means(form, "{kind: reflector, count: 2}", entry)
    let all = Self.names.joined(separator: ", ")
    try FormBench.refuses(form, "{count: 2}", ["missing key 'kind': one of \(all)"])
    try FormBench.refuses(form, "{kind: [reflector]}", ["unknown kind ''; known are \(all)"])
    try FormBench.refuses(form, "{kind: reflektor}", ["unknown kind 'reflektor', did you mean 'reflector'?"])
    try FormBench.refuses(form, "reflector", ["expected a mapping, found 'reflector'"])
    let named = try FormBench.read(
      Form<[InhabitantEntry]>.inhabitants, "{a: {kind: reflector}, b: {kind: phone}}")
    expectEqual(
      named.value,
      [InhabitantEntry("a", .reflector(Reflector.Plan())), InhabitantEntry("b", .phone(PhoneSection()))])
  }

  @Test("an entry stands for one to 20000 members")
  func counts() throws {
    let plain = InhabitantKind.reflector(Reflector.Plan())
    try FormBench.reads(form, "{kind: reflector, count: 1}", InhabitantEntry("", plain))
    try FormBench.means(form, "{kind: reflector, count: 20000}", InhabitantEntry("", count: 20_000, plain))
    for count in [0, 20_001] {
      try FormBench.refuses(
        form, "{kind: reflector, count: \(count)}", ["'\(count)' is not a whole number from 1 to 20000 such as 3"])
    }
  }

  @Test("an inhabitant appears at an instant, in a range of instants, or never")
  func appearances() throws {
    let form = Form<Appearance>.appearance
    try FormBench.means(form, "0s", .at(.zero))
    try FormBench.means(form, "3s", .at(at(3)))
    try FormBench.means(form, "1s..3s", .within(at(1)...at(3)))
    try FormBench.means(form, "1s..1s", .within(at(1)...at(1)))
    try FormBench.means(form, "never", .never)
    let example = "such as 0s, 1s..3s or never"
    try FormBench.refuses(form, "5", ["'5' has no unit: an appearance is written \(example)"])
    for text in ["Never", "3s..1s", "1s..", "..1s", "1s..never", "-1s"] {
      try FormBench.refuses(form, text, ["'\(text)' is not an appearance \(example)"])
    }
    try FormBench.refuses(
      form, "9223372036854775808ns",
      ["'9223372036854775808ns' is too large: an appearance goes up to 9223372036854775807ns"])
    try FormBench.refuses(form, "[1s]", ["expected an appearance \(example), found a list"])
    try FormBench.means(
      self.form, "{kind: reflector, appear: never}", InhabitantEntry("", appear: .never, .reflector(Reflector.Plan())))
  }

  @Test("a target is a name or an address, each with or without a port")
  func targets() throws {
    let address = IPAddress(10, 0, 0, 1)
    let good: [(text: String, target: Target)] = [
      ("tv", Target(.name("tv"))), ("tv:0", Target(.name("tv"), port: 0)), ("tv:80", Target(.name("tv"), port: 80)),
      ("tv:65535", Target(.name("tv"), port: 65_535)), ("10.0.0.1", Target(.address(address))),
      ("10.0.0.1:80", Target(.address(address), port: 80)),
    ]
    for (text, target) in good {
      expectEqual(Target(text), target, "\(text)")
      expectEqual(target.description, text)
    }
    let link = try #require(IPAddress("fe80::20"))
    expectEqual(Target("fe80::20"), Target(.address(link)))
    expectEqual(Target(.address(link)).description, "fe80::20")
    expectEqual(Target("[fe80::20]:80"), Target(.address(link), port: 80))
    expectEqual(Target(.address(link), port: 80).description, "[fe80::20]:80")
    let bad = [
      "", ":", ":80", "tv:", "tv::80", "tv:80:", ":tv:80", "tv:1:2", "tv:65536", "tv:080", "tv:x", "2tv", "2tv:80",
      "t v", "10.0.0.1:65536",
    ]
    for text in bad { expectEqual(Target(text), nil, "\(text)") }
    expectEqual(Target(.name("tv"), port: 80).name, "tv")
    expectEqual(Target(.address(address)).name, nil)
    try FormBench.refuses(
      Form<Target>.target, "2tv", ["'2tv' is not a host such as tv, tv:1900, 192.168.1.20 or 192.168.1.20:1900"])
  }

  @Test("the names in an inhabitant's keys are listed, a forger's victims as root devices")
  func references() {
    func references(_ kind: InhabitantKind) -> [String] {
      kind.references.map { "\($0.key) \($0.name) \($0.isDevice)" }
    }
    for kind in Self.kinds { expectEqual(references(kind), [], "\(kind.name)") }
    let (a, b) = (Target(.name("a")), Target(.name("b"), port: 80))
    let address = Target(.address(IPAddress(10, 0, 0, 1)))
    expectEqual(references(.controlPoint(ControlPointSection(host: a))), ["host a false"])
    expectEqual(references(.controlPoint(ControlPointSection(host: address))), [])
    expectEqual(references(.flooder(FlooderSection(to: b))), ["to b false"])
    expectEqual(references(.flooder(FlooderSection(to: address))), [])
    expectEqual(
      references(.byebyeSpoofer(ByebyeSpooferSection(victims: ["a", "b"]))), ["victims a true", "victims b true"])
    let told = [a, address, b].map { ResponderSection.Unsolicited(to: $0, target: "x", every: .seconds(1)) }
    expectEqual(
      references(.responder(ResponderSection(unsolicited: told))), ["unsolicited a false", "unsolicited b false"])
    let lines = [ScriptSection.Line(to: a), ScriptSection.Line(), ScriptSection.Line(to: address)]
    expectEqual(references(.script(ScriptSection(lines))), ["lines a false"])
    let says = [
      RecordedSection.Utterance(to: b), RecordedSection.Utterance(), RecordedSection.Utterance(to: address),
    ]
    expectEqual(references(.recorded(RecordedSection(says: says))), ["says b false"])
  }
}
