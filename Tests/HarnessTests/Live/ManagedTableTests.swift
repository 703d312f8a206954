import RollcallExpectations
import RollcallPrimitives
import RollcallServing
import Testing

@Suite("The table of devices for an application") struct ManagedTableTests {
  private func report(_ id: String, _ event: ManagerReport.Event, named name: String?) -> ManagerReport {
    ManagerReport(
      id, event,
      ManagerReport.State(
        name: name, address: .ip(IPAddress(10, 0, 0, 9)), services: [.init(id: "DIAL", owner: "uuid:\(id)")],
        capabilities: [Capability("Launcher.App"), Capability("Launcher.AppState"), Capability("Volume.Set")],
        members: ["uuid:\(id)"]))
  }

  private func table(showsNumbers: Bool) -> ManagedTable {
    var table = ManagedTable(showsNumbers: showsNumbers)
    table.take(report("a", .found(isKnown: false), named: "Den"), at: .zero)
    table.take(report("b", .found(isKnown: false), named: "Attic\u{202E}"), at: .zero + .seconds(1))
    table.take(report("c", .found(isKnown: false), named: nil), at: .zero + .seconds(2))
    table.take(report("b", .lost, named: "Attic"), at: .zero + .seconds(3))
    return table
  }

  @Test("has a line for each device that is there, name first, or its number where one can be picked")
  func lines() {
    let plain = table(showsNumbers: false)
    expectEqual(
      plain.table(at: .zero + .seconds(10), columns: 80),
      [
        "NAME    ADDRESS    FOR   SERVICES  CAN", "Den     10.0.0.9   10 s  DIAL      Launcher, Volume",
        "uuid:c  10.0.0.9   8 s   DIAL      Launcher, Volume",
      ].map { $0.replacing("ADDRESS  ", with: "ADDRESS ").replacing("10.0.0.9  ", with: "10.0.0.9 ") })
    expectEqual(plain.presentCount, 2)
    expectEqual(plain.everCount, 3)
    let numbered = table(showsNumbers: true)
    expectEqual(
      numbered.table(at: .zero + .seconds(10), columns: 80).map { String($0.prefix(9)) },
      ["#  NAME  ", "1  Den   ", "3  uuid:c"])
    let screen = numbered.lines(at: .zero + .seconds(10), title: "eth0", rows: 24, columns: 60)
    expectEqual(
      screen.first, "eth0  10 s  2 devices, 3 ever   number and Enter picks, q and Enter ends".prefix(60).description)
    #expect(screen.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value != 0x202E } })
    expectEqual(
      plain.lines(at: .zero, title: "eth0", rows: 24, columns: 80).first, "eth0  0 s  2 devices, 3 ever   Ctrl-C ends")
  }

  @Test("a number picks the device that has it for as long as the table is shown")
  func picks() {
    var table = table(showsNumbers: true)
    func id(_ line: String) -> String? { table.pick(line) == .device ? table.picked?.id : nil }
    expectEqual(id("1"), "a")
    expectEqual(id(" 3 "), "c")
    expectEqual(table.pick("q"), .none)
    let refusal = "expected a number of the list or q, found "
    expectEqual(table.pick("2"), .refused(refusal + "'2': type the number in front of a name"))
    expectEqual(table.pick(""), .refused(refusal + "'': type the number in front of a name"))
    expectEqual(table.pick("01"), .refused(refusal + "'01': type the number in front of a name"))
    table.take(report("b", .found(isKnown: true), named: "Attic"), at: .zero + .seconds(5))
    expectEqual(id("2"), "b")
    expectEqual(table.number(of: "b"), 2)
    expectEqual(table.number(of: "d"), nil)
    var empty = ManagedTable()
    expectEqual(empty.pick("1"), .refused(refusal + "'1': there is no device yet"))
  }

  @Test("lines are sorted by name, and each device keeps its number and its choice wherever its line goes")
  func sorted() {
    var table = table(showsNumbers: true)
    func names() -> [String] {
      table.table(at: .zero + .seconds(10), columns: 80).dropFirst().map { line in
        line.split(separator: " ").prefix(2).joined(separator: " ")
      }
    }
    table.take(report("b", .found(isKnown: true), named: "attic"), at: .zero + .seconds(5))
    expectEqual(names(), ["2 attic", "1 Den", "3 uuid:c"])
    expectEqual(table.pick("1"), .device)
    table.take(report("a", .updated, named: "Aa"), at: .zero + .seconds(6))
    expectEqual(names(), ["1 Aa", "2 attic", "3 uuid:c"])
    expectEqual(table.picked?.id, "a")
    expectEqual(table.picked?.state.name, "Aa")
    expectEqual(table.pick("9") == .device, false)
    expectEqual(table.picked?.id, "a")
    table.take(report("a", .lost, named: "Aa"), at: .zero + .seconds(7))
    expectEqual(table.picked?.id, nil)
  }

  @Test("a column is as wide as what stands in it, and at most the part of the line that it may have")
  func widths() {
    let address = IPAddress(v6High: 0xFD00_1111_2222_3333, low: 0x4444_5555_6666_7777)
    let services = "aaaaaaaaaa, bbbbbbbbbb, cccccccccc"
    func found(_ id: String, name: String?, _ address: IPAddress?) -> ManagerReport {
      ManagerReport(
        id, .found(isKnown: false),
        ManagerReport.State(
          name: name, address: address.map { .ip($0) },
          services: services.split(separator: ", ").map { .init(id: String($0), owner: "uuid:\(id)") },
          capabilities: [Capability("Launcher.App"), Capability("Volume.Get"), Capability("Volume.Set")],
          members: ["TV", "radio"]))
    }
    /// Each text in a column of its width, cut to the line.
    func line(_ columns: Int, _ cells: [(text: String, width: Int)]) -> String {
      let texts = cells.map { String(($0.text + String(repeating: " ", count: $0.width)).prefix($0.width)) }
      return String(texts.joined(separator: "  ").prefix(columns))
    }
    let long = String(repeating: "n", count: 50)
    let later = Instant.zero + .seconds(123_456_789)
    var numbered = ManagedTable(showsNumbers: true)
    // 9 999 that are not there have a number all the same.
    for number in 1..<10_000 {
      let report = ManagerReport("\(number)", .capabilities(added: [], removed: []), ManagerReport.State())
      numbered.take(report, at: .zero)
    }
    numbered.take(found("long", name: long, address), at: .zero)
    expectEqual(numbered.everCount, 10_000)
    expectEqual(
      numbered.table(at: later, columns: 125),
      [
        line(125, [("#", 4), ("NAME", 41), ("ADDRESS", 31), ("FOR", 8), ("SERVICES", 31), ("CAN", 3)]),
        line(125, [("1000", 4), (long, 41), ("\(address)", 31), ("12345678", 8), (services, 31), ("Lau", 3)]),
      ])
    var plain = ManagedTable()
    plain.take(found("long", name: long, address), at: .zero)
    // Of a narrow line the name has 12 characters, the address 15, and the services 12.
    expectEqual(plain.table(at: later, columns: 30)[1], line(30, [(long, 12), ("\(address)", 15), ("", 8)]))
    var short = ManagedTable()
    short.take(found("short", name: nil, nil), at: .zero)
    expectEqual(
      short.table(at: .zero + .seconds(9), columns: 40)[1], "TV    -        9 s  aaaaaaaaaa,   Launch")
    expectEqual(
      short.table(at: .zero + .seconds(9), columns: 80)[1],
      "TV    -        9 s  aaaaaaaaaa, bbbbbbbb  Launcher, Volume")
  }
}
