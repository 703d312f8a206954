import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallPicturing
@testable import RollcallReducing

/// Which bars reports make, and what a report says in a few words.
@Suite("Devices by their reports") struct ReportedLivesTests {
  private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  private func sighting(_ device: String) -> DeviceSighting {
    DeviceSighting(device: device, provider: .bluetooth, locator: Locator(.peer(1)))
  }

  private func managed(_ event: ManagerReport.Event, named name: String = "TV") -> Report {
    .managed(ManagerReport("7", event, ManagerReport.State(name: name)))
  }

  private func nearby(_ event: PeerReport.Event) -> Report {
    .nearby(PeerReport("peer:a", peer: "peer:b", named: "b", event))
  }

  /// Bars of a picture of ten seconds that has a mark in each, from the first on.
  private func bars(_ lives: [DeviceLives]) -> [String] {
    var draft = PictureDraft()
    let (lane, saying) = (draft.lane("engine", .engine), draft.say("x"))
    for second in 1...10 {
      draft.mark(.report, lane: lane, at: at(Int64(second)), number: second, saying: saying)
    }
    let picture = draft.finished(verb: "", title: "", unit: .entry, origin: .zero, lives: lives)
    return picture.devices.map { device -> String in
      let spans = device.spans.map { "\($0.from)-\($0.to) \($0.state.rawValue) by \($0.first) and \($0.last)" }
      return (["\(device.name) (\(device.detail))"] + spans).joined(separator: " ")
    }
  }

  @Test("devices of an engine, of an application and nearby peers have bars, each from its report to its loss")
  func reports() {
    var cast = TraceCast([])
    cast.name("uuid:a", "tv")
    cast.name("peer:b", "Bob")
    var reported = ReportedLives(knowsTruth: false, bounds: PictureBounds())
    let reports: [Report] = [
      .found(sighting("uuid:a")), .found(sighting("uuid:b")),
      .changed(sighting("uuid:a"), .united(part: "uuid:b")),
      managed(.found(isKnown: false)), nearby(.found(info: [])), managed(.updated), nearby(.connecting),
      managed(.lost), nearby(.lost), .lost(device: "uuid:a", cause: .byebye),
    ]
    for (place, report) in reports.enumerated() {
      reported.take(report, at: at(Int64(place + 1)), mark: place, cast: cast)
    }
    expectEqual(
      bars(reported.all),
      [
        "tv (uuid:a) 1s-10s known by 0 and 9", "uuid:b () 2s-3s known by 1 and 2",
        "TV, for an application () 4s-8s known by 3 and 7", "Bob, for peer:a () 5s-9s known by 4 and 8",
      ])
  }

  @Test("of a comparison each side has its own device of an application")
  func sides() {
    var reported = ReportedLives(knowsTruth: false, isComparison: true, bounds: PictureBounds())
    for (side, prefix) in ["A ", "B "].enumerated() {
      let cast = TraceCast([])
      reported.take(managed(.found(isKnown: true)), at: at(1), mark: -1, cast: cast, side: side, prefix: prefix)
      reported.take(managed(.lost), at: at(2 + Int64(side)), mark: -1, cast: cast, side: side, prefix: prefix)
    }
    expectEqual(
      bars(reported.all),
      [
        "A TV, for an application () 1s-2s known by -1 and -1",
        "B TV, for an application () 1s-2s known by -1 and -1 2s-3s differs by -1 and -1",
      ])
  }

  @Test("a device that is found twice has one bar, which ends with its loss")
  func foundTwice() {
    var lives = DeviceLives(knowsTruth: false)
    for (place, second) in [1, 3, 5].enumerated() {
      lives.report("d", isFound: place < 2, at: at(Int64(second)), mark: second - 1, name: "d")
    }
    // A device that was lost before has another bar for the time after.
    for (place, second) in [1, 2, 3, 5, 7].enumerated() {
      lives.report("e", isFound: [0, 2, 3].contains(place), at: at(Int64(second)), mark: second - 1, name: "e")
    }
    expectEqual(
      bars([lives]), ["d () 1s-5s known by 0 and 4", "e () 1s-2s known by 0 and 1 3s-7s known by 2 and 6"])
  }

  @Test("a bar ends with the first mark of the instant at which it ends")
  func sameInstant() {
    var lives = DeviceLives(knowsTruth: true)
    for device in ["d", "e"] { lives.truth(device, isThere: true, at: at(1), name: device) }
    lives.report("d", isFound: true, at: at(5), mark: 0, name: "d")
    lives.truth("d", isThere: false, at: at(5), name: "d")
    lives.truth("e", isThere: false, at: at(5), name: "e")
    lives.report("e", isFound: true, at: at(5), mark: 4, name: "e")
    expectEqual(
      bars([lives]),
      [
        "d () 1s-5s missing by -1 and 0 5s-10s stale by -1 and -1",
        "e () 1s-5s missing by -1 and 4 5s-10s stale by 4 and -1",
      ])
  }

  private struct Seen {
    var device: String
    var side: Int
    var second: Int
    var isFound: Bool
  }

  private func compared(_ reports: [Seen]) -> [String] {
    var lives = DeviceLives(knowsTruth: false, isComparison: true)
    for one in reports {
      lives.report(
        one.device, isFound: one.isFound, at: at(Int64(one.second)), mark: one.second - 1, side: one.side,
        name: (one.side == 0 ? "A " : "B ") + one.device)
    }
    return bars([lives])
  }

  @Test("of two sides the first and the last part of a bar have its marks, and a device stands where it came first")
  func parts() {
    expectEqual(
      compared([
        Seen(device: "d", side: 0, second: 1, isFound: true), Seen(device: "e", side: 0, second: 3, isFound: true),
        Seen(device: "d", side: 0, second: 6, isFound: false), Seen(device: "d", side: 1, second: 2, isFound: true),
        Seen(device: "d", side: 1, second: 4, isFound: false),
      ]),
      [
        "A d () 1s-2s differs by 0 and -1 2s-4s known by -1 and -1 4s-6s differs by -1 and 5",
        "B d () 2s-4s known by 1 and 3", "A e () 3s-10s differs by 2 and -1",
      ])
  }

  @Test("bars of two sides are compared where the clock of one went back")
  func clockBack() {
    expectEqual(
      compared([
        Seen(device: "d", side: 0, second: 1, isFound: true), Seen(device: "d", side: 0, second: 2, isFound: false),
        Seen(device: "d", side: 1, second: 2, isFound: true), Seen(device: "d", side: 1, second: 3, isFound: false),
        Seen(device: "d", side: 1, second: 1, isFound: true), Seen(device: "d", side: 1, second: 2, isFound: false),
      ]),
      ["A d () 1s-2s known by 0 and 1", "B d () 2s-3s differs by 1 and 2 1s-2s known by 0 and 1"])
  }

  @Test("a report has a mark of its kind; one that has no words of its own is its line, cut behind 72 characters")
  func words() {
    let changed = Report.changed(sighting("uuid:a"), .united(part: "uuid:b"))
    let long = managed(.found(isKnown: false), named: String(repeating: "n", count: 80))
    let reports: [Report] = [.found(sighting("uuid:a")), changed, .lost(device: "uuid:a", cause: .expired), long]
    expectEqual(reports.map { MarkWords.kind(of: $0) }, [.found, .changed, .lost, .report])
    let words = MarkWords.of(long, cast: TraceCast([]))
    expectEqual(words.title, "device " + String(repeating: "n", count: 65) + "…")
    let line = "device " + String(repeating: "n", count: 80) + " found with no service"
    expectEqual(words.fields, [Picture.Fact("report", line)])
    var cast = TraceCast([])
    cast.peerNames = ["peer:a": "Ann", "peer:b": "Bob"]
    expectEqual(
      MarkWords.of(nearby(.connecting), cast: cast).fields,
      [Picture.Fact("report", "Ann: Bob \(PeerReport.Event.connecting.text)")])
  }

  @Test("the devices of engines and those of applications have as much room each")
  func bounds() {
    func cuts(devices: Int, spans: Int) -> [Picture.LeftOut] {
      var bounds = PictureBounds()
      (bounds.devices, bounds.spansPerDevice) = (devices, spans)
      var reported = ReportedLives(knowsTruth: false, bounds: bounds)
      let reports: [Report] = [
        .found(sighting("uuid:a")), .found(sighting("uuid:b")), managed(.found(isKnown: false)),
        nearby(.found(info: [])), nearby(.lost), managed(.lost),
      ]
      for (place, report) in reports.enumerated() {
        reported.take(report, at: at(Int64(place + 1)), mark: place, cast: TraceCast([]))
      }
      return PictureDraft().finished(verb: "", title: "", unit: .entry, origin: .zero, lives: reported.all).leftOut
    }
    let changes = "changes of devices behind the first 1"
    expectEqual(
      cuts(devices: 1, spans: 9), [Picture.LeftOut(what: changes, count: 1), Picture.LeftOut(what: changes, count: 2)])
    expectEqual(
      cuts(devices: 9, spans: 1), [Picture.LeftOut(what: "devices with more than 1 changes, cut there", count: 2)])
  }

  @Test("what is no message is told by its length, where that is known")
  func unknown() {
    let message = DiffDatagram(time: at(1), type: "unknown", fields: [])
    expectEqual(MarkWords.of(message, byteCount: 5).title, "5 bytes")
    expectEqual(MarkWords.of(message, byteCount: 5).fields, [Picture.Fact("bytes", "5")])
    expectEqual(MarkWords.of(message, byteCount: nil).title, "a datagram")
  }
}
