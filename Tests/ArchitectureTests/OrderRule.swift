/// Nobody goes through a Dictionary or a Set in its own order, which differs from process to process.
///
/// What it sees: names that the same file declares as one, by type or by what they are set to, and what the file does
/// with these names. What it does not see: a dictionary that a function of another file returns. A `.sorted` in the
/// same statement makes an order; `// ordered: <reason>` on the line, or on a line of its own above, says why none is
/// needed. The check by force, two processes and two digests, stands behind it.
enum OrderRule {
  /// Members that hand out elements in the collection's own order.
  private static let members: Set<String> = [
    "map", "flatMap", "compactMap", "forEach", "filter", "reduce", "keys", "values", "first", "min", "max",
    "enumerated", "makeIterator", "joined", "prefix", "dropFirst", "lazy", "popFirst", "description", "elements",
    "mapValues", "compactMapValues", "removeFirst",
  ]
  /// What may follow `keys` or `values`, since order does not show.
  private static let harmless: Set<String> = ["contains", "count", "isEmpty", "allSatisfy"]

  static func offences(in file: SourceFile) -> [Offence] {
    let tokens = file.tokens
    let names = unorderedNames(tokens)
    if names.isEmpty { return [] }
    func text(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }
    var offences: [Offence] = []
    for index in tokens.indices where names.contains(tokens[index].text) {
      let name = tokens[index].text
      let after = text(index + 1)
      let isLoop = isLoopedOver(tokens, index)
      var what: String?
      if after == "." || after == "?" && text(index + 2) == "." {
        let member = after == "." ? index + 2 : index + 3
        let isView = ["keys", "values"].contains(text(member))
        let isHarmless = isView && text(member + 1) == "." && harmless.contains(text(member + 2))
        if members.contains(text(member)), !isHarmless { what = "\(name).\(text(member))" }
      } else if isLoop, after == "{" || after == "where" {
        what = "for … in \(name)"
      } else if after == ")", text(index - 1) == "(", ["Array", "ContiguousArray", "zip"].contains(text(index - 2)) {
        what = "\(text(index - 2))(\(name))"
      } else if text(index - 1) == ":", text(index - 2) == "contentsOf" {
        what = "contentsOf: \(name)"
      }
      guard let what, !isSorted(tokens, from: index, isLoop: isLoop) else { continue }
      if file.remark("ordered", atLine: tokens[index].line) != nil { continue }
      offences.append(Offence(path: file.path, line: tokens[index].line, what: "\(what): no order"))
    }
    return offences
  }

  /// Whether `for … in` leads to the name at `index`, over `self.` and other owners.
  private static func isLoopedOver(_ tokens: [Token], _ index: Int) -> Bool {
    var start = index
    while start >= 2, tokens[start - 1].text == "." { start -= 2 }
    return start > 0 && tokens[start - 1].text == "in"
  }

  /// Whether the rest of the statement sorts. A loop's statement ends where its body begins.
  private static func isSorted(_ tokens: [Token], from start: Int, isLoop: Bool) -> Bool {
    var depth = 0
    for index in (start + 1)..<max(start + 1, tokens.count) {
      let token = tokens[index]
      if depth <= 0, token.line != tokens[index - 1].line, token.text != ".", token.text != ")", token.text != "}",
        token.text != "]"
      {
        return false
      }
      switch token.text {
      case "{" where isLoop && depth == 0: return false
      case "(", "[", "{": depth += 1
      case ")", "]": depth -= 1
      case "}":
        depth -= 1
        if depth < 0 { return false }
      case ";": if depth <= 0 { return false }
      case "sorted", "sort": if depth <= 0, tokens[index - 1].text == "." { return true }
      default: break
      }
    }
    return false
  }

  /// Names that are declared or set as a Dictionary or a Set anywhere in the file.
  static func unorderedNames(_ tokens: [Token]) -> Set<String> {
    var names: Set<String> = []
    func text(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }
    for index in tokens.indices.dropFirst() {
      guard isName(text(index - 1)) else { continue }
      var next = index + 1
      switch text(index) {
      case ":":
        while ["inout", "borrowing", "consuming", "any", "some"].contains(text(next)) { next += 1 }
        // The middle of `a ? b : [c: d]` names nothing.
        if text(index - 2) == "?" { continue }
        if isUnordered(tokens, next, allowsCall: false) { names.insert(text(index - 1)) }
      case "=":
        if text(next) != "=", isUnordered(tokens, next, allowsCall: true) { names.insert(text(index - 1)) }
      default: break
      }
    }
    return names
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.first, first.isLetter || first == "_" else { return false }
    return !["case", "default", "return", "in", "is", "as", "_"].contains(text)
  }

  /// Whether a type or value that begins here is `[K: V]`, `[:]`, `Set<`, `Dictionary<`, `Set(` or `Dictionary(`.
  private static func isUnordered(_ tokens: [Token], _ start: Int, allowsCall: Bool) -> Bool {
    guard tokens.indices.contains(start) else { return false }
    let after = tokens.indices.contains(start + 1) ? tokens[start + 1].text : ""
    switch tokens[start].text {
    case "Set", "Dictionary": return after == "<" || allowsCall && (after == "(" || after == ".")
    case "[": return holdsColon(tokens, start)
    default: return false
    }
  }

  /// Whether a colon stands directly inside the bracket that opens at `opening`, and is none of `a ? b : c`.
  private static func holdsColon(_ tokens: [Token], _ opening: Int) -> Bool {
    var depth = 0
    var questions = 0
    for index in opening..<tokens.count {
      switch tokens[index].text {
      case "(", "[", "{": depth += 1
      case ")", "]", "}": depth -= 1
      case "?" where depth == 1: questions += 1
      case "," where depth == 1: questions = 0
      case ":" where depth == 1: if questions == 0 { return true }
      default: break
      }
      if depth == 0 { return false }
    }
    return false
  }
}
