import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

/// The table of docs/manager.md that lists what devices can do: what stands there is what the code has.
@Suite("Names of capabilities") struct CapabilityTableTests {
  private struct Row: Equatable {
    var group: String
    var names: [String]
    var open: [String]
    var paired: [String]
  }

  /// The words between marks of code.
  private static func words(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
      String($0.element)
    }
  }

  private static func rows() throws -> [Row] {
    let page = try String(contentsOf: Places.root.appendingPathComponent("docs/manager.md"), encoding: .utf8)
    let lines = page.split(separator: "\n").drop { !$0.hasPrefix("| group |") }.dropFirst(2)
    return lines.prefix { $0.hasPrefix("|") }.map { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { words(String($0)) }
      return Row(group: cells[1].first ?? "", names: cells[2], open: cells[3], paired: cells[4])
    }
  }

  /// The services that have one of these.
  private static func services(_ names: [Capability], _ of: (ServiceRegistration) -> [Capability]) -> [String] {
    ServiceRegistration.standard.filter { service in of(service).contains { names.contains($0) } }.map(\.id)
  }

  @Test("the page has all of them, by group, and the services that offer any")
  func table() throws {
    let rows = CapabilityGroup.all.map { group in
      Row(
        group: group.name, names: group.capabilities.map { String($0.name.dropFirst(group.name.count + 1)) },
        open: CapabilityTableTests.services(group.capabilities) { $0.capabilities(at: .off) },
        paired: CapabilityTableTests.services(group.capabilities) { $0.pairedCapabilities })
    }
    let shown = try CapabilityTableTests.rows()
    expectEqual(shown.map(\.group), rows.map(\.group))
    for (found, expected) in zip(shown, rows) { expectEqual(found, expected, "\(expected.group)") }
  }

  @Test("groups and names are in order, each once, and the Any form of a group is met by its names alone")
  func order() {
    expectEqual(CapabilityGroup.all.map(\.name), CapabilityGroup.all.map(\.name).sorted())
    let names = CapabilityGroup.all.flatMap(\.capabilities)
    expectEqual(names, names.sorted())
    expectEqual(Set(names).count, names.count)
    for group in CapabilityGroup.all {
      expectEqual(names.filter { group.any.isMet(by: $0) }, group.capabilities, "\(group.name)")
      #expect(!group.capabilities.contains(group.any))
    }
  }

  @Test("what a service of the Connect SDK offers has a name of that list, and stands in it once")
  func offered() {
    let names = Set(CapabilityGroup.all.flatMap(\.capabilities))
    for service in ServiceRegistration.standard {
      let all = service.capabilities + service.pairedCapabilities
      expectEqual(all.filter { !names.contains($0) }, [], "\(service.id)")
      expectEqual(Set(all).count, all.count, "\(service.id)")
    }
    // What is not there is offered by nobody.
    let pin = Capability("WebAppLauncher.Pin")
    #expect(names.contains(pin) && !ServiceRegistration.webOS.capabilities.contains(pin))
  }
}
