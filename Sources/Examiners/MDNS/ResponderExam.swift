package import RollcallPrimitives
package import RollcallWire

/// What an examination of a responder is asked for.
package struct ResponderExamPlan: Hashable, Sendable {
  /// The address or the host name that is meant; `nil`: the only responder that is heard.
  package var target: String?
  package var probes: [ResponderProbe]
  /// A type to ask for beside those that are listed, as in `_ipp._tcp.local`.
  package var type: DNSName?
  /// How long it waits for a responder that does not answer at first.
  package var patience: Interval
  package var family: IPAddress.Family
  package var seed: Seed

  package init(
    target: String? = nil, probes: [ResponderProbe] = ResponderProbe.allCases, type: DNSName? = nil,
    patience: Interval = .seconds(10), family: IPAddress.Family = .v4, seed: Seed = Seed(1)
  ) {
    self.target = target.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
    self.probes = ResponderProbe.allCases.filter(probes.contains)
    (self.type, self.patience, self.family, self.seed) = (type, patience, family, seed)
  }

  /// Datagrams that it sends at most: who is there, what it has, and the probes.
  package var packetsMaximum: Int {
    probes.reduce(ResponderExam.findingMaximum + 17) { $0 + $1.packetsMaximum }
  }

  /// How long it takes at most.
  package var durationMaximum: Interval { patience + .seconds(2) * Int64(packetsMaximum) }
}

/// Examines one responder of multicast DNS by asking: a machine without clock, dice or socket.
///
/// It begins when it is told of an interface, and ends early when it is told to stop. First it asks which types of
/// services there are and who offers them, then it asks one thing after the other. Multicast answers go to everybody,
/// so an answer belongs to a question by what it says and by its time; between two questions there is more than a
/// second, since a record is multicast at most once a second. Silence counts only between two signs of life. At the end
/// `ResponderExam.report` says what came of it. Bounded: in datagrams and time by its plan, in memory by what it keeps.
package struct ResponderExam: Machine, Sendable {
  /// Datagrams to find out who is there.
  static let findingMaximum = 40
  static let typesMaximum = 24
  static let subjectsMaximum = 256
  /// Behind the last question, and the last multicast of the responder: so nothing is held back since it was said just
  /// now.
  static let pause = Interval.milliseconds(1_100)

  /// How it ended.
  package enum Outcome: Hashable, Sendable {
    case examined
    /// Nobody was heard.
    case nobody
    /// The one that was meant was not heard.
    case absent
    /// Several were heard, and nobody said which.
    case ambiguous
    /// The interface has no address to ask from.
    case noAddress
  }
  package enum Phase: Hashable, Sendable { case waiting, finding, learning, asking, over }

  /// A message that is still to be sent.
  struct Step: Hashable, Sendable {
    var probe: ResponderProbe?
    var message: DNSMessage
    var expects = ResponderAsk.Expectation.answer
    /// To the responder alone.
    var isDirect = false
    /// From a port of its own, as a plain DNS client asks.
    var isLegacy = false
    var window = Interval.milliseconds(700)
    var tries = 3
    /// Asked at once behind the one before, so long after it.
    var spacing: Interval?
  }

  package let plan: ResponderExamPlan
  package internal(set) var phase = Phase.waiting
  package internal(set) var outcome: Outcome?
  package internal(set) var subjects: [ResponderSubject] = []
  package internal(set) var asks: [ResponderAsk] = []
  package internal(set) var heard: [HeardResponse] = []
  package internal(set) var began = Instant.zero
  package internal(set) var ended = Instant.zero
  /// What is asked now.
  package internal(set) var current: ResponderProbe?
  package internal(set) var wasStopped = false
  /// When the examiner's own interface went away.
  var lostInterface: Instant?
  package internal(set) var home: (address: IPAddress, interface: InterfaceID)?
  /// The address of the one that is examined.
  package internal(set) var examined: IPAddress?
  /// Questions of others, since what they bring is no answer to ours.
  var others: [(time: Instant, questions: [DNSQuestion])] = []
  var types: [DNSName] = []
  var steps: [Step] = []
  /// The step whose answers are waited for, and the number of its ask.
  var running: (step: Step, ask: Int)?
  var due = Instant.never
  var nextPort: UInt16
  /// When the responder last multicast something.
  var lastMulticast = Instant(nanoseconds: .min)

  package init(_ plan: ResponderExamPlan) {
    self.plan = plan
    var dice = plan.seed.stream("exam/ports")
    nextPort = UInt16(truncatingIfNeeded: 49_200 + dice.below(14_000))
  }

  package var isOver: Bool { phase == .over }
  package var packetCount: Int { asks.count }
  package var subject: ResponderSubject? { examined.flatMap { address in subjects.first { $0.address == address } } }
  package var deadline: Instant? { due == .never ? nil : due }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram): hear(datagram, at: now, in: outbox.payloads)
    case .value(let id):
      switch outbox.values[id] {
      case .host(.interface(let change)) where phase == .waiting: begin(change, at: now, into: &outbox)
      case .host(.interface(let change)): take(change, at: now)
      case .host(.refused(let refusal)): take(refusal)
      case .application(.stop): stop(at: now)
      default: return
      }
    }
    settle(at: now, into: &outbox)
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) { settle(at: now, into: &outbox) }

  // MARK: - The course of an examination

  private mutating func begin(_ change: InterfaceChange, at now: Instant, into outbox: inout Outbox) {
    guard change.isUp, let own = ResponderExam.source(plan.family, change.addresses) else {
      // An interface that is not ready yet may become so.
      if due == .never { due = now + .seconds(5) }
      return
    }
    home = (own, change.interface)
    outbox.join(.mdns(plan.family), on: change.interface)
    (phase, began, due) = (.finding, now, now + .milliseconds(100))
    find()
  }

  /// IPv6 from the link-local address, where there is one.
  private static func source(_ family: IPAddress.Family, _ addresses: [InterfaceAddress]) -> IPAddress? {
    let own = addresses.map(\.address).filter { $0.family == family }
    return own.first { family == .v6 && $0.isLinkLocal } ?? own.first
  }

  /// Asks which types there are; what they bring is asked for as it comes.
  private mutating func find() {
    var questions = [DNSQuestion(ServiceType.enumerationName, .ptr)]
    if let type = plan.type { questions.append(DNSQuestion(type, .ptr)) }
    if let target = plan.target, IPAddress(target) == nil, let name = DNSName(target) {
      questions.append(DNSQuestion(name, .any))
    }
    steps.append(
      Step(message: DNSMessage(flags: .query, questions: questions), expects: .nothing, window: .milliseconds(800)))
  }

  private mutating func settle(at now: Instant, into outbox: inout Outbox) {
    while phase != .over, due <= now { step(at: now, into: &outbox) }
  }

  /// One thing that is due.
  private mutating func step(at now: Instant, into outbox: inout Outbox) {
    if let (step, number) = running {
      running = nil
      if step.expects == .answer, step.tries > 1, answers(to: asks[number]).isEmpty {
        var again = step
        again.tries -= 1
        steps.insert(again, at: 0)
      }
    }
    if let step = steps.first {
      // Where an answer was lost on the way to here the responder has spoken, too.
      let last = max(lastMulticast, asks.last?.time ?? lastMulticast)
      let start = step.spacing == nil && last > .zero ? max(now, last + ResponderExam.pause) : now
      if start > now {
        due = start
        return
      }
      steps.removeFirst()
      running = (step, asks.count)
      current = step.probe ?? current
      send(step, at: now, into: &outbox)
      // What follows at once does not wait for the answers to this.
      due = now + (steps.first?.spacing ?? step.window)
      return
    }
    switch phase {
    case .waiting: end(.noAddress, at: now)
    case .over: break
    case .finding: choose(at: now)
    case .learning:
      phase = .asking
      if let subject { steps = plannedSteps(subject) }
    case .asking: end(.examined, at: now)
    }
  }

  mutating func end(_ outcome: Outcome, at now: Instant) {
    (self.outcome, phase, ended, due, current) = (outcome, .over, now, .never, nil)
  }

  /// Ends before it is through; what was asked to its end counts.
  private mutating func stop(at now: Instant) {
    guard phase != .over, examined != nil else { return }
    wasStopped = true
    cutOff(at: now)
  }

  /// What is still waited for does not count.
  mutating func cutOff(at now: Instant) {
    if let (_, number) = running { asks.removeLast(asks.count - number) }
    end(.examined, at: now)
  }

  private func isMeant(_ subject: ResponderSubject) -> Bool {
    guard let target = plan.target else { return true }
    if let address = IPAddress(target) { return subject.address == address }
    guard let name = DNSName(target) else { return false }
    return subject.host == name || subject.addresses.contains { $0.name == name }
  }

  private mutating func choose(at now: Instant) {
    let candidates = subjects.filter(isMeant)
    if candidates.count > 1 { return end(.ambiguous, at: now) }
    if let subject = candidates.first {
      examined = subject.address
      phase = .learning
      steps = learningSteps(subject)
    } else if now - began >= plan.patience || asks.count >= ResponderExam.findingMaximum {
      end(subjects.isEmpty ? .nobody : .absent, at: now)
    } else {
      find()
      due = now + .milliseconds(500)
    }
  }

  private mutating func send(_ step: Step, at now: Instant, into outbox: inout Outbox) {
    guard let home else { return }
    var port = Endpoint.mdnsPort
    if step.isLegacy {
      port = nextPort
      nextPort = nextPort >= 65_000 ? 49_200 : nextPort + 1
    }
    let group = Endpoint.mdns(plan.family)
    let destination = step.isDirect ? Endpoint(subject?.address ?? group.address, port: Endpoint.mdnsPort) : group
    let ask = ResponderAsk(
      probe: step.probe, message: step.message, expects: step.expects, time: now,
      source: Endpoint(home.address, port: port), destination: destination, window: step.window,
      bytes: step.message.bytes)
    asks.append(ask)
    outbox.transmit(
      Datagram(
        source: ask.source, destination: destination, interface: home.interface, hopLimit: 255,
        payload: outbox.payloads.store(ask.bytes)))
  }

  // MARK: - Hearing

  private mutating func hear(_ datagram: Datagram, at now: Instant, in payloads: PayloadStore) {
    guard phase != .waiting, phase != .over, let home, datagram.interface == home.interface,
      datagram.source.address != home.address
    else { return }
    let bytes = payloads.bytes(of: datagram.payload)
    guard let message = try? DNSReader.read(bytes).message else { return }
    if !message.flags.isResponse {
      if others.count < HeardResponse.countMaximum { others.append((now, message.questions)) }
      return
    }
    if let examined, datagram.source.address != examined { return }
    if heard.count < HeardResponse.countMaximum {
      heard.append(
        HeardResponse(
          time: now, source: datagram.source, destination: datagram.destination, message: message,
          bytes: Array(bytes.prefix(1_500))))
    }
    if datagram.destination.address.isMulticast { lastMulticast = now }
    learn(message, from: datagram.source.address, at: now)
  }

  private mutating func learn(_ message: DNSMessage, from address: IPAddress, at now: Instant) {
    var place = subjects.firstIndex { $0.address == address }
    if place == nil, subjects.count < ResponderExam.subjectsMaximum {
      subjects.append(ResponderSubject(address: address, at: now))
      place = subjects.count - 1
    }
    guard let place else { return }
    for record in message.answers + message.additionals {
      subjects[place].learn(record)
      guard phase == .finding, record.name == ServiceType.enumerationName, case .ptr(let type) = record.data,
        !types.contains(type), types.count < ResponderExam.typesMaximum, asks.count < ResponderExam.findingMaximum
      else { continue }
      types.append(type)
      steps.append(
        Step(
          message: DNSMessage(flags: .query, questions: [DNSQuestion(type, .ptr)]), expects: .nothing,
          window: .milliseconds(800)))
    }
  }

  // MARK: - What was heard of the one that is examined

  /// Responses that answer one of its questions, in its time and at its socket.
  package func answers(to ask: ResponderAsk) -> [HeardResponse] {
    heard.filter { response in
      guard response.source.address == examined, response.time >= ask.time,
        response.time - ask.time < ask.window,
        response.isMulticast ? ask.source.port == Endpoint.mdnsPort : response.destination == ask.source
      else { return false }
      return response.message.answers.contains { answer in
        // A record that is taken back is no answer (RFC 6762 §10.1).
        answer.ttlSeconds > 0 && ask.questions.contains { $0.isAnswered(by: answer) }
      }
    }
  }

  /// Whether somebody else asked the same at that time, so that an answer may be to him.
  package func isDisturbed(_ ask: ResponderAsk) -> Bool {
    others.contains { other in
      other.time + .seconds(1) >= ask.time && other.time <= ask.time + ask.window
        && other.questions.contains { question in ask.questions.contains { $0.name == question.name } }
    }
  }
}
