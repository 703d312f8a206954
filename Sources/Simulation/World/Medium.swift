public import RollcallPrimitives

/// What carries the values of one port between the machines of a world.
///
/// A medium has no clock and no queue of its own: it schedules into that of the world, so that everything in a world
/// happens by (instant, sequence), across media. It calls no machine: what it delivers is given when it is due. The LAN
/// has a form of its own (`VirtualNetwork`), since datagrams are by far the most frequent.
public protocol Medium: AnyObject {
  /// What machines want of this port is handed to `want`.
  var port: PortNumber { get }
  /// The run begins: each host was told its interfaces.
  func begin(schedule: MediumSchedule)
  /// The machine of `host` wants something.
  func want(_ value: any PortValue, from host: Int, schedule: MediumSchedule)
  /// What the medium scheduled with this token is due.
  func due(_ token: UInt64, schedule: MediumSchedule)
  /// The machine of `host` took another address on the LAN.
  func addressesChanged(of host: Int, schedule: MediumSchedule)
}

extension Medium {
  public func begin(schedule: MediumSchedule) {}
  public func addressesChanged(of host: Int, schedule: MediumSchedule) {}
}

/// What a medium can do in its world; good until the call returns.
public struct MediumSchedule {
  let schedule: Schedule
  let medium: Int
  /// For media whose values take the links of the LAN.
  let lan: UnsafeMutablePointer<VirtualNetwork>

  public var now: Instant { schedule.now }

  /// The machine of `host` is given `value` at `time`, or now where that has passed.
  public func deliver(_ value: some PortValue, to host: Int, at time: Instant) {
    schedule.deliver(SignalValue(value), to: host, at: time)
  }

  /// Calls `due` at `time`, or later in this instant where that has passed.
  public func call(_ token: UInt64, at time: Instant) { schedule.push(.medium(medium, token: token), at: time) }
}
