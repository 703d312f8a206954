package import RollcallPrimitives
import RollcallWire

/// A host that speaks for others: byebyes of devices that stay, alives of devices that are elsewhere (D81).
package struct ByebyeSpoofer: Machine, Sendable {
  package enum Message: Hashable, Sendable {
    case byebye
    /// An announcement with this LOCATION.
    case alive(location: String)
  }

  /// Somebody whose messages are forged without having been heard.
  package struct Victim: Hashable, Sendable {
    package var nt: String
    package var usn: String
    package init(nt: String, usn: String) { (self.nt, self.usn) = (nt, usn) }
    /// The root message of a device.
    package init(uuid: String) { self.init(nt: "upnp:rootdevice", usn: "uuid:\(uuid)::upnp:rootdevice") }
  }

  package struct Plan: Hashable, Sendable {
    package var message = Message.byebye
    package var victims: [Victim] = []
    /// From `appear` to the first forgery about each victim, and from one to the next.
    package var interval = Interval.seconds(10)
    /// Whether it forges about every alive that it hears.
    package var overhears = false
    /// From an overheard alive to its forgery.
    package var delay: ClosedRange<Interval> = .milliseconds(10) ... .milliseconds(100)
    /// Whether the forgery comes from the victim's address; only overheard victims have one.
    package var impersonates = false
    /// BOOTID and CONFIGID of an overheard message are repeated.
    package var repeatsNumbers = true
    package init() {}
  }

  private struct Forgery: Sendable {
    var due: Instant
    var nt: [UInt8]
    var usn: [UInt8]
    var bootID: Int64
    var configID: Int64
    var source: IPAddress
    var interface: InterfaceID
  }

  /// Forgeries that may wait at a time; more are not taken on.
  package static let pendingCountMaximum = 256

  package let plan: Plan
  package private(set) var forgedCount = 0
  private let template: SSDPTemplate
  private var attachments: [Attachment] = []
  private var draws: RandomStream
  private var isOn = false
  private var roundDue = Instant.never
  private var pending: [Forgery] = []

  package init(_ plan: Plan, seed: Seed, name: String) {
    self.plan = plan
    draws = seed.stream(name + "/forgeries")
    var pieces: [SSDPTemplate.Piece] = [.text("NOTIFY * HTTP/1.1\r\nHOST: "), .hole(0), .text("\r\n")]
    switch plan.message {
    case .byebye: pieces.append(.text("NTS: ssdp:byebye\r\n"))
    case .alive(let location):
      let safe = String(String.UnicodeScalarView(location.unicodeScalars.filter { $0.value >= 32 }.prefix(512)))
      pieces.append(
        .text(
          "CACHE-CONTROL: max-age=1800\r\nLOCATION: \(safe)\r\nNTS: ssdp:alive\r\nSERVER: Linux/6.6 UPnP/1.1 Other/1.0\r\n"
        ))
    }
    template = SSDPTemplate(
      pieces + [.text("NT: "), .hole(1), .text("\r\nUSN: "), .hole(2), .text("\r\n"), .hole(3), .text("\r\n")])
  }

  package var deadline: Instant? {
    var next = roundDue
    for forgery in pending where forgery.due < next { next = forgery.due }
    return next == .never ? nil : next
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram): if isOn, plan.overhears { overhear(datagram, at: now, outbox.payloads) }
    case .value(let id): take(outbox.values[id], at: now, into: &outbox)
    }
  }

  private mutating func take(_ value: SignalValue, at now: Instant, into outbox: inout Outbox) {
    switch value {
    case .host(.interface(let change)):
      attachments.take(change)
      if isOn, plan.overhears { attachments.join(into: &outbox) }
    case .application(.act(.appear)):
      isOn = true
      if plan.overhears { attachments.join(into: &outbox) }
      if !plan.victims.isEmpty { roundDue = now + plan.interval }
    case .application(.act(.send(let script))):
      if plan.victims.indices.contains(script) { forge(plan.victims[script], at: now, into: &outbox) }
    case .application(.act(.leave)), .application(.act(.vanish)): (isOn, roundDue, pending) = (false, .never, [])
    default: break
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    if roundDue <= now {
      roundDue = now + max(plan.interval, .milliseconds(1))
      for victim in plan.victims { forge(victim, at: now, into: &outbox) }
    }
    guard pending.contains(where: { $0.due <= now }) else { return }
    let due = pending.filter { $0.due <= now }
    pending.removeAll { $0.due <= now }
    for forgery in due { send(forgery, into: &outbox) }
  }

  private mutating func overhear(_ datagram: Datagram, at now: Instant, _ payloads: PayloadStore) {
    guard pending.count < ByebyeSpoofer.pendingCountMaximum, datagram.destination.address.isMulticast,
      case .message(let message) = SSDPReader.reading(of: datagram.payload, in: payloads, mode: .lenient),
      message.kind == .notifyAlive, let nt = message.value(of: .nt), let usn = message.value(of: .usn),
      let index = attachments.index(of: datagram.interface),
      let own = attachments[index].address(datagram.source.address.family == .v6), own != datagram.source.address
    else { return }
    pending.append(
      Forgery(
        due: now + draws.interval(in: plan.delay), nt: Array(nt.prefix(256)), usn: Array(usn.prefix(256)),
        bootID: plan.repeatsNumbers ? message.index.pointee.bootID : -1,
        configID: plan.repeatsNumbers ? message.index.pointee.configID : -1,
        source: plan.impersonates ? datagram.source.address : own, interface: datagram.interface))
  }

  private mutating func forge(_ victim: Victim, at now: Instant, into outbox: inout Outbox) {
    for attachment in attachments {
      for isV6 in [false, true] {
        guard let source = attachment.address(isV6) else { continue }
        send(
          Forgery(
            due: now, nt: Array(victim.nt.utf8.prefix(256)), usn: Array(victim.usn.utf8.prefix(256)), bootID: -1,
            configID: -1, source: source, interface: attachment.interface), into: &outbox)
      }
    }
  }

  private mutating func send(_ forgery: Forgery, into outbox: inout Outbox) {
    forgedCount += 1
    let isV6 = forgery.source.family == .v6
    let payload = template.write(to: outbox.payloads) { hole, writer in
      switch hole {
      case 0: writer.append(isV6 ? "[FF02::C]:1900" as StaticString : "239.255.255.250:1900" as StaticString)
      case 1: writer.append(forgery.nt)
      case 2: writer.append(forgery.usn)
      default:
        if forgery.bootID >= 0 { writer.append("BOOTID.UPNP.ORG: \(forgery.bootID)\r\n") }
        if forgery.configID >= 0 { writer.append("CONFIGID.UPNP.ORG: \(forgery.configID)\r\n") }
      }
    }
    outbox.transmit(
      Datagram(
        source: Endpoint(forgery.source, port: RootDevice.ssdpPort),
        destination: .ssdp(isV6: isV6),
        interface: forgery.interface, hopLimit: 2, payload: payload))
  }
}
