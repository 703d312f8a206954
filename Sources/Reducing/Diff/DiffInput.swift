package import RollcallCapture
package import RollcallDiscovery
import Foundation
import RollcallExplaining
package import RollcallPrimitives
package import RollcallReplaying
import RollcallReporting
import RollcallRunning
package import RollcallScenarios
package import RollcallSessions
import RollcallTrace
import RollcallWire

/// What is to be compared: a path, and how it is replayed or run.
package struct DiffInput: Sendable {
  package var path: String
  /// `KEY=VALUE` with the keys of `engine:` in a scenario.
  package var settings: [String]
  package var switches: [EngineSwitch]
  /// For scenarios: faults of every nearby peer.
  package var peerFaults: [PeerFault]
  package var isStrict: Bool
  /// For captures.
  package var perspective: ReplayOptions.Perspective
  package var until: Interval?
  package var searches: SearchOverride?
  /// For scenarios; `nil`: the first of its own.
  package var seed: UInt64?

  package init(
    path: String, settings: [String] = [], switches: [EngineSwitch] = [], peerFaults: [PeerFault] = [],
    isStrict: Bool = false,
    perspective: ReplayOptions.Perspective = .everybody, until: Interval? = nil, searches: SearchOverride? = nil,
    seed: UInt64? = nil
  ) {
    (self.path, self.settings, self.switches, self.isStrict) = (path, settings, switches, isStrict)
    self.peerFaults = peerFaults
    (self.perspective, self.until, self.searches, self.seed) = (perspective, until, searches, seed)
  }

  /// Reads, replays or runs it.
  /// - Parameter reader: opens a capture that can be read as often as one likes, from its start.
  package func side(
    _ reader: @escaping (String) throws -> CaptureReader = { try CaptureReader(path: $0) }
  ) throws(DiffError) -> DiffSide {
    guard let found = InputFiles.paths(at: path, endings: InputFiles.captures) else {
      throw DiffError(description: "\(path): there is no such file or folder")
    }
    if found != [path] {
      guard found.count == 1 else {
        throw DiffError(description: "\(path): a folder with \(found.count) captures; name one file")
      }
      var inner = self
      inner.path = found[0]
      return try inner.side(reader)
    }
    if path.hasSuffix(".jsonl") || path.hasSuffix(".json") { return try reportsSide() }
    if InputFiles.isScenario(path) { return try scenarioSide() }
    if let fault = peerFaults.first {
      throw DiffError(description: "\(path): peers.\(fault.rawValue) is a fault of nearby peers, which scenarios have")
    }
    if InputFiles.isRepeatable(path) { return try captureSide { [path] in try reader(path) } }
    let open: () throws -> CaptureReader
    do { open = try InputFiles.opener(of: path) } catch { throw DiffError(description: "\(path): \(error)") }
    return try captureSide(open)
  }

  private var title: String {
    var words = settings + switches.map { "switch \($0.rawValue)" }
    words += peerFaults.map { "fault peers.\($0.rawValue)" }
    if isStrict { words.append("strict") }
    if case .host(let host) = perspective { words.append("as \(host)") }
    if let wait = searches?.maximumWaitSeconds { words.append("MX \(wait)") }
    if let copies = searches?.broadcasts { words.append("\(copies) broadcasts") }
    if let seed { words.append("seed \(seed)") }
    return words.isEmpty ? path : path + " with " + words.joined(separator: ", ")
  }

  private func configure(_ engine: inout EngineConfiguration) throws(DiffError) {
    if isStrict { engine.mode = .strict }
    do { try engine.apply(settings) } catch { throw DiffError(description: "\(error)") }
    for one in switches { engine.switches.insert(one) }
  }

  // MARK: Captures

  /// Replays a capture; its path is only for people.
  package func captureSide(_ open: @escaping () throws -> CaptureReader) throws(DiffError) -> DiffSide {
    var reader: CaptureReader
    do { reader = try open() } catch { throw DiffError(description: "\(path): \(error)") }
    var engine = EngineConfiguration()
    try configure(&engine)
    var options = ReplayOptions(perspective: perspective, engine: engine, until: until, wantsMessages: false)
    (options.searches, options.wantsServices) = (searches, true)
    var side = DiffSide(kind: .capture, title: title, path: path, base: nil)
    let teller = StoryTeller(configuration: engine)
    teller.keepsFates = true
    var reports: [WrittenReport] = []
    var frames: [Int] = []
    var replay = Replay(options: options, teller: teller) { event in
      guard case .report(let report, let time, let frame) = event else { return }
      reports.append(WrittenReport(report, time: time, place: frame))
      frames.append(frame ?? teller.fates.last?.frame ?? 0)
    }
    replay.run(&reader)
    if let failure = replay.summary.filterFailure { throw DiffError(description: "\(path): \(failure)") }
    (side.reports, side.frames) = (reports, frames)
    side.problems = replay.summary.captureProblems
    side.base = teller.finished(frames: replay.summary.frames).start
    side.fates = teller.fates
    side.replay = options
    side.open = open
    return side
  }

  // MARK: Files of reports

  private func reportsSide() throws(DiffError) -> DiffSide {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw DiffError(description: "\(path): cannot be read")
    }
    return try reportsSide(String(decoding: data, as: UTF8.self))
  }

  /// - Parameter text: JSON lines; what is no report is skipped, as are comments.
  package func reportsSide(_ text: String) throws(DiffError) -> DiffSide {
    if !settings.isEmpty || !switches.isEmpty || !peerFaults.isEmpty || isStrict || searches != nil {
      throw DiffError(description: "\(path): recorded reports cannot be given other settings; name the capture")
    }
    var side = DiffSide(kind: .reports, title: path, path: path, base: nil)
    for (number, line) in PlainText.lines(of: InputFiles.withoutMark(text)).enumerated() {
      if line.isEmpty || line.hasPrefix("#") { continue }
      if let report = WrittenReport(line: line) {
        side.reports.append(report)
        continue
      }
      guard let kind = WrittenReport.kind(ofLine: line) else {
        throw DiffError(
          description: "\(path):\(number + 1): expected a JSON line of rollcall, found '\(line.prefix(40))'")
      }
      if kind == "report" {
        throw DiffError(
          description: "\(path):\(number + 1): expected a report as 'rollcall replay --format json' writes it, with "
            + "all the fields of its event, found '\(line.prefix(40))'")
      }
    }
    return side
  }

  // MARK: Scenarios

  private func scenarioSide() throws(DiffError) -> DiffSide {
    let file: ScenarioFile
    do { file = try ScenarioFile.read(path) } catch { throw DiffError(description: "\(error)") }
    return try scenarioSide(file.scenario)
  }

  /// The one point of a scenario, with the engine configured as asked.
  private func resolved(_ scenario: inout Scenario) throws(DiffError) -> Resolved {
    if searches != nil {
      throw DiffError(description: "\(path): a scenario says itself how it searches; another MX is for captures alone")
    }
    do {
      let points = try scenario.points(file: path)
      guard points.count == 1 else {
        throw DiffError(description: "\(path): its sweep has \(points.count) points, and one run is compared with one")
      }
      scenario = points[0].scenario
      for fault in peerFaults { scenario.plant(fault) }
      try configure(&scenario.engine.configuration)
      return try scenario.resolved()
    } catch let error as DiffError { throw error } catch { throw DiffError(description: "\(error)") }
  }

  /// Runs a scenario; its path is only for people.
  package func scenarioSide(_ scenario: Scenario) throws(DiffError) -> DiffSide {
    var scenario = scenario
    let resolved = try resolved(&scenario)
    let (tellers, names) = (resolved.tellingHosts, resolved.peerNames)
    let result = Run.perform(
      resolved, seed: Seed(seed ?? scenario.seeds.lowerBound), options: RunOptions(recordedHosts: tellers))
    var side = DiffSide(kind: .scenario, title: title, path: path, base: .zero)
    var inputs: [UInt32: (number: Int, entry: TraceEntry)] = [:]
    for (number, entry) in zip(result.traceNumbers, result.trace) where tellers.contains(Int(entry.station)) {
      if entry.isInput { inputs[entry.station] = (number, entry) }
      guard case .effect(.application(var report)) = entry.content else { continue }
      if case .rejected = report { continue }
      if case .nearby(let told) = report { report = .nearby(told.named(names)) }
      var cause: DiffDatagram?
      var place: Int?
      if let input = inputs[entry.station] {
        switch input.entry.content {
        case .received(let datagram): cause = DiffDatagram(datagram, at: input.entry.time)
        case .signal(.radio(.heard(let packet))): cause = DiffDatagram(packet, frame: nil, at: input.entry.time)
        default: break
        }
        if cause != nil { place = input.number }
      }
      side.reports.append(WrittenReport(report, time: entry.time, place: place))
      side.inputs.append(cause)
    }
    return side
  }
}
