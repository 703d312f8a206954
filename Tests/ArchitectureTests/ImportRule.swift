/// A room imports what its row in the table says, and nothing else.
enum ImportRule {
  /// Rooms on these storeys know no clock, dice, task, thread, environment or file.
  static let pureStoreys = 0...3
  /// And one above them: it joins machines, and is a machine itself.
  static let pureRooms = ["Peers"]
  static func isPure(_ room: RoomRow) -> Bool { pureStoreys.contains(room.storey) || pureRooms.contains(room.name) }
  /// What rooms above may take from the system.
  static let systemModules = [
    "Foundation", "FoundationEssentials", "Dispatch", "Runtime", "Synchronization", "System", "Glibc", "Darwin", "Musl",
  ]
  /// Rooms with the name of a framework of Apple: the module is called as the room.
  static let doors = ["CoreBluetooth", "MultipeerConnectivity"]
  /// Compiler modules without any effect: vector instructions.
  static let effectless = ["_Builtin_intrinsics"]
  /// `Capture` opens files and devices in at most this many source files, each of which says why: `// outside: …`.
  static let outsideFilesMaximum = 2
  static let outsideModules = ["Glibc", "Darwin", "Musl"]

  struct Import: Hashable {
    var module: String
    var line: Int
  }

  static func imports(of file: SourceFile) -> [Import] {
    let tokens = file.tokens
    let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor"]
    var imports: [Import] = []
    for index in tokens.indices where tokens[index].text == "import" {
      let line = tokens[index].line
      var next = index + 1
      if next < tokens.count, kinds.contains(tokens[next].text) { next += 1 }
      guard next < tokens.count, tokens[next].line == line else { continue }
      // A label (`import: x`) or a member (`x.import`) is no import.
      guard tokens[next].text.first.map({ $0.isLetter || $0 == "_" }) == true else { continue }
      if index > 0, tokens[index - 1].line == line, tokens[index - 1].text == "." { continue }
      imports.append(Import(module: tokens[next].text, line: line))
    }
    return imports
  }

  static func offences(in files: [SourceFile], rooms: [RoomRow]) -> [Offence] {
    var offences: [Offence] = []
    var outsideFiles: [String] = []
    for file in files {
      guard let room = rooms.first(where: { $0.name == file.room }) else {
        // A system library is a module map and a header.
        offences.append(Offence(path: file.path, line: 1, what: "\(file.room) is no room of the table"))
        continue
      }
      let isPure = isPure(room)
      var allowed = room.uses.map(RoomRow.module) + room.guests + effectless
      if !isPure { allowed += systemModules }
      // It stands in tests of other packages.
      if room.name == "Testing" { allowed.append("Testing") }
      if room.name == "Capture", isOutside(file) { allowed += outsideModules }
      let found = imports(of: file)
      for imported in found where !allowed.contains(imported.module) {
        offences.append(
          Offence(path: file.path, line: imported.line, what: "\(room.name) may not import \(imported.module)"))
      }
      if isPure, found.contains(where: { outsideModules.contains($0.module) }) { outsideFiles.append(file.path) }
    }
    for path in outsideFiles.dropFirst(outsideFilesMaximum) {
      offences.append(Offence(path: path, line: 1, what: "more than \(outsideFilesMaximum) files reach outside"))
    }
    return offences
  }

  static func isOutside(_ file: SourceFile) -> Bool {
    file.lines.indices.contains { file.remark("outside", atLine: $0 + 1) != nil }
  }
}
