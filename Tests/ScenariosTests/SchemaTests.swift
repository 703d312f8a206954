import Foundation
import RollcallExpectations
import RollcallScenarios
import Testing

@Suite("Scenario schema") struct SchemaTests {
  @Test("the schema in Scenarios/ is the one that the reader's tables give; RECORD=1 writes it")
  func schema() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appending(path: "Scenarios/scenario.schema.json")
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(Scenario.schema.utf8).write(to: file)
      Issue.record("recorded \(file.lastPathComponent): read the diff, then run without RECORD")
      return
    }
    let written = try String(contentsOf: file, encoding: .utf8)
    expectEqual(written, Scenario.schema)
  }

  @Test("docs/scenarios.md is the page that the reader's tables give; RECORD=1 writes it")
  func reference() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appending(path: "docs/scenarios.md")
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(Scenario.reference.utf8).write(to: file)
      Issue.record("recorded \(file.lastPathComponent): read the diff, then run without RECORD")
      return
    }
    try expectEqual(String(contentsOf: file, encoding: .utf8), Scenario.reference)
  }

  @Test("the page has a line for each key of the schema, and a table for each mapping that it speaks of")
  func everyKey() throws {
    let json = try JSONSerialization.jsonObject(with: Data(Scenario.schema.utf8))
    let page = Scenario.reference
    var keys: Set<String> = []
    func walk(_ node: Any) {
      if let object = node as? [String: Any] {
        for key in (object["properties"] as? [String: Any] ?? [:]).keys { keys.insert(key) }
        for value in object.values { walk(value) }
      } else if let list = node as? [Any] {
        for value in list { walk(value) }
      }
    }
    walk(json)
    expectEqual(keys.filter { !page.contains("| `\($0)` | ") }.sorted(), [])
    let places = page.matches(of: /a mapping, see `([^`]+)`/).map { String($0.output.1) }
    expectEqual(places.filter { !page.contains("### `\($0)`\n") && !page.contains("## \($0)\n") }, [])
    let parts = page.matches(of: /\]\(#([a-z-]+)\)/).map { String($0.output.1) }
    expectEqual(parts.filter { !page.contains("### \($0)\n") }, [])
  }

  @Test("the schema is JSON, describes every key, and refers to nothing that is not there")
  func form() throws {
    let json = try JSONSerialization.jsonObject(with: Data(Scenario.schema.utf8))
    let root = try #require(json as? [String: Any])
    let definitions = try #require(root["$defs"] as? [String: Any])
    #expect(root["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
    var keys = 0
    func walk(_ node: Any) {
      if let object = node as? [String: Any] {
        if let reference = object["$ref"] as? String {
          #expect(definitions[String(reference.dropFirst("#/$defs/".count))] != nil, "\(reference)")
        }
        if let properties = object["properties"] as? [String: Any] {
          for (key, value) in properties {
            keys += 1
            #expect((value as? [String: Any])?["description"] is String, "\(key)")
          }
        }
        for value in object.values { walk(value) }
      } else if let list = node as? [Any] {
        for value in list { walk(value) }
      }
    }
    walk(json)
    #expect(keys > 200)
  }
}
