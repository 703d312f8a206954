import RollcallDiscovery
import RollcallPrimitives
import RollcallWire
import Synchronization

/// A phone in a driver, with what its radio hears: what doors are told, and what applications asked.
struct DrivenPhone {
  /// What applications asked since the last call.
  struct Work {
    /// For the engine, in order.
    var commands: [CentralCommand]
    /// For the radio, in order.
    var effects: [RadioEffect]
    /// Whether anything was asked.
    var isBusy: Bool
    /// The phone wants time to stop earlier than before.
    var isEarlier: Bool
  }

  let phone: SimulatedPhone
  let heard = PhoneMachine.Heard()
  /// Its place among the hosts of a world.
  let host: Int
  /// Which scan the radio has been asked for.
  private var isScanning = false

  init(_ phone: SimulatedPhone, host: Int) { (self.phone, self.host) = (phone, host) }

  /// Tells the doors what the radio heard.
  func tell(at now: Instant) {
    phone.state.withLock { $0.now = now }
    let heard = heard.state.withLock { state in
      defer { (state.packets, state.links) = ([], []) }
      return state
    }
    if let power = heard.power { phone.tellState(isOn: power.isOn, since: power.time) }
    for entry in heard.packets { phone.hear(entry.packet) }
    for entry in heard.links { phone.take(entry.signal, of: entry.number, at: entry.time) }
  }

  mutating func takeWork() -> Work {
    let commands = phone.takeRequests()
    var (isBusy, effects) = phone.takeRoleRequests()
    let wants = phone.state.withLock { !$0.scans.isEmpty }
    if wants != isScanning {
      isScanning = wants
      let step = Interval.milliseconds(30)
      effects.append(wants ? .scan(window: step, interval: step, isActive: true) : .stopScan)
    }
    let alarm = phone.state.withLock { phone.nextStart($0) }
    let isEarlier = heard.state.withLock { state in
      defer { state.alarm = alarm }
      return alarm < state.alarm
    }
    if !commands.isEmpty { isBusy = true }
    return Work(commands: commands, effects: effects, isBusy: isBusy, isEarlier: isEarlier)
  }
}
