package import RollcallPrimitives
package import RollcallWire

/// A host that tries others: it asks, answers and probes what it is told to, when it is told to.
///
/// It has no names of its own and remembers nothing, so each message is exactly what its plan says.
package struct MDNSTester: Machine, Sendable {
  package enum Trigger: Hashable, Sendable {
    /// After `appear`, and again after each gap.
    case at(Interval, every: Interval, times: Int)
    /// Each probe for a name whose first label begins so, so many times.
    case probe(label: [UInt8], after: Interval, times: Int)
    /// Each query for a name whose first label begins so, so many times.
    case query(label: [UInt8], after: Interval, times: Int)
  }

  package struct Line: Hashable, Sendable {
    package var trigger: Trigger
    package var questions: [DNSQuestion]
    /// Answers of a response; what a query knows.
    package var records: [DNSRecord]
    /// What a probe proposes.
    package var proposed: [DNSRecord]
    package var isResponse: Bool
    package var isTruncated: Bool
    package var sourcePort: UInt16
    /// `nil`: the groups of the families that it has.
    package var destination: IPAddress?

    package init(
      _ trigger: Trigger, questions: [DNSQuestion] = [], records: [DNSRecord] = [], proposed: [DNSRecord] = [],
      isResponse: Bool = false, isTruncated: Bool = false, sourcePort: UInt16 = Endpoint.mdnsPort,
      destination: IPAddress? = nil
    ) {
      (self.trigger, self.questions, self.records, self.proposed) = (trigger, questions, records, proposed)
      (self.isResponse, self.isTruncated) = (isResponse, isTruncated)
      (self.sourcePort, self.destination) = (sourcePort, destination)
    }
  }

  /// In records and questions of a line that a message triggers: the name that it asks for.
  package static let anyName = DNSName(labels: ["*"])!

  private struct Due: Hashable, Sendable {
    var time: Instant
    var line: Int
    var name: DNSName?
  }

  package let lines: [Line]
  private var counts: [Int]
  private var due: [Due] = []
  private var links: [MDNSLink] = []
  private var isOn = false

  static let dueMaximum = 1_024

  package init(_ lines: [Line]) {
    self.lines = lines
    counts = Array(repeating: 0, count: lines.count)
  }

  package var deadline: Instant? { due.map(\.time).min() }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram):
      if isOn { hear(datagram, at: now, into: &outbox) }
    case .value(let id):
      switch outbox.values[id] {
      case .host(.interface(let change)):
        links.removeAll { $0.interface == change.interface }
        if change.isUp, links.count < MDNSResponder.linkCountMaximum {
          var link = MDNSLink(change.interface)
          link.addresses = change.addresses
          links.append(link)
          if isOn { join(link, into: &outbox) }
        }
      case .application(.act(.appear)):
        (isOn, due) = (true, [])
        for line in lines.indices {
          guard case .at(let time, _, _) = lines[line].trigger else { continue }
          counts[line] = 0
          due.append(Due(time: now + time, line: line))
        }
        for link in links { join(link, into: &outbox) }
      case .application(.act(.leave)), .application(.act(.vanish)): (isOn, due) = (false, [])
      default: break
      }
    }
    wake(at: now, into: &outbox)
  }

  private func join(_ link: MDNSLink, into outbox: inout Outbox) {
    for family in [IPAddress.Family.v4, .v6] where link.source(family) != nil {
      outbox.join(.mdns(family), on: link.interface)
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    while let place = due.indices.filter({ due[$0].time <= now }).min(by: { (due[$0].time, $0) < (due[$1].time, $1) }) {
      let entry = due.remove(at: place)
      send(lines[entry.line], entry.name, into: &outbox)
      guard case .at(_, let every, let times) = lines[entry.line].trigger else { continue }
      counts[entry.line] += 1
      if counts[entry.line] < times, every > .zero { due.append(Due(time: entry.time + every, line: entry.line)) }
    }
  }

  private mutating func hear(_ datagram: Datagram, at now: Instant, into outbox: inout Outbox) {
    guard datagram.destination.port == Endpoint.mdnsPort,
      !links.contains(where: { $0.addresses.contains { $0.address == datagram.source.address } }),
      let message = try? DNSReader.read(outbox.payloads.bytes(of: datagram.payload)).message,
      !message.flags.isResponse
    else { return }
    for line in lines.indices {
      let (label, after, times, isProbe) =
        switch lines[line].trigger {
        case .probe(let label, let after, let times): (label, after, times, true)
        case .query(let label, let after, let times): (label, after, times, false)
        case .at: ([UInt8](), Interval.zero, 0, false)
        }
      guard counts[line] < times, isProbe != message.authorities.isEmpty, due.count < MDNSTester.dueMaximum,
        let question = message.questions.first(where: { $0.name.firstLabel.starts(with: label) })
      else { continue }
      counts[line] += 1
      due.append(Due(time: now + after, line: line, name: question.name))
    }
  }

  private func send(_ line: Line, _ name: DNSName?, into outbox: inout Outbox) {
    func named(_ record: DNSRecord) -> DNSRecord {
      var record = record
      if let name, record.name == MDNSTester.anyName { record.name = name }
      return record
    }
    var message = DNSMessage(flags: line.isResponse ? .response : .query)
    message.flags.isTruncated = line.isTruncated
    message.questions = line.questions.map { question in
      var question = question
      if let name, question.name == MDNSTester.anyName { question.name = name }
      return question
    }
    message.answers = line.records.map(named)
    message.authorities = line.proposed.map(named)
    for link in links {
      for family in [IPAddress.Family.v4, .v6] {
        guard let source = link.source(family), line.destination.map({ $0.family == family }) ?? true else { continue }
        let destination = line.destination.map { Endpoint($0, port: Endpoint.mdnsPort) } ?? .mdns(family)
        outbox.transmit(
          Datagram(
            source: Endpoint(source, port: line.sourcePort), destination: destination, interface: link.interface,
            hopLimit: 255, payload: outbox.payloads.store(message.bytes)))
      }
    }
  }
}
