import RollcallCapture
import Foundation
package import RollcallPrimitives

/// One report of a run, a replay or a file, ready to be compared.
package struct DiffReport: Hashable, Sendable {
  package var time: Instant
  /// The frame that caused it, in captures; the entry of the whole trace, in runs; `nil`: time did, or nobody says.
  package var place: Int?
  /// The JSON line without time and frame: what two reports are compared by.
  package var content: String
  /// The device that it is about; `nil` for the end of a search.
  package var device: String?

  package init(time: Instant, place: Int?, content: String, device: String?) {
    (self.time, self.place, self.content, self.device) = (time, place, content, device)
  }

  /// A report that a replay or a run makes now.
  init(_ report: Report, time: Instant, place: Int?) {
    (self.time, self.place) = (time, place)
    content = DiffReport.content(of: ReportLine.json(report, time: "", frame: nil)) ?? ""
    device = report.device
  }

  /// - Parameter line: a report as `ReportLine.json` writes it.
  package init?(line: String) {
    guard line.hasPrefix("{\"schema\":\"rollcall/1\",\"kind\":\"report\","),
      let content = DiffReport.content(of: line),
      let values = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
      let time = (values["time"] as? String).flatMap({ SceneNote.instant($0) })
    else { return nil }
    (self.time, self.content) = (time, content)
    place = values["frame"] as? Int
    device = values["device"] as? String
  }

  /// What stands behind time, frame and file. No text of the line can hold this mark: its quotes would be escaped.
  private static func content(of line: String) -> String? {
    guard let layer = line.utf8.firstRange(of: ",\"layer\":".utf8) else { return nil }
    return "{" + line[line.utf8.index(after: layer.lowerBound)...]
  }
}

/// One side of a comparison: what it is, and its reports in order. `DiffInput` makes it.
package struct DiffSide {
  package enum Kind: Hashable, Sendable { case capture, reports, scenario }
  package var kind: Kind
  /// What people call it: the path, and what was set.
  package var title: String
  package var path: String
  /// When its time began; `nil` for a file of reports, which does not say.
  package var base: Instant?
  package var reports: [DiffReport] = []
  /// What is wrong with a capture.
  package var problems = CaptureProblems()
  /// Datagrams by what the engine made of them, for captures.
  var fates: [Fate] = []
  /// The frame that caused each report, or the last that was heard before time did, for captures: as many as there are
  /// reports.
  var frames: [Int] = []
  /// Datagrams behind the reports, for runs: as many as there are reports.
  var inputs: [DiffDatagram?] = []
  /// How to replay it again, for captures.
  var replay: ReplayOptions?
  var open: (() throws -> CaptureReader)?

  init(kind: Kind, title: String, path: String, base: Instant?) {
    (self.kind, self.title, self.path, self.base) = (kind, title, path, base)
  }
}

/// A datagram as people want to see it.
package struct DiffDatagram: Hashable, Sendable {
  /// Of the capture; `nil` for one of a run.
  package var frame: Int?
  package var time: Instant
  package var source: Endpoint
  package var destination: Endpoint
  package var type: String
  package var fields: [DiffField]
}

package struct DiffField: Hashable, Sendable {
  package var name: String
  package var value: String
}

/// What cannot be compared: a sentence for people.
package struct DiffError: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
}
