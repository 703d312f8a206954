import RollcallPrimitives
import RollcallWire

// Extended advertising: three packets that say where a fourth one is, on a data channel. Numbers marked (m) are from
// memory of the Core specification.
extension AdvertisingSet {
  /// Of ADV_EXT_IND: nine bytes.
  static let pointerAirtime = AirPacket.airtime(ofBytes: 9)
  /// From one ADV_EXT_IND to the next. Pointers count in units of 30 us, and this is a multiple of it.
  static let pointerStep: Int64 = 300_000
  /// From the start of an event to that of its packet on a data channel, which begins at least 300 us (m) behind the end
  /// of the packet that leads to it.
  static let auxiliaryOffset: Int64 = 1_050_000
  static let connectResponseAirtime = AirPacket.airtime(ofBytes: 16)
  /// AUX_CONNECT_REQ and AUX_CONNECT_RSP, with their pauses.
  static let connectingTime = AirPacket.airtime(ofBytes: 36) + connectResponseAirtime + 2 * pause

  /// Whether a controller sends that, and answers with that: a PDU with its address and numbers that leads nowhere else,
  /// to everybody. One that can be asked has its data in the answer, another one has no answer.
  static func isUsableExtended(_ pdu: AdvertisingPDU, _ answer: AdvertisingPDU?) -> Bool {
    guard let fields = pdu.extension, fields.mode <= AdvertisingPDU.Mode.scannable, fields.dataInfo != nil,
      !fields.hasPointer, pdu.target == nil,
      pdu.data.count <= AdvertisingPDU.extendedDataBytesMaximum
    else { return false }
    guard let answer else { return true }
    return fields.mode == AdvertisingPDU.Mode.scannable && pdu.data.isEmpty && answer.kind == .extended
      && answer.sender == pdu.sender
      && answer.extension?.mode == AdvertisingPDU.Mode.neither && answer.extension?.hasPointer == false
      && answer.target == nil
      && answer.data.count <= AdvertisingPDU.extendedDataBytesMaximum
  }

  /// What the three packets of an event lead to. All follows from the word of the event, so that a receiver that has one
  /// of them knows it.
  func auxiliary(from radio: Int, eventStart: Int64, draw: UInt64) -> AirPacket {
    let start = eventStart + AdvertisingSet.auxiliaryOffset
    return AirPacket(
      start: start, end: start + AirPacket.airtime(ofBytes: pdu.count), radio: radio,
      channel: AirPacket.place(ofDataChannel: Int((draw &>> 32) % 37)), draw: draw &+ 3, bytes: pdu)
  }

  fileprivate func pointer(onChannel channel: Int, to auxiliary: AirPacket) -> [UInt8] {
    let offset = AdvertisingSet.auxiliaryOffset - Int64(channel) * step
    return AdvertisingPDU.pointerBytes(
      mode: mode, dataInfo: AdvertisingSet.read(pdu)?.extension?.dataInfo ?? 0,
      AdvertisingPDU.Pointer(channel: auxiliary.channelNumber, offset: .nanoseconds(offset)))
  }
}

extension RadioMedium {
  /// An event of a set of extended advertising.
  func sendExtended(
    _ set: AdvertisingSet, from radio: Int, draw: UInt64, at now: Int64, _ schedule: MediumSchedule
  ) {
    let auxiliary = set.auxiliary(from: radio, eventStart: now, draw: draw)
    for channel in 0..<3 {
      let start = now + Int64(channel) * set.step
      let packet = AirPacket(
        start: start, end: start + set.airtime, radio: radio, channel: channel, draw: draw &+ UInt64(channel),
        bytes: set.pointer(onChannel: channel, to: auxiliary))
      send(packet, at: now)
      if mayBeHeard(packet) { decide(packet, .pointer(set.number, set.generation), schedule) }
    }
    send(auxiliary, at: now)
  }

  /// A radio that heard ADV_EXT_IND listens for what it leads to, and for nothing else meanwhile.
  func follow(
    _ packet: AirPacket, _ number: UInt8, _ generation: UInt32, from radio: Int, _ schedule: MediumSchedule
  ) {
    // Of two that lead to nearly the same time it follows one.
    guard radios[radio].deafUntil <= packet.end, let set = radios[packet.radio].running(number, generation),
      radios[radio].scan?.isForHost == true || set.mode == AdvertisingPDU.Mode.connectable
    else { return }
    let auxiliary = set.auxiliary(
      from: packet.radio, eventStart: packet.start - Int64(packet.channel) * set.step,
      draw: packet.draw &- UInt64(packet.channel))
    (radios[radio].deafFrom, radios[radio].deafUntil) = (auxiliary.start, auxiliary.end)
    decide(auxiliary, .auxiliary(for: radio, number, generation), schedule)
  }

  // MARK: - Connecting

  /// AUX_CONNECT_REQ has been sent: an advertiser that heard it answers, and holds the connection for made.
  func answerRequest(
    _ packet: AirPacket, to advertiser: Int, _ number: UInt8, _ generation: UInt32, _ initiation: Initiation,
    _ schedule: MediumSchedule
  ) {
    guard let set = radios[advertiser].running(number, generation),
      radios[advertiser].links.count < RadioMedium.linksMaximum, strength(of: packet, at: advertiser) != nil
    else { return }
    radios[advertiser].stop(number)
    let start = packet.end + AdvertisingSet.pause
    let answer = AirPacket(
      start: start, end: start + AdvertisingSet.connectResponseAirtime, radio: advertiser, channel: packet.channel,
      draw: radios[advertiser].draws.next(),
      bytes: AdvertisingPDU.connectResponseBytes(from: set.sender, to: radios[packet.radio].ownAddress))
    send(answer, at: packet.end)
    decide(answer, .connectResponse(to: packet.radio, number, initiation), schedule)
  }

  /// A central that did not hear the answer goes on waiting; the advertiser hears nothing more of it then.
  func hearConnectResponse(
    _ packet: AirPacket, at central: Int, _ number: UInt8, _ initiation: Initiation, _ schedule: MediumSchedule
  ) {
    guard radios[packet.radio].isOn else { return }
    let place = radios[central].initiations.firstIndex { $0.number == initiation.number }
    let isHeard = place != nil && strength(of: packet, at: central) != nil
    if isHeard, let place {
      radios[central].initiations.remove(at: place)
      listenForAdvertisers(central, at: schedule.now)
    }
    // What its machine wanted of the set meanwhile came too late.
    radios[packet.radio].stop(number)
    establish(
      initiation, from: central, to: packet.radio, attending: (isHeard, true),
      anchor: packet.start - AdvertisingSet.pause + RadioLink.auxiliaryTransmitWindowDelay, schedule)
  }
}
