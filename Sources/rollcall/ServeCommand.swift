import ArgumentParser
import Foundation
import RollcallLive
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallServing
import RollcallTrace

struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Let a scenario's inhabitants live on a real interface, in real time.",
    discussion: """
      They announce themselves, answer real control points and serve their descriptions, behind the links and faults \
      of the scenario: a control point outside takes the place of the engine. All of them have the interface's own \
      address, unless --add-addresses gives each the address that the scenario has for it. At the end they say byebye.

      What --trace and --pcapng write is whole at every moment, also when the process is killed.

      rollcall serve Scenarios/ssdp/living-room.yaml -i eth0 --duration 10m
      """)

  @Argument(help: "A scenario file; of a sweep the first point.", completion: .file(extensions: ["yaml"]))
  var scenario: String

  @Option(
    name: [.customShort("i"), .long],
    help: "An interface, as in eth0; the n-th stands for interface n of the scenario's engine.")
  var interface: [String] = []

  @Option(help: "The seed, instead of the scenario's first.")
  var seed: UInt64?

  @Option(help: "End after this time, as in 90s; else at Ctrl-C.")
  var duration: String?

  @Option(
    help: "Seconds of the scenario in one second: its timeline, renewals and answers come sooner, max-age stays.")
  var speed = 1

  @Flag(help: "Put the addresses of the inhabitants on the interface, and take them away again (needs root).")
  var addAddresses = false

  @Option(help: "Write what was sent and heard to this file while it happens, one entry a line.", completion: .file())
  var trace: String?

  @Option(help: "Write what was sent and heard to this pcapng file while it happens.", completion: .file())
  var pcapng: String?

  /// Inhabitants with sockets of their own.
  static let ownAddressesMaximum = 500

  func run() throws {
    if interface.isEmpty { throw Complaint("name the interface to serve on with -i") }
    try Numbers.check(speed, 1...1_000, "--speed")
    let duration = try duration.map { try ReplayCommand.interval($0, option: "--duration") }
    let there = try LiveInterfaces.chosen(interface)
    let added = AddedAddresses(there, isWanted: addAddresses)
    let interfaces = added.interfaces
    for one in interfaces where !one.isUsable {
      throw Complaint("\(one.name) is down or has no address: bring it up first")
    }
    let (path, resolved) = try Inputs.resolvedScenario(scenario, of: "serve")
    try OutputClash.check(inputs: [path], outputs: [("--trace", trace), ("--pcapng", pcapng)])
    let traceOutput = try Output.growing(trace)
    let captureOutput = try Output.growing(pcapng)
    let plan = ServedPlan(resolved, interfaces: interfaces.map(\.addresses), hasOwnAddresses: addAddresses)
    if plan.devices.allSatisfy(\.endpoints.isEmpty), !plan.devices.isEmpty {
      throw Complaint(
        "nobody can be served on \(interface.joined(separator: ", ")): \(plan.notes.joined(separator: "; "))")
    }
    if addAddresses, plan.inhabitantCount > ServeCommand.ownAddressesMaximum {
      throw Complaint(
        "--add-addresses is for up to \(ServeCommand.ownAddressesMaximum) inhabitants, and these are "
          + "\(plan.inhabitantCount): leave it out, and all of them share one address")
    }
    let number = seed ?? resolved.scenario.seeds.lowerBound
    // From here on a signal ends it in order: addresses are taken away again.
    let interrupt = Interrupt()
    defer { added.remove() }
    try added.add(plan.wantedAddresses.map { ($0.endpoint.address, Int($0.interface.number)) })
    try serve(
      plan, interfaces, Seed(number), duration, title: "\(path), seed \(number)", trace: traceOutput,
      capture: captureOutput, added: added, interrupt: interrupt)
  }

  private func serve(
    _ plan: ServedPlan, _ interfaces: [LiveInterface], _ seed: Seed, _ duration: Interval?, title: String,
    trace: Output?, capture: Output?, added: AddedAddresses, interrupt: Interrupt
  ) throws {
    let world = ServedWorld(
      plan, options: .init(seed: seed, speed: Int64(speed), hasOwnAddresses: addAddresses))
    let party = ServedParty(world)
    let run = LiveRun(LivePlan(interfaces: interfaces.map(\.name), duration: duration), party: party)
    let record = LiveRecord(
      of: run, trace: trace, capture: capture, interfaces: interfaces.map(\.name), verb: "rollcall serve")
    if record.isWanted { party.record = { record.take(TraceEntry(time: $1, station: 0, content: $0)) } }
    // The reader of the output may be gone already; then addresses are taken away again, too.
    Output.whenFailed { run.stop() }
    let output = try Output(path: nil)
    let places = interfaces.map { one in "\(one.name) (\(one.addresses.map { "\($0.address)" }.joined(separator: " ")))"
    }
    output.line("serving \(plan.inhabitantCount) inhabitants of \(title) on \(places.joined(separator: ", "))")
    for device in plan.devices.prefix(40) {
      let location = device.endpoints.first.map { "\(device.scheme)://\($0)\(device.path)" } ?? "not reachable"
      output.line("  \(device.name)  \(device.identity)  \(location)")
    }
    if plan.devices.count > 40 { output.line("  ... and \(plan.devices.count - 40) more devices") }
    for note in plan.notes { output.line("note: \(note)") }
    output.flush()

    party.refused = { [unowned run] refusal in
      guard refusal.deed == .join, let text = run.refusalTexts.last else { return }
      Output.complain(
        "\(text); programs that search by multicast are not heard there: end what holds port \(refusal.port), or let it "
          + "share the port (`ss -lunp` lists programs and their ports)")
    }
    party.why = { [unowned run] in run.refusalTexts.last }
    run.onLook = { added.renew(at: $0) }
    interrupt.react { run.stop() }
    try withExtendedLifetime(interrupt) { try run.complete() }
    record.finish(at: party.now)

    let tally = world.tally
    output.line(
      "\(tally.entered) datagrams came from outside, \(tally.left) left; \(world.servedCount) descriptions served, "
        + "\(world.refusedCount) requests refused")
    if run.dropCount > 0 { output.line("\(run.dropCount) datagrams came faster than they were read and were dropped") }
    if tally.forged > 0 { output.line("\(tally.forged) forged source addresses were replaced by the interface's own") }
    if tally.forNobody > 0 {
      output.line("\(tally.forNobody) datagrams were meant for addresses of the scenario that are not here")
    }
    if tally.withoutAddress > 0 {
      output.line("\(tally.withoutAddress) datagrams had no address of their family to leave from")
    }
    for text in run.refusalTexts { output.line("refused by the system: \(text)") }
    output.flush()
    if let group = party.deafTo { throw Complaint("until the end nothing was heard from \(group)") }
    try LiveEnd(
      isRecordLost: record.hasFailed, lostInterfaces: run.downInterfaces,
      wasInterrupted: interrupt.hasCome && duration != nil
    ).check()
  }
}

/// Joins a served world and a live run.
private final class ServedParty: LiveParty {
  private let world: ServedWorld
  /// What went to groups, and the time of it.
  private var sent = RecentlySent()
  private(set) var now = Instant.zero
  /// Is given everything that crosses the interface, with its time.
  var record: ((TraceEntry.Content, Instant) -> Void)?
  weak var outlet: (any LiveOutlet)?
  /// What the system said last when it refused something.
  var why: () -> String? = { nil }

  init(_ world: ServedWorld) { self.world = world }

  var deadline: Instant? { world.deadline }

  func begin(at now: Instant) {
    isBegun = true
    for one in world.plan.groups { outlet?.join(one.group, on: one.interface) }
    for listener in world.plan.searchListeners { outlet?.listen(at: listener.endpoint, on: listener.interface) }
    world.send = { [weak self] in self?.send($0, $1) }
    world.want = { [weak self] in self?.want($0) }
    self.now = now
    world.begin()
    world.advance(to: now)
  }

  func advance(to now: Instant) {
    self.now = now
    world.advance(to: now)
  }

  func end(at now: Instant) {
    self.now = now
    world.end(at: now)
  }

  private func send(_ datagram: Datagram, _ bytes: UnsafeRawBufferPointer) {
    if datagram.destination.address.isMulticast { sent.note(bytes, at: now) }
    record?(
      .sent(
        RecordedDatagram(
          source: datagram.source, destination: datagram.destination, interface: datagram.interface,
          hopLimit: datagram.hopLimit, bytes: Array(bytes))), now)
    outlet?.send(datagram, bytes)
  }

  private func want(_ effect: StreamEffect) {
    record?(.effect(.streams(effect)), now)
    outlet?.want(effect)
  }

  func hear(_ datagram: HeardDatagram, at now: Instant) {
    self.now = now
    // What the inhabitants sent comes back from the group; inside, they have heard each other already. A program of this
    // host, such as a responder of multicast DNS, may use the same port.
    if outlet?.isOwn(datagram.source, on: datagram.interface) == true, sent.contains(datagram.bytes, at: now) { return }
    record?(
      .received(
        RecordedDatagram(
          source: datagram.source, destination: datagram.destination, interface: datagram.interface,
          hopLimit: datagram.hopLimit, bytes: Array(datagram.bytes))), now)
    world.enter(
      datagram.bytes, from: datagram.source, to: datagram.destination, interface: datagram.interface, at: now)
  }

  func take(_ signal: StreamSignal, at now: Instant) {
    self.now = now
    record?(.signal(.streams(signal)), now)
    if let listener = world.take(signal, at: now) {
      Output.complain("descriptions at \(listener.endpoint) are not served: \(why() ?? "the address is gone")")
    }
  }

  // An interface that goes away is silent, and the groups are joined again when it is back.
  func take(_ change: InterfaceChange, at now: Instant) {
    record?(.signal(.interface(change)), now)
    guard change.isUp, isBegun else { return }
    // A group that cannot be joined now either is refused again.
    notJoined.removeAll { $0.interface == change.interface }
    for one in world.plan.groups where one.interface == change.interface {
      outlet?.join(one.group, on: one.interface)
    }
  }
  private var isBegun = false

  func take(_ refusal: Refusal, at now: Instant) {
    record?(.signal(.refused(refusal)), now)
    if refusal.deed == .join { notJoined.append(refusal) }
    refused(refusal)
  }

  /// Called at once with what the system refuses.
  var refused: (Refusal) -> Void = { _ in }
  private var notJoined: [Refusal] = []
  /// A group that could not be joined, and was not joined since.
  var deafTo: Endpoint? { notJoined.first.map { Endpoint($0.address, port: $0.port) } }
}
