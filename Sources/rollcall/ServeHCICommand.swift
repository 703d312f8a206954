import ArgumentParser
import Foundation
import RollcallCapture
import RollcallLive
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallServing
import RollcallWire

struct ServeHCICommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve-hci", abstract: "Lend the radios of a scenario to real Bluetooth hosts, over HCI.",
    discussion: """
      A host stack that speaks HCI (H4) connects to the socket and has a controller on the virtual air, among the \
      peripherals of the scenario, in real time. Each inhabitant of kind hci-host is a radio for one host, in the order \
      of their connections; the scenario's own engine scans and connects as its timeline says, and its expectations are \
      judged at the end. In a scenario without one the host has the radio of the engine, and is there in its place.

      rollcall serve-hci Scenarios/bluetooth/living-room.yaml --listen tcp:127.0.0.1:9000
      """)

  @Argument(help: "A scenario file; of a sweep the first point.", completion: .file(extensions: ["yaml"]))
  var scenario: String

  @Option(help: "Where hosts connect: tcp:ADDRESS:PORT or unix:PATH. With port 0 the system chooses one.")
  var listen = "tcp:127.0.0.1:0"

  @Option(help: "The seed, instead of the scenario's first.")
  var seed: UInt64?

  @Option(help: "End after this time, as in 90s; else at the end of the scenario, or at Ctrl-C without an engine.")
  var duration: String?

  @Option(
    help:
      "Write the HCI traffic to this btsnoop file; of several hosts each to a file with its name before the ending.",
    completion: .file())
  var btsnoop: String?

  func run() throws {
    guard let place = HCIPlace(listen) else {
      throw Complaint("--listen \(listen): expected tcp:ADDRESS:PORT or unix:PATH")
    }
    let duration = try duration.map { try ReplayCommand.interval($0, option: "--duration") }
    let (path, resolved) = try Inputs.resolvedScenario(scenario, of: "serve-hci")
    let number = seed ?? resolved.scenario.seeds.lowerBound
    guard let world = ServedRadio(resolved, seed: Seed(number)) else {
      throw Complaint("\(path) has no Bluetooth radio: it needs a peripheral, or an engine with 'scan'")
    }
    let paths = btsnoop.map { file in world.places.map { ServeHCICommand.path(file, of: $0.name, world.places.count) } }
    try OutputClash.check(inputs: [path], outputs: (paths ?? []).map { ("--btsnoop", $0) })
    let records = try paths?.map { try Output(path: $0, isGrowing: true) }
    records?.forEach { $0.bytes(BtsnoopWriter.header) }

    let party = try HCIParty(world, records: records)
    let end = duration ?? (world.hasEngine ? world.end - .zero : nil)
    let run = LiveRun(LivePlan(interfaces: [], duration: end), party: party)
    party.serve(on: run, at: place, title: "\(path), seed \(number)")
    let interrupt = Interrupt { run.stop() }
    Output.whenFailed { run.stop() }
    try withExtendedLifetime(interrupt) { try run.run() }
    try records?.forEach { try $0.finish() }
    let holds = try party.end()
    // The end of the scenario, or of --duration, is an end of its own.
    try LiveEnd(wasInterrupted: interrupt.hasCome && end != nil).check()
    if !holds { throw Exit.expectationFailed }
  }

  private static func path(_ path: String, of host: String, _ count: Int) -> String {
    guard count > 1 else { return path }
    let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    let ending = name.dropFirst().lastIndex(of: ".").map { name[$0...] } ?? ""
    return path.dropLast(ending.count) + "-" + host + ending
  }
}

/// Joins a served radio, the sockets of hosts, and a live run.
private final class HCIParty: LiveParty, @unchecked Sendable {
  private let world: ServedRadio
  private let output: Output
  private let records: [Output]?
  /// Of the clock of the run, since the Unix epoch.
  private let epoch: Interval
  private var sockets: HCISockets?
  /// Which place a host outside has.
  private var placeOfHost: [Int: Int] = [:]
  private var hostOfPlace: [Int: Int] = [:]
  private var failure: String?
  private var counts = (hosts: 0, toHost: 0, toController: 0)
  weak var outlet: (any LiveOutlet)?

  init(_ world: ServedRadio, records: [Output]?) throws {
    (self.world, self.records) = (world, records)
    output = try Output(path: nil)
    epoch = Instant.now - .zero
    world.send = { [unowned self] place, packet in
      if let host = hostOfPlace[place] { sockets?.send(packet, to: host) }
    }
    world.tap = { [unowned self] in note($0, $1, $2, $3) }
    world.report = { [unowned self] report, time in
      output.line("\(time)  \(ReportText.line(report))")
      output.flush()
    }
  }

  func serve(on run: LiveRun, at place: HCIPlace, title: String) {
    let sockets = HCISockets(loop: run.eventLoop) { event in
      run.tell { now in self.take(event, at: now) }
    }
    self.sockets = sockets
    run.onEnd = { _ in sockets.closeAll() }
    sockets.listen(at: place) { result in
      switch result {
      case .success(let place):
        let names = self.world.places.map { "\($0.name) (\($0.publicAddress))" }.joined(separator: ", ")
        self.output.line("\(title): hosts connect to \(place)")
        self.output.line("radios: \(names)")
        self.output.flush()
      case .failure(let error):
        self.failure = "nobody can connect to \(place): \(SystemWords.of(error))"
        run.stop()
      }
    }
  }

  private func take(_ event: HCISockets.Event, at now: Instant) {
    switch event {
    case .connected(let host):
      guard let place = world.attach(at: now) else {
        say("a host was turned away: every radio is taken", at: now)
        return sockets?.close(host) ?? ()
      }
      (placeOfHost[host], hostOfPlace[place]) = (place, host)
      counts.hosts += 1
      say("a host has the radio \(world.places[place].name)", at: now)
    case .bytes(let host, let bytes):
      guard let place = placeOfHost[host] else { return }
      do { try world.receive(bytes, from: place, at: now) } catch {
        say(
          "the host of \(world.places[place].name) sent no packet of HCI: \(error.reason.rawValue) at byte "
            + "\(error.offset) of its stream; it is cut off", at: now)
        sockets?.close(host)
      }
    case .closed(let host):
      guard let place = placeOfHost.removeValue(forKey: host) else { return }
      hostOfPlace[place] = nil
      world.detach(place, at: now)
      say("the host of \(world.places[place].name) is gone", at: now)
    }
  }

  private func say(_ text: String, at now: Instant) {
    output.line("\(now)  \(text)")
    output.flush()
  }

  private func note(_ place: Int, _ direction: ServedRadio.Direction, _ packet: [UInt8], _ time: Instant) {
    let isSent = direction == .toController
    if isSent { counts.toController += 1 } else { counts.toHost += 1 }
    guard let record = records?[place] else { return }
    record.bytes(BtsnoopWriter.record(packet, time: time + epoch, isSent: isSent))
    record.mark()
  }

  /// Says what came of it.
  /// - Returns: whether every expectation holds.
  func end() throws -> Bool {
    if let failure { throw Complaint(failure) }
    output.line(
      "\(counts.hosts) hosts came; \(counts.toController) packets of theirs, \(counts.toHost) for them")
    for one in world.rejections() { output.line("refused \(one.count)×: \(one.reason)") }
    guard let (verdicts, outcome) = world.verdicts() else {
      output.flush()
      return true
    }
    for verdict in verdicts where verdict.isBad {
      output.line("\(verdict.id) \(verdict.outcome.rawValue): expected \(verdict.expected); found \(verdict.found)")
    }
    output.line("\(outcome.rawValue): \(verdicts.filter { !$0.isBad }.count) of \(verdicts.count) expectations hold")
    output.flush()
    return outcome == .passed
  }

  // MARK: - Of a live run

  var deadline: Instant? { world.deadline }

  func begin(at now: Instant) {
    world.begin()
    world.advance(to: now)
  }

  func advance(to now: Instant) { world.advance(to: now) }
  func end(at now: Instant) { world.advance(to: now) }
  func hear(_ datagram: HeardDatagram, at now: Instant) {}
  func take(_ change: InterfaceChange, at now: Instant) {}
  func take(_ refusal: Refusal, at now: Instant) {}
}
