import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation

/// What a scenario breaks and mends, as marks on a lane of the network, which stands last.
struct FaultMarks {
  private let faults: [ResolvedFault]
  private let names: [String]
  private var next = 0
  /// `nil`: nothing is on it yet.
  private var lane: Int?

  private static let namesMaximum = 4

  init(_ resolved: Resolved) {
    faults = resolved.faults
    names = resolved.hosts.map(\.name)
  }

  /// Puts those that come up to an instant.
  mutating func put(until end: Instant, into draft: inout PictureDraft) {
    while next < faults.count, faults[next].at <= end {
      let fault = faults[next]
      next += 1
      let number = lane ?? draft.lane("network", .network)
      lane = number
      let saying = draft.say(text(of: fault.fault), [Picture.Fact("fault", fault.id)])
      draft.mark(.fault, lane: number, at: fault.at, number: 0, saying: saying)
    }
  }

  private func text(of fault: Fault) -> String {
    switch fault {
    case .partition(_, let from, let to): return "nothing from \(list(from)) reaches \(list(to))"
    case .healPartition: return "partition healed"
    case .interfaceDown(let host, let interface): return "interface \(interface.number) of \(name(host)) down"
    case .interfaceUp(let host, let interface): return "interface \(interface.number) of \(name(host)) up"
    case .querier(_, let interval):
      return interval.map { "the querier asks every \($0.secondsText)" } ?? "the querier falls silent"
    case .link(let host, _, let isOutbound, let rule):
      let link = "the link \(isOutbound ? "from" : "to") \(name(host))"
      return rule == nil ? link + " is as planned" : link + " changes"
    case .readdress(let host, _, let address): return "\(name(host)) has the address \(address)"
    case .healEverything: return "everything healed"
    default: return "the network changes"
    }
  }

  private func name(_ host: Int) -> String { names.indices.contains(host) ? names[host] : "a host" }

  private func list(_ hosts: [Int]) -> String {
    let rest = hosts.count - FaultMarks.namesMaximum
    return hosts.prefix(FaultMarks.namesMaximum).map { name($0) }.joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
  }
}
