import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// What a scenario lets the application ask of the manager and of its devices, each form alone.
@Suite("Requests to the manager in YAML") struct ManagerRequestFormTests {
  @Test("a request to the manager is a word, or one key with what it asks for, and is written as it was read")
  func commands() throws {
    let form = Form<ManagerCommand>.managerCommand
    let words: [(word: String, command: ManagerCommand)] = [
      ("start", .start), ("stop", .stop), ("rescan", .rescan), ("relaunch", .relaunch), ("remove-all", .removeAll),
    ]
    for (word, command) in words {
      expectEqual(FormBench.read(form, .scalar(word)).value, command)
      expectEqual(form.write(command, false).flow, word)
    }
    let requests: [(yaml: String, command: ManagerCommand)] = [
      ("services: [dial, {id: X, filter: f}]", .register([.dial, ServiceRegistration("X", filter: "f")])),
      ("services: []", .register([])),
      ("filters: [[A.B], []]", .filter([CapabilityFilter([Capability("A.B")]), CapabilityFilter([])])),
      ("pairing-level: everywhere", .pairing(.on)),
    ]
    for (yaml, command) in requests {
      try expectEqual(FormBench.read(form, yaml).value, command, "\(yaml)")
      expectEqual(form.write(command, false).flow, "{\(yaml)}")
    }
    let twice = try FormBench.read(form, "services: [dial, dial]")
    expectEqual(twice.value, nil)
    expectEqual(twice.said, ["two services are called 'DIAL'"])
  }

  @Test("services, filters and capabilities are as many as a list may have, and no more")
  func bounds() {
    let registrations = Form<[ServiceRegistration]>.registrations
    let filters = Form<[CapabilityFilter]>.filters
    let capabilities = Form<[Capability]>.capabilities
    expectEqual(FormBench.read(registrations, FormBench.many(32, .scalar("dial"))).value?.count, 32)
    expectEqual(
      FormBench.read(registrations, FormBench.many(33, .scalar("dial"))).said, ["a list of 33, at most 32 are allowed"])
    expectEqual(FormBench.read(filters, FormBench.many(32, .list([]))).value?.count, 32)
    expectEqual(FormBench.read(filters, FormBench.many(33, .list([]))).said, ["a list of 33, at most 32 are allowed"])
    expectEqual(FormBench.read(capabilities, FormBench.many(256, .scalar("c"))).value?.count, 256)
    expectEqual(
      FormBench.read(capabilities, FormBench.many(257, .scalar("c"))).said,
      ["a list of 257, at most 256 are allowed"])
  }

  @Test("services that ask for too many types together are refused by the first that has no room")
  func types() {
    let full = (0..<4).map { number in
      ServiceRegistration(
        "S\(number)", filter: "x:f\(number)", requires: (0..<15).map { "x:r\(number)-\($0)" })
    }
    let late = [ServiceRegistration("Late", filter: "x:g"), ServiceRegistration("Later", filter: "x:h")]
    func read(_ services: [ServiceRegistration]) -> (value: ManagerCommand?, said: [String]) {
      let list = Form<[ServiceRegistration]>.registrations.write(services, false)
      return FormBench.read(Form<ManagerCommand>.managerCommand, .mapping([("services", list)]))
    }
    expectEqual(read(full).value, .register(full))
    let refused = read(full + late)
    expectEqual(refused.value, nil)
    expectEqual(
      refused.said,
      ["Late is not looked for: expected at most 64 types that services are found by or require, found more"])
    let twice = read([late[0], late[0]])
    expectEqual(twice.value, nil)
    expectEqual(twice.said, ["two services are called 'Late'"])
  }

  @Test("a service of Bluetooth is found by a UUID, and one of SSDP by any type")
  func filters() throws {
    let form = Form<ServiceRegistration>.registration
    try expectEqual(
      FormBench.read(form, "{id: X, found-by: bluetooth, filter: 180F}").value,
      ServiceRegistration("X", .bluetooth, filter: "180F"))
    try expectEqual(FormBench.read(form, "{id: X, filter: zz}").value, ServiceRegistration("X", filter: "zz"))
    expectEqual(FormBench.read(form, .scalar("roku")).value, .roku)
    expectEqual(form.write(.roku, false).scalarText, "roku")
    let refused = try FormBench.read(form, "{id: X, found-by: bluetooth, filter: zz}")
    expectEqual(refused.value, nil)
    expectEqual(refused.said, ["'zz' is no UUID of Bluetooth, such as 180F"])
  }

  @Test("a manager searches again after its time, and once where that is zero")
  func rescan() throws {
    let form = Form<ManagerConfiguration>.manager
    for (text, rescan) in [("0s", nil), ("7s", .seconds(7))] as [(String, Interval?)] {
      var wanted = ManagerConfiguration()
      wanted.setup.rescan = rescan
      try expectEqual(FormBench.read(form, "rescan: \(text)").value, wanted)
      expectEqual(form.write(wanted, false).flow, "{rescan: \(text)}")
    }
  }

  @Test("each deed of the application has one key, under which it is read and written with its device")
  func deeds() throws {
    let form = Form<TimelineEntry>.timelineEntry
    func app(_ deed: AppRequest.Deed) -> DeviceCommand { .app(AppRequest(0, deed)) }
    let latest = AppRequest.Session.latest(app: "A")
    let deeds: [(key: String, rest: String, command: DeviceCommand)] = [
      ("connect-device", "tv", .connect), ("disconnect-device", "tv", .disconnect),
      ("cancel-pairing", "tv", .cancelPairing), ("type-key", "{who: tv, key: K}", .pair(key: "K")),
      ("launch", "{who: tv, app: A, content: C}", app(.launch(app: "A", content: "C"))),
      ("launch", "{who: tv, app: A}", app(.launch(app: "A", content: nil))),
      ("launch-web-app", "{who: tv, app: A, content: C}", app(.launchWebApp(app: "A", content: "C"))),
      ("join-web-app", "{who: tv, app: A}", app(.joinWebApp(app: "A"))),
      ("ask-app", "{who: tv, app: A}", app(.state(app: "A"))), ("join-app", "{who: tv, app: A}", app(.join(latest))),
      ("close-app", "{who: tv, app: A}", app(.close(latest))),
      ("tell-web-app", "{who: tv, app: A, text: T}", app(.send(latest, .text("T")))),
      ("tell-web-app", "{who: tv, app: A, json: 7}", app(.send(latest, .json("7")))),
      ("leave-web-app", "{who: tv, app: A}", app(.leave(latest))),
    ]
    for (key, rest, command) in deeds {
      let deed = DeviceDeed(who: "tv", command)
      expectEqual(deed.key, key)
      let entry = TimelineEntry(at: .zero + .seconds(1), .device(deed))
      try expectEqual(FormBench.read(form, "at: 1s\n\(key): \(rest)\n").value, entry, "\(key)")
      expectEqual(form.write(entry, false).flow, "{at: 1s, \(key): \(rest)}")
    }
    // Names of apps and what they are to show, at their bounds.
    func said(_ app: Int, _ content: Int) -> [String] {
      let text = { (count: Int) in Tree.scalar(String(repeating: "a", count: count)) }
      let launch = Tree.mapping([("who", .scalar("tv")), ("app", text(app)), ("content", text(content))])
      return FormBench.read(form, .mapping([("at", .scalar("1s")), ("launch", launch)])).said
    }
    let shown = String(repeating: "a", count: 40) + "…"
    expectEqual(said(1_000, 8_192), [])
    expectEqual(said(1_001, 8_192), ["'\(shown)' is not the name of an app such as any of at most 1000 bytes"])
    expectEqual(said(1_000, 8_193), ["'\(shown)' is not a text such as any of at most 8192 bytes"])
  }
}
