import Foundation
import Testing

@testable import mutants

@Suite("The copy with mutants") struct WorkspaceTests {
  @Test("a copy that was built for some mutants has those alone, under the numbers of then, and still names them all")
  func built() throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("workspace-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    let room = root.appendingPathComponent("Sources/Trace")
    try FileManager.default.createDirectory(at: room, withIntermediateDirectories: true)
    for (name, sign) in [("A", "<"), ("B", ">")] {
      let text = "func \(name)(_ a: Int, _ b: Int) -> Bool { a \(sign) b }\n"
      try text.write(to: room.appendingPathComponent("\(name).swift"), atomically: true, encoding: .utf8)
    }
    func workspace(isBuilt: Bool) throws -> Workspace {
      let rooms = Room.all.filter { $0.name == "Trace" }
      return try Workspace(
        root: root, rooms: rooms, tests: [], unbuildable: [], isCheck: false, isBuilt: isBuilt)
    }
    func lines(_ mutants: [Mutant]) -> [String] { mutants.map { "\($0.number) \($0.key)" } }
    let first = try workspace(isBuilt: false)
    let wanted = first.mutants.filter { $0.key.file == "Trace/B" }
    #expect(!wanted.isEmpty && wanted.count < first.mutants.count)
    first.keep(only: wanted)
    try first.keepOriginals()
    try first.keepNumbers()
    // What the sources hold now does not count.
    try FileManager.default.removeItem(at: room.appendingPathComponent("A.swift"))
    let second = try workspace(isBuilt: true)
    #expect(lines(second.mutants) == lines(wanted))
    #expect(second.living == first.living)
    #expect(second.living.count > wanted.count)
  }

  @Test("the present tests replace those of a copy, and its sources stay")
  func renewedTests() throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("workspace-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    func write(_ path: String, _ text: String) throws {
      let url = root.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
    let copy = ".build-mutants/copy/"
    for (path, text) in [
      ("Sources/Trace/A.swift", "func a(_ a: Int) -> Bool { a < 2 }\n"), (copy + "Sources/Trace/A.swift", "built\n"),
      ("Tests/TraceTests/A.swift", "now\n"), (copy + "Tests/TraceTests/A.swift", "then\n"),
      (copy + "Tests/TraceTests/Gone.swift", "then\n"), ("docs/a.md", "page\n"), ("README.md", "now\n"),
      ("Makefile", "now\n"), (copy + "Makefile", "then\n"),
    ] { try write(path, text) }
    let rooms = Room.all.filter { $0.name == "Trace" }
    let workspace = try Workspace(root: root, rooms: rooms, tests: [], unbuildable: [], isCheck: false)
    try workspace.mirrorTests()
    let found =
      FileManager.default.enumerator(atPath: root.appendingPathComponent(copy).path)?
      .compactMap { $0 as? String }.sorted() ?? []
    let texts = found.compactMap { name in
      (try? String(contentsOf: root.appendingPathComponent(copy + name), encoding: .utf8)).map { "\(name): \($0)" }
    }
    #expect(
      texts == [
        "Makefile: now\n", "README.md: now\n", "Sources/Trace/A.swift: built\n", "Tests/TraceTests/A.swift: now\n",
        "docs/a.md: page\n",
      ])
  }

  @Test("where a value is read that no mutant may leave unset, the statements that set it are to blame")
  func unsetValues() throws {
    #expect(Workspace.unset("constant 'bytes' used before being initialized") == "bytes")
    #expect(Workspace.unset("cannot find 'bytes' in scope") == nil)
    let text = """
      func a(_ b: Int, _ c: inout Int) {
        let d: Int
        d = 1
        c = d
        use {
          let d: Int
          if b > 1 { d = 2 } else { d = 3 }
          let double = b
          c = double
          return d
        }
      }
      """
    let finder = SiteFinder(source: Array(text.utf8), defaulted: [])
    finder.walk(SiteFinder.parse(text))
    let file = Workspace.File(name: "A", source: Array(text.utf8), sites: finder.sites)
    func setters(_ name: String, _ reading: String) -> [String] {
      let place = text.range(of: reading).map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) } ?? 0
      return Workspace.setters(of: name, before: place, in: file)
        .map { String(decoding: file.source[$0.range], as: UTF8.self) }.sorted()
    }
    #expect(setters("d", "return d") == ["d = 2", "d = 3"])
    #expect(setters("d", "c = d") == ["d = 1"])
    #expect(setters("e", "return d") == [])
  }
}
