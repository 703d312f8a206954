import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallTrace
import Testing

@testable import RollcallDiscovery
@testable import RollcallServing

/// What a live discovery shows while it goes on, and what stands behind it.
@Suite("Tables of a live run at their bounds") struct LiveTableTests {
  private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  private func sighting(_ device: String, _ address: IPAddress = IPAddress(10, 0, 0, 9)) -> DeviceSighting {
    DeviceSighting(
      device: device, location: "http://\(address)/d", source: address, interface: InterfaceID(0), bootID: nil)
  }

  /// Without the blanks between columns.
  private func words(_ line: String) -> String { line.split(separator: " ").joined(separator: " ") }

  // MARK: - Devices

  @Test("what turned out to be a part of another device has no line of its own any more")
  func united() {
    var table = DeviceTable()
    table.take(.found(sighting("uuid:p")), at: at(1))
    table.take(.found(sighting("uuid:r")), at: at(2))
    table.take(.changed(sighting("uuid:r", IPAddress(10, 0, 0, 7)), .united(part: "uuid:p")), at: at(3))
    let lines = table.lines(at: at(9), title: "eth0", rows: 30, columns: 200)
    expectEqual(lines[0], "eth0  9 s  1 present, 2 ever   Ctrl-C ends")
    expectEqual(words(lines[3]), "uuid:r 10.0.0.7 0 7 s http://10.0.0.7/d")
    expectEqual(lines[4], "")
    // One that has no line changes none.
    table.take(.changed(sighting("uuid:x"), .address(from: .ip(IPAddress(10, 0, 0, 7)))), at: at(4))
    table.take(.lost(device: "uuid:r", cause: .expired), at: at(5))
    expectEqual(
      table.lines(at: at(9), title: "eth0", rows: 30, columns: 200)[0], "eth0  9 s  0 present, 2 ever   Ctrl-C ends")
    // Answers are counted by device, and neither they nor what is refused stand among the latest reports.
    table = DeviceTable(interfaces: ["wlan0"])
    table.take(.found(sighting("uuid:a")), at: at(1))
    table.take(.found(sighting("uuid:b")), at: at(2))
    for (device, name) in [("uuid:a", "1"), ("uuid:a", "2"), ("uuid:b", "3"), ("uuid:x", "4")] {
      let service = ServiceSighting(search: SearchID(1), device: device, usn: name, target: "t", location: nil)
      table.take(.service(service), at: at(3))
    }
    table.take(.rejected(Rejection(.empty, at: 0)), at: at(4))
    // Less than a whole second is none.
    let answered = table.lines(at: Instant(nanoseconds: 9_999_999_999), title: "t", rows: 30, columns: 200)
    expectEqual(
      answered.dropFirst(3).map(words),
      [
        "uuid:a 10.0.0.9 2 8 s http://10.0.0.9/d", "uuid:b 10.0.0.9 1 7 s http://10.0.0.9/d", "",
        "1.000000000 found uuid:a http://10.0.0.9/d 10.0.0.9 wlan0",
        "2.000000000 found uuid:b http://10.0.0.9/d 10.0.0.9 wlan0",
      ])
  }

  @Test("as many devices are shown as there is room for, the others counted, and the latest five reports stand below")
  func room() {
    var table = DeviceTable()
    for number in 1...3 { table.take(.found(sighting("uuid:\(number)")), at: at(Int64(number))) }
    func lines(_ rows: Int) -> [String] { table.lines(at: at(9), title: "t", rows: rows, columns: 200) }
    func more(_ rows: Int) -> [String] { lines(rows).filter { $0.hasPrefix("...") } }
    // Three lines above, an empty one and three reports below.
    expectEqual([12, 11, 10, 9, 8, 1, 0].map { lines($0).count }, [10, 10, 10, 9, 8, 1, 1])
    expectEqual(
      [12, 11, 10, 9].map { more($0) }, [[], [], ["... and 1 more"], ["... and 2 more"]])
    expectEqual(lines(10)[3...5].map { String($0.prefix(6)) }, ["uuid:1", "uuid:2", "... an"])
    for number in 4...6 { table.take(.found(sighting("uuid:\(number)")), at: at(Int64(number))) }
    expectEqual(
      lines(40).suffix(6).map { String($0.prefix(11)) },
      ["", "2.000000000", "3.000000000", "4.000000000", "5.000000000", "6.000000000"])
    let narrow = table.lines(at: at(9), title: "title", rows: 40, columns: 5)
    expectEqual(narrow[0], "title")
    expectEqual(narrow.map(\.count).max(), 5)
    // A long name moves the columns of all.
    let name = "uuid:" + String(repeating: "x", count: 20)
    table.take(.found(sighting(name)), at: at(7))
    #expect(lines(40).contains { $0.hasPrefix(name + "  10.0.0.9") })
    #expect(lines(40).contains { $0.hasPrefix("uuid:1" + String(repeating: " ", count: 21) + "10.0.0.9") })
  }

  @Test("a description is its status and size, the status that came instead, or the reason, and nothing meanwhile")
  func descriptions() {
    var table = DeviceTable(showsDescriptions: true)
    let page = DescriptionFetch.Document(status: 200, body: [1, 2, 3], contentType: nil)
    let outcomes: [DescriptionFetch.Outcome] = [
      .fetched(page), .failed(DescriptionFetch.Failure(.status, status: 404, "x")),
      .failed(DescriptionFetch.Failure(.timedOut, status: 200, "x")),
    ]
    for (number, outcome) in outcomes.enumerated() {
      table.take(.found(sighting("uuid:\(number)")), at: .zero)
      let fetch = DescriptionFetch(
        device: "uuid:\(number)", location: "http://a/", cause: .found, interface: InterfaceID(0), duration: .zero,
        outcome: outcome)
      table.take(.description(fetch), at: .zero)
    }
    table.take(.found(sighting("uuid:3")), at: .zero)
    let lines = table.lines(at: .zero, title: "t", rows: 40, columns: 200)
    expectEqual(
      lines[3...6].map(words),
      [
        "uuid:0 10.0.0.9 0 0 s 200 3 B http://10.0.0.9/d", "uuid:1 10.0.0.9 0 0 s status 404 http://10.0.0.9/d",
        "uuid:2 10.0.0.9 0 0 s timedOut http://10.0.0.9/d", "uuid:3 10.0.0.9 0 0 s http://10.0.0.9/d",
      ])
  }

  @Test("a column of devices is as wide as its widest cell, and never narrower than most need it")
  func columns() {
    let six = IPAddress(v6High: 0xFD00_1111_2222_3333, low: 0x4444_5555_6666_7777)
    func lines(of table: DeviceTable) -> [String] {
      Array(table.lines(at: at(9), title: "t", rows: 40, columns: 200).dropFirst(2).prefix { $0 != "" })
    }
    func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }
    var table = DeviceTable()
    table.take(.found(sighting("uuid:a")), at: at(1))
    expectEqual(
      lines(of: table),
      [
        "DEVICE                SOURCE           ANSWERS    FOR  LOCATION",
        "uuid:a                10.0.0.9         0        8 s     http://10.0.0.9/d",
      ])
    table = DeviceTable(showsDescriptions: true)
    table.take(.found(sighting("uuid:a")), at: at(1))
    expectEqual(
      lines(of: table),
      [
        "DEVICE                SOURCE           ANSWERS    FOR  DESCRIPTION  LOCATION",
        "uuid:a                10.0.0.9         0        8 s                  http://10.0.0.9/d",
      ])
    table.take(.found(sighting("uuid:b", six)), at: at(2))
    let fetch = DescriptionFetch(
      device: "uuid:b", location: "http://a/", cause: .found, interface: InterfaceID(0), duration: .zero,
      outcome: .failed(DescriptionFetch.Failure(.connectionRefused, "x")))
    table.take(.description(fetch), at: at(3))
    let more = "\(six)".count - "10.0.0.9".count
    #expect(more > 7)
    expectEqual(
      lines(of: table),
      [
        "DEVICE" + blanks(16) + "SOURCE" + blanks(more + 2) + "  ANSWERS    FOR  DESCRIPTION        LOCATION",
        "uuid:a" + blanks(16) + "10.0.0.9" + blanks(more) + "  0        8 s" + blanks(24) + "http://10.0.0.9/d",
        "uuid:b" + blanks(16) + "\(six)  0        7 s     connectionRefused  http://\(six)/d",
      ])
  }

  // MARK: - Devices for an application

  private func report(_ number: Int, _ event: ManagerReport.Event) -> ManagerReport {
    // Sorted by name, 12 stands behind 11.
    let name = "tv-" + (number < 10 ? "0" : "") + "\(number)"
    return ManagerReport("id\(number)", event, ManagerReport.State(name: name))
  }

  private func managed(_ count: Int) -> ManagedTable {
    var table = ManagedTable(showsNumbers: true)
    for number in 1...count { table.take(report(number, .found(isKnown: false)), at: at(Int64(number))) }
    return table
  }

  @Test("two numbers are not one: a line picks a device only where all of it is its number")
  func picks() {
    var table = managed(12)
    expectEqual(table.pick("12"), .device)
    expectEqual(table.picked?.id, "id12")
    let refusal = "expected a number of the list or q, found "
    expectEqual(table.pick("1 2"), .refused(refusal + "'1 2': type the number in front of a name"))
    expectEqual(table.picked?.id, "id12")
    expectEqual(table.pick("  1  "), .device)
    expectEqual(table.picked?.id, "id1")
    for word in ["0", "13", "q q"] {
      expectEqual(table.pick(word), .refused(refusal + "'\(word)': type the number in front of a name"))
    }
    let long = String(repeating: "9", count: 21)
    expectEqual(table.pick(long), .refused(refusal + "'\(long.dropLast())': type the number in front of a name"))
    expectEqual(table.pick(" q "), .none)
    // Who is found again has the number that it had; who is new the next one.
    table.take(report(1, .lost), at: at(20))
    expectEqual(table.picked?.id, nil)
    table.take(report(13, .found(isKnown: false)), at: at(21))
    table.take(report(1, .found(isKnown: true)), at: at(22))
    expectEqual([1, 12, 13].map { table.number(of: "id\($0)") }, [1, 12, 13])
    expectEqual(table.everCount, 13)
  }

  @Test("devices up to the bound have a number; a later one has none and is in the list")
  func numbers() {
    expectEqual(ManagedTable.numbersMaximum, 1_048_576)
    var table = ManagedTable(showsNumbers: true, numbersMaximum: 2)
    for number in 1...3 { table.take(report(number, .found(isKnown: false)), at: at(Int64(number))) }
    expectEqual([1, 2, 3].map { table.number(of: "id\($0)") }, [1, 2, 0])
    expectEqual([table.presentCount, table.everCount], [3, 2])
    // A device keeps its number.
    table.take(report(1, .lost), at: at(4))
    table.take(report(4, .found(isKnown: false)), at: at(5))
    table.take(report(1, .found(isKnown: true)), at: at(6))
    expectEqual([1, 2, 3, 4].map { table.number(of: "id\($0)") }, [1, 2, 0, 0])
  }

  @Test("the table of an application is cut as that of devices is; a lost device is not brought back by an update")
  func managedRoom() {
    var table = managed(12)
    func lines(_ rows: Int) -> [String] { table.lines(at: at(20), title: "t", rows: rows, columns: 200) }
    // Three lines above, an empty one and five reports below.
    expectEqual([23, 22, 21, 12, 11, 1, 0].map { lines($0).count }, [21, 21, 21, 12, 11, 1, 1])
    expectEqual(lines(22).filter { $0.hasPrefix("...") }, [])
    expectEqual(lines(21)[14], "... and 1 more")
    // One device has a line where there is room for none.
    expectEqual(lines(10)[4], "... and 11 more")
    expectEqual(
      lines(21).suffix(5).map { String($0.prefix { $0 != " " }) },
      ["8.000000000", "9.000000000", "10.000000000", "11.000000000", "12.000000000"])
    // What a device can do is told with the update.
    table.take(report(3, .capabilities(added: [], removed: [])), at: at(13))
    #expect(lines(40).last?.hasPrefix("12.000000000") == true)
    table.take(report(3, .lost), at: at(14))
    table.take(report(3, .updated), at: at(15))
    expectEqual(table.presentCount, 11)
    expectEqual(table.table(at: at(20), columns: 200, rowsMaximum: 11).count, 12)
    expectEqual(table.table(at: at(20), columns: 200, rowsMaximum: 10).last, "... and 1 more")
    #expect(table.table(at: at(20), columns: 7).allSatisfy { $0.count <= 7 })
  }

  // MARK: - The end

  @Test("the lines of fetches have stable keys, and people's say the same")
  func lines() {
    var fetch = DescriptionFetch(
      device: "uuid:1", location: "http://10.0.0.9/a", cause: .found, interface: InterfaceID(1),
      duration: .milliseconds(12),
      redirects: ["http://10.0.0.9/b"],
      outcome: .fetched(.init(status: 200, body: Array("abc".utf8), contentType: "text/xml")))
    #expect(
      DescriptionLine.json(fetch, at: Instant(nanoseconds: 1_012_000_000), interfaces: ["eth0", "eth1"])
        == #"{"schema":"rollcall/1","kind":"description","time":"1.012000000","device":"uuid:1","#
        + #""location":"http://10.0.0.9/a","interface":"eth1","cause":"found","seconds":"0.012000000","#
        + #""redirects":["http://10.0.0.9/b"],"outcome":"fetched","status":200,"bytes":3,"#
        + #""sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","contentType":"text/xml"}"#)
    expectEqual(
      ReportText.line(.description(fetch)),
      "description uuid:1 http://10.0.0.9/a -> http://10.0.0.9/b 200 3 bytes in 12 ms")
    (fetch.location, fetch.redirects) = (nil, [])
    fetch.outcome = .failed(.init(.noLocation, "expected one"))
    expectEqual(
      DescriptionLine.json(fetch, at: Instant(nanoseconds: 1_012_000_000), interfaces: ["eth0", "eth1"]),
      #"{"schema":"rollcall/1","kind":"description","time":"1.012000000","device":"uuid:1","location":null,"#
        + #""interface":"eth1","cause":"found","seconds":"0.012000000","redirects":[],"outcome":"failed","#
        + #""status":null,"reason":"noLocation","explanation":"expected one"}"#)
    // An interface that has no name here has its number.
    #expect(
      DescriptionLine.json(fetch, at: .zero, interfaces: ["eth0"]).contains(#""location":null,"interface":1,"cause""#))
    expectEqual(
      ReportText.line(.description(fetch)), "description uuid:1 - failed noLocation after 12 ms: expected one")
  }

  @Test("a summary has each number in its place, and no word of what was not looked for")
  func summary() {
    var rejections = RejectionTally()
    for reason in [RejectionReason.badMX, .empty, .empty] { rejections.add(Rejection(reason, at: 0), at: .zero) }
    var counters = EngineCounters()
    (counters.devicesEver, counters.devicesPresent, counters.openLeases) = (3, 2, 5)
    let full = DiscoverSummary(
      interfaces: ["eth0", "wlan0"], duration: .seconds(12), heard: 9, sent: 7, dropped: 1, rejections: rejections,
      counters: counters, services: (ever: 4, present: 1), descriptions: (fetched: 2, failed: 8),
      managed: (ever: 6, present: 0))
    expectEqual(
      full.text,
      [
        "3 devices, 2 present, 5 open leases", "6 devices for an application, 0 present", "4 services, 1 present",
        "2 descriptions fetched, 8 failed", "7 datagrams sent, 9 heard on eth0, wlan0", "refused: 2 empty, 1 badMX",
        "1 datagrams came faster than they were read and were dropped",
      ])
    expectEqual(
      full.json,
      #"{"schema":"rollcall/1","kind":"summary","interfaces":["eth0","wlan0"],"seconds":"12.000000000","#
        + #""datagrams":{"heard":9,"sent":7,"dropped":1},"rejected":{"empty":2,"badMX":1},"#
        + #""devices":{"ever":3,"present":2,"openLeases":5},"services":{"ever":4,"present":1},"#
        + #""descriptions":{"fetched":2,"failed":8},"managed":{"ever":6,"present":0}}"#)
    let bare = DiscoverSummary(
      interfaces: ["eth0"], duration: .zero, heard: 0, sent: 0, dropped: 0, rejections: RejectionTally(),
      counters: EngineCounters())
    expectEqual(bare.text, ["0 devices, 0 present, 0 open leases", "0 datagrams sent, 0 heard on eth0"])
    #expect(!bare.json.contains("services") && !bare.json.contains("descriptions") && !bare.json.contains("managed"))
    #expect(full != bare)
  }
}
