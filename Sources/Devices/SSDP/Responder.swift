package import RollcallPrimitives
import RollcallWire

/// A host that answers every search with anything (D32, D81), and searches that nobody made (H-CP-UNSOLICITED).
package struct Responder: Machine, Sendable {
  /// An answer to nobody's search.
  package struct Unsolicited: Hashable, Sendable {
    package var destination: Endpoint
    package var target: String
    package var interval: Interval
    package init(to destination: Endpoint, target: String, interval: Interval) {
      self.destination = destination
      self.target = target
      self.interval = interval
    }
  }

  package struct Plan: Hashable, Sendable {
    package var answersSearches = true
    package var delay: ClosedRange<Interval> = .milliseconds(1) ... .milliseconds(50)
    /// Each answer has another UUID, if more than one.
    package var answersPerSearch = 1
    /// ST of its answers; `nil`: as asked.
    package var target: String?
    package var unsolicited: [Unsolicited] = []
    package var description = Profile.basic.description
    package var quirks: [Quirk] = []
    package init() {}
  }

  private struct Answer: Sendable {
    var due: Instant
    var destination: Endpoint
    var interface: InterfaceID
    var target: [UInt8]
    var number: UInt64
  }

  /// Answers that may wait at a time; more are not taken on.
  static let pendingCountMaximum = 1_024

  package let plan: Plan
  package private(set) var answeredCount = 0
  private let blueprint: DeviceBlueprint
  private let uuid: DeviceUUID
  private var attachments: [Attachment] = []
  private var draws: RandomStream
  private var isOn = false
  private var pending: [Answer] = []
  private var unsolicitedDue: [Instant]
  private var next = Instant.never

  package init(_ plan: Plan, seed: Seed, name: String) {
    self.plan = plan
    blueprint = DeviceBlueprint(plan.description, quirks: plan.quirks + [.answersEverySearch])
    uuid = DeviceUUID(seed: seed, name: name)
    draws = seed.stream(name + "/answers")
    unsolicitedDue = plan.unsolicited.map { _ in .never }
  }

  package var deadline: Instant? { next == .never ? nil : next }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram): if isOn, plan.answersSearches { hear(datagram, at: now, outbox.payloads) }
    case .value(let id): take(outbox.values[id], at: now, into: &outbox)
    }
    findNext()
  }

  private mutating func take(_ value: SignalValue, at now: Instant, into outbox: inout Outbox) {
    switch value {
    case .host(.interface(let change)):
      attachments.take(change)
      if isOn { attachments.join(into: &outbox) }
    case .application(.act(.appear)):
      isOn = true
      attachments.join(into: &outbox)
      unsolicitedDue = plan.unsolicited.map { now + $0.interval }
    case .application(.act(.send(let script))):
      if plan.unsolicited.indices.contains(script) { sendUnsolicited(script, at: now, into: &outbox) }
    case .application(.act(.leave)), .application(.act(.vanish)):
      (isOn, pending) = (false, [])
      unsolicitedDue = plan.unsolicited.map { _ in .never }
    default: break
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    guard next <= now else { return }
    for index in unsolicitedDue.indices where unsolicitedDue[index] <= now {
      unsolicitedDue[index] = now + max(plan.unsolicited[index].interval, .milliseconds(1))
      sendUnsolicited(index, at: now, into: &outbox)
    }
    let due = pending.filter { $0.due <= now }
    pending.removeAll { $0.due <= now }
    for answer in due { send(answer, at: now, into: &outbox) }
    findNext()
  }

  private mutating func findNext() {
    next = .never
    for answer in pending where answer.due < next { next = answer.due }
    for due in unsolicitedDue where due < next { next = due }
  }

  private mutating func hear(_ datagram: Datagram, at now: Instant, _ payloads: PayloadStore) {
    guard case .message(let message) = SSDPReader.reading(of: datagram.payload, in: payloads, mode: .lenient),
      message.kind == .search, let asked = message.value(of: .st)
    else { return }
    let target = plan.target.map { Array($0.utf8.prefix(512)) } ?? Array(asked.prefix(512))
    for number in 0..<max(plan.answersPerSearch, 0) where pending.count < Responder.pendingCountMaximum {
      pending.append(
        Answer(
          due: now + draws.interval(in: plan.delay), destination: datagram.source, interface: datagram.interface,
          target: target, number: UInt64(number)))
    }
  }

  private mutating func sendUnsolicited(_ index: Int, at now: Instant, into outbox: inout Outbox) {
    let unsolicited = plan.unsolicited[index]
    for attachment in attachments {
      send(
        Answer(
          due: now, destination: unsolicited.destination, interface: attachment.interface,
          target: Array(unsolicited.target.utf8.prefix(512)), number: 0), at: now, into: &outbox)
    }
  }

  private mutating func send(_ answer: Answer, at now: Instant, into outbox: inout Outbox) {
    let isV6 = answer.destination.address.family == .v6
    guard let index = attachments.index(of: answer.interface), let source = attachments[index].address(isV6),
      let form = blueprint.strangeForm
    else { return }
    answeredCount += 1
    let description = blueprint.description
    let fill = MessageFill(
      uuid: answer.number == 0 ? uuid : uuid.derived(answer.number), uuidStyle: description.uuidStyle, host: source,
      isV6: isV6, port: description.port, alternatePort: description.port, bootID: description.initialBootID,
      nextBootID: description.initialBootID, configID: description.configID, version: 1,
      clockSeconds: description.clockEpochSeconds &+ now.nanoseconds / 1_000_000_000)
    outbox.transmit(
      Datagram(
        source: Endpoint(source, port: RootDevice.ssdpPort), destination: answer.destination,
        interface: answer.interface, hopLimit: 64,
        payload: blueprint.write(form, to: outbox.payloads, fill, echo: answer.target)))
  }
}
