import RollcallDiscovery
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallWire

// What makes a reproduction a regression test: expectations, a reason, a fault that it catches, and comments.
extension Reproduce {
  /// The most reports that are expected one by one; more are counted.
  static let eventsMaximum = 40

  static func finish(
    _ reproduction: inout Reproduction, _ tape: CaptureTape, _ reports: [TapedReport], _ options: Options
  ) {
    reproduction.scenario.why = why(tape, reports, options)
    reproduction.scenario.tags =
      (tape.messages.contains { !$0.isMulticastDNS } ? ["ssdp"] : [])
      + (tape.messages.contains(where: \.isMulticastDNS) ? ["mdns"] : [])
      + (tape.packets.list.isEmpty ? [] : ["bluetooth"]) + ["field"]
    reproduction.scenario.expectations = expectations(reports, end: reproduction.scenario.duration)
    // Services and searches do not say that nobody is there where nothing was ever reported.
    if reports.isEmpty, tape.messages.allSatisfy({ $0.isMulticastDNS || $0.kind == .search }),
      tape.packets.list.isEmpty
    {
      reproduction.scenario.expectations.removeAll { if case .present = $0.kind { true } else { false } }
    }
    // Where the engine had nothing to say, silence is what is expected.
    if reports.isEmpty {
      let never = reproduction.scenario.expectations.enumerated().filter {
        if case .never = $0.element.kind { true } else { false }
      }
      reproduction.scenario.vacuousOK = never.map { "e\($0.offset + 1)" }
    }
    reproduction.scenario.bites = options.findsBite ? bite(reproduction.scenario) : nil
  }

  private static func why(_ tape: CaptureTape, _ reports: [TapedReport], _ options: Options) -> String {
    func count(_ matches: (Report) -> Bool) -> Int { reports.count { matches($0.report) } }
    let found = count { if case .found = $0 { true } else { false } }
    let lost = count { if case .lost = $0 { true } else { false } }
    let changed = count { if case .changed = $0 { true } else { false } }
    let ended = count { if case .searchEnded = $0 { true } else { false } }
    var heard: [String] = []
    if !tape.messages.isEmpty {
      let senders = Set(tape.messages.map(\.source.address)).count
      let messages = PlainWords.count(tape.messages.count, "message")
      heard.append("\(messages) of \(senders == 1 ? "1 address" : "\(senders) addresses")")
    }
    if !tape.packets.list.isEmpty { heard.append(ReproduceText.packets(tape)) }
    return "What the engine made of \(options.source), kept for ever: \(heard.joined(separator: ", ")); devices found "
      + "\(found), lost \(lost), changed \(changed)"
      + (tape.messages.isEmpty ? "." : "; searches ended \(ended).")
  }

  // MARK: Expectations

  private static func expectations(_ reports: [TapedReport], end: Interval) -> [Expectation] {
    let last = Instant.zero + end
    func window(_ time: Instant) -> When {
      // Whole milliseconds, for people.
      let middle = (time - Instant.zero).nanoseconds / 1_000_000
      let low = Instant.zero + .milliseconds(max(0, middle - 20))
      return .within(low...min(Instant.zero + .milliseconds(middle + 21), last))
    }
    var list: [Expectation] = []
    for entry in reports where list.count < eventsMaximum {
      let event: EventPattern
      switch entry.report {
      case .found(let device): event = .found(.device(device.device))
      case .lost(let device, let cause): event = .lost(.device(device), cause: cause)
      case .changed(let device, let change):
        event = .changed(.device(device.device), what: EventPattern.ChangeKind(change))
      case .searchEnded(let outcome):
        event = .searchEnded(
          SearchEndedPattern(search: outcome.search.number, services: .exactly(outcome.services.count)))
      default: continue
      }
      // Names that a scenario cannot write are counted below.
      if let name = entry.report.device, name.utf8.count <= 5 || name.utf8.count > 200 { continue }
      let same = list.contains { $0.kind == .happens(Happens(event, window(entry.time))) }
      if !same { list.append(Expectation(.happens(Happens(event, window(entry.time))))) }
    }
    func count(_ event: EventPattern, _ number: Int) {
      list.append(Expectation(number == 0 ? .never(Never(event)) : .happens(Happens(event, times: .exactly(number)))))
    }
    count(.found(.anyone), reports.count { if case .found = $0.report { true } else { false } })
    count(.lost(.anyone), reports.count { if case .lost = $0.report { true } else { false } })
    count(.changed(.anyone), reports.count { if case .changed = $0.report { true } else { false } })
    let services = reports.count { if case .service = $0.report { true } else { false } }
    if services > 0 { count(.service(ServicePattern()), services) }
    list.append(Expectation(.present(Present(at: last, count: .exactly(present(reports))))))
    return list
  }

  private static func present(_ reports: [TapedReport]) -> Int {
    var directory = Directory()
    for entry in reports { directory.take(entry.report, at: entry.time) }
    return directory.count
  }

  /// The first fault of the engine under which the scenario fails.
  private static func bite(_ scenario: Scenario) -> Bite? {
    guard let resolved = try? scenario.resolved() else { return nil }
    return EngineSwitch.allCases.first { one in
      Run.perform(resolved, seed: Seed(scenario.seeds.lowerBound), options: RunOptions(switches: [one])).outcome
        == .failed
    }.map { .engine($0) }
  }

  // MARK: The file

  static func text(_ reproduction: Reproduction, _ comparison: ReportComparison, _ options: Options) -> String {
    var printer = ScenarioPrinter()
    printer.header = [
      "Made by rollcall reproduce of \(options.source)"
        + (options.keepsIdentities ? "." : "; addresses, UUIDs, serial numbers and names are replaced.")
    ]
    let messages = reproduction.ownCount + reproduction.rawCount
    if messages > 0 {
      printer.header.append(
        "\(reproduction.ownCount) of \(messages) messages come from the inhabitants' own behaviour "
          + "(\(ReproduceText.percent(reproduction.share))).")
    }
    if let difference = comparison.difference {
      printer.header.append("It does not say what the capture says: \(difference)")
    }
    printer.header += reproduction.losses.map { "Not as in the capture: \($0)." }
    for note in reproduction.notes { printer.note(TreePath([.key("inhabitants"), .key(note.name)]), note.lines) }
    return printer.text(of: reproduction.scenario)
  }
}
