import RollcallCapture
import Foundation
import RollcallReporting

/// A line on standard error while a large capture is read; nothing at all where that is no terminal, and nothing for
/// what is done at once.
final class ReadingProgress {
  private let what: String
  private let start = ContinuousClock.now
  private var shown = ContinuousClock.now
  private var isDrawn = false

  /// So long nothing is shown, and so long until it is shown anew.
  private static let patience = Duration.milliseconds(500)
  private static let pace = Duration.milliseconds(100)

  /// - Parameter what: what is being done, as in `explaining`.
  init(_ what: String) { self.what = what }

  deinit { clear() }

  /// Opens a capture from its start.
  /// - Parameter printsMeanwhile: whether lines go to standard output while the file is read; on a terminal they would
  ///   stand in each other's way.
  static func open(
    _ path: String, _ what: String, isQuiet: Bool = false, printsMeanwhile: Bool = false
  ) throws(CaptureError) -> CaptureReader {
    if isQuiet || !Terminal.manners.drawsProgress || printsMeanwhile && Output.isTerminal {
      return try CaptureReader(path: path)
    }
    // It lives as long as the reader does, and takes its line away when that is done.
    let progress = ReadingProgress(what)
    return try CaptureReader(path: path, progress: { progress.show(read: $0, of: $1) })
  }

  func show(read: Int, of total: Int) {
    let now = ContinuousClock.now
    if read >= total, total > 0 { return clear() }
    guard now - start >= ReadingProgress.patience, now - shown >= ReadingProgress.pace else { return }
    let took = ReadingProgress.seconds(now - start)
    let rate = Double(read) / 1e6 / took
    var text = "\(what): \(read / 1_000_000) MB"
    if total > 0 {
      let left = Double(total - read) / Double(max(1, read)) * took
      text = "\(what): \(Int(Double(read) / Double(total) * 100)) % of \(total / 1_000_000) MB"
      text += String(format: ", %.0f MB/s, %.0f s left", rate, left)
    } else {
      text += String(format: ", %.0f MB/s", rate)
    }
    draw(text, at: now)
  }

  /// Shows a sentence that says how far something is that reads no file.
  func show(_ sentence: @autoclosure () -> String) {
    let now = ContinuousClock.now
    guard Terminal.manners.drawsProgress, now - start >= ReadingProgress.patience, now - shown >= ReadingProgress.pace
    else {
      return
    }
    draw("\(what): \(sentence())", at: now)
  }

  /// Takes the line away.
  func clear() {
    if isDrawn { Output.status(nil) }
    isDrawn = false
  }

  private func draw(_ text: String, at now: ContinuousClock.Instant) {
    shown = now
    isDrawn = true
    Output.status(text)
  }

  private static func seconds(_ duration: Duration) -> Double {
    let parts = duration.components
    return max(0.001, Double(parts.seconds) + Double(parts.attoseconds) / 1e18)
  }
}
