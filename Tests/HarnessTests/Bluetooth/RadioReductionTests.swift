import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallScenarios
import RollcallWire
import Testing

@testable import RollcallReducing

/// `diff` and `shrink` of captures and runs with Bluetooth LE.
@Suite struct RadioReductionTests {
  private static func air(_ name: String) -> TinyAir {
    var air = TinyAir()
    air.add(0, 1, nil)
    air.add(1_000, 2, "Tag", .nonconnectable, channel: 39, strength: -80)
    air.add(2_000, 1, name, .scanResponse, channel: 38, strength: -61)
    air.add(3_000, 1, nil)
    return air
  }

  private static func side(_ path: String, _ air: TinyAir, switches: [String] = []) throws -> DiffSide {
    let settings = switches.isEmpty ? [] : ["switches=" + switches.joined(separator: ",")]
    return try DiffInput(path: path, settings: settings).captureSide { try air.reader() }
  }

  @Test func `of two captures the packet is named that made the first report that differs`() throws {
    let diff = ReportDiff(try Self.side("a.pcapng", Self.air("Lamp")), try Self.side("b.pcapng", Self.air("Lantern")))
    expectEqual(
      DiffText.lines(diff, width: 110),
      [
        "A  a.pcapng: 3 reports", "B  b.pcapng: 3 reports", "", "They differ from report 3 on:",
        "  +0.000 frame 1 found ble:c0:ff:ee:00:00:01/random      +0.000 frame 1 found ble:c0:ff:ee:00:00:01/random",
        "  +1.000 frame 2 found ble:c0:ff:ee:00:00:02/random      +1.000 frame 2 found ble:c0:ff:ee:00:00:02/random",
        "  name Tag                                               name Tag",
        "  +2.000 frame 3 changed ble:c0:ff:ee:00:00:01/random  <", "  name no from name Lamp",
        "                                                       > +2.000 frame 3 changed ble:c0:ff:ee:00:00:01/random",
        "                                                         name no from name Lantern",
        "0 changed (|), 1 only in A (<), 1 only in B (>)", "", "The packet that made the difference:",
        "  frame 3, 1002.000000000 SCAN_RSP c0:ff:ee:00:00:01/random", "    channel: 38", "    strength: -61 dBm",
        "    name: Lamp", "    data: 05094c616d70",
        "  A  changed ble:c0:ff:ee:00:00:01/random name no from name Lamp",
      ])
    expectEqual(
      DiffText.json(diff).last,
      #"{"schema":"rollcall/1","kind":"diffPacket","frame":3,"time":"1002.000000000","address":"c0:ff:ee:00:00:01/random","type":"SCAN_RSP","headers":{"channel":"38","strength":"-61 dBm","name":"Lamp","data":"05094c616d70"},"madeA":["changed ble:c0:ff:ee:00:00:01/random name no from name Lamp"],"madeB":[]}"#
    )
  }

  @Test func `of one capture under two settings both sides say what they made of the packet`() throws {
    let air = Self.air("Lamp")
    let plain = try Self.side("a.pcapng", air)
    let diff = ReportDiff(plain, try Self.side("a.pcapng", air, switches: ["peripheralChangesIgnored"]))
    #expect(diff.datagram?.frame == 3 && diff.datagram?.advertiser == TinyAir.address(1))
    expectEqual(diff.madeA, ["changed ble:c0:ff:ee:00:00:01/random name no from name Lamp"])
    expectEqual(diff.madeB, ["no report"])
    expectEqual(ReportDiff(plain, plain).datagram, nil)
  }

  @Test
  func `a capture and the run of its own scenario differ in nothing but the start, a run and another in a packet`()
    throws
  {
    let options = Reproduce.Options(keepsIdentities: true, title: "air", source: "air", findsBite: false)
    let lamp = try Reproduce.reproduce(options) { try Self.air("Lamp").reader() }
    let lantern = try Reproduce.reproduce(options) { try Self.air("Lantern").reader() }
    var untimed = ReportDiff.Options()
    untimed.comparesTimes = false
    let run = try DiffInput(path: "lamp.yaml").scenarioSide(lamp.reproduction.scenario)
    #expect(ReportDiff(try Self.side("a.pcapng", Self.air("Lamp")), run, options: untimed).isEqual)
    let other = ReportDiff(
      run, try DiffInput(path: "lantern.yaml").scenarioSide(lantern.reproduction.scenario), options: untimed)
    expectEqual(other.first, 2)
    expectEqual(
      other.datagram,
      DiffDatagram(
        frame: nil, time: .zero + .seconds(3), source: nil, destination: nil, type: "SCAN_RSP",
        fields: [
          DiffField(name: "channel", value: "38"), DiffField(name: "strength", value: "-61 dBm"),
          DiffField(name: "name", value: "Lamp"), DiffField(name: "data", value: "05094c616d70"),
        ], advertiser: TinyAir.address(1)))
    #expect(other.madeA == ["caused the report"] && other.madeB == ["caused no report"])
    let mixed = ReportDiff(try Self.side("b.pcapng", Self.air("Lantern")), run, options: untimed)
    #expect(mixed.datagram?.noun == "packet" && mixed.datagram?.frame == 3)
  }

  @Test func `of two packets in one frame each report has that of its own peripheral behind it`() throws {
    let heard: [(number: UInt64, name: String)] = [(1, "Lamp"), (2, "Tag")]
    var event: [UInt8] = [4, 0x3E, 0, 2, 2]
    for one in heard {
      let pdu = TinyAir.pdu(one.number, one.name)
      event += [0, 1]
      event += pdu[2..<8]
      event.append(UInt8(pdu.count - 8))
      event += pdu[8...]
      event.append(0xCE)
    }
    event[2] = UInt8(event.count - 3)
    var writer = CaptureWriter(section: CaptureSection())
    _ = writer.interface(name: "radio", linkType: 187)
    writer.frame(interface: 0, time: .zero + .seconds(1_000), event)
    let bytes = writer.bytes
    let side = try DiffInput(path: "two.pcapng").captureSide {
      guard let reader = CaptureBytes.reader(bytes) else { throw CaptureTape.Problem.noMessages }
      return reader
    }
    let addresses: [RadioAddress?] = [TinyAir.address(1), TinyAir.address(2)]
    expectEqual(side.reports.map(\.device), addresses.map { $0?.deviceName })
    expectEqual(side.causes().map { $0?.advertiser }, addresses)
  }

  // MARK: Shrinking

  private static func shrink(
    _ air: TinyAir, _ file: TinyAir.File, _ wanted: CaptureShrinker.Wanted, until: Interval? = nil
  ) throws -> CaptureShrinker.Outcome {
    var shrinker = try CaptureShrinker(
      name: "air", options: ReplayOptions(until: until), wanted: wanted, isOver: { false }
    ) { try air.reader(file) }
    return try shrinker.shrink()
  }

  @Test(arguments: TinyAir.File.allCases)
  func `the fewest frames of a file of each kind keep the report`(_ file: TinyAir.File) throws {
    let outcome = try Self.shrink(Self.air("Lamp"), file, .event("changed", device: nil))
    // The one that is known before it changes, and the one that changes it.
    #expect(outcome.frames == [1, 3] && outcome.total == 4)
    let again = try CaptureShrinker(
      name: "again", options: ReplayOptions(), wanted: .event("changed", device: nil), isOver: { false }
    ) {
      guard let reader = CaptureBytes.reader(outcome.pcapng) else { throw CaptureTape.Problem.noMessages }
      return reader
    }.shrunk()
    #expect(again.frames == [1, 2] && again.report == outcome.report)
  }

  @Test func `a peripheral is named with the kind of its name or without, and no other is kept`() throws {
    for name in ["ble:c0:ff:ee:00:00:02/random", "c0:ff:ee:00:00:02", "BLE:C0:FF:EE:00:00:02"] {
      try expectEqual(Self.shrink(Self.air("Lamp"), .radioHeader, .event("found", device: name)).frames, [2], "\(name)")
    }
    let lost = try Self.shrink(
      Self.air("Lamp"), .radioHeader, .event("lost", device: "ble:c0:ff:ee:00:00:02"), until: .seconds(60))
    #expect(lost.frames.contains(2) && lost.frames.count <= 2)
    #expect(throws: CaptureShrinker.Problem.noSuchReport("found:uuid:c0")) {
      try Self.shrink(Self.air("Lamp"), .radioHeader, .event("found", device: "uuid:c0"))
    }
  }
}

extension CaptureShrinker {
  fileprivate func shrunk() throws -> Outcome {
    var copy = self
    return try copy.shrink()
  }
}
