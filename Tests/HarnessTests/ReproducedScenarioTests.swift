import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallRunning
import Testing
import RollcallWire

/// What a scenario that is made of a capture has of it: who is there, on which link, from which port, and what is
/// expected.
@Suite("Scenarios made of captures")
struct ReproducedScenarioTests {
  private typealias Said = ReproduceOracleTests.Said

  /// The lines of the scenario from a key up to the next beside it, without their margins.
  private func section(_ key: String, of outcome: Reproduce.Outcome) -> [String] {
    var (lines, isInside) = ([String](), false)
    for line in outcome.yaml.split(separator: "\n") {
      if let first = line.first, first != " ", first != "#" { isInside = line.hasPrefix(key + ":") }
      if isInside { lines.append(String(line.drop { $0 == " " })) }
    }
    return lines
  }

  // MARK: Who, where, from which port

  @Test("each link is a segment with a subnet of its own, and names that two hosts would have are told apart")
  func links() throws {
    let long = String(repeating: "abcdefgh", count: 6)
    var capture = TinyCapture()
    capture.interfaces = (0..<5).map { "eth\($0)" }
    for round in [0.0, 5] {
      for link in 0..<5 {
        for (last, type) in [(20, "3D"), (21, long)] {
          let address = "192.168.\(link).\(last)"
          capture.add(
            round + Double(link) / 10 + Double(last) / 1_000, address,
            TinyCapture.alive("\(link)-\(last)", "urn:x-y:device:\(type):1", location: "http://\(address)/"),
            interface: link)
        }
      }
    }
    let outcome = try capture.reproduced(end: 9)
    #expect(outcome.isFaithful)
    expectEqual(
      section("network", of: outcome),
      [
        "network:", "segments:", "lan: {subnet: 192.0.2.0/24}", "lan-2: {subnet: 198.51.100.0/24}",
        "lan-3: {subnet: 203.0.113.0/24}", "lan-4: {subnet: 198.18.3.0/24}", "lan-5: {subnet: 198.18.4.0/24}",
      ])
    expectEqual(
      section("engine", of: outcome),
      [
        "engine:",
        "interfaces: [{segment: lan}, {segment: lan-2}, {segment: lan-3}, {segment: lan-4}, {segment: lan-5}]",
      ])
    let segments = section("inhabitants", of: outcome).filter { $0.hasPrefix("segment: ") }
    expectEqual(segments, (2...5).flatMap { ["segment: lan-\($0)", "segment: lan-\($0)"] })
    // A letter comes first, and of a long name forty characters.
    let short = String(long.prefix(40))
    expectEqual(
      outcome.reproduction.notes.map(\.name),
      ["host-3d-20", short] + (2...5).flatMap { ["host-3d-20-\($0)", "\(short)-\($0)"] })
  }

  @Test("programs that searched from one port get a port each, of those that are given to programs, from the last on")
  func ports() throws {
    var capture = TinyCapture()
    for (second, searcher) in [
      "7:40000", "8:40000", "9:40000", "7:65535", "8:65535", "8:1000", "9:1000", "8:40000",
    ].enumerated() {
      capture.add(Double(second), "192.168.1." + searcher, TinyCapture.search("upnp:rootdevice"))
    }
    let outcome = try capture.reproduced(end: 12)
    #expect(outcome.isFaithful && outcome.reproduction.losses == [])
    expectEqual(outcome.reproduction.notes.map(\.name), ["app-7", "app-8", "app-9"])
    let lines = section("inhabitants", of: outcome).filter { $0.hasPrefix("- at:") || $0.hasPrefix("source-port:") }
    expectEqual(
      lines,
      [
        "- at: [1s]", "source-port: 40000", "- at: [4s]", "source-port: 65535", "- at: [2s, 8s]",
        "source-port: 49152", "- at: [5s]", "source-port: 49153", "- at: [6s]", "source-port: 1000", "- at: [3s]",
        "source-port: 49154", "- at: [7s]", "source-port: 49155",
      ])
  }

  @Test("what went to another group or to all is told with where it goes instead, which is of its own family")
  func groups() throws {
    var capture = TinyCapture()
    for round in [0.0, 5] {
      for (number, (source, group)) in [
        ("192.168.1.20", "239.1.1.1:1900"), ("192.168.1.21", "255.255.255.255:1900"),
        ("192.168.1.22", "192.168.1.255:1900"), ("[fe80::23]:1900", "[ff05::c]:1900"),
        ("[fe80::24]:1900", "[ff02::c]:1900"), ("192.168.1.25", TinyCapture.group),
      ].enumerated() {
        capture.add(
          round + Double(number) / 10, source, group,
          TinyCapture.alive("\(number)", location: "http://192.168.1.2\(number)/"))
      }
    }
    let outcome = try capture.reproduced(end: 9)
    expectEqual(
      outcome.reproduction.losses,
      [
        "the group 239.1.1.1: what went there goes to 239.255.255.250",
        "broadcast: what went to 255.255.255.255 goes to the engine alone",
        "the group ff05::c: what went there goes to ff02::c",
      ])
    expectEqual(
      outcome.reproduction.notes.map(\.name),
      [
        "device-20", "device-21", "device-22", "device-v6-23", "device-v6-24", "device-25",
      ])
    let lines = section("inhabitants", of: outcome).filter { $0.hasPrefix("to:") || $0.hasPrefix("device-") }
    expectEqual(
      lines,
      [
        "device-20:", "device-21:", "to: engine:1900", "device-22:", "to: engine:1900", "device-v6-23:",
        "device-v6-24:", "device-25:",
      ])
    expectEqual(section("engine", of: outcome), ["engine: {ipv6: true}"])
  }

  @Test("a program that searches by IPv6 has a port and a group of its own, and answers go to searches of their family")
  func families() throws {
    var capture = TinyCapture()
    let six = "[fe80::20]:1900"
    capture.add(0, "192.168.1.20", TinyCapture.alive("four"))
    capture.add(1, six, "[ff02::c]:1900", TinyCapture.alive("six", location: "http://[fe80::20]/"))
    capture.add(3, "[fe80::9]:50000", "[ff02::c]:1900", TinyCapture.search("upnp:rootdevice"))
    capture.add(3.1, "192.168.1.9:50000", TinyCapture.search("upnp:rootdevice"))
    capture.add(3.5, six, "[fe80::9]:50000", TinyCapture.answer("six", location: "http://[fe80::20]/"))
    capture.add(3.6, "192.168.1.20", "192.168.1.9:50000", TinyCapture.answer("four"))
    capture.add(4, six, "[ff02::c]:1900", "odd\n")
    let outcome = try capture.reproduced(end: 9)
    #expect(outcome.isFaithful && outcome.reproduction.losses == [])
    let names = ["device-20", "device-v6-20", "app-v6-9", "app-9", "oddities", "oddities-2"]
    expectEqual(outcome.reproduction.notes.map(\.name), names)
    let keys = ["- at:", "- {at", "- {search", "to:", "source-port:", "from:", "ipv6:", "address:"]
    let lines = section("inhabitants", of: outcome).filter { line in keys.contains { line.hasPrefix($0) } }
    expectEqual(
      lines,
      [
        "- {search: 1, delays: [500ms]}", "address: 192.168.1.20", "- {search: 1, delays: [500ms]}",
        "address: fe80::20", "- at: [4s]", "to: \"[ff02::c]:1900\"", "source-port: 50000", "ipv6: true",
        "- at: [4.1s]", "source-port: 50001", "- at: 1s", "to: 239.255.255.250", "from: 192.168.1.20",
        #"- {at: 5s, text: "odd\r\n", to: ff02::c, from: fe80::20}"#, "- at: 2s", "to: ff02::c", "from: fe80::20",
        "ipv6: true",
      ])
  }

  @Test("seen by a host, what that host announced itself is left out and told; its searches are the engine's")
  func ownWords() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive("a"))
    capture.add(1, "192.168.1.9", TinyCapture.alive("own", location: "http://192.168.1.9/"))
    capture.add(2, "192.168.1.9:50000", TinyCapture.search("ssdp:all"))
    capture.add(2.5, "192.168.1.20", "192.168.1.9:50000", TinyCapture.answer("a"))
    capture.add(2.6, "192.168.1.30:50000", TinyCapture.search("ssdp:all"))
    capture.add(3, "192.168.1.9", TinyCapture.byebye("own"))
    let outcome = try capture.reproduced(end: 6, as: .host("192.168.1.9"))
    let loss = "what 192.168.1.9 announced itself: the engine stands in its place and does not hear itself"
    #expect(outcome.isFaithful && outcome.reproduction.losses == [loss])
    expectEqual(outcome.reproduction.notes.map(\.name), ["device-20", "app-9", "searcher-30", "oddities"])
    let everybody = try capture.reproduced(end: 6)
    #expect(everybody.isFaithful && everybody.reproduction.losses == [])
    expectEqual(everybody.reproduction.notes.map(\.name), ["device-20", "app-9", "app-30", "oddities"])
  }

  // MARK: Expectations

  @Test("where the engine has nothing to say, its silence is expected, and may be")
  func silence() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.byebye("a"))
    capture.add(1, "192.168.1.20", "hello\n")
    let outcome = try capture.reproduced(end: 3)
    #expect(outcome.isFaithful && outcome.reports == [])
    expectEqual(
      section("expect", of: outcome),
      [
        "expect:", "- {never: {found: any}}", "- {never: {lost: any}}", "- {never: {changed: any}}",
        "- {present: {at: 4s, count: 0}}",
      ])
    expectEqual(section("vacuous-ok", of: outcome), ["vacuous-ok: [e1, e2, e3]"])
    capture.add(2, "192.168.1.9:50000", TinyCapture.search("x"))
    let ended = try capture.reproduced(end: 4)
    #expect(ended.isFaithful && section("vacuous-ok", of: ended) == [])
  }

  @Test("a report is expected 20 ms about its time, up to the end; two of a kind at once are one, long names a count")
  func windows() throws {
    var capture = TinyCapture()
    func lives(_ seconds: Double, _ last: Int, _ uuid: String, _ path: String = "") {
      let address = "192.168.1.\(last)"
      capture.add(seconds, address, TinyCapture.alive(uuid, location: "http://\(address)/\(path)"))
    }
    // With `uuid:` in front a name of 200 bytes, and one of 201.
    let (name, long) = (String(repeating: "a", count: 195), String(repeating: "a", count: 196))
    lives(0, 21, name)
    lives(1, 22, long)
    for path in ["x", "y", "z"] { lives(2, 23, "b", path) }
    capture.add(3, "192.168.1.9:50000", TinyCapture.search("upnp:rootdevice"))
    capture.add(
      3.2, "192.168.1.23", "192.168.1.9:50000", TinyCapture.answer("b", location: "http://192.168.1.23/z"))
    capture.add(4.5, "192.168.1.23", TinyCapture.byebye("b"))
    let outcome = try capture.reproduced(end: 4.505)
    #expect(outcome.isFaithful)
    expectEqual(
      section("expect", of: outcome),
      [
        "expect:", "- found: uuid:\(name)", "within: 980ms..1021ms", "- {found: uuid:b, within: 2980ms..3021ms}",
        "- {changed: uuid:b, what: location, within: 2980ms..3021ms}",
        "- {search-ended: {search: 1, services: 1}, within: 5080ms..5121ms}",
        "- {lost: uuid:b, cause: byebye, within: 5480ms..5505ms}", "- {found: any, times: 3}",
        "- {lost: any, times: 1}", "- {changed: any, times: 2}", "- {service: {}, times: 1}",
        "- {present: {at: 5505ms, count: 2}}",
      ])
  }

  @Test("at the end a device is there that was found and not lost, whatever the case of its name, and parts are none")
  func present() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive("part", "urn:x-y:service:z:1"))
    capture.add(1, "192.168.1.20", TinyCapture.alive("root"))
    capture.add(2, "192.168.1.30", TinyCapture.alive("Lamp", location: "http://192.168.1.30/"))
    capture.add(3, "192.168.1.31", TinyCapture.alive("tv", location: "http://192.168.1.31/"))
    capture.add(4, "192.168.1.30", TinyCapture.byebye("LAMP"))
    let outcome = try capture.reproduced(end: 9)
    #expect(outcome.isFaithful)
    expectEqual(
      section("expect", of: outcome).dropFirst(3),
      [
        "- {changed: uuid:root, what: united, within: 1980ms..2021ms}",
        "- {found: uuid:Lamp, within: 2980ms..3021ms}", "- {found: uuid:tv, within: 3980ms..4021ms}",
        "- {lost: uuid:Lamp, cause: byebye, within: 4980ms..5021ms}", "- {found: any, times: 4}",
        "- {lost: any, times: 1}", "- {changed: any, times: 1}", "- {present: {at: 10s, count: 2}}",
      ])
  }

  @Test("forty reports are expected one by one, and what is more is counted")
  func many() throws {
    for count in [40, 41] {
      var capture = TinyCapture()
      for number in 0..<count {
        let address = "192.168.1.\(20 + number)"
        capture.add(Double(number) / 10, address, TinyCapture.alive("d\(number)", location: "http://\(address)/"))
      }
      let outcome = try capture.reproduced(end: 9)
      #expect(outcome.isFaithful)
      let lines = section("expect", of: outcome).dropFirst()
      expectEqual(lines.count, 44)
      expectEqual(lines.dropFirst(39).first, "- {found: uuid:d39, within: 4880ms..4921ms}")
      expectEqual(
        Array(lines.suffix(4)),
        [
          "- {found: any, times: \(count)}", "- {never: {lost: any}}", "- {never: {changed: any}}",
          "- {present: {at: 10s, count: \(count)}}",
        ])
    }
  }

  // MARK: Times

  @Test("256 messages are one round and no more; half a millisecond counts as a whole one, at the end any part of one")
  func grain() throws {
    for (count, own, raw) in [(256, 256, 0), (257, 256, 1)] {
      var capture = TinyCapture()
      for number in 0..<count {
        capture.add(Double(number) / 1_000, "192.168.1.20", TinyCapture.alive("a", "t-\(number)"))
      }
      let outcome = try capture.reproduced(end: 2)
      #expect(outcome.isFaithful)
      #expect((outcome.reproduction.ownCount, outcome.reproduction.rawCount) == (own, raw))
    }
    for (gap, end, pace, duration) in [
      (50_500_000, 9_000_000_001, "51ms", "10001ms"), (50_499_999, 9_000_000_000, "50ms", "10s"),
    ] as [(Int64, Int64, String, String)] {
      let said = [0, 5_000_000_000].flatMap { (start: Int64) in
        ["x-1", "x-2"].enumerated().map { place, target in
          Said(
            at: start + Int64(place) * gap, from: "192.168.1.20",
            text: ReproduceOracleTests.text(TinyCapture.alive("a", target)))
        }
      }
      let outcome = try ReproduceOracleTests.reproduce(said, end: end)
      #expect(outcome.isFaithful && outcome.grain == .milliseconds)
      expectEqual(section("duration", of: outcome), ["duration: \(duration)"])
      expectEqual(section("inhabitants", of: outcome).filter { $0.hasPrefix("pace") }, ["pace: [0s, \(pace)]"])
    }
  }

  // MARK: Tapes

  @Test("a tape has each message with its kind, at the latest time up to its frame, and ends at the latest of all")
  func tape() throws {
    let update = TinyCapture.alive("a", more: "BOOTID.UPNP.ORG: 1\nNEXTBOOTID.UPNP.ORG: 2\n")
      .replacing("ssdp:alive", with: "ssdp:update")
    let other = TinyCapture.alive("a").replacing("ssdp:alive", with: "ssdp:propchange")
    let rows: [(second: Double, text: String, kind: SSDPKind?, heardAt: Int64)] = [
      (5, TinyCapture.alive("a"), .notifyAlive, 5), (3, update, .notifyUpdate, 5), (7, other, nil, 7),
      (6, TinyCapture.search("x"), .search, 7), (7.5, TinyCapture.answer("a", "x"), .response, 7),
      (4, "hello\n", nil, 7), (8, TinyCapture.byebye("a"), .notifyByebye, 8), (2, other, nil, 8),
    ]
    var capture = TinyCapture()
    for row in rows {
      let isAnswer = row.kind == .response
      capture.add(
        row.second, row.kind == .search ? "192.168.1.9:50000" : "192.168.1.20",
        isAnswer ? "192.168.1.9:50000" : TinyCapture.group, row.text)
    }
    let tape = try CaptureTape.read(as: .everybody) { try capture.reader() }
    expectEqual(tape.messages.map(\.kind), rows.map(\.kind))
    expectEqual(tape.messages.map { $0.time.nanoseconds / 1_000_000_000 }, rows.map { $0.heardAt + 1_000 })
    #expect(tape.messages.map(\.frame) == Array(1...8) && tape.messages.allSatisfy { !$0.isOwn })
    expectEqual(tape.messages.map { Array($0.payload) }, rows.map { TinyCapture.octets($0.text) })
    #expect(tape.start == .zero + .seconds(1_005) && tape.end == .zero + .seconds(1_008) && tape.frames == 8)
    expectEqual(tape.perspective, .everybody)
  }

  @Test("who sent a message is told by its frame where that says so, else by its address; a name stands for several")
  func own() throws {
    var writer = CaptureWriter(section: CaptureSection())
    let interface = writer.interface(name: "eth0")
    let (first, second) = (IPAddress(192, 168, 1, 9), IPAddress(192, 168, 1, 10))
    writer.names([CaptureName(address: first, name: "phone"), CaptureName(address: IPAddress(10, 0, 0, 1), name: "tv")])
    let rows: [(source: String, direction: CaptureFrame.Direction?, isOwn: Bool)] = [
      ("192.168.1.9", nil, true), ("192.168.1.10", nil, true), ("192.168.1.11", nil, false),
      ("192.168.1.9", .outbound, true), ("192.168.1.11", .outbound, true), ("192.168.1.9", .inbound, false),
      ("192.168.1.11", .inbound, false),
    ]
    for (number, row) in rows.enumerated() {
      var capture = TinyCapture()
      capture.add(0, row.source, TinyCapture.byebye("\(number)"))
      for frame in capture.pieces(mtuBytes: 1_500) {
        writer.frame(
          interface: interface, time: .zero + .seconds(Int64(number)), frame, direction: row.direction)
      }
    }
    writer.names([CaptureName(address: second, name: "phone")])
    writer.finish()
    let bytes = writer.bytes
    let tape = try CaptureTape.read(as: .host("phone")) { try TinyCapture.reader(bytes) }
    expectEqual(tape.messages.map(\.isOwn), rows.map(\.isOwn))
    expectEqual(tape.perspective, .host("\(first),\(second)"))
  }
}
