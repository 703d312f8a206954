import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// Inhabitants that are no devices: payloads, rates and bounds of their keys.
@Suite("Forms of strangers") struct StrangerFormTests {
  private let form = Form<InhabitantEntry>.inhabitant
  private func entry(_ kind: InhabitantKind) -> InhabitantEntry { InhabitantEntry("", kind) }

  @Test("bytes are pairs of hexadecimal digits, small or capital")
  func bytes() throws {
    let form = Form<[UInt8]>.hex
    let all = (0...255).map { UInt8($0) }
    func pair(_ byte: UInt8) -> String {
      let digits = Array("0123456789abcdef")
      return String([digits[Int(byte / 16)], digits[Int(byte % 16)]])
    }
    let text = all.map(pair).joined()
    var reader = Reader()
    expectEqual(form.read(.scalar(text), &reader), all)
    expectEqual(form.read(.scalar(text.uppercased()), &reader), all)
    expectEqual(form.write(all, false), .scalar(text))
    expectEqual(form.read(.scalar(""), &reader), [])
    expectEqual(form.write([], false), .scalar(""))
    expectEqual(reader.complaints, [])
    for text in ["0", "000", "0/", "/0", "0:", ":0", "0@", "@0", "0G", "G0", "0`", "`0", "0g", "g0", "0 "] {
      var reader = Reader()
      expectEqual(form.read(.scalar(text), &reader), nil, "\(text)")
      expectEqual(reader.complaints.map(\.message), ["'\(text)' is not a payload such as 4d2d53"])
    }
  }

  @Test("a payload has at most 65536 bytes")
  func longPayload() {
    let form = Form<[UInt8]>.hex
    var reader = Reader()
    expectEqual(form.read(.scalar(String(repeating: "0", count: 131_072)), &reader)?.count, 65_536)
    expectEqual(reader.complaints.count, 0)
    expectEqual(form.read(.scalar(String(repeating: "0", count: 131_074)), &reader)?.count, nil)
    expectEqual(
      reader.complaints.map(\.message), ["'\(String(repeating: "0", count: 40))…' is not a payload such as 4d2d53"])
  }

  @Test("a line of a script is printed as text where it is text, and else as bytes")
  func lines() throws {
    let form = Form<ScriptSection.Line>.line
    try FormBench.means(form, "{text: a}", ScriptSection.Line(payload: [0x61]))
    try FormBench.means(form, "{text: \"\"}", ScriptSection.Line())
    try FormBench.means(form, "{hex: ff}", ScriptSection.Line(payload: [0xFF]))
    try FormBench.means(form, "{hex: c3}", ScriptSection.Line(payload: [0xC3]))
    try FormBench.reads(form, "{hex: '61'}", ScriptSection.Line(payload: [0x61]))
    try FormBench.reads(form, "{hex: ''}", ScriptSection.Line())
    try FormBench.means(
      form, "{at: 1s, text: a, to: tv:80, source-port: 4, interface: 5, ttl: 6}",
      ScriptSection.Line(
        at: .seconds(1), payload: [0x61], to: Target(.name("tv"), port: 80), sourcePort: 4, interface: 5, ttl: 6))
    try FormBench.means(
      form, "{text: a, from: 10.0.0.1}", ScriptSection.Line(payload: [0x61], from: IPAddress(10, 0, 0, 1)))
    try FormBench.reads(form, "{text: a, source-port: 1900, ttl: 2}", ScriptSection.Line(payload: [0x61]))
    try FormBench.refuses(form, "{}", ["missing one of the keys text, hex"])
    try FormBench.refuses(form, "{text: a, hex: ff}", ["'hex' cannot stand beside 'text': only one of them"])
    for (keys, range) in [("ttl: 256", "0 to 255"), ("source-port: 65536", "0 to 65535")] {
      let number = keys.split(separator: " ").last ?? ""
      try FormBench.refuses(
        form, "{text: a, \(keys)}", ["'\(number)' is not a whole number from \(range) such as 3"])
    }
  }

  @Test("a script has lines, at most 10000")
  func script() throws {
    try FormBench.refuses(form, "{kind: script}", ["missing key 'lines'"])
    try FormBench.means(form, "{kind: script, lines: []}", entry(.script(ScriptSection())))
    var reader = Reader()
    let tree = Tree.mapping([("kind", .scalar("script")), ("lines", FormBench.many(10_001, .scalar("x")))])
    expectEqual(form.read(tree, &reader), nil)
    expectEqual(reader.complaints.map(\.message), ["a list of 10001, at most 10000 are allowed"])
  }

  @Test("a rate is a number of messages a second, at most ten millions")
  func rates() throws {
    let form = Form<Int>.perSecond
    for rate in [0, 1, 10_000_000] { try FormBench.means(form, "\(rate)/s", rate) }
    try FormBench.refuses(form, "10000001/s", ["'10000001/s' is too large: a rate goes up to 10000000/s"])
    try FormBench.refuses(form, "5", ["'5' has no unit: a rate is written such as 100/s"])
    for text in ["5s", "/s", "5/m", "05/s", "5/s/s", "1.5/s", "-5/s"] {
      try FormBench.refuses(form, text, ["'\(text)' is not a rate such as 100/s"])
    }
  }

  @Test("a reflector has a hop limit of 0 to 255, and reflects what it sent itself only where that is said")
  func reflector() throws {
    func plan(_ change: (inout Reflector.Plan) -> Void) -> InhabitantEntry {
      var plan = Reflector.Plan()
      change(&plan)
      return entry(.reflector(plan))
    }
    try FormBench.means(form, "{kind: reflector}", plan { _ in })
    try FormBench.means(form, "{kind: reflector, mode: answer}", plan { $0.mode = .answer })
    try FormBench.means(form, "{kind: reflector, rate: 5/s}", plan { $0.countPerSecondMaximum = 5 })
    try FormBench.means(form, "{kind: reflector, reflects-own: true}", plan { $0.reflectsOwn = true })
    try FormBench.means(form, "{kind: reflector, ttl: 0}", plan { $0.hopLimit = 0 })
    try FormBench.means(form, "{kind: reflector, ttl: 255}", plan { $0.hopLimit = 255 })
    try FormBench.reads(form, "{kind: reflector, reflects-own: false, ttl: 2, mode: multicast}", plan { _ in })
    for ttl in [-1, 256] {
      try FormBench.refuses(
        form, "{kind: reflector, ttl: \(ttl)}", ["'\(ttl)' is not a whole number from 0 to 255 such as 3"])
    }
  }

  @Test("each key of a control point sets its own part of the plan")
  func controlPoint() throws {
    func means(_ keys: String, _ change: (inout ControlPointDecoy.Plan) -> Void) throws {
      var plan = ControlPointDecoy.Plan()
      change(&plan)
      #expect(plan != ControlPointDecoy.Plan(), "\(keys)")
      try FormBench.means(form, "{kind: control-point, \(keys)}", entry(.controlPoint(ControlPointSection(plan))))
    }
    try means("target: a") { $0.target = "a" }
    try means("mx: 0s") { $0.maximumWaitSeconds = 0 }
    try means("mx: 7s") { $0.maximumWaitSeconds = 7 }
    try means("every: 1s..2s") { $0.interval = .seconds(1) ... .seconds(2) }
    try means("copies: 1000") { $0.copies = 1_000 }
    try means("copy-spacing: 3s") { $0.copySpacing = .seconds(3) }
    try means("searches: 0") { $0.searchCountMaximum = 0 }
    try means("oddities: [noMAN]") { $0.oddities = [.noMAN] }
    try means("user-agent: a") { $0.userAgent = "a" }
    try means("source-port: 8") { $0.sourcePort = 8 }
    try means("ttl: 0") { $0.hopLimit = 0 }
    try means("ttl: 255") { $0.hopLimit = 255 }
    try FormBench.means(
      form, "{kind: control-point, host: tv}", entry(.controlPoint(ControlPointSection(host: Target(.name("tv"))))))
  }

  @Test("each key of a flooder, a forger and a responder sets its own part of the plan")
  func others() throws {
    func flooder(_ keys: String, _ change: (inout FlooderSection) -> Void) throws {
      var section = FlooderSection()
      change(&section)
      try FormBench.means(form, "{kind: flooder\(keys)}", entry(.flooder(section)))
    }
    try flooder("") { _ in }
    try flooder(", sends: response") { $0.plan.message = .response }
    try flooder(", rate: 5/s") { $0.plan.perSecond = 5 }
    try flooder(", for: 5s") { $0.plan.duration = .seconds(5) }
    try flooder(", devices: 1") { $0.plan.deviceCount = 1 }
    try flooder(", invents-addresses: true") { $0.plan.inventsAddresses = true }
    try flooder(", profile: tv") { $0.profile = .tv }
    try flooder(", to: tv") { $0.to = Target(.name("tv")) }
    func forger(_ keys: String, _ change: (inout ByebyeSpooferSection) -> Void) throws {
      var section = ByebyeSpooferSection()
      change(&section)
      try FormBench.means(form, "{kind: byebye-spoofer\(keys)}", entry(.byebyeSpoofer(section)))
    }
    try forger("") { _ in }
    try forger(", location: a") { $0.plan.message = .alive(location: "a") }
    try forger(", every: 5s") { $0.plan.interval = .seconds(5) }
    try forger(", overhears: true") { $0.plan.overhears = true }
    try forger(", delay: 5s") { $0.plan.delay = .seconds(5) ... .seconds(5) }
    try forger(", impersonates: true") { $0.plan.impersonates = true }
    try forger(", repeats-numbers: false") { $0.plan.repeatsNumbers = false }
    try forger(", victims: [a, b]") { $0.victims = ["a", "b"] }
    func responder(_ keys: String, _ change: (inout ResponderSection) -> Void) throws {
      var section = ResponderSection()
      change(&section)
      try FormBench.means(form, "{kind: responder\(keys)}", entry(.responder(section)))
    }
    try responder("") { _ in }
    try responder(", answers-searches: false") { $0.plan.answersSearches = false }
    try responder(", delay: 5s") { $0.plan.delay = .seconds(5) ... .seconds(5) }
    try responder(", answers-per-search: 5") { $0.plan.answersPerSearch = 5 }
    try responder(", target: a") { $0.plan.target = "a" }
    try responder(", quirks: [noExt]") { $0.plan.quirks = [.noExt] }
    try responder(", profile: tv") { $0.profile = .tv }
    try responder(", unsolicited: [{to: tv, target: a, every: 5s}]") {
      $0.unsolicited = [ResponderSection.Unsolicited(to: Target(.name("tv")), target: "a", every: .seconds(5))]
    }
    try FormBench.refuses(
      form, "{kind: responder, unsolicited: [{}]}", ["missing key 'to'", "missing key 'target'", "missing key 'every'"])
  }
}
