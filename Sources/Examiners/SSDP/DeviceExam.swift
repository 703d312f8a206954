package import RollcallPrimitives
import RollcallWire

/// What an examination is asked for.
package struct DeviceExamPlan: Hashable, Sendable {
  /// The UUID that is meant, with or without `uuid:`; `nil`: the only device that is heard.
  package var target: String?
  /// What is asked; those without which nothing means anything are asked always.
  package var probes: [DeviceProbe]
  /// How long it waits for what comes unasked: a device that does not answer at first, a renewal at the end.
  package var patience: Interval
  /// How long it waits for the byebye of a device that somebody stops; `nil`: nobody does.
  package var byebyeWait: Interval?
  package var family: IPAddress.Family
  package var seed: Seed
  /// USER-AGENT.
  package var agent: String

  package init(
    target: String? = nil, probes: [DeviceProbe] = DeviceProbe.allCases, patience: Interval = .seconds(30),
    byebyeWait: Interval? = nil, family: IPAddress.Family = .v4, seed: Seed = Seed(1),
    agent: String = "Linux/1 UPnP/2.0 rollcall/0"
  ) {
    self.target = target.map { $0.lowercased().hasPrefix("uuid:") ? String($0.dropFirst(5)) : $0 }
    let wanted = DeviceProbe.allCases.filter { probes.contains($0) || $0.isAlways }
    self.probes = wanted.filter { $0 != .byebye || byebyeWait != nil }
    (self.patience, self.byebyeWait) = (patience, byebyeWait)
    (self.family, self.seed, self.agent) = (family, seed, agent)
  }

  /// Datagrams that it sends at most.
  package var packetsMaximum: Int { probes.reduce(0) { $0 + $1.packetsMaximum } }

  /// How long it takes at most.
  package var durationMaximum: Interval {
    let asking = probes.reduce(Interval.zero) { $0 + $1.durationMaximum }
    // A device that is heard late may take patience twice: to be found, and to be seen renewing.
    return asking + patience * (probes.contains(.renewal) ? 2 : 1) + (byebyeWait.map { $0 + .seconds(3) } ?? .zero)
  }
}

/// Examines one device by asking: a machine without clock, dice or socket, like everybody on a network.
///
/// It begins when it is told of an interface, and ends early when it is told to stop. First it finds out who is there, then it asks one thing after the other,
/// each from a socket of its own, so that every answer, however late, belongs to one question. What ought to be
/// answered is asked again before silence counts. At the end `DeviceExam.report` says what came of it. Bounded: in
/// datagrams and time by its plan, in memory by what it keeps of answers and devices.
package struct DeviceExam: Machine, Sendable {
  static let silenceSpacingMilliseconds: Int64 = 40
  static let spreadSpacingMilliseconds: Int64 = 90
  /// What a network and two clocks may add to a wait before it counts.
  package static let grace = Interval.milliseconds(300)
  static let pause = Interval.milliseconds(100)
  static let hopLimit: UInt8 = 2

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

  package enum Phase: Hashable, Sendable { case waiting, finding, hoping, asking, listening, stopping, over }

  package let plan: DeviceExamPlan
  package internal(set) var phase = Phase.waiting
  package internal(set) var outcome: Outcome?
  package internal(set) var roll: ExamRoll
  /// The UUID of the root that is examined.
  package internal(set) var root: String?
  package internal(set) var asks: [ExamAsk] = []
  package internal(set) var announcements: [ExamAnnouncement] = []
  package internal(set) var home: (address: IPAddress, interface: InterfaceID)?
  /// What is asked now.
  package internal(set) var current: DeviceProbe?
  package internal(set) var began = Instant.zero
  package internal(set) var ended = Instant.zero
  /// Nothing at all is answered over multicast.
  var isMute = false
  /// The probe after which the device answered no more.
  package internal(set) var fellSilentAfter: DeviceProbe?
  /// Somebody ought to stop the device now.
  package var wantsDeviceStopped: Bool { phase == .stopping }

  /// Questions before this one were asked when the device was not there.
  var firstAsk = 0
  /// Questions from this one on were not asked to their end; `nil`: all were.
  var lastAsk: Int?
  /// When the interface of the examination went away.
  var lostInterface: Instant?
  /// From when on somebody ought to stop the device.
  var stoppingFrom: Instant?
  /// Somebody ended it before it was through.
  package internal(set) var wasStopped = false
  var batches: [Batch] = []
  var running: RunningBatch?
  var askOfPort: [UInt16: Int] = [:]
  var nextPort: UInt16
  var due = Instant.never
  var lastSent = Instant.zero
  var listeningFrom = Instant.zero
  var byebyeSeen: Instant?
  /// The description, where it is being fetched, or was; else why not.
  var fetch: ExamFetch?
  package internal(set) var document: ExamDocument?
  var fetchRemark: String?

  package init(_ plan: DeviceExamPlan) {
    self.plan = plan
    roll = ExamRoll(wanted: plan.target)
    var dice = plan.seed.stream("exam/ports")
    nextPort = UInt16(truncatingIfNeeded: 49_200 + dice.below(14_000))
  }

  package var isOver: Bool { phase == .over }
  package var packetCount: Int { asks.count }
  package var subject: ExamSubject? { root.flatMap { roll.subject($0) } }
  package var deadline: Instant? {
    let next = min(due, fetch?.due ?? .never)
    return next == .never ? nil : next
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram): hear(datagram, at: now, in: outbox.payloads)
    case .value(let id):
      switch outbox.values[id] {
      case .host(.interface(let change)):
        take(change, at: now)
        begin(change, at: now, into: &outbox)
      case .host(.refused(let refusal)): take(refusal)
      case .application(.stop): stop(at: now)
      case .streams(let signal): take(signal, at: now, into: &outbox)
      default: return
      }
    }
    settle(at: now, into: &outbox)
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) { settle(at: now, into: &outbox) }

  // MARK: - The course of an examination

  private mutating func begin(_ change: InterfaceChange, at now: Instant, into outbox: inout Outbox) {
    guard phase == .waiting else { return }
    guard change.isUp, let own = change.addresses.first(where: { $0.address.family == plan.family })?.address else {
      // An interface that is not ready yet may become so.
      if due == .never { due = now + .seconds(5) }
      return
    }
    home = (own, change.interface)
    outbox.join(group, on: change.interface)
    began = now
    find(at: now)
  }

  /// Asks who is there.
  private mutating func find(at now: Instant) {
    (phase, firstAsk) = (.finding, asks.count)
    batches = [
      Batch(
        .searchAll,
        [
          Request(ExamQuestion("ssdp:all", mx: "2")),
          Request(ExamQuestion(DeviceExam.rootTarget, mx: "2"), after: .milliseconds(500), as: .searchRoot),
          Request(ExamQuestion("ssdp:all", mx: "2"), after: .seconds(1)),
          Request(ExamQuestion("ssdp:all", mx: "2"), after: .seconds(2)),
        ], wait: .milliseconds(2_500))
    ]
    startNext(at: now)
  }

  package var group: Endpoint { .ssdp(plan.family) }

  private mutating func settle(at now: Instant, into outbox: inout Outbox) {
    checkFetch(at: now, into: &outbox)
    var turns = 0
    while phase != .over, turns < 64 {
      turns += 1
      guard step(at: now, into: &outbox) else { break }
    }
  }

  /// One thing that is due; whether something was.
  private mutating func step(at now: Instant, into outbox: inout Outbox) -> Bool {
    if running != nil { return proceed(at: now, into: &outbox) }
    switch phase {
    case .waiting:
      guard due <= now else { return false }
      end(.noAddress, at: now)
    case .finding:
      choose(at: now)
      if phase == .asking, let subject { fetch(subject, at: now, into: &outbox) }
    case .hoping:
      guard due <= now || candidate != nil else { return false }
      choose(at: now, isLast: due <= now)
      if phase == .asking, let subject { fetch(subject, at: now, into: &outbox) }
    // Of a device that is gone nothing comes any more.
    case .asking where fellSilentAfter != nil: end(.examined, at: now)
    case .asking:
      (phase, listeningFrom) = (.listening, now)
      // Answers that come late belong to the picture, and not to that of the next examination.
      due = max(now + .seconds(1), openUntil)
      if plan.probes.contains(.renewal) { due = max(due, now + plan.patience) }
    case .listening:
      let hasSeen = !plan.probes.contains(.renewal) || renewal(until: now) != nil
      let earliest = max(listeningFrom + .seconds(1), openUntil)
      guard due <= now || hasSeen && earliest <= now else {
        if hasSeen { due = min(due, earliest) }
        return false
      }
      if let fetch {
        due = fetch.due
        return false
      }
      guard plan.probes.contains(.byebye), let wait = plan.byebyeWait else {
        end(.examined, at: now)
        return true
      }
      (phase, due, current, stoppingFrom) = (.stopping, now + wait, .byebye, now)
    case .stopping:
      if let byebyeSeen { due = min(due, byebyeSeen + .seconds(2)) }
      guard due <= now else { return false }
      if byebyeSeen == nil, !asks.contains(where: { $0.probe == .byebye }) {
        // Whether it went without a word, or is still there.
        batches = [aliveBatch(.byebye)]
        startNext(at: now)
      } else {
        end(.examined, at: now)
      }
    case .over: return false
    }
    return true
  }

  private mutating func end(_ outcome: Outcome, at now: Instant) {
    (self.outcome, phase, ended, due, current) = (outcome, .over, now, .never, nil)
    (batches, fetch) = ([], nil)
  }

  /// Ends before it is through; what was asked to its end counts.
  private mutating func stop(at now: Instant) {
    guard phase != .over, root != nil else { return }
    wasStopped = true
    cutOff(at: now)
  }

  /// Ends where it stands.
  mutating func cutOff(at now: Instant) {
    lastAsk = running?.first
    running = nil
    end(root == nil ? .noAddress : .examined, at: now)
  }

  /// The one that is meant, if that is clear.
  private var candidate: ExamSubject? {
    if let target = plan.target { return roll.subject(target) }
    let subjects = roll.subjects
    return subjects.count == 1 ? subjects[0] : nil
  }

  private mutating func choose(at now: Instant, isLast: Bool = false) {
    if let candidate {
      // A device that came after the questions could not answer them.
      if firstAsk == 0, candidate.root.firstHeard > (asks.last?.time ?? now) + .seconds(2) { return find(at: now) }
      root = candidate.root.uuid
      phase = .asking
      isMute = !asks[firstAsk...].contains { !answers(to: $0).isEmpty }
      batches = plannedBatches(candidate)
      startNext(at: now)
    } else if plan.target == nil, !roll.subjects.isEmpty {
      end(.ambiguous, at: now)
    } else if isLast {
      end(roll.subjects.isEmpty ? .nobody : .absent, at: now)
    } else if phase != .hoping {
      (phase, due) = (.hoping, now + plan.patience)
    }
  }

  // MARK: - Batches

  private mutating func startNext(at now: Instant) {
    guard !batches.isEmpty else { return }
    var batch = batches.removeFirst()
    // What it answers to is known by now.
    if batch.isVital { batch.requests = aliveBatch(batch.probe).requests }
    if phase != .finding { batch.requests = adapted(batch.requests, of: batch.probe) }
    current = batch.probe
    running = RunningBatch(batch, at: max(now, lastSent + DeviceExam.pause), first: asks.count)
    due = running?.due ?? .never
  }

  /// Sends what is due of the present batch, and ends it where it is over.
  private mutating func proceed(at now: Instant, into outbox: inout Outbox) -> Bool {
    guard var batch = running else { return false }
    if let request = batch.takeRequest(at: now) {
      let number = send(request, batch.batch.probe, at: now, into: &outbox)
      batch.asked.append((request, number))
      running = batch
      due = batch.due
      return true
    }
    let isDone = batch.isWhollySent && batch.asked.allSatisfy { isSatisfied($0.request, $0.ask, since: batch.first) }
    guard isDone || batch.due <= now else { return false }
    running = nil
    let searches: [DeviceProbe] = [.searchRoot, .searchUUID, .searchDevice, .searchService]
    if isMute, searches.contains(batch.batch.probe), isDone, let subject {
      // It only seemed so.
      isMute = false
      if firstAsk == 0 {
        find(at: now)
        return true
      }
      batches = plannedBatches(subject).filter { planned in
        !asks.contains { $0.probe == planned.probe && $0.question == planned.requests.first?.question }
      }
    }
    let open = batch.asked.filter { !isSatisfied($0.request, $0.ask, since: batch.first) }.map(\.request)
    if !open.isEmpty, batch.batch.tries > 1 {
      var again = batch.batch
      (again.requests, again.tries, again.firstAsk) = (open, again.tries - 1, batch.first)
      // An answer that is late is still an answer.
      if again.tries == 1, open.contains(where: { $0.needed > 0 }) { again.wait = again.wait + .seconds(1) }
      batches.insert(again, at: 0)
    } else if !open.isEmpty, batch.batch.isVital {
      // A device that is gone need not be asked more.
      fellSilentAfter = batch.batch.follows ?? batch.batch.probe
      batches = []
    }
    if batch.batch.probe == .spread, asks.count - batch.first <= DeviceProbe.spreadCount {
      // What looks uneven is looked at once more.
      let waits = ExamSpread.waits(asks[batch.first...].map { ($0, answers(to: $0)) })
      if ExamSpread.isUneven(waits) == true {
        batch.batch.firstAsk = batch.first
        batches.insert(batch.batch, at: 0)
      }
    }
    startNext(at: now)
    return true
  }

  /// When the last answer may come that is still due.
  private var openUntil: Instant {
    guard let subject else { return .zero }
    let setCount = subject.adverts.count
    return asks[firstAsk...].reduce(.zero) { latest, ask in
      guard ask.question.isInGoodForm, ask.question.isMulticast else { return latest }
      let wanted = ask.question.target == "ssdp:all" ? setCount : 1
      guard answers(to: ask, of: subject).count(where: \.isResponse) < wanted else { return latest }
      return max(latest, ask.time + ask.window + DeviceExam.grace)
    }
  }

  /// Whether as many UUIDs answered as have to, this time or the times before.
  private func isSatisfied(_ request: Request, _ ask: Int, since first: Int) -> Bool {
    guard request.needed > 0, let subject else { return false }
    var uuids: [String] = []
    for one in asks[first...] where one.question == request.question && one.probe == asks[ask].probe {
      for answer in one.answers where one.question.isMatched(by: answer) {
        if let uuid = answer.uuid, subject.has(uuid), !uuids.contains(uuid) { uuids.append(uuid) }
      }
    }
    return uuids.count >= request.needed
  }

  private mutating func send(_ request: Request, _ probe: DeviceProbe, at now: Instant, into outbox: inout Outbox)
    -> Int
  {
    guard let home else { return 0 }
    let question = request.question
    var destination = group
    if !question.isMulticast, let subject { destination = Endpoint(subject.address, port: subject.searchPort) }
    var port = nextPort
    if let fixed = request.port {
      port = fixed
    } else if request.sharesPort, let last = asks.last {
      port = last.source.port
    } else {
      nextPort = nextPort >= 65_000 ? 49_200 : nextPort + 1
    }
    let bytes = question.bytes(to: destination, agent: plan.agent)
    askOfPort[port] = asks.count
    asks.append(
      ExamAsk(
        probe: request.probe ?? probe, question: question, time: now, source: Endpoint(home.address, port: port),
        destination: destination, bytes: bytes))
    outbox.transmit(
      Datagram(
        source: Endpoint(home.address, port: port), destination: destination, interface: home.interface,
        hopLimit: DeviceExam.hopLimit, payload: outbox.payloads.store(bytes)))
    lastSent = now
    return asks.count - 1
  }
}
