@testable import RollcallConformance
import RollcallExpectations
import Testing

@Suite("Clause catalogue")
struct CatalogueTests {
  @Test("it has 219 clauses, each in its place, with an id of its own")
  func places() {
    expectEqual(Clause.catalogue.count, 219)
    expectEqual(Clause.catalogue.map(\.number), ClauseID.allCases)
    expectEqual(Set(Clause.catalogue.map(\.id)).count, 219)
  }

  @Test("one clause alone is judged by two families, and none that is judged says why it is not")
  func families() {
    let all = SSDPJudge.families.flatMap { $0.clauses } + BluetoothJudge.clauses + MulticastJudge.clauses
    // An embedded device shows half of its set among the messages, and nothing of it only beside the description.
    expectEqual(Set(all.filter { clause in all.count { $0 == clause } > 1 }), [.embeddedTwo])
    expectEqual(all.filter { $0.clause.unchecked != nil }.map(\.clause.id), [])
  }

  @Test("every clause binds from an edition of its own catalogue on, and to a later one at most")
  func editions() {
    expectEqual(Catalogue.all.map(\.name), ["SSDP", "Bluetooth", "MDNS"])
    for catalogue in Catalogue.all {
      #expect(
        catalogue.editions == catalogue.editions.sorted() && Set(catalogue.editions).count == catalogue.editions.count)
      // 0 and 255 stand for nobody in the collector.
      #expect(catalogue.editions.allSatisfy { (1...254).contains($0.number) })
      for clause in catalogue.clauses {
        let known = [clause.since] + (clause.until.map { [$0] } ?? [])
        #expect(known.allSatisfy { catalogue.editions.contains($0) }, "\(clause.id)")
        #expect(clause.until.map { $0 >= clause.since } ?? true, "\(clause.id)")
      }
    }
    #expect(Catalogue.checked == Set(Catalogue.all.flatMap { $0.checked }) && Catalogue.checked.count > 90)
    expectEqual(Catalogue.all.map { $0.editions.map(\.number) }, [[10, 11, 20], [40], [1]])
    #expect([Edition.uda10, .uda11, .uda20].map(\.text) == ["1.0", "1.1", "2.0"] && Edition.uda11.name == "UDA 1.1")
  }

  @Test("there is room for more clauses than a byte can count")
  func room() { expectEqual(MemoryLayout<ClauseID.RawValue>.size, 2) }

  @Test("what rests on memory is never shown as must or should")
  func memory() {
    for clause in Clause.catalogue where clause.isFromMemory {
      expectEqual(clause.levelText, "from memory, not normative")
      expectEqual(clause.level, .hardening)
    }
    expectEqual(Clause.catalogue.filter(\.isFromMemory).map(\.id).count, 5 + 13 + 1)
  }

  @Test("a prohibition is told of what must or should be, and of no other level")
  func levels() {
    func texts(isProhibition: Bool) -> [String] {
      Clause.Level.allCases.map { level in
        var clause = ClauseID.aliveHost.clause
        (clause.level, clause.isProhibition) = (level, isProhibition)
        return clause.levelText
      }
    }
    expectEqual(texts(isProhibition: true), ["must not", "should not", "may", "hardening"])
    expectEqual(texts(isProhibition: false), ["must", "should", "may", "hardening"])
    expectEqual(Clause.descriptionRows.map(\.levelText), ["must not", "hardening"])
  }

  @Test("of a long text that is no id 64 bytes are compared: what stands behind them brings no id nearer")
  func nearest() {
    let first = Array(Clause.catalogue.map(\.id).prefix(3))
    expectEqual(first, ["UDA-1.2-GROUP4", "UDA-1-LISTEN-MC", "UDA-1-LISTEN-UC"])
    // No id has a byte of the 64, so all of them are equally far; many end with the E behind these.
    expectEqual(Clause.nearest(to: String(repeating: "_", count: 64) + "E"), first)
  }

  @Test("a word in front of numbers gives the clauses that it counts")
  func lists() {
    expectEqual(Clause.list(beginning: "md").map(\.id).prefix(2), ["MD-01", "MD-02"])
    expectEqual(Clause.list(beginning: "MD").count, 64)
    for word in ["", "M", "MD-01", "UDA", "BLE"] { expectEqual(Clause.list(beginning: word).count, 0) }
  }
}
