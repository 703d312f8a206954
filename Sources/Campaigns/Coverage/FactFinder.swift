import RollcallPrimitives
package import RollcallRunning
package import RollcallScenarios
import RollcallSimulation
import RollcallTrace

/// Finds out what happened in a run: from what the engine was given and reported, what nearby peers were told, and what
/// became of datagrams.
package struct FactFinder {
  var facts = Facts()
  /// Devices that were lost and not found again.
  private var lost: Set<DeviceName> = []
  private var present: [DeviceName: ProviderID] = [:]
  /// Devices of the LAN whose lease has ended, and which were not found again.
  var expired: [String] = []
  /// The number of the present life of a device.
  var lives: [DeviceName: UInt32] = [:]
  private var connectedPeers: [[String]] = []
  private var openSearches: [SearchID] = []
  /// When partitions begin and end: so many are active from then on.
  private var partitions: [(at: Instant, active: Int)] = []
  private var nextPartition = 0
  private var activePartitions = 0

  /// - Precondition: the run recorded host 0.
  package static func facts(of result: RunResult, in resolved: Resolved) -> Facts {
    var finder = FactFinder(resolved)
    for entry in result.trace where entry.station == 0 { finder.take(entry) }
    for entry in result.evidence.reports {
      if case .nearby(let report) = entry.report { finder.take(report) }
    }
    for one in result.rejections { finder.take(one.reason) }
    finder.take(result.statistics)
    return finder.facts
  }

  private init(_ resolved: Resolved) {
    var numbers: Set<Int> = []
    for entry in resolved.faults {
      switch entry.fault {
      case .partition(let number, _, _): numbers.insert(number)
      case .healPartition(let number): numbers.remove(number)
      case .healEverything: numbers = []
      default: break
      }
      partitions.append((entry.at, numbers.count))
    }
  }

  // MARK: - The engine

  private mutating func take(_ entry: TraceEntry) {
    while nextPartition < partitions.count, partitions[nextPartition].at <= entry.time {
      let active = partitions[nextPartition].active
      if active > activePartitions, !openSearches.isEmpty { facts.insert(.partitionDuringSearch) }
      (activePartitions, nextPartition) = (active, nextPartition + 1)
    }
    switch entry.content {
    case .received(let datagram): if !expired.isEmpty { take(datagram) }
    case .signal(.application(.search(let search))): openSearches.append(search.id)
    case .effect(.application(let report)): take(report)
    case .sent, .signal, .effect, .woken: break
    }
  }

  private mutating func take(_ report: Report) {
    switch report {
    case .found(let sighting):
      let name = DeviceName(sighting.device)
      if lost.remove(name) != nil { facts.insert(.foundAgain) }
      expired.removeAll { isSameDevice($0, sighting.device) }
      present[name] = sighting.provider
      noteLife(of: sighting)
      // ordered: only counted
      if Set(present.values).count >= 3 { facts.insert(.threeProtocols) }
    case .changed(let sighting, let change):
      noteLife(of: sighting)
      switch change {
      case .address: facts.insert(.movedWithoutLoss)
      case .united(let part):
        facts.insert(.partsUnited)
        present[DeviceName(part)] = nil
      case .attribute: break
      }
    case .lost(let device, let cause): takeLoss(of: device, cause)
    case .searchEnded(let outcome):
      openSearches.removeAll { $0 == outcome.search }
      if outcome.services.isEmpty, !outcome.wasStopped { facts.insert(.searchUnanswered) }
    case .failed(let failure):
      openSearches.removeAll { $0 == failure.search }
      if failure.reason == .noInterface { facts.insert(.searchWithoutInterface) }
      if failure.reason == .cannotJoin { facts.insert(.joinRefused) }
    case .description(let fetch):
      if case .fetched = fetch.outcome {
        facts.insert(.descriptionFetched)
      } else if fetch.location != nil {
        facts.insert(.descriptionFailed)
      }
    case .peripheral(let report): take(report)
    default: break
    }
  }

  private mutating func takeLoss(of device: String, _ cause: LossCause) {
    let name = DeviceName(device)
    present[name] = nil
    lost.insert(name)
    if cause == .goodbye {
      facts.insert(ProviderID(ofDevice: device) == .peers ? .serviceLostByGoodbye : .lostByGoodbye)
    }
    switch cause {
    case .expired:
      facts.insert(.lostByExpiry)
      if activePartitions > 0 { facts.insert(.lostBehindPartition) }
      noteExpiry(of: device)
    case .rebooted: facts.insert(.lostByRestart)
    case .interface: facts.insert(.lostByInterface)
    default: break
    }
  }

  private mutating func take(_ report: PeripheralReport) {
    switch report.event {
    case .discovered: facts.insert(.attributesDiscovered)
    case .connectionFailed: facts.insert(.connectionLost)
    case .disconnected(let end): if end != .closed { facts.insert(.connectionLost) }
    default: break
    }
  }

  // MARK: - Others, and the network

  private mutating func take(_ report: PeerReport) {
    let pair = [report.device, report.peer]
    switch report.event {
    case .connected:
      facts.insert(.peersConnected)
      if !connectedPeers.contains(pair) { connectedPeers.append(pair) }
    case .notConnected: if connectedPeers.contains(pair) { facts.insert(.peersParted) }
    default: break
    }
  }

  private mutating func take(_ statistics: NetworkStatistics) {
    if statistics.corrupted > 0 { facts.insert(.messageGarbled) }
    if statistics.duplicated > 0 { facts.insert(.messageDoubled) }
    if statistics.queueOverflows > 0 { facts.insert(.queueOverflows) }
    if statistics.streamSegmentsLost > 0 { facts.insert(.segmentLost) }
  }
}
