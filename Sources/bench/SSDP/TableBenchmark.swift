import RollcallDiscovery
import Foundation
import RollcallPrimitives
import RollcallWire

/// A known device says again that it is there: what nearly every message of a living network is.
enum TableBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    let count = options.size(10_000, smoke: 20)
    let fixture = Fixture(deviceCount: count)
    let contest = Contest(
      [
        Contender("engine", operations: count) { fixture.refreshAll() },
        Contender("dictionary", operations: count) { fixture.refreshDictionary() },
        Contender("reading", operations: count) { fixture.readAll() },
      ], passes: options.passes(11))
    let reading = contest.median(2)
    report.note(
      "table: ssdp:alive of \(count) known devices in random order, each copied into a buffer and read anew, which")
    report.note("alone takes \(Report.number(reading)) ns: both figures are what comes on top")
    report.add(
      Figure(
        name: "refresh of a known device", value: contest.median(0) - reading, unit: "ns",
        anchor: ("a Dictionary<String, Int64> by USN", contest.median(1) - reading),
        ratio: (contest.median(0) - reading) / max(1, contest.median(1) - reading)))
    return contest.proof
  }

  private final class Fixture {
    private let store = PayloadStore()
    private var engine: DiscoveryEngine
    private var outbox: Outbox
    private var messages: [(source: IPAddress, bytes: [UInt8])] = []
    private var now = Instant.zero + .seconds(1)
    private var leases: [String: Int64] = [:]

    init(deviceCount: Int) {
      engine = DiscoveryEngine()
      outbox = Outbox(payloads: store)
      let own = InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 8)
      engine.receive(
        .interface(InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: [own])), at: now, into: &outbox)
      var dice = Seed(5).stream("table")
      var order = Array(0..<deviceCount)
      for index in order.indices.reversed() { order.swapAt(index, Int(dice.below(UInt64(index + 1)))) }
      for number in order {
        let host = IPAddress(v4: 10 << 24 | UInt32(number + 2))
        let uuid = "4f7c2a1e-\(String(10_000 + number % 50_000))-4abc-9def-\(String(100_000_000_000 + number))"
        let text =
          "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nCACHE-CONTROL: max-age=1800\r\n"
          + "LOCATION: http://\(host):49152/description.xml\r\nNT: upnp:rootdevice\r\nNTS: ssdp:alive\r\n"
          + "SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0\r\nUSN: uuid:\(uuid)::upnp:rootdevice\r\n"
          + "BOOTID.UPNP.ORG: 1\r\nCONFIGID.UPNP.ORG: 1\r\n\r\n"
        messages.append((host, Array(text.utf8)))
      }
      _ = refreshAll()
      precondition(engine.counters.devicesPresent == deviceCount, "every device is known")
    }

    func refreshAll() -> UInt64 {
      for message in messages {
        let datagram = arrival(message)
        engine.receive(.datagram(datagram), at: now, into: &outbox)
        if !outbox.isEmpty { outbox.removeAll() }
        store.release(datagram.payload)
      }
      return UInt64(engine.counters.openLeases)
    }

    func refreshDictionary() -> UInt64 {
      for message in messages {
        let datagram = arrival(message)
        if case .message(let message) = SSDPReader.reading(of: datagram.payload, in: store, mode: .lenient),
          let usn = message.text(of: .usn)
        {
          leases[usn] = now.nanoseconds + Int64(message.index.pointee.maxAgeSeconds) * 1_000_000_000
        }
        store.release(datagram.payload)
      }
      return UInt64(leases.count)
    }

    func readAll() -> UInt64 {
      var sum: UInt64 = 0
      for message in messages {
        let datagram = arrival(message)
        if case .message(let message) = SSDPReader.reading(of: datagram.payload, in: store, mode: .lenient) {
          sum &+= UInt64(truncatingIfNeeded: message.index.pointee.maxAgeSeconds)
        }
        store.release(datagram.payload)
      }
      return sum
    }

    /// A datagram as a socket gives it: its bytes are copied into a buffer that was used before.
    private func arrival(_ message: (source: IPAddress, bytes: [UInt8])) -> Datagram {
      now += .microseconds(10)
      return Datagram(
        source: Endpoint(message.source, port: 1_900), destination: Endpoint(.ssdpGroup4, port: 1_900),
        interface: InterfaceID(0), hopLimit: 2, payload: store.store(message.bytes))
    }
  }
}
