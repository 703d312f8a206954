import RollcallCapture
import RollcallPrimitives
package import RollcallReporting
import RollcallTrace

/// A replay as JSON lines.
package enum ReplayLines {
  /// - Parameters:
  ///   - capture: the path as it was given.
  ///   - names: what frames are called in a replay of several files.
  package static func json(_ event: ReplayEvent, capture: String, names: FrameNames = FrameNames()) -> String {
    var line = JSONLine(linesOf: 1_024)
    write(event, capture: capture, names: names, to: &line)
    return line.closed
  }

  /// Writes all of it but the end.
  package static func write(_ event: ReplayEvent, capture: String, names: FrameNames, to line: inout JSONLine) {
    switch event {
    case .datagram(let frame, let datagram):
      line.begin("datagram")
      line.add("frame", FrameNames.frame(of: frame.number))
      if let file = names.file(of: frame.number) { line.add("file", file) }
      line.add("time", frame.timeText)
      line.add("linkType", Int(frame.linkType))
      line.add("source", datagram.source.description)
      line.add("destination", datagram.destination.description)
      line.add("length", datagram.payload.count)
      line.add("sha256", SHA256.hex(of: datagram.payload))
    case .message(let message):
      line.begin("message")
      line.add("capture", capture)
      line.add("frame", FrameNames.frame(of: message.frame))
      if let file = names.file(of: message.frame) { line.add("file", file) }
      line.add("time", message.time)
      line.add("source", message.source.description)
      line.add("destination", message.destination.description)
      line.add("type", message.type)
      line.add("headers", object: message.fields.map { ($0.name, $0.value) })
      line.add("accepted", message.rejection == nil)
      if let rejection = message.rejection {
        line.add("rejection", raw: "{\"reason\":\"\(rejection.reason.rawValue)\",\"offset\":\(rejection.offset)}")
      }
    case .packet(let packet, let time, let frame):
      line.begin("packet")
      line.add("frame", FrameNames.frame(of: frame))
      if let file = names.file(of: frame) { line.add("file", file) }
      line.add("time", time)
      line.add("channel", packet.channel.map { Int($0) })
      line.add("strength", packet.strength.map { Int($0) })
      line.add("bytes", PeripheralReport.hex(packet.bytes))
    case .report(let report, let time, let frame):
      ReportLine.write(report, time: time.description, frame: frame, names: names, to: &line)
    }
  }

  package static func json(_ summary: ReplaySummary, capture: String) -> String {
    var line = JSONLine(kind: "summary")
    line.add("capture", capture)
    line.add("frames", summary.frames)
    line.add("linkTypes", object: summary.linkTypes.map { (String($0.linkType), $0.frames) })
    line.add("messages", object: summary.messages.map { ($0.name, $0.count) })
    line.add("rejected", object: summary.rejections.byReason.map { ($0.reason.rawValue, $0.count) })
    line.add(
      "devices",
      object: [
        ("ever", summary.devicesEver), ("present", summary.devicesPresent), ("openLeases", summary.openLeases),
      ])
    summary.captureProblems.add(to: &line)
    return line.closed
  }
}

/// The report lines of a replay against a reviewed file.
package enum ExpectedReports {
  package struct Difference: Hashable, Sendable {
    /// Line of the reviewed file, from 1.
    package var line: Int
    /// `nil`: the file ends here.
    package var expected: String?
    /// `nil`: the replay ends here.
    package var found: String?
  }

  /// The first difference, in order, times exact; empty lines and `#` comments of the file are skipped.
  package static func difference(reviewed: String, found: [String]) -> Difference? {
    var number = 0
    var next = 0
    var lines = PlainText.lines(of: InputFiles.withoutMark(reviewed))
    if lines.last?.isEmpty == true { lines.removeLast() }
    for line in lines {
      number += 1
      if line.isEmpty || line.hasPrefix("#") { continue }
      let actual = next < found.count ? found[next] : nil
      if actual != String(line) { return Difference(line: number, expected: String(line), found: actual) }
      next += 1
    }
    if next < found.count { return Difference(line: number + 1, expected: nil, found: found[next]) }
    return nil
  }
}
