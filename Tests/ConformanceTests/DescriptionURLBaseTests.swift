import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// URLBase of a description beside the LOCATION that leads to it.
@Suite("URLBase of a description") struct DescriptionURLBaseTests {
  /// `held violated inconclusive` of the two clauses.
  private func counts(_ talk: [Said]) -> [String] {
    let judgement = Said.judged(talk, .capture)
    return [ClauseID.noURLBase, .urlBaseHost].map { clause in
      let total = judgement.total(clause)
      return "\(total.held) \(total.violated) \(total.inconclusive)"
    }
  }

  private func findings(_ talk: [Said], _ clause: ClauseID) -> [String] {
    Said.judged(talk, .capture).rows.filter { $0.clause.number == clause }.map { row in
      row.finding.ruling == .violated ? "\(row.finding.expected); \(row.finding.found)" : row.finding.expected
    }
  }

  /// A device of UPnP 1.0, and its description.
  private func old(_ base: String?, configID: UInt32? = nil) -> [Said] {
    let server: KeyValuePairs<String, String?> = [
      "SERVER": "Linux/6.6 UPnP/1.0 Product/1.0", "BOOTID.UPNP.ORG": nil, "CONFIGID.UPNP.ORG": nil,
    ]
    var document = Said.document(configID: configID, base: base)
    (document.major, document.minor) = (1, 0)
    return Said.sets(at: .zero, server) + [.fetched(document, at: .seconds(5))] + Said.sets(at: .seconds(20), server)
  }

  private func new(_ base: String?) -> [Said] {
    Said.sets(at: .zero) + [.fetched(Said.document(base: base), at: .seconds(5))] + Said.sets(at: .seconds(20))
  }

  @Test("from UPnP 1.1 on there is none; under 1.0 there may be one, or an empty one")
  func editions() {
    expectEqual(counts(new(nil)), ["1 0 0", "0 0 0"])
    expectEqual(counts(new("http://192.168.1.10:49152/")), ["0 1 0", "1 0 0"])
    expectEqual(counts(new("")), ["0 1 0", "0 0 0"])
    expectEqual(counts(old(nil)), ["0 0 0", "0 0 0"])
    expectEqual(counts(old("")), ["0 0 0", "0 0 0"])
    expectEqual(counts(old("http://192.168.1.10/")), ["0 0 0", "1 0 0"])
    // What claims a later version than its own description says which of the two is wrong to nobody.
    var document = Said.document(configID: nil, base: "http://192.168.1.10/")
    (document.major, document.minor) = (1, 0)
    let talk = Said.sets(at: .zero) + [.fetched(document, at: .seconds(5))]
    expectEqual(counts(talk), ["0 0 1", "1 0 0"])
    expectEqual(
      findings(talk, .noURLBase), ["the device claims UPnP 2.0, its description UPnP 1.0, which has URLBase"])
  }

  @Test("its address is that of LOCATION, whatever its port and path; a name stays open, anything else is a breach")
  func addresses() {
    for base in ["http://192.168.1.10", "http://192.168.1.10:1/a/b?c", "HTTP://192.168.1.10:80/"] {
      expectEqual(counts(old(base))[1], "1 0 0", "\(base)")
    }
    let expected = "192.168.1.10, where the description came from, in URLBase"
    for base in ["http://192.168.1.11:49152/", "http://127.0.0.1:49152/", "http://[fe80::10]:49152/"] {
      expectEqual(findings(old(base), .urlBaseHost), ["\(expected); URLBase “\(base)”"])
    }
    for base in ["/upnp/", "192.168.1.10", "ftp://192.168.1.10/", "http://:80/", "http://192.168.1.10:0/"] {
      expectEqual(
        findings(old(base), .urlBaseHost), ["a whole URL in URLBase, or no URLBase; URLBase “\(base)”"], "\(base)")
    }
    expectEqual(
      findings(old("http://lamp.local/"), .urlBaseHost),
      ["URLBase “http://lamp.local/” has the name of a host, and nobody was asked for its address"])
  }

  @Test("the address of another LOCATION of the device stays open: it may be out of reach here")
  func otherLocation() {
    let other = "http://10.0.0.10:49152/description.xml"
    let elsewhere = Said.set(at: .seconds(1), ["LOCATION": other])
    let base = "http://10.0.0.10:49152/"
    let talk = Said.sets(at: .zero) + elsewhere + [.fetched(Said.document(base: base), at: .seconds(5))]
    expectEqual(
      findings(talk, .urlBaseHost),
      ["URLBase “\(base)” is at another LOCATION of the device, which may be out of reach here"])
  }

  @Test("each document is judged once, and only where the device that announces LOCATION is in it")
  func documents() {
    let base = "http://192.168.1.99/"
    let first = Said.fetched(Said.document(base: base), at: .seconds(5))
    let talk = Said.sets(at: .zero) + [first, first.later(.seconds(6))] + Said.sets(at: .seconds(20))
    expectEqual(counts(talk), ["0 1 0", "0 1 0"])
    expectEqual(counts(talk + [.fetched(Said.document(), at: .seconds(25))])[0], "1 1 0")
    let foreign = Said.document(udn: "uuid:" + Said.otherUUID, base: base)
    expectEqual(counts(Said.sets(at: .zero) + [.fetched(foreign, at: .seconds(5))]), ["0 0 0", "0 0 0"])
    // An embedded device without any message has no LOCATION.
    let part = Said.device(type: "urn:schemas-upnp-org:device:MediaServer:1", udn: "uuid:" + Said.otherUUID)
    let whole = Said.document(embedded: [part], base: base)
    expectEqual(counts(Said.sets(at: .zero) + [.fetched(whole, at: .seconds(5))]), ["0 1 0", "0 1 0"])
    // An announcement has to stand when the document is asked for, ten milliseconds before that is there.
    func expiring(_ wait: Interval) -> [String] {
      let root = Said.part("alive", "upnp:rootdevice", at: .zero, ["CACHE-CONTROL": "max-age=30"])
      return counts([root, .fetched(Said.document(base: base), at: .milliseconds(10) + wait)])
    }
    expectEqual(expiring(.seconds(30) - .nanoseconds(1)), ["0 1 0", "0 1 0"])
    expectEqual(expiring(.seconds(30)), ["0 0 0", "0 0 0"])
  }
}
