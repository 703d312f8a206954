package import RollcallPrimitives
import RollcallWire

/// TTL, interfaces that are lost, the same message on several interfaces, LOCATION that can be reached (1a).
package struct TransportChecks: CheckFamily {
  package static let clauses: [ClauseID] = [
    .ttlDefault, .ttlEscape, .noCrossByebye, .sameFields, .locationReach,
  ]

  /// One UUID at one address.
  private struct Lane {
    /// LOCATION as it was judged last, and what came of it.
    var location: UInt64 = 0
    var reach = Reach.unknown
  }
  private enum Reach { case reached, unreachable, elsewhere, unknown }

  /// One UUID, wherever it speaks from.
  private struct Device {
    var lane: Int32 = -1
    var party: Int32 = -1
    var family = IPAddress.Family.v4
    /// Whether it speaks from several addresses of one family.
    var isMultihomed = false
  }

  /// The last message of a kind about one advert of a multi-homed device.
  private struct Copy {
    var lane: Int32 = -1
    var time = Instant.zero
    var bootID: Int64 = -1
    var fields: UInt64 = 0
  }

  private struct Host {
    var interfaces: [InterfaceChange] = []
    var downAt = Instant.never
    var down = InterfaceID(0)
    var scene: Docket.Scene?
    var hasCrossed = false
  }
  /// How long after the loss of an interface byebyes on others are put down to it.
  private static let crossing = Interval.seconds(2)

  private let isComplete: Bool
  private var lanes: [Lane] = []
  private var devices: [Device] = []
  private var copies: [Copy] = []
  private var hosts: [Host] = []

  package init(_ circumstances: Circumstances) { isComplete = circumstances.isComplete }

  package mutating func hear(_ witness: Witness, _ docket: inout Docket) {
    guard let kind = witness.kind else { return }
    if witness.isMulticast, !witness.isV6 { checkHopLimit(witness, &docket) }
    guard witness.lane >= 0, witness.role == .device else { return }
    if kind == .notifyAlive || kind == .response, witness.has(.location) { checkReach(witness, &docket) }
    guard witness.isMulticast else { return }
    let host = Int(witness.observation.host)
    if host >= 0, host < hosts.count, hosts[host].scene == nil { hosts[host].scene = Docket.Scene(witness) }
    if kind == .notifyByebye { checkCrossing(witness, &docket) }
    if kind != .notifyOther { compare(kind, witness, &docket) }
  }

  // MARK: - TTL

  private func checkHopLimit(_ witness: Witness, _ docket: inout Docket) {
    let limit = witness.observation.hopLimit
    docket.check(
      .ttlEscape, witness, limit <= 4, expected: "a TTL that stays on the site", found: .number(Int64(limit)))
    // Who follows UDA 1.0 may go by the 2 of later versions; and who does not say what it follows counts as 1.0.
    let isStandard = limit == 2 || limit == 4 && witness.claim < .uda11
    if !isStandard, limit < 4, !isComplete {
      return docket.inconclusive(.ttlDefault, witness, why: "a lower TTL; a router may have taken from it")
    }
    docket.check(
      .ttlDefault, witness, isStandard,
      expected: witness.claim < .uda11 ? "a TTL of 4, as UDA 1.0 has it, or of 2" : "a TTL of 2",
      found: .number(Int64(limit)))
  }

  // MARK: - LOCATION

  private mutating func checkReach(_ witness: Witness, _ docket: inout Docket) {
    guard docket.binds(.locationReach, witness.claim), let value = witness.value(.location) else { return }
    let number = Int(witness.lane)
    while lanes.count <= number { lanes.append(Lane()) }
    let location = Digest.hash(value)
    if lanes[number].location != location {
      lanes[number].location = location
      lanes[number].reach = reach(value, witness)
    }
    switch lanes[number].reach {
    case .reached: docket.held(.locationReach, witness)
    case .unreachable:
      docket.violated(
        .locationReach, witness, expected: "LOCATION that the interface reaches", found: .bytes(value))
    case .elsewhere:
      docket.inconclusive(
        .locationReach, witness,
        why: "LOCATION is at another address than the sender; whether it can be reached takes a fetch")
    case .unknown: break
    }
  }

  private func reach(_ value: UnsafeRawBufferPointer, _ witness: Witness) -> Reach {
    // A name may stand for any address, and what is no URL is judged elsewhere.
    guard case .url(let url) = LocationURL.check(value), let address = url.address else { return .unknown }
    let host = LocationScope.unmapped(address)
    let sender = LocationScope.unmapped(witness.observation.source.address)
    if host == sender { return .reached }
    switch LocationScope.judge(host: host, sender: sender, subnets: [], allowsLoopback: true) {
    case .unspecified, .loopback, .multicast, .broadcast: return .unreachable
    case .familyMismatch: return .elsewhere
    case .linkLocal, .receiver, .offLink, nil: break
    }
    let number = Int(witness.observation.host)
    guard isComplete, number >= 0, number < hosts.count,
      let own = hosts[number].interfaces.first(where: { $0.interface == witness.observation.interface })
    else { return .elsewhere }
    let isOnLink = own.addresses.contains { $0.address == host || $0.address.sharesPrefix($0.prefixBits, with: host) }
    return isOnLink ? .reached : .unreachable
  }

  // MARK: - Several interfaces

  /// Messages about the same thing from two addresses within a short time.
  private mutating func compare(_ kind: SSDPKind, _ witness: Witness, _ docket: inout Docket) {
    let uuid = Int(witness.uuid)
    while devices.count <= uuid { devices.append(Device()) }
    let family = witness.observation.source.address.family
    if devices[uuid].lane < 0 || devices[uuid].family != family, !devices[uuid].isMultihomed {
      (devices[uuid].lane, devices[uuid].family) = (witness.lane, family)
      devices[uuid].party = witness.party.number
      return
    }
    if devices[uuid].lane == witness.lane, !devices[uuid].isMultihomed { return }
    devices[uuid].isMultihomed = true
    guard witness.advert >= 0 else { return }
    let type = kind == .notifyAlive ? 0 : kind == .notifyByebye ? 1 : 2
    let place = Int(witness.advert) * 6 + type * 2 + (family == .v6 ? 1 : 0)
    guard place < 600_000 else { return }
    while copies.count <= place { copies.append(Copy()) }
    let before = copies[place]
    let found = Copy(
      lane: witness.lane, time: witness.time, bootID: witness.message.index.pointee.bootID,
      fields: TransportChecks.fields(kind, witness))
    copies[place] = found
    guard before.lane >= 0, before.lane != found.lane, before.bootID == found.bootID,
      found.time - before.time < .seconds(10)
    else { return }
    if before.fields == found.fields {
      docket.held(.sameFields, witness)
    } else if isComplete || found.bootID >= 0 {
      docket.violated(
        .sameFields, witness, expected: "the same fields on every interface, but for those that name it",
        found: .text("other fields than on another interface"))
    } else {
      docket.inconclusive(
        .sameFields, witness, why: "other fields from another address; without BOOTIDs it may be another device")
    }
  }

  /// The fields that have to be alike, whatever their order.
  private static func fields(_ kind: SSDPKind, _ witness: Witness) -> UInt64 {
    let index = witness.message.index
    var sum: UInt64 = 0
    for position in 0..<Int(index.pointee.fieldCount) {
      let packed = index.pointee.fields[position]
      let field = SSDPIndex.field(packed)
      switch field {
      case .host, .date: continue
      case .cacheControl where kind == .notifyAlive: continue
      case .location where kind != .notifyByebye: continue
      default: break
      }
      let name = UnsafeRawBufferPointer(rebasing: witness.message.bytes[SSDPIndex.nameRange(packed)])
      // The signature of the network that an interface is on.
      if name.count == 6, Bytes.hasPrefix(UnsafeRawBufferPointer(rebasing: name[2...]), ignoringCase: "-nls") {
        continue
      }
      let value = UnsafeRawBufferPointer(rebasing: witness.message.bytes[SSDPIndex.valueRange(packed)])
      let key = field == .other ? Digest.hash(name) : UInt64(field.rawValue)
      sum &+= Digest.fold(key ^ 0xA076_1D64_78BD_642F, Digest.hash(value))
    }
    return sum
  }

  // MARK: - An interface is lost

  private mutating func checkCrossing(_ witness: Witness, _ docket: inout Docket) {
    let number = Int(witness.observation.host)
    guard number >= 0, number < hosts.count, hosts[number].downAt != .never,
      witness.observation.interface != hosts[number].down
    else { return }
    if witness.time - hosts[number].downAt > TransportChecks.crossing { return settle(number, &docket) }
    hosts[number].hasCrossed = true
    docket.violated(
      .noCrossByebye, witness, expected: "no byebye on the interfaces that stay",
      found: .text("a byebye after interface \(hosts[number].down.number) was lost"))
  }

  private mutating func settle(_ number: Int, _ docket: inout Docket) {
    if hosts[number].downAt != .never, !hosts[number].hasCrossed, let scene = hosts[number].scene {
      docket.held(.noCrossByebye, at: scene)
    }
    hosts[number].downAt = .never
  }

  package mutating func note(_ occurrence: Occurrence, _ docket: inout Docket) {
    guard occurrence.host >= 0, occurrence.host < 1 << 20 else { return }
    let host = Int(occurrence.host)
    while hosts.count <= host { hosts.append(Host()) }
    switch occurrence.content {
    case .interface(let change):
      settle(host, &docket)
      if let place = hosts[host].interfaces.firstIndex(where: { $0.interface == change.interface }) {
        hosts[host].interfaces[place] = change
      } else {
        hosts[host].interfaces.append(change)
      }
      guard !change.isUp, hosts[host].interfaces.contains(where: { $0.isUp && $0.interface != change.interface }) else {
        return
      }
      (hosts[host].downAt, hosts[host].down, hosts[host].hasCrossed) = (occurrence.time, change.interface, false)
    case .deed(.leave), .deed(.reboot), .deed(.move):
      // Byebyes have another reason now.
      if occurrence.time - hosts[host].downAt > TransportChecks.crossing { settle(host, &docket) }
      hosts[host].downAt = .never
    default: break
    }
  }

  package mutating func close(at end: Instant, _ docket: inout Docket) {
    for host in hosts.indices { settle(host, &docket) }
  }
}
