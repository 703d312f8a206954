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
  private static let devicesMaximum = 20_000
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
    /// Tells devices that share a description.
    var location: UInt64 = 0
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
  private static let othersMaximum = 1_000

  package init(_ circumstances: Circumstances) {}

  // MARK: - What it sends

  package mutating func hear(_ witness: Witness, _ docket: inout Docket) {
    // Only in a trace is it known who hears what, and so only there is anything asked of it.
    guard witness.kind == .search, witness.observation.host >= 0 else { return }
    let wait = witness.isMulticast ? Int64(max(1, witness.message.index.pointee.maximumWaitSeconds)) : 1
    guard let place = listeners.firstIndex(where: { $0.host == witness.observation.host })
    else { return noteSearchOfAnother(witness, until: witness.time + .seconds(wait + 10)) }
    settle(place, until: witness.time, &docket)
    listeners[place].party = witness.party
    listeners[place].claim = max(listeners[place].claim, witness.claim)
    let port = witness.observation.source.port
    if let known = listeners[place].searches.firstIndex(where: { $0.port == port }) {
      listeners[place].searches[known].lastCopy = witness.time
      listeners[place].searches[known].waitSeconds = wait
    } else if listeners[place].searches.count < 1_000 {
      // The first datagram from a new port is the first copy of the search that was asked for last.
      listeners[place].searches.append(
        Search(id: listeners[place].asked, port: port, lastCopy: witness.time, waitSeconds: wait))
    }
  }

  // MARK: - What it hears and does not refuse

  package mutating func overhear(_ witness: Witness, _ docket: inout Docket) {
    guard let kind = witness.kind, witness.uuid >= 0, witness.uuid < ControlPointChecks.devicesMaximum else { return }
    let place = listener(witness.observation.host, witness.party)
    settle(place, until: witness.time, &docket)
    let number = Int(witness.uuid)
    while listeners[place].devices.count <= number { listeners[place].devices.append(Device()) }
    var device = listeners[place].devices[number]
    let boot = witness.message.index.pointee.bootID
    func ask(_ question: Question) {
      listeners[place].questions.append((question, witness.time, witness.observation.position))
    }
    switch kind {
    case .notifyAlive, .response:
      device.families |= witness.isV6 ? 2 : 1
      if let location = witness.value(.location) { device.location = Digest.hash(location) | 1 }
      let maxAge = witness.message.index.pointee.maxAgeSeconds
      // Lengths beyond a day, and none at all, are for each control point to decide; where they shrink, leases of
      // single messages would have to be told apart.
      let isKnown = (0...86_400).contains(maxAge) && maxAge >= device.maxAgeSeconds
      device.leaseEnd = isKnown ? max(device.leaseEnd, witness.time + .seconds(Int64(maxAge))) : .never
      device.maxAgeSeconds = max(device.maxAgeSeconds, maxAge)
      if witness.holds(kind == .response ? .st : .nt, "upnp:rootdevice") {
        (device.isRoot, device.rootLeaseEnd) = (true, device.leaseEnd)
      }
      if kind == .response, !device.isPresent, isUnsolicited(witness, listeners[place]) {
        ask(.unsolicited(witness.uuid))
      }
      if boot >= 0, device.bootID >= 0, boot != device.bootID, device.isPresent {
        if boot == device.nextBootID {
          ask(.update(witness.uuid))
        } else {
          ask(.reboot(witness.uuid, since: device.bootHeard))
        }
      }
      if boot >= 0 { (device.bootID, device.bootHeard) = (boot, witness.time) }
    case .notifyUpdate: device.nextBootID = witness.message.index.pointee.nextBootID
    // What a byebye of a part ends is a policy, so no end is known any more.
    case .notifyByebye: device.leaseEnd = .never
    case .notifyOther, .search: break
    }
    listeners[place].devices[number] = device
  }

  /// A program beside an engine may search from the engine's address: its answers are not unsolicited there.
  private mutating func noteSearchOfAnother(_ witness: Witness, until end: Instant) {
    let socket = witness.observation.source
    if let known = others.firstIndex(where: { $0.socket == socket }) {
      others[known].end = max(others[known].end, end)
    } else if others.count < ControlPointChecks.othersMaximum {
      others.append((socket, end))
    }
  }

  /// Whether nobody searched from the socket that an answer came to, lately.
  private func isUnsolicited(_ witness: Witness, _ listener: Listener) -> Bool {
    let socket = witness.observation.destination
    if others.contains(where: { $0.socket == socket && witness.time <= $0.end }) { return false }
    let port = socket.port
    return !listener.searches.contains {
      $0.port == port && witness.time <= $0.lastCopy + .seconds($0.waitSeconds + 10)
    }
  }

  // MARK: - What it says

  package mutating func note(_ occurrence: Occurrence, _ docket: inout Docket) {
    switch occurrence.content {
    case .asked(let search):
      let place = listener(occurrence.host, nil)
      settle(place, until: occurrence.time, &docket)
      listeners[place].asked = search
    case .holds, .lets, .told:
      let place = listener(occurrence.host, nil)
      settle(place, until: occurrence.time, &docket)
      take(occurrence, place, &docket)
    case .interface, .deed, .joined, .left: break
    }
  }

  private mutating func take(_ occurrence: Occurrence, _ place: Int, _ docket: inout Docket) {
    let number = Int(occurrence.device)
    if number >= 0, number < ControlPointChecks.devicesMaximum {
      while listeners[place].devices.count <= number { listeners[place].devices.append(Device()) }
    } else if case .told(.searchEnded) = occurrence.content {
    } else {
      return
    }
    switch occurrence.content {
    case .holds: listeners[place].devices[number].isHeld = true
    case .lets: listeners[place].devices[number].isHeld = false
    case .told(let report):
      switch report {
      case .found(let sighting):
        if sighting.bootID != nil { listeners[place].knowsBootID = true }
        found(number, occurrence, place, &docket)
      case .changed(let sighting, let change):
        if sighting.bootID != nil { listeners[place].knowsBootID = true }
        if case .attribute(.bootID, _) = change { listeners[place].devices[number].rebootTold = occurrence.time }
        // A part stands for itself no longer.
        let part = Int(occurrence.part)
        if part >= 0, part < listeners[place].devices.count { listeners[place].devices[part].isPresent = false }
      case .lost(_, let cause): lost(number, cause, occurrence, place, &docket)
      case .searchEnded(let outcome): ended(outcome, occurrence, place, &docket)
      default: break
      }
    default: break
    }
  }

  private mutating func found(_ number: Int, _ occurrence: Occurrence, _ place: Int, _ docket: inout Docket) {
    let device = listeners[place].devices[number]
    if device.isPresent, let scene = scene(place, occurrence.time, occurrence.position, Int32(number)) {
      docket.violated(
        .dualStack, at: scene, expected: "one device, whatever family and interface it is heard over",
        found: .text("found again while it is there"))
    }
    listeners[place].devices[number].isPresent = true
    listeners[place].devices[number].finds += 1
    listeners[place].devices[number].rebootTold = occurrence.time
  }

  private mutating func lost(
    _ number: Int, _ cause: LossCause, _ occurrence: Occurrence, _ place: Int, _ docket: inout Docket
  ) {
    let device = listeners[place].devices[number]
    let shared = sharedLeaseEnd(number, place)
    listeners[place].devices[number].isPresent = false
    listeners[place].devices[number].leaseEnd = Instant(nanoseconds: .min)
    listeners[place].devices[number].maxAgeSeconds = 0
    if cause == .rebooted {
      listeners[place].devices[number].rebootTold = occurrence.time
      listeners[place].devices[number].lossTold = occurrence.time
    }
    guard let scene = scene(place, occurrence.time, occurrence.position, Int32(number)) else { return }
    switch cause {
    case .expired: expired(device, shared, scene, &docket)
    case .evicted:
      if device.isHeld {
        docket.violated(
          .boundedCache, at: scene, expected: "a device that the application holds is never dropped",
          found: .text("dropped to make room"))
      } else {
        docket.held(.boundedCache, at: scene)
      }
    case .byebye, .rebooted, .interface, .stopped: break
    }
  }

  /// A device was given up although, or because, its leases have ended.
  private func expired(_ device: Device, _ shared: Instant, _ scene: Docket.Scene, _ docket: inout Docket) {
    let latest = scene.time + ControlPointChecks.tolerance
    // A name that is no UTF-8 is told in other bytes than it was heard in.
    let isKnown = device.leaseEnd.nanoseconds > .min && device.leaseEnd != .never
    guard isKnown, shared != .never else { return }
    if device.leaseEnd > latest {
      // A message of a service is valid, the root's own is not: no must says that it counts.
      let isPart = device.isRoot && device.rootLeaseEnd <= scene.time
      docket.violated(
        isPart ? .anyAlive : .expire, at: scene, expected: "a device stays while a message of it is valid",
        found: .text("lost before its max-age had run out"))
    } else if scene.time > shared + ControlPointChecks.tolerance {
      docket.violated(
        .expire, at: scene, expected: "a device is gone when its max-age has run out",
        found: .text("lost more than a second later"))
    } else {
      docket.held(.expire, at: scene)
      docket.held(.anyAlive, at: scene)
    }
  }

  /// When the last lease ends of all that share the device's description: it is not gone before.
  private func sharedLeaseEnd(_ number: Int, _ place: Int) -> Instant {
    let devices = listeners[place].devices
    let location = devices[number].location
    return devices.reduce(devices[number].leaseEnd) { end, other in
      location != 0 && other.location == location ? max(end, other.leaseEnd) : end
    }
  }

  private mutating func ended(
    _ outcome: SearchOutcome, _ occurrence: Occurrence, _ place: Int, _ docket: inout Docket
  ) {
    guard let known = listeners[place].searches.firstIndex(where: { $0.id == outcome.search.number }) else { return }
    let search = listeners[place].searches.remove(at: known)
    guard !outcome.wasStopped, let scene = scene(place, occurrence.time, occurrence.position, -1) else { return }
    if occurrence.time >= search.lastCopy + .seconds(search.waitSeconds) {
      docket.held(.searchWait, at: scene)
    } else {
      docket.violated(
        .searchWait, at: scene, expected: "listening for MX seconds after the last copy",
        found: .text("ended after \((occurrence.time - search.lastCopy).decimal) s, MX \(search.waitSeconds)"))
    }
  }

  // MARK: - Questions that wait for an answer

  /// Answers what was asked before `now`: a report that was due has been made by then.
  private mutating func settle(_ place: Int, until now: Instant, _ docket: inout Docket) {
    guard !listeners[place].questions.isEmpty else { return }
    while let first = listeners[place].questions.first, first.time < now {
      listeners[place].questions.removeFirst()
      answer(first.what, first.time, first.position, place, &docket)
    }
  }

  private func answer(
    _ question: Question, _ time: Instant, _ position: Int, _ place: Int, _ docket: inout Docket
  ) {
    switch question {
    case .reboot(let number, let since):
      guard let scene = scene(place, time, position, number) else { return }
      if listeners[place].devices[Int(number)].rebootTold >= since {
        docket.held(.bootIDDiffers, at: scene)
      } else {
        docket.violated(
          .bootIDDiffers, at: scene, expected: "a device with another BOOTID counts as newly found",
          found: .text("no report of it"))
      }
    case .update(let number):
      guard let scene = scene(place, time, position, number) else { return }
      if listeners[place].devices[Int(number)].lossTold >= time {
        docket.violated(
          .updateReceived, at: scene, expected: "a device goes on under the NEXTBOOTID that it announced",
          found: .text("lost as if it had restarted"))
      } else {
        docket.held(.updateReceived, at: scene)
      }
    case .unsolicited(let number):
      guard let scene = scene(place, time, position, number) else { return }
      if listeners[place].devices[Int(number)].isPresent {
        docket.violated(
          .unsolicited, at: scene, expected: "no device from an answer that nobody asked for",
          found: .text("a device was found"))
      } else {
        docket.held(.unsolicited, at: scene)
      }
    }
  }

  package mutating func close(at end: Instant, _ docket: inout Docket) {
    for place in listeners.indices {
      settle(place, until: .never, &docket)
      for (number, device) in listeners[place].devices.enumerated() {
        guard let scene = scene(place, end, 0, Int32(number)) else { continue }
        if device.families == 3, device.finds == 1 { docket.held(.dualStack, at: scene) }
        guard device.isPresent else { continue }
        let lease = sharedLeaseEnd(number, place)
        if lease.nanoseconds > .min, lease != .never, end > lease + ControlPointChecks.tolerance {
          docket.violated(
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

  private func scene(_ place: Int, _ time: Instant, _ position: Int, _ device: Int32) -> Docket.Scene? {
    guard let party = listeners[place].party else { return nil }
    // A control point that tells BOOTIDs to its application knows UDA 1.1, even if its searches claim UDA 1.0.
    let claim = max(listeners[place].claim, listeners[place].knowsBootID ? Edition.uda11 : .uda10)
    return Docket.Scene(party: party, claim: claim, time: time, position: position, device: device)
  }
}
