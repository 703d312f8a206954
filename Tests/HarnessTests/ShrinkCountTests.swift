import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallRunning
import RollcallScenarios
import Testing

/// What is counted in a world that gets smaller, members, names and lines that go, and what a written frame keeps.
@Suite("Counts and lines of the shrinker")
struct ShrinkCountTests {
  private static func scenario(_ body: String) throws -> Scenario {
    try Scenario(yaml: "scenario: Small\n" + body, file: "small.yaml")
  }

  /// The scenario that is left of one of twenty seconds, without its title, and the steps that kept something.
  private func shrunk(_ body: String, _ fault: EngineSwitch? = nil) throws -> (left: String, steps: [String]) {
    let options = Shrinker.Options(seed: 1, fault: fault.map { .engine($0) })
    var shrinker = try Shrinker(try Self.scenario("duration: 20s\n" + body), options: options)
    let outcome = shrinker.shrink()
    #expect(!outcome.wasCut)
    return (outcome.scenario.document.flow, outcome.passes.map { "\($0.name) \($0.tried) \($0.kept)" })
  }

  private func left(_ body: String) throws -> String { try Self.scenario(body).document.flow }

  @Test("where one member is enough one is left")
  func members() throws {
    let found = try shrunk("inhabitants: {lamp: {kind: root-device, count: 5}}\nexpect: [{never: {found: any}}]")
    try expectEqual(
      found.left, left("duration: 100ms\ninhabitants: {lamp: {kind: root-device}}\nexpect: [{never: {found: any}}]"))
  }

  @Test("with a planted fault, losses are counted anew where the faulty engine has as many as were expected")
  func losses() throws {
    let found = try shrunk(
      """
      inhabitants:
        lamp: {kind: root-device, count: 4}
        foe: {kind: byebye-spoofer, victims: [lamp-1]}
      timeline: [{at: 12s, leave: lamp-2}, {at: 13s, leave: lamp-3}, {at: 14s, leave: lamp-4}]
      expect: [{lost: any, times: 3}]
      """, .foreignByebyeAccepted)
    try expectEqual(
      found.left,
      left(
        """
        bites: engine.foreignByebyeAccepted
        duration: 12s
        inhabitants: {lamp: {kind: root-device, count: 2}, foe: {kind: byebye-spoofer, victims: [lamp-1]}}
        timeline: [{at: 12s, leave: lamp-2}]
        expect: [{lost: any, times: 1}]
        """))
  }

  /// Three lamps, and a box that announces `a`, takes it back, and announces `b`.
  private static let bounded = """
    inhabitants:
      lamp: {kind: root-device, count: 3}
      box:
        kind: script
        lines:
          - \(notify(1, "alive", "a"))
          - \(notify(9, "byebye", "a"))
          - \(notify(12, "alive", "b"))

    """

  private static func notify(_ seconds: Int, _ kind: String, _ uuid: String) -> String {
    #"{at: \#(seconds)s, text: "NOTIFY * HTTP/1.1\r\nNT: x\r\nNTS: ssdp:\#(kind)\r\nUSN: uuid:\#(uuid)::x\r\n"}"#
  }

  @Test("with a planted fault, a bound on what is kept is the most that the sound engine has in the smaller world")
  func bounds() throws {
    func left(_ bounds: String) throws -> String {
      let yaml = try shrunk(Self.bounded + "expect: [{always: \(bounds)}]", .byebyeIgnored).left
      let left = try Scenario(yaml: yaml, file: "left.yaml")
      return "\(left.inhabitants.map(\.name)) \(left.document["expect"]?.flow ?? "")"
    }
    try expectEqual(left("{devices-at-most: 4}"), #"["box"] [{always: {devices-at-most: 1}}]"#)
    try expectEqual(left("{entries-at-most: 13}"), #"["box"] [{always: {entries-at-most: 1}}]"#)
    let both = try left("{entries-at-most: 13, devices-at-most: 4}")
    expectEqual(both, #"["box"] [{always: {entries-at-most: 1, devices-at-most: 1}}]"#)
  }

  @Test("the last line of a datagram goes, though it has no end")
  func lastLine() throws {
    let found = try shrunk(
      """
      inhabitants: {box: {kind: script, lines: [{at: 1s, text: "one\\r\\ntwo\\r\\nthree"}]}}
      expect: [{never: {rejected: startLine}}]
      """)
    #expect(found.left.contains(#"lines: [{at: 1s, text: "one\r\n"}]"#), "\(found.left)")
  }

  @Test("an engine on several links is tried on one")
  func links() throws {
    let found = try shrunk(
      """
      network: {segments: {lan: {}, hall: {subnet: 192.168.2.0/24}, yard: {subnet: 192.168.3.0/24}}}
      engine: {interfaces: [{segment: lan}, {segment: yard}]}
      inhabitants: {lamp: {kind: root-device, segment: hall}}
      expect: [{found: lamp}]
      """)
    try expectEqual(
      found.left,
      left(
        """
        duration: 20s
        network: {segments: {lan: {}, hall: {}}}
        inhabitants: {lamp: {kind: root-device, segment: hall}}
        expect: [{found: lamp}]
        """))
    expectEqual(found.steps, ["inhabitants 1 0", "links 2 1", "keys 8 3", "inhabitants 1 0", "links 1 0", "keys 4 0"])
  }

  // MARK: Captures

  @Test("a frame that stays keeps its comments, its direction, its length on the wire and its interface")
  func frames() throws {
    var tiny = TinyCapture()
    tiny.interfaces = ["eth0", "eth1"]
    tiny.add(0, "192.168.1.20", TinyCapture.alive("lamp"))
    tiny.add(1, "192.168.1.21", TinyCapture.alive("tv", location: "http://192.168.1.21/"), interface: 1)
    tiny.add(2, "192.168.1.20", TinyCapture.byebye("lamp"))
    tiny.add(3, "192.168.1.22", TinyCapture.alive("hub", location: "http://192.168.1.22/"), interface: 1)
    var reader = try TinyCapture.reader(tiny.bytes)
    var writer = CaptureWriter(section: CaptureSection())
    for name in tiny.interfaces { _ = writer.interface(name: name) }
    var frame = CaptureFrame()
    while reader.next(&frame) {
      writer.frame(
        interface: frame.interface, time: frame.time, Array(frame.content), originalCount: frame.capturedCount + 4,
        direction: frame.number == 3 ? .outbound : .inbound, comments: ["number \(frame.number)"])
    }
    writer.finish()
    let bytes = writer.bytes
    for (event, expected) in [
      ("lost", ["1 4 0 inbound number 1", "2 4 0 outbound number 3"]), ("found:uuid:tv", ["1 4 1 inbound number 2"]),
    ] {
      let parts = event.split(separator: ":", maxSplits: 1).map(String.init)
      var shrinker = try CaptureShrinker(
        name: "made", options: ReplayOptions(), wanted: .event(parts[0], device: parts.count > 1 ? parts[1] : nil),
        isOver: { false }
      ) { try TinyCapture.reader(bytes) }
      let outcome = try shrinker.shrink()
      var written = try TinyCapture.reader(outcome.pcapng)
      var told: [String] = []
      while written.next(&frame) {
        let direction = frame.direction == .outbound ? "outbound" : frame.direction == .inbound ? "inbound" : "none"
        let beyond = frame.originalCount - frame.capturedCount
        told.append(
          "\(frame.number) \(beyond) \(frame.interface) \(direction) \(frame.comments.joined(separator: " "))")
      }
      expectEqual(told, expected, "\(event)")
    }
  }
}
