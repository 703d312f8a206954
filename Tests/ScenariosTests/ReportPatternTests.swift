import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

/// Which reports of the manager, of nearby peers and of peripherals an expectation means: each kind, and each detail.
@Suite("Reports that an expectation means") struct ReportPatternTests {
  // MARK: The manager

  private static let session = LaunchSession(appID: "quiz", sessionID: "s", serviceID: "DIAL")
  private static let failure = ConnectionFailure(.busy, "too much")
  /// One of each kind, in the order of the kinds.
  private static let managed: [ManagerReport.Event] = [
    .found(isKnown: false), .updated, .lost, .capabilities(added: [], removed: []), .remembered, .connection(.ready),
    .connection(.disconnected(.linkLost)), .connection(.failed(failure)),
    .connection(.pairingRequired(service: "A", .pin)),
    .connection(.paired(RememberedKey(owner: "uuid:a", service: "A", key: "1"))),
    .app(AppReport(request: 1, .launched(session))), .app(AppReport(request: 1, .joined(session))),
    .app(AppReport(request: 1, .state(.hidden))), .app(AppReport(request: 1, .closed)),
    .app(AppReport(request: 1, .failed(failure))), .app(AppReport(request: 1, .sent)),
    .webApp(WebAppReport(session, .said(.text("hi")))), .app(AppReport(request: 1, .left)),
    .webApp(WebAppReport(session, .ended)),
  ]

  private static func state(_ services: [String]) -> ManagerReport.State {
    ManagerReport.State(
      name: "Den", services: services.map { ManagerReport.Service(id: $0, owner: "uuid:part") },
      capabilities: [Capability("MediaControl.Play"), Capability("VolumeControl.Set")], members: ["uuid:a", "peer:b"])
  }

  private func tells(
    _ kind: ManagedPattern.Kind, _ event: ManagerReport.Event, services: [String] = ["DLNA", "DIAL"],
    devices: EventMatch.Devices = .any, _ change: (inout ManagedPattern) -> Void = { _ in }
  ) -> Bool {
    var pattern = ManagedPattern(kind, of: .anyone)
    change(&pattern)
    let report = ManagerReport("1", event, Self.state(services))
    return EventMatch(.managed(pattern), devices).matches(.managed(report))
  }

  @Test("each kind of report of the manager is meant by its key, and by no other")
  func managerKinds() {
    let kinds = Array(ManagedPattern.Kind.allCases)
    expectEqual(kinds.count, Self.managed.count)
    for (place, kind) in kinds.enumerated() {
      let meant = Self.managed.indices.filter { tells(kind, Self.managed[$0]) }
      expectEqual(meant, [place], "\(kind.rawValue)")
    }
    #expect(!EventMatch(.managed(ManagedPattern(.found, of: .anyone))).matches(.lost(device: "uuid:a", cause: .byebye)))
  }

  @Test("services are all that there are, in any order and each as often; capabilities are some, and numbers are exact")
  func managerDetails() {
    let offers: [(offers: [String], services: [String], isMeant: Bool)] = [
      (["DIAL", "DLNA"], ["DLNA", "DIAL"], true), (["DLNA"], ["DLNA", "DIAL"], false), ([], ["DLNA"], false),
      (["DIAL", "DLNA", "X"], ["DLNA", "DIAL"], false), ([], [], true),
      // Two services of one type.
      (["DLNA"], ["DLNA", "DLNA"], false), (["DLNA", "DLNA"], ["DLNA", "DLNA"], true),
      (["DLNA", "DLNA", "DIAL"], ["DLNA", "DIAL", "DIAL"], false), (["dlna"], ["DLNA"], false),
    ]
    for row in offers {
      expectEqual(tells(.updated, .updated, services: row.services) { $0.offers = row.offers }, row.isMeant, "\(row)")
    }
    for (names, isMeant) in [
      (["MediaControl.Play"], true), (["VolumeControl.Set", "MediaControl.Play"], true), (["MediaControl.Any"], true),
      (["MediaControl.Play", "MediaControl.Stop"], false), (["Launcher.Any"], false), ([], true),
    ] as [([String], Bool)] {
      expectEqual(tells(.lost, .lost) { $0.can = names.map { Capability($0) } }, isMeant, "\(names)")
    }
    #expect(tells(.lost, .lost) { $0.called = "Den" } && !tells(.lost, .lost) { $0.called = "den" })
    for (range, isMeant) in [
      (CountRange.exactly(2), true), (.exactly(1), false), (.exactly(3), false), (.atLeast(2), true),
      (.atLeast(3), false), (CountRange(0, 1), false), (CountRange(1, 2), true),
    ] as [(CountRange, Bool)] {
      expectEqual(tells(.remembered, .remembered) { $0.parts = range }, isMeant, "\(range)")
    }
    for isKnown in [true, false] {
      let found = ManagerReport.Event.found(isKnown: isKnown)
      #expect(tells(.found, found) { $0.isAgain = isKnown } && !tells(.found, found) { $0.isAgain = !isKnown })
    }
  }

  @Test("why, how, which app and what is said have to be so where an expectation says them, each on its own")
  func managerReasons() {
    let (events, kinds) = (Self.managed, Array(ManagedPattern.Kind.allCases))
    for place in [7, 14] {
      #expect(tells(kinds[place], events[place]) { $0.why = .busy }, "\(kinds[place])")
      #expect(!tells(kinds[place], events[place]) { $0.why = .wrongKey }, "\(kinds[place])")
    }
    #expect(tells(.disconnected, events[6]) { $0.end = .linkLost })
    #expect(!tells(.disconnected, events[6]) { $0.end = .asked })
    for place in [10, 11, 16, 18] {
      #expect(tells(kinds[place], events[place]) { $0.app = "quiz" }, "\(kinds[place])")
      #expect(!tells(kinds[place], events[place]) { $0.app = "Quiz" }, "\(kinds[place])")
    }
    #expect(tells(.appState, events[12]) { $0.state = .hidden })
    #expect(!tells(.appState, events[12]) { $0.state = .running })
    for (message, isMeant) in [(WebAppMessage.text("hi"), true), (.text("hi "), false), (.json("hi"), false)] {
      expectEqual(tells(.webAppSaid, events[16]) { $0.message = message }, isMeant, "\(message)")
    }
    // The right text of another app is not meant.
    #expect(!tells(.webAppSaid, events[16]) { ($0.app, $0.message) = ("other", .text("hi")) })
  }

  @Test("a device for the application is meant by each device that it stands for and by each owner of its services")
  func managerDevices() {
    for (device, isMeant) in [
      ("uuid:A", true), ("PEER:b", true), ("uuid:PART", true), ("uuid:c", false), ("uuid:", false),
    ] as [(String, Bool)] {
      expectEqual(tells(.updated, .updated, devices: .these([device])), isMeant, "\(device)")
      expectEqual(tells(.updated, .updated, devices: .these(["uuid:none", device])), isMeant, "\(device)")
    }
    #expect(!tells(.updated, .updated, services: [], devices: .these(["uuid:part"])))
    #expect(!tells(.updated, .updated, devices: .these([])))
    // One that stands for nobody, as a store may know it, is any device and none of those that are named.
    let bare = Report.managed(ManagerReport("1", .remembered, ManagerReport.State()))
    let kind = EventMatch.Kind.managed(ManagedPattern(.remembered, of: .anyone))
    #expect(EventMatch(kind).matches(bare) && !EventMatch(kind, .these(["uuid:a"])).matches(bare))
  }

  // MARK: Nearby peers

  /// One of each kind, in the order of the kinds.
  private static let nearby: [PeerReport.Event] = [
    .found(info: ["room=12", "x=1"]), .lost, .invited(contextByteCount: 5), .invitationEnded, .connecting, .connected,
    .notConnected, .message(byteCount: 3, count: 2, total: 6, isReliable: true), .disorder(expected: 1, found: 3),
    .streamEnded(isIncoming: true, byteCount: 7, .complete), .fileEnded(isIncoming: false, byteCount: 8, .failed),
    .refused(.browse),
  ]

  private func peerTells(
    _ kind: NearbyPattern.Kind, _ event: PeerReport.Event, peer: EventMatch.Devices = .any,
    _ change: (inout NearbyPattern) -> Void = { _ in }
  ) -> Bool {
    var pattern = NearbyPattern(kind, of: .anyone)
    change(&pattern)
    var match = EventMatch(.nearby(pattern), .these(["peer:own"]))
    match.others = peer
    return match.matches(.nearby(PeerReport("peer:OWN", peer: "peer:other", named: "Ann", event)))
  }

  @Test("each kind of report of a nearby peer is meant by its key, for who was told and of whom")
  func nearbyKinds() {
    let kinds = Array(NearbyPattern.Kind.allCases)
    expectEqual(kinds.count, Self.nearby.count)
    for (place, kind) in kinds.enumerated() {
      let meant = Self.nearby.indices.filter { peerTells(kind, Self.nearby[$0]) }
      expectEqual(meant, [place], "\(kind.rawValue)")
    }
    #expect(peerTells(.lost, .lost, peer: .these(["peer:Other"])))
    #expect(!peerTells(.lost, .lost, peer: .these(["peer:own"])))
  }

  @Test("pairs, bytes, numbers and endings of a nearby peer have to be so where an expectation says them")
  func nearbyDetails() {
    let pairs: [(info: [String], wanted: String, isMeant: Bool)] = [
      (["room=12", "x=1"], "x=1", true), (["room=12", "x=1"], "x", false), (["room=12"], "", false), ([], "", true),
      ([], "x=1", false),
    ]
    for row in pairs {
      expectEqual(peerTells(.found, .found(info: row.info)) { $0.info = row.wanted }, row.isMeant, "\(row)")
    }
    // An invitation without a context has none of 0 bytes either.
    let contexts: [(count: Int?, wanted: CountRange, isMeant: Bool)] = [
      (nil, .exactly(0), false), (nil, .atLeast(0), false), (0, .exactly(0), true), (5, .exactly(5), true),
      (5, .exactly(4), false),
    ]
    for row in contexts {
      let event = PeerReport.Event.invited(contextByteCount: row.count)
      expectEqual(peerTells(.invited, event) { $0.bytes = row.wanted }, row.isMeant, "\(row)")
    }
    #expect(peerTells(.invited, .invited(contextByteCount: nil)))
    let message = Self.nearby[7]
    #expect(peerTells(.message, message) { ($0.bytes, $0.number, $0.total) = (.exactly(3), .exactly(2), .exactly(6)) })
    #expect(!peerTells(.message, message) { $0.bytes = .exactly(2) })
    #expect(!peerTells(.message, message) { $0.number = .exactly(3) })
    #expect(!peerTells(.message, message) { $0.total = .exactly(3) })
    let (stream, file) = (Self.nearby[9], Self.nearby[10])
    #expect(peerTells(.streamEnded, stream) { ($0.bytes, $0.ending) = (.exactly(7), .complete) })
    #expect(peerTells(.fileEnded, file) { ($0.bytes, $0.ending) = (.exactly(8), .failed) })
    #expect(!peerTells(.streamEnded, stream) { $0.bytes = .exactly(8) })
    #expect(!peerTells(.fileEnded, file) { $0.bytes = .exactly(7) })
    #expect(!peerTells(.streamEnded, stream) { $0.ending = .failed })
    #expect(!peerTells(.fileEnded, file) { $0.ending = .complete })
  }

  // MARK: Peripherals

  private func peripheralTells(
    _ kind: PeripheralPattern.Kind, _ event: PeripheralReport.Event,
    _ change: (inout PeripheralPattern) -> Void = { _ in }
  ) -> Bool {
    var pattern = PeripheralPattern(kind, of: .anyone)
    change(&pattern)
    return EventMatch(.peripheral(pattern), .these(["ble:a"])).matches(.peripheral(PeripheralReport("ble:A", event)))
  }

  @Test("each kind of report of a peripheral is meant by its key, and each detail has to be so where it is said")
  func peripherals() {
    let (level, other) = (BluetoothUUID(short: 0x2A19), BluetoothUUID(short: 0x2A1A))
    let events: [PeripheralReport.Event] = [
      .connected, .disconnected(.closed), .discovered(services: 1, characteristics: 1, descriptors: 1),
      .value(handle: 3, level, [1, 2], .read), .written(handle: 3), .notifying(handle: 3, true), .strength(-50),
      .connectionFailed(.refused), .services([]), .servicesChanged(1...2), .failed(GATTFailure(.read, .tooLong)),
      .readyToWrite,
    ]
    let others: [PeripheralReport.Event] = [
      .includedServices(service: 1, []), .characteristics(service: 1, []), .descriptors(characteristic: 1, []),
    ]
    let kinds = Array(PeripheralPattern.Kind.allCases)
    expectEqual(kinds.count, events.count)
    for (place, kind) in kinds.enumerated() {
      expectEqual(events.indices.filter { peripheralTells(kind, events[$0]) }, [place], "\(kind.rawValue)")
      #expect(!others.contains { peripheralTells(kind, $0) }, "\(kind.rawValue)")
    }
    #expect(peripheralTells(.disconnected, events[1]) { $0.end = .closed })
    #expect(!peripheralTells(.disconnected, events[1]) { $0.end = .timedOut })
    #expect(peripheralTells(.connectionFailed, events[7]) { $0.end = .refused })
    #expect(!peripheralTells(.connectionFailed, events[7]) { $0.end = .radioOff })
    #expect(peripheralTells(.requestFailed, events[10]) { $0.reason = .tooLong })
    #expect(!peripheralTells(.requestFailed, events[10]) { $0.reason = .timedOut })
    #expect(peripheralTells(.value, events[3]) { ($0.characteristic, $0.value) = (level, [1, 2]) })
    #expect(!peripheralTells(.value, events[3]) { $0.value = [1] })
    #expect(!peripheralTells(.value, events[3]) { $0.value = [] })
    #expect(!peripheralTells(.value, events[3]) { ($0.characteristic, $0.value) = (other, [1, 2]) })
    #expect(!peripheralTells(.value, .value(handle: 3, nil, [], .read)) { $0.characteristic = level })
    #expect(peripheralTells(.value, .value(handle: 3, nil, [], .read)) { $0.value = [] })
  }

  // MARK: Descriptions, failures, rejections and changes

  @Test("a description, a failure and a rejection are meant by their reason, and by each where none is said")
  func reasons() {
    func fetch(_ outcome: DescriptionFetch.Outcome) -> Report {
      .description(
        DescriptionFetch(
          device: "uuid:A", location: nil, cause: .found, interface: InterfaceID(0), duration: .zero, outcome: outcome))
    }
    let fetches = [
      fetch(.fetched(DescriptionFetch.Document(status: 200, body: [], contentType: nil))),
      fetch(.failed(DescriptionFetch.Failure(.timedOut, ""))), fetch(.failed(DescriptionFetch.Failure(.status, ""))),
    ]
    let outcomes: [(outcome: DescriptionPattern.Outcome?, isMeant: [Bool])] = [
      (nil, [true, true, true]), (.fetched, [true, false, false]), (.failed, [false, true, true]),
      (.reason(.timedOut), [false, true, false]), (.reason(.status), [false, false, true]),
      (.reason(.closedEarly), [false, false, false]),
    ]
    for (outcome, isMeant) in outcomes {
      let match = EventMatch(.description(outcome), .these(["uuid:a"]))
      expectEqual(fetches.map { match.matches($0) }, isMeant)
      let other = EventMatch(.description(outcome), .these(["uuid:b"]))
      #expect(!fetches.contains { other.matches($0) })
    }
    let failures: [RollcallPrimitives.Failure.Reason] = [.cannotJoin, .cannotSend, .store]
    for (place, reason) in failures.enumerated() {
      let report = Report.failed(RollcallPrimitives.Failure(reason: reason, explanation: ""))
      expectEqual(
        failures.map { EventMatch(.failed($0)).matches(report) }, failures.indices.map { $0 == place })
      #expect(EventMatch(.failed(nil)).matches(report) && !EventMatch(.rejected(nil)).matches(report))
    }
    let refusals: [RejectionReason] = [.empty, .tooShort, .tooLong]
    for (place, reason) in refusals.enumerated() {
      let report = Report.rejected(Rejection(reason, at: 0))
      expectEqual(
        refusals.map { EventMatch(.rejected($0)).matches(report) }, refusals.indices.map { $0 == place })
      #expect(EventMatch(.rejected(nil)).matches(report) && !EventMatch(.failed(nil)).matches(report))
    }
  }

  @Test("each change of a device is of the kind that expectations name it by")
  func changes() {
    let names: [DeviceAttribute.Name] = [.location, .bootID, .configID, .name, .services, .host, .port, .txt]
    var changes = names.map { Change.attribute($0, from: nil) }
    changes += [.address(from: .peer(1)), .united(part: "")]
    expectEqual(
      changes.map { EventPattern.ChangeKind($0).rawValue },
      [
        "location", "boot-id", "config-id", "name", "services", "host", "port", "txt", "address", "united",
      ])
  }

  // MARK: Words

  @Test("people read every detail of what is meant, in one order")
  func words() {
    var managed = ManagedPattern(.found, of: .anyone)
    expectEqual(EventMatch(.managed(managed)).text, "device-found")
    (managed.called, managed.offers, managed.parts, managed.isAgain) = ("Den", ["A", "B"], .exactly(2), true)
    managed.can = [Capability("C.D")]
    expectEqual(
      EventMatch(.managed(managed)).text,
      "device-found (called Den, offers A B, can C.D, 2 parts, with an id of before)")
    managed = ManagedPattern(.found, of: .anyone)
    managed.isAgain = false
    expectEqual(EventMatch(.managed(managed)).text, "device-found (with a new id)")
    var said = ManagedPattern(.webAppSaid, of: .anyone)
    (said.app, said.message) = ("quiz", .json("[1]"))
    expectEqual(EventMatch(.managed(said)).text, "web-app-said (quiz, says [1])")
    var nearby = NearbyPattern(.fileEnded, of: .anyone)
    (nearby.ending, nearby.bytes) = (.notConnected, .atLeast(3))
    expectEqual(EventMatch(.nearby(nearby)).text, "file-ended (not-connected, 3.. bytes)")
    nearby = NearbyPattern(.found, of: .anyone)
    nearby.info = ""
    expectEqual(EventMatch(.nearby(nearby)).text, "peer-found (without information)")
    var value = PeripheralPattern(.value, of: .anyone)
    (value.characteristic, value.value) = (BluetoothUUID(short: 0x2A19), [10, 255])
    expectEqual(EventMatch(.peripheral(value)).text, "value (2A19 0aff)")
    var attributes = AttributePattern()
    (attributes.name, attributes.port) = ("Den", 80)
    let table: [(match: EventMatch, text: String)] = [
      (EventMatch(.found), "found"), (EventMatch(.found, has: attributes), "found with name Den, port 80"),
      (EventMatch(.lost(nil)), "lost"), (EventMatch(.lost(.byebye)), "lost (byebye)"),
      (EventMatch(.changed(nil)), "changed"), (EventMatch(.changed(.bootID)), "changed (boot-id)"),
      (EventMatch(.changed(.txt), has: attributes), "changed (txt) with name Den, port 80"),
      (EventMatch(.service(search: nil, target: nil)), "service"),
      (EventMatch(.service(search: SearchID(7), target: "x")), "service in search 7 x"),
      (EventMatch(.searchEnded(search: nil, services: nil, wasStopped: true)), "end of search"),
      (
        EventMatch(.searchEnded(search: SearchID(3), services: .atLeast(2), wasStopped: nil)),
        "end of search 3 with 2.. services"
      ),
      (EventMatch(.description(nil)), "description"), (EventMatch(.description(.fetched)), "description (fetched)"),
      (EventMatch(.description(.failed)), "description (failed)"),
      (EventMatch(.description(.reason(.timedOut))), "description (timed-out)"),
      (EventMatch(.failed(nil)), "failed"), (EventMatch(.failed(.cannotJoin)), "failed (cannotJoin)"),
      (EventMatch(.rejected(nil)), "rejected"), (EventMatch(.rejected(.tooShort)), "rejected (tooShort)"),
    ]
    for (match, text) in table { expectEqual(match.text, text) }
  }
}
