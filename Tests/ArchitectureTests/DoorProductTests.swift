import Foundation
import RollcallExpectations
import Testing

/// The products that applications name to have `CoreBluetooth` and `MultipeerConnectivity`: what they are on each system,
/// and what others see of them.
@Suite("The products with names of Apple's") struct DoorProductTests {
  /// What `swift package dump-package` says of the products and targets.
  private struct Dump: Decodable {
    struct Product: Decodable {
      var name: String
      var targets: [String]
    }
    struct Target: Decodable {
      var name: String
      var type: String
      var path: String?
      var dependencies: [[String: Entry]]
    }
    /// The name that a dependency begins with, among whatever else stands there.
    struct Entry: Decodable {
      var name: String?
      init(from decoder: any Decoder) throws {
        if var list = try? decoder.unkeyedContainer() { name = try? list.decode(String.self) }
      }
    }
    var products: [Product]
    var targets: [Target]

    func product(_ name: String) -> [String]? { products.first { $0.name == name }?.targets }
    func paths(of names: [String]) -> [String?] { names.map { name in targets.first { $0.name == name }?.path } }
  }

  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "rollcall-door-\(UUID().uuidString)")

  private func write(_ text: String, to path: String) throws {
    let file = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  /// The manifest of this repository as it is read on a system, from a folder of its own: the one that runs the tests
  /// is locked.
  private func dump(on system: String) throws -> Dump {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(House.manifest, to: "Package.swift")
    let (exitCode, output) = try ManifestTests.run(
      ["swift", "package", "dump-package"], in: folder, secondsMaximum: 60,
      environment: ["ROLLCALL_MANIFEST_PLATFORM": system])
    try #require(exitCode == 0, "\(output)")
    let start = try #require(output.range(of: "{\n")?.lowerBound)
    return try JSONDecoder().decode(Dump.self, from: Data(output[start...].utf8))
  }

  @Test("on Linux they hold the modules with the names of Apple's, and the phones of a world")
  func onLinux() throws {
    let dump = try dump(on: "linux")
    let targets = try #require(dump.product("RollcallCoreBluetooth"))
    expectEqual(targets, ["CoreBluetooth", "RollcallPhones"])
    expectEqual(dump.paths(of: targets), ["Sources/CoreBluetooth", "Sources/Phones"])
    let peers = try #require(dump.product("RollcallMultipeerConnectivity"))
    expectEqual(peers, ["MultipeerConnectivity", "RollcallPhones"])
    expectEqual(dump.paths(of: peers), ["Sources/MultipeerConnectivity", "Sources/Phones"])
    #expect(!dump.targets.contains { $0.name.hasSuffix("Empty") })
    let names = Set(dump.targets.map(\.name))
    #expect(names.isSuperset(of: ["PhonesTests", "MultipeerConnectivityTests"]))
  }

  @Test("on Apple's systems each holds a module without a declaration, and none has the name of Apple's")
  func onApple() throws {
    let dump = try dump(on: "apple")
    let targets = try #require(dump.product("RollcallCoreBluetooth"))
    expectEqual(targets, ["RollcallCoreBluetoothEmpty"])
    expectEqual(dump.paths(of: targets), ["Sources/CoreBluetoothEmpty"])
    let peers = try #require(dump.product("RollcallMultipeerConnectivity"))
    expectEqual(peers, ["RollcallMultipeerConnectivityEmpty"])
    expectEqual(dump.paths(of: peers), ["Sources/MultipeerConnectivityEmpty"])
    let doors = ImportRule.doors
    #expect(!dump.targets.contains { doors.contains($0.name) || $0.name == "MultipeerConnectivityTests" })
    // What stands on the door is not there either, and nobody that is there needs it.
    let names = Set(dump.targets.map(\.name))
    let needed = dump.targets.flatMap(\.dependencies).flatMap { $0.values.compactMap(\.name) }
    #expect(needed.contains("RollcallPrimitives"))
    expectEqual(
      needed.filter { $0.hasPrefix("Rollcall") || doors.contains($0) }.filter { !names.contains($0) }, [])
    // Everything else is as it is on Linux.
    expectEqual(dump.product("RollcallTesting"), ["RollcallTesting"])
    #expect(names.isSuperset(of: ["rollcall-tool", "HarnessTests", "ArchitectureTests"]))
    // The empty modules have no declaration.
    for door in doors {
      let files = House.sources.filter { $0.room == door + "Empty" }
      expectEqual(files.map(\.path), ["Sources/\(door)Empty/Empty.swift"])
      #expect(files.flatMap(\.tokens).isEmpty)
    }
  }

  @Test("a system that the manifest does not know ends it with one line")
  func unknownSystem() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(House.manifest, to: "Package.swift")
    let (exitCode, output) = try ManifestTests.run(
      ["swift", "package", "dump-package"], in: folder, secondsMaximum: 60,
      environment: ["ROLLCALL_MANIFEST_PLATFORM": "windows"])
    #expect(exitCode != 0)
    #expect(output.contains("\nPackage.swift: ROLLCALL_MANIFEST_PLATFORM is neither apple nor linux\n"), "\(output)")
  }

  // MARK: - Packages beside it

  /// A package of one target, which depends on packages beside it.
  private func add(_ name: String, product: String, target: String, uses: [(product: String, package: String)] = [])
    throws
  {
    let dependencies = uses.map { ".package(path: \"../\($0.package)\")" }.joined(separator: ", ")
    let products = uses.map { ".product(name: \"\($0.product)\", package: \"\($0.package)\")" }
    try write(
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "\(name)", products: [.library(name: "\(product)", targets: ["\(target)"])],
        dependencies: [\(dependencies)],
        targets: [.target(name: "\(target)", dependencies: [\(products.joined(separator: ", "))])])
      """, to: "\(name)/Package.swift")
  }

  /// - Returns: the files in which the module was seen, in order.
  private func build(_ package: String) throws -> [String] {
    let (exitCode, output) = try ManifestTests.run(
      ["swift", "build", "-debug-info-format", "none"], in: folder.appendingPathComponent(package), secondsMaximum: 120)
    try #require(exitCode == 0, "\(output)")
    let seen = output.split(separator: "\n").filter { $0.contains("warning: seen by ") }
    return Set(seen.compactMap { $0.components(separatedBy: "seen by ").last }).sorted()
  }

  /// The modules of one build lie in one folder, which every target of the build is compiled with: that is what SwiftPM
  /// does, and docs/corebluetooth.md says what follows from it.
  @Test(
    "a package that asks canImport(CoreBluetooth) is told of it by every build that holds the product, and by no other")
  func strangers() throws {
    #if canImport(Darwin)
      print("skipped: packages beside RollcallCoreBluetooth: Apple's module is always there")
    #else
      defer { try? FileManager.default.removeItem(at: folder) }
      try add("Door", product: "RollcallCoreBluetooth", target: "CoreBluetooth")
      try write("public struct CBThing {}\n", to: "Door/Sources/CoreBluetooth/Thing.swift")
      try add("Stranger", product: "Stranger", target: "Stranger")
      try add(
        "App", product: "App", target: "App",
        uses: [("RollcallCoreBluetooth", "Door"), ("Stranger", "Stranger")])
      func question(_ name: String) -> String {
        "#if canImport(CoreBluetooth)\n#warning(\"seen by \(name)\")\n#endif\n"
      }
      try write("import CoreBluetooth\nimport Stranger\n" + question("App"), to: "App/Sources/App/App.swift")
      try write(question("Stranger"), to: "Stranger/Sources/Stranger/Stranger.swift")

      // Alone it sees nothing.
      try expectEqual(build("Stranger"), [])
      // Who depends on the product sees it. Whether the stranger does the first time depends on who is compiled first.
      #expect(try build("App").contains("App"))
      // Compiled once more, it sees what lies there by now.
      try write(question("Stranger") + "// changed\n", to: "Stranger/Sources/Stranger/Stranger.swift")
      #expect(try build("App").contains("Stranger"))
      // The remedy: a question of which the product is no part.
      try write(
        question("Stranger").replacingOccurrences(of: "(CoreBluetooth)", with: "(CoreBluetooth) && canImport(Darwin)"),
        to: "Stranger/Sources/Stranger/Stranger.swift")
      #expect(!(try build("App").contains("Stranger")))
    #endif
  }
}
