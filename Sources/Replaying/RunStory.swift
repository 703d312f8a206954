import RollcallCapture
import RollcallExplaining
import RollcallPrimitives
import RollcallReporting
package import RollcallRunning
package import RollcallScenarios
import RollcallTrace

/// The story of a run, told as that of a capture is: from what one host sent and heard, and what nearby peers were told.
package struct RunStory: Sendable {
  private let story: Story?
  private let host: String
  private let isEngine: Bool
  private let scenario: String
  /// With the names of hosts.
  private let told: [(time: Instant, report: PeerReport)]
  /// What an engine in the place of Rollcall's reported and logged; empty: Rollcall's own is in it.
  private let ofEngine: [String]

  /// Performs the run, exports it and replays the export with a teller.
  /// - Parameter engine: what is in the place of Rollcall's engine. The story itself is told by Rollcall's.
  package static func tell(
    _ resolved: Resolved, seed: UInt64, scenario: String, host: Int = 0, engine: RunEngine? = nil
  ) -> RunStory {
    let options = RunOptions(recordedHosts: [host] + resolved.nearbyPeers, watchedHost: host, engine: engine)
    let result = Run.perform(resolved, seed: Seed(seed), options: options)
    let names = resolved.peerNames
    let told = result.trace.compactMap { entry -> (Instant, PeerReport)? in
      guard case .effect(.application(let report)) = entry.content, case .nearby(let told) = report else { return nil }
      return (entry.time, told.named(names))
    }
    return RunStory(
      story: story(result, resolved, seed: seed, scenario: scenario, host: host), host: resolved.hosts[host].name,
      isEngine: resolved.hosts[host].role == .engine, scenario: scenario, told: told,
      ofEngine: engine == nil ? [] : lines(ofEngine: result, resolved))
  }

  /// `nil`: the host sent and heard nothing.
  private static func story(
    _ result: RunResult, _ resolved: Resolved, seed: UInt64, scenario: String, host: Int
  ) -> Story? {
    let bytes = CaptureExport.write(result, of: resolved, host: host, scenario: scenario, seed: seed)
    let engine = resolved.scenario.engine.configuration
    let options = ReplayOptions(perspective: .host(resolved.hosts[host].name), engine: engine)
    let teller = StoryTeller(configuration: engine)
    var replay = Replay(options: options, teller: teller)
    var position = 0
    // A host that sent and heard nothing has a capture that says nothing.
    guard
      var reader = try? CaptureReader(pull: { room in
        let count = min(room.count, bytes.count - position)
        bytes.withUnsafeBytes {
          room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<(position + count)]))
        }
        position += count
        return count
      })
    else { return nil }
    replay.run(&reader)
    var story = teller.finished(frames: replay.summary.frames)
    // A run begins at 0, whenever its first frame comes.
    story.start = .zero
    return story
  }

  package func textLines(width: Int) -> [String] {
    let subject = isEngine ? "the engine" : host
    var lines = [""]
    if let story {
      lines.append("What \(subject) heard; frames are those of --pcapng, times those of the run:")
      lines += StoryText.lines(story, width: width)
    } else {
      lines.append("\(isEngine ? "The engine" : host) sent and heard nothing.")
    }
    return lines + toldLines + ofEngine + [""]
  }

  private static func lines(ofEngine result: RunResult, _ resolved: Resolved) -> [String] {
    let reported = ReportedText.lines(result, resolved)
    var said = result.engineNotes
    if let failure = result.engineFailure { said.append(failure) }
    if said.isEmpty { return reported }
    return reported + ["", "What the engine said:"] + said.map { "  " + $0 }
  }

  private var toldLines: [String] {
    if told.isEmpty { return [] }
    var lines = ["", "  What nearby peers were told:"]
    for one in told.prefix(StoryText.rowsMaximum) {
      lines.append("    " + TimeStyle.relative.text(one.time, since: .zero).padded(to: 10) + " " + one.report.sentence)
    }
    if told.count > StoryText.rowsMaximum {
      lines.append("    … and \(told.count - StoryText.rowsMaximum) more; --format json has all")
    }
    return lines
  }

  package var jsonLines: [String] {
    let peers = told.map { one in
      var line = JSONLine(kind: "story")
      line.add("about", "peer")
      line.add("time", one.time.description)
      line.add("host", one.report.device)
      line.add("peer", one.report.peer)
      line.add("event", one.report.event.name)
      line.add("text", one.report.event.text)
      return line.closed
    }
    // The line about the end stays the last.
    let lines = story.map { StoryLines.json($0, capture: scenario) } ?? []
    return lines.dropLast() + peers + lines.suffix(1)
  }
}
