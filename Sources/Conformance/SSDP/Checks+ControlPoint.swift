package import RollcallPrimitives
import RollcallWire

/// What a control point makes of what it hears (1f, 1h): in the trace of a run, where its reports stand beside it.
///
/// It is judged by what it heard and did not refuse. A capture shows neither, so there nothing is exercised.
package struct ControlPointChecks: CheckFamily {
  package static let clauses: [ClauseID] = [
    .searchWait, .expire, .anyAlive, .bootIDDiffers, .updateReceived, .unsolicited, .boundedCache, .dualStack,
  ]

  /// Devices remembered for one control point; later ones are not judged.
  var devicesMaximum = 20_000
  /// Searches remembered for one control point that have not ended.
  var searchesMaximum = 1_000
  /// Sockets remembered of searches that no listener sent.
  var othersMaximum = 1_000
  /// How much later than a lease's end a loss may be told.
  private static let tolerance = Interval.seconds(1)

  /// What one control point knows of one UUID.
  private struct Device {
    var isPresent = false
    var isHeld = false
    /// When the longest lease that was heard ends; `never`: a length that each control point decides for itself.
    var leaseEnd = Instant(nanoseconds: .min)
    var maxAgeSeconds: Int32 = 0
    /// When the lease of its upnp:rootdevice message ends.
    var rootLeaseEnd = Instant(nanoseconds: .min)
    var isRoot = false
    /// Tells devices that share a description; `nil`: no LOCATION was heard.
    var location: UInt64?
    var bootID: Int64 = -1
    var nextBootID: Int64 = -1
    /// When it was last heard under `bootID`.
    var bootHeard = Instant(nanoseconds: .min)
    var rebootTold = Instant(nanoseconds: .min)
    var lossTold = Instant(nanoseconds: .min)
    var families: UInt8 = 0
    var finds = 0
  }

  /// A question whose answer is what the control point reports before time goes on.
  private enum Question {
    case reboot(Int32, since: Instant)
    case update(Int32)
    case unsolicited(Int32)
  }

  private struct Search {
    var id: UInt32
    var port: UInt16
    var lastCopy: Instant
    var waitSeconds: Int64
  }

  private struct Listener {
    var host: Int32
    var party: PartyID?
    var knowsBootID = false
    var claim = Edition.uda10
    var devices: [Device] = []
    var searches: [Search] = []
    var asked: UInt32 = 0
    var questions: [(what: Question, time: Instant, position: Int)] = []
  }

  private var listeners: [Listener] = []
  /// Sockets of searches that no listener sent, and until when they may be answered.
  private var others: [(socket: Endpoint, end: Instant)] = []

  package init(_ circumstances: Circumstances) {}

  // MARK: - What it sends

  package mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector) {
    // Only in a trace is it known who hears what, and so only there is anything asked of it.
    guard context.kind == .search, context.observation.host >= 0 else { return }
    let wait = context.isMulticast ? Int64(max(1, context.message.index.pointee.maximumWaitSeconds)) : 1
    guard let place = listeners.firstIndex(where: { $0.host == context.observation.host })
    else { return noteSearchOfAnother(context, until: context.time + .seconds(wait + 10)) }
    settle(place, until: context.time, &collector)
    listeners[place].party = context.party
    listeners[place].claim = max(listeners[place].claim, context.claim)
    let port = context.observation.source.port
    if let known = listeners[place].searches.firstIndex(where: { $0.port == port }) {
      listeners[place].searches[known].lastCopy = context.time
      listeners[place].searches[known].waitSeconds = wait
    } else if listeners[place].searches.count < searchesMaximum {
      // The first datagram from a new port is the first copy of the search that was asked for last.
      listeners[place].searches.append(
        Search(id: listeners[place].asked, port: port, lastCopy: context.time, waitSeconds: wait))
    }
  }

  // MARK: - What it hears and does not refuse

  package mutating func overhear(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard let kind = context.kind, context.uuid >= 0, context.uuid < devicesMaximum else { return }
    let place = listener(context.observation.host, context.party)
    settle(place, until: context.time, &collector)
    let number = Int(context.uuid)
    while listeners[place].devices.count <= number { listeners[place].devices.append(Device()) }
    var device = listeners[place].devices[number]
    let boot = context.message.index.pointee.bootID
    func ask(_ question: Question) {
      listeners[place].questions.append((question, context.time, context.observation.position))
    }
    switch kind {
    case .notifyAlive, .response:
      device.families |= context.isV6 ? 2 : 1
      if let location = context.value(.location) { device.location = Digest.hash(location) }
      let maxAge = context.message.index.pointee.maxAgeSeconds
      // Lengths beyond a day, and none at all, are for each control point to decide; where they shrink, leases of
      // single messages would have to be told apart.
      let isKnown = (0...86_400).contains(maxAge) && maxAge >= device.maxAgeSeconds
      device.leaseEnd = isKnown ? max(device.leaseEnd, context.time + .seconds(Int64(maxAge))) : .never
      device.maxAgeSeconds = max(device.maxAgeSeconds, maxAge)
      if context.holds(kind == .response ? .st : .nt, "upnp:rootdevice") {
        (device.isRoot, device.rootLeaseEnd) = (true, device.leaseEnd)
      }
      if kind == .response, !device.isPresent, isUnsolicited(context, listeners[place]) {
        ask(.unsolicited(context.uuid))
      }
      if boot >= 0, device.bootID >= 0, boot != device.bootID, device.isPresent {
        if boot == device.nextBootID {
          ask(.update(context.uuid))
        } else {
          ask(.reboot(context.uuid, since: device.bootHeard))
        }
      }
      if boot >= 0 { (device.bootID, device.bootHeard) = (boot, context.time) }
    case .notifyUpdate: device.nextBootID = context.message.index.pointee.nextBootID
    // What a byebye of a part ends is a policy, so no end is known any more.
    case .notifyByebye: device.leaseEnd = .never
    case .notifyOther, .search: break
    }
    listeners[place].devices[number] = device
  }

  /// A program beside an engine may search from the engine's address: its answers are not unsolicited there.
  private mutating func noteSearchOfAnother(_ context: MessageContext, until end: Instant) {
    let socket = context.observation.source
    if let known = others.firstIndex(where: { $0.socket == socket }) {
      others[known].end = max(others[known].end, end)
    } else if others.count < othersMaximum {
      others.append((socket, end))
    }
  }

  /// Whether nobody searched from the socket that an answer came to, lately.
  private func isUnsolicited(_ context: MessageContext, _ listener: Listener) -> Bool {
    let socket = context.observation.destination
    if others.contains(where: { $0.socket == socket && context.time <= $0.end }) { return false }
    let port = socket.port
    return !listener.searches.contains {
      $0.port == port && context.time <= $0.lastCopy + .seconds($0.waitSeconds + 10)
    }
  }

  // MARK: - What it says

  package mutating func note(_ event: TraceEvent, _ collector: inout FindingCollector) {
    switch event.content {
    case .asked(let search):
      let place = listener(event.host, nil)
      settle(place, until: event.time, &collector)
      listeners[place].asked = search
    case .holds, .lets, .told:
      let place = listener(event.host, nil)
      settle(place, until: event.time, &collector)
      take(event, place, &collector)
    case .interface, .deed, .browsed, .doubted, .described: break
    }
  }

  private mutating func take(_ event: TraceEvent, _ place: Int, _ collector: inout FindingCollector) {
    let number = Int(event.device)
    if number >= 0, number < devicesMaximum {
      while listeners[place].devices.count <= number { listeners[place].devices.append(Device()) }
    } else if case .told(.searchEnded) = event.content {
    } else {
      return
    }
    switch event.content {
    case .holds: listeners[place].devices[number].isHeld = true
    case .lets: listeners[place].devices[number].isHeld = false
    case .told(let report):
      switch report {
      case .found(let sighting):
        if sighting.bootID != nil { listeners[place].knowsBootID = true }
        found(number, event, place, &collector)
      case .changed(let sighting, let change):
        if sighting.bootID != nil { listeners[place].knowsBootID = true }
        if case .attribute(.bootID, _) = change { listeners[place].devices[number].rebootTold = event.time }
        // A part stands for itself no longer.
        let part = Int(event.part)
        if part >= 0, part < listeners[place].devices.count { listeners[place].devices[part].isPresent = false }
      case .lost(_, let cause): lost(number, cause, event, place, &collector)
      case .searchEnded(let outcome): ended(outcome, event, place, &collector)
      default: break
      }
    default: break
    }
  }

  private mutating func found(_ number: Int, _ event: TraceEvent, _ place: Int, _ collector: inout FindingCollector) {
    let device = listeners[place].devices[number]
    if device.isPresent, let scene = scene(place, event.time, event.position, Int32(number)) {
      collector.violated(
        .dualStack, at: scene, expected: "one device, whatever family and interface it is heard over",
        found: .text("found again while it is there"))
    }
    listeners[place].devices[number].isPresent = true
    listeners[place].devices[number].finds += 1
    listeners[place].devices[number].rebootTold = event.time
  }

  private mutating func lost(
    _ number: Int, _ cause: LossCause, _ event: TraceEvent, _ place: Int, _ collector: inout FindingCollector
  ) {
    let device = listeners[place].devices[number]
    let shared = sharedLeaseEnd(number, place)
    listeners[place].devices[number].isPresent = false
    listeners[place].devices[number].leaseEnd = Instant(nanoseconds: .min)
    listeners[place].devices[number].maxAgeSeconds = 0
    if cause == .rebooted {
      listeners[place].devices[number].rebootTold = event.time
      listeners[place].devices[number].lossTold = event.time
    }
    guard let scene = scene(place, event.time, event.position, Int32(number)) else { return }
    switch cause {
    case .expired: expired(device, shared, scene, &collector)
    case .evicted:
      if device.isHeld {
        collector.violated(
          .boundedCache, at: scene, expected: "a device that the application holds is never dropped",
          found: .text("dropped to make room"))
      } else {
        collector.held(.boundedCache, at: scene)
      }
    case .byebye, .rebooted, .interface, .stopped: break
    }
  }

  /// A device was given up although, or because, its leases have ended.
  private func expired(
    _ device: Device, _ shared: Instant, _ scene: FindingCollector.Scene, _ collector: inout FindingCollector
  ) {
    let latest = scene.time + ControlPointChecks.tolerance
    // A name that is no UTF-8 is told in other bytes than it was heard in.
    guard device.leaseEnd.nanoseconds > .min, shared != .never else { return }
    if device.leaseEnd > latest {
      // A message of a service is valid, the root's own is not: no must says that it counts.
      let isPart = device.isRoot && device.rootLeaseEnd <= scene.time
      collector.violated(
        isPart ? .anyAlive : .expire, at: scene, expected: "a device stays while a message of it is valid",
        found: .text("lost before its max-age had run out"))
    } else if scene.time > shared + ControlPointChecks.tolerance {
      collector.violated(
        .expire, at: scene, expected: "a device is gone when its max-age has run out",
        found: .text("lost more than a second later"))
    } else {
      collector.held(.expire, at: scene)
      collector.held(.anyAlive, at: scene)
    }
  }

  /// When the last lease ends of all that share the device's description: it is not gone before.
  private func sharedLeaseEnd(_ number: Int, _ place: Int) -> Instant {
    let devices = listeners[place].devices
    guard let location = devices[number].location else { return devices[number].leaseEnd }
    return devices.reduce(devices[number].leaseEnd) { end, other in
      other.location == location ? max(end, other.leaseEnd) : end
    }
  }

  private mutating func ended(
    _ outcome: SearchOutcome, _ event: TraceEvent, _ place: Int, _ collector: inout FindingCollector
  ) {
    guard let known = listeners[place].searches.firstIndex(where: { $0.id == outcome.search.number }) else { return }
    let search = listeners[place].searches.remove(at: known)
    guard !outcome.wasStopped, let scene = scene(place, event.time, event.position, -1) else { return }
    if event.time >= search.lastCopy + .seconds(search.waitSeconds) {
      collector.held(.searchWait, at: scene)
    } else {
      collector.violated(
        .searchWait, at: scene, expected: "listening for MX seconds after the last copy",
        found: .text("ended after \((event.time - search.lastCopy).decimal) s, MX \(search.waitSeconds)"))
    }
  }

  // MARK: - Questions that wait for an answer

  /// Answers what was asked before `now`: a report that was due has been made by then.
  private mutating func settle(_ place: Int, until now: Instant, _ collector: inout FindingCollector) {
    guard !listeners[place].questions.isEmpty else { return }
    while let first = listeners[place].questions.first, first.time < now {
      listeners[place].questions.removeFirst()
      answer(first.what, first.time, first.position, place, &collector)
    }
  }

  private func answer(
    _ question: Question, _ time: Instant, _ position: Int, _ place: Int, _ collector: inout FindingCollector
  ) {
    switch question {
    case .reboot(let number, let since):
      guard let scene = scene(place, time, position, number) else { return }
      if listeners[place].devices[Int(number)].rebootTold >= since {
        collector.held(.bootIDDiffers, at: scene)
      } else {
        collector.violated(
          .bootIDDiffers, at: scene, expected: "a device with another BOOTID counts as newly found",
          found: .text("no report of it"))
      }
    case .update(let number):
      guard let scene = scene(place, time, position, number) else { return }
      if listeners[place].devices[Int(number)].lossTold >= time {
        collector.violated(
          .updateReceived, at: scene, expected: "a device goes on under the NEXTBOOTID that it announced",
          found: .text("lost as if it had restarted"))
      } else {
        collector.held(.updateReceived, at: scene)
      }
    case .unsolicited(let number):
      guard let scene = scene(place, time, position, number) else { return }
      if listeners[place].devices[Int(number)].isPresent {
        collector.violated(
          .unsolicited, at: scene, expected: "no device from an answer that nobody asked for",
          found: .text("a device was found"))
      } else {
        collector.held(.unsolicited, at: scene)
      }
    }
  }

  package mutating func close(at end: Instant, _ collector: inout FindingCollector) {
    for place in listeners.indices {
      settle(place, until: .never, &collector)
      for (number, device) in listeners[place].devices.enumerated() {
        guard let scene = scene(place, end, 0, Int32(number)) else { continue }
        if device.families == 3, device.finds == 1 { collector.held(.dualStack, at: scene) }
        guard device.isPresent else { continue }
        let lease = sharedLeaseEnd(number, place)
        if lease.nanoseconds > .min, lease != .never, end > lease + ControlPointChecks.tolerance {
          collector.violated(
            .expire, at: scene, expected: "a device is gone when its max-age has run out",
            found: .text("still there at the end"))
        }
      }
    }
  }

  // MARK: - Who

  private mutating func listener(_ host: Int32, _ party: PartyID?) -> Int {
    if let known = listeners.firstIndex(where: { $0.host == host }) {
      if let party { listeners[known].party = party }
      return known
    }
    listeners.append(Listener(host: host, party: party))
    return listeners.count - 1
  }

  private func scene(_ place: Int, _ time: Instant, _ position: Int, _ device: Int32) -> FindingCollector.Scene? {
    guard let party = listeners[place].party else { return nil }
    // A control point that tells BOOTIDs to its application knows UDA 1.1, even if its searches claim UDA 1.0.
    let claim = max(listeners[place].claim, listeners[place].knowsBootID ? Edition.uda11 : .uda10)
    return FindingCollector.Scene(party: party, claim: claim, time: time, position: position, device: device)
  }
}
