import CoreBluetooth
import RollcallDiscovery
import RollcallPrimitives
import RollcallWire
import Synchronization

/// A phone in a driver, with what its radio hears and its nearby side tells: what doors are told, and what applications
/// asked.
struct DrivenPhone {
  /// What applications asked since the last call.
  struct Work {
    /// For the engine, in order.
    var commands: [CentralCommand]
    /// For the radio, in order.
    var effects: [RadioEffect]
    /// What the person allows applications now; `nil`: what they allowed before.
    var permission: PermissionState?
    /// Whether anything was asked.
    var isBusy: Bool
    /// The phone wants time to stop earlier than before, or its nearby side has something to do at once.
    var isEarlier: Bool
  }

  let phone: SimulatedPhone
  let heard = PhoneMachine.Heard()
  /// `nil`: it has no network.
  let nearby: SimulatedNearbyDevice?
  let box = NearbyBox()
  /// What a manager of devices of its applications runs on.
  let discovery: SimulatedDiscovery
  /// Its place among the hosts of a world.
  let host: Int
  /// Whether the radio has been asked to scan for the doors.
  private var isScanning = false
  /// How the engine listened when it was looked at last.
  private var engineScan: ScanPolicy?
  private var authorization = CBManagerAuthorization.allowedAlways

  init(_ phone: SimulatedPhone, host: Int, nearby: SimulatedNearbyDevice? = nil) {
    (self.phone, self.host, self.nearby) = (phone, host, nearby)
    discovery = SimulatedDiscovery(queues: phone.queues)
  }

  /// Tells the doors what the radio heard and the nearby side told.
  func tell(at now: Instant) {
    phone.state.withLock { $0.now = now }
    discovery.move(to: now)
    let heard = heard.state.withLock { state in
      defer { (state.packets, state.links, state.searches) = ([], [], []) }
      return state
    }
    if let power = heard.power { phone.tellState(isOn: power.isOn, since: power.time) }
    for entry in heard.packets { phone.hear(entry.packet) }
    for entry in heard.links { phone.take(entry.signal, of: entry.number, at: entry.time) }
    for news in heard.searches { discovery.take(news) }
    nearby?.tell(box.takeTold(), at: now)
  }

  /// - Parameter engineScan: how the engine listens now; it has the same radio.
  mutating func takeWork(whileEngineScans engineScan: ScanPolicy?) -> Work {
    let commands = phone.takeRequests()
    var (isBusy, effects) = phone.takeRoleRequests()
    let wants = phone.state.withLock { !$0.scans.isEmpty }
    // The radio does what it was asked for last: each of the two has to leave it as the other one needs it.
    if wants != isScanning || wants && engineScan != self.engineScan {
      let scan: ScanPolicy? = wants ? ScanPolicy() : engineScan
      effects.append(scan?.effect ?? .stopScan)
    }
    (isScanning, self.engineScan) = (wants, engineScan)
    var permission: PermissionState?
    if phone.authorization != authorization {
      authorization = phone.authorization
      permission = PermissionState(authorization)
      isBusy = true
    }
    let asked = nearby?.takeSteps()
    if let asked {
      box.add(asked.steps)
      if asked.isBusy { isBusy = true }
    }
    let alarm = min(phone.state.withLock { phone.nextStart($0) }, nearby?.nextDue() ?? .never)
    var isEarlier = heard.state.withLock { state in
      defer { state.alarm = alarm }
      return alarm < state.alarm
    }
    if box.isWaiting { isEarlier = true }
    if !commands.isEmpty { isBusy = true }
    return Work(
      commands: commands, effects: effects, permission: permission, isBusy: isBusy, isEarlier: isEarlier)
  }
}
