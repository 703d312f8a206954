package import RollcallCapture
package import RollcallConformance
import RollcallJudging
import RollcallPrimitives
package import RollcallReplaying
package import RollcallReporting
import RollcallTrace

/// The picture of a capture: what a replay makes of it, and which clauses were kept.
package enum CapturePicture {
  /// One capture, or several of the same moment.
  package struct Input {
    package struct File {
      package var path: String
      /// Opens it from its start, as often as it is called.
      package var open: () throws -> CaptureReader
      package init(path: String, open: @escaping () throws -> CaptureReader) { (self.path, self.open) = (path, open) }
    }
    package var files: [File]
    package var names: FrameNames

    package init(_ files: [File], names: FrameNames = FrameNames()) { (self.files, self.names) = (files, names) }
  }

  /// Replays the capture, and judges it where it is one file.
  /// - Parameters:
  ///   - options: of the replay that the picture is of.
  ///   - judgement: of the one file, where it was judged before; `nil`: it is judged here, by every clause.
  package static func picture(
    of input: Input, verb: String, options: ReplayOptions, judgement: Judgement? = nil,
    bounds: PictureBounds = PictureBounds()
  ) throws -> Picture {
    var options = options
    (options.wantsDatagrams, options.wantsMessages, options.wantsPackets) = (true, true, true)
    var names: [CaptureName] = []
    var scene: CaptureScene?
    for file in input.files {
      let reader = try file.open()
      names += reader.names
      let own = CaptureScene(reader: reader, as: options.perspective)
      if scene == nil { scene = own } else { scene?.add(own) }
    }
    guard let scene else { preconditionFailure("a picture of no capture") }
    let drawing = CaptureDrawing(options, scene: scene, names: names, fileNames: input.names, bounds: bounds)
    var replay = Replay(options: options, observe: { drawing.see($0) })
    if input.files.count == 1 {
      var reader = try input.files[0].open()
      replay.run(&reader)
    } else {
      replay.run(merging: try input.files.map { CaptureSource(path: $0.path, reader: try $0.open()) })
    }
    for problem in replay.summary.problems { drawing.leaveOut(problem.what, count: problem.count) }
    let title = input.files.map { String($0.path.split(separator: "/").last ?? "") }.joined(separator: ", ")
    var picture = drawing.finish(verb: verb, title: title)
    picture.facts = facts(of: replay.summary, input, options, picture)
    if input.files.count == 1 {
      picture.judge(try judgement ?? judged(input.files[0], options.filter), bounds: bounds)
    }
    return picture
  }

  private static func judged(_ file: Input.File, _ filter: CaptureFilter?) throws -> Judgement {
    var reader = try file.open()
    return try JudgeInput.judge(&reader, path: file.path, filter: filter).judgement
  }

  private static func facts(
    of summary: ReplaySummary, _ input: Input, _ options: ReplayOptions, _ picture: Picture
  ) -> [Picture.Fact] {
    var facts = input.files.map { Picture.Fact("capture", PictureText.shown($0.path)) }
    if case .host(let host) = options.perspective { facts.append(Picture.Fact("as", PictureText.shown(host))) }
    facts.append(Picture.Fact("frames", "\(summary.frames)"))
    if picture.origin > .zero { facts.append(Picture.Fact("begins", TimeStyle.utc.text(picture.origin, since: nil))) }
    facts.append(Picture.Fact("duration", PlainWords.duration(picture.span)))
    if summary.messageCount > 0 {
      let kinds = summary.messages.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
      facts.append(Picture.Fact("messages", kinds))
    }
    let refused = summary.rejections.byReason.map { "\($0.count) \($0.reason.rawValue)" }.joined(separator: ", ")
    if !refused.isEmpty { facts.append(Picture.Fact("refused", refused)) }
    facts.append(Picture.Fact("devices", "\(summary.devicesEver), \(summary.devicesPresent) present at the end"))
    return facts
  }
}
