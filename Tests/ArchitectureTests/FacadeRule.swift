/// What a module shows to other packages at its top level: what it declares, and what it re-exports by name.
enum FacadeRule {
  static let namesMaximum = 40
  private static let kinds: Set<String> = [
    "struct", "class", "enum", "protocol", "actor", "typealias", "func", "let", "var", "macro",
  ]

  /// - Returns: the names, each once, sorted; a module that is re-exported as a whole is `*` and its name.
  static func names(in files: [SourceFile]) -> [String] {
    var names: Set<String> = []
    for file in files {
      var depth = 0
      let tokens = file.tokens
      for index in tokens.indices {
        switch tokens[index].text {
        case "{": depth += 1
        case "}": depth -= 1
        case "_exported":
          if let name = exported(tokens[(index + 1)...].prefix { $0.line == tokens[index].line }) { names.insert(name) }
        case "public" where depth == 0:
          if let name = declared(tokens[(index + 1)...]) { names.insert(name) }
        default: break
        }
      }
    }
    return names.sorted()
  }

  /// What `public import struct RollcallPrimitives.Digest` makes visible.
  private static func exported(_ words: ArraySlice<Token>) -> String? {
    guard let place = words.firstIndex(where: { $0.text == "import" }), let last = words.last else { return nil }
    let first = words[place...].dropFirst().first?.text ?? ""
    return kinds.contains(first) ? last.text : "* \(first)"
  }

  /// The name behind `public`; `nil`: it is an import or an extension, or no declaration at all.
  private static func declared(_ words: ArraySlice<Token>) -> String? {
    for index in words.indices {
      let word = words[index].text
      if kinds.contains(word), index + 1 < words.endIndex { return words[index + 1].text }
      guard ["final", "indirect", "nonisolated"].contains(word) else { return nil }
    }
    return nil
  }
}
