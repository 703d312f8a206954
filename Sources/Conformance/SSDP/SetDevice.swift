import RollcallPrimitives
import RollcallWire

/// One UUID, wherever it speaks from.
struct SetDevice {
  var scene = FindingCollector.Scene(party: PartyID(-1), claim: .uda10, time: .zero, position: 0)
  var hasRoot = false
  var hasUUID = false
  var hasType = false
  /// Whether a burst of announcements was heard from its beginning to its end.
  var hasWholeSet = false
  /// Whether two devices have it.
  var isShared = false
  /// Whether it said byebye.
  var hasLeft = false
  /// Where it speaks now and spoke before, with the BOOTIDs there; −1: nowhere, none.
  var lane: Int32 = -1
  var laneBefore: Int32 = -1
  var bootID: Int64 = -1
  var bootIDBefore: Int64 = -1
  /// Since when it speaks there.
  var since = Instant.zero
}

/// A host in a trace.
struct SetHost {
  var lanes: [Int] = []
  var isAway = true
  var wasThere = false
  /// When it was told to start; `never`: it has announced itself since.
  var startedAt = Instant.never
  /// Until when announcements have reasons of their own: a new address, a new document.
  var busyUntil = Instant(nanoseconds: .min)
  var isRestarted = false
  var restartedRoot: Int32 = -1
  /// Nanoseconds from a start to the first announcement.
  var waits: [Int64] = []
  var scene: FindingCollector.Scene?
}

struct SetParty {
  var hasRoot = false
  /// Root devices and where their descriptions are, for a few.
  var roots: [(uuid: Int32, location: UInt64)] = []
}

extension SetChecks {
  /// A device is heard from an address for the first time.
  mutating func open(_ number: Int, _ context: MessageContext, _ collector: inout FindingCollector) {
    let observation = context.observation
    (lanes[number].interface, lanes[number].address) = (observation.interface, observation.source.address)
    while devices.count <= Int(context.uuid) { devices.append(SetDevice()) }
    while parties.count <= Int(context.party.number) { parties.append(SetParty()) }
    guard observation.host >= 0, observation.host < 1 << 20 else { return }
    lanes[number].host = observation.host
    let host = Int(observation.host)
    while hosts.count <= host { hosts.append(SetHost()) }
    // An interface has one address of a family: another one takes its place.
    for other in hosts[host].lanes where lanes[other].scene.device == context.uuid {
      guard lanes[other].interface == observation.interface,
        lanes[other].address.family == observation.source.address.family
      else { continue }
      reset(other, at: context.time, &collector)
    }
    hosts[host].lanes.append(number)
  }

  /// Who announces: parts of the set, starts of hosts, UUIDs.
  mutating func identify(_ context: MessageContext, _ collector: inout FindingCollector) {
    let uuid = Int(context.uuid)
    if devices[uuid].scene.party.number < 0 { devices[uuid].scene = FindingCollector.Scene(context) }
    switch context.target.form {
    case .rootDevice:
      devices[uuid].hasRoot = true
      parties[Int(context.party.number)].hasRoot = true
      identifyRoot(context, &collector)
    case .uuid: devices[uuid].hasUUID = true
    case .device: devices[uuid].hasType = true
    case .opaque:
      // A type whose version is no number is a type.
      if let target = context.value(.nt), Bytes.find(":device:", in: target) != nil { devices[uuid].hasType = true }
    case .service, .all: break
    }
    if devices[uuid].lane != context.lane { follow(context, &collector) }
    devices[uuid].bootID = context.message.index.pointee.bootID
    let host = Int(context.observation.host)
    guard hosts.indices.contains(host), hosts[host].startedAt != .never else { return }
    if hosts[host].waits.count < Distribution.sampleCountMaximum {
      hosts[host].waits.append((context.time - hosts[host].startedAt).nanoseconds)
    }
    (hosts[host].startedAt, hosts[host].scene) = (.never, FindingCollector.Scene(context))
  }

  private mutating func identifyRoot(_ context: MessageContext, _ collector: inout FindingCollector) {
    let uuid = Int(context.uuid)
    let host = Int(context.observation.host)
    if hosts.indices.contains(host) {
      let known = hosts[host].restartedRoot
      if hosts[host].isRestarted, known >= 0 {
        collector.check(
          .uuidStable, context, known == context.uuid, expected: "the same UUID after a restart or a move",
          found: .text("another UUID"))
      }
      (hosts[host].isRestarted, hosts[host].restartedRoot) = (false, context.uuid)
      return
    }
    if devices[uuid].hasLeft {
      devices[uuid].hasLeft = false
      collector.held(.uuidStable, context)
    }
    let party = Int(context.party.number)
    if parties[party].roots.contains(where: { $0.uuid == context.uuid }) || parties[party].roots.count >= 16 { return }
    let location = context.value(.location).map { Digest.hash($0) } ?? 0
    if location != 0, parties[party].roots.contains(where: { $0.location == location }) {
      collector.inconclusive(
        .uuidStable, context, why: "another UUID had the same LOCATION before; the address may have changed hands")
    }
    parties[party].roots.append((context.uuid, location))
  }

  /// A UUID speaks from another address than before.
  private mutating func follow(_ context: MessageContext, _ collector: inout FindingCollector) {
    let uuid = Int(context.uuid)
    let device = devices[uuid]
    let bootID = context.message.index.pointee.bootID
    defer {
      (devices[uuid].laneBefore, devices[uuid].bootIDBefore) = (device.lane, device.bootID)
      (devices[uuid].lane, devices[uuid].since) = (context.lane, context.time)
    }
    guard context.lane == device.laneBefore else { return }
    let other = lanes[Int(device.lane)]
    let isSameHost =
      context.observation.host >= 0
      ? other.host == context.observation.host : other.address == context.observation.source.address
    if isSameHost || other.address.family != context.observation.source.address.family { return }
    if context.time - device.since < .seconds(1) { return }
    if isComplete || device.bootID >= 0 && bootID >= 0 && device.bootID != bootID && bootID == device.bootIDBefore {
      devices[uuid].isShared = true
      collector.violated(
        .uuidUnique, context, expected: "a UUID that no other device has",
        found: .text("two devices take turns under it, the other at \(other.address)"))
    } else if bootID < 0 || device.bootID < 0 {
      collector.inconclusive(
        .uuidUnique, context, why: "two addresses take turns under one UUID; without BOOTIDs it may be one device")
    }
  }
}
