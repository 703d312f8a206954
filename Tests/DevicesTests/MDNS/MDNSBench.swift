import RollcallDevices
import RollcallPrimitives
import RollcallWire

/// A responder on a bench: messages go in, what it says comes out as text with its time.
struct MDNSBench {
  var machine: MDNSResponder
  var outbox = Outbox(payloads: PayloadStore())
  var now = Instant.zero
  /// Everything that was sent and not taken yet, a line for each message and each of its entries.
  private var lines: [String] = []
  private(set) var messages: [DNSMessage] = []
  private(set) var sizes: [Int] = []
  private(set) var times: [Instant] = []
  /// Joins, leaves and changes of address.
  private(set) var others: [String] = []

  static let own = IPAddress(192, 168, 1, 20)
  static let peer = Endpoint(IPAddress(192, 168, 1, 9), port: 5_353)

  init(_ plan: MDNSPlan, seed: UInt64 = 1) { machine = MDNSResponder(plan, seed: Seed(seed), name: "host") }

  // MARK: What comes out

  private mutating func collect() {
    for effect in outbox.effects {
      guard case .transmit(let datagram) = effect else {
        others.append(effect.value?.text ?? "")
        continue
      }
      let bytes = outbox.payloads.array(of: datagram.payload)
      outbox.payloads.release(datagram.payload)
      let reading = bytes.withUnsafeBytes { try? DNSReader.read($0) }
      guard let message = reading?.message, reading?.faults.isEmpty == true else {
        lines.append("unreadable")
        continue
      }
      messages.append(message)
      sizes.append(bytes.count)
      times.append(now)
      let milliseconds = now.nanoseconds / 1_000_000
      let to = datagram.destination
      var head = "\(milliseconds) if\(datagram.interface.number) \(datagram.source) > \(to) ttl\(datagram.hopLimit)"
      if message.id != 0 { head += " id \(message.id)" }
      lines.append(head + (message.flags.isResponse ? " response" : " query"))
      lines += message.entries.map { "  " + $0 }
    }
    outbox.removeAll()
  }

  /// Takes the lines of what was sent until now.
  mutating func said() -> [String] {
    defer { (lines, messages, sizes, times) = ([], [], [], []) }
    return lines
  }

  // MARK: What goes in

  mutating func give(_ signal: SignalValue) {
    machine.receive(signal, at: now, into: &outbox)
    collect()
  }
  mutating func act(_ act: Act) { give(.command(.act(act))) }
  mutating func up(_ interface: UInt16 = 0, _ addresses: String...) {
    let list = addresses.isEmpty ? ["192.168.1.20"] : addresses
    give(
      .interface(
        InterfaceChange(
          interface: InterfaceID(interface), isUp: true,
          addresses: list.map { text in
            let address = IPAddress(text)!
            return InterfaceAddress(address, prefixBits: address.family == .v4 ? 24 : 64)
          })))
  }
  mutating func down(_ interface: UInt16 = 0) {
    give(.interface(InterfaceChange(interface: InterfaceID(interface), isUp: false, addresses: [])))
  }

  mutating func hear(
    _ message: DNSMessage, from source: Endpoint = MDNSBench.peer, to destination: Endpoint = .mdns(.v4),
    on interface: UInt16 = 0
  ) {
    hear(message.bytes, from: source, to: destination, on: interface)
  }

  mutating func hear(
    _ bytes: [UInt8], from source: Endpoint = MDNSBench.peer, to destination: Endpoint = .mdns(.v4),
    on interface: UInt16 = 0
  ) {
    let payload = outbox.payloads.store(bytes)
    let datagram = Datagram(
      source: source, destination: destination, interface: InterfaceID(interface), hopLimit: 255, payload: payload)
    machine.receive(.datagram(datagram), at: now, into: &outbox)
    collect()
    outbox.payloads.release(payload)
  }

  mutating func ask(
    _ questions: [DNSQuestion], known: [DNSRecord] = [], isTruncated: Bool = false,
    from source: Endpoint = MDNSBench.peer,
    to destination: Endpoint = .mdns(.v4), id: UInt16 = 0, on interface: UInt16 = 0
  ) {
    var flags = DNSFlags.query
    flags.isTruncated = isTruncated
    hear(
      DNSMessage(id: id, flags: flags, questions: questions, answers: known), from: source, to: destination,
      on: interface)
  }
  mutating func ask(_ name: String, _ type: DNSType, wantsUnicast: Bool = false, known: [DNSRecord] = []) {
    ask([DNSQuestion(DNSName(name)!, type, wantsUnicast: wantsUnicast)], known: known)
  }
  mutating func tell(
    _ records: [DNSRecord], from source: Endpoint = MDNSBench.peer, to destination: Endpoint = .mdns(.v4),
    on interface: UInt16 = 0
  ) {
    hear(DNSMessage(flags: .response, answers: records), from: source, to: destination, on: interface)
  }
  mutating func probe(_ records: [DNSRecord], from source: Endpoint = MDNSBench.peer) {
    var names: [DNSName] = []
    for record in records where !names.contains(record.name) { names.append(record.name) }
    hear(
      DNSMessage(
        flags: .query, questions: names.map { DNSQuestion($0, .any, wantsUnicast: true) }, authorities: records),
      from: source)
  }

  /// Wakes at every deadline up to and with `end`.
  mutating func run(until end: Instant) {
    while let deadline = machine.deadline, deadline <= end {
      now = max(now, deadline)
      machine.wake(at: now, into: &outbox)
      collect()
    }
    now = end
  }
  mutating func run(_ milliseconds: Int64) { run(until: now + .milliseconds(milliseconds)) }

  /// On the network, with everything announced and a quiet time behind it.
  static func settled(_ plan: MDNSPlan, seed: UInt64 = 1) -> MDNSBench {
    var bench = MDNSBench(plan, seed: seed)
    bench.up()
    bench.act(.appear)
    bench.run(until: .zero + .seconds(10))
    _ = bench.said()
    return bench
  }
}

extension DNSMessage {
  /// `? name TYPE`, `an`, `ns` and `ar` with a record.
  var entries: [String] {
    questions.map { "? \($0.name) \($0.type)" + ($0.wantsUnicast ? " QU" : "") } + answers.map { "an \($0.text)" }
      + authorities.map { "ns \($0.text)" } + additionals.map { "ar \($0.text)" }
  }
}

extension DNSRecord {
  /// `name 120 TYPE data`, with `flush` behind the TTL where the bit is set.
  var text: String { "\(name) \(ttlSeconds)\(isCacheFlush ? " flush" : "") \(type) \(data.text)" }
}

extension DNSData {
  var text: String {
    switch self {
    case .address(let address): address.description
    case .ptr(let name), .cname(let name): name.description
    case .srv(let priority, let weight, let port, let target): "\(priority) \(weight) \(port) \(target)"
    case .txt(let bytes): bytes == [0] ? "-" : String(decoding: bytes.dropFirst(), as: UTF8.self)
    case .nsec(_, let types): types.map(\.description).joined(separator: "+")
    case .opt, .other: "\(bytes)"
    }
  }
}

func a(_ name: String, _ address: String, ttl: UInt32 = 120, flush: Bool = true) -> DNSRecord {
  DNSRecord(DNSName(name)!, .address(IPAddress(address)!), ttlSeconds: ttl, isCacheFlush: flush)
}
func srv(_ name: String, _ port: UInt16, _ target: String, ttl: UInt32 = 120) -> DNSRecord {
  DNSRecord(
    DNSName(name)!, .srv(priority: 0, weight: 0, port: port, target: DNSName(target)!), ttlSeconds: ttl,
    isCacheFlush: true)
}
func ptr(_ name: String, _ target: String, ttl: UInt32 = 4_500) -> DNSRecord {
  DNSRecord(DNSName(name)!, .ptr(DNSName(target)!), ttlSeconds: ttl)
}
func txt(_ name: String, _ strings: String..., ttl: UInt32 = 4_500) -> DNSRecord {
  let bytes = strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
  return DNSRecord(DNSName(name)!, .txt(bytes.isEmpty ? [0] : bytes), ttlSeconds: ttl, isCacheFlush: true)
}

let web = try! ServiceType("http", .tcp)

/// A host of forty services, and of one whose TXT record is larger than a message should be.
let crowdedPlan: MDNSPlan = {
  var plan = MDNSPlan(host: "shop")
  plan.services = (0..<40).map { MDNSService(web, "Service number \($0)", port: UInt16($0)) }
  var large: [UInt8] = []
  for _ in 0..<8 { large += [255] + [UInt8](repeating: 0x78, count: 255) }
  plan.services.append(MDNSService(web, "Large", port: 9, txt: large))
  return plan
}()

let shopPlan = MDNSPlan(
  host: "shop", services: [MDNSService(web, "Shop", port: 80, txt: [3] + Array("a=1".utf8))])

/// Tests of `shopPlan` that compare the lines of its records, and the line above those of a multicast response.
protocol ShopLines {}

extension ShopLines {
  var shop: String { "Shop._http._tcp.local" }
  var listing: String { "_services._dns-sd._udp.local" }
  var pointer: String { "_http._tcp.local 4500 PTR \(shop)" }
  var service: String { "\(shop) 120 flush SRV 0 0 80 shop.local" }
  var text: String { "\(shop) 4500 flush TXT a=1" }
  var address: String { "shop.local 120 flush A 192.168.1.20" }
  var absence: String { "shop.local 120 flush NSEC A" }
  var head: String { " if0 192.168.1.20:5353 > 224.0.0.251:5353 ttl255 response" }
}
