import RollcallPrimitives
import RollcallWire

// Who has a packet, how strong it is, and what an active scanner asks.
extension RadioMedium {
  /// A packet has ended.
  func hear(_ place: Int, _ schedule: MediumSchedule) {
    let hearing = hearings[place]
    freeHearings.append(place)
    let packet = hearing.packet
    switch hearing.purpose {
    case .advertisement(let number, let generation):
      for radio in scanners where radio != packet.radio {
        guard radios[radio].scan?.covers(packet) == true, !radios[radio].isDeaf(during: packet),
          let strength = strength(of: packet, at: radio)
        else { continue }
        if radios[radio].scan?.isForHost == true { give(packet, strength, to: radio, schedule) }
        if !initiate(packet, number, generation, from: radio, schedule) {
          ask(packet, number, generation, from: radio, schedule)
        }
      }
    case .request(let advertiser, let number, let generation):
      guard let set = radios[advertiser].running(number, generation), strength(of: packet, at: advertiser) != nil else {
        return radios[packet.radio].note(answer: false)
      }
      let start = packet.end + AdvertisingSet.pause
      let response = AirPacket(
        start: start, end: start + AirPacket.airtime(ofBytes: set.response.count), radio: advertiser,
        channel: packet.channel, draw: radios[advertiser].draws.next(), bytes: set.response)
      send(response, at: packet.end)
      decide(response, .response(to: packet.radio), schedule)
    case .connection(let advertiser, let number, let generation, let initiation):
      if packet.channel >= 3 {
        answerRequest(packet, to: advertiser, number, generation, initiation, schedule)
      } else {
        connected(packet, to: advertiser, number, generation, initiation, schedule)
      }
    case .connectResponse(let central, let number, let initiation):
      hearConnectResponse(packet, at: central, number, initiation, schedule)
    case .pointer(let number, let generation):
      for radio in scanners where radio != packet.radio {
        guard radios[radio].scan?.covers(packet) == true, !radios[radio].isDeaf(during: packet),
          let strength = strength(of: packet, at: radio)
        else { continue }
        if radios[radio].scan?.isForHost == true { give(packet, strength, to: radio, schedule) }
        follow(packet, number, generation, from: radio, schedule)
      }
    case .auxiliary(let radio, let number, let generation):
      guard radios[radio].scan != nil, let strength = strength(of: packet, at: radio) else { return }
      if radios[radio].scan?.isForHost == true { give(packet, strength, to: radio, schedule) }
      if !initiate(packet, number, generation, from: radio, schedule) {
        ask(packet, number, generation, from: radio, schedule)
      }
    case .response(let scanner):
      guard radios[scanner].scan != nil, let strength = strength(of: packet, at: scanner) else {
        return radios[scanner].note(answer: false)
      }
      radios[scanner].note(answer: true)
      give(packet, strength, to: scanner, schedule)
    }
  }

  /// A packet that a receiver heard once is heard again by every radio that listens for its host: at the strength and on
  /// the channel of then. It is not lost, meets no other, and no window is too short for it.
  func resend(_ packet: RadioPDU, from radio: Int, _ schedule: MediumSchedule) {
    if let channel = packet.channel { tap?(packet.bytes, channel, schedule.now, radios[radio].host) }
    for other in scanners where other != radio && radios[other].scan?.isForHost == true {
      schedule.deliver(RadioSignal.heard(packet), to: radios[other].host, at: schedule.now)
    }
  }

  private func give(_ packet: AirPacket, _ strength: Int, to radio: Int, _ schedule: MediumSchedule) {
    schedule.deliver(
      RadioSignal.heard(
        RadioPDU(
          channel: packet.channelNumber, strength: Int8(clamping: min(126, strength)),
          accessAddress: AirFrame.advertisingAddress, bytes: packet.bytes)), to: radios[radio].host, at: schedule.now)
  }

  /// An active scanner asks for the response of a set that it heard, when its backoff lets it.
  private func ask(
    _ packet: AirPacket, _ number: UInt8, _ generation: UInt32, from radio: Int, _ schedule: MediumSchedule
  ) {
    let start = packet.end + AdvertisingSet.pause
    // Of two that end at nearly the same time it asks one.
    guard radios[radio].scan?.isActive == true, radios[radio].deafUntil <= start,
      let set = radios[packet.radio].running(number, generation), set.isScannable, radios[radio].isReadyToAsk()
    else { return }
    let request = AirPacket(
      start: start, end: start + AdvertisingSet.requestAirtime, radio: radio, channel: packet.channel,
      draw: radios[radio].backoffDraws.next(),
      bytes: AdvertisingPDU.bytes(.scanRequest, from: radios[radio].ownAddress, to: set.sender))
    send(request, at: packet.end)
    radios[radio].deafFrom = start
    radios[radio].deafUntil = request.end + AdvertisingSet.pause + AirPacket.airtime(ofBytes: set.response.count)
    decide(request, .request(of: packet.radio, number, generation), schedule)
  }

  // MARK: - Strength

  /// In dBm, to the nearest whole number; `nil`: too weak, lost, or another packet is in the way.
  func strength(of packet: AirPacket, at radio: Int) -> Int? {
    guard let power = power(from: packet.radio, at: radio, start: packet.start) else { return nil }
    let strongest = power - air.captureDecibels * 1_000
    let isDisturbed = channels[packet.channel].meets(packet) { other in
      other.radio != radio && received(from: other.radio, at: radio, time: packet.start) > strongest
    }
    return isDisturbed ? nil : decibels(power, unlessLostAt: radio, end: packet.end, draw: packet.draw)
  }

  /// The same of a packet that meets no other: one of a connection.
  func strength(from sender: Int, at radio: Int, start: Int64, end: Int64, draw: UInt64) -> Int? {
    power(from: sender, at: radio, start: start).flatMap { decibels($0, unlessLostAt: radio, end: end, draw: draw) }
  }

  /// In thousandths of a dBm; `nil`: too weak.
  private func power(from sender: Int, at radio: Int, start: Int64) -> Int? {
    guard radios[radio].isOn else { return nil }
    let power = received(from: sender, at: radio, time: start)
    return power < radios[radio].plan.sensitivity * 1_000 ? nil : power
  }

  private func decibels(_ power: Int, unlessLostAt radio: Int, end: Int64, draw: UInt64) -> Int? {
    if end < heal, radios[radio].loses(draw: draw) { return nil }
    // Halves go up; no sum is below zero.
    return (power + 500 + 1_000_000) / 1_000 - 1_000
  }

  /// In thousandths of a dBm.
  private func received(from sender: Int, at receiver: Int, time: Int64) -> Int {
    radios[sender].plan.transmitPower * 1_000 - loss(from: sender, to: receiver, time)
  }

  /// The path loss with its shadowing, in thousandths of a decibel; it is kept where neither of the two walks.
  private func loss(from sender: Int, to receiver: Int, _ time: Int64) -> Int {
    let isFixed = radios[sender].isFixed && radios[receiver].isFixed
    if isFixed, let known = radios[receiver].loss(from: sender) { return known }
    let (from, to, time) = (radios[sender].plan, radios[receiver].plan, Instant(nanoseconds: time))
    let square = from.position(at: time).squareDistance(to: to.position(at: time))
    let loss =
      PathLoss.thousandths(squareDistance: square, exponentTenths: air.exponentTenths)
      - PathLoss.shadowing(air.shadowingMillidecibels, from.name, to.name, seed)
    if isFixed { radios[receiver].keep(loss, from: sender, of: radios.count) }
    return loss
  }
}
