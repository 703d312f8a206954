import RollcallPrimitives
import RollcallWire

extension RootDevice {
  /// Hears a datagram; whether anything came of it.
  mutating func hear(_ datagram: Datagram, at now: Instant, into outbox: inout Outbox) -> Bool {
    guard case .message(let message) = SSDPReader.reading(of: datagram.payload, in: outbox.payloads, mode: .lenient)
    else { return false }
    guard message.kind == .search else {
      return blueprint.heardKinds.contains(.announcement) && hear(message, datagram, at: now, into: &outbox)
    }
    guard let target = message.value(of: .st), !target.isEmpty else { return false }
    let match = blueprint.match(target, root: uuid)
    if match.adverts == 0, habits.isDisjoint(with: [.answersEverySearch, .errorAnswers]) { return false }
    guard let delays = blueprint.delays(for: message, datagram) else { return false }
    guard let attachment = attachments.index(of: datagram.interface),
      attachments[attachment].address(datagram.source.address.family == .v6) != nil
    else { return false }
    if habits.contains(.blocksWhileAnswering), !answers.isEmpty { return false }
    if !blueprint.behaviour.answersOnly.isEmpty {
      guard blueprint.behaviour.answersOnly.contains(String(decoding: target, as: UTF8.self)) else { return false }
    }

    var answer = PendingAnswer(to: datagram.source, at: now, version: match.version, attachment: attachment)
    if habits.contains(.answersToPort1900) { answer.port = RootDevice.ssdpPort }
    if match.adverts == 0 {
      guard let unmatched = unmatched(target) else { return false }
      (answer.advert, answer.echo) = unmatched
      schedule(answer, delays, at: now)
      return true
    }
    var rest = match.adverts
    answers.reserve(min(rest.nonzeroBitCount * blueprint.behaviour.answersPerMatch, answersRoom))
    while rest != 0 {
      answer.advert = UInt8(rest.trailingZeroBitCount)
      rest &= rest &- 1
      for _ in 0..<blueprint.behaviour.answersPerMatch { schedule(answer, delays, at: now) }
    }
    return true
  }

  /// Each answer draws a delay of its own (UDA-1.3.3-DELAY).
  private mutating func schedule(_ answer: PendingAnswer, _ delays: ClosedRange<Interval>, at now: Instant) {
    if habits.contains(.doubleAnswer) { push(answer, at: now) }
    push(answer, at: now + answerDraws.interval(in: delays))
  }

  private var answersRoom: Int { max(0, blueprint.description.pendingAnswersMaximum - answers.count) }

  private mutating func push(_ answer: PendingAnswer, at due: Instant) {
    guard answersRoom > 0 else { return }
    var answer = answer
    (answer.due, answer.sequence) = (due, answerSequence)
    answerSequence &+= 1
    answers.push(answer)
  }

  /// What is answered to a search for something that the device does not have.
  private mutating func unmatched(_ target: UnsafeRawBufferPointer) -> (advert: UInt8, echo: UInt8)? {
    guard habits.contains(.answersEverySearch) else { return (PendingAnswer.error, 0) }
    guard echoes.count < RootDevice.echoCountMaximum else { return nil }
    echoes.append(Array(target.prefix(RootDevice.echoByteCountMaximum)))
    return (PendingAnswer.strange, UInt8(echoes.count - 1))
  }

  /// UDA-1.3.3-UNICAST: to where the search came from, out of the interface where it arrived.
  mutating func send(_ answer: PendingAnswer, at now: Instant, into outbox: inout Outbox) {
    let attachment = attachments[Int(answer.attachment)]
    let advert = Int(answer.advert)
    alternates.toggle()
    guard let source = attachment.address(answer.isV6) else { return }
    let payload: Payload
    if answer.advert < PendingAnswer.error {
      let fill = self.fill(
        Int(blueprint.owners[advert]), attachment, source, isV6: answer.isV6,
        version: answer.version == 0 ? blueprint.versions[advert] : answer.version, at: now)
      payload = blueprint.write(blueprint.form(.response, advert), to: outbox.payloads, fill)
    } else {
      guard let unmatched = writeUnmatched(answer, from: source, at: now, to: outbox.payloads) else { return }
      payload = unmatched
    }
    outbox.transmit(
      Datagram(
        source: Endpoint(source, port: blueprint.answerPort), destination: answer.destination,
        interface: attachment.interface, hopLimit: 64, payload: payload))
  }

  /// The answer to a search for something that the device does not have; `nil`: there is none.
  @inline(never)
  private mutating func writeUnmatched(
    _ answer: PendingAnswer, from source: IPAddress, at now: Instant, to store: PayloadStore
  ) -> Payload? {
    let isEchoed = answer.advert == PendingAnswer.strange
    guard let form = isEchoed ? blueprint.strangeForm : blueprint.errorForm else { return nil }
    return blueprint.write(
      form, to: store, fill(0, attachments[Int(answer.attachment)], source, isV6: answer.isV6, at: now),
      echo: isEchoed ? echoes[Int(answer.echo)] : [])
  }

  /// NOTIFYs and answers are nothing to a device, unless it has bad habits.
  private mutating func hear(
    _ message: SSDPMessage, _ datagram: Datagram, at now: Instant, into outbox: inout Outbox
  ) -> Bool {
    guard message.kind != .response else { return false }
    guard let attachment = attachments.index(of: datagram.interface) else { return false }
    if habits.contains(.reanswersOwnMulticast), datagram.destination.address.isMulticast {
      let isBusy = bursts.contains { $0.limit == 1 }
      if !isBusy { add(burst(.alive, at: now + .milliseconds(5), lanes: attachments.lanes, limit: 1)) }
    }
    let isV6 = datagram.source.address.family == .v6
    let isOwn = attachments[attachment].address(isV6) == datagram.source.address
    if habits.contains(.answersNotify), !isOwn {
      push(PendingAnswer(to: datagram.source, at: now, version: 0, attachment: attachment), at: now)
    }
    return true
  }
}

// Of the kind, not of the device: a call that changes nothing gets a copy of the device.
extension DeviceBlueprint {
  /// How long an answer to this search may wait; `nil`: it gets none.
  fileprivate func delays(for message: SSDPMessage, _ datagram: Datagram) -> ClosedRange<Interval>? {
    let habits = behaviour.habits
    if !habits.contains(.answersBadMAN) {
      // UDA-1.3.3-MAN-BAD: the quotes belong to it.
      guard let man = message.value(of: .man), DeviceBlueprint.equals(man, "\"ssdp:discover\"") else { return nil }
    }
    guard datagram.destination.address.isMulticast else {
      // UDA-1-LISTEN-UC, UDA-1.3.3-UC-FAST: no MX needed.
      if habits.contains(.silentOnUnicast) { return nil }
      return datagram.destination.port == answerPort ? timing.unicastDelay : nil
    }
    if habits.contains(.silentOnMulticast) || datagram.destination.port != RootDevice.ssdpPort { return nil }
    var seconds = Int64(message.index.pointee.maximumWaitSeconds)
    // UDA-1.3.3-MX-MISSING, UDA-1.3.3-MX-BAD.
    if !message.has(.mx), habits.contains(.relaxedSearch) { seconds = 1 }
    if seconds < 1, !(seconds == 0 && habits.contains(.answersMX0)) { return nil }
    // UDA-1.3.3-MX-CAP.
    let wait = Interval.seconds(min(seconds, timing.maximumWaitCapSeconds))
    switch timing.answerDelay {
    case .withinMX: return .zero...wait
    case .immediate: return .zero ... .zero
    case .afterMX(let late): return (wait + late)...(wait + late + late)
    }
  }

  /// Where unicast searches are heard, and answers come from.
  var answerPort: UInt16 { description.searchPort ?? RootDevice.ssdpPort }
}
