public import RollcallPrimitives

/// A part that gives signals and time to machines: the simulator, the replayer, the live driver.
///
/// All three give machines their signals through these methods and no other way, so that the gate sees everything and
/// one rule holds everywhere: a machine whose deadline has come is woken before it is given anything else. That rule
/// makes a replay of a recorded run equal to the run, whatever order two things of the same instant had in a queue.
public protocol Driver: ~Copyable {
  var gate: Gate { get set }
  var outbox: Outbox { get set }
  /// Carries out what the machine of `station` wants, item by item in order, each through the gate, and empties the
  /// outbox.
  mutating func settle(station: UInt32, at now: Instant)
}

extension Driver where Self: ~Copyable {
  /// Gives a machine a datagram, whose `mark` was worked out once for all its receivers; returns its next deadline.
  @discardableResult @inlinable public mutating func give<M: Machine>(
    _ datagram: Datagram, mark: UInt64, to machine: UnsafeMutablePointer<M>, station: UInt32, at now: Instant
  ) -> Instant? {
    wakeIfDue(machine, station: station, at: now)
    return hand(datagram, mark: mark, to: machine, station: station, at: now)
  }

  /// The same for a machine that is not due, as a driver may know without asking it.
  @inlinable @inline(__always) public mutating func hand<M: Machine>(
    _ datagram: Datagram, mark: UInt64, to machine: UnsafeMutablePointer<M>, station: UInt32, at now: Instant
  ) -> Instant? {
    gate.received(datagram, mark: mark, station: station, at: now, in: outbox.payloads)
    machine.pointee.receive(.datagram(datagram), at: now, into: &outbox)
    if !outbox.isEmpty { settle(station: station, at: now) }
    return machine.pointee.deadline
  }

  /// Gives a machine anything but a datagram; returns its next deadline.
  @discardableResult @inlinable public mutating func give<M: Machine>(
    _ signal: SignalValue, to machine: UnsafeMutablePointer<M>, station: UInt32, at now: Instant
  ) -> Instant? {
    wakeIfDue(machine, station: station, at: now)
    gate.received(signal, station: station, at: now)
    machine.pointee.receive(signal, at: now, into: &outbox)
    if !outbox.isEmpty { settle(station: station, at: now) }
    return machine.pointee.deadline
  }

  /// Wakes a machine whose deadline has come; one whose deadline moved on is left alone.
  /// Returns its next deadline.
  @discardableResult @inlinable @inline(__always) public mutating func wakeIfDue<M: Machine>(
    _ machine: UnsafeMutablePointer<M>, station: UInt32, at now: Instant
  ) -> Instant? {
    let next = machine.pointee.deadline
    guard let deadline = next, deadline <= now else { return next }
    return wakeWhileDue(machine, station: station, at: now)
  }

  /// A function of its own: before a signal, few machines are due.
  @inlinable @inline(never) mutating func wakeWhileDue<M: Machine>(
    _ machine: UnsafeMutablePointer<M>, station: UInt32, at now: Instant
  ) -> Instant? {
    wakeDue(machine, station: station, at: now)
  }

  /// Wakes a machine whose deadline has come until it is later than now.
  ///
  /// A machine that asks again and again for the same instant is a machine that is broken: after `wakesMaximum` wakes
  /// it has to wait for the next event.
  /// Returns its next deadline.
  @inlinable @inline(__always) public mutating func wakeDue<M: Machine>(
    _ machine: UnsafeMutablePointer<M>, station: UInt32, at now: Instant
  ) -> Instant? {
    var wakes = 0
    while true {
      wakes &+= 1
      gate.woken(station: station, at: now)
      machine.pointee.wake(at: now, into: &outbox)
      if !outbox.isEmpty { settle(station: station, at: now) }
      let next = machine.pointee.deadline
      guard let deadline = next, deadline <= now, wakes < wakesMaximum else { return next }
    }
  }

  @inlinable var wakesMaximum: Int { 1_000 }

  /// Moves the time of one machine on to `end`, waking it at each of its deadlines on the way; returns its next deadline.
  @discardableResult @inlinable public mutating func advance<M: Machine>(
    _ machine: UnsafeMutablePointer<M>, station: UInt32, to end: Instant, from now: inout Instant
  ) -> Instant? {
    while let deadline = machine.pointee.deadline, deadline < end {
      now = max(now, deadline)
      let before = gate.entryCount
      wakeIfDue(machine, station: station, at: now)
      if gate.entryCount == before || machine.pointee.deadline == deadline { break }
    }
    now = max(now, end)
    return machine.pointee.deadline
  }
}
