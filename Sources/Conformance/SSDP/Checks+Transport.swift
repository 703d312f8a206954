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
    var scene: FindingCollector.Scene?
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

  package mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard let kind = context.kind else { return }
    if context.isMulticast, !context.isV6 { checkHopLimit(context, &collector) }
    guard context.lane >= 0, context.role == .device else { return }
    if kind == .notifyAlive || kind == .response, context.has(.location) { checkReach(context, &collector) }
    guard context.isMulticast else { return }
    let host = Int(context.observation.host)
    if host >= 0, host < hosts.count, hosts[host].scene == nil { hosts[host].scene = FindingCollector.Scene(context) }
    if kind == .notifyByebye { checkCrossing(context, &collector) }
    if kind != .notifyOther { compare(kind, context, &collector) }
  }

  // MARK: - TTL

  private func checkHopLimit(_ context: MessageContext, _ collector: inout FindingCollector) {
    let limit = context.observation.hopLimit
    collector.check(
      .ttlEscape, context, limit <= 4, expected: "a TTL that stays on the site", found: .number(Int64(limit)))
    // Who follows UDA 1.0 may go by the 2 of later versions; and who does not say what it follows counts as 1.0.
    let isStandard = limit == 2 || limit == 4 && context.claim < .uda11
    if !isStandard, limit < 4, !isComplete {
      return collector.inconclusive(.ttlDefault, context, why: "a lower TTL; a router may have taken from it")
    }
    collector.check(
      .ttlDefault, context, isStandard,
      expected: context.claim < .uda11 ? "a TTL of 4, as UDA 1.0 has it, or of 2" : "a TTL of 2",
      found: .number(Int64(limit)))
  }

  // MARK: - LOCATION

  private mutating func checkReach(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard collector.binds(.locationReach, context.claim), let value = context.value(.location) else { return }
    let number = Int(context.lane)
    while lanes.count <= number { lanes.append(Lane()) }
    // The same LOCATION over a link and over the loopback interface are two.
    let location = Digest.hash(value) ^ (context.observation.isOnLoopback == false ? 1 : 0)
    if lanes[number].location != location {
      lanes[number].location = location
      lanes[number].reach = reach(value, context)
    }
    switch lanes[number].reach {
    case .reached: collector.held(.locationReach, context)
    case .unreachable:
      collector.violated(
        .locationReach, context, expected: "LOCATION that the interface reaches", found: .bytes(value))
    case .elsewhere:
      collector.inconclusive(
        .locationReach, context,
        why: "LOCATION is at another address than the sender; whether it can be reached takes a fetch")
    case .unknown: break
    }
  }

  private func reach(_ value: UnsafeRawBufferPointer, _ context: MessageContext) -> Reach {
    // A name may stand for any address, and what is no URL is judged elsewhere.
    guard case .url(let url) = LocationURL.check(value), let address = url.address else { return .unknown }
    let host = LocationScope.unmapped(address)
    let sender = LocationScope.unmapped(context.observation.source.address)
    if host.isLoopback, sender.isLoopback {
      // Only a loopback interface has it: on a link every host that fetches from it asks itself.
      let own = addresses(context)
      switch context.observation.isOnLoopback ?? own?.contains(where: { $0.address.isLoopback }) {
      case true?: return .reached
      case false?: return .unreachable
      case nil: return .unknown
      }
    }
    if host == sender { return .reached }
    switch LocationScope.judge(host: host, sender: sender, subnets: []) {
    case .unspecified, .loopback, .multicast, .broadcast: return .unreachable
    case .familyMismatch: return .elsewhere
    case .linkLocal, .receiver, .offLink, nil: break
    }
    guard isComplete, let own = addresses(context) else { return .elsewhere }
    let isOnLink = own.contains { $0.address == host || $0.address.sharesPrefix($0.prefixBits, with: host) }
    return isOnLink ? .reached : .unreachable
  }

  /// The addresses of the interface that a message left by, where they are known.
  private func addresses(_ context: MessageContext) -> [InterfaceAddress]? {
    let number = Int(context.observation.host)
    guard number >= 0, number < hosts.count else { return nil }
    return hosts[number].interfaces.first { $0.interface == context.observation.interface }?.addresses
  }

  // MARK: - Several interfaces

  /// Messages about the same thing from two addresses within a short time.
  private mutating func compare(_ kind: SSDPKind, _ context: MessageContext, _ collector: inout FindingCollector) {
    let uuid = Int(context.uuid)
    while devices.count <= uuid { devices.append(Device()) }
    let family = context.observation.source.address.family
    if devices[uuid].lane < 0 || devices[uuid].family != family, !devices[uuid].isMultihomed {
      (devices[uuid].lane, devices[uuid].family) = (context.lane, family)
    }
    if devices[uuid].lane == context.lane, !devices[uuid].isMultihomed { return }
    devices[uuid].isMultihomed = true
    guard context.advert >= 0 else { return }
    let type = kind == .notifyAlive ? 0 : kind == .notifyByebye ? 1 : 2
    let place = Int(context.advert) * 6 + type * 2 + (family == .v6 ? 1 : 0)
    guard place < 600_000 else { return }
    while copies.count <= place { copies.append(Copy()) }
    let before = copies[place]
    let found = Copy(
      lane: context.lane, time: context.time, bootID: context.message.index.pointee.bootID,
      fields: TransportChecks.fields(kind, context))
    copies[place] = found
    guard before.lane >= 0, before.lane != found.lane, before.bootID == found.bootID,
      found.time - before.time < .seconds(10)
    else { return }
    if before.fields == found.fields {
      collector.held(.sameFields, context)
    } else if isComplete || found.bootID >= 0 {
      collector.violated(
        .sameFields, context, expected: "the same fields on every interface, but for those that name it",
        found: .text("other fields than on another interface"))
    } else {
      collector.inconclusive(
        .sameFields, context, why: "other fields from another address; without BOOTIDs it may be another device")
    }
  }

  /// The fields that have to be alike, whatever their order.
  private static func fields(_ kind: SSDPKind, _ context: MessageContext) -> UInt64 {
    let index = context.message.index
    var sum: UInt64 = 0
    for position in 0..<Int(index.pointee.fieldCount) {
      let packed = index.field(at: position)
      let field = SSDPIndex.field(packed)
      switch field {
      case .host, .date: continue
      case .cacheControl where kind == .notifyAlive: continue
      case .location where kind != .notifyByebye: continue
      default: break
      }
      let name = UnsafeRawBufferPointer(rebasing: context.message.bytes[SSDPIndex.nameRange(packed)])
      // The signature of the network that an interface is on.
      if name.count == 6, Bytes.hasPrefix(UnsafeRawBufferPointer(rebasing: name[2...]), ignoringCase: "-nls") {
        continue
      }
      let value = UnsafeRawBufferPointer(rebasing: context.message.bytes[SSDPIndex.valueRange(packed)])
      let key = field == .other ? Digest.hash(name) : UInt64(field.rawValue)
      sum &+= Digest.fold(key ^ 0xA076_1D64_78BD_642F, Digest.hash(value))
    }
    return sum
  }

  // MARK: - An interface is lost

  private mutating func checkCrossing(_ context: MessageContext, _ collector: inout FindingCollector) {
    let number = Int(context.observation.host)
    guard number >= 0, number < hosts.count, hosts[number].downAt != .never,
      context.observation.interface != hosts[number].down
    else { return }
    if context.time - hosts[number].downAt > TransportChecks.crossing { return settle(number, &collector) }
    hosts[number].hasCrossed = true
    collector.violated(
      .noCrossByebye, context, expected: "no byebye on the interfaces that stay",
      found: .text("a byebye after interface \(hosts[number].down.number) was lost"))
  }

  private mutating func settle(_ number: Int, _ collector: inout FindingCollector) {
    if hosts[number].downAt != .never, !hosts[number].hasCrossed, let scene = hosts[number].scene {
      collector.held(.noCrossByebye, at: scene)
    }
    hosts[number].downAt = .never
  }

  package mutating func note(_ event: TraceEvent, _ collector: inout FindingCollector) {
    guard event.host >= 0, event.host < 1 << 20 else { return }
    let host = Int(event.host)
    while hosts.count <= host { hosts.append(Host()) }
    switch event.content {
    case .interface(let change):
      settle(host, &collector)
      if let place = hosts[host].interfaces.firstIndex(where: { $0.interface == change.interface }) {
        hosts[host].interfaces[place] = change
      } else {
        hosts[host].interfaces.append(change)
      }
      guard !change.isUp, hosts[host].interfaces.contains(where: { $0.isUp && $0.interface != change.interface }) else {
        return
      }
      (hosts[host].downAt, hosts[host].down, hosts[host].hasCrossed) = (event.time, change.interface, false)
    case .deed(.leave), .deed(.reboot), .deed(.move):
      // Byebyes have another reason now.
      if event.time - hosts[host].downAt > TransportChecks.crossing { settle(host, &collector) }
      hosts[host].downAt = .never
    default: break
    }
  }

  package mutating func close(at end: Instant, _ collector: inout FindingCollector) {
    for host in hosts.indices { settle(host, &collector) }
  }
}
