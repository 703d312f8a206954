import Dispatch
import Foundation
import RollcallCapture
import RollcallReporting
import Synchronization

/// A line on standard error while something takes longer than two seconds; nothing at all where that is no terminal.
///
/// `show` may be called as often as one likes; a timer of its own draws the line, also between calls.
final class Progress: @unchecked Sendable {
  private struct State {
    var work: ProgressWork
    /// When what is being done began.
    var since: ContinuousClock.Instant
    var pace = ProgressPace()
    var isOver = false
  }

  private let verb: String
  /// How many inputs there are, and how many were begun.
  private let inputCount: Int
  private var begunCount = 0
  private let started: ContinuousClock.Instant
  private let state: Mutex<State>
  /// `nil`: nothing is drawn.
  private var timer: (any DispatchSourceTimer)?

  /// - Parameters:
  ///   - verb: what is being done, as in `judging`.
  ///   - inputs: how many files are read one after the other.
  init(_ verb: String, inputs: Int = 1, isQuiet: Bool = false) {
    let now = ContinuousClock.now
    (self.verb, inputCount, started) = (verb, inputs, now)
    state = Mutex(State(work: .busy(verb), since: now))
    guard Terminal.manners.drawsProgress, !isQuiet else { return }
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "rollcall.progress"))
    timer.schedule(deadline: .now() + .milliseconds(100), repeating: .milliseconds(100))
    timer.setEventHandler { [weak self] in self?.draw() }
    self.timer = timer
    timer.resume()
  }

  deinit { end() }

  private var isShown: Bool { timer != nil }

  /// What is being done now.
  func show(_ work: @autoclosure () -> ProgressWork) {
    guard isShown else { return }
    let told = work()
    state.withLock { $0.work = told }
  }

  /// Opens a capture from its start, and tells how far it was read.
  func open(_ path: String) throws(CaptureError) -> CaptureReader {
    guard isShown else { return try CaptureReader(path: path) }
    let now = ContinuousClock.now
    state.withLock { $0.since = now }
    return try CaptureReader(path: path, progress: { [weak self] in self?.read(path, $0, of: $1) })
  }

  /// The next of several inputs is at hand.
  func begin(_ path: String) {
    begunCount += 1
    if inputCount > 1 { show(.counted(done: begunCount - 1, of: inputCount, what: path)) }
  }

  private func read(_ path: String, _ bytes: Int, of total: Int) {
    if inputCount > 1 {
      let part = total > 0 ? "  \(bytes * 100 / total) %" : ""
      return show(.counted(done: begunCount - 1, of: inputCount, what: path + part))
    }
    // What is done with it takes longer than reading it.
    show(total > 0 && bytes >= total ? .busy(verb) : .reading(verb, bytes: bytes, of: total))
  }

  private func draw() {
    let now = ContinuousClock.now
    state.withLock { state in
      if state.isOver { return }
      let isReading = if case .reading = state.work { true } else { false }
      let seconds = (now - (isReading ? state.since : started)).seconds
      guard state.pace.isDue(at: (now - started).seconds, rest: state.work.rest(after: seconds)) else { return }
      Output.status(ProgressText.line(state.work, seconds: seconds, width: Terminal.errorWidth - 1))
    }
  }

  /// Takes the line away, for good.
  func end() {
    state.withLock { $0.isOver = true }
    guard let timer else { return }
    timer.cancel()
    self.timer = nil
    Output.status(nil)
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
