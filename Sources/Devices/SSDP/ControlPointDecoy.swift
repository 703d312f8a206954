package import RollcallPrimitives
import RollcallWire

/// A control point that is not under test: it searches now and then, in good form or bad, and counts what it got.
package struct ControlPointDecoy: Machine, Sendable {
  /// What can be wrong with its searches.
  package enum Oddity: String, Hashable, Sendable, CaseIterable {
    /// D65.
    case noMX, noMAN, unquotedMAN, hostUnspecified
    case noHost, hostWithoutPort
    /// D03.
    case nulAfterBlankLine
    /// D10.
    case contentLength
    /// D16.
    case titleCaseNames
    /// D02.
    case lfOnly
    /// D11.
    case lowerCaseMethod
    /// D01.
    case noBlankLine
  }

  package struct Plan: Hashable, Sendable {
    package var target = "ssdp:all"
    /// MX in seconds; the field has seen 10 and 15, too (D65).
    package var maximumWaitSeconds: Int64 = 3
    package var oddities: [Oddity] = []
    package var userAgent: String?
    /// From `appear` to the first search, and from one search to the next.
    package var interval: ClosedRange<Interval> = .seconds(10) ... .seconds(10)
    /// How often each search is sent (UDA-1.3.2-REPEAT).
    package var copies = 1
    package var copySpacing = Interval.milliseconds(200)
    /// Searches after which it falls silent; `nil`: it goes on.
    package var searchCountMaximum: Int?
    package var sourcePort: UInt16 = 50_000
    package var hopLimit: UInt8 = 2
    /// Where a unicast search goes; `nil`: to the groups.
    package var unicastTo: Endpoint?

    package init(target: String = "ssdp:all") { self.target = target }
  }

  package let plan: Plan
  /// Answers that came back, and their bytes: against `sentByteCount` that is the amplification of D76.
  package private(set) var answerCount = 0
  package private(set) var answerByteCount = 0
  package private(set) var sentByteCount = 0
  package private(set) var searchCount = 0

  private let forms: [[UInt8]]
  private var attachments: [Attachment] = []
  private var draws: RandomStream
  private var searchDue = Instant.never
  private var copyDue = Instant.never
  private var copiesLeft = 0

  package init(_ plan: Plan, seed: Seed, name: String) {
    self.plan = plan
    draws = seed.stream(name + "/searches")
    forms = [false, true].map { ControlPointDecoy.search(plan, isV6: $0) }
  }

  package var deadline: Instant? {
    let next = min(searchDue, copyDue)
    return next == .never ? nil : next
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram):
      guard datagram.destination.port == plan.sourcePort,
        case .message(let message) = SSDPReader.reading(of: datagram.payload, in: outbox.payloads, mode: .lenient),
        message.kind == .response
      else { return }
      answerCount += 1
      answerByteCount += Int(datagram.payload.count)
    case .value(let id): take(outbox.values[id], at: now, into: &outbox)
    }
  }

  private mutating func take(_ value: SignalValue, at now: Instant, into outbox: inout Outbox) {
    switch value {
    case .host(.interface(let change)): attachments.take(change)
    case .application(.act(.appear)): searchDue = now + draws.interval(in: plan.interval)
    case .application(.act(.send)): search(at: now, into: &outbox)
    case .application(.act(.leave)), .application(.act(.vanish)): (searchDue, copyDue) = (.never, .never)
    case .application(.act(.crash(let downFor, _))): (searchDue, copyDue) = (now + max(downFor, .zero), .never)
    default: break
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    if copyDue <= now { send(at: now, into: &outbox) }
    if searchDue <= now {
      searchDue = now + max(draws.interval(in: plan.interval), .milliseconds(1))
      search(at: now, into: &outbox)
    }
  }

  private mutating func search(at now: Instant, into outbox: inout Outbox) {
    if let maximum = plan.searchCountMaximum, searchCount >= maximum {
      searchDue = .never
      return
    }
    searchCount += 1
    copiesLeft = max(plan.copies, 1)
    send(at: now, into: &outbox)
  }

  private mutating func send(at now: Instant, into outbox: inout Outbox) {
    copiesLeft -= 1
    copyDue = copiesLeft > 0 ? now + plan.copySpacing : .never
    for attachment in attachments {
      for isV6 in [false, true] {
        guard let source = attachment.address(isV6) else { continue }
        if let target = plan.unicastTo, (target.address.family == .v6) != isV6 { continue }
        let bytes = forms[isV6 ? 1 : 0]
        sentByteCount += bytes.count
        outbox.transmit(
          Datagram(
            source: Endpoint(source, port: plan.sourcePort),
            destination: plan.unicastTo ?? Endpoint.ssdp(isV6: isV6),
            interface: attachment.interface, hopLimit: plan.hopLimit, payload: outbox.payloads.store(bytes)))
      }
    }
  }

  /// The bytes of a search; only field values that hold no line end get in.
  package static func search(_ plan: Plan, isV6: Bool) -> [UInt8] {
    let has = plan.oddities.contains
    let isUnicast = plan.unicastTo != nil
    var fields: [(String, String)] = []
    let host =
      has(.hostUnspecified)
      ? "0.0.0.0:1900" : plan.unicastTo?.description ?? (isV6 ? "[FF02::C]:1900" : "239.255.255.250:1900")
    if !has(.noHost) { fields.append(("HOST", has(.hostWithoutPort) ? "239.255.255.250" : host)) }
    if !has(.noMAN) { fields.append(("MAN", has(.unquotedMAN) ? "ssdp:discover" : "\"ssdp:discover\"")) }
    if !has(.noMX), !isUnicast { fields.append(("MX", "\(plan.maximumWaitSeconds)")) }
    fields.append(("ST", plan.target))
    if let agent = plan.userAgent { fields.append(("USER-AGENT", agent)) }
    if has(.contentLength) { fields.append(("CONTENT-LENGTH", "0")) }
    let end = has(.lfOnly) ? "\n" : "\r\n"
    var text = (has(.lowerCaseMethod) ? "m-search" : "M-SEARCH") + " * HTTP/1.1" + end
    for (name, value) in fields {
      let safe = String(String.UnicodeScalarView(value.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }))
      text += (has(.titleCaseNames) ? MessageDraft.titleCase(name) : name) + ": " + safe + end
    }
    if !has(.noBlankLine) { text += end }
    if has(.nulAfterBlankLine) { text += "\0" }
    return Array(text.utf8.prefix(1_400))
  }
}
