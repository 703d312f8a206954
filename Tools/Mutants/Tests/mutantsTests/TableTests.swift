import Foundation
import Testing

@testable import mutants

@Suite("The table of results")
struct TableTests {
  private func mutant(_ number: Int, _ text: String, file: String = "Trace/Gate") -> Mutant {
    Mutant(
      number: number, key: Mutant.Key(file: file, function: "f()", text: text, ordinal: 1), change: .constant, line: 1)
  }

  private func campaign(_ statuses: [Table.Status]) -> Campaign {
    var table = Table()
    let mutants = statuses.indices.map { mutant($0 + 1, "a\($0) -> b") }
    for (one, status) in zip(mutants, statuses) {
      table.rows[one.key] = Table.Row(status: status, note: "because", change: one.change.rawValue)
    }
    let room = Room(name: "Trace", nearTests: [])
    return Campaign(
      rooms: [room], tables: [table], mutants: mutants,
      tests: Tests(program: URL(fileURLWithPath: "/nowhere"), folder: URL(fileURLWithPath: "/")), jobs: 1,
      builtTests: [])
  }

  @Test("what is written is read again, row for row")
  func roundTrip() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("table-\(UUID().uuidString).tsv")
    defer { try? FileManager.default.removeItem(at: url) }
    var table = Table()
    table.rows[mutant(1, "a -> b").key] = Table.Row(status: .killed, note: "T.s/f()", change: "constant moved")
    table.rows[mutant(2, "c -> ").key] = Table.Row(status: .survived, note: "", change: "statement dropped")
    try table.write(to: url)
    #expect(try Table(at: url).text == table.text)
    #expect(table.text.split(separator: "\n").count == 3)
  }

  @Test("an equivalent mutant without a reason is refused, and so is a row that lacks a column")
  func refused() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("table-\(UUID().uuidString).tsv")
    defer { try? FileManager.default.removeItem(at: url) }
    for row in ["equivalent\t\tconstant moved\tTrace/Gate\tf()\ta -> b\t1", "killed\tT\tTrace/Gate\tf()\ta -> b\t1"] {
      try (Table.head + "\n" + row + "\n").write(to: url, atomically: true, encoding: .utf8)
      #expect(throws: Complaint.self) { try Table(at: url) }
    }
  }

  @Test("one survivor in twenty is all right, and one more is not, nor one that was not run; of equivalents one in ten")
  func bounds() {
    func isGood(_ statuses: [Table.Status], unknown: Int = 0) -> Bool {
      var isGood = true
      var campaign = campaign(statuses)
      campaign.living.formUnion((0..<unknown).map { mutant(100 + $0, "b\($0) -> c").key })
      _ = campaign.account(survivors: 5, equivalents: 10, isGood: &isGood)
      return isGood
    }
    let killed = [Table.Status](repeating: .killed, count: 17)
    #expect(isGood(killed + [.survived, .equivalent, .equivalent]))
    #expect(!isGood(killed + [.survived, .survived, .equivalent]))
    #expect(!isGood(killed + [.equivalent, .equivalent, .equivalent]))
    #expect(isGood(killed + [.equivalent, .equivalent], unknown: 1))
    #expect(!isGood(killed + [.survived, .equivalent], unknown: 1))
  }

  @Test("a draw is the same for the same seed, whatever else is there, and another for another seed")
  func draw() {
    let many = (1...500).map { mutant($0, "a\($0) -> b") }
    let drawn = Campaign.draw(40, of: many, seed: 1).map(\.key)
    #expect(drawn.count == 40 && drawn == Campaign.draw(40, of: many.reversed(), seed: 1).map(\.key))
    #expect(drawn != Campaign.draw(40, of: many, seed: 2).map(\.key))
    let fewer = many.filter { !drawn.contains($0.key) || $0.number % 2 == 0 }
    #expect(
      Set(Campaign.draw(40, of: fewer, seed: 1).map(\.key)).isSuperset(
        of: drawn.filter { key in fewer.contains { $0.key == key } }))
  }

  @Test("the test that failed first is named, by its id")
  func events() {
    let events = """
      {"kind":"event","payload":{"kind":"testStarted","testID":"A.B/c()/F.swift:1:2"},"version":0}
      {"kind":"event","payload":{"kind":"issueRecorded","testID":"A.B/d()/F.swift:9:2"},"version":0}
      """
    #expect(Tests.failed(in: events, among: ["A.B/c()", "A.B/d()"]) == "A.B/d()")
    #expect(Tests.failed(in: "", among: ["A.B/c()"]) == nil)
  }

  @Test("a program's output, its code, the signal that ended it, its folder and its time are told")
  func programs() throws {
    func run(_ line: String, seconds: Double = 60) throws -> Tool.Result {
      try Tool.run(
        ["sh", "-c", line], environment: ["WORD": "yes"], folder: URL(fileURLWithPath: "/usr"), seconds: seconds)
    }
    let told = try run("echo $WORD; pwd; echo wrong >&2; exit 3")
    #expect(told.code == 3 && told.output == "yes\n/usr\nwrong\n")
    #expect(try run("kill -SEGV $$").code == 128 + SIGSEGV)
    #expect(try run("kill -KILL $$").code == 128 + SIGKILL)
    let late = try run("exec sleep 60", seconds: 0.2)
    #expect(late.code == nil && late.seconds < 30)
  }

  @Test("the manifest of the copy has the switch under every module; one that has changed too much is refused")
  func manifest() throws {
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let text = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
    let mutated = try Workspace.mutated(manifest: text)
    #expect(mutated.contains("+ [\"CMutants\"]") && !mutated.contains("treatAllWarnings"))
    #expect(throws: Complaint.self) { try Workspace.mutated(manifest: "let package = Package()") }
  }

  @Test("a build has a name for the numbers of its mutants, which is another where one number is")
  func numbering() {
    let some = [mutant(1, "a -> b"), mutant(2, "b -> c")]
    #expect(Workspace.numbering(of: some) == Workspace.numbering(of: some))
    #expect(Workspace.numbering(of: some) != Workspace.numbering(of: [mutant(1, "a -> b"), mutant(3, "b -> c")]))
    #expect(Workspace.numbering(of: some) != Workspace.numbering(of: [some[0]]))
    #expect(Workspace.numbering(of: some).hasPrefix("MUTANTS_"))
  }
}
