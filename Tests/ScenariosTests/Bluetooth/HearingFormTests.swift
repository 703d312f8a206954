import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Hearings of recorded peripherals, and deeds that are done to peripherals: what is read, and what is said against it.
@Suite("Hearings of peripherals, and numbers of their deeds") struct HearingFormTests {
  private static let form: Form<RecordedPeripheral.Hearing> = .hearing

  @Test("a hearing is a time, with a channel up to 39 and a strength from -128 to 126 dBm where they are known")
  func hearings() {
    let rows: [(text: String, value: RecordedPeripheral.Hearing, written: String)] = [
      ("0s", RecordedPeripheral.Hearing(at: .zero), "0s"),
      ("1500ms", RecordedPeripheral.Hearing(at: .milliseconds(1_500)), "1.5s"),
      ("1s ch0", RecordedPeripheral.Hearing(at: .seconds(1), channel: 0), "1s ch0"),
      ("1s ch39 -58dBm", RecordedPeripheral.Hearing(at: .seconds(1), channel: 39, strength: -58), "1s ch39 -58dBm"),
      ("1s -128dBm", RecordedPeripheral.Hearing(at: .seconds(1), strength: -128), "1s -128dBm"),
      ("1s 0dBm", RecordedPeripheral.Hearing(at: .seconds(1), strength: 0), "1s 0dBm"),
      ("1s 126dBm", RecordedPeripheral.Hearing(at: .seconds(1), strength: 126), "1s 126dBm"),
    ]
    for (text, value, written) in rows {
      let found = FormBench.read(Self.form, .scalar(text))
      expectEqual(found.value, value, "\(text)")
      expectEqual(found.said, [])
      expectEqual(Self.form.write(value, false), .scalar(written))
    }
  }

  @Test("a text that is no hearing is quoted; a time without a unit or beyond the bound has a message of its own")
  func slips() {
    let example = "1.5s ch37 -58dBm, or 1.5s alone"
    let noun = "a time with channel and strength"
    expectEqual(
      FormBench.line(Self.form, "1.5"), "'1.5' has no unit: \(noun) is written such as \(example)")
    expectEqual(
      FormBench.line(Self.form, "99999999999h"),
      "'99999999999h' is too large: \(noun) goes up to 9223372036854775807ns")
    for text in [
      "", "1 ch37", "1s ch40", "1s ch037", "1s ch", "1s 127dBm", "1s 128dBm", "1s -129dBm", "1s dBm", "1s --1dBm",
      "1s 18446744073709551615dBm", "1s ch37 ch38", "1s -58dBm ch37", "1s -58dBm -58dBm", "1s  ch37", "1s ", " 1s",
      "1s x",
    ] {
      expectEqual(FormBench.line(Self.form, text), "'\(text)' is not \(noun) such as \(example)", "\(text)")
    }
  }

  @Test("a recorded peripheral has packets, each with its bytes and its hearings, and of a host its clock alone")
  func keys() {
    expectEqual(HostSection.fieldsOfRecordedPeripheral.map { $0.key.name }, ["clock-drift"])
    let form = Form<RecordedPeripheral.Plan>.record(RecordedPeripheral.Plan(), RecordedPeripheral.Plan.fields)
    expectEqual(FormBench.read(form, .mapping([])).said, ["missing key 'packets'"])
    expectEqual(
      FormBench.read(form, .mapping([("packets", .list([.mapping([])]))])).said,
      ["missing key 'pdu'", "missing key 'heard'"])
    let packet = Tree.mapping([("pdu", .scalar("42ff")), ("heard", .list([.scalar("1s"), .scalar("2s ch1")]))])
    let plan = RecordedPeripheral.Plan([
      RecordedPeripheral.Packet(
        pdu: [0x42, 0xFF],
        heard: [
          RecordedPeripheral.Hearing(at: .seconds(1)), RecordedPeripheral.Hearing(at: .seconds(2), channel: 1),
        ])
    ])
    let tree = Tree.mapping([("packets", .list([packet]))])
    expectEqual(FormBench.read(form, tree).value, plan)
    expectEqual(form.write(plan, false), tree)
    func bytes(_ count: Int) -> Tree {
      .mapping([("pdu", .scalar(String(repeating: "42", count: count))), ("heard", .list([]))])
    }
    let one: Form<RecordedPeripheral.Packet> = .recordedPacket
    expectEqual(FormBench.read(one, bytes(257)).value?.pdu.count, 257)
    expectEqual(FormBench.read(one, bytes(258)).value, nil)
  }

  @Test("something is written once to ten thousand times")
  func times() throws {
    func said(_ times: String) throws -> [String] {
      let text = "{at: 1s, write: {who: a, characteristic: 2A19, times: \(times)}}"
      return try FormBench.read(Form<TimelineEntry>.timelineEntry, text).said
    }
    try expectEqual(said("1"), [])
    try expectEqual(said("10000"), [])
    try expectEqual(said("0"), ["'0' is not a whole number from 1 to 10000 such as 3"])
    try expectEqual(said("10001"), ["'10001' is not a whole number from 1 to 10000 such as 3"])
  }

  @Test("a request that no key stands for has no key, and is not plain")
  func unsaid() {
    let requests: [CentralCommand.Request] = [
      .services([]), .read(.handle(3)), .write(.handle(3), [], withResponse: true), .notify(.handle(3), true),
      .notify(.handle(3), false),
    ]
    for request in requests {
      let deed = PeripheralDeed(who: "a", request)
      expectEqual(deed.key, "", "\(request)")
      expectEqual(deed.isPlain, false)
    }
  }
}
