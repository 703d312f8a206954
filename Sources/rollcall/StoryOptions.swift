import ArgumentParser
import RollcallDiscovery
import Foundation
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallScenarios

/// What a capture is asked beyond its reports, and which engine is asked.
struct StoryOptions: ParsableArguments {
  @Flag(
    help:
      "Tell what happened: each device's life, and why other datagrams made none. Name an address, a UUID or a name of multicast DNS too."
  )
  var explain = false

  @Option(help: "Tell what an engine would know that searched for this target; with --at.")
  var search: String?

  @Option(name: .customLong("at"), help: "When it would have searched, after the first frame, as in 12s.")
  var at: String?

  @Option(
    name: .customLong("mx"), help: "MX in seconds: of the search of --search, else of every search in the capture.")
  var waitSeconds: Int?

  @Option(help: "Copies of a search, as for --mx.")
  var broadcasts: Int?

  @Option(help: "Time from one copy to the next, as in 500ms; MX by default.")
  var spacing: String?

  @Option(
    name: .customLong("set"),
    help: "One setting of the engine, as in byebye=each-part or limits.entries-per-source=64; may be repeated.")
  var settings: [String] = []

  @Flag(help: "The captures are of the same moment: replay them as one, merged by time, each an interface of its own.")
  var merge = false

  var explains: Bool { explain || search != nil }

  /// Captures, and the address, UUID or name that stands among them.
  func separated(_ words: [String]) throws -> (captures: [String], party: StoryParty?) {
    guard explain else { return (words, nil) }
    var captures: [String] = []
    var parties: [StoryParty] = []
    for word in words {
      if !FileManager.default.fileExists(atPath: word), let party = party(word) {
        parties.append(party)
      } else {
        captures.append(word)
      }
    }
    if parties.count > 1 {
      let named = parties.map { "'\($0.description)'" }.joined(separator: ", ")
      throw Complaint(
        "--explain takes one address, UUID or name of multicast DNS (what is no file is one), and these are "
          + "\(parties.count): \(named)")
    }
    if captures.isEmpty {
      if case .name(let name)? = parties.first { throw Complaint("\(name.description): no such file") }
      throw Complaint("--explain needs a capture to explain")
    }
    return (captures, parties.first)
  }

  /// Whom a word names that is no file; `nil` where it looks like the name of a file that is not there.
  private func party(_ word: String) -> StoryParty? {
    if let party = StoryParty(word) { return party }
    let isPath = word.contains("/") && !word.contains("._")
    if word == InputFiles.standardInput || isPath || InputFiles.looksLikeInput(word) { return nil }
    return StoryParty(name: word)
  }

  /// The engine that the command line asks for.
  func engine(strict: Bool) throws -> EngineConfiguration {
    var engine = EngineConfiguration()
    engine.mode = strict ? .strict : .lenient
    do { try engine.apply(settings) } catch { throw Complaint("--set: \(error)") }
    return engine
  }

  func teller(about party: StoryParty?, _ engine: EngineConfiguration) throws -> StoryTeller? {
    guard explains else { return nil }
    return StoryTeller(party: party, configuration: engine, probe: try probe())
  }

  private func probe() throws -> Probe? {
    guard let search else { return nil }
    guard let at else { throw Complaint("--search needs --at: when would it have been sent, as in --at 12s?") }
    try TargetOptions.check(search, option: "--search")
    return Probe(
      target: search, at: try ReplayCommand.interval(at, option: "--at"),
      maximumWaitSeconds: try checked(waitSeconds, 1...120, "--mx") ?? 3,
      broadcasts: try checked(broadcasts, 1...10, "--broadcasts") ?? 3, spacing: try spacingInterval())
  }

  /// How the searches of the capture are taken, where the command line says otherwise than they do themselves.
  func searchOverride() throws -> SearchOverride? {
    if search == nil, at != nil {
      throw Complaint("--at says when a search would have been sent: name its target with --search")
    }
    guard search == nil, waitSeconds != nil || broadcasts != nil || spacing != nil else { return nil }
    if spacing != nil, broadcasts == nil { throw Complaint("--spacing is of no use without --broadcasts") }
    return SearchOverride(
      maximumWaitSeconds: try checked(waitSeconds, 1...120, "--mx"),
      broadcasts: try checked(broadcasts, 1...10, "--broadcasts"), spacing: try spacingInterval())
  }

  private func spacingInterval() throws -> Interval? {
    try spacing.map { try ReplayCommand.interval($0, option: "--spacing") }
  }

  private func checked(_ value: Int?, _ range: ClosedRange<Int>, _ option: String) throws -> Int? {
    guard let value else { return nil }
    try Numbers.check(value, range, option)
    return value
  }
}
