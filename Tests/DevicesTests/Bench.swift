import RollcallDevices
import RollcallPrimitives
import RollcallWire

/// A machine on a bench: signals go in, what it sends comes out with its time, nobody else is there.
struct Bench<Subject: Machine> {
  struct Sent: Equatable {
    var at: Instant
    var interface: InterfaceID
    var source: Endpoint
    var destination: Endpoint
    var hopLimit: UInt8
    var bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var startLine: String { lines.first ?? "" }
    var lines: [String] { text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init) }
    func field(_ name: String) -> String? {
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[0].uppercased() == name { return parts[1].trimmed }
      }
      return nil
    }
    var nts: String { field("NTS") ?? "" }
    /// `alive upnp:rootdevice`, `byebye …`, `200 …`
    var summary: String {
      startLine.hasPrefix("HTTP") ? "200 \(field("ST") ?? "-")" : "\(nts.dropFirst(5)) \(field("NT") ?? "-")"
    }
  }

  var machine: Subject
  var outbox = Outbox(payloads: PayloadStore())
  var now = Instant.zero
  var sent: [Sent] = []
  /// Joins, leaves and changes of address, with how many datagrams had been sent before.
  var others: [(effect: Effect, after: Int)] = []

  init(_ machine: Subject) { self.machine = machine }

  mutating func collect() {
    for effect in outbox.effects {
      guard case .transmit(let datagram) = effect else {
        others.append((effect, sent.count))
        continue
      }
      sent.append(
        Sent(
          at: now, interface: datagram.interface, source: datagram.source, destination: datagram.destination,
          hopLimit: datagram.hopLimit, bytes: outbox.payloads.array(of: datagram.payload)))
      outbox.payloads.release(datagram.payload)
    }
    outbox.removeAll()
  }

  mutating func receive(_ signal: SignalValue) {
    machine.receive(signal, at: now, into: &outbox)
    collect()
  }
  mutating func act(_ act: Act) { receive(.command(.act(act))) }

  /// Wakes at every deadline up to and with `end`.
  mutating func run(until end: Instant) {
    while let deadline = machine.deadline, deadline <= end {
      now = max(now, deadline)
      machine.wake(at: now, into: &outbox)
      collect()
    }
    now = end
  }
  mutating func run(for interval: Interval) { run(until: now + interval) }

  /// - Parameter modes: others read the text in these before.
  mutating func hear(
    _ text: String, from source: Endpoint = Endpoint(IPAddress(192, 168, 1, 9), port: 50_000),
    to destination: Endpoint = Endpoint(.ssdpGroup4, port: 1_900), on interface: Int = 0,
    readBefore modes: [SSDPMode] = []
  ) {
    let payload = outbox.payloads.store(Array(text.utf8))
    for mode in modes { _ = SSDPReader.reading(of: payload, in: outbox.payloads, mode: mode) }
    let datagram = Datagram(
      source: source, destination: destination, interface: InterfaceID(UInt16(interface)), hopLimit: 2,
      payload: payload)
    machine.receive(.datagram(datagram), at: now, into: &outbox)
    collect()
    outbox.payloads.release(payload)
  }

  /// Takes what was sent until now.
  mutating func takeSent() -> [Sent] {
    defer { sent = [] }
    return sent
  }
}

extension StringProtocol {
  var trimmed: String {
    var text = Substring(self)
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}

func up(_ interface: Int, _ addresses: String...) -> SignalValue {
  .interface(
    InterfaceChange(
      interface: InterfaceID(UInt16(interface)), isUp: true,
      addresses: addresses.map { text in
        let address = IPAddress(text)!
        return InterfaceAddress(address, prefixBits: address.family == .v4 ? 24 : 64)
      }))
}
func down(_ interface: Int) -> SignalValue {
  .interface(InterfaceChange(interface: InterfaceID(UInt16(interface)), isUp: false, addresses: []))
}

func search(_ target: String, mx: String? = "3", man: String? = "\"ssdp:discover\"") -> String {
  "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n" + (man.map { "MAN: \($0)\r\n" } ?? "")
    + (mx.map { "MX: \($0)\r\n" } ?? "") + "ST: \(target)\r\n\r\n"
}

/// ssdp:alive of another device.
let foreignAnnouncement =
  "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:alive\r\nNT: x\r\nUSN: uuid:1::x\r\n\r\n"

let rootUUID = DeviceUUID("2fac1234-31f8-11b4-a222-08002b34c003")!

/// A correct device with one embedded device: 3 + 2 · 1 + 4 messages, since one service type stands twice in the root.
func treeDescription(_ uda: UDAVersion = .uda20) -> DeviceDescription {
  var description = DeviceDescription(
    uda: uda,
    root: DevicePart(
      type: "urn:schemas-upnp-org:device:MediaServer:2",
      services: [
        "urn:schemas-upnp-org:service:ContentDirectory:3", "urn:schemas-upnp-org:service:ConnectionManager:1",
        "urn:schemas-upnp-org:service:ContentDirectory:3",
      ], uuid: rootUUID),
    embedded: [
      DevicePart(
        type: "urn:schemas-upnp-org:device:MediaRenderer:1",
        services: ["urn:schemas-upnp-org:service:ConnectionManager:1", "urn:example-org:service:Lamp:10"])
    ])
  description.server = uda == .uda10 ? "Linux/6.6 UPnP/1.0 Test/1.0" : nil
  return description
}
let treeCount = 9

func bench(
  _ description: DeviceDescription = treeDescription(), _ quirks: [Quirk] = [], seed: UInt64 = 1,
  addresses: [SignalValue] = [up(0, "192.168.1.20")]
) -> Bench<RootDevice> {
  var bench = Bench(RootDevice(description, quirks: quirks, seed: Seed(seed), name: "device"))
  for signal in addresses { bench.receive(signal) }
  return bench
}
