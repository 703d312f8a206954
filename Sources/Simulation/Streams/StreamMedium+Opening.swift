import RollcallPrimitives

/// How streams begin.
extension StreamMedium {
  func listen(
    _ id: StreamID, at local: Endpoint, _ interface: InterfaceID, _ host: Int, _ schedule: MediumSchedule
  ) {
    let isTaken = hosts[host].listeners.contains {
      $0.local.port == local.port && $0.interface == interface
        && ($0.local.address == local.address || $0.local.address.isUnspecified || local.address.isUnspecified)
    }
    guard !isTaken, !isUsed(id, host) else {
      return schedule.deliver(StreamSignal.ended(id, .refused), to: host, at: schedule.now)
    }
    hosts[host].listeners.append(Listener(id: id, local: local, interface: interface))
  }

  func connect(
    _ id: StreamID, to remote: Endpoint, _ interface: InterfaceID, _ host: Int, _ schedule: MediumSchedule
  ) {
    // A number that is used says nothing about the stream that has it.
    if isUsed(id, host) { return }
    guard let origin = schedule.lan.pointee.origin(of: host, interface, to: remote.address),
      hosts[host].streamCount < streamsPerHostMaximum
    else { return schedule.deliver(StreamSignal.ended(id, .unreachable), to: host, at: schedule.now) }
    let side = newSide()
    let number = hosts[host].openedCount
    hosts[host].openedCount += 1
    let local = Endpoint(origin.address, port: ephemeralPort(number, origin.address, remote, host))
    for place in [side, side + 1] {
      let role = place == side ? "" : "/back"
      sides[place].draws = seed.stream("stream/\(hosts[host].name)/\(number)\(role)")
    }
    (sides[side].host, sides[side].port, sides[side].local, sides[side].stage) = (host, origin.port, local, .connecting)
    sides[side + 1].local = remote
    name(side, id)
    tryConnect(side, schedule)
  }

  /// Ports are used in order, so that one is used again as late as can be; a port whose stream to the same place is not
  /// over is left out.
  private func ephemeralPort(_ number: Int, _ address: IPAddress, _ remote: Endpoint, _ host: Int) -> UInt16 {
    let count = ephemeralPorts.count
    for step in 0..<count {
      let port = ephemeralPorts.lowerBound + UInt16((number + step) % count)
      // Only after a whole round can one be taken.
      if number + step < count { return port }
      let isTaken = sides.indices.contains {
        $0 & 1 == 0 && sides[$0].stage != .free && sides[$0].local == Endpoint(address, port: port)
          && sides[$0 + 1].local == remote
      }
      if !isTaken { return port }
    }
    return ephemeralPorts.lowerBound
  }

  func tryConnect(_ side: Int, _ schedule: MediumSchedule) {
    guard sides[side].stage == .connecting else { return }
    let attempt = sides[side].attempts
    sides[side].attempts += 1
    let remote = sides[side + 1].local.address
    guard let target = schedule.lan.pointee.owner(of: remote, near: sides[side].port) else {
      if attempt + 1 >= Policy.resolveAttemptsMaximum {
        return breakOff(side, .unreachable, tells: false, schedule)
      }
      return push(.connect, side, at: schedule.now + Policy.connectRetry, schedule)
    }
    if attempt >= Policy.connectAttemptsMaximum { return breakOff(side, .timedOut, tells: false, schedule) }
    sides[side].sentAt = schedule.now
    if let arrival = carryFlags(side, from: sides[side].port, to: target, schedule) {
      push(.connectArrives, side, at: arrival, schedule)
    } else {
      push(.connect, side, at: schedule.now + Policy.connectRetry * (1 << attempt), schedule)
    }
  }

  /// The first segment is at the host that has the address now.
  func connectArrived(_ side: Int, _ schedule: MediumSchedule) {
    guard sides[side].stage == .connecting else { return }
    let other = side + 1
    let (near, retry) = (sides[side].port, schedule.now + Policy.connectRetry * (1 << (sides[side].attempts - 1)))
    let local = sides[other].local
    let holders = schedule.lan.pointee.holders(of: local.address, near: near)
    func listener(at port: Int) -> Listener? {
      let interface = schedule.lan.pointee.interface(of: port)
      return hosts[schedule.lan.pointee.host(of: port)].listeners.first {
        ($0.local.port == local.port || $0.local.port == 0) && $0.interface == interface
          && ($0.local.address.isUnspecified || $0.local.address == local.address)
      }
    }
    // Of several programs of a host, the one that listens; then the way out, which has the programs outside.
    let wayOut = schedule.lan.pointee.wayOut(near: near).flatMap { listener(at: $0) == nil ? nil : $0 }
    guard let target = holders.first(where: { listener(at: $0) != nil }) ?? wayOut ?? holders.first,
      let back = carryFlags(other, from: target, to: near, schedule)
    else { return push(.connect, side, at: retry, schedule) }
    let host = schedule.lan.pointee.host(of: target)
    guard let listener = listener(at: target), hosts[host].streamCount < streamsPerHostMaximum else {
      return push(.refused, side, at: back, schedule)
    }
    (sides[other].host, sides[other].port, sides[other].listener) = (host, target, listener.id)
    sides[other].stage = .accepting
    push(.accepted, side, at: back, schedule)
  }

  /// The answer is there: the stream stands for the side that opened it.
  func connected(_ side: Int, _ schedule: MediumSchedule) {
    if sides[side].stage == .connecting {
      sides[side].stage = .open
      sides[side].attempts = 0
      sides[side].roundTrip = schedule.now - sides[side].sentAt
      deliver(.opened(sides[side].id, local: sides[side].local), to: side, schedule)
      deliver(.room(sides[side].id, byteCount: UInt32(StreamSize.bufferBytes)), to: side, schedule)
      // Its machine may have finished before.
      pump(side, schedule)
    }
    guard sides[side].stage == .open, sides[side + 1].stage == .accepting else { return }
    if let arrival = carryFlags(side, from: sides[side].port, to: sides[side + 1].port, schedule) {
      push(.acceptArrives, side + 1, at: arrival, schedule)
    } else {
      push(.accepted, side, at: schedule.now + Policy.connectRetry, schedule)
    }
  }

  /// The host that was connected to knows that the stream stands; data that came first says so, too.
  func accept(_ side: Int, _ schedule: MediumSchedule) {
    guard sides[side].stage == .accepting else { return }
    let host = sides[side].host
    // Nobody listens any more, or others took the last room while the answer was on its way.
    guard hosts[host].listeners.contains(where: { $0.id == sides[side].listener }),
      hosts[host].streamCount < streamsPerHostMaximum
    else { return abandon(side, tells: true, schedule) }
    var id: StreamID
    repeat {
      hosts[host].acceptedCount &+= 1
      id = StreamID(0 &- hosts[host].acceptedCount)
    } while isUsed(id, host)
    sides[side].stage = .open
    name(side, id)
    let remote = sides[side ^ 1].local
    deliver(
      .accepted(id, listener: sides[side].listener, local: sides[side].local, remote: remote), to: side, schedule)
    deliver(.room(id, byteCount: UInt32(StreamSize.bufferBytes)), to: side, schedule)
  }

  /// When a segment without bytes gets there; `nil`: it does not.
  func carryFlags(_ side: Int, from: Int, to: Int, _ schedule: MediumSchedule) -> Instant? {
    guard schedule.lan.pointee.isOpen(from: from, to: to) else { return nil }
    let family = sides[side].local.address.family
    return schedule.lan.pointee.carry(0, from: from, to: to, family: family, draws: &sides[side].draws)?.arrival
  }

  /// Tells a side that the other one is over. If that is lost, it learns it when it sends.
  func sendReset(to side: Int, _ schedule: MediumSchedule) {
    let other = side ^ 1
    guard let arrival = carryFlags(other, from: sides[other].port, to: sides[side].port, schedule) else { return }
    push(.resetArrives, side, at: arrival, schedule)
  }
}
