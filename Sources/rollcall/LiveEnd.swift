import ArgumentParser
import RollcallExaminers
import RollcallLive
import RollcallReporting

/// How a live verb ends, in the same way for all of them: a record that could not be written or an interface that is lost (2) comes
/// before an interruption (130), and that before what was found out (1).
struct LiveEnd {
  /// Whether a trace or a capture could not be written.
  var isRecordLost = false
  /// Interfaces without which what was asked for could not be done to its end.
  var lostInterfaces: [String] = []
  var lostText = "down, or without an address, until the end"
  /// Somebody ended it before its own end.
  var wasInterrupted = false

  /// - Throws: the exit code that stands above what was found out; the interface was named before.
  func check() throws(ExitCode) {
    if isRecordLost { throw Exit.usage }
    if !lostInterfaces.isEmpty {
      Output.complain("\(lostInterfaces.joined(separator: ", ")): \(lostText)")
      throw Exit.usage
    }
    if wasInterrupted { throw Exit.interrupted }
  }

  /// Of a run that goes on without an interface: those that were named have to be there at its end; else one of all.
  static func lost(of run: LiveRun, named: [String], all: [String]) -> [String] {
    let down = run.downInterfaces
    return named.isEmpty ? (down.count == all.count ? down : []) : down
  }
}

extension ExamPresence {
  /// - Throws: the exit code where the one that was examined, or the way to it, did not stay to the end.
  func check() throws(ExitCode) {
    switch self {
    case .present: break
    case .interfaceLost: throw Exit.usage
    case .left, .silent, .deaf: throw Exit.expectationFailed
    }
  }
}

extension LiveRun {
  /// Runs to its end; what keeps it from beginning is said in the system's words.
  func complete() throws(Complaint) {
    do { try run() } catch {
      throw Complaint("the network cannot be used: \(SystemWords.of(error))", code: Exit.broken)
    }
  }
}

extension Output {
  /// Writes a report and puts it in its place. A file that cannot be written is complained of, and the report is printed.
  /// - Parameter name: of the file; `nil`: it is standard output.
  /// - Returns: whether it stands where it was wanted.
  func report(named name: String?, _ body: (Output) -> Void) throws(OutputFailure) -> Bool {
    if name != nil { whenFailed { _ in } }
    body(self)
    do { try finish() } catch {
      if name == nil { throw error }
      Output.complain("\(error.description); the report is printed here")
      let printed = try Output(path: nil)
      body(printed)
      try printed.finish()
      return false
    }
    return true
  }
}
