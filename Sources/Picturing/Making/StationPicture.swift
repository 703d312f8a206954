package import RollcallConformance
package import RollcallJudging
import RollcallPrimitives
package import RollcallTrace

/// Pictures of traces alone: of a file that a run wrote, and of an examination.
package enum StationPicture {
  /// A trace of a run, judged.
  package static func picture(
    of trace: JudgeInput.ReadTrace, judgement: Judgement, path: String, bounds: PictureBounds = PictureBounds()
  ) -> Picture {
    let stations = trace.hosts.map { TraceCast.Station($0, $0 == "engine" ? .engine : .host) }
    var making = TracePicture(TraceCast(stations), knowsTruth: false, bounds: bounds)
    for (place, entry) in trace.entries.enumerated() { making.take(entry, number: trace.numbers[place]) }
    let title = String(path.split(separator: "/").last ?? "")
    var picture = making.finish(verb: "rollcall judge", title: title, origin: .zero)
    picture.facts = [
      Picture.Fact("trace", PictureText.shown(path)), Picture.Fact("entries", "\(trace.entries.count)"),
      Picture.Fact("hosts", "\(trace.hosts.count)"),
    ]
    picture.judge(judgement, bounds: bounds)
    return picture
  }

  /// What an examiner sent and heard, and what came of it.
  /// - Parameters:
  ///   - kind: what was examined, as the verb has it.
  ///   - numbers: of the entries in their trace; `nil`: by their place, from 1.
  package static func picture(
    ofExamination kind: String, _ entries: [TraceEntry], numbers: [Int]?, judgement: Judgement, interface: String,
    bounds: PictureBounds = PictureBounds()
  ) -> Picture {
    var making = TracePicture(TraceCast([TraceCast.Station("rollcall", .engine)]), knowsTruth: false, bounds: bounds)
    for (place, entry) in entries.enumerated() { making.take(entry, number: numbers?[place] ?? place + 1) }
    var picture = making.finish(
      verb: "rollcall examine \(kind)", title: "Examination on \(interface)", origin: .zero)
    picture.facts = [
      Picture.Fact("interface", PictureText.shown(interface)), Picture.Fact("entries", "\(entries.count)"),
    ]
    picture.judge(judgement, bounds: bounds)
    return picture
  }
}

extension Picture {
  /// What a judgement came to.
  package mutating func conclude(isBroken: Bool, judgement: Judgement) {
    let (must, should) = (judgement.violations(.must), judgement.violations(.should))
    facts.append(Fact("breaches", "\(must) of a must, \(should) of a should"))
    outcome =
      judgement.isVacuous
      ? Outcome("nothing was judged", .open) : isBroken ? Outcome("failed", .bad) : Outcome("passed", .good)
  }
}
