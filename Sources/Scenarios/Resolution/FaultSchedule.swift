import RollcallPrimitives
import RollcallSimulation

/// The faults of a scenario in the order of time, where several may stand at one place.
///
/// The fault that began last is in force. Where it ends, the latest of those that still stand is in force again, and
/// only where none stands the place is as planned.
struct FaultSchedule {
  private struct Entry {
    var id: String
    var breaks: Fault
    var begin: Instant
    var mends: Fault
    /// `nil`: until the network heals.
    var end: Instant?
    var place: Place
  }

  /// What a fault changes; two of one place follow each other.
  private enum Place: Hashable {
    case partition(Int)
    case interface(host: Int, InterfaceID)
    case querier(segment: Int)
    case link(host: Int, InterfaceID, isOutbound: Bool)
    case joins(host: Int)
    case sends(host: Int)
    case address(host: Int, InterfaceID)
    case network

    init(_ fault: Fault) {
      switch fault {
      case .partition(let number, _, _), .healPartition(let number): self = .partition(number)
      case .interfaceDown(let host, let interface), .interfaceUp(let host, let interface):
        self = .interface(host: host, interface)
      case .querier(let segment, _): self = .querier(segment: segment)
      case .link(let host, let interface, let isOutbound, _):
        self = .link(host: host, interface, isOutbound: isOutbound)
      case .refuseJoins(let host, _): self = .joins(host: host)
      case .refuseMulticastSends(let host, _): self = .sends(host: host)
      case .readdress(let host, let interface, _): self = .address(host: host, interface)
      case .healEverything: self = .network
      }
    }
  }

  private var entries: [Entry] = []

  mutating func add(id: String, breaks: Fault, at begin: Instant, mends: Fault, until end: Instant?) {
    entries.append(Entry(id: id, breaks: breaks, begin: begin, mends: mends, end: end, place: Place(breaks)))
  }

  /// All changes, those of one instant so that what ends there comes before what begins there.
  /// - Parameter heal: when all faults that began until then end.
  func resolved(heal: Instant?) -> [ResolvedFault] {
    var changes: [(at: Instant, isBegin: Bool, fault: ResolvedFault)] = []
    for (index, entry) in entries.enumerated() {
      changes.append((entry.begin, true, ResolvedFault(id: entry.id, at: entry.begin, fault: entry.breaks)))
      guard let end = entry.end else { continue }
      let fault = standing(beside: index, at: end, heal: heal) ?? entry.mends
      changes.append((end, false, ResolvedFault(id: entry.id, at: end, fault: fault)))
    }
    var ordered = changes.enumerated().sorted {
      ($0.element.at, $0.element.isBegin ? 1 : 0, $0.offset) < ($1.element.at, $1.element.isBegin ? 1 : 0, $1.offset)
    }.map(\.element.fault)
    if let heal {
      let place = ordered.firstIndex { $0.at > heal } ?? ordered.endIndex
      ordered.insert(ResolvedFault(id: "heal", at: heal, fault: .healEverything), at: place)
    }
    return ordered
  }

  /// What is in force at a place when one of its faults ends and another still stands.
  private func standing(beside index: Int, at time: Instant, heal: Instant?) -> Fault? {
    let others = entries.indices.filter { other in
      let entry = entries[other]
      if other == index || entry.place != entries[index].place || entry.begin > time { return false }
      if let end = entry.end, end <= time { return false }
      if let heal, entry.begin <= heal, heal <= time { return false }
      return true
    }
    return others.max { (entries[$0].begin, $0) < (entries[$1].begin, $1) }.map { entries[$0].breaks }
  }
}
