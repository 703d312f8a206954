import Foundation
import SwiftSyntax

/// A copy of the repository with mutants in it, and the program built of it.
final class Workspace {
  struct File {
    /// Below `Sources`, without `.swift`.
    var name: String
    var source: [UInt8]
    var sites: [Site]
  }

  let root: URL
  let copy: URL
  let scratch: URL
  /// The sources that the copy was made of, without mutants: numbers of mutants are places in them.
  private let originals: URL
  /// The numbers of the mutants that were built into the copy.
  private let numbers: URL
  /// Those that hold mutants of the copy.
  private(set) var files: [File] = []
  /// Those of the rooms, with a mutant in the copy or not.
  private var allFiles: [File] = []
  private(set) var mutants: [Mutant] = []
  /// Keys of all mutants that the sources of the rooms give, in the copy or not.
  private(set) var living: Set<Mutant.Key> = []
  private var numbering = ""
  /// Keys of what does not compile, as known from the table and as found now.
  private(set) var unbuildable: Set<Mutant.Key>

  /// Targets of tests that are built.
  let tests: [String]
  /// A few mutants, known to compile: built in a folder of its own.
  private let isCheck: Bool

  /// - Parameter isBuilt: the mutants are those of the copy as it was built, whatever the sources hold now.
  init(
    root: URL, rooms: [Room], tests: [String], unbuildable: Set<Mutant.Key>, isCheck: Bool, isBuilt: Bool = false
  ) throws {
    self.root = root
    self.tests = tests
    (self.unbuildable, self.isCheck) = (unbuildable, isCheck)
    let folder = root.appendingPathComponent(isCheck ? ".build-mutants/check" : ".build-mutants")
    copy = folder.appendingPathComponent("copy")
    scratch = folder.appendingPathComponent("scratch")
    originals = folder.appendingPathComponent("originals")
    numbers = folder.appendingPathComponent("numbers")
    func isAsked(_ file: String) -> Bool { rooms.contains { $0.owns(file) } }
    // A copy that was built for more rooms keeps the numbers of then.
    try find(below: isBuilt ? originals : root.appendingPathComponent("Sources")) { isBuilt || isAsked($0) }
    if files.isEmpty {
      throw Complaint(isBuilt ? "no copy was built: call with --build first" : "no source file is of these rooms")
    }
    nameAll()
    drop { !isAsked($0.file) }
    living = Set(mutants.map(\.key))
    allFiles = files
    dropUnbuildable()
    if isBuilt {
      // A mutant that is not in the copy would survive every test.
      let built = Set(try String(contentsOf: numbers, encoding: .utf8).split(separator: "\n").compactMap { Int($0) })
      keep(only: mutants.filter { built.contains($0.number) })
    }
  }

  // MARK: - Mutants

  private func find(below sources: URL, where isWanted: (String) -> Bool) throws {
    let chosen = try Self.swiftFiles(below: sources).filter(isWanted)
    var trees: [(name: String, text: String, tree: SourceFileSyntax)] = []
    let defaults = DefaultFinder()
    for name in chosen {
      let text = try String(contentsOf: sources.appendingPathComponent("\(name).swift"), encoding: .utf8)
      let tree = SiteFinder.parse(text)
      defaults.walk(tree)
      trees.append((name, text, tree))
    }
    for (name, text, tree) in trees {
      let finder = SiteFinder(source: Array(text.utf8), defaulted: defaults.found)
      finder.walk(tree)
      let sites = finder.sites.sorted {
        ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
      }
      files.append(File(name: name, source: Array(text.utf8), sites: sites))
    }
  }

  /// Gives each alternative its key and its number: once, so that neither depends on what compiles, and a file in which
  /// nothing was dropped is not compiled again.
  private func nameAll() {
    for file in files {
      var seen: [Mutant.Key: Int] = [:]
      var lines = LineCounter(file.source)
      for site in file.sites {
        for index in site.alternatives.indices {
          let one = site.alternatives[index]
          var key = Mutant.Key(file: file.name, function: site.function, text: one.label, ordinal: 0)
          seen[key, default: 0] += 1
          key.ordinal = seen[key] ?? 1
          let number = mutants.count + 1
          site.alternatives[index].key = key
          site.alternatives[index].number = number
          mutants.append(
            Mutant(number: number, key: key, change: one.change, line: lines.line(of: site.range.lowerBound)))
        }
      }
    }
    numbering = Self.numbering(of: mutants)
  }

  /// A name for the numbers of all mutants.
  ///
  /// It is a condition of every compilation: bodies of inlinable functions lie in modules that are not compiled again
  /// when such a body alone has changed, and would go on with the numbers of an earlier build.
  static func numbering(of mutants: [Mutant]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for mutant in mutants {
      for byte in "\(mutant.number) \(mutant.key.file) \(mutant.key.function) \(mutant.key.text)\n".utf8 {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
      }
    }
    return "MUTANTS_" + String(hash, radix: 16)
  }

  private func drop(where isDropped: (Mutant.Key) -> Bool) {
    for file in files { for site in file.sites { site.alternatives.removeAll { isDropped($0.key) } } }
    mutants.removeAll { isDropped($0.key) }
  }

  private func dropUnbuildable() { drop { unbuildable.contains($0) } }

  /// Leaves all mutants out but these; `living` still names them all.
  func keep(only chosen: [Mutant]) {
    let keys = Set(chosen.map(\.key))
    drop { !keys.contains($0) }
    files.removeAll { file in file.sites.allSatisfy(\.alternatives.isEmpty) }
  }

  // MARK: - Building

  /// Builds the tests with all mutants. What does not compile is left out and noted in `unbuildable`.
  ///
  /// Each module is built first by itself: where something does not compile, that costs the least.
  func build(say: (String) -> Void, keep: () throws -> Void) throws {
    try copyTree()
    try keepOriginals()
    for room in Room.all where !isCheck && files.contains(where: { room.owns($0.name) }) {
      try build(["--target", try target(of: room)], room.name, say, keep)
    }
    try build(["--build-tests"], "the tests", say, keep)
    try keepNumbers()
  }

  /// All sources of the rooms, also those without a mutant in the copy: numbers of mutants are places in all of them.
  func keepOriginals() throws {
    try? FileManager.default.removeItem(at: originals)
    for file in allFiles { try Self.write(file.source, to: originals.appendingPathComponent("\(file.name).swift")) }
  }

  func keepNumbers() throws {
    try Self.write(Array(mutants.map { "\($0.number)\n" }.joined().utf8), to: numbers)
  }

  /// The name of its module: that of what it stands in for, or its own behind that of this package; the facade has
  /// the name of the package alone.
  private func target(of room: Room) throws -> String {
    let manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
    let entry = manifest.components(separatedBy: "Room(").first { $0.contains("name: \"\(room.name)\"") } ?? ""
    if entry.contains("isDoor: true") { return room.name }
    return room.name == "Facade" ? "Rollcall" : "Rollcall" + room.name
  }

  private func build(_ what: [String], _ name: String, _ say: (String) -> Void, _ keep: () throws -> Void) throws {
    for round in 1...40 {
      let renderings = try writeSources()
      say("building \(name): \(mutants.count) mutants in \(files.count) files" + (round == 1 ? "" : ", round \(round)"))
      let result = try compile(what)
      if result.code == 0 { return }
      let before = unbuildable.count
      for error in Set(Self.errors(in: result.output)).sorted(by: { $0.description < $1.description }) {
        blame(error, renderings)
      }
      if unbuildable.count == before {
        throw Complaint("the mutated copy does not build, and no mutant is to blame:\n" + result.output.suffix(4_000))
      }
      say("  \(unbuildable.count - before) more do not compile, after \(Int(result.seconds)) s")
      dropUnbuildable()
      try keep()
    }
    throw Complaint("the mutated copy does not build after 40 rounds")
  }

  private func compile(_ what: [String]) throws -> Tool.Result {
    let flags = try String(contentsOf: root.appendingPathComponent("Tools/debug-flags"), encoding: .utf8)
      .split(whereSeparator: \.isWhitespace).map(String.init)
    return try Tool.run(
      ["swift", "build", "--package-path", copy.path, "--scratch-path", scratch.path] + flags
        // Built as the tests are: where all is optimised, the build takes longer than it spares the runs.
        + what
        + ["-Xswiftc", "-D", "-Xswiftc", numbering]
        + ["-Xswiftc", "-Xfrontend", "-Xswiftc", "-solver-expression-time-threshold=20"],
      // With the tool, which tests of its verbs start, and without the command plug-in, whose folder is not copied.
      environment: ["ROLLCALL_ONLY": (tests + ["rollcall"]).joined(separator: ","), "ROLLCALL_PLUGIN": "off"],
      seconds: 3_000)
  }

  /// Builds the present tests into a copy that was built: its sources and mutants stay as they are.
  func buildTests(say: (String) -> Void) throws {
    say("building the present tests")
    try mirrorTests()
    let result = try compile(["--build-tests"])
    if result.code == 0 { return }
    throw Complaint("the tests do not build beside the sources of the copy:\n" + result.output.suffix(4_000))
  }

  private struct CompileError: Hashable, CustomStringConvertible {
    var path: String
    var line: Int
    var column: Int
    var message: String
    var description: String { "\(path):\(line):\(column): \(message)" }
  }

  private static func errors(in output: String) -> [CompileError] {
    output.split(separator: "\n").compactMap { line in
      guard let mark = line.range(of: ": error: ") else { return nil }
      let parts = line[..<mark.lowerBound].split(separator: ":")
      guard parts.count == 3, let row = Int(parts[1]), let column = Int(parts[2]) else { return nil }
      return CompileError(path: String(parts[0]), line: row, column: column, message: String(line[mark.upperBound...]))
    }
  }

  private func blame(_ error: CompileError, _ renderings: [String: Renderer]) {
    guard let mark = error.path.range(of: "/copy/Sources/"), error.path.hasSuffix(".swift") else { return }
    let name = String(error.path[mark.upperBound...].dropLast(6))
    guard let rendering = renderings[name], let file = files.first(where: { $0.name == name }) else { return }
    func drop(_ sites: [Site]) -> Bool {
      var any = false
      for site in sites { for one in site.alternatives where unbuildable.insert(one.key).inserted { any = true } }
      return any
    }
    let isSlow = error.message.contains("reasonable time")
    if let site = rendering.site(line: error.line, column: error.column) {
      // An expression that takes too long loses all that is in it.
      let inside = isSlow ? file.sites.filter { site.range.contains($0.range.lowerBound) } : []
      if drop([site] + inside) { return }
    }
    guard let offset = rendering.originalOffset(line: error.line, column: error.column) else { return }
    if isSlow {
      let near = file.sites.filter { $0.range.lowerBound >= offset - 10 && $0.range.lowerBound < offset + 300 }
      if drop(near) { return }
    }
    if let name = Self.unset(error.message), drop(Self.setters(of: name, before: offset, in: file)) { return }
    let bodies = file.sites.filter {
      !$0.alternatives.isEmpty && ($0.body.contains(offset) || $0.body.upperBound == offset)
    }
    let innermost = bodies.map(\.body.count).min() ?? 0
    let here = bodies.filter { $0.body.count == innermost }
    if !drop(here.filter { $0.form == .statement }) { _ = drop(here) }
  }

  private func copyTree() throws {
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    try mirror("Sources", without: Set(files.map { "\($0.name).swift" }))
    try mirrorTests()
    let manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
    try Self.write(Array(Self.mutated(manifest: manifest).utf8), to: copy.appendingPathComponent("Package.swift"))
    let switchFolder = copy.appendingPathComponent("CMutants/include")
    try FileManager.default.createDirectory(at: switchFolder, withIntermediateDirectories: true)
    try Self.write(Array(MutantSwitch.header.utf8), to: switchFolder.appendingPathComponent("CMutants.h"))
    try Self.write(Array(MutantSwitch.code.utf8), to: copy.appendingPathComponent("CMutants/CMutants.c"))
  }

  /// The value that an error names as one that is used before it is set.
  static func unset(_ message: String) -> String? {
    guard message.contains("before being initialized") else { return nil }
    let parts = message.split(separator: "'", omittingEmptySubsequences: false)
    return parts.count == 3 ? String(parts[1]) : nil
  }

  /// The statements that set a value between its declaration and a place where it is read.
  static func setters(of name: String, before offset: Int, in file: File) -> [Site] {
    func text(_ range: Range<Int>) -> String { String(decoding: file.source[range], as: UTF8.self) }
    let before = text(0..<min(offset, file.source.count))
    guard let pattern = try? Regex("\\b(?:let|var) \(name)\\b"),
      let declaration = before.ranges(of: pattern).last?.lowerBound
    else { return [] }
    let start = before.utf8.distance(from: before.startIndex, to: declaration)
    return file.sites.filter { site in
      site.form == .statement && (start..<offset).contains(site.range.lowerBound)
        && text(site.range).hasPrefix(name + " =")
    }
  }

  /// The tests, and all that they read.
  func mirrorTests() throws {
    for folder in ["Tests", "Scenarios", "Captures", "docs", "Examples", "Tools"] { try mirror(folder, without: []) }
    let pages = try FileManager.default.contentsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".md") }
    for name in pages.sorted() + ["Makefile"] {
      try Self.write(Array(Data(contentsOf: root.appendingPathComponent(name))), to: copy.appendingPathComponent(name))
    }
  }

  /// Makes a folder of the copy as it is in the repository, but for files that are written otherwise.
  private func mirror(_ folder: String, without excluded: Set<String>) throws {
    let (from, to) = (root.appendingPathComponent(folder), copy.appendingPathComponent(folder))
    let manager = FileManager.default
    func files(below folder: URL) -> [String] {
      let all = manager.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
      var isFolder: ObjCBool = false
      return all.filter {
        manager.fileExists(atPath: folder.appendingPathComponent($0).path, isDirectory: &isFolder)
          && !isFolder.boolValue
      }
    }
    let wanted = files(below: from)
    for name in Set(files(below: to)).subtracting(wanted).sorted() {
      try manager.removeItem(at: to.appendingPathComponent(name))
    }
    for name in wanted where !excluded.contains(name) {
      try Self.write(Array(Data(contentsOf: from.appendingPathComponent(name))), to: to.appendingPathComponent(name))
    }
  }

  /// The manifest with the module of the switch under every room. Unused imports are no errors there.
  static func mutated(manifest: String) throws -> String {
    var text = manifest
    for (old, new) in [
      ("room.uses.map(dependency) + room.guests", "room.uses.map(dependency) + room.guests + [\"CMutants\"]"),
      (".treatAllWarnings(as: .error),", ""),
      (
        "var dependencies: [Package.Dependency] = []",
        "targets.append(.target(name: \"CMutants\", path: \"CMutants\"))\nvar dependencies: [Package.Dependency] = []"
      ),
    ] {
      guard text.contains(old) else { throw Complaint("Package.swift no longer has '\(old)': mend Tools/Mutants") }
      text = text.replacingOccurrences(of: old, with: new)
    }
    return text
  }

  private func writeSources() throws -> [String: Renderer] {
    var renderings: [String: Renderer] = [:]
    for file in files {
      let rendering = Renderer(prefix: "public import CMutants\n", source: file.source, sites: file.sites)
      renderings[file.name] = rendering
      try Self.write(rendering.bytes, to: copy.appendingPathComponent("Sources/\(file.name).swift"))
    }
    return renderings
  }

  /// Leaves a file alone that holds the same, so that it is not compiled again.
  private static func write(_ bytes: [UInt8], to url: URL) throws {
    if let old = try? Data(contentsOf: url), Array(old) == bytes { return }
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  private static func swiftFiles(below folder: URL) throws -> [String] {
    guard let all = FileManager.default.enumerator(atPath: folder.path) else {
      throw Complaint("\(folder.path): there is no such folder")
    }
    return all.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { String($0.dropLast(6)) }.sorted()
  }
}

/// Lines of a file, asked for in rising order.
private struct LineCounter {
  private let source: [UInt8]
  private var position = 0
  private var current = 1
  init(_ source: [UInt8]) { self.source = source }
  mutating func line(of offset: Int) -> Int {
    while position < offset {
      if source[position] == 10 { current += 1 }
      position += 1
    }
    return current
  }
}

struct Complaint: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
