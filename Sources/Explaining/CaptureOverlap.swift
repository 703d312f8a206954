package import RollcallPrimitives
import RollcallReporting

/// What the files of a merged replay have in common.
package struct CaptureOverlap: Hashable, Sendable {
  package var files: Int
  /// Datagrams of discovery that more than one file holds.
  package var count = 0
  /// How far apart their times are: the clocks of two hosts differ, those of two interfaces should not.
  package var apartLeast = Interval.zero
  package var apartMost = Interval.zero

  package init(files: Int) { self.files = files }

  func sentence(_ names: FrameNames) -> String {
    let list = names.labels.joined(separator: ", ")
    if count == 0 { return "\(files) files (\(list)) merged by time; no datagram is in more than one" }
    return "\(files) files (\(list)) merged by time; \(PlainWords.count(count, "datagram")) in more than one, "
      + "\(PlainWords.lateness(apartLeast...apartMost)) apart"
  }
}
