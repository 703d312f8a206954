import ArgumentParser
import Foundation
import RollcallReporting

@main
struct Rollcall: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollcall",
    abstract: "Every device on the network, accounted for: device discovery, put to the test.",
    discussion: """
      Exit codes: 0 ok; 1 an expectation failed, or a must was broken; 2 usage, an input that cannot be read, or an output \
      that cannot be written; 3 a run was not deterministic; 4 the engine or rollcall itself failed; 5 a budget was \
      exceeded; 75 a campaign has no room for its results for now; 130 interrupted.
      """,
    version: "0.1.0",
    subcommands: [
      RunCommand.self, ReplayCommand.self, JudgeCommand.self, DiffCommand.self, ClausesCommand.self,
      ReproduceCommand.self, ShrinkCommand.self, RecordCommand.self, DiscoverCommand.self, ServeCommand.self,
      ServeHCICommand.self,
      ExamineCommand.self, ExplainCommand.self, CampaignCommand.self, FuzzCommand.self,
    ])

  static func main() {
    Output.prepare()
    do {
      var command = try parseAsRoot()
      try command.run()
      try Output.finishAll()
    } catch let code as ExitCode {
      end(code.rawValue)
    } catch let failure as OutputFailure {
      Output.end(failure)
    } catch let failure as Complaint {
      if let lost = Output.lost { Output.end(lost) }
      Output.discardAll()
      Output.complain(failure.message)
      Foundation.exit(failure.code.rawValue)
    } catch {
      let code = exitCode(for: error)
      let message = fullMessage(for: error)
      if code == .success {
        do { try Output(path: nil).document(message) } catch {}
        end(0)
      }
      Output.discardAll()
      Output.complain(message)
      // The parser's own 64 and anything that it cannot name are a matter of usage.
      Foundation.exit(code == .validationFailure ? 2 : code.rawValue == 1 ? 4 : code.rawValue)
    }
  }
}

extension Rollcall {
  /// Ends with a verdict: the work is done, and what was written is whole.
  private static func end(_ code: Int32) -> Never {
    do throws(OutputFailure) { try Output.finishAll() } catch { Output.end(error) }
    Foundation.exit(code)
  }
}

/// What rollcall's exit codes mean.
enum Exit {
  static let expectationFailed = ExitCode(1)
  static let usage = ExitCode(2)
  static let notDeterministic = ExitCode(3)
  static let broken = ExitCode(4)
  static let budget = ExitCode(5)
  /// The same command may go on later, or on another machine (EX_TEMPFAIL of sysexits.h).
  static let temporary = ExitCode(75)
  /// Ctrl-C before the end: what was done until then is told and written.
  static let interrupted = ExitCode(130)
}

/// An end with a word for the person at the terminal.
struct Complaint: Error {
  var message: String
  var code: ExitCode

  init(_ message: String, code: ExitCode = Exit.usage) { (self.message, self.code) = (message, code) }
}

/// How a verb prints: lines as they come, or a document of results at the end.
enum Format: String, ExpressibleByArgument, CaseIterable {
  case text, json, junit, tap, sarif, github

  /// `nil`: lines as they come.
  var document: ResultFormat? { ResultFormat(rawValue: rawValue) }

  /// Refuses documents for a verb that comes to no results, or for an option of it.
  func checkLines(_ verb: String) throws {
    if document != nil { throw Complaint("\(verb) prints text or json, and not \(rawValue)") }
  }
}

/// Options that verbs share.
struct OutputOptions: ParsableArguments {
  @Option(help: "How to print: text or json (lines); of results also junit, tap, sarif or github (annotations).")
  var format: Format = .text

  @Option(help: "Write to this file instead of standard output.", completion: .file())
  var output: String?

  @Flag(name: .shortAndLong, help: "Print only failures and the last line.")
  var quiet = false
}
