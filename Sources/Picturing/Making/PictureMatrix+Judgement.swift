package import RollcallConformance
import RollcallJudging

extension PictureMatrix {
  /// A judgement as a table.
  /// - Parameter bounds: parties and findings that have no room are counted.
  package init(_ judgement: Judgement, bounds: PictureBounds, leftOut: inout [Picture.LeftOut]) {
    let columns = PictureMatrix.columns(judgement, countMaximum: bounds.parties)
    var firsts: [FindingPlace: Int] = [:]
    for row in judgement.rows {
      let place = FindingPlace(clause: row.finding.clause, party: Int(row.finding.party.number))
      if firsts[place] == nil { firsts[place] = row.finding.position }
    }
    parties = columns.map { number in
      let party = judgement.parties[number]
      return Party(
        name: PictureText.shown(party.name), role: ClauseText.role(of: party),
        detail: PictureText.shown((party.product.map { $0 + ", " } ?? "") + "\(party.messageCount) messages"))
    }
    rows = PictureMatrix.order(judgement).map { clause in
      Row(
        clause: clause.clause.id, gist: clause.clause.gist, level: clause.clause.levelText,
        cells: columns.map { number in
          PictureMatrix.cell(
            judgement, clause, number, first: firsts[FindingPlace(clause: clause, party: number)] ?? 0)
        })
    }
    findings = judgement.rows.prefix(bounds.findings).map { PictureMatrix.finding($0) }
    notExercisedCount = judgement.judged.count - rows.count
    func count(_ what: String, _ count: Int) {
      if count > 0 { leftOut.append(Picture.LeftOut(what: what, count: count)) }
    }
    count("parties in the table of clauses", judgement.parties.count - columns.count)
    count("findings behind the first \(bounds.findings)", judgement.rows.count - findings.count)
  }

  private struct FindingPlace: Hashable {
    var clause: ClauseID
    var party: Int
  }

  /// Parties by how much they broke, then in the order in which they were heard.
  private static func columns(_ judgement: Judgement, countMaximum: Int) -> [Int] {
    let weights = judgement.parties.indices.map { party in
      judgement.judged.reduce(0) { $0 + Int(judgement.tally($1, party: party).violated) }
    }
    return Array(judgement.parties.indices.sorted { (weights[$1], $0) < (weights[$0], $1) }.prefix(countMaximum))
  }

  /// Clauses with something to say: breaches, doubts, then what was held; each in the order of the catalogue.
  private static func order(_ judgement: Judgement) -> [ClauseID] {
    func rank(_ clause: ClauseID) -> Int? {
      let total = judgement.total(clause)
      if total.violated > 0 { return clause.clause.grade() == .note ? 2 : clause.clause.grade() == .error ? 0 : 1 }
      return total.inconclusive > 0 ? 3 : total.held > 0 ? 4 : nil
    }
    let ranked = judgement.judged.compactMap { clause in rank(clause).map { (clause: clause, rank: $0) } }
    return ranked.sorted { ($0.rank, $0.clause.rawValue) < ($1.rank, $1.clause.rawValue) }.map(\.clause)
  }

  private static func cell(_ judgement: Judgement, _ clause: ClauseID, _ party: Int, first: Int) -> Cell {
    let tally = judgement.tally(clause, party: party)
    return switch judgement.verdict(clause, party: party) {
    case .held: Cell(mark: .held, count: Int(tally.held), number: 0)
    case .violated: Cell(mark: .violated, count: Int(tally.violated), number: first)
    case .inconclusive: Cell(mark: .inconclusive, count: Int(tally.inconclusive), number: first)
    case .notExercised: Cell(mark: .notExercised, count: 0, number: 0)
    }
  }

  private static func finding(_ row: Judgement.Row) -> Finding {
    let isBreach = row.finding.ruling == .violated
    return Finding(
      clause: row.clause.id, level: row.clause.levelText, isBreach: isBreach,
      party: PictureText.shown(row.party.name), device: PictureText.shown(row.device ?? ""),
      number: row.finding.position, count: row.finding.count, expected: PictureText.shown(row.finding.expected),
      found: PictureText.shown(row.finding.found), remedy: isBreach ? row.clause.remedy : "")
  }
}

extension Picture {
  /// Adds the table of clauses, and what it has no room for.
  package mutating func judge(_ judgement: Judgement, bounds: PictureBounds = PictureBounds()) {
    if judgement.isVacuous { return }
    var leftOut = leftOut
    matrix = PictureMatrix(judgement, bounds: bounds, leftOut: &leftOut)
    self.leftOut = leftOut
  }
}
