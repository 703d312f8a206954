import RollcallDevices
import RollcallPrimitives
import RollcallWire

/// A responder of ours with one bad habit: messages to it or from it are changed on the way.
struct QuirkyResponder: Machine {
  enum Habit: String, CaseIterable, Sendable {
    case none
    case listsNoTypes, hasNoText, addsNothing, knowsNoANY, readsOneQuestion, deniesNothing, hasOneFamily
    case ignoresQU, ignoresDirect, ignoresLegacy, otherID, noQuestionBack, flushesLegacy, longLegacyTTL
    case compressesLegacy, ignoresKnown, takesOldKnown, ignoresTC, knowsNoCapitals, takesOpcode, takesResponseCode
    case takesQuestionsOfResponses, tellsOthers, hearsNoResponses, waits
    case answersAtOnce, talksTooOften, comparesText, knowsNoQU
  }

  let habit: Habit
  private var inner: MDNSResponder
  private var innerOutbox: Outbox
  private var learnt: [DNSRecord] = []
  private var addresses: [IPAddress] = []
  private var waiting: [(due: Instant, datagram: Datagram, bytes: [UInt8])] = []

  init(_ plan: MDNSPlan, _ habit: Habit, seed: Seed) {
    self.habit = habit
    var plan = plan
    if habit == .answersAtOnce { plan.timing.sharedDelay = .zero ... .zero }
    if habit == .talksTooOften { plan.timing.recordGap = .zero }
    inner = MDNSResponder(plan, seed: seed, name: "quirky")
    innerOutbox = Outbox(payloads: PayloadStore())
  }

  var deadline: Instant? {
    let own = waiting.map(\.due).min()
    guard let next = inner.deadline else { return own }
    return own.map { min($0, next) } ?? next
  }

  var presentDevices: [String] { inner.presentDevices }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram):
      guard var message = try? DNSReader.read(outbox.payloads.bytes(of: datagram.payload)).message else { return }
      let isDirect = !datagram.destination.address.isMulticast
      for one in hear(&message, datagram, isDirect: isDirect) {
        var changed = datagram
        changed.payload = innerOutbox.payloads.store(one.bytes)
        inner.receive(.datagram(changed), at: now, into: &innerOutbox)
        innerOutbox.payloads.release(changed.payload)
        pass(at: now, into: &outbox)
      }
      tellOthers(message, datagram, into: &outbox)
    case .value(let id):
      if case .host(.interface(let change)) = outbox.values[id] { addresses = change.addresses.map(\.address) }
      inner.receive(outbox.values[id], at: now, into: &innerOutbox)
      pass(at: now, into: &outbox)
    }
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {
    while let place = waiting.firstIndex(where: { $0.due <= now }) {
      var late = waiting.remove(at: place)
      late.datagram.payload = outbox.payloads.store(late.bytes)
      outbox.transmit(late.datagram)
    }
    inner.wake(at: now, into: &innerOutbox)
    pass(at: now, into: &outbox)
  }

  /// What the responder inside is given.
  private mutating func hear(_ message: inout DNSMessage, _ datagram: Datagram, isDirect: Bool) -> [DNSMessage] {
    let isLegacy = datagram.source.port != Endpoint.mdnsPort
    switch habit {
    case .knowsNoANY where message.authorities.isEmpty: message.questions.removeAll { $0.type == .any }
    case .readsOneQuestion: message.questions = Array(message.questions.prefix(1))
    case .ignoresQU where !isLegacy && !isDirect:
      for place in message.questions.indices { message.questions[place].wantsUnicast = false }
    case .knowsNoQU where message.authorities.isEmpty: message.questions.removeAll { $0.wantsUnicast }
    case .ignoresDirect where isDirect && !isLegacy && !message.flags.isResponse: return []
    case .ignoresLegacy where isLegacy: return []
    case .ignoresKnown where !message.flags.isResponse: message.answers = []
    case .takesOldKnown where !message.flags.isResponse:
      for place in message.answers.indices { message.answers[place].ttlSeconds = 4_500 }
    case .ignoresTC: message.flags.isTruncated = false
    case .knowsNoCapitals:
      message.questions.removeAll { $0.name.wire.contains { (65...90).contains($0) } && $0.type == .ptr }
    case .comparesText:
      for place in message.questions.indices {
        let labels = message.questions[place].name.labels.flatMap { label in
          label.split(separator: UInt8(ascii: ".")).map { Array($0) }
        }
        message.questions[place].name = DNSName(labels: labels) ?? message.questions[place].name
      }
    case .takesOpcode: message.flags.opcode = 0
    case .takesResponseCode: message.flags.responseCode = 0
    case .takesQuestionsOfResponses where message.flags.isResponse && !message.questions.isEmpty: message.flags = .query
    case .hearsNoResponses where message.flags.isResponse: return []
    case .tellsOthers where message.flags.isResponse:
      learnt += message.answers.filter { $0.ttlSeconds > 0 && $0.type == .a }
    default: break
    }
    return [message]
  }

  private func tellOthers(_ message: DNSMessage, _ datagram: Datagram, into outbox: inout Outbox) {
    let found = learnt.filter { record in
      message.questions.contains { $0.name == record.name && $0.type == record.type }
    }
    let own = addresses.first { $0.family == datagram.source.address.family }
    guard !found.isEmpty, let own else { return }
    outbox.transmit(
      Datagram(
        source: Endpoint(own, port: Endpoint.mdnsPort), destination: .mdns(own.family),
        interface: datagram.interface, hopLimit: 255,
        payload: outbox.payloads.store(DNSMessage(flags: .response, answers: found).bytes)))
  }

  /// What the responder inside wants, changed.
  private mutating func pass(at now: Instant, into outbox: inout Outbox) {
    for position in 0..<innerOutbox.count {
      guard var datagram = innerOutbox.datagram(at: position) else {
        if case .lan(let effect) = innerOutbox[position] { outbox.want(effect) }
        continue
      }
      let bytes = innerOutbox.payloads.array(of: datagram.payload)
      innerOutbox.payloads.release(datagram.payload)
      guard let message = try? bytes.withUnsafeBytes({ try DNSReader.read($0).message }) else { continue }
      guard let changed = say(message, datagram, bytes) else { continue }
      if habit == .waits, datagram.destination.address.isMulticast, message.flags.isResponse {
        waiting.append((now + .milliseconds(60), datagram, changed))
        continue
      }
      datagram.payload = outbox.payloads.store(changed)
      outbox.transmit(datagram)
    }
    innerOutbox.removeAll()
  }

  private func say(_ message: DNSMessage, _ datagram: Datagram, _ bytes: [UInt8]) -> [UInt8]? {
    guard message.flags.isResponse else { return bytes }
    let isLegacy = datagram.destination.port != Endpoint.mdnsPort
    var message = message
    func drop(_ isDropped: (DNSRecord) -> Bool) {
      message.answers.removeAll(where: isDropped)
      message.additionals.removeAll(where: isDropped)
    }
    switch habit {
    case .listsNoTypes: drop { $0.name == ServiceType.enumerationName }
    case .hasNoText: drop { $0.type == .txt }
    case .addsNothing: message.additionals.removeAll { $0.type != .nsec }
    case .deniesNothing: drop { record in record.type == .nsec && !message.answers.contains { $0.type == .a } }
    case .hasOneFamily: message.additionals.removeAll { $0.type == .aaaa || $0.type == .nsec }
    case .otherID where isLegacy: message.id = 0
    case .noQuestionBack where isLegacy: message.questions = []
    case .flushesLegacy where isLegacy:
      for place in message.answers.indices { message.answers[place].isCacheFlush = true }
    case .longLegacyTTL where isLegacy:
      for place in message.answers.indices { message.answers[place].ttlSeconds = 120 }
    case .compressesLegacy where isLegacy: return message.bytes
    default: return bytes
    }
    if message.answers.isEmpty { return nil }
    return message.written(compression: isLegacy ? .legacy : .multicast).bytes
  }
}
