import RollcallPrimitives

/// Everything of a page that is no diagram: what it came to, expectations, the two sides of a comparison, clauses, and
/// what was left out. It is there without JavaScript; with it, places lead into the diagram.
enum PictureTablesHTML {
  static func body(_ picture: Picture) -> String {
    var parts = [
      header(picture.verb, picture.title, picture.outcome, picture.facts),
      "<main>\n<section id=\"diagram\" aria-label=\"Diagram\" hidden></section>\n",
    ]
    parts.append("<noscript><p class=\"note\">The diagram needs JavaScript; all else is below.</p></noscript>\n")
    parts += expectations(picture)
    if let comparison = picture.comparison { parts += self.comparison(comparison, picture.unit) }
    if let matrix = picture.matrix { parts += clauses(matrix, picture.unit) }
    parts += leftOut(picture.leftOut)
    parts.append("</main>\n")
    return parts.joined()
  }

  private static func text(_ text: String) -> String { PictureHTML.escaped(text) }

  // MARK: - Pieces, of other pages too

  static func header(_ verb: String, _ title: String, _ outcome: Picture.Outcome?, _ facts: [Picture.Fact]) -> String {
    let facts = facts.map { fact in
      "<div><dt>\(text(fact.name))</dt><dd>\(text(fact.value))</dd></div>\n"
    }
    let outcome = outcome.map { "<p class=\"verdict \($0.grade.rawValue)\">\(text($0.text))</p>\n" } ?? ""
    return "<header>\n<p class=\"verb\">\(text(verb))</p>\n<h1>\(text(title))</h1>\n\(outcome)"
      + "<dl class=\"facts\">\n\(facts.joined())</dl>\n</header>\n"
  }

  /// A table in a box that scrolls where it is too wide.
  static func table(_ heads: [String], _ rows: [String], style: String = "") -> String {
    let head = heads.map { "<th scope=\"col\">\($0)</th>" }.joined()
    return "<div class=\"wide\" tabindex=\"0\"><table\(style.isEmpty ? "" : " class=\"\(style)\"")>\n"
      + "<thead><tr>\(head)</tr></thead>\n<tbody>\n\(rows.joined())</tbody>\n</table></div>\n"
  }

  static func cell(_ content: String, _ style: String = "") -> String {
    style.isEmpty ? "<td>\(content)</td>" : "<td class=\"\(style)\">\(content)</td>"
  }

  /// A place that leads into the diagram.
  private static func jump(_ attribute: String, _ value: String, _ shown: String, isProblem: Bool) -> String {
    "<span class=\"jump\(isProblem ? " problem" : "")\" data-\(attribute)=\"\(value)\">\(text(shown))</span>"
  }

  private static func place(_ number: Int, _ unit: Picture.Unit, isProblem: Bool = false) -> String {
    number > 0 ? jump("number", "\(number)", "\(unit.rawValue) \(number)", isProblem: isProblem) : "at the end"
  }

  // MARK: - Expectations

  private static let signs: [Picture.Grade: String] = [.good: "✓", .bad: "✘", .open: "?"]

  private static func expectations(_ picture: Picture) -> [String] {
    if picture.expectations.isEmpty { return [] }
    let rows = picture.expectations.map { one -> String in
      let isBad = one.outcome.grade == .bad
      let moment = one.time.map {
        jump("time", "\($0.nanoseconds)", $0.seconds(decimals: 9) + " s", isProblem: isBad)
      }
      let cells = [
        cell(text(one.id)),
        cell("\(signs[one.outcome.grade] ?? "") \(text(one.outcome.text))", one.outcome.grade.rawValue),
        cell("<code>\(text(one.text))</code>" + (one.place.isEmpty ? "" : "<br><small>\(text(one.place))</small>")),
        cell(text(one.expected)), cell(text(one.found)), cell(moment ?? ""),
      ]
      return "<tr>\(cells.joined())</tr>\n"
    }
    let heads = ["id", "outcome", "expectation", "expected", "found", "when"]
    return ["<section id=\"expectations\">\n<h2>Expectations</h2>\n", table(heads, rows), "</section>\n"]
  }

  // MARK: - Two sides

  private static func comparison(_ comparison: PictureComparison, _ unit: Picture.Unit) -> [String] {
    let words: [PictureComparison.Row.Mark: String] = [
      .equal: "equal", .changed: "changed", .onlyA: "only A", .onlyB: "only B",
    ]
    let rows = comparison.rows.map { row -> String in
      let isEqual = row.mark == .equal
      let cells = [
        cell(words[row.mark] ?? "", isEqual ? "" : "bad"), side(row.a, isProblem: !isEqual),
        side(row.b, isProblem: !isEqual && row.a == nil),
      ]
      return "<tr>\(cells.joined())</tr>\n"
    }
    var parts = ["<section id=\"differences\">\n<h2>Differences</h2>\n"]
    if rows.isEmpty {
      parts.append("<p class=\"note\">No report differs.</p>\n")
    } else {
      parts.append(table(["", "A: \(text(comparison.titleA))", "B: \(text(comparison.titleB))"], rows))
    }
    if let datagram = comparison.datagram {
      parts.append("<h3>What made the difference: \(text(datagram.title))</h3>\n")
      let fields = datagram.fields.map { "<tr><th scope=\"row\">\(text($0.name))</th>\(cell(text($0.value)))</tr>\n" }
      let made = [("A made of it", datagram.madeA), ("B made of it", datagram.madeB)].map { name, made in
        "<tr><th scope=\"row\">\(name)</th>\(cell(made.map(text).joined(separator: "<br>")))</tr>\n"
      }
      parts.append(table(["", ""], fields + made))
    }
    parts.append("</section>\n")
    return parts
  }

  private static func side(_ entry: PictureComparison.Entry?, isProblem: Bool) -> String {
    guard let entry else { return cell("") }
    let time = entry.time + " s"
    let place = entry.mark >= 0 ? jump("mark", "\(entry.mark)", time, isProblem: isProblem) : text(time)
    return cell("\(place)<br><span class=\"mono\">\(text(entry.text))</span>")
  }

  // MARK: - Clauses

  private static func clauses(_ matrix: PictureMatrix, _ unit: Picture.Unit) -> [String] {
    let telling = matrix.rows.filter { $0.cells.contains { $0.mark == .violated || $0.mark == .inconclusive } }
    let held = matrix.rows.filter { row in !row.cells.contains { $0.mark == .violated || $0.mark == .inconclusive } }
    var parts = ["<section id=\"clauses\">\n<h2>Clauses</h2>\n"]
    parts.append(
      "<p class=\"note\">\(held.count) held wherever they were exercised, \(telling.count) broken or in doubt, "
        + "\(matrix.notExercisedCount) not exercised. ✘ broken, ? in doubt, ✓ held, · not exercised; each with its "
        + "occasions. A cell leads to its first \(unit.rawValue).</p>\n")
    if !telling.isEmpty { parts.append(table(heads(matrix), telling.map { row($0) }, style: "matrix")) }
    if !held.isEmpty {
      parts.append("<details><summary>\(held.count) clauses that were held</summary>\n")
      parts.append(table(heads(matrix), held.map { row($0) }, style: "matrix"))
      parts.append("</details>\n")
    }
    parts += findings(matrix, unit)
    parts.append("</section>\n")
    return parts
  }

  private static func heads(_ matrix: PictureMatrix) -> [String] {
    ["clause", "level"]
      + matrix.parties.map { "\(text($0.name))<small>\(text($0.role))</small><small>\(text($0.detail))</small>" }
  }

  private static func row(_ row: PictureMatrix.Row) -> String {
    let cells = row.cells.map { one -> String in
      switch one.mark {
      case .held: cell("✓ <small>\(one.count)</small>", "good")
      case .violated: cell(found("✘", one), "bad")
      case .inconclusive: cell(found("?", one), "open")
      case .notExercised: cell("·")
      }
    }
    return "<tr><th scope=\"row\">\(text(row.clause))<small>\(text(row.gist))</small></th>\(cell(text(row.level)))"
      + "\(cells.joined())</tr>\n"
  }

  private static func found(_ sign: String, _ cell: PictureMatrix.Cell) -> String {
    cell.number > 0
      ? jump("number", "\(cell.number)", "\(sign) \(cell.count)", isProblem: false) : "\(sign) \(cell.count)"
  }

  private static func findings(_ matrix: PictureMatrix, _ unit: Picture.Unit) -> [String] {
    if matrix.findings.isEmpty { return [] }
    let rows = matrix.findings.map { one -> String in
      let often = one.count > 1 ? "<br><small>\(one.count) times</small>" : ""
      let what =
        one.isBreach
        ? "<small>expected</small> \(text(one.expected))<br><small>found</small> \(text(one.found))"
          + "<br><small>remedy</small> \(text(one.remedy))" : "<small>in doubt</small> \(text(one.expected))"
      let cells = [
        cell(one.isBreach ? "✘" : "?", one.isBreach ? "bad" : "open"),
        "<th scope=\"row\">\(text(one.clause))<small>\(text(one.level))</small></th>",
        cell(text(one.party) + (one.device.isEmpty ? "" : "<br><small>\(text(one.device))</small>")),
        cell(place(one.number, unit, isProblem: one.isBreach) + often), cell(what),
      ]
      return "<tr>\(cells.joined())</tr>\n"
    }
    return ["<h3>Findings</h3>\n", table(["", "clause", "party", "where", "what"], rows, style: "findings")]
  }

  // MARK: - What is not there

  static func leftOut(_ leftOut: [Picture.LeftOut]) -> [String] {
    if leftOut.isEmpty { return [] }
    let items = leftOut.map { "<li>\($0.count) \(text($0.what))</li>\n" }
    return ["<section id=\"left-out\">\n<h2>Left out</h2>\n<ul>\n", items.joined(), "</ul>\n</section>\n"]
  }
}
