package import RollcallPrimitives
import RollcallReporting
import RollcallWire

/// A search that nobody sent: what would an engine have known that searched at this moment?
package struct Probe: Hashable, Sendable {
  package var target: String
  /// After the first frame.
  package var at: Interval
  package var maximumWaitSeconds: Int
  package var broadcasts: Int
  /// `nil`: MX.
  package var spacing: Interval?

  package init(
    target: String, at: Interval, maximumWaitSeconds: Int = 3, broadcasts: Int = 3, spacing: Interval? = nil
  ) {
    (self.target, self.at, self.maximumWaitSeconds) = (target, at, maximumWaitSeconds)
    (self.broadcasts, self.spacing) = (broadcasts, spacing)
  }

  /// How long it would listen, as the engine's own searches do.
  package var window: Interval {
    let gap = spacing ?? .seconds(Int64(maximumWaitSeconds))
    return gap * Int64(max(0, broadcasts - 1)) + Search.listening(waitSeconds: maximumWaitSeconds)
  }
}

/// What the capture says to a probe.
///
/// It holds what devices announced, and what they answered to searches that were sent. Answers to a search that nobody
/// sent are in no file.
package struct ProbeOutcome: Sendable {
  package enum Source: String, Hashable, Sendable {
    /// Announced before the search, and the lease still stood.
    case known
    /// Announced while the search would have listened.
    case announced
    /// Answered somebody else's search in that time.
    case answered
  }
  package struct Row: Sendable {
    package var device: String
    package var usn: String
    package var source: Source
    package var by: Announcement
    /// It was lost before the search would have ended.
    package var gone: Instant?
  }
  package var probe: Probe
  package var start: Instant
  package var end: Instant
  package var rows: [Row] = []
  /// Rows that were not kept.
  package var cut = 0
  /// The last frame; what lies behind it the capture does not say.
  package var captureEnd: Instant
}

extension StoryTeller {
  static let probeRowsMaximum = 4_096

  /// Time moves on to `now`: at the moment of the probe everything that still stands is known.
  func probe(upTo now: Instant) {
    guard let probe, var outcome = story.probe ?? beginProbe(probe, now), !isProbed, now >= outcome.start else {
      return
    }
    isProbed = true
    for life in lives where life.story.isPresent {
      // ordered: sorted by frame below
      let standing = life.promises.filter { $0.value.end > outcome.start && matches(probe.target, $0.key.target) }
      for (key, promise) in standing.sorted(by: { $0.value.frame < $1.value.frame }) {
        add(&outcome, life.story.device, key.usn, .known, promise)
      }
    }
    story.probe = outcome
  }

  private func beginProbe(_ probe: Probe, _ now: Instant) -> ProbeOutcome? {
    guard hasStarted else { return nil }
    let start = story.start + probe.at
    story.probe = ProbeOutcome(probe: probe, start: start, end: start + probe.window, captureEnd: now)
    return story.probe
  }

  /// A device said something while the search would have listened.
  func probe(_ device: String, _ hearing: Hearing, _ announcement: Announcement) {
    guard isProbed, var outcome = story.probe, hearing.time <= outcome.end,
      matches(outcome.probe.target, hearing.target)
    else { return }
    add(&outcome, device, hearing.usn, hearing.kind == .response ? .answered : .announced, announcement)
    story.probe = outcome
  }

  func probeLost(_ device: String, at time: Instant) {
    guard isProbed, let outcome = story.probe, time <= outcome.end else { return }
    // Time is told of frame by frame: it was gone when the search began, and that is told only now.
    if time <= outcome.start {
      story.probe?.rows.removeAll { $0.device == device }
      return
    }
    for index in outcome.rows.indices where outcome.rows[index].device == device && outcome.rows[index].gone == nil {
      story.probe?.rows[index].gone = time
    }
  }

  private func add(
    _ outcome: inout ProbeOutcome, _ device: String, _ usn: [UInt8], _ source: ProbeOutcome.Source, _ by: Announcement
  ) {
    let usn = SSDPText.text(usn)
    if outcome.rows.contains(where: { $0.usn == usn && $0.by.target == by.target && $0.gone == nil }) { return }
    if outcome.rows.count < StoryTeller.probeRowsMaximum {
      outcome.rows.append(ProbeOutcome.Row(device: device, usn: usn, source: source, by: by, gone: nil))
    } else {
      outcome.cut += 1
    }
  }
}

/// A probe in words.
enum ProbeText {
  static let caveat =
    "Answers to a search that nobody sent are not in the file: a device that only answers cannot be seen here."

  static func heading(_ outcome: ProbeOutcome, since start: Instant) -> String {
    let probe = outcome.probe
    let copies = probe.broadcasts == 1 ? "1 copy" : "\(probe.broadcasts) copies"
    return "Had the engine searched for \(probe.target) at \(PlainWords.since(start, outcome.start)) (\(copies), MX "
      + "\(probe.maximumWaitSeconds) s, listening until \(PlainWords.since(start, outcome.end)))"
  }

  static func rows(_ outcome: ProbeOutcome, since start: Instant, names: FrameNames) -> [String] {
    var lines: [String] = []
    if outcome.captureEnd < outcome.start {
      lines.append("The capture ends before that moment, at \(PlainWords.since(start, outcome.captureEnd)).")
    } else if outcome.captureEnd < outcome.end {
      lines.append("The capture ends before the search would have, at \(PlainWords.since(start, outcome.captureEnd)).")
    }
    if outcome.rows.isEmpty {
      lines.append("Nothing that matches was known then, and nothing was announced or answered.")
    }
    for row in outcome.rows {
      let when = "frame \(names.text(row.by.frame)) at \(PlainWords.since(start, row.by.time))"
      let how =
        switch row.source {
        case .known: "known already, by \(when), for \(row.by.leaseSeconds) s"
        case .announced: "announced in that time, \(when)"
        case .answered: "answered somebody else's search in that time, \(when)"
        }
      let gone = row.gone.map { ", and gone again at \(PlainWords.since(start, $0))" } ?? ""
      lines.append("\(row.by.target) of \(row.device): \(how)\(gone)")
    }
    if outcome.cut > 0 { lines.append("… and \(outcome.cut) more") }
    return lines + [caveat]
  }
}
