package import RollcallPrimitives
import RollcallScenarios
import RollcallTrace
import RollcallWire

/// Measured times of one run for one expectation about a distribution.
package struct DistributionSample: Hashable, Sendable {
  package var values: [Interval]

  private static let engine = 0

  /// The hosts whose traces a scenario's distributions are measured on.
  static func hosts(of resolved: Resolved) -> [Int] {
    var hosts: [Int] = []
    for expectation in resolved.expectations {
      guard case .distribution(let distribution, let devices) = expectation.kind else { continue }
      hosts += devices.map { resolved.devices[$0].host }
      // It tells which search is which.
      if distribution.search != nil { hosts.append(engine) }
    }
    return hosts
  }

  /// A time that was measured, and when it began.
  private struct Measure {
    var start: Instant
    var value: Interval
  }

  /// Measures what the expectations ask for, on the traces of the devices themselves: links add nothing to it.
  ///
  /// What begins so late that the longest time in the range would end after the run is left out: of those only the
  /// short ones would be seen, and a sample of many seeds would be uneven for it.
  static func take(from trace: [TraceEntry], of resolved: Resolved) -> [DistributionSample] {
    var samples: [DistributionSample] = []
    for expectation in resolved.expectations {
      guard case .distribution(let distribution, let devices) = expectation.kind else { continue }
      var measures: [Measure] = []
      for device in devices {
        let station = UInt32(resolved.devices[device].host)
        switch distribution.of {
        case .responseDelay: measures += responseDelays(trace, of: station, search: distribution.search)
        case .renewalInterval: measures += renewalIntervals(trace.filter { $0.station == station })
        }
      }
      let latest = resolved.end - distribution.range.upperBound
      samples.append(DistributionSample(values: measures.filter { $0.start <= latest }.map(\.value)))
    }
    return samples
  }

  /// From the newest M-SEARCH of a socket to each answer that goes back to it.
  /// - Parameter search: answers to this one alone; `nil`: answers to every search.
  private static func responseDelays(_ trace: [TraceEntry], of station: UInt32, search: UInt32?) -> [Measure] {
    var copies = SearchCopies()
    var asked: [Endpoint: Instant] = [:]
    var delays: [Measure] = []
    for entry in trace {
      if search != nil, entry.station == engine { copies.note(entry) }
      guard entry.station == station else { continue }
      switch entry.content {
      case .received(let datagram):
        guard let message = SearchCopies.search(in: datagram) else { continue }
        if search == nil {
          asked[datagram.source] = entry.time
        } else if let number = copies.number(of: message, from: datagram.source) {
          asked[datagram.source] = number == search ? entry.time : nil
        }
      case .sent(let datagram):
        guard let time = asked[datagram.destination], datagram.bytes.starts(with: Array("HTTP/1.1".utf8)) else {
          continue
        }
        delays.append(Measure(start: time, value: entry.time - time))
      default: break
      }
    }
    return delays
  }

  /// From one announcement of the root device to the next that is no repeat of the same set: the messages of a set go
  /// together, so one of them speaks for all.
  private static func renewalIntervals(_ entries: [TraceEntry]) -> [Measure] {
    var last: [String: Instant] = [:]
    var intervals: [Measure] = []
    for entry in entries {
      guard case .sent(let datagram) = entry.content,
        let message = SSDPReader.read(datagram.bytes, mode: .lenient).message, message.kind == .notifyAlive,
        message.value(of: .nt) == "upnp:rootdevice", let usn = message.value(of: .usn)
      else { continue }
      if let before = last[usn], entry.time - before > .seconds(5) {
        intervals.append(Measure(start: before, value: entry.time - before))
      }
      last[usn] = entry.time
    }
    return intervals
  }
}

/// Which search an M-SEARCH on the wire is a copy of: told by what the engine was asked and what it sent then.
private struct SearchCopies {
  private struct Question: Hashable {
    var socket: Endpoint
    var target: String?
  }
  private var numbers: [Question: UInt32] = [:]
  /// The engine's own searches by their ports; each has one.
  private var ports: [UInt16: UInt32] = [:]
  /// The search that the engine was asked for in its newest step.
  private var asked: UInt32?

  /// Follows the engine.
  mutating func note(_ entry: TraceEntry) {
    if entry.isInput { asked = nil }
    switch entry.content {
    case .signal(.application(.search(let search))): asked = search.id.number
    case .signal(.application(.adopt(let search, let socket))):
      numbers[Question(socket: socket, target: search.target)] = search.id.number
    case .sent(let datagram):
      // Copies of other searches may be due in the same step.
      guard let message = SearchCopies.search(in: datagram), let number = ports[datagram.source.port] ?? asked else {
        return
      }
      ports[datagram.source.port] = number
      numbers[Question(socket: datagram.source, target: message.value(of: .st))] = number
    default: break
    }
  }

  /// `nil`: the engine does not take part in it.
  func number(of search: SSDPOwnedMessage, from socket: Endpoint) -> UInt32? {
    numbers[Question(socket: socket, target: search.value(of: .st))]
  }

  static func search(in datagram: RecordedDatagram) -> SSDPOwnedMessage? {
    guard let message = SSDPReader.read(datagram.bytes, mode: .lenient).message, message.kind == .search else {
      return nil
    }
    return message
  }
}
