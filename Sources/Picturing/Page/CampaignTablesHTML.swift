/// What stands on the page of a campaign: what it came to, curves, failures, what happened and what never did, the
/// plan, and what was left out. All of it is there without JavaScript.
enum CampaignTablesHTML {
  static func body(_ picture: CampaignPicture) -> String {
    var parts = [
      PictureTablesHTML.header(picture.verb, picture.title, picture.outcome, picture.facts), "<main>\n",
      "<div id=\"tools\" class=\"tools\"></div>\n",
    ]
    parts += curves(picture)
    parts += failures(picture)
    parts += happenings(picture)
    parts += plan(picture)
    parts += PictureTablesHTML.leftOut(picture.leftOut)
    parts.append("</main>\n")
    return parts.joined()
  }

  private static func text(_ text: String) -> String { PictureHTML.escaped(text) }
  private static func code(_ text: String) -> String { "<code>\(self.text(text))</code>" }
  private static func cell(_ content: String, _ style: String = "") -> String { PictureTablesHTML.cell(content, style) }

  /// A row that a key leads to, where it is a problem.
  private static func row(_ cells: [String], isProblem: Bool = false) -> String {
    "<tr\(isProblem ? " class=\"problem\" tabindex=\"-1\"" : "")>\(cells.joined())</tr>\n"
  }

  private static func curves(_ picture: CampaignPicture) -> [String] {
    guard let table = picture.table else { return [] }
    let rows = table.rows.map { cells -> String in
      if cells.count == 1 {
        return row(["<th scope=\"colgroup\" colspan=\"\(table.heads.count)\">\(text(cells[0]))</th>"])
      }
      return row(["<th scope=\"row\">\(text(cells[0]))</th>"] + cells.dropFirst().map { cell(text($0)) })
    }
    return [
      "<section id=\"curves\">\n<h2>Curves</h2>\n", picture.curves ?? "",
      PictureTablesHTML.table(table.heads.map { text($0) }, rows, style: "numbers"), "</section>\n",
    ]
  }

  private static func failures(_ picture: CampaignPicture) -> [String] {
    if picture.failures.isEmpty { return [] }
    let rows = picture.failures.map { one -> String in
      let kept = one.kept.map { "\(code($0.folder + "/"))<br><small>\(code($0.again))</small>" }
      return row(
        [
          "<th scope=\"row\"><span class=\"bad\">✘</span> \(text(one.text))</th>", cell("\(one.count)"),
          cell("\(text(one.first))<br><small>\(code(one.again))</small>"),
          cell(kept.isEmpty ? "not kept" : kept.joined(separator: "<br>")),
        ], isProblem: true)
    }
    return [
      "<section id=\"failures\">\n<h2>Failures</h2>\n",
      "<p class=\"note\">What is kept is in the folder of the results: the scenario as it was run "
        + "(<code>as-run.yaml</code>) and as small as the failure allows (<code>scenario.yaml</code>), of the small "
        + "one <code>run.pcapng</code> and <code>run.trace</code>, and the <code>command</code> that repeats it.</p>\n",
      PictureTablesHTML.table(["failure", "runs", "first", "kept"], rows, style: "findings"), "</section>\n",
    ]
  }

  private static func happenings(_ picture: CampaignPicture) -> [String] {
    let rows = picture.happenings.map { one -> String in
      let style = one.count != nil ? "good" : one.isProblem ? "bad" : ""
      let sign = one.count != nil ? "✓ " : one.isProblem ? "✘ " : ""
      return row(
        [
          "<th scope=\"row\">\(text(one.name))</th>", cell(one.count.map { "\(sign)\($0)" } ?? "\(sign)never", style),
          cell(text(one.share)), cell(text(one.first)), cell(text(one.about)),
        ], isProblem: one.isProblem)
    }
    let never = picture.happenings.count { $0.count == nil }
    return [
      "<section id=\"facts\">\n<h2>What happened</h2>\n",
      "<p class=\"note\">\(never) of \(picture.happenings.count) never did. Of each the first run is named; "
        + "\(code(picture.again)) repeats it.</p>\n",
      PictureTablesHTML.table(["fact", "runs", "share", "first", ""], rows, style: "numbers"), "</section>\n",
    ]
  }

  private static func plan(_ picture: CampaignPicture) -> [String] {
    if picture.plan.isEmpty { return [] }
    return [
      "<section id=\"plan\">\n<h2>Plan</h2>\n<details><summary>the scenario and its sweep</summary>\n<pre>",
      picture.plan.map(text).joined(separator: "\n"), "</pre>\n</details>\n</section>\n",
    ]
  }
}
