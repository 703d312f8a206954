import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// What a pattern of a report names, what it asks of a report, and which reports meet each part of that.
@Suite("Patterns of reports") struct EventMatchTests {
  private static let tv = Who.each(["tv"])
  private static let own = EventMatch.Devices.these(["uuid:none", "UUID:a"])
  private static let other = EventMatch.Devices.these(["uuid:b"])

  private static let sighting = DeviceSighting(
    device: "uuid:A", provider: .ssdp, locator: Locator(.ip(IPAddress(10, 0, 0, 1))),
    attributes: [DeviceAttribute(.name, .text("Den"))])
  private static let outcome = SearchOutcome(
    search: SearchID(7), target: "x:y",
    services: ["u", "v"].map { usn in
      ServiceSighting(search: SearchID(7), device: "uuid:A", usn: usn, target: "x:y", location: nil)
    }, wasStopped: true)
  private static let fetch = DescriptionFetch(
    device: "uuid:A", location: nil, cause: .found, interface: InterfaceID(0), duration: .zero,
    outcome: .failed(DescriptionFetch.Failure(.timedOut, "")))

  private func named(_ name: String) -> AttributePattern {
    var pattern = AttributePattern()
    pattern.name = name
    return pattern
  }

  private func check(_ report: Report, _ rows: [(match: EventMatch, isMeant: Bool)]) {
    for (place, row) in rows.enumerated() {
      expectEqual(row.match.matches(report), row.isMeant, "row \(place) of \(report.name)")
    }
  }

  @Test("a report is meant by the pattern of its own kind and by no other")
  func kinds() {
    let kinds: [EventMatch.Kind] = [
      .found, .lost(nil), .changed(nil), .service(search: nil, target: nil),
      .searchEnded(search: nil, services: nil, wasStopped: nil), .description(nil),
      .peripheral(PeripheralPattern(.connected, of: .anyone)), .nearby(NearbyPattern(.connected, of: .anyone)),
      .managed(ManagedPattern(.updated, of: .anyone)), .failed(nil), .rejected(nil),
    ]
    let reports: [Report] = [
      .found(Self.sighting), .lost(device: "uuid:A", cause: .byebye), .changed(Self.sighting, .address(from: .peer(1))),
      .service(Self.outcome.services[0]), .searchEnded(Self.outcome), .description(Self.fetch),
      .peripheral(PeripheralReport("ble:A", .connected)),
      .nearby(PeerReport("peer:A", peer: "peer:B", named: "Ben", .connected)),
      .managed(ManagerReport("1", .updated, ManagerReport.State())),
      .failed(RollcallPrimitives.Failure(reason: .cannotSend, explanation: "")),
      .rejected(Rejection(.tooShort, at: 0)),
    ]
    expectEqual(kinds.count, reports.count)
    for (place, kind) in kinds.enumerated() {
      let meant = reports.indices.filter { EventMatch(kind).matches(reports[$0]) }
      expectEqual(meant, [place])
    }
  }

  @Test("a device that is found meets a pattern that names it and whose details all hold")
  func found() {
    let (den, hall) = (named("Den"), named("Hall"))
    check(
      .found(Self.sighting),
      [
        (EventMatch(.found), true), (EventMatch(.found, Self.own), true), (EventMatch(.found, has: den), true),
        (EventMatch(.found, Self.own, has: den), true), (EventMatch(.found, Self.other), false),
        (EventMatch(.found, Self.other, has: den), false), (EventMatch(.found, has: hall), false),
        (EventMatch(.found, Self.own, has: hall), false), (EventMatch(.found, .these([])), false),
      ])
  }

  @Test("a device that is lost or has changed meets a pattern that names it and whose cause or change holds")
  func lostAndChanged() {
    check(
      .lost(device: "uuid:A", cause: .byebye),
      [
        (EventMatch(.lost(nil)), true), (EventMatch(.lost(nil), Self.own), true),
        (EventMatch(.lost(.byebye), Self.own), true), (EventMatch(.lost(.byebye)), true),
        (EventMatch(.lost(nil), Self.other), false), (EventMatch(.lost(.byebye), Self.other), false),
        (EventMatch(.lost(.expired), Self.own), false), (EventMatch(.lost(.expired)), false),
      ])
    let (den, hall) = (named("Den"), named("Hall"))
    check(
      .changed(Self.sighting, .attribute(.txt, from: nil)),
      [
        (EventMatch(.changed(nil)), true), (EventMatch(.changed(.txt)), true),
        (EventMatch(.changed(.txt), Self.own, has: den), true), (EventMatch(.changed(nil), Self.own), true),
        (EventMatch(.changed(.name)), false), (EventMatch(.changed(.name), Self.own, has: den), false),
        (EventMatch(.changed(nil), Self.other), false), (EventMatch(.changed(.txt), Self.other, has: den), false),
        (EventMatch(.changed(nil), has: hall), false), (EventMatch(.changed(.txt), Self.own, has: hall), false),
      ])
  }

  @Test("a service is heard in the search, of the device and for the target that are meant")
  func services() {
    func match(_ search: UInt32?, _ target: String?, _ devices: EventMatch.Devices = .any) -> EventMatch {
      EventMatch(.service(search: search.map { SearchID($0) }, target: target), devices)
    }
    check(
      .service(Self.outcome.services[0]),
      [
        (match(nil, nil), true), (match(7, nil), true), (match(nil, "x:y"), true), (match(7, "x:y", Self.own), true),
        (match(8, nil), false), (match(8, "x:y", Self.own), false), (match(nil, "x:Y"), false),
        (match(7, "x", Self.own), false), (match(nil, nil, Self.other), false), (match(7, "x:y", Self.other), false),
      ])
  }

  @Test("a search that ends is the one that is meant, with so many services, stopped or not")
  func searches() {
    func match(_ search: UInt32?, _ services: CountRange?, _ wasStopped: Bool?) -> EventMatch {
      EventMatch(.searchEnded(search: search.map { SearchID($0) }, services: services, wasStopped: wasStopped))
    }
    check(
      .searchEnded(Self.outcome),
      [
        (match(nil, nil, nil), true), (match(7, nil, nil), true), (match(nil, .exactly(2), nil), true),
        (match(nil, nil, true), true), (match(7, .atLeast(2), true), true), (match(8, nil, nil), false),
        (match(8, .exactly(2), true), false), (match(nil, .exactly(1), nil), false),
        (match(7, .atLeast(3), true), false), (match(nil, nil, false), false), (match(7, .exactly(2), false), false),
      ])
  }

  @Test("a peripheral and a nearby peer are those that are meant, and so is the other peer")
  func radios() {
    let connected = EventMatch.Kind.peripheral(PeripheralPattern(.connected, of: .anyone))
    check(
      .peripheral(PeripheralReport("ble:A", .connected)),
      [
        (EventMatch(connected), true), (EventMatch(connected, .these(["ble:a"])), true),
        (EventMatch(connected, .these(["ble:b"])), false),
      ])
    func match(_ devices: EventMatch.Devices, _ others: EventMatch.Devices) -> EventMatch {
      var match = EventMatch(.nearby(NearbyPattern(.lost, of: .anyone)), devices)
      match.others = others
      return match
    }
    let (a, b) = (EventMatch.Devices.these(["peer:a"]), EventMatch.Devices.these(["peer:b"]))
    check(
      .nearby(PeerReport("peer:A", peer: "peer:B", named: "Ben", .lost)),
      [
        (match(.any, .any), true), (match(a, .any), true), (match(.any, b), true), (match(a, b), true),
        (match(b, .any), false), (match(.any, a), false), (match(b, b), false), (match(a, a), false),
        (match(b, a), false),
      ])
  }

  @Test("a pattern names its devices and searches, each with the keys under which it does, its own device first")
  func names() {
    let (tv, lamp) = (Self.tv, Who.anyOf(["lamp"]))
    var nearby = NearbyPattern(.lost, of: tv)
    nearby.peer = lamp
    let devices: [(pattern: EventPattern, devices: [Who], keys: [[String]])] = [
      (.found(tv), [tv], [["found"]]), (.lost(tv), [tv], [["lost"]]), (.changed(tv), [tv], [["changed"]]),
      (.service(ServicePattern(of: tv)), [tv], [["service", "of"]]),
      (.description(DescriptionPattern(of: tv)), [tv], [["description"]]),
      (.peripheral(PeripheralPattern(.requestFailed, of: tv)), [tv], [["request-failed"]]),
      (.nearby(NearbyPattern(.lost, of: tv)), [tv], [["peer-lost"]]),
      (.nearby(nearby), [tv, lamp], [["peer-lost"], ["peer"]]),
      (.managed(ManagedPattern(.ready, of: tv)), [tv], [["device-ready"]]),
      (.searchEnded(SearchEndedPattern(search: 7)), [], []), (.failed(nil), [], []), (.rejected(nil), [], []),
    ]
    for row in devices {
      expectEqual(row.pattern.namedDevices.map { $0.who }, row.devices)
      expectEqual(row.pattern.namedDevices.map { $0.keys }, row.keys)
      expectEqual(row.pattern.who, row.devices.first)
    }
    let searches: [(pattern: EventPattern, numbers: [UInt32?], keys: [[String]])] = [
      (.service(ServicePattern(search: 7, of: tv)), [7], [["service", "search"]]),
      (.service(ServicePattern()), [nil], [["service", "search"]]),
      (.searchEnded(SearchEndedPattern(search: 8)), [8], [["search-ended", "search"]]), (.found(tv), [], []),
      (.nearby(nearby), [], []), (.failed(nil), [], []),
    ]
    for row in searches {
      expectEqual(row.pattern.namedSearches.map { $0.number }, row.numbers)
      expectEqual(row.pattern.namedSearches.map { $0.keys }, row.keys)
    }
  }

  @Test("a pattern asks of a report all that it says but the device, and of the device what it has")
  func asked() {
    let (tv, den) = (Self.tv, named("Den"))
    let (value, lost) = (PeripheralPattern(.value, of: tv), NearbyPattern(.lost, of: tv))
    let ready = ManagedPattern(.ready, of: tv)
    let ended = SearchEndedPattern(search: 7, services: .exactly(2), wasStopped: false)
    let rows: [(pattern: EventPattern, kind: EventMatch.Kind, attributes: AttributePattern?)] = [
      (.found(tv, has: den), .found, den), (.found(tv), .found, nil),
      (.lost(tv, cause: .expired), .lost(.expired), nil), (.changed(tv, what: .txt, has: den), .changed(.txt), den),
      (.changed(tv), .changed(nil), nil), (.peripheral(value), .peripheral(value), nil),
      (.nearby(lost), .nearby(lost), nil), (.managed(ready), .managed(ready), nil),
      (.service(ServicePattern(search: 7, target: "x")), .service(search: SearchID(7), target: "x"), nil),
      (.service(ServicePattern(of: tv)), .service(search: nil, target: nil), nil),
      (.searchEnded(ended), .searchEnded(search: SearchID(7), services: .exactly(2), wasStopped: false), nil),
      (.description(DescriptionPattern(of: tv, outcome: .failed)), .description(.failed), nil),
      (.failed(.store), .failed(.store), nil), (.rejected(.empty), .rejected(.empty), nil),
    ]
    for row in rows {
      expectEqual(row.pattern.kind, row.kind)
      expectEqual(row.pattern.attributes, row.attributes)
    }
  }

  @Test("how a fetch ends is said by a word: two for all reasons together, and one for each reason")
  func outcomes() {
    let words = DescriptionPattern.Outcome.all.map(\.word)
    expectEqual(Array(words.prefix(4)), ["fetched", "failed", "no-location", "bad-location"])
    expectEqual(words.count, DescriptionFetch.Reason.allCases.count + 2)
    expectEqual(Set(words).count, words.count)
  }
}
