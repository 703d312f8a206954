import Foundation
import RollcallExpectations
@testable import RollcallTesting
import Testing

@Suite("A scenario in a test of another package") struct ScenarioTraitTests {
  @Test("the trait runs it before the body, which can look at what came of it", .scenario("lamp.yaml", seeds: 1...3))
  func passes() throws {
    let result = try #require(ScenarioTrait.result)
    expectEqual(result.runs.map(\.seed), [1, 2, 3])
    expectEqual(result.path.hasSuffix("/FacadeTests/Scenarios/lamp.yaml"), true, "\(result.path)")
  }

  @Test("the same as a call: of the first run that did not pass everything is attached")
  func call() throws {
    try expectEqual(expectScenario("lamp.yaml").passed, true)
    // That the test itself fails then is shown in Examples/own-engine.
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    let failed = try Scenario(contentsOf: folder + "/Scenarios/lamp-expected-to-expire.yaml").run()
    expectEqual(failed.passed, false)
    #expect(failed.description.contains("expected lost (expired) of lamp"))
    let files = ScenarioCheck.files(of: failed)
    expectEqual(
      files.map(\.name),
      ["timeline.txt", "trace", "pcapng"].map { "lamp-expected-to-expire-seed-1.\($0)" })
    expectEqual(files.map { !$0.bytes.isEmpty }, [true, true, true])
    expectEqual(Array(files[2].bytes.prefix(4)), [0x0A, 0x0D, 0x0D, 0x0A])
    expectEqual(ScenarioCheck.files(of: try expectScenario("lamp.yaml")).isEmpty, true)
  }

  @Test("where a bundle is named only its resources are looked at, and the error names them")
  func places() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    let place = ScenarioPlace(name: "lamp.yaml", folder: folder, filePath: "/nowhere/Tests.swift", module: "None")
    try expectEqual(place.path(), folder + "/Scenarios/lamp.yaml")
    let other = ScenarioPlace(name: "lamp.yaml", folder: "/nowhere", filePath: #filePath, module: "None")
    let error = #expect(throws: ScenarioError.self) { try other.path() }
    expectEqual(error?.description, "lamp.yaml: there is no such file in /nowhere, nor in Scenarios there")
    try expectEqual(
      ScenarioPlace(name: "/a/b.yaml", folder: nil, filePath: #filePath, module: "None").path(), "/a/b.yaml")
    #expect(throws: ScenarioError.self) { try ScenarioTrait.numbers(-1...2) }
    expectEqual(try ScenarioTrait.numbers(0...2), UInt64(0)...2)
  }

  #if os(Linux)
    @Test("the resources of a target are beside the program of the tests, in a bundle with the name of the target")
    func resources() throws {
      let module = "Tests\(UUID().uuidString)"
      let url = Bundle.main.bundleURL.appendingPathComponent("package_\(module).resources")
      try FileManager.default.createDirectory(
        at: url.appendingPathComponent("Contents/Resources"), withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: url) }
      // A bundle may have its resources in a folder of its own.
      let folder = Bundle(url: url)?.resourceURL?.path ?? url.path
      try Data().write(to: URL(fileURLWithPath: folder + "/only-there.yaml"))
      func place(_ module: String) -> ScenarioPlace {
        ScenarioPlace(name: "only-there.yaml", folder: nil, filePath: "/nowhere/Tests.swift", module: module)
      }
      expectEqual(try place(module).path(), folder + "/only-there.yaml")
      #expect(throws: ScenarioError.self) { try place("Other\(module)").path() }
    }
  #endif
}
