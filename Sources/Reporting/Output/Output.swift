import Foundation
package import RollcallPrimitives
import Synchronization

/// Where a verb's lines or bytes go: standard output or a file. The one way in which the tool writes.
///
/// - A regular file appears as a whole under its name, or not at all (`OutputFile`). `finishAll` puts every file that is
///   still open in its place when a verb has done its work; `discardAll` leaves none of them when it has not.
/// - Every line for people goes through `PlainText.shown`, so that nothing from a network reaches a terminal raw. JSON,
///   XML and YAML have escaped those characters by their own rules before, and pass unchanged.
/// - A write that fails ends the process with one sentence and exit code 2, quietly where a pipe was closed; verbs that
///   run until somebody stops them ask with `whenFailed` to be told instead, and end as at Ctrl-C.
///
/// Used by one thread at a time.
package final class Output: @unchecked Sendable {
  static let standardName = "standard output"

  private let file: OutputFile
  private var writer: LineWriter?
  private var failure: OutputFailure?
  private var isFinished = false
  private var ownReaction: ((OutputFailure) -> Void)?
  private let isColoured: Bool
  /// Whether it is the terminal that a line of `status` may stand on.
  private let isBesideStatus: Bool

  /// Opens it; a regular file is not touched before `finish`.
  /// - Parameters:
  ///   - path: `nil`: standard output.
  ///   - isGrowing: as for `OutputFile`: what was written up to `mark` is kept if the rest cannot be written.
  package init(path: String?, isGrowing: Bool = false) throws(OutputFailure) {
    if let path { file = try OutputFile(path: path, isGrowing: isGrowing) } else { file = OutputFile() }
    isColoured = path == nil && Output.paints
    isBesideStatus = path == nil && Output.isTerminal
    writer = LineWriter { [unowned self] in write($0) }
    Output.unfinished.withLock { $0.append(self) }
  }

  // MARK: - Lines

  /// A line for people, or one of a format that has escaped its text already. A line end inside is shown as `\x0a`.
  package func line(_ text: String) { writer?.line(PlainText.shown(text)) }
  /// A line with colours, where a person looks.
  package func line(painted text: PaintedText) { writer?.line(text.text(isColoured: isColoured)) }
  /// Text of several lines, with or without an end of the last one.
  package func document(_ text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    for one in lines { line(String(one)) }
  }
  package func line(_ write: (inout JSONLine) -> Void) { writer?.line(write) }
  package func line(_ report: Report, time: Instant, frame: Int?) { writer?.line(report, time: time, frame: frame) }
  /// Lines that take the place of all that stands on a terminal.
  package func screen(_ lines: [String]) {
    writer?.line("\u{1B}[H\u{1B}[J" + lines.map(PlainText.shown).joined(separator: "\n"))
  }

  // MARK: - Bytes

  /// A capture, or another format that is not text.
  package func bytes(_ bytes: [UInt8]) {
    writer?.flush()
    bytes.withUnsafeBytes(write)
  }

  /// Says that what was written so far is whole.
  package func mark() { file.mark() }

  /// Hands over what was gathered; a regular file still waits for `finish`.
  package func flush() { writer?.flush() }

  private func write(_ bytes: UnsafeRawBufferPointer) {
    if failure != nil || isFinished { return }
    var problem: OutputFailure?
    func hand() { do throws(OutputFailure) { try file.write(bytes) } catch { problem = error } }
    if isBesideStatus { Output.withoutStatus(hand) } else { hand() }
    if let problem { fail(problem) }
  }

  private func fail(_ error: OutputFailure) {
    var error = error
    if file.keepWhole() { error.description += "; it holds what came before" }
    file.discard()
    failure = error
    if let ownReaction { return ownReaction(error) }
    Output.firstLost.withLock { $0 = $0 ?? error }
    if let reaction = Output.reaction.withLock({ $0 }) { return reaction() }
    Output.end(error)
  }

  /// Puts the file in its place. What is written afterwards is lost.
  /// - Throws: why it, or something before, could not be written.
  package func finish() throws(OutputFailure) {
    flush()
    Output.unfinished.withLock { list in list.removeAll { $0 === self } }
    isFinished = true
    if let failure { throw failure }
    try file.finish()
  }

  /// From now on a write of this output that fails calls this, once, and ends nothing; what is written to it afterwards is
  /// lost, and `finish` throws.
  package func whenFailed(_ body: @escaping (OutputFailure) -> Void) { ownReaction = body }

  // MARK: - All of them

  private static let unfinished = Mutex<[Output]>([])
  private static let firstLost = Mutex<OutputFailure?>(nil)
  /// What could not be written first, where nothing takes care of it; of a verb that goes on until somebody stops it.
  package static var lost: OutputFailure? { firstLost.withLock { $0 } }

  private static let reaction = Mutex<(@Sendable () -> Void)?>(nil)

  /// From now on a write that fails calls this, on the thread that wrote, and ends nothing; `finishAll` throws then.
  package static func whenFailed(_ body: @escaping @Sendable () -> Void) { reaction.withLock { $0 = body } }

  /// Finishes every output that is open.
  /// - Throws: the first failure; the others stand where they belong.
  package static func finishAll() throws(OutputFailure) { try finish(all: { unfinished.withLock { $0.first } }) }

  /// Finishes outputs as long as there is a next one.
  static func finish(all next: () -> Output?) throws(OutputFailure) {
    var first: OutputFailure?
    while let output = next() {
      do throws(OutputFailure) { try output.finish() } catch { first = first ?? error }
    }
    if let first { throw first }
  }

  /// Leaves nothing of files that are not finished; what was meant for standard output, a pipe or a device is handed over.
  package static func discardAll() {
    reaction.withLock { $0 = {} }
    let all = unfinished.withLock { list in
      defer { list = [] }
      return list
    }
    for output in all { output.discard() }
  }

  /// A file that would be put in its place leaves nothing; any other output gets the bytes gathered so far.
  func discard() {
    if !file.isReplaced { flush() }
    isFinished = true
    file.discard()
  }

  /// Ends the process for a failed write: one sentence and exit code 2, or, where nobody reads any more, by SIGPIPE.
  package static func end(_ failure: OutputFailure) -> Never {
    discardAll()
    if failure.isClosedPipe {
      signal(SIGPIPE, SIG_DFL)
      raise(SIGPIPE)
      _exit(128 + SIGPIPE)
    }
    complain(failure.description)
    // Other threads may be at work still.
    _exit(2)
  }

  // MARK: - The process

  /// To be called first of all: what is closed at the start stays closed; a closed pipe and a file that may not grow are
  /// errors like others.
  package static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // A closed descriptor is given to the next file that is opened, and what is printed would go there. These let no
    // byte through: what is read from is not written to.
    for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      _ = open("/dev/null", mode)
    }
  }

  /// Makes the folder of outputs, and those above it that are missing.
  package static func makeFolder(_ path: String) throws(OutputFailure) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch { throw OutputFailure("\(path): the folder cannot be made: \(error.localizedDescription)") }
  }

  /// Says something on standard error; line ends stay, all else that is hidden is shown. If it cannot be said, it is not.
  package static func complain(_ text: String) {
    withoutStatus { note(shown(lines: text) + "\n") }
  }

  static func shown(lines text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { PlainText.shown(String($0)) }.joined(separator: "\n")
  }

  private static let isStatusDrawn = Mutex(false)
  private static let statusErased = "\r\u{1B}[K"

  /// Draws a line of its own on standard error, in place of the one that stands there; `nil` takes it away, and so does
  /// whatever is printed on the terminal.
  package static func status(_ text: String?) {
    guard let text else { return withoutStatus {} }
    isStatusDrawn.withLock { isDrawn in
      note(statusErased + PlainText.shown(text))
      isDrawn = true
    }
  }

  /// Takes the line of `status` away and lets nobody draw it meanwhile.
  private static func withoutStatus(_ body: () -> Void) {
    isStatusDrawn.withLock { isDrawn in
      if isDrawn { note(statusErased) }
      isDrawn = false
      body()
    }
  }

  private static func note(_ text: String) {
    var text = text
    text.withUTF8 { _ = OutputFile.write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }

  package static var isTerminal: Bool { isTerminal(STDOUT_FILENO) }
  package static var isErrorTerminal: Bool { isTerminal(STDERR_FILENO) }
  static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

  /// Whether words on standard output are coloured.
  static let paints = TerminalManners(
    environment: ProcessInfo.processInfo.environment, isOutputTerminal: isTerminal, isErrorTerminal: isErrorTerminal
  ).usesColour
}
