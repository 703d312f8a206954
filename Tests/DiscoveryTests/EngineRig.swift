import RollcallDiscovery
import Foundation
import RollcallPrimitives
import RollcallWire
import Testing

/// An engine, its outbox, and a store: each call answers with everything the engine wanted, and forgets it.
struct EngineRig {
  /// One datagram that the engine sent, as text.
  struct Sent: Equatable {
    var source: String
    var destination: String
    var interface: UInt16
    var hopLimit: UInt8
    var text: String
  }

  let store = PayloadStore()
  var engine: DiscoveryEngine
  var outbox: Outbox
  /// What the last call sent; `effects` hold everything else.
  var sent: [Sent] = []

  static let ours = IPAddress(192, 168, 1, 2)
  static let tv = IPAddress(192, 168, 1, 20)

  /// An engine with interface 0 up at 192.168.1.2/24, unless `isUp` is false.
  init(_ switches: EngineSwitches = [], isUp: Bool = true, _ configure: (inout EngineConfiguration) -> Void = { _ in })
  {
    var configuration = EngineConfiguration()
    configuration.switches = switches
    configure(&configuration)
    engine = DiscoveryEngine(configuration)
    outbox = Outbox(payloads: store)
    if isUp { _ = bring(0, [InterfaceAddress(EngineRig.ours, prefixBits: 24)], at: 0) }
  }

  mutating func answer() -> [Effect] {
    var effects: [Effect] = []
    sent = []
    for effect in outbox.effects {
      guard case .transmit(let datagram) = effect else {
        effects.append(effect)
        continue
      }
      sent.append(
        Sent(
          source: "\(datagram.source)", destination: "\(datagram.destination)", interface: datagram.interface.number,
          hopLimit: datagram.hopLimit, text: String(decoding: store.array(of: datagram.payload), as: UTF8.self)))
      store.release(datagram.payload)
    }
    outbox.removeAll()
    return effects
  }

  mutating func give(_ signal: SignalValue, at seconds: Double) -> [Effect] {
    engine.receive(signal, at: at(seconds), into: &outbox)
    return answer()
  }
  mutating func give(_ signal: Signal, at seconds: Double) -> [Effect] {
    engine.receive(signal, at: at(seconds), into: &outbox)
    return answer()
  }

  mutating func hear(
    _ text: String, from source: IPAddress = EngineRig.tv, to destination: Endpoint? = nil, on interface: UInt16 = 0,
    at seconds: Double
  ) -> [Effect] {
    let payload = store.store(Array(text.utf8))
    defer { store.release(payload) }
    let group = Endpoint.ssdp(source.family)
    let datagram = Datagram(
      source: Endpoint(source, port: 1900), destination: destination ?? group, interface: InterfaceID(interface),
      hopLimit: 2, payload: payload)
    return give(.datagram(datagram), at: seconds)
  }

  mutating func command(_ command: Command, at seconds: Double) -> [Effect] { give(.command(command), at: seconds) }

  mutating func bring(_ interface: UInt16, _ addresses: [InterfaceAddress], at seconds: Double) -> [Effect] {
    give(
      .interface(InterfaceChange(interface: InterfaceID(interface), isUp: !addresses.isEmpty, addresses: addresses)),
      at: seconds)
  }

  mutating func wake(at seconds: Double) -> [Effect] {
    engine.wake(at: at(seconds), into: &outbox)
    return answer()
  }

  mutating func wake(exactlyAt instant: Instant) -> [Effect] {
    engine.wake(at: instant, into: &outbox)
    return answer()
  }

  /// Wakes the engine at each of its deadlines up to `seconds`, and collects what it says with the second it says it.
  mutating func run(until seconds: Double) -> [Timed] {
    var all: [Timed] = []
    var rounds = 0
    while let deadline = engine.deadline, deadline <= at(seconds) {
      engine.wake(at: deadline, into: &outbox)
      all += answer().map { Timed(deadline, $0) }
      rounds += 1
      if rounds > 100_000 {
        Issue.record("the engine wants to be woken without end")
        break
      }
    }
    return all
  }
}

struct Timed: Equatable {
  var instant: Instant
  var effect: Effect
  init(_ instant: Instant, _ effect: Effect) { (self.instant, self.effect) = (instant, effect) }
}

/// Seconds to an instant; tests use binary fractions and milliseconds.
func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64((seconds * 1_000).rounded()) * 1_000_000) }

// MARK: Messages

let tvLocation = "http://192.168.1.20:80/d.xml"

func usn(_ uuid: String, _ target: String) -> String {
  target.hasPrefix("uuid:") ? "uuid:\(uuid)" : "uuid:\(uuid)::\(target)"
}

private func lines(_ start: String, _ fields: [String?]) -> String {
  ([start] + fields.compactMap { $0 } + ["", ""]).joined(separator: "\r\n")
}

func alive(
  _ uuid: String = "tv", _ target: String = "upnp:rootdevice", usn name: String? = nil,
  location: String? = tvLocation, maxAge: String? = "1800", boot: Int? = nil, config: Int? = nil,
  extra: String? = nil, nts: String = "ssdp:alive"
) -> String {
  lines(
    "NOTIFY * HTTP/1.1",
    [
      "HOST: 239.255.255.250:1900", "NT: \(target)", "NTS: \(nts)", "USN: \(name ?? usn(uuid, target))",
      location.map { "LOCATION: \($0)" }, maxAge.map { "CACHE-CONTROL: max-age=\($0)" },
      boot.map { "BOOTID.UPNP.ORG: \($0)" }, config.map { "CONFIGID.UPNP.ORG: \($0)" }, extra,
    ])
}

func byebye(
  _ uuid: String = "tv", _ target: String = "upnp:rootdevice", boot: Int? = nil, extra: String? = nil
) -> String {
  alive(uuid, target, location: nil, maxAge: nil, boot: boot, extra: extra, nts: "ssdp:byebye")
}

func update(
  _ uuid: String = "tv", _ target: String = "upnp:rootdevice", boot: Int, next: Int
) -> String {
  alive(
    uuid, target, maxAge: nil, boot: boot, extra: "NEXTBOOTID.UPNP.ORG: \(next)", nts: "ssdp:update")
}

func response(
  _ uuid: String = "tv", _ target: String = "upnp:rootdevice", usn name: String? = nil,
  location: String = tvLocation, maxAge: String = "1800", boot: Int? = nil
) -> String {
  lines(
    "HTTP/1.1 200 OK",
    [
      "CACHE-CONTROL: max-age=\(maxAge)", "EXT:", "LOCATION: \(location)", "SERVER: OS/1 UPnP/1.0 tv/1",
      "ST: \(target)", "USN: \(name ?? usn(uuid, target))", boot.map { "BOOTID.UPNP.ORG: \($0)" },
    ])
}

// MARK: Effects

func seen(
  _ uuid: String = "tv", _ location: String? = tvLocation, from source: IPAddress = EngineRig.tv,
  on interface: UInt16 = 0, boot: UInt32? = nil
) -> DeviceSighting {
  DeviceSighting(
    device: "uuid:\(uuid)", location: location, source: source, interface: InterfaceID(interface), bootID: boot)
}

func found(
  _ uuid: String = "tv", _ location: String? = tvLocation, from source: IPAddress = EngineRig.tv,
  on interface: UInt16 = 0, boot: UInt32? = nil
) -> Effect {
  .report(.found(seen(uuid, location, from: source, on: interface, boot: boot)))
}

func changed(_ sighting: DeviceSighting, _ change: Change) -> Effect { .report(.changed(sighting, change)) }

func lost(_ uuid: String = "tv", _ cause: LossCause) -> Effect { .report(.lost(device: "uuid:\(uuid)", cause: cause)) }

/// A refusal at the value of the first `field` of `text`, or at its beginning.
func rejected(_ reason: RejectionReason, _ text: String, at field: String? = "USN: ") -> Effect {
  guard let field, let range = text.range(of: field) else { return .report(.rejected(Rejection(reason, at: 0))) }
  return .report(.rejected(Rejection(reason, at: text.utf8.distance(from: text.startIndex, to: range.upperBound))))
}

/// Tests of captured searches: three sockets, two of them of one host, and a search that left one of them.
protocol SearchesOfSockets {}

extension SearchesOfSockets {
  var a: Endpoint { Endpoint(IPAddress(192, 168, 1, 9), port: 50_001) }
  var b: Endpoint { Endpoint(IPAddress(192, 168, 1, 10), port: 50_001) }
  var c: Endpoint { Endpoint(IPAddress(192, 168, 1, 9), port: 50_002) }
  var foo: String { "urn:x:service:Foo:" }

  func adopt(_ number: UInt32, _ target: String = "ssdp:all", mx: Int = 1, from socket: Endpoint) -> Command {
    .adopt(Search(id: SearchID(number), target: target, maximumWaitSeconds: mx), copyAt: socket)
  }
}
