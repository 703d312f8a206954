import RollcallDevices
import Foundation
import RollcallExpectations
import RollcallScenarios
import Testing

@Suite("Scenarios as people read them")
struct ScenarioPrinterTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test("every committed scenario, printed with comments, reads back as the same value on short lines")
  func roundTrip() throws {
    let folder = ScenarioPrinterTests.root.appendingPathComponent("Scenarios")
    let names = try #require(FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String })
    let files = names.filter { $0.hasSuffix(".yaml") }
    #expect(files.count >= 40)
    for file in files {
      let yaml = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      let scenario = try Scenario(yaml: yaml, file: file)
      var printer = ScenarioPrinter(header: [
        "Printed by a test, which has a long line to say so: " + String(repeating: "word ", count: 40)
      ])
      printer.note(TreePath([.key("expect")]), ["A note."])
      for entry in scenario.inhabitants {
        printer.note(TreePath([.key("inhabitants"), .key(entry.name)]), ["Somebody."])
      }
      let text = printer.text(of: scenario)
      try expectEqual(Scenario(yaml: text, file: file), scenario, "\(file)")
      // What cannot be broken is one word, one payload line, or an entry that has to stay on its line.
      let long = text.split(separator: "\n").filter { $0.utf8.count > 160 }
      #expect(long.isEmpty, "\(file): \(long.first ?? "")")
    }
  }
}
