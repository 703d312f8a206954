import RollcallPrimitives
package import RollcallReducing
import RollcallReporting

/// The picture of a comparison: the reports of both sides on two lanes, what caused them, and which devices only one
/// side has.
package enum DiffPicture {
  package static func picture(of diff: ReportDiff, bounds: PictureBounds = PictureBounds()) -> Picture {
    var making = Making(bounds: bounds)
    let left = making.draw(diff.a, 0, diff)
    let right = making.draw(diff.b, 1, diff)
    var comparison = PictureComparison(
      titleA: PictureText.shown(diff.a.title), titleB: PictureText.shown(diff.b.title), rows: [])
    var (atA, atB) = (0, 0)
    for row in diff.rows.prefix(bounds.rows) {
      comparison.rows.append(
        PictureComparison.Row(
          mark: PictureComparison.Row.Mark(rawValue: row.mark.rawValue) ?? .equal,
          a: row.a.map { entry($0, diff.a, left, &atA, diff) }, b: row.b.map { entry($0, diff.b, right, &atB, diff) }))
    }
    comparison.datagram = diff.datagram.map { datagram($0, diff) }
    let isCapture = diff.a.kind == .capture || diff.b.kind == .capture
    var picture = making.draft.finished(
      verb: "rollcall diff", title: "Two sides, report by report", unit: isCapture ? .frame : .entry, origin: .zero,
      lives: making.reported.all, comparison: comparison)
    picture.outcome =
      diff.isIncomplete && diff.isEqual
      ? Picture.Outcome("no difference in what was read", .open)
      : diff.isEqual ? Picture.Outcome("equal", .good) : Picture.Outcome("different", .bad)
    picture.facts = [
      Picture.Fact("A", PictureText.shown(diff.a.title)), Picture.Fact("B", PictureText.shown(diff.b.title)),
      Picture.Fact("reports", "\(diff.a.reports.count) of A, \(diff.b.reports.count) of B"),
      Picture.Fact("differ", "\(diff.changedCount) changed, \(diff.onlyACount) only A, \(diff.onlyBCount) only B"),
    ]
    return picture
  }

  /// Finds the report of a row among those of its side; rows come in their order.
  private static func entry(
    _ report: WrittenReport, _ side: DiffSide, _ marks: [Int], _ next: inout Int, _ diff: ReportDiff
  ) -> PictureComparison.Entry {
    let place = side.reports[next...].firstIndex(of: report)
    if let place { next = place + 1 }
    return PictureComparison.Entry(
      time: diff.since(report, side).seconds(decimals: 3), mark: place.map { marks[$0] } ?? -1,
      text: PictureText.shown(ReportText.line(report.report, interfaces: report.interfaces)))
  }

  private static func datagram(_ datagram: DiffDatagram, _ diff: ReportDiff) -> PictureComparison.Datagram {
    var fields = datagram.fields.map { Picture.Fact(PictureText.shown($0.name), PictureText.shown($0.value)) }
    if let destination = datagram.destination { fields.insert(Picture.Fact("to", destination.description), at: 0) }
    if let source = datagram.source { fields.insert(Picture.Fact("from", source.description), at: 0) }
    let place = datagram.frame.map { ", frame \($0)" } ?? ""
    return PictureComparison.Datagram(
      title: "\(datagram.noun) \(PictureText.shown(datagram.type))\(place)", fields: fields,
      madeA: diff.madeA.map { PictureText.shown($0) }, madeB: diff.madeB.map { PictureText.shown($0) })
  }

  /// Lanes, marks and bars of both sides.
  private struct Making {
    var draft: PictureDraft
    var reported: ReportedLives
    private let cast = TraceCast([])
    private let engines: [Int]
    private var senders: [String: Int] = [:]

    init(bounds: PictureBounds) {
      var draft = PictureDraft(bounds: bounds)
      engines = [draft.lane("A", .engine), draft.lane("B", .engine)]
      self.draft = draft
      reported = ReportedLives(knowsTruth: false, isComparison: true, bounds: bounds)
    }

    /// - Returns: the marks of its reports, as many as there are.
    mutating func draw(_ side: DiffSide, _ number: Int, _ diff: ReportDiff) -> [Int] {
      draft.describe(lane: engines[number], side.title)
      var marks: [Int] = []
      // One datagram may cause several reports.
      var last: (datagram: DiffDatagram, mark: Int)?
      for (report, cause) in zip(side.reports, side.causes()) {
        let time = Instant.zero + diff.since(report, side)
        var heard = -1
        if let cause {
          if let last, last.datagram == cause {
            heard = last.mark
          } else {
            heard = hear(cause, number, time, report.place ?? 0)
            last = (cause, heard)
          }
        }
        let words = MarkWords.of(report.report, cast: cast)
        let mark = draft.mark(
          MarkWords.kind(of: report.report), lane: engines[number], at: time, number: report.place ?? 0,
          saying: draft.say(words.title, words.fields), cause: heard)
        marks.append(mark)
        reported.take(report.report, at: time, mark: mark, cast: cast, side: number, prefix: number == 0 ? "A " : "B ")
      }
      return marks
    }

    private mutating func hear(_ datagram: DiffDatagram, _ side: Int, _ time: Instant, _ number: Int) -> Int {
      let name = datagram.source?.address.description ?? datagram.advertiser?.description ?? "unknown sender"
      let lane = senders[name] ?? draft.lane(name, .host)
      senders[name] = lane
      let words = MarkWords.of(datagram, byteCount: nil)
      let saying = draft.say(words.title, words.fields)
      let sent = draft.mark(.sent, lane: lane, at: time, number: 0, saying: saying)
      return draft.mark(.heard, lane: engines[side], at: time, number: number, saying: saying, cause: sent)
    }
  }
}
