package import RollcallConformance
package import RollcallPrimitives
import RollcallWire

/// An announcement that was heard.
package struct ExamAnnouncement: Hashable, Sendable {
  /// The most that are kept of all senders together.
  package static let countMaximum = 8_192

  package enum Kind: String, Hashable, Sendable { case alive, byebye, update }
  package var kind: Kind
  package var time: Instant
  package var source: Endpoint
  package var uuid: String
  package var target: String
  package var bootID: Int64
  package var configID: Int64
  package var maxAgeSeconds: Int32
  package var bytes: [UInt8]

  package var record: ProbeMessage {
    ProbeMessage(time: time, isSent: false, peer: source, port: 1_900, bytes: bytes)
  }
}

extension DeviceExam {
  mutating func hear(_ datagram: Datagram, at now: Instant, in payloads: PayloadStore) {
    guard phase != .waiting, phase != .over, let home, datagram.interface == home.interface else { return }
    let bytes = payloads.bytes(of: datagram.payload)
    if datagram.destination.address == home.address, let number = askOfPort[datagram.destination.port] {
      return hearAnswer(datagram, bytes, to: number, at: now, in: payloads)
    }
    guard case .message(let message) = SSDPReader.reading(of: datagram.payload, in: payloads, mode: .lenient) else {
      return
    }
    hearAnnouncement(message, datagram.source, bytes, at: now)
  }

  // MARK: - Answers

  private mutating func hearAnswer(
    _ datagram: Datagram, _ bytes: UnsafeRawBufferPointer, to number: Int, at now: Instant, in payloads: PayloadStore
  ) {
    var answer = ExamAnswer(
      time: now, source: datagram.source, port: datagram.destination.port, isResponse: false,
      isError: DeviceExam.isError(bytes), bootID: -1, configID: -1,
      bytes: Array(bytes.prefix(ExamAnswer.bytesMaximum)))
    if case .message(let message) = SSDPReader.reading(of: datagram.payload, in: payloads, mode: .lenient) {
      // A search from port 1900 shares its socket with whatever else is sent there.
      guard message.kind == .response || datagram.destination.port != 1_900 else { return }
      answer.isResponse = message.kind == .response
      // Who answers with an announcement is there, and has not answered as asked.
      if message.kind == .notifyAlive, let uuid = DeviceExam.uuid(of: message), let target = message.text(of: .nt) {
        learn(message, uuid, target, datagram.source, at: now)
      }
      answer.target = message.text(of: .st)
      (answer.usn, answer.uuid) = (message.text(of: .usn), DeviceExam.uuid(of: message))
      (answer.bootID, answer.configID) = (message.index.pointee.bootID, message.index.pointee.configID)
      let ask = asks[number]
      if answer.isResponse, let uuid = answer.uuid, let target = answer.target {
        let isPlain = ask.question.isInGoodForm && ask.question.isMulticast
        let tells =
          ask.question.target == "ssdp:all" || ask.question.target == "upnp:rootdevice" && target == "upnp:rootdevice"
        if isPlain, tells {
          learn(message, uuid, DeviceExam.own(target, message), datagram.source, at: now)
        }
      }
    }
    if asks[number].answers.count < ExamAsk.answersMaximum {
      asks[number].answers.append(answer)
    } else {
      asks[number].droppedCount += 1
    }
  }

  /// `HTTP/1.1 404 …`: a status line with 3xx or more. 1xx refuses nothing: it says that an answer is to come
  /// (RFC 9110 §15.2).
  private static func isError(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard Bytes.hasPrefix(bytes, ignoringCase: "http/"), let blank = bytes.prefix(16).firstIndex(of: 32),
      blank + 4 <= bytes.count
    else { return false }
    return bytes[(blank + 1)..<(blank + 4)].allSatisfy(Bytes.isDigit) && bytes[blank + 1] >= 51
  }

  private static func uuid(of message: SSDPMessage) -> String? {
    guard let usn = message.value(of: .usn), let parts = USN.split(usn), parts.uuid.count <= 256 else { return nil }
    return String(decoding: usn[parts.uuid], as: UTF8.self)
  }

  /// What an answer is about: USN knows it even where ST says something else.
  private static func own(_ target: String, _ message: SSDPMessage) -> String {
    guard let usn = message.value(of: .usn), let parts = USN.split(usn) else { return target }
    if let named = parts.target { return String(decoding: usn[named], as: UTF8.self) }
    // A bare UUID goes with types at some makers, never with a root.
    return target == "upnp:rootdevice" ? String(decoding: usn, as: UTF8.self) : target
  }

  // MARK: - Announcements

  private mutating func hearAnnouncement(
    _ message: SSDPMessage, _ source: Endpoint, _ bytes: UnsafeRawBufferPointer, at now: Instant
  ) {
    let kind: ExamAnnouncement.Kind
    switch message.kind {
    case .notifyAlive: kind = .alive
    case .notifyByebye: kind = .byebye
    case .notifyUpdate: kind = .update
    case .notifyOther, .search, .response: return
    }
    guard let uuid = DeviceExam.uuid(of: message), let target = message.text(of: .nt), target.utf8.count <= 512 else {
      return
    }
    if kind == .alive { learn(message, uuid, target, source, at: now) }
    // Once it is known who is meant, nobody else takes room.
    if let subject, !subject.has(uuid) { return }
    guard announcements.count < ExamAnnouncement.countMaximum else { return }
    announcements.append(
      ExamAnnouncement(
        kind: kind, time: now, source: source, uuid: uuid, target: target, bootID: message.index.pointee.bootID,
        configID: message.index.pointee.configID, maxAgeSeconds: message.index.pointee.maxAgeSeconds,
        bytes: Array(bytes.prefix(ExamAnswer.bytesMaximum))))
    if kind == .byebye, phase == .stopping, let subject, subject.has(uuid) { byebyeSeen = now }
  }

  private mutating func learn(
    _ message: SSDPMessage, _ uuid: String, _ target: String, _ source: Endpoint, at now: Instant
  ) {
    guard target.utf8.count <= 512 else { return }
    let location = message.text(of: .location) ?? ""
    let server = message.value(of: .server)
    let claim = server.flatMap { ClauseJudge.claim(in: $0) }
    let serverText = server.map { SSDPText.text(Array($0.prefix(120))) }
    let index = message.index.pointee
    roll.note(uuid, from: source.address, at: now) { device in
      if device.location.isEmpty { device.location = String(location.prefix(512)) }
      device.source = source.address
      device.server = device.server ?? serverText
      if let claim { device.claim = max(device.claim ?? claim, claim) }
      device.hasBootID = device.hasBootID || message.has(.bootID)
      if index.searchPort > 0 { device.searchPort = UInt16(truncatingIfNeeded: index.searchPort) }
      if index.maxAgeSeconds >= 0 { device.maxAgeSeconds = index.maxAgeSeconds }
      if device.adverts.count < ExamDevice.advertsMaximum, !device.adverts.contains(where: { $0.target == target }) {
        device.adverts.append(ExamAdvert(target: target, uuid: device.uuid))
      }
    }
  }

  // MARK: - What was heard of the one that is examined

  /// Answers that the device gave; an answer that names no device counts for the device at its address.
  package func answers(to ask: ExamAsk) -> [ExamAnswer] { subject.map { answers(to: ask, of: $0) } ?? [] }

  /// As above, where the subject is known: working it out takes all that was heard.
  func answers(to ask: ExamAsk, of subject: ExamSubject) -> [ExamAnswer] {
    ask.answers.filter { answer in
      if let uuid = answer.uuid { return subject.has(uuid) }
      return answer.source.address == subject.address
    }
  }

  package func announcements(_ kind: ExamAnnouncement.Kind) -> [ExamAnnouncement] {
    guard let subject else { return [] }
    return announcements.filter { $0.kind == kind && subject.has($0.uuid) }
  }

  /// An alive message ten seconds or more after the device was first heard, and when the one before it was.
  func renewal(until now: Instant) -> (alive: ExamAnnouncement, before: Instant?)? {
    guard let subject else { return nil }
    let settled = subject.root.firstHeard + .seconds(10)
    let alives = announcements(.alive)
    guard let alive = alives.first(where: { $0.time >= settled && $0.time <= now }) else { return nil }
    let before = alives.last {
      $0.uuid == alive.uuid && $0.target == alive.target && $0.time < alive.time - .seconds(2)
    }
    return (alive, before?.time)
  }
}
