import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Interfaces that are lost, LOCATIONs that are out of reach, and the same message on two interfaces.
@Suite("Transport judged at its bounds")
struct TransportBoundTests {
  private typealias Step = Course.Step

  private static let near = "192.168.1.10/24"
  private static let far = "10.0.0.10/8"
  private static let farAddress = IPAddress(10, 0, 0, 10)

  /// A host that announces itself on both of its interfaces.
  private static let both: [Step] = [
    Course.up(0, near, at: .zero), Course.up(1, far, at: .zero), Said.alive().later(.at(1_000)).sent(),
    Said.alive().later(.at(1_000)).by(farAddress).sent(over: 1),
  ]

  private func byebye(_ time: Interval, over interface: UInt16 = 0) -> Step {
    let said = Said.notify("byebye").later(time)
    return interface == 0 ? said.sent() : said.by(TransportBoundTests.farAddress).sent(over: interface)
  }

  private func expect(
    _ tally: String, _ parts: [Step]..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    Course.expect(
      .noCrossByebye, tally, parts.flatMap { $0 }, until: .at(100_000), sourceLocation: sourceLocation)
  }

  @Test("a byebye on an interface that stays breaks the clause up to two seconds after another interface was lost")
  func crossing() {
    let lost = TransportBoundTests.both + [Course.down(1, at: .at(10_000))]
    expect("0 1 0", lost, [byebye(.at(10_000))])
    expect("0 1 0", lost, [byebye(.at(12_000, -1))])
    expect("0 1 0", lost, [byebye(.at(12_000))])
    expect("1 0 0", lost, [byebye(.at(12_000, 1))])
    expect("1 0 0", lost, [byebye(.at(12_000, 1)), byebye(.at(12_500))])
    expect("0 2 0", lost, [byebye(.at(11_000)), byebye(.at(12_000))])
    // On the lost one it is in order, and without any the clause is kept.
    expect("1 0 0", lost, [byebye(.at(11_000), over: 1)])
    expect("1 0 0", lost)
    // The interface is back, or lost again: each loss is judged by itself.
    expect("1 0 0", lost, [Course.up(1, TransportBoundTests.far, at: .at(10_500)), byebye(.at(11_000))])
    let again = [
      byebye(.at(11_000)), Course.up(1, TransportBoundTests.far, at: .at(20_000)), Course.down(1, at: .at(30_000)),
    ]
    expect("1 1 0", lost, again)
  }

  @Test("byebyes have another reason where the host leaves, restarts or moves, and where no interface stays")
  func reasons() {
    let lost = TransportBoundTests.both + [Course.down(1, at: .at(10_000))]
    for deed in [TraceEvent.Deed.leave, .reboot, .move] {
      expect("0 0 0", lost, [Course.deed(deed, at: .at(12_000)), byebye(.at(12_000))])
      expect("1 0 0", lost, [Course.deed(deed, at: .at(12_000, 1)), byebye(.at(12_000, 1))])
    }
    expect("0 1 0", lost, [Course.deed(.update, at: .at(11_000)), byebye(.at(11_000))])
    let only = [TransportBoundTests.both[0], TransportBoundTests.both[2]]
    expect("0 0 0", only, [Course.down(0, at: .at(10_000)), byebye(.at(11_000))])
    let last = [Course.down(1, at: .at(5_000)), Course.down(0, at: .at(10_000)), byebye(.at(11_000), over: 1)]
    expect("1 0 0", TransportBoundTests.both, last)
  }

  @Test("interfaces are known of hosts with numbers below 2^20")
  func hostNumbers() {
    let course = TransportBoundTests.both + [Course.down(1, at: .at(10_000)), byebye(.at(11_000))]
    for (host, tally) in [(1_000, "0 1 0"), (1 << 20, "0 0 0")] as [(Int32, String)] {
      var steps = course
      for place in steps.indices { steps[place].host = host }
      expect(tally, steps)
    }
  }

  @Test("LOCATION is within reach at the sender's own address, and in a run on the subnets of its interface")
  func locations() {
    let known = [Course.up(0, "192.168.1.10/24", "10.1.0.10/16", at: .zero)]
    let other = [Course.up(1, "192.168.1.10/24", at: .zero)]
    // Where the sender's addresses are known, where those of another of its interfaces are, and in a capture.
    let rows: [(host: String, tallies: [String])] = [
      ("192.168.1.10", ["1 0 0", "1 0 0", "1 0 0"]), ("[::ffff:192.168.1.10]", ["1 0 0", "1 0 0", "1 0 0"]),
      ("192.168.1.77", ["1 0 0", "0 0 1", "0 0 1"]), ("192.168.2.77", ["0 1 0", "0 0 1", "0 0 1"]),
      ("10.1.255.1", ["1 0 0", "0 0 1", "0 0 1"]), ("10.2.0.1", ["0 1 0", "0 0 1", "0 0 1"]),
      ("127.0.0.1", ["0 1 0", "0 1 0", "0 1 0"]), ("0.0.0.0", ["0 1 0", "0 1 0", "0 1 0"]),
      ("239.1.1.1", ["0 1 0", "0 1 0", "0 1 0"]), ("255.255.255.255", ["0 1 0", "0 1 0", "0 1 0"]),
      ("[fe80::1]", ["0 0 1", "0 0 1", "0 0 1"]), ("tv.local", ["0 0 0", "0 0 0", "0 0 0"]),
    ]
    for row in rows {
      let said = Said.alive(["LOCATION": "http://\(row.host)/d.xml"]).later(.at(1_000))
      let tallies = [
        Course.judged(known + [said.sent()]).sum(.locationReach),
        Course.judged(other + [said.sent()]).sum(.locationReach), Said.judged([said]).sum(.locationReach),
      ]
      expectEqual(tallies, row.tallies, "\(row.host)")
    }
    // Each LOCATION is looked at when it is new.
    func said(_ host: String, _ time: Interval) -> Said { Said.alive(["LOCATION": "http://\(host)/"]).later(time) }
    let changing = [said("192.168.1.10", .zero), said("127.0.0.1", .at(1)), said("127.0.0.1", .at(2))]
    Said.expect(.locationReach, "2 2 0", changing, [said("192.168.1.10", .at(3))])
    // The ruling stays where the addresses of the interface change.
    let (first, again) = (said("192.168.1.77", .at(1_000)), said("192.168.1.77", .at(3_000)))
    let moved = Course.up(0, "192.168.1.10/32", at: .at(2_000))
    Course.expect(.locationReach, "2 0 0", known, [first.sent(), moved, again.sent()])
    let loopback: KeyValuePairs<String, String?> = ["LOCATION": "http://127.0.0.1/"]
    Said.expect(.locationReach, "0 1 0", [.search(), .answer(loopback)])
    Said.expect(.locationReach, "0 0 0", [.notify("byebye", loopback), .notify("update", loopback)])
  }

  @Test("LOCATION on loopback is within reach on a loopback interface alone, though its sender is the same address")
  func loopback() {
    for (host, sender) in [("[::1]", IPAddress("::1")!), ("127.0.0.1", IPAddress(127, 0, 0, 1))] {
      func said(_ isOnLoopback: Bool?) -> Said {
        var said = Said.alive(["LOCATION": "http://\(host)/d.xml"]).by(sender)
        said.isOnLoopback = isOnLoopback
        return said.later(.at(1_000))
      }
      Said.expect(.locationReach, "1 0 0", [said(true)])
      Said.expect(.locationReach, "0 1 0", [said(false)])
      Said.expect(.locationReach, "0 0 0", [said(nil)])
      // The same device on both: each interface by itself.
      Said.expect(.locationReach, "1 1 0", [said(true), said(false).later(.at(1))])
      Said.expect(.locationReach, "0 1 0", [said(nil), said(false).later(.at(2_000))])
      // In a run the interface that it leaves by tells.
      func sum(_ addresses: String...) -> String {
        let up = addresses.map { Course.up(0, $0, at: .zero) }
        return Course.judged(up + [said(nil).sent()]).sum(.locationReach)
      }
      expectEqual(
        [sum(), sum("127.0.0.1/8"), sum("::1/128"), sum("192.168.1.10/24")], ["0 0 0", "1 0 0", "1 0 0", "0 1 0"])
    }
  }

  @Test("from two addresses only the fields that name an interface may differ, each kind of message by itself")
  func copies() {
    let talk = [Said.alive(), Said.alive().by(TransportBoundTests.farAddress)]
    let rows: [(edits: KeyValuePairs<String, String?>, tally: String)] = [
      ([:], "1 0 0"), (["CACHE-CONTROL": "max-age=9"], "1 0 0"), (["LOCATION": "http://192.168.1.10/x"], "1 0 0"),
      (["HOST": "x"], "1 0 0"), (["DATE": "x"], "1 0 0"), (["01-NLS": "7"], "1 0 0"), (["02-NLS": "7"], "1 0 0"),
      (["001-NLS": "7"], "0 1 0"), (["SERVER": "Linux/6.6 UPnP/2.0 Product/1.1"], "0 1 0"),
      // Another BOOTID is another life of the device.
      (["BOOTID.UPNP.ORG": "8"], "0 0 0"),
    ]
    for row in rows {
      let judgement = Said.judged(talk + [Said.alive(row.edits).later(.at(1_000))])
      expectEqual(judgement.sum(.sameFields), row.tally, "\(row.edits)")
    }
    let lines = Said.alive().text.components(of: "\r\n").filter { !$0.isEmpty }
    let fields = lines.dropFirst().reversed().map { $0 + "\r\n" }.joined()
    let turned = "\(lines[0])\r\n\(fields)\r\n"
    Said.expect(.sameFields, "1 0 0", talk, [Said(at: .at(1_000), text: turned)])
    // A known field is the same in letters of either case; two that nobody knows are told by their names.
    let small = Said.alive().with { $0.text = $0.text.replacing("SERVER:", with: "Server:") }
    Said.expect(.sameFields, "1 0 0", talk, [small.later(.at(1_000))])
    let vendor = Said.alive(["a.b": "1"]).by(TransportBoundTests.farAddress)
    Said.expect(.sameFields, "0 1 0", [.alive(), vendor], [Said.alive(["a.c": "1"]).later(.at(1_000))])
    // A BOOTID of 0 is one, too.
    let zero = Said.alive(["BOOTID.UPNP.ORG": "0"])
    let other = Said.alive(["BOOTID.UPNP.ORG": "0", "CONFIGID.UPNP.ORG": "2"]).later(.at(1_000))
    Said.expect(.sameFields, "0 1 0", [zero, zero.by(TransportBoundTests.farAddress)], [other])

    func pair(_ kind: String, _ edits: KeyValuePairs<String, String?>) -> [Said] {
      [Said.notify(kind).later(.at(1_000)), Said.notify(kind, edits).later(.at(2_000)).by(IPAddress(10, 0, 0, 10))]
    }
    Said.expect(.sameFields, "1 0 0", talk, pair("byebye", ["HOST": "x"]))
    Said.expect(.sameFields, "0 1 0", talk, pair("byebye", ["LOCATION": "http://192.168.1.10/x"]))
    Said.expect(.sameFields, "0 1 0", talk, pair("byebye", ["CACHE-CONTROL": "max-age=9"]))
    Said.expect(.sameFields, "1 0 0", talk, pair("update", ["LOCATION": "http://192.168.1.10/x"]))
    Said.expect(.sameFields, "0 1 0", talk, pair("update", ["CACHE-CONTROL": "max-age=9"]))
    let mixed = [pair("byebye", [:])[0], pair("update", [:])[1]]
    Said.expect(.sameFields, "0 0 0", talk, mixed)
  }

  @Test("messages of two targets, kinds or families are not compared, nor those before the second address was heard")
  func unlike() {
    let talk = [Said.alive(), Said.alive().by(TransportBoundTests.farAddress)]
    let root = Said.named("upnp:rootdevice", at: .at(2_000))
    Said.expect(.sameFields, "0 0 0", talk, [root])
    let update = Said.notify("update").later(.at(1_000))
    Said.expect(.sameFields, "0 0 0", talk, [update, root.by(TransportBoundTests.farAddress)])
    let signed: KeyValuePairs<String, String?> = ["HOST": "[FF02::C]:1900", "LOCATION": "http://[fe80::10]/d.xml"]
    let (v6, byebye) = (Said.alive(signed).overIPv6().later(.at(1_000)), Said.notify("byebye").later(.at(2_000)))
    Said.expect(.sameFields, "0 0 0", talk, [v6, byebye])
    let late = talk[1].later(.at(2_000))
    Said.expect(.sameFields, "0 0 0", [.alive(), Said.alive().later(.at(1_000)), late])
    Said.expect(.sameFields, "1 0 0", [.alive(), late, Said.alive().later(.at(3_000))])
  }

  @Test("a host of one address of each family is not on several interfaces, and without BOOTIDs it may be two hosts")
  func oneOfEach() {
    let signed: KeyValuePairs<String, String?> = ["HOST": "[FF02::C]:1900", "LOCATION": "http://[fe80::10]/d.xml"]
    func v6(_ time: Interval) -> Said { Said.alive(signed).overIPv6().later(time) }
    let families = [Said.alive(), v6(.at(1_000)), Said.alive().later(.at(2_000)), v6(.at(3_000))]
    Said.expect(.sameFields, "0 0 0", families, [Said.alive(["CONFIGID.UPNP.ORG": "2"]).later(.at(4_000))])
    Said.expect(.sameFields, "0 0 0", [.alive(), Said.alive(["CONFIGID.UPNP.ORG": "2"]).later(.at(1_000))])
    // Where it has two of one family, those of the other are compared by themselves.
    let edited: KeyValuePairs<String, String?> = [
      "HOST": "[FF02::C]:1900", "LOCATION": "http://[fe80::10]/d.xml", "CONFIGID.UPNP.ORG": "2",
    ]
    let two = [Said.alive(), Said.alive().by(TransportBoundTests.farAddress)]
    Said.expect(.sameFields, "0 0 0", two, [Said.alive(edited).overIPv6().later(.at(1_000))])
    let plain = Said.alive(["BOOTID.UPNP.ORG": nil])
    let other = Said.alive(["BOOTID.UPNP.ORG": nil, "CONFIGID.UPNP.ORG": "2"]).later(.at(1_000))
    let talk = [plain, plain.by(TransportBoundTests.farAddress)]
    Said.expect(.sameFields, "1 0 0", talk, [plain.later(.at(1_000))])
    Said.expect(.sameFields, "0 0 1", talk, [other])
    let run = Said.judged(talk + [other], Circumstances(isComplete: true))
    expectEqual(run.sum(.sameFields), "0 1 0")
  }

  @Test("the hop limit is looked at in multicast over IPv4 alone")
  func hopLimits() {
    let signed: KeyValuePairs<String, String?> = ["HOST": "[FF02::C]:1900", "LOCATION": "http://[fe80::10]/d.xml"]
    let rows: [(said: Said, tally: String)] = [
      (.alive(), "0 1 0"), (.search(), "0 1 0"), (.notify("byebye"), "0 1 0"), (.notify("update"), "0 1 0"),
      (.unicastSearch(), "0 0 0"), (.answer(), "0 0 0"), (Said.alive(signed).overIPv6(), "0 0 0"),
    ]
    for (number, row) in rows.enumerated() {
      let judgement = Said.judged([row.said.with { $0.hopLimit = 64 }])
      expectEqual(judgement.sum(.ttlEscape), row.tally, "row \(number)")
      expectEqual(judgement.sum(.ttlDefault), row.tally, "row \(number)")
    }
  }
}
