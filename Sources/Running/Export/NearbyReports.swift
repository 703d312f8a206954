package import RollcallPrimitives
import RollcallReporting
import RollcallScenarios
import RollcallSimulation
import RollcallTrace
import RollcallWire

/// A report near the moment at which an expectation failed, and what caused it.
package struct NearbyReport: Hashable, Sendable {
  package enum Side: String, Hashable, Sendable { case before, within, after }

  package var side: Side
  package var time: Instant
  package var report: Report
  /// What the engine was given then.
  package var cause: ReportCause
}

/// The entry of the trace by which a report came about.
package struct ReportCause: Hashable, Sendable {
  /// Its number in the trace of all hosts, from 1: its line in the file of `run --trace`.
  package var entry: Int
  /// The frame that shows it in the file of `run --pcapng`; `nil`: none does.
  package var frame: Int?
  /// `alive upnp:rootdevice from 192.168.1.20:1900 (tv)`.
  package var text: String
}

/// What happened around the failures of a run: the run is performed once more with the entries of the engine and of
/// nearby peers kept.
struct NearbyReports {
  private let resolved: Resolved
  private let entries: [TraceEntry]
  private let numbers: [Int]
  private let frames: [Int: Int]
  /// Every report, with the place of the entry that caused it.
  private var reports: [(time: Instant, report: Report, cause: Int)] = []

  /// Runs with more entries than these are not performed again.
  static let entriesMaximum: UInt64 = 2_000_000
  static let beforeMaximum = 2
  static let withinMaximum = 3
  static let afterMaximum = 2
  /// Characters of what the engine was given; bytes of a stream may be many.
  static let causeTextMaximum = 100

  /// - Parameters:
  ///   - seed: of the run that failed.
  ///   - options: with which it was performed.
  init(_ resolved: Resolved, seed: Seed, options: RunOptions) {
    self.resolved = resolved
    var options = options
    (options.recordedHosts, options.watchedHost) = ([0] + resolved.nearbyPeers, 0)
    let result = Run.perform(resolved, seed: seed, options: options)
    (entries, numbers) = (result.trace, result.traceNumbers)
    let trace = result.trace
    let own = trace.indices.filter { trace[$0].station == 0 }
    let numbered = CaptureExport.frameNumbers(result, of: resolved, host: 0).map { (own[$0.key], $0.value) }
    frames = Dictionary(uniqueKeysWithValues: numbered)
    // What each host was given last.
    var inputs: [UInt32: Int] = [:]
    for (place, entry) in entries.enumerated() {
      if entry.isInput { inputs[entry.station] = place }
      guard case .effect(.application(let report)) = entry.content, let cause = inputs[entry.station] else { continue }
      reports.append((entry.time, report, cause))
    }
  }

  /// The nearest reports about the same party, before, in and after the window that failed.
  func around(_ verdict: Verdict) -> [NearbyReport] {
    guard let reason = verdict.reason, let asked = asked(reason) else { return [] }
    let mine = reports.indices.filter { isAbout(asked.party, reports[$0]) }
    let before = mine.filter { reports[$0].time < asked.window.lowerBound }.suffix(NearbyReports.beforeMaximum)
    let within = mine.filter { asked.window.contains(reports[$0].time) }.prefix(NearbyReports.withinMaximum)
    let after = mine.filter { reports[$0].time > asked.window.upperBound }.prefix(NearbyReports.afterMaximum)
    return before.map { nearby(.before, $0) } + within.map { nearby(.within, $0) } + after.map { nearby(.after, $0) }
  }

  private func nearby(_ side: NearbyReport.Side, _ index: Int) -> NearbyReport {
    let one = reports[index]
    return NearbyReport(side: side, time: one.time, report: one.report, cause: cause(one.cause))
  }

  private func cause(_ place: Int) -> ReportCause {
    let text: String
    switch entries[place].content {
    case .received(let datagram):
      let source = datagram.source
      text = NearbyReports.text(of: datagram) + " from \(source)" + (name(of: source.address).map { " (\($0))" } ?? "")
    case .woken: text = "its own clock"
    case .signal(.radio(.heard(let packet))):
      text = RadioFrames.text(of: packet) { address in
        resolved.devices.first { $0.identities.contains(address.deviceName) }?.name
      }
    case .signal(let signal): text = NearbyReports.shortened(signal.value.text)
    case .sent, .effect: text = ""
    }
    return ReportCause(entry: numbers[place], frame: frames[place], text: text)
  }

  /// The first `causeTextMaximum` characters of a text.
  static func shortened(_ text: String) -> String {
    text.count > causeTextMaximum ? text.prefix(causeTextMaximum) + "…" : text
  }

  private func name(of address: IPAddress) -> String? {
    let host = resolved.plan.hosts.firstIndex {
      $0.interfaces.contains { $0.addresses.contains { $0.address == address } }
    }
    return host.map { resolved.hosts[$0].name }
  }

  // MARK: - Who is meant

  private enum Party {
    /// Anybody: reports of this kind, or of every kind where `nil`.
    case anybody(EventMatch.Kind?)
    case devices([String], EventMatch.Kind?)
  }

  private func asked(_ reason: VerdictReason) -> (party: Party, window: ClosedRange<Instant>)? {
    switch reason {
    case .count(let miss): return (party(miss.event), miss.window)
    case .forbidden(let event, _, let report): return (party(event), report.time...report.time)
    case .notTested(let event, _, _, let end): return (party(event), end...end)
    case .devices(let at, _, let missing, let surplus, _): return (.devices(missing + surplus, nil), at...at)
    case .deviceCount(let at, _, _): return (.anybody(nil), at...at)
    case .changeAfterConvergence(_, let report):
      return (.devices(report.report.device.map { [$0] } ?? [], nil), report.time...report.time)
    case .peak, .share, .sampleOutside, .unevenSample, .nothingHappened, .neverHappened, .noSeedTells, .tooFewSamples,
      .broken, .notKept:
      return nil
    }
  }

  private func party(_ event: EventMatch) -> Party {
    switch event.devices {
    case .any: .anybody(event.kind)
    case .these(let identities): .devices(identities, event.kind)
    }
  }

  private func isAbout(_ party: Party, _ one: (time: Instant, report: Report, cause: Int)) -> Bool {
    switch party {
    case .anybody(let kind): return NearbyReports.isOfKind(one.report, kind)
    case .devices(let identities, let kind):
      if case .managed(let told) = one.report {
        return NearbyReports.isOfKind(one.report, kind)
          && told.names.contains { name in identities.contains { isSameDevice($0, name) } }
      }
      if let device = one.report.device {
        if case .service = one.report, !NearbyReports.isOfKind(one.report, kind) { return false }
        return identities.contains { isSameDevice($0, device) }
      }
      // What was refused of it tells as much.
      guard case .rejected = one.report, case .received(let datagram) = entries[one.cause].content else { return false }
      return resolved.devices.contains { device in
        identities.contains { isSameDevice($0, device.identity) }
          && name(of: datagram.source.address) == resolved.hosts[device.host].name
      }
    }
  }

  /// Whether a report tells of the same matter: devices, services and searches, peripherals, nearby peers, devices for
  /// the application, failures, refusals.
  static func isOfKind(_ report: Report, _ kind: EventMatch.Kind?) -> Bool {
    switch (kind, report) {
    case (nil, .found), (nil, .changed), (nil, .lost): true
    case (.description?, .description), (.description?, .found), (.description?, .changed), (.description?, .lost): true
    case (.found?, .found), (.found?, .changed), (.found?, .lost): true
    case (.lost?, .found), (.lost?, .changed), (.lost?, .lost): true
    case (.changed?, .found), (.changed?, .changed), (.changed?, .lost): true
    case (.service?, .service), (.service?, .searchEnded): true
    case (.searchEnded?, .searchEnded), (.searchEnded?, .failed): true
    case (.peripheral?, .peripheral): true
    case (.nearby?, .nearby): true
    case (.managed?, .managed): true
    case (.failed?, .failed): true
    case (.rejected?, .rejected): true
    default: false
    }
  }
}
