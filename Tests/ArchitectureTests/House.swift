import Foundation

/// The repository as these tests see it: text, below the folder that holds `Package.swift`.
enum House {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static let manifest = text(of: "Package.swift")
  static let rooms = RoomRow.rows(ofManifest: manifest)
  /// Every Swift file below `Sources`, in the order of their paths.
  static let sources = files(below: "Sources", ending: ".swift").map { SourceFile(path: $0, text: text(of: $0)) }

  static func text(of path: String) -> String {
    guard let data = try? Data(contentsOf: root.appendingPathComponent(path)) else { return "" }
    return String(decoding: data, as: UTF8.self)
  }

  /// Paths of files from the root on, sorted; folders whose names begin with a dot are left out.
  static func files(below folder: String, ending suffix: String = "") -> [String] {
    let base = root.appendingPathComponent(folder)
    guard let walk = FileManager.default.enumerator(atPath: base.path) else { return [] }
    var paths: [String] = []
    for case let path as String in walk where path.hasSuffix(suffix) {
      if path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) { continue }
      var isFolder: ObjCBool = false
      let exists = FileManager.default.fileExists(
        atPath: base.appendingPathComponent(path).path, isDirectory: &isFolder)
      if exists, !isFolder.boolValue { paths.append(folder + "/" + path) }
    }
    return paths.sorted()
  }
}

/// One Swift file with its words.
struct SourceFile {
  /// From the root on: `Sources/Wire/SSDP/USN.swift`.
  var path: String
  var lines: [Substring]
  var tokens: [Token]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    tokens = SwiftLexer.tokens(of: text)
  }

  /// The room that it lies in.
  var room: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }

  /// What stands behind `// <word>:` on a line or on a comment line of its own just above; `nil` where there is none.
  func remark(_ word: String, atLine line: Int) -> String? {
    for number in [line, line - 1] where lines.indices.contains(number - 1) {
      let text = lines[number - 1]
      guard let found = text.range(of: "// \(word):") else { continue }
      if number != line, !text[..<found.lowerBound].allSatisfy(\.isWhitespace) { continue }
      let reason = text[found.upperBound...].trimmingCharacters(in: .whitespaces)
      if !reason.isEmpty { return reason }
    }
    return nil
  }
}

/// A row of the table in `Package.swift`.
struct RoomRow: Hashable {
  var storey: Int
  var name: String
  var uses: [String]
  /// Modules of guests: products of other packages, or system libraries.
  var guests: [String]

  /// The module of a room without tools.
  static func module(_ name: String) -> String {
    if ImportRule.doors.contains(name) { return name }
    return name == "Facade" ? "Rollcall" : "Rollcall" + name
  }

  /// Reads `let rooms: [Room] = [ … ]`, and what the names of guests stand for.
  static func rows(ofManifest manifest: String) -> [RoomRow] {
    let products = guestProducts(ofManifest: manifest)
    guard let start = manifest.range(of: "let rooms: [Room] = ["),
      let end = manifest.range(of: "\n]\n", range: start.upperBound..<manifest.endIndex)
    else { return [] }
    return manifest[start.upperBound..<end.lowerBound].components(separatedBy: "Room(").dropFirst().compactMap { row in
      guard let storey = between(row, "storey: ", ",").flatMap({ Int($0) }), let name = between(row, "name: \"", "\"")
      else { return nil }
      return RoomRow(
        storey: storey, name: name, uses: names(between(row, "uses: [", "]")),
        guests: names(between(row, "guests: [", "]")).map { products[$0] ?? $0 })
    }
  }

  /// `let yams = Target.Dependency.product(name: "Yams", …)` makes `yams` stand for the module `Yams`; of a library of
  /// the system it is `.target`.
  private static func guestProducts(ofManifest manifest: String) -> [String: String] {
    var products: [String: String] = [:]
    for line in manifest.split(separator: "\n") {
      if let name = between(String(line), "let ", " = Target.Dependency."),
        let product = between(String(line), "name: \"", "\"")
      {
        products[name] = product
      }
    }
    return products
  }

  private static func between(_ text: String, _ opening: String, _ closing: String) -> String? {
    guard let start = text.range(of: opening),
      let end = text.range(of: closing, range: start.upperBound..<text.endIndex)
    else { return nil }
    return String(text[start.upperBound..<end.lowerBound])
  }

  private static func names(_ list: String?) -> [String] {
    (list ?? "").split { $0 == "," || $0.isWhitespace || $0 == "\"" }.map(String.init)
  }
}

/// Something that a rule found.
struct Offence: Hashable, CustomStringConvertible {
  var path: String
  var line: Int
  var what: String
  var description: String { "\(path):\(line): \(what)" }
}
