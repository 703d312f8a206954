/// What a change of a common kind costs: how many files have to be edited when an enum of all machines, reports or
/// documents gets one more case.
///
/// A file has to be edited where it goes through all cases in a `switch` without `default`. The rule finds such files;
/// the drills in `CONTRIBUTING.md` show the changes themselves.
enum DrillRule {
  /// - Parameters:
  ///   - cases: the names of all cases of the enum.
  ///   - home: the folder or file that declares the enum; what stands there is its own.
  /// - Returns: the other files that name every case in a switch without `default`, sorted.
  static func files(through cases: [String], home: String, in files: [SourceFile]) -> [String] {
    files.filter { !$0.path.hasPrefix(home) && switches($0.tokens).contains { goesThrough($0, cases) } }.map(\.path)
      .sorted()
  }

  /// The names of the cases that an enum declares.
  static func cases(of name: String, in tokens: [Token]) -> [String] {
    guard let start = tokens.indices.first(where: { tokens[$0].text == "enum" && text(tokens, $0 + 1) == name }),
      let open = tokens[start...].firstIndex(where: { $0.text == "{" })
    else { return [] }
    var found: [String] = []
    var depth = 0
    for index in open..<tokens.count {
      switch tokens[index].text {
      case "{", "(": depth += 1
      case "}", ")": depth -= 1
      case "case" where depth == 1 && text(tokens, index + 2) != ":": found.append(text(tokens, index + 1))
      default: break
      }
      if depth == 0 { break }
    }
    return found
  }

  /// The bodies of all switches of a file.
  private static func switches(_ tokens: [Token]) -> [ArraySlice<Token>] {
    tokens.indices.filter { tokens[$0].text == "switch" && text(tokens, $0 - 1) != "." }.compactMap { start in
      var round = 0
      guard
        let open = tokens.indices[start...].first(where: { index in
          if tokens[index].text == "(" { round += 1 }
          if tokens[index].text == ")" { round -= 1 }
          return tokens[index].text == "{" && round == 0
        })
      else { return nil }
      var depth = 0
      for index in open..<tokens.count {
        if tokens[index].text == "{" { depth += 1 }
        if tokens[index].text == "}" { depth -= 1 }
        if depth == 0 { return tokens[open...index] }
      }
      return nil
    }
  }

  private static func goesThrough(_ body: ArraySlice<Token>, _ cases: [String]) -> Bool {
    var named: Set<String> = []
    var depth = 0
    for index in body.indices {
      if body[index].text == "{" { depth += 1 }
      if body[index].text == "}" { depth -= 1 }
      // That of a subscript stands behind another word of its line.
      let isFirst = index == body.startIndex || body[index - 1].line < body[index].line || body[index - 1].text == "}"
      if depth == 1, isFirst, body[index].text == "default" { return false }
      if body[index].text == ".", body.indices.contains(index + 1) { named.insert(body[index + 1].text) }
    }
    return cases.allSatisfy(named.contains)
  }

  private static func text(_ tokens: [Token], _ index: Int) -> String {
    tokens.indices.contains(index) ? tokens[index].text : ""
  }
}
