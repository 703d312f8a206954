import ArgumentParser
import RollcallConformance
import RollcallExaminers
import Foundation
import RollcallJudging
import RollcallLive
import RollcallPrimitives
import RollcallReporting
import RollcallServing
import RollcallTrace

struct ExamineControlPointCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "control-point", abstract: "Play baits to a control point, and see what it believes.",
    discussion: """
      Answers its searches and announces devices that are not there: right ones, malformed ones, late ones, many at \
      once, some that leave, restart or expire. What it believes shows in two ways: it fetches a bait's LOCATION, or, \
      with --command, it prints it. Only the named interface is used. What cannot be seen is "not observable", and \
      never a pass. Exit code 1 where a must was broken.

      rollcall examine control-point -i eth0 --dry-run
      rollcall examine control-point -i eth0 --command 'gssdp-discover -i eth0' --pcapng baits.pcapng
      """)

  @Option(name: [.customShort("i"), .long], help: "The interface on which the control point is, as in eth0.")
  var interface: String

  @Option(help: "Start this control point for each run, read its output, end it; as in 'gssdp-discover -i eth0'.")
  var command: String?

  @Option(help: "End after this time, as in 90s; what was not put by then is not observable.")
  var duration: String?

  @Option(
    help: "Examine the control point at this address. By default the first that searches; with --command, this machine."
  )
  var address: String?

  @Option(help: "Put only this probe; may be repeated. --dry-run lists them.")
  var only: [String] = []

  @Option(help: "Split the baits of answers, and those of announcements, over so many starts of the command, 1 to 50.")
  var runs = 2

  @Option(help: "Put what fails so many times more, alone, before it is a breach, 0 to 5.")
  var repeats = 1

  @Option(help: "Devices in the flood, 1 to 10000.")
  var flood = 200

  @Option(
    help: "An address of this machine off the subnet: LOCATIONs point there, and it is seen whether they are fetched.")
  var offSubnet: String?

  @Option(help: "How to print: text, json (lines), junit or sarif.")
  var format: JudgeCommand.JudgeFormat = .text

  @Option(help: "Write to this file instead of standard output.", completion: .file())
  var output: String?

  @Flag(help: "A broken should fails as a broken must does.")
  var strict = false

  @Flag(help: "Say what would be sent, list the probes, and send nothing.")
  var dryRun = false

  @Option(help: "Write what was sent and heard to this pcapng file.", completion: .file())
  var pcapng: String?

  func run() throws {
    let place = try chosenInterface()
    let setting = try setting(on: place)
    let words = try command.map(split)
    try OutputClash.check(inputs: [], outputs: [("--output", output), ("--pcapng", pcapng)])
    let out = try Output(path: output)
    if dryRun {
      ControlPointText.plan(setting, interface: place.name, command: command).forEach { out.line($0) }
      ControlPointText.probes(setting).forEach { out.line($0) }
      return out.flush()
    }
    let capture = try pcapng.map { try Output(path: $0) }
    let live = try examine(setting, words, place)
    if live.run.dropCount > 0 {
      Output.complain("\(live.run.dropCount) datagrams came faster than they were read and were dropped")
    }
    for text in live.run.refusalTexts { Output.complain("refused by the system: \(text)") }
    capture?.bytes(record(live.party.examination, place, began: live.began))
    try capture?.finish()
    try report(live.party.examination.result(), on: place, out)
  }

  // MARK: - What is asked for

  private func chosenInterface() throws -> LiveInterface {
    let found = LiveInterface.scan()
    guard let place = found.first(where: { $0.name == interface }) else {
      let names = found.map(\.name).joined(separator: ", ")
      throw Complaint("there is no interface \(interface): there are \(names)")
    }
    guard place.isUp, place.addresses.contains(where: { $0.address.family == .v4 }) else {
      throw Complaint("\(interface) is down or has no IPv4 address: bring it up first")
    }
    return place
  }

  private func setting(on place: LiveInterface) throws -> ControlPointExamination.Setting {
    guard let own = place.addresses.first(where: { $0.address.family == .v4 }) else {
      throw Complaint("\(interface) has no IPv4 address")
    }
    var setting = ControlPointExamination.Setting(address: own.address)
    setting.hasCommand = command != nil
    setting.duration = try duration.map { try ReplayCommand.interval($0, option: "--duration") }
    if let address {
      guard let one = IPAddress(address) else { throw Complaint("--address \(address): no address") }
      setting.examined = one
    } else if command != nil {
      // The program that rollcall starts runs on this host; other searchers on the network are not examined.
      setting.examined = own.address
    }
    for (name, value, range) in [
      ("--runs", runs, 1...50), ("--repeats", repeats, 0...5), ("--flood", flood, 1...10_000),
    ] { try Numbers.check(value, range, name) }
    (setting.runs, setting.repeats, setting.floodCount) = (runs, repeats, flood)
    if !only.isEmpty {
      setting.probes = try ControlPointProbe.allCases.filter(Set(only.map(ExamineControlPointCommand.probe)).contains)
    }
    // Names of baits differ from examination to examination: who remembers those of the last one is not deceived.
    setting.salt = UInt64(getpid()) & 0xFF_FFFF
    if let offSubnet {
      guard let one = IPAddress(offSubnet), one.family == .v4 else {
        throw Complaint("--off-subnet \(offSubnet): no IPv4 address")
      }
      if one.sharesPrefix(own.prefixBits, with: own.address) {
        throw Complaint("--off-subnet \(offSubnet) is on the subnet of \(interface), \(own.address)/\(own.prefixBits)")
      }
      setting.offSubnet.address = one
      setting.isOffSubnetWatched = true
    }
    return setting
  }

  private func split(_ command: String) throws -> [String] {
    do { return try CommandWords.split(command) } catch {
      throw Complaint("--command \(command): \(error.rawValue)")
    }
  }

  private static func probe(_ name: String) throws -> ControlPointProbe {
    guard let probe = ControlPointProbe(rawValue: name) else {
      throw Complaint(
        "--only \(name): no such probe; the nearest are \(ControlPointProbe.nearest(to: name).joined(separator: ", "))")
    }
    return probe
  }

  // MARK: - The run

  private struct Examined {
    var party: LiveControlPoint
    var run: LiveRun
    var began: Date
  }

  private func examine(
    _ setting: ControlPointExamination.Setting, _ words: [String]?, _ place: LiveInterface
  ) throws -> Examined {
    var setting = setting
    let party = LiveControlPoint(setting)
    let run = LiveRun(LivePlan(interfaces: [place.name], duration: nil), party: party)
    let host = PageHost()
    let server = DescriptionServer(on: run) { listener, path in host.page(at: listener, path) }
    setting.pagePort = try listen(server, at: setting.address, from: setting.pagePort)
    if setting.isOffSubnetWatched {
      setting.offSubnet.port = try listen(server, at: setting.offSubnet.address, from: setting.pagePort + 1)
    }
    party.renew(setting)
    (host.party, host.run, host.server) = (party, run, server)
    ControlPointText.plan(setting, interface: place.name, command: command).forEach { Output.complain($0) }

    let child = CommandHolder()
    if let words {
      party.startCommand = { child.start(words, for: party, on: run) }
      party.stopCommand = { child.current?.stop() }
    }
    party.whenOver = { run.stop() }
    let status = StatusLine()
    run.onLook = { _ in status.show(party.examination.progress) }
    let began = Date()
    let interrupt = Interrupt { run.stop() }
    Output.whenFailed { run.stop() }
    try withExtendedLifetime((interrupt, server)) { try run.run() }
    child.current?.stop(waits: true)
    status.clear()
    if let failure = child.failure { throw failure }
    return Examined(party: party, run: run, began: began)
  }

  /// The first of some ports that is free.
  private func listen(_ server: DescriptionServer, at address: IPAddress, from port: UInt16) throws -> UInt16 {
    var last: (any Error)?
    for offset in 0..<32 as Range<UInt16> {
      do {
        try server.listen(at: Endpoint(address, port: port + offset), scope: 0)
        return port + offset
      } catch { last = error }
    }
    throw Complaint(
      "descriptions cannot be served at \(address):\(port): \(last.map { "\($0)" } ?? "no port is free")",
      code: Exit.broken)
  }

  // MARK: - What came of it

  private func report(_ result: ControlPointResult, on place: LiveInterface, _ out: Output) throws {
    let input = "control-point \(place.name)"
    switch format {
    case .text:
      let lines = ControlPointText.lines(result, command: command, isRecorded: pcapng != nil)
      for line in lines { Terminal.fitted(line, to: output).forEach { out.line(painted: painted($0)) } }
    case .json: ControlPointLines.lines(result, input: input).forEach { out.line($0) }
    case .junit, .sarif:
      let judged = JudgedInput(path: input, judgement: result.judgement, isTrace: false)
      out.document(
        format == .junit
          ? JudgementJUnit.document([judged], isStrict: strict)
          : JudgementSARIF.document([judged], isStrict: strict, version: Rollcall.configuration.version))
    }
    try out.finish()
    if result.heardCount == 0, result.rows.allSatisfy({ $0.verdict == .notObservable }) {
      let who = result.setting.examined.map { " at \($0)" } ?? ""
      let others = result.others.map { "\($0)" }.joined(separator: ", ")
      throw Complaint(
        "no control point was heard\(who) on \(place.name): "
          + (others.isEmpty
            ? "start one, or let --command start it" : "searches came from \(others); name one with --address"))
    }
    if result.violations(.must) > 0 || strict && result.violations(.should) > 0 { throw Exit.expectationFailed }
  }

  private func painted(_ line: String) -> PaintedText {
    let text = line.drop { $0 == " " }
    let marks: [(Character, Output.Colour)] = [("✓", .green), ("✘", .red), ("?", .yellow)]
    for (mark, colour) in marks where text.first == mark {
      let margin = String(repeating: " ", count: line.count - text.count)
      return "\(margin)\(Output.paint(String(mark), colour))\(String(text.dropFirst()))"
    }
    return PaintedText(line, text.hasPrefix("·") || line.hasPrefix("      ") ? .dim : nil)
  }

  private func record(_ examination: ControlPointExamination, _ place: LiveInterface, began: Date) -> [UInt8] {
    let interface = examination.setting.interface
    var entries = [
      TraceEntry(
        time: .zero, station: 0, content: .signal(.interface(place.change(as: interface))))
    ]
    for entry in examination.log.entries {
      let datagram = RecordedDatagram(
        source: entry.source, destination: entry.destination, interface: interface, hopLimit: entry.hopLimit,
        bytes: entry.bytes)
      entries.append(
        TraceEntry(time: entry.time, station: 0, content: entry.isSent ? .sent(datagram) : .received(datagram)))
    }
    return DiscoverRecord.capture(
      entries, interfaces: [place.name], end: examination.log.entries.last?.time ?? .zero,
      origin: ["rollcall examine control-point: began \(began.ISO8601Format()), times count from there"])
  }
}

/// What the description server asks; on the event loop, set before it runs.
private final class PageHost: @unchecked Sendable {
  var party: LiveControlPoint?
  weak var run: LiveRun?
  weak var server: DescriptionServer?

  func page(at listener: Endpoint, _ path: String) -> DescriptionServer.Answer {
    guard let party, let run else { return .nobody }
    return party.page(path, at: listener, from: server?.client, at: run.now)
  }
}

/// The program that runs now; on the event loop.
private final class CommandHolder: @unchecked Sendable {
  private(set) var current: ChildProgram?
  private(set) var failure: Complaint?

  func start(_ words: [String], for party: LiveControlPoint, on run: LiveRun) {
    do {
      current = try ChildProgram(
        words, onLine: { line in run.tell { party.read(line, at: $0) } },
        onEnd: { end in
          run.tell { now in
            switch end {
            case .exited(let code): party.commandEnded(.exited(code), at: now)
            case .signalled(let number): party.commandEnded(.signalled(number), at: now)
            case .stopped: party.commandEnded(.stopped, at: now)
            }
          }
        })
    } catch {
      failure = error as? Complaint ?? Complaint("\(words[0]) cannot be started: \(error)")
      run.stop()
    }
  }
}

/// One line on a terminal that tells how far it is.
private final class StatusLine {
  private let isShown = Terminal.manners.drawsProgress

  func show(_ text: String) {
    if isShown { Output.status(text) }
  }
  func clear() {
    if isShown { Output.status(nil) }
  }
}
