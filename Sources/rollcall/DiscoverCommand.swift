import ArgumentParser
import RollcallDiscovery
import Foundation
import RollcallLive
import RollcallPrimitives
import RollcallReporting
import RollcallServing
import RollcallTrace

struct DiscoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discover", abstract: "Find devices on the real network, and lose them when they go.",
    discussion: """
      Searches when it begins, listens to announcements, and goes on until --duration is over or Ctrl-C comes. On a \
      terminal it shows a table, otherwise a line for each report. What --trace and --pcapng write replays at the desk \
      to the same reports: rollcall replay FILE.pcapng --as \(LiveRecord.host).

      With --mdns it looks for services of multicast DNS, too: those of all types, or of the types that are named.

      With --devices it shows what an application could use: devices with their names, each with its services, searched for \
      anew every 30 seconds.

      rollcall discover -i eth0 --duration 30s --descriptions
      rollcall discover --devices
      rollcall discover --pick
      rollcall discover --mdns _ipp._tcp,_http._tcp
      rollcall discover --search urn:schemas-upnp-org:device:MediaRenderer:1 --mx 5 --format json
      """)

  @Argument(help: "With --mdns: types of services, as in _ipp._tcp or _color._sub._ipp._tcp; all types by default.")
  var services: [String] = []

  @Flag(help: "Look for services of multicast DNS, too.")
  var mdns = false

  @Flag(help: "Show devices that an application could use, with names and what they can do.")
  var devices = false

  @Flag(
    help: "Let a person pick one of these devices by its number; then it ends, and says which one. Implies --devices.")
  var pick = false

  @Option(help: "What to search for; may be repeated. ssdp:all by default; with --devices the services that it knows.")
  var search: [String] = []

  @Option(
    name: [.customShort("i"), .long],
    help: "An interface to use, as in eth0; may be repeated. All that are up by default.")
  var interface: [String] = []

  @Option(help: "End after this time, as in 90s.")
  var duration: String?

  @Option(name: .customLong("mx"), help: "MX of the search in seconds, 1 to 5.")
  var waitSeconds = 3

  @Option(help: "How often the search is sent, 1 to 10; the copies are MX apart.")
  var broadcasts = 3

  @Flag(help: "Accept only what UDA allows, instead of all that can be understood.")
  var strict = false

  @Flag(help: "Fetch the description of each device and tell what came: bytes and digest, or why there are none.")
  var descriptions = false

  @Option(help: "How to print: text or json (lines).")
  var format: Format = .text

  @Option(help: "Write the trace of the run to this file, one entry a line.", completion: .file())
  var trace: String?

  @Option(help: "Write what was sent and heard to this pcapng file.", completion: .file())
  var pcapng: String?

  func run() throws {
    let devices = devices || pick
    try format.checkLines("discover")
    let duration = try duration.map { try ReplayCommand.interval($0, option: "--duration") }
    let targets = search.isEmpty && !devices ? ["ssdp:all"] : search
    try TargetOptions.check(targets, waitSeconds: waitSeconds, broadcasts: broadcasts)
    let interfaces = try LiveInterfaces.chosen(interface)
    try OutputClash.check(inputs: [], outputs: [("--trace", trace), ("--pcapng", pcapng)])
    // Whether they can be written is found out before anything is sent.
    let traceOutput = try Output.growing(trace)
    let captureOutput = try Output.growing(pcapng)

    var configuration = EngineConfiguration()
    configuration.mode = strict ? .strict : .lenient
    configuration.descriptions = descriptions || devices ? .fetch : .leave
    if devices {
      var manager = DiscoverCommand.manager
      (manager.maximumWaitSeconds, manager.broadcasts) = (waitSeconds, broadcasts)
      configuration.manager = manager
    }
    configuration.browse = try browses()
    configuration.querySeed = Seed(UInt64.random(in: .min ... .max))
    configuration.userAgent = Product.userAgent(uda: "1.1")
    let searches = targets.enumerated().map { number, target in
      Search(id: SearchID(UInt32(number + 1)), target: target, maximumWaitSeconds: waitSeconds, broadcasts: broadcasts)
    }
    let names = interfaces.map(\.name)
    let printer = try DiscoverPrinter(
      format: format, interfaces: names, fetchesDescriptions: descriptions, showsDevices: devices, picks: pick)
    let isRecorded = traceOutput != nil || captureOutput != nil
    let recorder = isRecorded ? Recorder(entriesMaximum: 0) : nil
    let engine = LiveEngine(configuration, searches: searches, recorder: recorder) { report, time in
      printer.show(report, at: time)
    }
    let run = LiveRun(LivePlan(interfaces: names, duration: duration), party: engine)
    let record = LiveRecord(
      of: run, trace: traceOutput, capture: captureOutput, interfaces: names, browses: configuration.browse,
      verb: "rollcall discover")
    let check =
      isRecorded ? RecordCheck(of: DiscoveryEngine(configuration), station: LiveEngine.station) : nil
    recorder?.onEntry = { entry in
      record.take(entry)
      check?.take(entry)
    }
    let typed = pick ? TypedLines() : nil
    run.onLook = { time in
      printer.redraw(at: time)
      for line in typed?.take() ?? [] where printer.take(typed: line) { run.stop() }
    }
    let interrupt = Interrupt { run.stop() }
    Output.whenFailed { run.stop() }
    try withExtendedLifetime(interrupt) { try run.complete() }

    printer.end(
      DiscoverSummary(
        interfaces: names, duration: engine.ended - .zero, heard: run.heardCount, sent: run.sentCount,
        dropped: run.dropCount, rejections: printer.rejections, counters: engine.engine.counters,
        services: mdns ? printer.serviceCounts : nil, descriptions: printer.descriptionCounts,
        managed: printer.managedCounts))
    for text in run.refusalTexts { Output.complain("refused by the system: \(text)") }
    record.finish(at: engine.ended)
    if let check {
      try check.finish(at: engine.ended)
      Output.complain("recorded: \(check.entryCount) entries, which replay to the same reports")
    }
    if let picked = printer.picked { printer.show(picked: picked) }
    if !engine.asked.isEmpty, printer.failedSearches.count == engine.asked.count {
      throw Complaint("no search could be made on \(names.joined(separator: ", ")), see the reports above")
    }
    try LiveEnd(
      isRecordLost: record.hasFailed, lostInterfaces: LiveEnd.lost(of: run, named: interface, all: names),
      wasInterrupted: interrupt.hasCome && (duration != nil || pick)
    ).check()
    if pick {
      if printer.picked == nil { throw Complaint("no device was picked", code: Exit.expectationFailed) }
      return
    }
    if !engine.hasHeardOthers {
      throw Complaint(
        "nothing was heard on \(names.joined(separator: ", ")): nobody is there, or what they send does not come here "
          + "(a firewall, another segment)", code: Exit.expectationFailed)
    }
  }

  /// All services that are known.
  static var manager: ManagerConfiguration {
    var manager = ManagerConfiguration()
    manager.registrations += [.mediaServer, .gateway]
    return manager
  }

  /// Which services are looked for: those that are named, with commas between them or one by one.
  private func browses() throws -> [ServiceBrowse] {
    let types = services.flatMap { $0.split(separator: ",").map(String.init) }
    if !mdns {
      if let first = types.first { throw Complaint("'\(first)' is a type of services for --mdns, which is not given") }
      return []
    }
    for type in types where BrowsedType(type) == nil {
      throw Complaint("'\(type)' is no type of services such as _ipp._tcp or _color._sub._ipp._tcp")
    }
    return types.isEmpty ? [.everything] : types.map { .type($0) }
  }
}
