import RollcallPrimitives

/// How bytes get from one side to the other.
extension StreamMedium {
  /// Sends what may be sent, if nothing is under way.
  func pump(_ side: Int, _ schedule: MediumSchedule) {
    guard sides[side].stage == .open, sides[side].flight == nil else { return }
    sides[side].attempts = 0
    sides[side].triedSince = schedule.now
    send(side, schedule)
  }

  /// Sends the next segments, or those that were lost.
  func send(_ side: Int, _ schedule: MediumSchedule) {
    guard sides[side].stage == .open, sides[side].flight?.hasArrived != true else { return }
    let other = side ^ 1
    let (near, far) = (sides[side].port, sides[other].port)
    let family = sides[side].local.address.family
    let segment = schedule.lan.pointee.segmentBytesMaximum(from: near, to: far, family: family)
    let window = StreamSize.bufferBytes - sides[other].heldBytes
    let byteCount = min(sides[side].queuedBytes, min(segment * Policy.flightSegments, window))
    let hasFinish = sides[side].finish == .wanted && byteCount == sides[side].queuedBytes
    guard byteCount > 0 || hasFinish else {
      sides[side].flight = nil
      return
    }
    sides[side].sentAt = schedule.now
    if schedule.lan.pointee.isOpen(from: near, to: far),
      let passage = schedule.lan.pointee.carry(
        byteCount, from: near, to: far, family: family, draws: &sides[side].draws)
    {
      sides[side].flight = StreamSide.Flight(
        byteCount: passage.byteCount, hasFinish: hasFinish && passage.byteCount == byteCount)
      push(.flightArrives, side, at: passage.arrival, schedule)
    } else {
      sides[side].flight = StreamSide.Flight(byteCount: byteCount, hasFinish: hasFinish)
      retry(side, schedule)
    }
  }

  /// What was sent is lost: once more, later each time, until it is too late.
  private func retry(_ side: Int, _ schedule: MediumSchedule) {
    guard schedule.now - sides[side].triedSince < Policy.patience else {
      return breakOff(side, .timedOut, tells: false, schedule)
    }
    let wait = max(Policy.retryMinimum, sides[side].roundTrip * 2) * (1 << min(sides[side].attempts, 8))
    sides[side].attempts += 1
    push(.send, side, at: schedule.now + min(wait, Policy.retryMaximum), schedule)
  }

  /// Segments are at the other side, if that is still where it was.
  func flightArrived(_ side: Int, _ schedule: MediumSchedule) {
    guard sides[side].stage == .open, let flight = sides[side].flight else { return }
    let other = side ^ 1
    let lan = schedule.lan
    guard lan.pointee.isOpen(from: sides[side].port, to: sides[other].port),
      lan.pointee.holds(sides[other].local.address, sides[other].port)
    else { return retry(side, schedule) }
    if sides[other].stage == .accepting { accept(other, schedule) }
    guard sides[other].stage == .open else {
      let back = carryFlags(other, from: sides[other].port, to: sides[side].port, schedule)
      guard let back else { return retry(side, schedule) }
      return push(.resetArrives, side, at: back, schedule)
    }
    if flight.byteCount > 0 { give(sides[side].dequeue(flight.byteCount), to: other, schedule) }
    if flight.hasFinish { giveFinish(to: other, schedule) }
    sides[side].flight?.hasArrived = true
    let delay = lan.pointee.delay(from: sides[other].port, to: sides[side].port, draws: &sides[other].draws)
    push(.acknowledged, side, at: schedule.now + delay, schedule)
  }

  private func give(_ bytes: [UInt8], to side: Int, _ schedule: MediumSchedule) {
    if sides[side].isPaused {
      sides[side].held.append(bytes)
      sides[side].heldBytes += bytes.count
    } else {
      deliver(.bytes(sides[side].id, bytes), to: side, schedule)
    }
  }

  private func giveFinish(to side: Int, _ schedule: MediumSchedule) {
    if sides[side].isPaused, !sides[side].held.isEmpty {
      sides[side].holdsFinish = true
    } else {
      deliver(.ended(sides[side].id, .finished), to: side, schedule)
    }
  }

  /// The other side has what was sent.
  func acknowledged(_ side: Int, _ schedule: MediumSchedule) {
    guard sides[side].stage == .open, let flight = sides[side].flight else { return }
    sides[side].flight = nil
    sides[side].roundTrip = schedule.now - sides[side].sentAt
    sides[side].bufferedBytes -= flight.byteCount
    if flight.byteCount > 0, sides[side].finish == .no {
      deliver(.room(sides[side].id, byteCount: UInt32(flight.byteCount)), to: side, schedule)
    }
    if flight.hasFinish {
      sides[side].finish = .acknowledged
      if isFinished(side) { free(side) }
      return
    }
    pump(side, schedule)
  }
}
