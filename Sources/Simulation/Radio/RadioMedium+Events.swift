import RollcallPrimitives

// Connection events: two radios meet, and exchange packets by turns until neither has more to say.
extension RadioMedium {
  /// A connection is due: an event, or the timeout of a side.
  func linkIsDue(_ place: Int, turn: UInt32, _ schedule: MediumSchedule) {
    guard links[place].turn == turn, links[place].dueAt != .max else { return }
    let now = schedule.now.nanoseconds
    links[place].dueAt = .max
    change(place, at: now, schedule)
    for side in 0...1 where links[place].deadline(side) <= now {
      end(place, side, links[place].sides[side].heardAt == nil ? .notEstablished : .timedOut, at: now, schedule)
    }
    var met = false
    if links[place].sides[0].attends, links[place].sides[1].attends,
      links[place].isHeldUp || links[place].event(from: now) == now
    {
      // A radio does one thing at a time. Who has to wait comes first when it is free, so nobody waits for ever.
      let free = links[place].sides.map { radios[$0.radio].deafUntil }.reduce(now, max)
      links[place].isHeldUp = free > now
      if free > now { return look(place, at: free, schedule) }
      met = exchange(place, from: now, schedule)
    }
    guard links[place].sides[0].attends || links[place].sides[1].attends else {
      links[place].turn &+= 1
      freeLinks.append(place)
      return
    }
    let isQuiet = met && !links[place].sides[0].hasToSend && !links[place].sides[1].hasToSend
    let next = links[place].event(from: isQuiet ? now + links[place].checkInterval : now + 1)
    look(
      place, at: min(next, links[place].deadline(0), links[place].deadline(1), links[place].change?.at ?? .max),
      schedule)
  }

  /// Other parameters hold from now on, if it is their instant.
  private func change(_ place: Int, at now: Int64, _ schedule: MediumSchedule) {
    guard let change = links[place].change, change.at <= now else { return }
    (links[place].change, links[place].anchor, links[place].parameters) = (nil, change.at, change.parameters)
    for side in 0...1 where links[place].sides[side].attends {
      promise(.updated(change.parameters), place, side, at: now, schedule)
    }
  }

  /// One event; whether both heard each other at its end.
  private func exchange(_ place: Int, from start: Int64, _ schedule: MediumSchedule) -> Bool {
    let (central, peripheral) = (links[place].sides[0].radio, links[place].sides[1].radio)
    let isShared = radios[central].links.count > 1 || radios[peripheral].links.count > 1
    let length = links[place].interval - AdvertisingSet.pause
    let end = start + (isShared ? min(length, RadioLink.sharedEventLength) : length)
    var acknowledged: (UInt32, UInt32) = (0, 0)
    var time = start
    var hasMet = false
    repeat {
      hasMet = false
      guard let answerAt = pass(place, from: 0, at: time, &acknowledged.1, schedule), links[place].sides[1].attends
      else { break }
      guard let next = pass(place, from: 1, at: answerAt, &acknowledged.0, schedule), links[place].sides[0].attends
      else { break }
      hasMet = true
      time = next
    } while (links[place].sides[0].hasToSend || links[place].sides[1].hasToSend)
      && time + 2 * (RadioLink.longestAirtime + AdvertisingSet.pause) <= end
    time = max(time, start + RadioLink.emptyAirtime)
    for (side, count) in [(0, acknowledged.0), (1, acknowledged.1)] {
      let radio = links[place].sides[side].radio
      (radios[radio].deafFrom, radios[radio].deafUntil) = (start, time)
      guard count > 0, links[place].sides[side].attends else { continue }
      promise(.acknowledged(frames: count), place, side, at: time, schedule)
    }
    return hasMet
  }

  /// A side sends its packet; when the other may answer, or `nil` where it did not hear the packet.
  ///
  /// - Parameter acknowledged: counts frames of the other side that this packet acknowledges as a whole.
  private func pass(
    _ place: Int, from side: Int, at start: Int64, _ acknowledged: inout UInt32, _ schedule: MediumSchedule
  ) -> Int64? {
    let other = 1 - side
    let packet = links[place].sides[side].next(mayUpdate: links[place].change == nil)
    let end = start + packet.airtime
    let draw = links[place].draws.next()
    guard
      let strength = strength(
        from: links[place].sides[side].radio, at: links[place].sides[other].radio, start: start, end: end, draw: draw)
    else { return nil }
    links[place].sides[other].heardAt = start
    links[place].sides[other].strength = Int8(clamping: min(126, strength))
    // It says which packet it expects: the one behind the last that the other sent, if it has that one.
    if links[place].sides[side].expected != links[place].sides[other].sent,
      let done = links[place].sides[other].outstanding
    {
      if case .fragment(let byteCount, let isLast) = done {
        links[place].sides[other].queue.advance(by: byteCount, isLast: isLast)
        if isLast { acknowledged += 1 }
      }
      links[place].sides[other].outstanding = nil
      links[place].sides[other].sent.toggle()
    }
    // One that it has already came again because its acknowledgement was lost.
    if links[place].sides[side].sent == links[place].sides[other].expected {
      links[place].sides[other].expected.toggle()
      switch packet {
      case .fragment(_, isLast: true):
        promise(.frame(links[place].sides[side].queue.head), place, other, at: end, schedule)
      case .update(let parameters):
        links[place].change = (links[place].instant(ofChangeHeardAt: start), parameters)
      case .terminate:
        // Its acknowledgement is the last packet of the connection, and is not lost here.
        self.end(place, other, .closedByPeer, at: end, schedule)
        self.end(place, side, .closed, at: end + AdvertisingSet.pause + RadioLink.emptyAirtime, schedule)
      case .empty, .fragment: break
      }
    }
    return end + AdvertisingSet.pause
  }

  private func promise(
    _ signal: LinkSignal, _ place: Int, _ side: Int, at time: Int64, _ schedule: MediumSchedule
  ) {
    links[place].sides[side].toldUntil = max(links[place].sides[side].toldUntil, time)
    tell(
      signal, of: links[place].sides[side].number, to: links[place].sides[side].radio,
      at: Instant(nanoseconds: time), schedule)
  }
}
