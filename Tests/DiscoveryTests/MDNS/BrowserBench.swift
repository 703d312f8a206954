import RollcallDiscovery
import RollcallPrimitives
import RollcallWire

/// A browser on a bench: messages go in, its queries and what it tells come out as text with its time.
struct BrowserBench {
  var browser: ServiceBrowser
  var outbox = Outbox(payloads: PayloadStore())
  var now = Instant.zero
  private var lines: [String] = []
  private(set) var times: [Instant] = []
  private(set) var messages: [DNSMessage] = []
  private(set) var rejections: [String] = []
  private(set) var others: [String] = []

  static let host = Endpoint(IPAddress(192, 168, 1, 20), port: 5_353)

  init(_ types: [ServiceType] = [web], policy: BrowserPolicy = BrowserPolicy(), seed: UInt64 = 1, isUp: Bool = true) {
    browser = ServiceBrowser(types, policy: policy, seed: Seed(seed), name: "browser")
    if isUp { up() }
  }

  private mutating func collect() {
    for effect in outbox.effects {
      switch effect {
      case .transmit(let datagram):
        let bytes = outbox.payloads.array(of: datagram.payload)
        outbox.payloads.release(datagram.payload)
        let reading = bytes.withUnsafeBytes { try? DNSReader.read($0) }
        guard let message = reading?.message, reading?.faults.isEmpty == true else {
          lines.append("unreadable")
          continue
        }
        messages.append(message)
        times.append(now)
        let to = "\(datagram.source) > \(datagram.destination) ttl\(datagram.hopLimit)"
        lines.append("\(milliseconds) if\(datagram.interface.number) \(to)" + (message.flags.isTruncated ? " TC" : ""))
        lines += message.questions.map { "  ? \($0.name) \($0.type)" + ($0.wantsUnicast ? " QU" : "") }
        lines += message.answers.map { "  an \($0.name) \($0.ttlSeconds) \($0.type) \(text($0.data))" }
      case .application(.rejected(let rejection)): rejections.append("\(rejection.reason) at \(rejection.offset)")
      default: others.append(effect.value?.text ?? "")
      }
    }
    outbox.removeAll()
  }

  private var milliseconds: Int64 { now.nanoseconds / 1_000_000 }

  private func text(_ data: DNSData) -> String { if case .ptr(let name) = data { "\(name)" } else { "\(data)" } }

  /// Takes the lines of what was asked until now.
  mutating func said() -> [String] {
    defer { (lines, times, messages) = ([], [], []) }
    return lines
  }
  /// The questions alone, with the instant in milliseconds.
  mutating func asked() -> [String] {
    defer { _ = said() }
    return zip(times, messages).flatMap { time, message in
      message.questions.map {
        "\(time.nanoseconds / 1_000_000) \($0.name) \($0.type)" + ($0.wantsUnicast ? " QU" : "")
      }
    }
  }

  /// Takes what there is to tell.
  mutating func told() -> [String] {
    browser.takeEvents().map { event in
      switch event {
      case .found(let service): "found \(service.text)"
      case .changed(let service, let old): "changed \(service.text), was \(old.text)"
      case .lost(let service, let cause): "lost \(service.name.domainName) \(cause)"
      }
    }
  }
  mutating func takeRejections() -> [String] {
    defer { rejections = [] }
    return rejections
  }

  mutating func give(_ signal: SignalValue) {
    browser.receive(signal, at: now, into: &outbox)
    collect()
  }
  mutating func up(_ interface: UInt16 = 0, _ address: String = "192.168.1.9") {
    let address = InterfaceAddress(IPAddress(address)!, prefixBits: 24)
    give(.interface(InterfaceChange(interface: InterfaceID(interface), isUp: true, addresses: [address])))
  }
  mutating func down(_ interface: UInt16 = 0) {
    give(.interface(InterfaceChange(interface: InterfaceID(interface), isUp: false, addresses: [])))
  }

  mutating func hear(
    _ bytes: [UInt8], from source: Endpoint = BrowserBench.host, to destination: Endpoint = .mdns(.v4),
    on interface: UInt16 = 0
  ) {
    let payload = outbox.payloads.store(bytes)
    let datagram = Datagram(
      source: source, destination: destination, interface: InterfaceID(interface), hopLimit: 255, payload: payload)
    browser.receive(.datagram(datagram), at: now, into: &outbox)
    collect()
    outbox.payloads.release(payload)
  }
  mutating func tell(
    _ records: [DNSRecord], from source: Endpoint = BrowserBench.host, to destination: Endpoint = .mdns(.v4),
    on interface: UInt16 = 0
  ) {
    hear(DNSMessage(flags: .response, answers: records).bytes, from: source, to: destination, on: interface)
  }
  mutating func ask(
    _ name: String, _ type: DNSType, wantsUnicast: Bool = false, known: [DNSRecord] = [],
    from asker: IPAddress = IPAddress(192, 168, 1, 7), port: UInt16 = 5_353
  ) {
    let question = DNSQuestion(DNSName(name)!, type, wantsUnicast: wantsUnicast)
    hear(
      DNSMessage(flags: .query, questions: [question], answers: known).bytes,
      from: Endpoint(asker, port: port))
  }

  mutating func run(until end: Instant) {
    while let deadline = browser.deadline, deadline <= end {
      now = max(now, deadline)
      browser.wake(at: now, into: &outbox)
      collect()
    }
    now = end
  }
  mutating func run(_ milliseconds: Int64) { run(until: now + .milliseconds(milliseconds)) }
  mutating func run(seconds: Int64) { run(until: now + .seconds(seconds)) }
}

extension FoundService {
  var text: String {
    let addresses = locators.map { "\($0.address)" + ($0.interface.map { "/if\($0.number)" } ?? "") }
    let pairs = txt == [0] ? "-" : String(decoding: txt.dropFirst(), as: UTF8.self)
    return "\(name.domainName) \(host):\(port) \(pairs) \(addresses.joined(separator: " "))"
  }
}

let web = try! ServiceType("http", .tcp)
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
func txt(_ name: String, _ string: String, ttl: UInt32 = 4_500) -> DNSRecord {
  DNSRecord(
    DNSName(name)!, .txt([UInt8(string.utf8.count)] + Array(string.utf8)), ttlSeconds: ttl, isCacheFlush: true)
}

/// What a host with one service says of it.
func shop(_ port: UInt16 = 80, _ text: String = "a=1", _ address: String = "192.168.1.20") -> [DNSRecord] {
  let name = "Shop._http._tcp.local"
  return [
    ptr("_http._tcp.local", name), srv(name, port, "shop.local"), txt(name, text), a("shop.local", address),
  ]
}
