import RollcallPrimitives
import RollcallWire

// How a connection comes about, and what its hosts want of it.
extension RadioMedium {
  static let linksMaximum = 16

  /// A radio waits for an advertiser that it can connect to.
  struct Initiation {
    var number: LinkID
    var address: RadioAddress
    var parameters: LinkParameters
  }

  func want(_ effect: LinkEffect, of number: LinkID, from radio: Int, schedule: MediumSchedule) {
    if case .connect(let address, let parameters) = effect {
      return connect(number, to: address, parameters, from: radio, schedule)
    }
    if effect == .end, let place = radios[radio].initiations.firstIndex(where: { $0.number == number }) {
      radios[radio].initiations.remove(at: place)
      listenForAdvertisers(radio, at: schedule.now)
      return tell(.ended(.closed), of: number, to: radio, at: schedule.now, schedule)
    }
    guard let end = radios[radio].links.first(where: { $0.number == number }) else { return }
    switch effect {
    case .send(let frame):
      // A controller whose buffers are full drops what comes.
      guard links[end.link].sides[end.side].queue.count < LinkSize.framesMaximum, !frame.isEmpty,
        frame.count <= LinkSize.frameBytesMaximum, !links[end.link].sides[end.side].wantsEnd
      else { return }
      links[end.link].sides[end.side].queue.append(frame)
    case .end:
      links[end.link].sides[end.side].wantsEnd = true
      // What is not on its way is not sent any more.
      if links[end.link].sides[end.side].outstanding == nil { links[end.link].sides[end.side].queue.removeAll() }
    case .readStrength:
      return tell(
        .strength(links[end.link].sides[end.side].strength), of: number, to: radio, at: schedule.now, schedule)
    case .update(let parameters):
      guard end.side == 0, parameters.areValid, !links[end.link].sides[0].wantsEnd else { return }
      links[end.link].sides[0].wanted = parameters
    case .connect: break
    }
    look(end.link, at: links[end.link].event(from: schedule.now.nanoseconds), schedule)
  }

  private func connect(
    _ number: LinkID, to address: RadioAddress, _ parameters: LinkParameters, from radio: Int,
    _ schedule: MediumSchedule
  ) {
    let waiting = radios[radio].initiations
    let isUsed =
      waiting.contains { $0.number == number || $0.address == address }
      || radios[radio].links.contains { $0.number == number }
    guard parameters.areValid, !isUsed, waiting.count + radios[radio].links.count < RadioMedium.linksMaximum else {
      return tell(.ended(.refused), of: number, to: radio, at: schedule.now, schedule)
    }
    radios[radio].initiations.append(Initiation(number: number, address: address, parameters: parameters))
    listenForAdvertisers(radio, at: schedule.now)
  }

  /// A radio that waits for an advertiser and does not scan listens all the same, and tells its host nothing of it.
  func listenForAdvertisers(_ radio: Int, at now: Instant) {
    let waits = !radios[radio].initiations.isEmpty
    if waits, radios[radio].scan == nil {
      let step = RadioMedium.initiatingInterval.nanoseconds
      radios[radio].scan = Scan(
        start: now.nanoseconds, window: step, interval: step, isActive: false, isForHost: false)
    } else if !waits, radios[radio].scan?.isForHost == false {
      radios[radio].scan = nil
    }
    listScanners()
  }

  static let initiatingInterval = Interval.milliseconds(30)

  // MARK: - Connecting

  /// A radio that waits for the sender of this packet asks it for a connection; whether it does.
  func initiate(
    _ packet: AirPacket, _ number: UInt8, _ generation: UInt32, from radio: Int, _ schedule: MediumSchedule
  ) -> Bool {
    let start = packet.end + AdvertisingSet.pause
    guard !radios[radio].initiations.isEmpty, radios[radio].deafUntil <= start,
      let set = radios[packet.radio].running(number, generation),
      set.isConnectable(by: radios[radio].ownAddress),
      let place = radios[radio].initiations.firstIndex(where: { $0.address == set.sender })
    else { return false }
    let initiation = radios[radio].initiations[place]
    // One that is answered is waited for until the answer is there.
    if !set.isExtended { radios[radio].initiations.remove(at: place) }
    radios[radio].linkCount &+= 1
    let request = ConnectRequest(parameters: initiation.parameters, seed: radios[radio].draws.next())
    let bytes = AdvertisingPDU.bytes(
      .connectRequest, from: radios[radio].ownAddress, to: set.sender, data: request.bytes)
    let asked = AirPacket(
      start: start, end: start + AirPacket.airtime(ofBytes: bytes.count), radio: radio, channel: packet.channel,
      draw: radios[radio].draws.next(), bytes: bytes)
    send(asked, at: packet.end)
    let answer = set.isExtended ? AdvertisingSet.pause + AdvertisingSet.connectResponseAirtime : 0
    (radios[radio].deafFrom, radios[radio].deafUntil) = (start, asked.end + answer)
    decide(asked, .connection(to: packet.radio, number, generation, initiation), schedule)
    return true
  }

  /// The request has been sent. The central holds the connection for made; the peripheral only if it heard the request.
  func connected(
    _ packet: AirPacket, to advertiser: Int, _ number: UInt8, _ generation: UInt32, _ initiation: Initiation,
    _ schedule: MediumSchedule
  ) {
    let central = packet.radio
    listenForAdvertisers(central, at: schedule.now)
    // The radio was switched off while it asked.
    guard radios[central].isOn else { return }
    let set = radios[advertiser].running(number, generation)
    let isHeard =
      set != nil && radios[advertiser].links.count < RadioMedium.linksMaximum
      && strength(of: packet, at: advertiser) != nil
    if isHeard { radios[advertiser].stop(number) }
    establish(
      initiation, from: central, to: advertiser, attending: (true, isHeard),
      anchor: packet.end + RadioLink.transmitWindowDelay, schedule)
  }

  /// There is a connection now, for each side that knows of it.
  func establish(
    _ initiation: Initiation, from central: Int, to advertiser: Int, attending: (central: Bool, peripheral: Bool),
    anchor: Int64, _ schedule: MediumSchedule
  ) {
    let peer = initiation.address
    var link = RadioLink(
      sides: [
        RadioLink.Side(radio: central, number: initiation.number, attends: attending.central),
        RadioLink.Side(
          radio: advertiser, number: radios[advertiser].takeAcceptedNumber(), attends: attending.peripheral),
      ], parameters: initiation.parameters, anchor: anchor,
      draws: seed.stream("radio/\(radios[central].plan.name)/link/\(radios[central].linkCount)"))
    link.sides[0].toldUntil = schedule.now.nanoseconds
    link.sides[1].toldUntil = schedule.now.nanoseconds
    let place = freeLinks.popLast() ?? links.count
    if place == links.count {
      links.append(link)
    } else {
      link.turn = links[place].turn &+ 1
      links[place] = link
    }
    let own = radios[central].ownAddress
    if attending.central {
      radios[central].links.append(LinkPlace(number: initiation.number, link: place, side: 0))
      tell(
        .connected(.central, own: own, peer: peer, link.parameters), of: initiation.number, to: central,
        at: schedule.now, schedule)
    }
    if attending.peripheral {
      let number = link.sides[1].number
      radios[advertiser].links.append(LinkPlace(number: number, link: place, side: 1))
      tell(
        .connected(.peripheral, own: peer, peer: own, link.parameters), of: number, to: advertiser,
        at: schedule.now, schedule)
    }
    look(place, at: link.anchor, schedule)
  }

  // MARK: - Ends

  /// A side has no part in the connection any more, and its host is told why.
  func end(_ place: Int, _ side: Int, _ cause: LinkEnd?, at time: Int64, _ schedule: MediumSchedule) {
    guard links[place].sides[side].attends else { return }
    links[place].sides[side].attends = false
    links[place].sides[side].queue.removeAll()
    let (radio, number) = (links[place].sides[side].radio, links[place].sides[side].number)
    radios[radio].links.removeAll { $0.link == place && $0.side == side }
    if let cause {
      let time = max(time, links[place].sides[side].toldUntil)
      tell(.ended(cause), of: number, to: radio, at: Instant(nanoseconds: time), schedule)
    }
  }

  /// A radio leaves all its connections without a word to the others.
  func endLinks(of radio: Int, _ cause: LinkEnd?, _ schedule: MediumSchedule) {
    for place in radios[radio].links {
      end(place.link, place.side, cause, at: schedule.now.nanoseconds, schedule)
      look(place.link, at: schedule.now.nanoseconds, schedule)
    }
    let waiting = radios[radio].initiations
    radios[radio].initiations = []
    if let cause {
      for initiation in waiting { tell(.ended(cause), of: initiation.number, to: radio, at: schedule.now, schedule) }
    }
  }

  func tell(_ signal: LinkSignal, of number: LinkID, to radio: Int, at time: Instant, _ schedule: MediumSchedule) {
    schedule.deliver(RadioSignal.link(number, signal), to: radios[radio].host, at: time)
  }

  /// The connection is looked at at `time`, if it would be later.
  func look(_ place: Int, at time: Int64, _ schedule: MediumSchedule) {
    guard time < links[place].dueAt else { return }
    links[place].dueAt = time
    links[place].turn &+= 1
    schedule.call(RadioToken.link(place, turn: links[place].turn).word, at: Instant(nanoseconds: time))
  }
}

/// Where a radio's part in a connection is kept.
struct LinkPlace {
  var number: LinkID
  var link: Int
  var side: Int
}
