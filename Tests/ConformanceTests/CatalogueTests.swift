import RollcallConformance
import Testing

@Suite("Clause catalogue")
struct CatalogueTests {
  @Test("it has 139 clauses, each in its place, with an id of its own")
  func places() {
    #expect(Clause.catalogue.count == 139)
    #expect(Clause.catalogue.map(\.number) == ClauseID.allCases)
    #expect(Set(Clause.catalogue.map(\.id)).count == 139)
  }

  @Test("no clause is judged by two families, and none that is judged says why it is not")
  func families() {
    let all = ClauseChecks.families.flatMap { $0.clauses }
    #expect(all.count == Set(all).count)
    #expect(all.filter { $0.clause.unchecked != nil }.map(\.clause.id) == [])
  }

  @Test("what rests on memory is never shown as must or should")
  func memory() {
    for clause in Clause.catalogue where clause.isFromMemory {
      #expect(clause.levelText == "from memory, not normative")
      #expect(clause.level == .hardening)
    }
    #expect(Clause.catalogue.filter(\.isFromMemory).map(\.id).count == 5)
  }
}
