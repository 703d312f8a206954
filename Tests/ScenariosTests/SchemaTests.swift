import Foundation
import Scenarios
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
    #expect(written == Scenario.schema)
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
