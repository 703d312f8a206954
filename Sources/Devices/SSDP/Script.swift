package import RollcallPrimitives

/// A host that sends given bytes at given times: whatever no other inhabitant says.
package struct Script: Machine, Sendable {
  package struct Line: Hashable, Sendable {
    /// After `appear`; `nil`: only when asked for by `send(script:)`.
    package var at: Interval?
    package var payload: [UInt8]
    package var destination: Endpoint
    /// `nil`: the host's own address of the destination's family.
    package var sourceAddress: IPAddress?
    package var sourcePort: UInt16
    /// `nil`: the first interface that is up.
    package var interface: InterfaceID?
    package var hopLimit: UInt8

    /// - Parameter payload: at most 65 507 bytes are sent, as many as UDP carries.
    package init(
      at: Interval? = nil, payload: [UInt8], to destination: Endpoint = Endpoint(.ssdpGroup4, port: 1_900),
      sourceAddress: IPAddress? = nil, sourcePort: UInt16 = 1_900, interface: InterfaceID? = nil, hopLimit: UInt8 = 2
    ) {
      self.at = at
      self.payload = payload
      self.destination = destination
      self.sourceAddress = sourceAddress
      self.sourcePort = sourcePort
      self.interface = interface
      self.hopLimit = hopLimit
    }
  }

  package let lines: [Line]
  /// Indices of timed lines, in order of time.
  private let order: [Int]
  private var attachments: [Attachment] = []
  private var startedAt = Instant.zero
  private var position: Int

  package init(_ lines: [Line]) {
    self.lines = lines
    order = lines.indices.filter { lines[$0].at != nil }
      .sorted { (lines[$0].at ?? .zero, $0) < (lines[$1].at ?? .zero, $1) }
    position = order.count
  }

  package var deadline: Instant? {
    guard position < order.count, let at = lines[order[position]].at else { return nil }
    return startedAt + max(at, .zero)
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    if case .value(let id) = signal { take(outbox.values[id], at: now, into: &outbox) }
  }

  private mutating func take(_ value: SignalValue, at now: Instant, into outbox: inout Outbox) {
    switch value {
    case .host(.interface(let change)): attachments.take(change)
    case .application(.act(.appear)): (startedAt, position) = (now, 0)
    case .application(.act(.leave)), .application(.act(.vanish)): position = order.count
    case .application(.act(.send(let script))):
      if lines.indices.contains(script) { send(lines[script], into: &outbox) }
    default: break
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    while let deadline, deadline <= now {
      let line = lines[order[position]]
      position += 1
      send(line, into: &outbox)
    }
  }

  private mutating func send(_ line: Line, into outbox: inout Outbox) {
    let isV6 = line.destination.address.family == .v6
    let attachment = attachments.first { candidate in
      line.interface.map { $0 == candidate.interface } ?? (candidate.address(isV6) != nil)
    }
    guard let attachment, let source = line.sourceAddress ?? attachment.address(isV6) else { return }
    outbox.transmit(
      Datagram(
        source: Endpoint(source, port: line.sourcePort), destination: line.destination,
        interface: attachment.interface, hopLimit: line.hopLimit,
        payload: outbox.payloads.store(Array(line.payload.prefix(65_507)))))
  }
}
