package import Primitives
import Scenarios
import Trace
import Wire

/// Measured times of one run for one expectation about a distribution.
package struct DistributionSample: Hashable, Sendable {
  package var values: [Interval]

  /// The hosts whose traces a scenario's distributions are measured on.
  static func hosts(of resolved: Resolved) -> [Int] {
    var hosts: [Int] = []
    for expectation in resolved.expectations {
      if case .distribution(_, let devices) = expectation.kind { hosts += devices.map { resolved.devices[$0].host } }
    }
    return hosts
  }

  /// Measures what the expectations ask for, on the traces of the devices themselves: links add nothing to it.
  static func take(from trace: [TraceEntry], of resolved: Resolved) -> [DistributionSample] {
    var samples: [DistributionSample] = []
    for expectation in resolved.expectations {
      guard case .distribution(let distribution, let devices) = expectation.kind else { continue }
      var values: [Interval] = []
      for device in devices {
        let station = UInt32(resolved.devices[device].host)
        let entries = trace.filter { $0.station == station }
        switch distribution.of {
        case .responseDelay: values += responseDelays(entries, target: target(of: distribution, resolved))
        case .renewalInterval: values += renewalIntervals(entries)
        }
      }
      samples.append(DistributionSample(values: values))
    }
    return samples
  }

  /// ST of the search that the expectation names; `nil` for any.
  private static func target(of distribution: Distribution, _ resolved: Resolved) -> String? {
    guard let number = distribution.search else { return nil }
    for entry in resolved.commands {
      if case .search(let search) = entry.command, search.id.number == number { return search.target }
    }
    return nil
  }

  /// From the newest M-SEARCH of a socket to each answer that goes back to it.
  private static func responseDelays(_ entries: [TraceEntry], target: String?) -> [Interval] {
    var asked: [Endpoint: Instant] = [:]
    var delays: [Interval] = []
    for entry in entries {
      switch entry.content {
      case .received(let datagram):
        guard let message = SSDPReader.read(datagram.bytes, mode: .lenient).message, message.kind == .search,
          target == nil || message.value(of: .st) == target
        else { continue }
        asked[datagram.source] = entry.time
      case .sent(let datagram):
        guard let time = asked[datagram.destination], datagram.bytes.starts(with: Array("HTTP/1.1".utf8)) else {
          continue
        }
        delays.append(entry.time - time)
      default: break
      }
    }
    return delays
  }

  /// From one announcement of the root device to the next that is no repeat of the same set: the messages of a set go
  /// together, so one of them speaks for all.
  private static func renewalIntervals(_ entries: [TraceEntry]) -> [Interval] {
    var last: [String: Instant] = [:]
    var intervals: [Interval] = []
    for entry in entries {
      guard case .sent(let datagram) = entry.content,
        let message = SSDPReader.read(datagram.bytes, mode: .lenient).message, message.kind == .notifyAlive,
        message.value(of: .nt) == "upnp:rootdevice", let usn = message.value(of: .usn)
      else { continue }
      if let before = last[usn], entry.time - before > .seconds(5) { intervals.append(entry.time - before) }
      last[usn] = entry.time
    }
    return intervals
  }
}
