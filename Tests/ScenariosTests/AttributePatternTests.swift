import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// What is asked of the device of a report, services to browse, and how patterns are shown to people.
@Suite("Attributes, browsed services and texts of patterns") struct AttributePatternTests {
  private func attributes(_ change: (inout AttributePattern) -> Void) -> AttributePattern {
    var pattern = AttributePattern()
    change(&pattern)
    return pattern
  }
  private var whole: AttributePattern {
    attributes {
      $0.type = try? ServiceType("ipp", .tcp)
      ($0.name, $0.host) = ("Den", "p.local")
      ($0.port, $0.txt, $0.address) = (631, "a=1", IPAddress(10, 0, 0, 1))
    }
  }

  @Test("each key of attributes sets what it names, alone and beside all others, and is written as it was read")
  func keys() throws {
    let rows: [(yaml: String, pattern: AttributePattern)] = [
      ("{}", AttributePattern()), ("{name: Den}", attributes { $0.name = "Den" }),
      ("{type: \"_ipp._udp\"}", attributes { $0.type = try? ServiceType("ipp", .udp) }),
      ("{host: p.local}", attributes { $0.host = "p.local" }), ("{port: 0}", attributes { $0.port = 0 }),
      ("{port: 65535}", attributes { $0.port = 65_535 }), ("{txt: a=1}", attributes { $0.txt = "a=1" }),
      ("{address: 10.0.0.1}", attributes { $0.address = IPAddress(10, 0, 0, 1) }),
      ("{name: Den, type: \"_ipp._tcp\", host: p.local, port: 631, txt: a=1, address: 10.0.0.1}", whole),
    ]
    for (yaml, pattern) in rows {
      let answer = try FormBench.answer(Form<AttributePattern>.attributes, yaml)
      expectEqual(answer.said, [], "\(yaml)")
      expectEqual(answer.value, pattern, "\(yaml)")
      expectEqual(answer.written, yaml)
    }
    let refused: [(yaml: String, said: String)] = [
      ("{ports: 1}", "1:2 unknown key 'ports', did you mean 'port'?"),
      ("{port: 65536}", "1:8 '65536' is not a whole number from 0 to 65535 such as 3"),
      ("{type: ipp}", "1:8 'ipp' is not a type of service such as _ipp._tcp"),
      ("{host: ''}", "1:8 '' is not the name of a host such as printer.local"),
      ("Den", "1:1 expected a mapping, found 'Den'"),
    ]
    for (yaml, said) in refused {
      let answer = try FormBench.answer(Form<AttributePattern>.attributes, yaml)
      expectEqual(answer.said, [said])
      expectEqual(answer.value, nil)
    }
  }

  @Test("a device of which nothing is known meets no attribute but its address")
  func unknown() {
    let device = DeviceSighting(
      device: "uuid:a", provider: .ssdp, locator: Locator(.ip(IPAddress(10, 0, 0, 1))))
    let rows: [(pattern: AttributePattern, isMeant: Bool)] = [
      (AttributePattern(), true), (attributes { $0.address = IPAddress(10, 0, 0, 1) }, true),
      (attributes { $0.address = IPAddress(10, 0, 0, 2) }, false), (attributes { $0.name = "" }, false),
      (attributes { $0.type = try? ServiceType("ipp", .tcp) }, false), (attributes { $0.host = "p" }, false),
      (attributes { $0.port = 0 }, false), (attributes { $0.txt = "a" }, false),
    ]
    for (place, row) in rows.enumerated() { expectEqual(row.pattern.matches(device), row.isMeant, "row \(place)") }
  }

  @Test("one service to browse is written as a word, any other number of them as a list of up to 64")
  func browses() throws {
    let form = Form<[ServiceBrowse]>.browses
    let (all, ipp) = (ServiceBrowse.everything, ServiceBrowse.type("_ipp._tcp"))
    let rows: [(yaml: String, list: [ServiceBrowse], written: String)] = [
      ("all", [all], "all"), ("[all]", [all], "all"), ("_ipp._tcp", [ipp], "\"_ipp._tcp\""),
      ("[_ipp._tcp]", [ipp], "\"_ipp._tcp\""), ("[]", [], "[]"), ("[all, all]", [all, all], "[all, all]"),
      ("[_ipp._tcp, all]", [ipp, all], "[\"_ipp._tcp\", all]"),
      ("[all, _ipp._tcp, all]", [all, ipp, all], "[all, \"_ipp._tcp\", all]"),
    ]
    for (yaml, list, written) in rows {
      let answer = try FormBench.answer(form, yaml)
      expectEqual(answer.said, [], "\(yaml)")
      expectEqual(answer.value, list, "\(yaml)")
      expectEqual(answer.written, written, "\(yaml)")
    }
    expectEqual(FormBench.read(form, FormBench.many(64, .scalar("all"))).value?.count, 64)
    expectEqual(FormBench.read(form, FormBench.many(65, .scalar("all"))).said, ["a list of 65, at most 64 are allowed"])
    let noun = "services to browse such as _ipp._tcp, _color._sub._ipp._tcp or all"
    let refused: [(yaml: String, said: String)] = [
      ("ipp", "1:1 'ipp' is not \(noun)"), ("[all, ALL]", "1:7 'ALL' is not \(noun)"),
      ("{}", "1:1 expected \(noun), found a mapping"),
    ]
    for (yaml, said) in refused {
      let answer = try FormBench.answer(form, yaml)
      expectEqual(answer.said, [said])
      expectEqual(answer.value, nil)
    }
  }

  @Test("people read each detail that a pattern has, in one order, and nothing of what it has not")
  func texts() {
    expectEqual(AttributePattern().text, "")
    expectEqual(
      whole.text, "name Den, type _ipp._tcp.local, host p.local, port 631, txt a=1, address 10.0.0.1")
    for kind in PeripheralPattern.Kind.allCases {
      expectEqual(PeripheralPattern(kind, of: .anyone).text, kind.rawValue)
    }
    for kind in NearbyPattern.Kind.allCases { expectEqual(NearbyPattern(kind, of: .anyone).text, kind.rawValue) }
    var peripheral = PeripheralPattern(.disconnected, of: .anyone)
    peripheral.end = .closedByPeer
    expectEqual(peripheral.text, "disconnected (closed-by-peer)")
    peripheral = PeripheralPattern(.requestFailed, of: .anyone)
    peripheral.reason = .tooLong
    expectEqual(peripheral.text, "request-failed (too-long)")
    var nearby = NearbyPattern(.message, of: .anyone)
    (nearby.bytes, nearby.number, nearby.total) = (.exactly(3), .atLeast(2), CountRange(6, 7))
    expectEqual(nearby.text, "message (3 bytes, number 2.., 6..7 bytes in all)")
    nearby = NearbyPattern(.found, of: .anyone)
    nearby.info = "room=12"
    expectEqual(nearby.text, "peer-found (room=12)")
  }
}
