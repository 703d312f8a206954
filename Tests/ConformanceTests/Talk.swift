import RollcallConformance
import RollcallPrimitives

/// One datagram made by hand, and what is known of it.
struct Said {
  var at = Interval.zero
  var from = Said.device
  var to = Endpoint(.ssdpGroup4, port: 1_900)
  var hopLimit: UInt8 = 2
  var fragments = 1
  /// What IPv4 numbers its packet with; −1: nobody knows.
  var identification: Int32 = -1
  var isCut = false
  /// Whether it was heard on a loopback interface; `nil`: nobody knows.
  var isOnLoopback: Bool?
  /// The number of the sender in a run; −1: nobody knows.
  var host: Int32 = -1
  /// What the sender is told to do right before.
  var deed: TraceEvent.Deed?
  /// What somebody has fetched then, instead of a datagram.
  var described: HeardDescription?
  var text: String

  static let device = Endpoint(IPAddress(192, 168, 1, 10), port: 1_900)
  static let searcher = Endpoint(IPAddress(192, 168, 1, 20), port: 50_000)
  static let uuid = "2fac1234-31f8-11b4-a222-08002b34c003"
  static let type = "urn:schemas-upnp-org:device:Basic:1"

  /// A message with these lines, each ended by CR LF, and a blank line.
  private static func lines(_ start: String, _ fields: [(String, String)]) -> String {
    start + "\r\n" + fields.map { $0.0 + ": " + $0.1 + "\r\n" }.joined() + "\r\n"
  }

  /// Fields with some of them replaced, taken away (`nil`), or added behind.
  private static func edited(
    _ fields: [(String, String)], _ edits: KeyValuePairs<String, String?>
  ) -> [(String, String)] {
    var fields = fields
    for (name, value) in edits {
      let place = fields.firstIndex { $0.0 == name }
      if let place, let value {
        fields[place].1 = value
      } else if let place {
        fields.remove(at: place)
      } else if let value {
        fields.append((name, value))
      }
    }
    return fields
  }

  static func notify(_ type: String, _ edits: KeyValuePairs<String, String?> = [:]) -> Said {
    var fields = [("HOST", "239.255.255.250:1900")]
    if type == "alive" { fields.append(("CACHE-CONTROL", "max-age=1800")) }
    if type != "byebye" { fields.append(("LOCATION", "http://192.168.1.10:49152/description.xml")) }
    fields += [("NT", Said.type), ("NTS", "ssdp:\(type)")]
    if type == "alive" { fields.append(("SERVER", "Linux/6.6 UPnP/2.0 Product/1.0")) }
    fields += [("USN", "uuid:\(uuid)::\(Said.type)"), ("BOOTID.UPNP.ORG", "7"), ("CONFIGID.UPNP.ORG", "1")]
    if type == "update" { fields.append(("NEXTBOOTID.UPNP.ORG", "8")) }
    return Said(text: lines("NOTIFY * HTTP/1.1", edited(fields, edits)))
  }

  static func alive(_ edits: KeyValuePairs<String, String?> = [:]) -> Said { notify("alive", edits) }

  static func search(_ edits: KeyValuePairs<String, String?> = [:]) -> Said {
    let fields = [
      ("HOST", "239.255.255.250:1900"), ("MAN", "\"ssdp:discover\""), ("MX", "3"), ("ST", "ssdp:all"),
      ("USER-AGENT", "OS/1.0 UPnP/2.0 Product/1.0"), ("CPFN.UPNP.ORG", "Kitchen"),
    ]
    return Said(from: searcher, text: lines("M-SEARCH * HTTP/1.1", edited(fields, edits)))
  }

  /// A search that is sent to the device alone.
  static func unicastSearch(_ edits: KeyValuePairs<String, String?> = [:]) -> Said {
    let fields = [
      ("HOST", "192.168.1.10:1900"), ("MAN", "\"ssdp:discover\""), ("ST", "ssdp:all"),
      ("USER-AGENT", "OS/1.0 UPnP/2.0 Product/1.0"),
    ]
    return Said(from: searcher, to: device, text: lines("M-SEARCH * HTTP/1.1", edited(fields, edits)))
  }

  static func answer(_ edits: KeyValuePairs<String, String?> = [:]) -> Said {
    let fields = [
      ("CACHE-CONTROL", "max-age=1800"), ("DATE", "Mon, 01 Jan 2024 00:00:00 GMT"), ("EXT", ""),
      ("LOCATION", "http://192.168.1.10:49152/description.xml"), ("SERVER", "Linux/6.6 UPnP/2.0 Product/1.0"),
      ("ST", Said.type), ("USN", "uuid:\(uuid)::\(Said.type)"), ("BOOTID.UPNP.ORG", "7"),
    ]
    return Said(at: .milliseconds(100), to: searcher, text: lines("HTTP/1.1 200 OK", edited(fields, edits)))
  }

  func with(_ edit: (inout Said) -> Void) -> Said {
    var said = self
    edit(&said)
    return said
  }

  /// The same over IPv6, to a group or a host of one.
  func overIPv6(to group: IPAddress = .ssdpGroup6) -> Said {
    with {
      $0.from = Endpoint(IPAddress(v6High: 0xFE80_0000_0000_0000, low: 0x10), port: 1_900)
      $0.to = Endpoint(group, port: 1_900)
    }
  }

  /// Lets a judge hear a talk, as a capture shows it.
  static func judged(_ talk: [Said], _ circumstances: Circumstances = .capture) -> Judgement {
    var judge = ClauseJudge(circumstances)
    let payloads = PayloadStore()
    for (number, said) in talk.enumerated() {
      let time = Instant.zero + .seconds(1_700_000_000) + said.at
      if let deed = said.deed {
        judge.note(TraceEvent(time: time, position: number + 1, host: said.host, .deed(deed)))
      }
      if var described = said.described {
        described.askedAt = time - .milliseconds(10)
        judge.note(TraceEvent(time: time, position: number + 1, host: -1, .described(described)))
        continue
      }
      let payload = payloads.store(Array(said.text.utf8))
      let isSSDP = said.from.port == 1_900 || said.to.port == 1_900
      judge.hear(
        Observation(
          time: time, position: number + 1, source: said.from,
          destination: said.to, isOnLoopback: said.isOnLoopback, host: said.host, hopLimit: said.hopLimit,
          identification: said.identification, fragmentCount: said.fragments, isCut: said.isCut,
          place: isSSDP ? .port1900 : said.text.hasPrefix("M-SEARCH") ? .searchPort : .searcher,
          bytes: payloads.bytes(of: payload)))
      payloads.release(payload)
    }
    judge.close()
    return Judgement(judge)
  }
}

extension Judgement {
  /// A judgement of one party, at 10.0.0.1, that was made by hand.
  /// - Parameter judged: more clauses that stand in it.
  static func made(
    _ rulings: [ProbeRuling], of role: Party.Role = .device, judged: [ClauseID] = []
  ) -> Judgement {
    var judgement = Said.judged([])
    judgement.judged = []
    judgement.take(rulings, of: IPAddress(10, 0, 0, 1), role, probed: rulings.map(\.clause) + judged)
    return judgement
  }

  /// What a probe would have found at this entry, which has the time of as many seconds: `e3`, `f3`, `w3`.
  static func ruling(_ clause: ClauseID, _ verdict: ProbeVerdict, _ entry: Int = 0, probe: String = "") -> ProbeRuling {
    ProbeRuling(
      clause: clause, verdict: verdict, time: .zero + .seconds(Int64(entry)), position: entry, expected: "e\(entry)",
      found: verdict == .inconclusive ? "w\(entry)" : "f\(entry)", probe: probe)
  }

  /// Of nine clauses two held, two not exercised, three broken, of which one is open too, and two open; two of them
  /// show in no entry. In the order in which they were found, which is not that of their rank.
  static func mixed(of role: Party.Role = .device) -> Judgement {
    var judgement = made(
      [
        ruling(.aliveMaxAgeFloor, .inconclusive), ruling(.ntVersion, .violated, 1),
        ruling(.aliveMaxAge, .inconclusive, 2), ruling(.aliveHost, .violated, 3), ruling(.aliveHost, .violated, 4),
        ruling(.aliveHost, .inconclusive, 5), ruling(.aliveHost, .inconclusive, 6), ruling(.aliveHost, .held),
        ruling(.ttlEscape, .violated), ruling(.oneDatagram, .held), ruling(.oneDatagram, .held),
        ruling(.locationReach, .held),
      ], of: role, judged: [.searchMXMaximum, .answerDelay])
    // Found by listening, more than once.
    judgement.rows[1].finding.count = 3
    judgement.rows[1].finding.lastPosition = 9
    return judgement
  }

  /// Ids of clauses that anybody violated, in the order of the catalogue.
  var violated: [String] { judged.filter { total($0).violated > 0 }.map(\.clause.id) }
}

/// The line of a finding that says what its clause asks for, and where that stands.
func reference(_ clause: ClauseID) -> String { "    clause    \(clause.clause.gist) (\(clause.clause.place))" }
/// The line of a breach that says what to do.
func remedy(_ clause: ClauseID) -> String { "    remedy    \(clause.clause.remedy)" }
