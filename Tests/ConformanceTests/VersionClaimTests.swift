import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// By which version of UDA a sender is bound, as SERVER and USER-AGENT say it.
@Suite("Versions that senders claim")
struct VersionClaimTests {
  @Test("a device is bound by the first product UPnP/x.y of its SERVER, and under 1.0 what stands around it is counted")
  func devices() {
    let server = "UDA-1.2.2-A-SERVER"
    let rows: [(server: String, breaks: [String], claim: Edition)] = [
      ("Linux/6.6 UPnP/1.0 Product/1", [], .uda10), ("Linux/6.6 UPnP/01.0 Product/1", [], .uda10),
      ("Linux/6.6,UPnP/1.0,Product/1", [], .uda10), ("Linux/6.6 UPnP/1.00 Product/1", [], .uda10),
      ("Linux/6.6 UPnP/1.00 Product", [server], .uda10),
      // Another product is no claim, and tells nothing of the three.
      ("Linux/6.6 XUPnP/1.1 Product/1", [server], .uda10), ("Linux XUPnP/1.0 Product/1", [server], .uda10),
      ("Linux/6.6 upnp/1.0 Product/1", [server], .uda10), ("XUPnP/1.1 UPnP/1.0 Product/1", [], .uda10),
      ("Linux XUPnP/1.0 UPnP/1.0 Product", [server], .uda10),
    ]
    for row in rows {
      let said = Said.alive(["SERVER": row.server, "BOOTID.UPNP.ORG": nil, "CONFIGID.UPNP.ORG": nil])
      let judgement = Said.judged([said])
      expectEqual(judgement.violated, row.breaks, "\(row.server)")
      expectEqual(judgement.parties.map(\.claim), [row.claim], "\(row.server)")
    }
    // From 1.1 on BOOTID is owed, however long the numbers are.
    let claims: [(String, Edition)] = [("1.1", .uda11), ("1.10", .uda11), ("2.0", .uda20), ("10.0", .uda20)]
    for (version, claim) in claims {
      let said = Said.alive(["SERVER": "Linux/6.6 UPnP/\(version) Product/1", "BOOTID.UPNP.ORG": nil])
      let judgement = Said.judged([said])
      expectEqual(judgement.sum(.aliveBootID), "0 1 0", "\(version)")
      expectEqual(judgement.parties.map(\.claim), [claim], "\(version)")
    }
  }

  @Test("a control point is bound by its USER-AGENT in the same way")
  func controlPoints() {
    let rows: [(agent: String?, breaks: [String], claim: Edition)] = [
      ("OS/1.0 UPnP/2.0 Product/1.0", ["UDA-1.3.2-CPFN"], .uda20),
      ("OS/1.0 UPnP/10.0 Product/1.0", ["UDA-1.3.2-CPFN"], .uda20), ("OS/1.0 UPnP/1.9 Product/1.0", [], .uda11),
      ("OS/1.0 XUPnP/2.0 Product/1.0", [], .uda10), ("OS/1.0 UPnP/2 Product/1.0", [], .uda10), (nil, [], .uda10),
    ]
    for row in rows {
      let judgement = Said.judged([.search(["USER-AGENT": row.agent, "CPFN.UPNP.ORG": nil])])
      expectEqual(judgement.violated, row.breaks, "\(row.agent ?? "none")")
      expectEqual(judgement.parties.map(\.claim), [row.claim], "\(row.agent ?? "none")")
    }
  }

  @Test("a name that an application said before claims nothing for its device: a byebye with a BOOTID is of 1.1")
  func namedBefore() {
    func claims(_ said: Said) -> [Edition] {
      let held = Course.note(.holds(device: "uuid:" + Said.otherUUID), at: .zero)
      let parties = Course.judged([held, said.sent(by: 1)]).parties
      return parties.filter { $0.role == .device }.map(\.claim)
    }
    let own = "uuid:\(Said.otherUUID)::\(Said.type)"
    expectEqual(claims(.notify("byebye", ["USN": own])), [.uda11])
    expectEqual(claims(.alive()), [.uda20])
  }

  @Test("a search with a flaw is of a control point, and so is what begins like one; other attempts are of devices")
  func roles() {
    let (search, alive) = (Said.search(), Said.alive())
    func roles(_ said: Said, _ old: String, _ new: String) -> [Party.Role] {
      Said.judged([said.with { $0.text = $0.text.replacing(old, with: new) }]).parties.map(\.role)
    }
    expectEqual(roles(search, "\r\n", "\n"), [.controlPoint])
    expectEqual(roles(search, "M-SEARCH *", "m-search *"), [.controlPoint])
    expectEqual(roles(alive, "\r\n", "\n"), [.device])
    expectEqual(roles(alive, "NOTIFY *", "notify *"), [.device])
    expectEqual(roles(search, "M-SEARCH *", "SEARCH *"), [])
  }

  @Test("what no reader takes for a message is bound by the first such product that stands in it")
  func unreadable() {
    let rows: [(product: String, breaks: [String], claim: Edition)] = [
      ("UPnP/1.0", [], .uda10), ("XUPnP/1.1", [], .uda10), ("UPnP/1", [], .uda10),
      ("UPnP/1.1", ["UDA-1.1.1-STARTLINE"], .uda11), ("UPnP/10.0", ["UDA-1.1.1-STARTLINE"], .uda20),
    ]
    for row in rows {
      let said = Said.alive(["SERVER": "Linux/6.6 \(row.product) Product/1.0"]).with {
        $0.text = $0.text.replacing("NOTIFY *", with: "notify *")
      }
      let judgement = Said.judged([said])
      expectEqual(judgement.violated, row.breaks, "\(row.product)")
      expectEqual(judgement.parties.map(\.claim), [row.claim], "\(row.product)")
    }
  }
}
