package import RollcallPrimitives
import RollcallWire

/// A host that behaves as one was heard to behave: it says its sets in its own words at its own times, renews them, and
/// answers searches after the delays that were measured.
///
/// Nothing here is left to chance. Where the recording ends the behaviour goes on: a set is said again every
/// `thenEvery`, and a search after the last one that was heard is answered as that one was.
package struct Recorded: Machine, Sendable {
  /// A set of messages and when it is said.
  package struct Utterance: Hashable, Sendable {
    /// Payloads in the order in which they are sent.
    package var messages: [[UInt8]]
    /// From `appear` to the start of each round, in order.
    package var starts: [Interval]
    /// From the last start to the next, for ever; `nil`: it falls silent.
    package var thenEvery: Interval?
    /// From the start of a round to each of its messages; one for all rounds, or one for each. What a list does not
    /// say is sent with the message before it.
    package var paces: [[Interval]]
    /// `nil`: the group of the host's family.
    package var destination: Endpoint?
    package var sourcePort: UInt16
    package var hopLimit: UInt8

    package init(
      messages: [[UInt8]], starts: [Interval], thenEvery: Interval? = nil, paces: [[Interval]] = [],
      destination: Endpoint? = nil, sourcePort: UInt16 = 1_900, hopLimit: UInt8 = 2
    ) {
      self.messages = messages
      self.starts = starts
      self.thenEvery = thenEvery
      self.paces = paces
      self.destination = destination
      self.sourcePort = sourcePort
      self.hopLimit = hopLimit
    }

    /// From `appear` to a message; `nil` behind the last one.
    package func offset(round: Int, message: Int) -> Interval? {
      guard let last = starts.last else { return nil }
      var start = last
      if round < starts.count {
        start = starts[round]
      } else if let thenEvery {
        start = last + max(thenEvery, .milliseconds(1)) * Int64(round - starts.count + 1)
      } else {
        return nil
      }
      guard !paces.isEmpty else { return start }
      let pace = paces[min(round, paces.count - 1)]
      guard let end = pace.last else { return start }
      return start + max(.zero, message < pace.count ? pace[message] : end)
    }
  }

  /// What is answered to searches for one target.
  package struct Answer: Hashable, Sendable {
    package struct Reply: Hashable, Sendable {
      /// Which of the searches for this target that it hears, from 1.
      package var search: Int
      /// From the search to each message; a message that the list does not reach is not sent.
      package var delays: [Interval]

      package init(search: Int, delays: [Interval]) { (self.search, self.delays) = (search, delays) }
    }
    /// ST of the search, byte for byte.
    package var target: [UInt8]
    package var messages: [[UInt8]]
    package var replies: [Reply]
    package var sourcePort: UInt16

    package init(target: [UInt8], messages: [[UInt8]], replies: [Reply], sourcePort: UInt16 = 1_900) {
      (self.target, self.messages, self.replies, self.sourcePort) = (target, messages, replies, sourcePort)
    }
  }

  package struct Plan: Hashable, Sendable {
    package var utterances: [Utterance] = []
    package var answers: [Answer] = []
    /// The addresses of the engine's host on this link, where it is a program beside the engine that speaks.
    package var speaksAs: [IPAddress] = []
    package init() {}
  }

  private struct Cursor: Sendable {
    var round = 0
    var message = 0
    var due = Instant.never
  }
  private struct Pending: Sendable {
    var due: Instant
    var answer: Int
    var message: Int
    var destination: Endpoint
    var interface: InterfaceID
  }
  /// Answers that may wait at a time; more are not taken on.
  static let pendingCountMaximum = 4_096

  package let plan: Plan
  package private(set) var sentCount = 0
  private var attachments: [Attachment] = []
  private var startedAt = Instant.zero
  private var isOn = false
  private var cursors: [Cursor]
  private var pending: [Pending] = []
  /// Searches heard, by target: places as in `targets`.
  private var heard: [Int] = []
  private let targets: [[UInt8]]
  /// By target, the last search that the recording knows.
  private let lastSearches: [Int]
  private var next = Instant.never

  package init(_ plan: Plan) {
    self.plan = plan
    cursors = plan.utterances.map { _ in Cursor() }
    var targets: [[UInt8]] = []
    for answer in plan.answers where !targets.contains(answer.target) { targets.append(answer.target) }
    self.targets = targets
    lastSearches = targets.map { target in
      plan.answers.filter { $0.target == target }.flatMap(\.replies).map(\.search).max() ?? 0
    }
  }

  package var deadline: Instant? { next == .never ? nil : next }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram): if isOn, !plan.answers.isEmpty { hear(datagram, at: now, outbox.payloads) }
    case .value(let id): take(outbox.values[id], at: now, into: &outbox)
    }
    findNext()
  }

  private mutating func take(_ value: SignalValue, at now: Instant, into outbox: inout Outbox) {
    switch value {
    case .host(.interface(let change)):
      attachments.take(change)
      if isOn, !plan.answers.isEmpty { attachments.join(into: &outbox) }
    case .application(.act(.appear)):
      guard !isOn else { return }
      (isOn, startedAt) = (true, now)
      if !plan.answers.isEmpty { attachments.join(into: &outbox) }
      heard = targets.map { _ in 0 }
      for index in cursors.indices { cursors[index] = Cursor(due: due(index, Cursor())) }
    case .application(.act(.leave)), .application(.act(.vanish)):
      (isOn, pending) = (false, [])
      for index in cursors.indices { cursors[index].due = .never }
    default: break
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    while next <= now, next != .never {
      // In order of time; announcements before answers, each in the order of the plan.
      if let index = cursors.indices.first(where: { cursors[$0].due == next }) {
        say(index, into: &outbox)
      } else if let place = pending.firstIndex(where: { $0.due == next }) {
        reply(pending.remove(at: place), into: &outbox)
      }
      findNext()
    }
  }

  private mutating func findNext() {
    next = .never
    for cursor in cursors where cursor.due < next { next = cursor.due }
    for answer in pending where answer.due < next { next = answer.due }
  }

  private func due(_ index: Int, _ cursor: Cursor) -> Instant {
    guard !plan.utterances[index].messages.isEmpty else { return .never }
    return plan.utterances[index].offset(round: cursor.round, message: cursor.message).map { startedAt + $0 } ?? .never
  }

  private mutating func say(_ index: Int, into outbox: inout Outbox) {
    let utterance = plan.utterances[index]
    var cursor = cursors[index]
    let payload = utterance.messages[cursor.message]
    cursor.message += 1
    if cursor.message == utterance.messages.count { (cursor.round, cursor.message) = (cursor.round + 1, 0) }
    // A round that begins before the last one ended begins when that is over.
    cursor.due = max(due(index, cursor), cursors[index].due)
    cursors[index] = cursor
    for attachment in attachments {
      for isV6 in [false, true] {
        guard let own = attachment.address(isV6),
          utterance.destination.map({ ($0.address.family == .v6) == isV6 }) ?? true
        else { continue }
        if utterance.destination == nil, isV6, attachment.address(false) != nil { continue }
        let group = Endpoint.ssdp(isV6: isV6)
        sentCount += 1
        outbox.transmit(
          Datagram(
            source: Endpoint(source(own), port: utterance.sourcePort), destination: utterance.destination ?? group,
            interface: attachment.interface, hopLimit: utterance.hopLimit, payload: outbox.payloads.store(payload)))
        return
      }
    }
  }

  /// Its own address, or that of the engine's host.
  private func source(_ own: IPAddress) -> IPAddress { plan.speaksAs.first { $0.family == own.family } ?? own }

  private mutating func hear(_ datagram: Datagram, at now: Instant, _ payloads: PayloadStore) {
    guard case .message(let message) = SSDPReader.reading(of: datagram.payload, in: payloads, mode: .lenient),
      message.kind == .search, let asked = message.value(of: .st),
      let place = targets.firstIndex(where: { $0.count == asked.count && asked.elementsEqual($0) })
    else { return }
    heard[place] += 1
    let search = min(heard[place], lastSearches[place])
    for index in plan.answers.indices where plan.answers[index].target == targets[place] {
      for reply in plan.answers[index].replies where reply.search == search {
        for (number, delay) in reply.delays.enumerated()
        where number < plan.answers[index].messages.count && pending.count < Recorded.pendingCountMaximum {
          pending.append(
            Pending(
              due: now + max(.zero, delay), answer: index, message: number, destination: datagram.source,
              interface: datagram.interface))
        }
      }
    }
  }

  private mutating func reply(_ one: Pending, into outbox: inout Outbox) {
    let isV6 = one.destination.address.family == .v6
    guard let attachment = attachments.first(where: { $0.interface == one.interface }),
      let own = attachment.address(isV6)
    else { return }
    let answer = plan.answers[one.answer]
    sentCount += 1
    outbox.transmit(
      Datagram(
        source: Endpoint(own, port: answer.sourcePort), destination: one.destination, interface: one.interface,
        hopLimit: 64, payload: outbox.payloads.store(answer.messages[one.message])))
  }
}
