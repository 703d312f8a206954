package import RollcallDiscovery
package import RollcallPrimitives
package import RollcallTrace
import RollcallReporting

/// What came of a live discovery.
package struct DiscoverSummary: Equatable, Sendable {
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
