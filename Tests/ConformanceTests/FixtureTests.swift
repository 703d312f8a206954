import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Fixtures")
struct FixtureTests {
  @Test("one talk keeps the clause and gives no finding, the other breaks it and nothing else", arguments: Fixture.all)
  func bites(fixture: Fixture) throws {
    let clause = try #require(Clause.named(fixture.clause)).number
    let good = Said.judged(fixture.holds)
    expectEqual(good.lines.filter { !$0.contains(" inconclusive ") }, [])
    #expect(good.total(clause).held > 0)
    let bad = Said.judged(fixture.breaks)
    expectEqual(Set(bad.violated), Set([fixture.clause] + fixture.besides), "\(bad.lines)")
  }

  /// Every clause with a check is seen kept and seen broken somewhere in this suite.
  @Test("every clause with a check is kept by somebody and broken by somebody")
  func complete() {
    let broken = Set(
      MutantTests.table.flatMap(\.clauses) + Fixture.all.map(\.clause) + BehaviourFixture.all.map(\.clause)
        + BehaviourTests.stands.flatMap(\.clauses) + ScenarioJudgementTests.faults.map(\.clause)
        + ControlPointTests.clauses + BluetoothFixture.all.map(\.clause) + MulticastFixture.all.map(\.clause) + [
          "MD-36"
        ])
    let unbroken = Clause.catalogue.filter { Catalogue.checked.contains($0.number) && !broken.contains($0.id) }
    expectEqual(unbroken.map(\.id), [])
    let world = Stand.eventful.judged()
    let told = ScenarioJudgementTests.faults.map(\.clause) + ControlPointTests.clauses
    let seen = BehaviourFixture.all.map(\.clause) + BehaviourTests.stands.flatMap(\.clauses)
    let kept = Set(
      told + seen + Fixture.all.map(\.clause) + BluetoothFixture.all.map(\.clause) + MulticastFixture.all.map(\.clause)
        + ["MD-36"]
        + world.judged.filter { world.total($0).held > 0 }.map(\.clause.id))
    let unkept = Clause.catalogue.filter { Catalogue.checked.contains($0.number) && !kept.contains($0.id) }
    expectEqual(unkept.map(\.id), [])
  }

  @Test("what a file cut off is not judged")
  func cut() {
    let judgement = Said.judged([
      Said.alive().with {
        $0.text = String($0.text.prefix(80))
        $0.isCut = true
      }
    ])
    expectEqual(judgement.lines, [])
    expectEqual(judgement.cutCount, 1)
  }

  @Test("a sender is held to the version that it claims: BOOTID is asked of 1.1, and not of 1.0")
  func claims() {
    func findings(_ server: String?) -> [String] {
      let plain = Said.alive([
        "SERVER": server, "BOOTID.UPNP.ORG": nil, "CONFIGID.UPNP.ORG": nil,
      ])
      return Said.judged([plain]).violated
    }
    expectEqual(findings("Linux/6.6 UPnP/1.0 Product/1.0"), [])
    expectEqual(
      findings("Linux/6.6 UPnP/1.1 Product/1.0"), ["UDA-1.2.2-A-BOOTID", "UDA-1.2.2-A-CONFIGID"])
    expectEqual(findings(nil), ["UDA-1.2.2-A-SERVER"])
    // Without a token in SERVER, BOOTID tells that it is 1.1 or later.
    let silent = Said.judged([.alive(["SERVER": "Linux/6.6", "CONFIGID.UPNP.ORG": nil])])
    expectEqual(silent.violated, ["UDA-1.2.2-A-SERVER", "UDA-1.2.2-A-CONFIGID"])
    expectEqual(silent.parties.map(\.claim), [.uda11])
  }

  @Test("a byebye has no SERVER: its device's other messages say which version binds it")
  func byebyeClaim() {
    let byebye = Said.notify("byebye", ["BOOTID.UPNP.ORG": nil, "CONFIGID.UPNP.ORG": nil])
    expectEqual(Said.judged([byebye]).violated, [])
    #expect(Said.judged([.alive(), byebye]).violated.contains("UDA-1.2.3-BB-FIELDS"))
  }

  @Test("a breach that repeats is one finding with a count, and the list of a party is bounded")
  func bounded() {
    let same = Said.judged(Array(repeating: Said.alive(["HOST": nil]), count: 100))
    expectEqual(same.rows.filter { $0.clause.id == "UDA-1.2.2-A-HOST" }.map(\.finding.count), [100])
    let many = Said.judged((0..<100).map { Said.alive(["HOST": "host\($0)"]) })
    expectEqual(
      many.rows.count { $0.clause.id == "UDA-1.2.2-A-HOST" }, FindingCollector.findingsPerCellMaximum)
    expectEqual(many.total(.aliveHost).violated, 100)
  }
}
