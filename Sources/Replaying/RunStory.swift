import RollcallCapture
import RollcallExplaining
import RollcallPrimitives
import RollcallRunning
package import RollcallScenarios

/// The story of a run, told as that of a capture is: from what the engine's host sent and heard.
package struct RunStory: Sendable {
  private let story: Story?
  private let scenario: String

  /// Performs the run, exports it and replays the export with a teller.
  package static func tell(_ resolved: Resolved, seed: UInt64, scenario: String) -> RunStory {
    let result = Run.perform(
      resolved, seed: Seed(seed), options: RunOptions(recordedHosts: [0], watchedHost: 0))
    let bytes = CaptureExport.write(result, of: resolved, host: 0, scenario: scenario, seed: seed)
    let engine = resolved.scenario.engine.configuration
    var options = ReplayOptions(perspective: .host(resolved.hosts[0].name), engine: engine, wantsMessages: false)
    options.wantsDatagrams = false
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
    else { return RunStory(story: nil, scenario: scenario) }
    replay.run(&reader)
    var story = teller.finished(frames: replay.summary.frames)
    // A run begins at 0, whenever its first frame comes.
    story.start = .zero
    return RunStory(story: story, scenario: scenario)
  }

  package func textLines(width: Int) -> [String] {
    guard let story else { return ["", "The engine sent and heard nothing.", ""] }
    return ["", "What the engine heard; frames are those of --pcapng, times those of the run:"]
      + StoryText.lines(story, width: width) + [""]
  }

  package var jsonLines: [String] { story.map { StoryLines.json($0, capture: scenario) } ?? [] }
}
