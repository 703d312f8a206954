package import RollcallPrimitives
package import RollcallReporting
import RollcallRunning
package import RollcallTrace

/// What a live run writes while it goes on: its trace, a capture, or both.
///
/// Both are whole at every moment: what ends the process leaves what was sent and heard before. A file that cannot be written
/// is complained of once, and the run goes on. Used on one event loop.
package final class LiveRecord: @unchecked Sendable {
  /// What the machine's host is called in both: `rollcall replay FILE --as here`.
  package static let host = "here"

  private let trace: Output?
  private let capture: Output?
  private var stream: CaptureStream?
  private var isScheduled = false
  /// Whether a file could not be written.
  package private(set) var hasFailed = false
  /// Calls back at an instant, or a moment later.
  package var schedule: (Instant, @escaping @Sendable (Instant) -> Void) -> Void = { _, _ in }

  /// - Parameters:
  ///   - trace: for entries, one a line.
  ///   - capture: for a pcapng file.
  ///   - interfaces: names, in the order of their numbers.
  ///   - browses: which services are looked for from the beginning.
  ///   - verb: what is running: `rollcall discover`.
  ///   - began: the wall clock at instant zero, since 1970.
  package init(
    trace: Output?, capture: Output?, interfaces: [String], browses: [ServiceBrowse] = [], verb: String,
    began: Instant
  ) {
    (self.trace, self.capture) = (trace, capture)
    for output in outputs {
      output.whenFailed { [unowned self] failure in
        hasFailed = true
        Output.complain("\(failure.description); everything else goes on")
      }
    }
    guard let capture else { return }
    let cast = CaptureExport.Cast(
      host: LiveRecord.host, origin: ["\(verb): replay with --as \(LiveRecord.host)"],
      interfaces: interfaces.map { (name: $0, details: nil, mtuBytes: 65_535) }, names: [], end: .zero,
      browses: browses)
    stream = CaptureStream(cast, begin: began) { bytes in
      capture.bytes(Array(bytes))
      capture.mark()
    }
  }

  private var outputs: [Output] { [trace, capture].compactMap { $0 } }

  /// Whether anything is to be written.
  package var isWanted: Bool { trace != nil || capture != nil }

  /// A line before the entries.
  package func begin(_ line: String) {
    trace?.line(line)
    trace?.flush()
  }

  package func take(_ entry: TraceEntry) {
    guard isWanted else { return }
    trace?.line(TraceText.line(entry) { _ in LiveRecord.host })
    stream?.take(entry)
    if isScheduled { return }
    isScheduled = true
    schedule(entry.time + CaptureStream.patience) { [weak self] in self?.release(at: $0) }
  }

  private func release(at now: Instant) {
    isScheduled = false
    trace?.flush()
    trace?.mark()
    stream?.release(until: now - CaptureStream.patience)
    guard stream?.isHolding == true else { return }
    isScheduled = true
    schedule(now + CaptureStream.patience) { [weak self] in self?.release(at: $0) }
  }

  /// Writes what is left; the files stand in their places then.
  package func finish(at end: Instant) {
    stream?.finish(at: end)
    for output in outputs {
      do throws(OutputFailure) { try output.finish() } catch  where !hasFailed {
        hasFailed = true
        Output.complain(error.description)
      } catch {}
    }
  }
}
