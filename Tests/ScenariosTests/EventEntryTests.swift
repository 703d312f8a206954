import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// Entries that name a report: which pattern and which time each one says, and how that is written.
@Suite("Reports that an entry names") struct EventEntryTests {
  private static let tv = Who.each(["tv"])

  private func read(_ yaml: String) throws -> FormBench.Answer<Expectation> {
    try FormBench.answer(Form<Expectation>.expectation, yaml)
  }

  /// Each entry names its pattern at any time, and is written as it was read.
  private func check(_ rows: [(yaml: String, pattern: EventPattern)]) throws {
    for (yaml, pattern) in rows {
      let answer = try read(yaml)
      expectEqual(answer.said, [], "\(yaml)")
      expectEqual(answer.value?.kind, .happens(Happens(pattern)), "\(yaml)")
      expectEqual(answer.written, yaml)
    }
  }

  private func attributes(_ change: (inout AttributePattern) -> Void) -> AttributePattern {
    var pattern = AttributePattern()
    change(&pattern)
    return pattern
  }
  private func peripheral(
    _ kind: PeripheralPattern.Kind, _ change: (inout PeripheralPattern) -> Void
  ) -> EventPattern {
    var pattern = PeripheralPattern(kind, of: Self.tv)
    change(&pattern)
    return .peripheral(pattern)
  }
  private func nearby(_ kind: NearbyPattern.Kind, _ change: (inout NearbyPattern) -> Void) -> EventPattern {
    var pattern = NearbyPattern(kind, of: Self.tv)
    change(&pattern)
    return .nearby(pattern)
  }

  @Test("reports of devices, searches, descriptions and failures are named by their keys, with and without a detail")
  func devices() throws {
    let tv = Self.tv
    let port = attributes { $0.port = 80 }
    let both = attributes { ($0.name, $0.port) = ("Den", 80) }
    try check([
      ("{found: tv}", .found(tv)), ("{found: tv, has: {name: Den, port: 80}}", .found(tv, has: both)),
      ("{lost: tv}", .lost(tv)), ("{lost: any, cause: byebye}", .lost(.anyone, cause: .byebye)),
      ("{changed: each}", .changed(.everyone)), ("{changed: tv, what: boot-id}", .changed(tv, what: .bootID)),
      ("{changed: tv, has: {port: 80}}", .changed(tv, has: port)),
      ("{changed: tv, what: txt, has: {port: 80}}", .changed(tv, what: .txt, has: port)),
    ])
    try check([
      ("{service: {}}", .service(ServicePattern())), ("{service: {search: 7}}", .service(ServicePattern(search: 7))),
      ("{service: {of: tv}}", .service(ServicePattern(of: tv))),
      ("{service: {target: x:y}}", .service(ServicePattern(target: "x:y"))),
      ("{service: {search: 0, of: tv, target: x}}", .service(ServicePattern(search: 0, of: tv, target: "x"))),
      ("{search-ended: {}}", .searchEnded(SearchEndedPattern())),
      ("{search-ended: {search: 7}}", .searchEnded(SearchEndedPattern(search: 7))),
      ("{search-ended: {services: 3..}}", .searchEnded(SearchEndedPattern(services: .atLeast(3)))),
      ("{search-ended: {stopped: false}}", .searchEnded(SearchEndedPattern(wasStopped: false))),
    ])
    try check([
      ("{description: tv}", .description(DescriptionPattern(of: tv))),
      ("{description: tv, outcome: fetched}", .description(DescriptionPattern(of: tv, outcome: .fetched))),
      ("{description: tv, outcome: failed}", .description(DescriptionPattern(of: tv, outcome: .failed))),
      (
        "{description: tv, outcome: closed-early}",
        .description(DescriptionPattern(of: tv, outcome: .reason(.closedEarly)))
      ),
      ("{failed: any}", .failed(nil)), ("{failed: cannotJoin}", .failed(.cannotJoin)),
      ("{rejected: any}", .rejected(nil)), ("{rejected: badMX}", .rejected(.badMX)),
    ])
    // As JSON lines have it.
    let alias = try read("{searchEnded: {search: 7}}")
    expectEqual(alias.written, "{search-ended: {search: 7}}")
    expectEqual(alias.said, [])
  }

  @Test("each kind of report of a peripheral, a nearby peer and the manager is named by its key alone")
  func kinds() throws {
    let tv = Self.tv
    for kind in PeripheralPattern.Kind.allCases {
      try check([("{\(kind.rawValue): tv}", .peripheral(PeripheralPattern(kind, of: tv)))])
    }
    for kind in NearbyPattern.Kind.allCases {
      try check([("{\(kind.rawValue): tv}", .nearby(NearbyPattern(kind, of: tv)))])
    }
    for kind in ManagedPattern.Kind.allCases {
      try check([("{\(kind.rawValue): tv}", .managed(ManagedPattern(kind, of: tv)))])
    }
  }

  @Test("a detail of a report of a peripheral is that of its key, alone and beside another one")
  func peripherals() throws {
    let level = BluetoothUUID(short: 0x2A19)
    try check([
      ("{disconnected: tv, end: closed-by-peer}", peripheral(.disconnected) { $0.end = .closedByPeer }),
      ("{connection-failed: tv, end: radio-off}", peripheral(.connectionFailed) { $0.end = .radioOff }),
      ("{request-failed: tv, reason: too-long}", peripheral(.requestFailed) { $0.reason = .tooLong }),
      ("{value: tv, characteristic: 2A19}", peripheral(.value) { $0.characteristic = level }),
      ("{value: tv, equals: 0aff}", peripheral(.value) { $0.value = [10, 255] }),
      (
        "{value: tv, characteristic: 2A19, equals: 0aff}",
        peripheral(.value) { ($0.characteristic, $0.value) = (level, [10, 255]) }
      ),
    ])
  }

  @Test("a detail of a report of a nearby peer is that of its key, alone and beside others")
  func nearbyPeers() throws {
    try check([
      ("{peer-connected: tv, peer: b}", nearby(.connected) { $0.peer = .each(["b"]) }),
      ("{peer-lost: tv, peer: {any-of: [b, c]}}", nearby(.lost) { $0.peer = .anyOf(["b", "c"]) }),
      ("{peer-found: tv, info: room=12}", nearby(.found) { $0.info = "room=12" }),
      ("{peer-found: tv, info: \"\"}", nearby(.found) { $0.info = "" }),
      ("{peer-invited: tv, bytes: 0}", nearby(.invited) { $0.bytes = .exactly(0) }),
      ("{stream-ended: tv, ending: complete}", nearby(.streamEnded) { $0.ending = .complete }),
      (
        "{file-ended: tv, peer: any, ending: not-connected, bytes: 7}",
        nearby(.fileEnded) { ($0.peer, $0.ending, $0.bytes) = (.anyone, .notConnected, .exactly(7)) }
      ),
      ("{message: tv, number: 2..}", nearby(.message) { $0.number = .atLeast(2) }),
      ("{message: tv, total: 6..7}", nearby(.message) { $0.total = CountRange(6, 7) }),
      (
        "{message: tv, bytes: 3, number: 2, total: 6}",
        nearby(.message) { ($0.bytes, $0.number, $0.total) = (.exactly(3), .exactly(2), .exactly(6)) }
      ),
    ])
  }

  @Test("the information of a nearby peer has up to 255 bytes")
  func information() throws {
    let longest = String(repeating: "i", count: 255)
    try check([("{peer-found: tv, info: \(longest)}", nearby(.found) { $0.info = longest })])
    let shown = String(repeating: "i", count: 40) + "…"
    let answer = try read("{peer-found: tv, info: \(longest)i}")
    expectEqual(
      answer.said, ["1:24 '\(shown)' is not a pair of discovery information such as any of at most 255 bytes"])
    expectEqual(answer.value, nil)
  }

  @Test("a time is an instant, a stretch of the run or what comes after something else")
  func times() throws {
    let (one, two) = (Instant.zero + .seconds(1), Instant.zero + .seconds(2))
    let start = Interval.zero
    let (first, third) = (Interval.seconds(1), Interval.seconds(3))
    let lost = EventPattern.lost(.anyone, cause: .byebye)
    let rows: [(keys: String, when: When, written: String)] = [
      ("at: 1s", .within(one...one), "at: 1s"),
      ("within: 1s", .within(one...one), "at: 1s"),
      ("within: 1s..1s", .within(one...one), "at: 1s"),
      ("within: 1s..2s", .within(one...two), "within: 1s..2s"),
      (
        "after: {timeline: t1, within: 3s}", .after(.timeline("t1"), start...third),
        "after: {timeline: t1, within: 3s}"
      ),
      ("after: {fault: f1, within: 0s..3s}", .after(.fault("f1"), start...third), "after: {fault: f1, within: 3s}"),
      (
        "after: {mended: f1, within: 1s..3s}", .after(.mended("f1"), first...third),
        "after: {mended: f1, within: 1s..3s}"
      ),
      (
        "after: {lost: any, cause: byebye, within: 3s..3s}", .after(.event(lost), third...third),
        "after: {lost: any, cause: byebye, within: 3s..3s}"
      ),
    ]
    for (keys, when, written) in rows {
      let answer = try read("{found: tv, \(keys)}")
      expectEqual(answer.said, [], "\(keys)")
      expectEqual(answer.value?.kind, .happens(Happens(.found(Self.tv), when)), "\(keys)")
      expectEqual(answer.written, "{found: tv, \(written)}")
    }
    expectEqual(try read("{found: tv}").value?.kind, .happens(Happens(.found(Self.tv), .anyTime)))
  }

  @Test("how long after is one duration from nothing on, or two, and has a unit")
  func howLong() {
    let (three, one) = (Interval.seconds(3), Interval.seconds(1))
    let rows: [(text: String, range: ClosedRange<Interval>, written: String)] = [
      ("0s", .zero ... .zero, "0s"), ("3s", .zero...three, "3s"), ("0s..3s", .zero...three, "3s"),
      ("1s..3s", one...three, "1s..3s"), ("3s..3s", three...three, "3s..3s"), ("0s..0s", .zero ... .zero, "0s"),
    ]
    let form = Form<ClosedRange<Interval>>.upTo
    for (text, range, written) in rows {
      expectEqual(FormBench.read(form, .scalar(text)).value, range, "\(text)")
      expectEqual(form.write(range, false).text, written)
    }
    let noun = "a range of durations"
    let example = "3s or 1s..3s"
    let refused: [(text: String, said: String)] = [
      ("3", "'3' has no unit: \(noun) is written such as \(example)"),
      ("3s..1s", "'3s..1s' is not \(noun) such as \(example)"), ("x", "'x' is not \(noun) such as \(example)"),
      ("3s..", "'3s..' is not \(noun) such as \(example)"),
      ("9223372036854775808ns", "'9223372036854775808ns' is too large: \(noun) goes up to 9223372036854775807ns"),
    ]
    for (text, said) in refused { expectEqual(FormBench.read(form, .scalar(text)).said, [said]) }
  }
}
