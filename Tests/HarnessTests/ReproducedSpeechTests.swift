import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallRunning
import Testing

/// In which words a scenario that is made of a capture has a host speak, and what its comments say of the host.
@Suite("Words of reproduced hosts")
struct ReproducedSpeechTests {
  private typealias Said = ReproduceOracleTests.Said

  /// The lines of the scenario in front of its expectations that begin so, without their margins.
  private func lines(_ outcome: Reproduce.Outcome, _ keys: [String]) -> [String] {
    outcome.yaml.split(separator: "\n").prefix { !$0.hasPrefix("expect:") }.map { String($0.drop { $0 == " " }) }
      .filter { line in keys.contains { line.hasPrefix($0) } }
  }

  private static let uuid = "2fac1234-31f8-11b4-a222-08002b34c003"

  @Test("what is said once more later is a datagram of that moment; a byebye at the moment of an alive ends nothing")
  func moments() throws {
    let cases: [(said: [(Double, Int)], end: Double, lines: [String])] = [
      ([(0, 1), (0.01, 2), (5, 1)], 9, ["- at: [1s]", "pace: [0s, 10ms]", "- at: 6s"]),
      ([(0, 1), (5, 1), (10, 1), (10, 0)], 14, ["- at: [1s, 6s, 11s]", "then-every: 5s", "- at: 11s"]),
    ]
    for one in cases {
      var capture = TinyCapture()
      for (second, number) in one.said {
        let text = number == 0 ? TinyCapture.byebye("lamp", "x-1") : TinyCapture.alive("lamp", "x-\(number)")
        capture.add(second, "192.168.1.20", text)
      }
      let outcome = try capture.reproduced(end: one.end)
      #expect(outcome.isFaithful && lines(outcome, ["- at:", "pace", "then-every:"]) == one.lines, "\(one.said)")
    }
  }

  @Test("a device hears the search of a program that has its address, and not one of its own; it may answer at once")
  func ownSearches() throws {
    for (perspective, answer, replies) in [
      (.everybody, 1, "- {search: 2, delays: [0s]}"), (.host("192.168.1.9"), 1.2, "- {search: 1, delays: [200ms]}"),
    ] as [(ReplayOptions.Perspective, Double, String)] {
      var capture = TinyCapture()
      capture.add(0, "192.168.1.20:40000", TinyCapture.search("x"))
      capture.add(1, "192.168.1.9:50000", TinyCapture.search("x"))
      capture.add(answer, "192.168.1.20", "192.168.1.9:50000", TinyCapture.answer("lamp", "x"))
      let outcome = try capture.reproduced(end: 4, as: perspective)
      #expect(outcome.isFaithful && outcome.reproduction.losses == [])
      expectEqual(lines(outcome, ["- {search"]), [replies])
    }
  }

  @Test("of two fields of a name the first is filled in; a date that goes with the moment is told, and once")
  func fields() throws {
    let loss = ["DATE: every message has the date of the first in its words"]
    let (double, dated) = ("NT: other\nUSN: uuid:b\n", "DATE: now\n")
    for (more, losses) in [(double, []), (dated, loss)] as [(String, [String])] {
      var capture = TinyCapture()
      for second in [0.0, 5] { capture.add(second, "192.168.1.20", TinyCapture.alive("lamp", "x-1", more: more)) }
      let outcome = try capture.reproduced(end: 9)
      #expect(outcome.isFaithful && outcome.reproduction.losses == losses)
      let fields = [#"- "NT: {nt}""#, #"- "USN: {usn}""#]
      expectEqual(
        lines(outcome, ["all:", #"- "NT:"#, #"- "USN:"#]),
        ["all: [{nt: x-1, usn: uuid:lamp::x-1}]"] + fields
          + (more == double ? [#"- "NT: other""#, #"- "USN: uuid:b""#] : []))
    }
    var capture = TinyCapture()
    capture.add(1, "192.168.1.9:50000", TinyCapture.search("x"))
    let answer = TinyCapture.answer("lamp", "x").replacing("EXT: \n", with: "EXT: \nDATE: now\n")
    capture.add(1.2, "192.168.1.20", "192.168.1.9:50000", answer)
    try expectEqual(capture.reproduced(end: 4).reproduction.losses, loss)
  }

  // MARK: Names and comments

  @Test("a host is named after the type behind the word device, in small letters with a mark at each new word")
  func names() throws {
    let targets = [
      "urn:x-y:device", "urn:x-y:device:Küche:1", "urn:x-y:device:Basic-tv:1", "urn:x-y:device:__:1",
      "urn:x-y:device:tvABcD:1", "urn:x-y:device:a1B2:1", "urn:x-y:service:device:Lamp2:1",
    ]
    var capture = TinyCapture()
    for round in [0.0, 5] {
      for (number, target) in targets.enumerated() {
        let address = "192.168.1.\(20 + number)"
        capture.add(
          round + Double(number) / 10, address,
          TinyCapture.alive("lamp-\(number)", target, location: "http://\(address)/"))
      }
    }
    capture.add(11, "192.168.1.9:50000", TinyCapture.search("urn:x-y:device:Lamp:1"))
    capture.add(11.5, "192.168.1.40", "192.168.1.9:50000", TinyCapture.answer("lamp", "urn:x-y:device:Lamp:1"))
    let outcome = try capture.reproduced(end: 13)
    expectEqual(
      outcome.reproduction.notes.map(\.name),
      [
        "device-20", "kche-21", "basictv-22", "device-23", "tv-abc-d-24", "a1b2-25", "lamp2-26", "app-9", "lamp-40",
      ])
  }

  @Test("the first SERVER that says something is told without its margins, and of a long one ninety characters")
  func servers() throws {
    let long = String(repeating: "a", count: 89) + "b"
    let rows: [(servers: [String], told: String?)] = [
      (["", "Kino"], "SERVER: Kino"), (["\t Kino \t", "Otto"], "SERVER: Kino"), ([long + "c", "d"], "SERVER: " + long),
      (["\t \t", " "], nil),
    ]
    var said: [Said] = []
    for round in [0, 5_000] {
      for time in 0..<2 {
        for (number, row) in rows.enumerated() {
          let address = "192.168.1.\(20 + number)"
          let text = TinyCapture.alive("lamp-\(number)", location: "http://\(address)/")
            .replacing("SERVER: Linux/6.1 UPnP/1.0 tiny/1", with: "SERVER:" + row.servers[time])
          said.append(
            Said(
              at: Int64(round + time * 1_000 + number * 100) * 1_000_000, from: address,
              text: ReproduceOracleTests.text(text)))
        }
      }
    }
    let notes = try ReproduceOracleTests.reproduce(said, end: 9_000_000_000).reproduction.notes
    expectEqual(notes.map { note in note.lines.first { $0.hasPrefix("SERVER") } }, rows.map(\.told))
  }

  @Test("the hop limit that is told is that of the first announcement")
  func hops() throws {
    for (first, second, habit) in [(1, 3, "ttl(1)"), (3, 1, "ttl(3)"), (2, 3, nil), (4, 1, nil)]
      as [(UInt8, UInt8, String?)]
    {
      let text = ReproduceOracleTests.text(TinyCapture.alive(Self.uuid, "urn:schemas-upnp-org:device:Basic:1"))
      let times: [(Int64, UInt8)] = [(0, first), (1, second), (5, first), (6, second)]
      let said = times.map { time, hops in
        Said(at: time * 1_000_000_000, from: "192.168.1.20", text: text, hops: hops)
      }
      let notes = try ReproduceOracleTests.reproduce(said, end: 9_000_000_000).reproduction.notes
      expectEqual(
        notes.map(\.lines),
        [
          ["SERVER: Linux/6.1 UPnP/1.0 tiny/1"] + (habit.map { ["Habits: \($0) (D67, UDA-1-TTL-DEFAULT)"] } ?? [])
        ])
    }
  }
}
