import RollcallConformance
import RollcallDevices
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Each bad habit of a device is caught by its own clauses, and by no others.
@Suite("Mutants")
struct MutantTests {
  /// The clauses that each quirk breaks in an eventful hour; `-`: none that can be seen there.
  static let table: [(quirk: String, clauses: [String])] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("mutants.tsv")
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").dropFirst().map { line in
      let cells = line.split(separator: "\t").map(String.init)
      return (cells[0], cells.count < 2 || cells[1] == "-" ? [] : cells[1].split(separator: " ").map(String.init))
    }
  }()

  @Test("every quirk is in the table once")
  func complete() {
    expectEqual(MutantTests.table.map(\.quirk), Quirk.catalogue.map(\.name))
  }

  @Test("a device with one quirk breaks the clauses of its row and no other", arguments: Quirk.catalogue.map(\.name))
  func caught(quirk: String) throws {
    let entry = try #require(Quirk.catalogue.first { $0.name == quirk })
    let row = try #require(MutantTests.table.first { $0.quirk == quirk })
    var stand = Stand.eventful
    stand.quirks = [entry.example]
    let judgement = stand.judged()
    if ProcessInfo.processInfo.environment["ROLLCALL_PRINT_MUTANTS"] != nil {
      let found = judgement.violatedByDevice
      print("MUTANT\t\(quirk)\t\(found.isEmpty ? "-" : found.joined(separator: " "))")
    }
    expectEqual(judgement.violatedByDevice, row.clauses, "\(judgement.lines.joined(separator: "\n"))")
  }

  @Test("a correct device breaks nothing, whatever happens around it", arguments: [1, 2, 3] as [UInt64])
  func correct(seed: UInt64) {
    var stand = Stand.eventful
    stand.seed = seed
    expectEqual(stand.judged().violatedByDevice, [])
    stand.hasIPv6 = true
    expectEqual(stand.judged().violatedByDevice, [])
  }

  @Test("where everybody is correct there is no finding at all, under every version of UDA")
  func quiet() {
    for version in UDAVersion.allCases {
      var stand = Stand()
      stand.description.uda = version
      stand.hasIPv6 = true
      // What takes a sample stays open in an hour.
      expectEqual(stand.judged().lines.filter { !$0.contains(": fewer than ") }, [])
    }
  }

  /// What the kinds of devices that living rooms have do wrong, all of it seen in the field.
  static let profiles: [(profile: Profile, clauses: [String])] = [
    (.basic, []),
    (.tv, ["UDA-1-TTL-DEFAULT", "UDA-1.2.2-A-SERVER", "UDA-1.3.3-FIELDS"]),
    (.speaker, ["UDA-1.1.4-UUID-FORM"]),
    (
      .lightBridge,
      ["UDA-1-TTL-DEFAULT", "UDA-1.2.2-USN-T1", "UDA-1.2.2-REPEAT", "UDA-1.2.2-RENEW-HALF", "UDA-1.2.2-A-CC-1800"]
    ),
    (
      .router,
      ["UDA-1-TTL-DEFAULT", "UDA-1.2.2-SVC1", "UDA-1.2.2-REPEAT", "UDA-1.2.2-RENEW-HALF", "UDA-1.2.2-A-CC-1800"]
    ),
    (.dialStick, ["UDA-1.2.2-NT-ENUM"]),
    (.mediaServer, []),
    (.windowsHost, []),
    (.smartPlug, []),
    (
      .camera,
      [
        "UDA-1-TTL-DEFAULT", "UDA-1.2.2-ROOT3", "UDA-1.2.2-A-CC-1800", "UDA-1.2.2-A-SERVER", "UDA-1.3.3-FIELDS",
      ]
    ),
  ]

  @Test("each profile breaks what its model in the field breaks, and no more")
  func profiles() {
    expectEqual(MutantTests.profiles.map(\.profile), Profile.allCases)
    for row in MutantTests.profiles {
      var stand = Stand()
      (stand.description, stand.quirks) = (row.profile.description, row.profile.quirks)
      let judgement = stand.judged()
      expectEqual(judgement.violatedByDevice, row.clauses, "\(row.profile): \(judgement.lines.joined(separator: "\n"))")
    }
  }
}
