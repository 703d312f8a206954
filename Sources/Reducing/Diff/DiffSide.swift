import RollcallCapture
import RollcallExplaining
package import RollcallPrimitives
package import RollcallReplaying
package import RollcallReporting

/// One side of a comparison: what it is, and its reports in order. `DiffInput` makes it.
package struct DiffSide {
  package enum Kind: Hashable, Sendable { case capture, reports, scenario }
  package var kind: Kind
  /// What people call it: the path, and what was set.
  package var title: String
  package var path: String
  /// When its time began; `nil` for a file of reports, which does not say.
  package var base: Instant?
  package var reports: [WrittenReport] = []
  /// What is wrong with a capture.
  package var problems = CaptureProblems()
  /// Datagrams by what the engine made of them, for captures.
  var fates: [Fate] = []
  /// The frame that caused each report, or the last that was heard before time did, for captures: as many as there are
  /// reports.
  var frames: [Int] = []
  /// Datagrams and packets behind the reports, for runs: as many as there are reports.
  var inputs: [DiffDatagram?] = []
  /// How to replay it again, for captures.
  var replay: ReplayOptions?
  var open: (() throws -> CaptureReader)?

  init(kind: Kind, title: String, path: String, base: Instant?) {
    (self.kind, self.title, self.path, self.base) = (kind, title, path, base)
  }
}

/// A datagram as people want to see it, or a packet of Bluetooth LE.
package struct DiffDatagram: Hashable, Sendable {
  /// Of the capture; `nil` for one of a run.
  package var frame: Int?
  package var time: Instant
  /// `nil`, as is the destination: it is a packet.
  package var source: Endpoint?
  package var destination: Endpoint?
  package var type: String
  package var fields: [DiffField]
  /// Who sent the packet; `nil`: it is a datagram, or the packet does not say.
  package var advertiser: RadioAddress?

  /// `datagram` or `packet`.
  package var noun: String { source == nil ? "packet" : "datagram" }
}

extension DiffDatagram {
  /// A discovery message of a capture.
  package init(_ message: ReplayEvent.Message) {
    self.init(
      frame: message.frame, time: Instant(seconds: message.time) ?? .zero, source: message.source,
      destination: message.destination, type: message.type,
      fields: message.fields.map { DiffField(name: $0.name, value: $0.value) })
  }
}

package struct DiffField: Hashable, Sendable {
  package var name: String
  package var value: String
}

/// What cannot be compared: a sentence for people.
package struct DiffError: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
}
