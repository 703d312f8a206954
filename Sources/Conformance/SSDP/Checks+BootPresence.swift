package import RollcallPrimitives
import RollcallWire

extension BootChecks {
  // MARK: - Coming and going

  /// A device is heard from an address for the first time.
  mutating func open(_ number: Int, _ witness: Witness, _ docket: inout Docket) {
    let observation = witness.observation
    lanes[number].scene = Docket.Scene(witness)
    (lanes[number].host, lanes[number].interface) = (observation.host, observation.interface)
    lanes[number].address = observation.source.address
    guard observation.host >= 0, observation.host < 1 << 20 else { return doubtMove(number, witness, &docket) }
    let host = Int(observation.host)
    while hosts.count <= host { hosts.append(BootHost()) }
    var hasMoved = false
    for other in hosts[host].lanes where lanes[other].scene.device == witness.uuid {
      guard lanes[other].interface == observation.interface,
        lanes[other].address.family == observation.source.address.family
      else { continue }
      // An interface has one address of a family: this one takes the other's place.
      let moved = hosts[host].movedAt
      if moved != .never {
        for slot in lanes[other].slots where slot.isAlive || slot.revokedAt >= moved || slot.lostAt >= moved {
          lanes[number].heirlooms.append(BootLane.Heirloom(advert: slot.advert, isRevoked: slot.revokedAt >= moved))
        }
        lanes[number].heirSince = witness.time
      }
      hasMoved = hasMoved || !lanes[number].heirlooms.isEmpty
      forget(other, at: witness.time)
      devices[Int(witness.uuid)].mayChange = true
    }
    if hasMoved, hosts[host].movedAt != .never, hosts[host].owedSince == .never {
      owe(host, since: hosts[host].movedAt, except: observation.interface, &docket)
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
  mutating func judgeDeparture(_ number: Int, at now: Instant, _ docket: inout Docket) {
    let left = lanes[number].leftAt
    lanes[number].leftAt = .never
    let missing = lanes[number].slots.count { $0.isAlive && $0.expiry > left }
    if missing == 0 { return docket.held(.byebyeSend, at: lanes[number].scene) }
    if isComplete {
      docket.violated(
        .byebyeSend, at: lanes[number].scene, expected: "a byebye for each announcement that stands",
        found: .text("none for \(missing) of them"))
    } else {
      docket.inconclusive(
        .byebyeSend, at: lanes[number].scene, why: "some announcements were revoked, others not; byebyes may be lost")
    }
    for place in lanes[number].slots.indices { lanes[number].slots[place].isAlive = false }
  }

  /// Judges a departure that began longer ago than patience lasts.
  mutating func settleDeparture(_ number: Int, at now: Instant, _ docket: inout Docket) {
    let left = lanes[number].leftAt
    if left != .never, now - left > BootChecks.patience { judgeDeparture(number, at: now, &docket) }
  }

  // MARK: - What a trace tells

  package mutating func note(_ occurrence: Occurrence, _ docket: inout Docket) {
    guard occurrence.host >= 0, occurrence.host < 1 << 20 else { return }
    let host = Int(occurrence.host)
    while hosts.count <= host { hosts.append(BootHost()) }
    let now = occurrence.time
    settle(host, at: now, isOver: false, &docket)
    switch occurrence.content {
    case .deed(.leave), .deed(.reboot):
      for lane in hosts[host].lanes { judgeMove(lane, at: now, &docket) }
      restart(host, at: now, isOrderly: true, &docket)
    case .deed(.appear): break
    case .deed(.vanish), .deed(.crash): restart(host, at: now, isOrderly: false, &docket)
    case .deed(.move):
      hosts[host].movedAt = now
      permit(host)
    case .deed(.update): permit(host)
    case .interface(let change): take(change, host, at: now, &docket)
    default: break
    }
  }

  private mutating func permit(_ host: Int) {
    for lane in hosts[host].lanes { devices[Int(lanes[lane].scene.device)].mayChange = true }
  }

  private mutating func restart(_ host: Int, at now: Instant, isOrderly: Bool, _ docket: inout Docket) {
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

  private mutating func take(_ change: InterfaceChange, _ host: Int, at now: Instant, _ docket: inout Docket) {
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
    owe(host, since: now, except: change.interface, &docket)
  }

  private mutating func owe(_ host: Int, since: Instant, except: InterfaceID, _ docket: inout Docket) {
    guard let lane = hosts[host].lanes.first(where: { lanes[$0].interface != except && lanes[$0].isAnnounced }) else {
      return
    }
    hosts[host].owedSince = since
    hosts[host].owedBy = lanes[lane].scene
  }

  /// Updates that are owed for longer than patience lasts.
  mutating func settle(_ host: Int, at now: Instant, isOver: Bool, _ docket: inout Docket) {
    guard hosts[host].owedSince != .never, let scene = hosts[host].owedBy else { return }
    if hosts[host].lastUpdate >= hosts[host].owedSince {
      docket.held(.updateWhen, at: scene)
    } else if now - hosts[host].owedSince > BootChecks.patience {
      docket.violated(
        .updateWhen, at: scene, expected: "updates on the other interfaces when one comes or changes its address",
        found: .text("none"))
    } else if !isOver {
      return
    }
    hosts[host].owedSince = .never
  }

  // MARK: - Another address

  /// What the address before had announced is revoked or announced from this one, where that is not too late.
  mutating func inherit(_ number: Int, _ advert: Int32, isAlive: Bool, at now: Instant, _ docket: inout Docket) {
    judgeMove(number, at: now, &docket)
    for place in lanes[number].heirlooms.indices where lanes[number].heirlooms[place].advert == advert {
      if isAlive {
        lanes[number].heirlooms[place].isAnnounced = true
      } else {
        lanes[number].heirlooms[place].isRevoked = true
      }
    }
  }

  private mutating func judgeMove(_ number: Int, at now: Instant, _ docket: inout Docket) {
    guard !lanes[number].heirlooms.isEmpty, now - lanes[number].heirSince > BootChecks.patience else { return }
    let lane = lanes[number]
    lanes[number].heirlooms = []
    let left = lane.heirlooms.count { !$0.isRevoked }
    if left == 0 {
      docket.held(.addressChangeRevoke, at: lane.scene)
    } else {
      docket.violated(
        .addressChangeRevoke, at: lane.scene, expected: "a byebye for what the old address announced",
        found: .text("none for \(left) of \(lane.heirlooms.count)"))
    }
    let missing = lane.heirlooms.count { !$0.isAnnounced }
    if missing == 0 {
      docket.held(.addressChangeAnnounce, at: lane.scene)
    } else {
      docket.violated(
        .addressChangeAnnounce, at: lane.scene, expected: "the full set from the new address",
        found: .text("\(missing) of \(lane.heirlooms.count) are missing"))
    }
  }

  /// In a capture nobody tells whether a device moved or has two addresses.
  private mutating func doubtMove(_ number: Int, _ witness: Witness, _ docket: inout Docket) {
    let uuid = Int(witness.uuid)
    let address = witness.observation.source.address
    for other in devices[uuid].lanes {
      guard lanes[other].address.family == address.family, lanes[other].address != address else { continue }
      if lanes[other].slots.contains(where: { $0.isAlive && $0.expiry > witness.time }) {
        docket.inconclusive(
          .addressChangeRevoke, witness,
          why: "the device speaks from another address while its announcements stand; it may have both")
      } else if lanes[other].slots.contains(where: { $0.revokedAt > witness.time - BootChecks.patience }) {
        docket.held(.addressChangeRevoke, witness)
      }
    }
    if devices[uuid].lanes.count < 16 { devices[uuid].lanes.append(number) }
  }

  // MARK: - The end

  package mutating func close(at end: Instant, _ docket: inout Docket) {
    for host in hosts.indices { settle(host, at: end, isOver: true, &docket) }
    for lane in lanes.indices { judgeMove(lane, at: end, &docket) }
    for lane in lanes.indices { settleDeparture(lane, at: end, &docket) }
    for advert in adverts {
      guard let scene = advert.early else { continue }
      if advert.wasAnnounced {
        docket.held(.byebyePair, at: scene, times: advert.earlyCount)
      } else if isComplete {
        docket.violated(
          .byebyePair, at: scene, expected: "NT and USN as they were announced", found: .text("never announced"))
      } else {
        docket.inconclusive(
          .byebyePair, at: scene, why: "no announcement was heard; it may be lost or come before the capture")
      }
    }
  }
}
