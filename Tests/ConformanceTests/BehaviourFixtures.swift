import RollcallConformance
import RollcallPrimitives
import Testing

/// Talks about sets, BOOTIDs and answers: what no single message shows.
///
/// Those of a run know that nothing is missing; those of a capture do not.
struct BehaviourFixture: CustomTestStringConvertible {
  var clause: String
  var isComplete = true
  var holds: [Said]
  var breaks: [Said]
  /// What the second talk breaks besides.
  var besides: [String] = []
  /// What both break, because the clause is about answers to such.
  var givens: [String] = []

  var testDescription: String { clause + (isComplete ? "" : " in a capture") }

  var circumstances: Circumstances { Circumstances(isComplete: isComplete) }
}

extension Said {
  static let otherUUID = "2fac1234-31f8-11b4-a222-08002b34c004"
  static let service = "urn:rollcall-example:service:Presence:1"

  /// One message of a set.
  static func part(_ nts: String, _ target: String, at: Interval, _ edits: KeyValuePairs<String, String?> = [:]) -> Said
  {
    let own = "uuid:" + uuid
    var said = notify(nts, ["NT": target, "USN": target == own ? own : own + "::" + target])
    for (name, value) in edits {
      var lines = said.text.components(of: "\r\n")
      lines.removeAll { $0.hasPrefix(name + ":") }
      if let value { lines.insert("\(name): \(value)", at: 1) }
      said.text = lines.joined(separator: "\r\n")
    }
    said.at = at
    return said
  }

  /// The four messages of a set, a millisecond from one to the next.
  static func set(
    _ nts: String = "alive", at: Interval, without: [String] = [], _ edits: KeyValuePairs<String, String?> = [:]
  ) -> [Said] {
    let targets = ["upnp:rootdevice", "uuid:" + uuid, type, service].filter { !without.contains($0) }
    return targets.enumerated().map { place, target in
      part(nts, target, at: at + .milliseconds(Int64(place) * 3), edits)
    }
  }

  /// A set and its repetition.
  static func sets(at: Interval, without: [String] = [], _ edits: KeyValuePairs<String, String?> = [:]) -> [Said] {
    set(at: at, without: without, edits) + set(at: at + .milliseconds(300), without: without, edits)
  }

  /// So that a talk does not end with what it is about.
  static func silence(until: Interval) -> Said {
    Said.search(["ST": "upnp:rootdevice"]).with { $0.at = until }
  }

  func later(_ time: Interval) -> Said { with { $0.at = time } }
  func by(_ address: IPAddress) -> Said { with { $0.from = Endpoint(address, port: 1_900) } }
}

extension String {
  func components(of separator: String) -> [String] {
    var parts: [String] = []
    var rest = self[...]
    while let found = rest.firstRange(of: separator) {
      parts.append(String(rest[..<found.lowerBound]))
      rest = rest[found.upperBound...]
    }
    return parts + [String(rest)]
  }
}

extension BehaviourFixture {
  static let all: [BehaviourFixture] = moves + transport + sets + boots + joins + descriptions

  private static let end = Said.silence(until: .seconds(100))

  /// Announced, then moved, revoked, and announced anew but for some of it.
  private static func moved(without: [String]) -> [Said] {
    func old(_ said: Said) -> Said { said.with { $0.host = 0 } }
    func new(_ said: Said) -> Said { old(said).by(IPAddress(192, 168, 1, 11)) }
    var talk = Said.sets(at: .zero).map(old)
    talk += Said.set("byebye", at: .seconds(20)).map(old)
    talk[8].deed = .move
    let edits: KeyValuePairs<String, String?> = [
      "BOOTID.UPNP.ORG": "8", "LOCATION": "http://192.168.1.11:49152/description.xml",
    ]
    talk += Said.sets(at: .seconds(21), without: without, edits).map(new)
    return talk + [Said.search().later(.seconds(80)), Said.search().later(.milliseconds(80_300))]
  }

  private static let moves: [BehaviourFixture] = [
    BehaviourFixture(
      clause: "UDA-1-IPCHANGE-ANNOUNCE", holds: moved(without: []), breaks: moved(without: [Said.service]))
  ]

  private static let transport: [BehaviourFixture] = [
    BehaviourFixture(
      clause: "UDA-1-TTL-DEFAULT", isComplete: false, holds: [.alive()],
      breaks: [Said.alive().with { $0.hopLimit = 4 }]),
    BehaviourFixture(
      clause: "H-TTL-ESCAPE", isComplete: false, holds: [.alive()], breaks: [Said.alive().with { $0.hopLimit = 64 }],
      besides: ["UDA-1-TTL-DEFAULT"]),
    BehaviourFixture(
      clause: "UDA-1-MH-LOC-REACH", isComplete: false, holds: [.alive()],
      breaks: [.alive(["LOCATION": "http://127.0.0.1:49152/d.xml"])]),
    BehaviourFixture(
      clause: "UDA-1-MH-SAMEFIELDS", isComplete: false,
      holds: [
        .alive(), Said.alive().by(IPAddress(10, 0, 0, 10)),
        Said.alive(["CACHE-CONTROL": "max-age=1900"]).later(.seconds(1)),
        Said.alive(["LOCATION": "http://10.0.0.10:49152/d.xml"]).later(.seconds(2)).by(IPAddress(10, 0, 0, 10)),
      ],
      breaks: [
        .alive(), Said.alive().by(IPAddress(10, 0, 0, 10)), Said.alive().later(.seconds(1)),
        Said.alive(["CONFIGID.UPNP.ORG": "2"]).later(.seconds(2)).by(IPAddress(10, 0, 0, 10)),
      ]),
    BehaviourFixture(
      clause: "UDA-1.2.2-NO-ANSWER", holds: [.search(), Said.search().later(.milliseconds(50)), .answer()],
      breaks: [
        Said.alive(["SERVER": "Linux/6.6 UPnP/2.0 Product/1.0"]),
        Said.answer().with {
          $0.from = Endpoint(IPAddress(192, 168, 1, 30), port: 1_900)
          $0.to = Said.device
        },
      ]),
  ]

  private static let sets: [BehaviourFixture] = [
    BehaviourFixture(
      clause: "UDA-1.2.2-HIGHEST", isComplete: false, holds: Said.sets(at: .zero),
      breaks: Said.sets(at: .zero) + [
        .part("alive", "urn:schemas-upnp-org:device:Basic:2", at: .milliseconds(400))
      ]),
    BehaviourFixture(
      clause: "UDA-1.2.2-REPEAT-MAX3", isComplete: false,
      holds: Said.sets(at: .zero) + Said.set(at: .milliseconds(600)),
      breaks: Said.sets(at: .zero) + Said.sets(at: .milliseconds(600))),
    BehaviourFixture(
      clause: "UDA-1.2.2-REPEAT", isComplete: false, holds: Said.sets(at: .zero) + [end], breaks: doubled + [end]),
    BehaviourFixture(
      clause: "UDA-1.1.4-UUID-UNIQUE", isComplete: false, holds: [.alive()], breaks: turns,
      besides: ["UDA-1.2.2-BOOT-SAME"]),
  ]

  /// Each message twice in a row.
  private static let doubled: [Said] = {
    var talk: [Said] = []
    for said in Said.set(at: .zero) {
      for _ in 0..<2 { talk.append(said.later(.milliseconds(Int64(talk.count) * 20))) }
    }
    return talk
  }()

  /// Two devices in turns.
  private static let turns: [Said] = {
    var talk: [Said] = []
    for turn in 0..<4 {
      let said = Said.alive(["BOOTID.UPNP.ORG": turn % 2 == 0 ? "7" : "9"])
      talk.append(said.later(.seconds(Int64(turn) * 5)).by(IPAddress(192, 168, 1, turn % 2 == 0 ? 10 : 11)))
    }
    return talk
  }()

  private static let boots: [BehaviourFixture] = [
    BehaviourFixture(
      clause: "UDA-1.2.2-BOOT-SAME", isComplete: false, holds: [.alive(), Said.alive().later(.seconds(9))],
      breaks: [
        .alive(), Said.alive(["BOOTID.UPNP.ORG": "8"]).later(.seconds(5)), Said.alive().later(.milliseconds(5_100)),
      ]),
    BehaviourFixture(
      clause: "UDA-1.2.2-BOOT-GROW", isComplete: false,
      holds: Said.sets(at: .zero) + Said.set("byebye", at: .seconds(5))
        + Said.sets(at: .seconds(10), ["BOOTID.UPNP.ORG": "8"]),
      breaks: Said.sets(at: .zero) + Said.set("byebye", at: .seconds(5)) + Said.sets(at: .seconds(10))),
    BehaviourFixture(
      clause: "UDA-1.2.2-BOOT-ALLMSG", isComplete: false, holds: Said.sets(at: .zero),
      breaks: Said.sets(at: .zero) + [
        .part("alive", Said.service, at: .milliseconds(1_500), ["BOOTID.UPNP.ORG": nil])
      ]),
    BehaviourFixture(
      clause: "UDA-1.2.3-BB-PAIR",
      holds: Said.sets(at: .zero) + Said.set("byebye", at: .seconds(5)),
      breaks: Said.sets(at: .zero) + Said.set("byebye", at: .seconds(5)) + [
        Said.notify("byebye", ["USN": "uuid:\(Said.uuid)"]).later(.seconds(5))
      ],
      besides: ["UDA-1.2.2-USN-T1"]),
    BehaviourFixture(
      clause: "UDA-1.2.4-UPD-LOC", holds: updated(),
      breaks: updated(["LOCATION": "http://192.168.1.10:80/other.xml"])),
    BehaviourFixture(
      clause: "UDA-1.2.4-UPD-NEXT", isComplete: false, holds: updated(),
      breaks: Said.sets(at: .zero) + Said.set("update", at: .seconds(5), ["NEXTBOOTID.UPNP.ORG": "6"])),
    BehaviourFixture(
      clause: "UDA-1.2.4-UPD-BEFORE", isComplete: false, holds: updated(),
      breaks: updated() + Said.set("update", at: .seconds(25))),
  ]

  /// Announced, updated, announced anew, and a while of silence behind it.
  private static func updated(_ edits: KeyValuePairs<String, String?> = [:]) -> [Said] {
    let talk = Said.sets(at: .zero) + Said.set("update", at: .seconds(5), edits)
    return talk + Said.sets(at: .seconds(6), ["BOOTID.UPNP.ORG": "8"]) + [
      Said.search().later(.seconds(20)), Said.search().later(.milliseconds(20_300)),
    ]
  }

  private static func asked(_ edits: KeyValuePairs<String, String?> = [:], _ answers: [Said]) -> [Said] {
    [Said.search(edits), Said.search(edits).later(.milliseconds(20))] + answers
  }

  private static let joins: [BehaviourFixture] = [
    BehaviourFixture(
      clause: "UDA-1.3.2-REPEAT", holds: [.search(), Said.search().later(.milliseconds(300))],
      breaks: [
        .search(), Said.search(["ST": "upnp:rootdevice"]).later(.seconds(60)),
        Said.search(["ST": "upnp:rootdevice"]).later(.seconds(61)),
      ]),
    BehaviourFixture(
      clause: "UDA-1.3.2-REPEAT", isComplete: false, holds: [.search(), Said.search().later(.milliseconds(300))],
      breaks: (0..<11).map { Said.search().later(.milliseconds(15 * Int64($0))) }),
    BehaviourFixture(
      clause: "UDA-1.3.3-UNICAST", isComplete: false, holds: asked([.answer()]),
      breaks: asked([Said.answer().with { $0.to = Endpoint(.ssdpGroup4, port: 1_900) }])),
    BehaviourFixture(
      clause: "UDA-1.3.3-DELAY-MAX", holds: asked([.answer()]),
      breaks: asked([Said.answer().later(.milliseconds(4_500))])),
    BehaviourFixture(
      clause: "UDA-1.3.3-MX-CAP", holds: asked(["MX": "10"], [Said.answer().later(.seconds(4))]),
      breaks: asked(["MX": "10"], [Said.answer().later(.seconds(8))]), givens: ["UDA-1.3.2-MX-MAX5"]),
    BehaviourFixture(
      clause: "UDA-1.3.3-MX-MISSING", holds: announced + asked(["MX": nil], []),
      breaks: asked(["MX": nil], [.answer()]), givens: ["UDA-1.3.2-MX-PRESENT"]),
    BehaviourFixture(
      clause: "UDA-1.3.3-MX-BAD", holds: announced + asked(["MX": "soon"], []),
      breaks: asked(["MX": "soon"], [.answer()]), givens: ["UDA-1.3.2-MX-PRESENT"]),
    BehaviourFixture(
      clause: "UDA-1.3.3-MAN-BAD", holds: announced + asked(["MAN": "ssdp:discover"], []),
      breaks: asked(["MAN": "ssdp:discover"], [.answer()]), givens: ["UDA-1.3.2-MAN"]),
    BehaviourFixture(
      clause: "UDA-1.3.3-UC-FAST", holds: [.unicastSearch(), .answer()],
      breaks: [.unicastSearch(), Said.answer().later(.milliseconds(2_500))]),
    BehaviourFixture(
      clause: "UDA-1.3.3-ST-LOWER",
      holds: [Said.alive(version(2))] + asked(["ST": Said.type], [.answer()]),
      breaks: asked(["ST": Said.type], [.answer(["ST": "urn:schemas-upnp-org:device:Basic:2"])])),
    BehaviourFixture(
      clause: "UDA-1.3.3-ST-HIGHER", isComplete: false, holds: [.alive()] + asked([.answer()]),
      breaks: [.alive()] + asked([.answer(["ST": "urn:schemas-upnp-org:device:Basic:2"])])),
    BehaviourFixture(
      clause: "UDA-1.3.3-ST-NOMATCH", holds: asked(["ST": Said.type], [.answer()]),
      breaks: asked(["ST": "upnp:rootdevice"], [.answer()])),
    BehaviourFixture(
      clause: "UDA-1.3.3-ONCE", holds: asked([.answer(), Said.answer().later(.milliseconds(200))]),
      breaks: asked([.answer(), Said.answer().later(.milliseconds(200)), Said.answer().later(.milliseconds(300))])),
    BehaviourFixture(
      clause: "UDA-1.3.3-BOOT", isComplete: false, holds: [.alive()] + asked([.answer()]),
      breaks: [.alive()] + asked([.answer(["BOOTID.UPNP.ORG": nil])])),
    BehaviourFixture(
      clause: "UDA-1.2.2-CP-SEARCHPORT",
      holds: [
        .alive(["SEARCHPORT.UPNP.ORG": "50000"]),
        Said.unicastSearch(["HOST": "192.168.1.10:50000"]).with { $0.to.port = 50_000 },
      ],
      breaks: [.alive(["SEARCHPORT.UPNP.ORG": "50000"]), .unicastSearch()]),
  ]

  private static func asked(_ answers: [Said]) -> [Said] { asked([:], answers) }

  /// Somebody who could have answered.
  private static let announced = Said.sets(at: Interval.zero - .seconds(60))

  private static func version(_ number: Int) -> KeyValuePairs<String, String?> {
    let type = "urn:schemas-upnp-org:device:Basic:\(number)"
    return ["NT": type, "USN": "uuid:\(Said.uuid)::\(type)"]
  }
}
