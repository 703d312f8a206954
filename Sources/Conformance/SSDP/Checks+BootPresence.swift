package import RollcallPrimitives
import RollcallWire

extension BootChecks {
  // MARK: - Coming and going

  /// A device is heard from an address for the first time.
  mutating func open(_ number: Int, _ context: MessageContext, _ collector: inout FindingCollector) {
    let observation = context.observation
    (lanes[number].interface, lanes[number].address) = (observation.interface, observation.source.address)
    guard observation.host >= 0, observation.host < 1 << 20 else { return doubtMove(number, context, &collector) }
    let host = Int(observation.host)
    while hosts.count <= host { hosts.append(BootHost()) }
    var hasMoved = false
    for other in hosts[host].lanes where lanes[other].scene.device == context.uuid {
      guard lanes[other].interface == observation.interface,
        lanes[other].address.family == observation.source.address.family
      else { continue }
      // An interface has one address of a family: this one takes the other's place.
      let moved = hosts[host].movedAt
      if moved != .never {
        for slot in lanes[other].slots where slot.isAlive || slot.revokedAt >= moved || slot.lostAt >= moved {
          lanes[number].heirlooms.append(BootLane.Heirloom(advert: slot.advert, isRevoked: slot.revokedAt >= moved))
        }
        lanes[number].heirSince = context.time
      }
      hasMoved = hasMoved || !lanes[number].heirlooms.isEmpty
      forget(other, at: context.time)
      devices[Int(context.uuid)].mayChange = true
    }
    if hasMoved, hosts[host].movedAt != .never, hosts[host].owedSince == .never {
      owe(host, since: hosts[host].movedAt, except: observation.interface, &collector)
    }
    hosts[host].lanes.append(number)
  }

  /// Nothing that was announced there stands any more.
  mutating func forget(_ number: Int, at now: Instant) {
    for place in lanes[number].slots.indices where lanes[number].slots[place].isAlive {
      lanes[number].slots[place].isAlive = false
      lanes[number].slots[place].lostAt = now
    }
    lanes[number].isFresh = true
    (lanes[number].leftAt, lanes[number].rootLeftAt) = (.never, .never)
  }

  /// Whether all that stood was revoked, once the device is silent or speaks again.
  mutating func judgeDeparture(_ number: Int, at now: Instant, _ collector: inout FindingCollector) {
    let left = lanes[number].leftAt
    lanes[number].leftAt = .never
    let missing = lanes[number].slots.count { $0.isAlive && $0.expiry > left }
    if missing == 0 { return collector.held(.byebyeSend, at: lanes[number].scene) }
    if isComplete {
      collector.violated(
        .byebyeSend, at: lanes[number].scene, expected: "a byebye for each announcement that stands",
        found: .text("none for \(missing) of them"))
    } else {
      collector.inconclusive(
        .byebyeSend, at: lanes[number].scene, why: "some announcements were revoked, others not; byebyes may be lost")
    }
    for place in lanes[number].slots.indices { lanes[number].slots[place].isAlive = false }
  }

  /// Judges a departure that began longer ago than patience lasts.
  mutating func settleDeparture(_ number: Int, at now: Instant, _ collector: inout FindingCollector) {
    let left = lanes[number].leftAt
    if left != .never, now - left > BootChecks.patience { judgeDeparture(number, at: now, &collector) }
  }

  // MARK: - What a trace tells

  package mutating func note(_ event: TraceEvent, _ collector: inout FindingCollector) {
    guard event.host >= 0, event.host < 1 << 20 else { return }
    let host = Int(event.host)
    while hosts.count <= host { hosts.append(BootHost()) }
    let now = event.time
    settle(host, at: now, &collector)
    switch event.content {
    case .deed(.leave), .deed(.reboot):
      for lane in hosts[host].lanes { judgeMove(lane, at: now, &collector) }
      restart(host, at: now, isOrderly: true, &collector)
    case .deed(.appear): break
    case .deed(.vanish), .deed(.crash): restart(host, at: now, isOrderly: false, &collector)
    case .deed(.move):
      hosts[host].movedAt = now
      permit(host)
    case .deed(.update): permit(host)
    case .interface(let change): take(change, host, at: now, &collector)
    default: break
    }
  }

  private mutating func permit(_ host: Int) {
    for lane in hosts[host].lanes { devices[Int(lanes[lane].scene.device)].mayChange = true }
  }

  private mutating func restart(_ host: Int, at now: Instant, isOrderly: Bool, _ collector: inout FindingCollector) {
    hosts[host].owedSince = .never
    for lane in hosts[host].lanes {
      let uuid = Int(lanes[lane].scene.device)
      devices[uuid].floor = max(devices[uuid].floor, devices[uuid].bootID)
      devices[uuid].mayChange = true
      devices[uuid].next = -1
      lanes[lane].isFresh = true
      lanes[lane].floor = devices[uuid].bootID
      if isOrderly, lanes[lane].isAnnounced {
        lanes[lane].leftAt = now
      } else {
        forget(lane, at: now)
      }
      lanes[lane].heirlooms = []
    }
    hosts[host].movedAt = .never
  }

  private mutating func take(
    _ change: InterfaceChange, _ host: Int, at now: Instant, _ collector: inout FindingCollector
  ) {
    let place = hosts[host].interfaces.firstIndex { $0.interface == change.interface }
    let before = place.map { hosts[host].interfaces[$0].isUp ? hosts[host].interfaces[$0].addresses : [] } ?? []
    if let place { hosts[host].interfaces[place] = change } else { hosts[host].interfaces.append(change) }
    let after = change.isUp ? change.addresses : []
    for lane in hosts[host].lanes where lanes[lane].interface == change.interface {
      if after.contains(where: { $0.address == lanes[lane].address }) { continue }
      if after.contains(where: { $0.address.family == lanes[lane].address.family }), lanes[lane].isAnnounced {
        hosts[host].movedAt = now
      }
      forget(lane, at: now)
    }
    guard after.contains(where: { !before.contains($0) }) else { return }
    // What is gained is told of under a new BOOTID, by updates where the device stands announced elsewhere.
    for lane in hosts[host].lanes {
      let uuid = Int(lanes[lane].scene.device)
      devices[uuid].mayChange = true
      if before.isEmpty {
        devices[uuid].floor = max(devices[uuid].floor, devices[uuid].bootID)
        if lanes[lane].interface == change.interface { lanes[lane].floor = devices[uuid].bootID }
      }
    }
    owe(host, since: now, except: change.interface, &collector)
  }

  private mutating func owe(_ host: Int, since: Instant, except: InterfaceID, _ collector: inout FindingCollector) {
    guard let lane = hosts[host].lanes.first(where: { lanes[$0].interface != except && lanes[$0].isAnnounced }) else {
      return
    }
    hosts[host].owedSince = since
    hosts[host].owedBy = lanes[lane].scene
  }

  /// Updates that are owed for longer than patience lasts.
  mutating func settle(_ host: Int, at now: Instant, _ collector: inout FindingCollector) {
    guard hosts[host].owedSince != .never, let scene = hosts[host].owedBy else { return }
    if hosts[host].lastUpdate >= hosts[host].owedSince {
      collector.held(.updateWhen, at: scene)
    } else if now - hosts[host].owedSince > BootChecks.patience {
      collector.violated(
        .updateWhen, at: scene, expected: "updates on the other interfaces when one comes or changes its address",
        found: .text("none"))
    } else {
      return
    }
    hosts[host].owedSince = .never
  }

  // MARK: - Another address

  /// What the address before had announced is revoked or announced from this one, where that is not too late.
  mutating func inherit(
    _ number: Int, _ advert: Int32, isAlive: Bool, at now: Instant, _ collector: inout FindingCollector
  ) {
    judgeMove(number, at: now, &collector)
    for place in lanes[number].heirlooms.indices where lanes[number].heirlooms[place].advert == advert {
      if isAlive {
        lanes[number].heirlooms[place].isAnnounced = true
      } else {
        lanes[number].heirlooms[place].isRevoked = true
      }
    }
  }

  private mutating func judgeMove(_ number: Int, at now: Instant, _ collector: inout FindingCollector) {
    guard !lanes[number].heirlooms.isEmpty, now - lanes[number].heirSince > BootChecks.patience else { return }
    let lane = lanes[number]
    lanes[number].heirlooms = []
    let left = lane.heirlooms.count { !$0.isRevoked }
    if left == 0 {
      collector.held(.addressChangeRevoke, at: lane.scene)
    } else {
      collector.violated(
        .addressChangeRevoke, at: lane.scene, expected: "a byebye for what the old address announced",
        found: .text("none for \(left) of \(lane.heirlooms.count)"))
    }
    let missing = lane.heirlooms.count { !$0.isAnnounced }
    if missing == 0 {
      collector.held(.addressChangeAnnounce, at: lane.scene)
    } else {
      collector.violated(
        .addressChangeAnnounce, at: lane.scene, expected: "the full set from the new address",
        found: .text("\(missing) of \(lane.heirlooms.count) are missing"))
    }
  }

  /// In a capture nobody tells whether a device moved or has two addresses.
  private mutating func doubtMove(_ number: Int, _ context: MessageContext, _ collector: inout FindingCollector) {
    let uuid = Int(context.uuid)
    let address = context.observation.source.address
    for other in devices[uuid].lanes {
      guard lanes[other].address.family == address.family, lanes[other].address != address else { continue }
      if lanes[other].slots.contains(where: { $0.isAlive && $0.expiry > context.time }) {
        collector.inconclusive(
          .addressChangeRevoke, context,
          why: "the device speaks from another address while its announcements stand; it may have both")
      } else if lanes[other].slots.contains(where: { $0.revokedAt > context.time - BootChecks.patience }) {
        collector.held(.addressChangeRevoke, context)
      }
    }
    if devices[uuid].lanes.count < 16 { devices[uuid].lanes.append(number) }
  }

  // MARK: - The end

  package mutating func close(at end: Instant, _ collector: inout FindingCollector) {
    for host in hosts.indices { settle(host, at: end, &collector) }
    for lane in lanes.indices { judgeMove(lane, at: end, &collector) }
    for lane in lanes.indices { settleDeparture(lane, at: end, &collector) }
    for advert in adverts {
      guard let scene = advert.early else { continue }
      // What came before the capture is shown by answers as well.
      if advert.usn != nil || advert.wasAnswered && !isComplete {
        collector.held(.byebyePair, at: scene, times: advert.earlyCount)
      } else if isComplete {
        collector.violated(
          .byebyePair, at: scene, expected: "NT and USN as they were announced", found: .text("never announced"))
      } else {
        collector.inconclusive(
          .byebyePair, at: scene, why: "no announcement was heard; it may be lost or come before the capture")
      }
    }
  }
}
