import RollcallCapture
package import RollcallDiscovery
package import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
package import RollcallTrace

/// What came of a live discovery.
package struct DiscoverSummary: Hashable, Sendable {
  package var interfaces: [String]
  /// How long it went on.
  package var duration: Interval
  /// Datagrams that were heard, sent, and dropped by the system before they were read.
  package var heard: Int
  package var sent: Int
  package var dropped: Int
  package var rejected: [(reason: RejectionReason, count: Int)]
  package var devicesEver: Int
  package var devicesPresent: Int
  package var openLeases: Int
  /// Services of multicast DNS; `nil`: none were looked for.
  package var services: (ever: Int, present: Int)?
  /// Descriptions that came, and that did not; `nil`: none were asked for.
  package var descriptions: (fetched: Int, failed: Int)?
  /// Devices for the application; `nil`: none were asked for.
  package var managed: (ever: Int, present: Int)?

  package init(
    interfaces: [String], duration: Interval, heard: Int, sent: Int, dropped: Int, rejections: RejectionTally,
    counters: EngineCounters, services: (ever: Int, present: Int)? = nil,
    descriptions: (fetched: Int, failed: Int)? = nil, managed: (ever: Int, present: Int)? = nil
  ) {
    (self.interfaces, self.duration) = (interfaces, duration)
    (self.heard, self.sent, self.dropped) = (heard, sent, dropped)
    rejected = rejections.byReason
    (devicesEver, devicesPresent) = (counters.devicesEver, counters.devicesPresent)
    openLeases = counters.openLeases
    (self.services, self.descriptions, self.managed) = (services, descriptions, managed)
  }

  package static func == (left: DiscoverSummary, right: DiscoverSummary) -> Bool { left.json == right.json }
  package func hash(into hasher: inout Hasher) { hasher.combine(json) }

  package var json: String {
    var line = JSONLine(kind: "summary")
    line.add("interfaces", interfaces)
    line.add("seconds", duration.decimal)
    line.add("datagrams", object: [("heard", heard), ("sent", sent), ("dropped", dropped)])
    line.add("rejected", object: rejected.map { ($0.reason.rawValue, $0.count) })
    line.add(
      "devices", object: [("ever", devicesEver), ("present", devicesPresent), ("openLeases", openLeases)])
    if let services {
      line.add("services", object: [("ever", services.ever), ("present", services.present)])
    }
    if let descriptions {
      line.add("descriptions", object: [("fetched", descriptions.fetched), ("failed", descriptions.failed)])
    }
    if let managed { line.add("managed", object: [("ever", managed.ever), ("present", managed.present)]) }
    return line.closed
  }

  /// For people.
  package var text: [String] {
    var lines = ["\(devicesEver) devices, \(devicesPresent) present, \(openLeases) open leases"]
    if let managed {
      lines.append("\(managed.ever) devices for an application, \(managed.present) present")
    }
    if let services { lines.append("\(services.ever) services, \(services.present) present") }
    if let descriptions {
      lines.append("\(descriptions.fetched) descriptions fetched, \(descriptions.failed) failed")
    }
    lines.append("\(sent) datagrams sent, \(heard) heard on \(interfaces.joined(separator: ", "))")
    if !rejected.isEmpty {
      lines.append("refused: " + rejected.map { "\($0.count) \($0.reason.rawValue)" }.joined(separator: ", "))
    }
    if dropped > 0 { lines.append("\(dropped) datagrams came faster than they were read and were dropped") }
    return lines
  }
}

/// The record of a live discovery.
package enum DiscoverRecord {
  /// What the machine's host is called in the pcapng file: `rollcall replay FILE --as here`.
  package static let host = "here"

  /// The first entry at which a replay of the trace parts from it; `nil`: the trace replays.
  package static func difference(
    _ trace: [TraceEntry], configuration: EngineConfiguration, station: UInt32, end: Instant
  ) -> TraceDifference? {
    MachineReplay.run(trace, station: station, in: DiscoveryEngine(configuration), until: end).difference
  }

  /// The trace as an annotated capture, whose times count from the beginning of the run.
  /// - Parameters:
  ///   - browses: which services were looked for from the beginning.
  ///   - origin: lines that say where it comes from.
  package static func capture(
    _ trace: [TraceEntry], interfaces: [String], end: Instant, browses: [ServiceBrowse] = [], origin: [String]
  ) -> [UInt8] {
    var names: [CaptureName] = []
    for entry in trace {
      guard case .signal(.host(.interface(let change))) = entry.content else { continue }
      for address in change.addresses where !names.contains(where: { $0.address == address.address }) {
        names.append(CaptureName(address: address.address, name: host))
      }
    }
    let cast = CaptureExport.Cast(
      host: host, origin: origin, interfaces: interfaces.map { (name: $0, details: nil, mtuBytes: 65_535) },
      names: names, end: end, browses: browses)
    return CaptureExport.write(trace, membership: [], cast: cast)
  }
}
