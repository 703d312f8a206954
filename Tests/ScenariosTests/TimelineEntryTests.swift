import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// Entries of the timeline: which deed each one says, how it is written, and what is refused where.
@Suite("Entries of the timeline") struct TimelineEntryTests {
  private static let form = Form<TimelineEntry>.timelineEntry
  private static let one = Instant.zero + .seconds(1)

  /// Each entry says its deed at the first second, and is written as it was read, or as the third column has it.
  private func check(_ rows: [(keys: String, deed: TimelineEntry.Deed, written: String?)]) throws {
    for (keys, deed, written) in rows {
      let answer = try FormBench.answer(Self.form, "{at: 1s, \(keys)}")
      expectEqual(answer.said, [], "\(keys)")
      expectEqual(answer.value, TimelineEntry(at: Self.one, deed), "\(keys)")
      expectEqual(answer.written, "{at: 1s, \(written ?? keys)}")
    }
  }

  private func checkRefused(_ rows: [(yaml: String, said: [String])]) throws {
    for (yaml, said) in rows {
      let answer = try FormBench.answer(Self.form, yaml)
      expectEqual(answer.said, said, "\(yaml)")
      expectEqual(answer.value, nil, "\(yaml)")
    }
  }

  @Test("what the engine and its application do is said by one key, and read as that deed")
  func engine() throws {
    try check([
      ("search: {}", .search(SearchDeed()), nil), ("search: {id: 7}", .search(SearchDeed(id: 7)), nil),
      ("stop-search: 0", .stopSearch(0), nil), ("stop-search: 4294967295", .stopSearch(.max), nil),
      ("hold: tv", .hold("tv"), nil), ("release: tv", .release("tv"), nil), ("reconfirm: nas", .reconfirm("nas"), nil),
      ("stop: engine", .stopEngine, nil), ("browse: all", .browse(.everything), nil),
      ("browse: \"_ipp._tcp\"", .browse(.type("_ipp._tcp")), nil),
      ("stop-browsing: all", .stopBrowsing(.everything), nil),
      ("stop-browsing: \"_ipp._tcp\"", .stopBrowsing(.type("_ipp._tcp")), nil),
      ("manager: rescan", .manager(.rescan), nil),
      ("connect-device: tv", .device(DeviceDeed(who: "tv", .connect)), nil),
      ("connect: lamp", .peripheral(PeripheralDeed(who: "lamp", .connect)), nil),
    ])
  }

  @Test("an act that has a name alone is said by that name and the inhabitant")
  func plainActs() throws {
    let own: [Act] = [.appear, .leave, .vanish, .reboot, .update, .reconfigure]
    let peers: [Act] = PeerAct.allCases.map { Act.peer($0) }
    for act in own + peers {
      try check([("\(act.name): tv", .act(who: "tv", act), nil)])
      #expect(TimelineEntry.isPlain(act), "\(act.name)")
    }
    let others: [Act] = [
      .crash(downFor: .zero, keepsState: true), .move(interface: InterfaceID(0), to: IPAddress(10, 0, 0, 9)),
      .relocate(port: 0), .rename(to: ""), .send(script: 0),
    ]
    for act in others { #expect(!TimelineEntry.isPlain(act), "\(act.name)") }
  }

  @Test("an act with details has those of its keys, and leaves out in writing what is so by default")
  func acts() throws {
    let address = IPAddress(10, 0, 0, 9)
    let crash = Act.crash(downFor: .seconds(2), keepsState: true)
    let lost = Act.crash(downFor: .seconds(2), keepsState: false)
    let near = Act.move(interface: InterfaceID(0), to: address)
    let far = Act.move(interface: InterfaceID(15), to: address)
    try check([
      ("crash: {who: tv, down-for: 2s}", .act(who: "tv", crash), nil),
      ("crash: {who: tv, down-for: 2s, keeps-state: true}", .act(who: "tv", crash), "crash: {who: tv, down-for: 2s}"),
      ("crash: {who: tv, down-for: 2s, keeps-state: false}", .act(who: "tv", lost), nil),
      ("move: {who: tv, to: 10.0.0.9}", .act(who: "tv", near), nil),
      ("move: {who: tv, to: 10.0.0.9, interface: 0}", .act(who: "tv", near), "move: {who: tv, to: 10.0.0.9}"),
      ("move: {who: tv, to: 10.0.0.9, interface: 15}", .act(who: "tv", far), nil),
      ("relocate: {who: tv, port: 0}", .act(who: "tv", .relocate(port: 0)), nil),
      ("relocate: {who: tv, port: 65535}", .act(who: "tv", .relocate(port: 65_535)), nil),
    ])
    try check([
      ("send: {who: puppet}", .act(who: "puppet", .send(script: 0)), nil),
      ("send: {who: puppet, script: 0}", .act(who: "puppet", .send(script: 0)), "send: {who: puppet}"),
      ("send: {who: puppet, script: 1}", .act(who: "puppet", .send(script: 1)), nil),
      ("send: {who: puppet, script: 1000000}", .act(who: "puppet", .send(script: 1_000_000)), nil),
      ("walk: {who: engine, to: {}}", .walk(WalkDeed(who: "engine")), nil),
      (
        "walk: {who: tag, to: {east: 1m}, over: 2s}",
        .walk(WalkDeed(who: "tag", to: Position(x: 1_000), duration: .seconds(2))), nil
      ),
    ])
  }

  @Test("a new name has up to 63 bytes of UTF-8, and may be empty")
  func names() throws {
    let longest = String(repeating: "n", count: 63)
    let umlauts = String(repeating: "ä", count: 31)
    for name in ["", "Den", longest, umlauts + "n"] {
      let answer = try FormBench.answer(Self.form, "{at: 1s, rename: {who: tv, to: \"\(name)\"}}")
      expectEqual(answer.value, TimelineEntry(at: Self.one, .act(who: "tv", .rename(to: name))), "\(name)")
      expectEqual(answer.said, [])
    }
    for name in [longest + "n", umlauts + "nn"] {
      let said = "1:32 '\(shortened(name))' is not a name such as any of at most 63 bytes"
      try checkRefused([("{at: 1s, rename: {who: tv, to: \(name)}}", [said])])
    }
    expectEqual(
      try FormBench.answer(Self.form, "{at: 1s, rename: {who: tv, to: Den}}").written,
      "{at: 1s, rename: {who: tv, to: Den}}")
  }

  @Test("an entry has an instant and may have an id, wherever in it they stand")
  func heads() throws {
    let rows: [(yaml: String, entry: TimelineEntry, written: String)] = [
      ("{leave: tv, at: 1s}", TimelineEntry(at: Self.one, .act(who: "tv", .leave)), "{at: 1s, leave: tv}"),
      (
        "{leave: tv, id: bye, at: 1s}", TimelineEntry(id: "bye", at: Self.one, .act(who: "tv", .leave)),
        "{at: 1s, id: bye, leave: tv}"
      ),
      ("{at: 0s, stop: engine}", TimelineEntry(at: .zero, .stopEngine), "{at: 0s, stop: engine}"),
    ]
    for (yaml, entry, written) in rows {
      let answer = try FormBench.answer(Self.form, yaml)
      expectEqual(answer.said, [], "\(yaml)")
      expectEqual(answer.value, entry, "\(yaml)")
      expectEqual(answer.written, written)
    }
    try checkRefused([
      ("{leave: tv}", ["1:1 missing key 'at'"]),
      ("{at: 1, leave: tv}", ["1:6 '1' has no unit: an instant of the run is written such as 250ms or 3s"]),
      ("{at: 1s, id: 1, leave: tv}", ["1:14 '1' is not an id such as first-search"]),
    ])
  }

  @Test("the engine alone is stopped; it may be named where an inhabitant is")
  func stopped() throws {
    try checkRefused([
      ("{at: 1s, stop: tv}", ["1:16 only 'engine' can be stopped; an inhabitant can leave or vanish"]),
      ("{at: 1s, stop: 1}", ["1:16 '1' is not the name of an inhabitant such as tv"]),
      ("{at: 1s, stop: [engine]}", ["1:16 expected the name of an inhabitant such as tv, found a list"]),
      ("{at: 1s, leave: 1}", ["1:17 '1' is not the name of an inhabitant such as tv"]),
    ])
    try check([
      ("leave: engine", .act(who: "engine", .leave), nil), ("hold: engine", .hold("engine"), nil),
      ("stop: engine", .stopEngine, nil),
    ])
  }

  @Test("a number beyond its bound, a missing detail and a second deed are refused where they stand")
  func refused() throws {
    let person = "the name of an inhabitant such as tv"
    try checkRefused([
      (
        "{at: 1s, move: {who: tv, to: 10.0.0.9, interface: 16}}",
        ["1:51 '16' is not a whole number from 0 to 15 such as 3"]
      ),
      (
        "{at: 1s, move: {who: tv, to: 10.0.0.9, interface: -1}}",
        ["1:51 '-1' is not a whole number from 0 to 15 such as 3"]
      ),
      (
        "{at: 1s, send: {who: p, script: 1000001}}",
        ["1:33 '1000001' is not a whole number from 0 to 1000000 such as 3"]
      ),
      ("{at: 1s, send: {who: p, script: -1}}", ["1:33 '-1' is not a whole number from 0 to 1000000 such as 3"]),
      ("{at: 1s, crash: {}}", ["1:17 missing key 'who'", "1:17 missing key 'down-for'"]),
      ("{at: 1s, move: {}}", ["1:16 missing key 'who'", "1:16 missing key 'to'"]),
      ("{at: 1s, relocate: {}}", ["1:20 missing key 'who'", "1:20 missing key 'port'"]),
      ("{at: 1s, rename: {}}", ["1:18 missing key 'who'", "1:18 missing key 'to'"]),
      ("{at: 1s, send: {}}", ["1:16 missing key 'who'"]),
      ("{at: 1s, walk: {}}", ["1:16 missing key 'who'", "1:16 missing key 'to'"]),
      ("{at: 1s, send: {who: 1}}", ["1:22 '1' is not \(person)"]),
      ("{at: 1s, walk: {who: 1, to: {}}}", ["1:22 '1' is not the name of a host such as engine or tag"]),
    ])
  }

  @Test("an entry says one deed: each other one is refused beside the first, whatever it is")
  func choices() throws {
    let deeds = [
      "search", "stop-search", "hold", "stop", "crash", "move", "relocate", "rename", "send", "browse", "stop-browsing",
      "manager", "walk", "connect", "connect-device",
    ]
    for deed in deeds {
      let said = "1:20 '\(deed)' cannot stand beside 'leave': only one of them"
      try checkRefused([("{at: 1s, leave: a, \(deed): x}", [said])])
    }
    try checkRefused([
      ("{at: 1s, search: {}, leave: tv}", ["1:22 'leave' cannot stand beside 'search': only one of them"]),
      ("{at: 1s, stop-search: 1, leave: tv}", ["1:26 'leave' cannot stand beside 'stop-search': only one of them"]),
    ])
  }
}
