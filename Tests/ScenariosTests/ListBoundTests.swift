import RollcallExpectations
import Testing

@testable import RollcallScenarios

/// Lists of the language as long as is allowed, and one item longer.
@Suite("Lists of scenarios at their bounds") struct ListBoundTests {
  /// The first line of what is said of a document with so many items at `path`.
  private func said(of yaml: String, _ path: String, _ count: Int) throws -> String {
    let tree = try Composer.tree(of: "scenario: a\n" + yaml).get()
    let items = Tree.list(Array(repeating: .scalar("x"), count: count))
    let place = try #require(TreePath(path))
    let changed = try #require(tree.replacing(place, with: items))
    do {
      _ = try Scenario.read(changed, file: "x")
      return "none"
    } catch {
      return error.errors.first?.description ?? ""
    }
  }

  @Test("a list with one item too many is refused as a whole, and one that is full is read")
  func lists() throws {
    let tester = "kind: mdns-tester, lines: [{at: 1s}]"
    let inhabitants: [(keys: String, path: String, most: Int)] = [
      ("kind: root-device", "quirks", 64), ("kind: root-device", "services", 64), ("kind: root-device", "embedded", 32),
      ("kind: control-point", "oddities", 32), ("kind: responder", "quirks", 64),
      ("kind: responder", "unsolicited", 1_000), ("kind: reflector", "interfaces", 16),
      ("kind: recorded, sets: {all: []}", "sets.all", 1_000),
      ("kind: recorded, says: [{at: [0s], lines: []}]", "says[0].lines", 1_000), (tester, "lines", 1_000),
      (tester, "lines[0].ask", 256), (tester, "lines[0].known", 256), (tester, "lines[0].say", 256),
      (tester, "lines[0].propose", 256), ("kind: mdns-responder", "services", 1_000),
      ("kind: mdns-responder", "changes", 1_000), ("kind: mdns-responder", "quirks", 100),
      ("kind: peripheral", "quirks", 16), ("kind: peripheral", "services", 16), ("kind: peripheral", "solicits", 16),
      ("kind: peripheral", "service-data", 8), ("kind: peripheral", "manufacturer-data", 8),
      ("kind: peripheral", "gatt", 32), ("kind: peripheral", "then-gatt", 32),
      ("kind: peripheral, gatt: [{service: 180F}]", "gatt[0].includes", 8),
      ("kind: peripheral, gatt: [{service: 180F}]", "gatt[0].characteristics", 64), ("kind: nearby-peer", "info", 64),
    ]
    let others: [(yaml: String, path: String, most: Int)] = [
      ("tags: []", "tags", 32), ("engine: {}", "engine.interfaces", 16), ("engine: {}", "engine.browse", 64),
      ("engine: {manager: {}}", "engine.manager.services", 32),
      ("expect: [{conforms: {who: x}}]", "expect[0].conforms.keeps", 100),
      ("expect: [{conforms: {who: x}}]", "expect[0].conforms.ignores", 100),
    ]
    let rows = inhabitants.map { row in
      (yaml: "inhabitants: {x: {\(row.keys)}}", path: "inhabitants.x.\(row.path)", most: row.most)
    }
    for (yaml, path, most) in rows + others {
      try expectEqual(
        said(of: yaml, path, most + 1),
        "x: error: a list of \(most + 1), at most \(most) are allowed (at \(path))")
      let full = try said(of: yaml, path, most)
      #expect(!full.hasPrefix("x: error: a list of "), "\(path): \(full)")
    }
  }
}
