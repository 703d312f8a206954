/// Inside a room the stairs go down only, too: of two folders one may use the types of the other, never both.
///
/// What it sees: types that a file declares at its top level and shows to others, by name. Files that lie in the room
/// itself are a folder of their own: they join the folders, or all folders stand on them. What it does not see:
/// functions, and members that another folder adds to a type.
enum FolderRule {
  private static let kinds: Set<String> = ["struct", "class", "enum", "protocol", "typealias", "actor"]

  /// A folder that uses a type of another one of the same room.
  struct Arrow: Hashable {
    var from: String
    var to: String
  }

  /// - Parameter files: of one room.
  /// - Returns: an offence for each pair of folders that lead back to each other, with the types and one file for each.
  static func offences(in files: [SourceFile]) -> [Offence] {
    var homes: [String: Set<String>] = [:]
    for file in files {
      for name in shown(file.tokens) { homes[name, default: []].insert(folder(of: file)) }
    }
    var uses: [Arrow: [String: String]] = [:]
    for file in files {
      let own = declared(file.tokens)
      for name in Set(file.tokens.map(\.text)).sorted() where !own.contains(name) {
        guard let home = homes[name], home.count == 1, let to = home.first, to != folder(of: file) else { continue }
        let arrow = Arrow(from: folder(of: file), to: to)
        if uses[arrow]?[name] == nil { uses[arrow, default: [:]][name] = file.path }
      }
    }
    let arrows = uses.keys.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
    return arrows.filter { leads(from: $0.to, to: $0.from, arrows) }.map { arrow in
      let names = (uses[arrow] ?? [:]).sorted { $0.key < $1.key }
      let what = names.prefix(3).map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
      return Offence(
        path: files.first.map { "Sources/" + $0.room } ?? "", line: 0,
        what: "\(arrow.from) uses \(arrow.to), which leads back to it: \(what)")
    }
  }

  /// The first folder below the room; `.`: the room itself.
  private static func folder(of file: SourceFile) -> String {
    let parts = file.path.split(separator: "/")
    return parts.count > 3 ? String(parts[2]) : "."
  }

  /// Types at the top level that other files may name.
  private static func shown(_ tokens: [Token]) -> Set<String> {
    var found: Set<String> = []
    var depth = 0
    var isPrivate = false
    for index in tokens.indices {
      switch tokens[index].text {
      case "{": depth += 1
      case "}":
        depth -= 1
        isPrivate = false
      case "private", "fileprivate": if depth == 0 { isPrivate = true }
      case let kind where depth == 0 && kinds.contains(kind) && index + 1 < tokens.count:
        if !isPrivate { found.insert(tokens[index + 1].text) }
        isPrivate = false
      case "extension", "func", "let", "var": if depth == 0 { isPrivate = false }
      default: break
      }
    }
    return found
  }

  /// Types at any depth.
  private static func declared(_ tokens: [Token]) -> Set<String> {
    var found: Set<String> = []
    for index in tokens.indices.dropLast() where kinds.contains(tokens[index].text) {
      found.insert(tokens[index + 1].text)
    }
    return found
  }

  private static func leads(from start: String, to end: String, _ arrows: [Arrow]) -> Bool {
    var seen: Set<String> = [start]
    var open = [start]
    while let one = open.popLast() {
      if one == end { return true }
      for arrow in arrows where arrow.from == one && seen.insert(arrow.to).inserted { open.append(arrow.to) }
    }
    return false
  }
}
