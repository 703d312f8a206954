import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

@Suite("Services in the directory")
struct ServiceProviderTests {
  private var up: SignalValue {
    let address = InterfaceAddress(IPAddress(192, 168, 1, 9), prefixBits: 24)
    return .interface(InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: [address]))
  }

  @Test("a service is a device with its address, its name and its type; found, moved and lost at its time")
  func life() {
    var provider = ServiceProvider(ServiceBrowser([web], seed: Seed(1), name: "browser"))
    var directory = Directory()
    var outbox = Outbox(payloads: PayloadStore())
    func texts() -> [String] {
      outbox.effects.compactMap { if case .application(let report) = $0 { report.text } else { nil } }
    }
    func hear(_ records: [DNSRecord], at now: Instant) {
      outbox.removeAll()
      directory.now = now
      let payload = outbox.payloads.store(DNSMessage(flags: .response, answers: records).bytes)
      let datagram = Datagram(
        source: BrowserBench.host, destination: .mdns(.v4), interface: InterfaceID(0), hopLimit: 255, payload: payload)
      provider.receive(datagram, at: now, &directory, into: &outbox)
    }
    provider.receive(up, at: .zero, &directory, into: &outbox)
    hear(shop(), at: .zero)
    expectEqual(
      texts(),
      [
        "found peer:Shop._http._tcp.local - 192.168.1.20 if0 by peers and name text Shop and services text "
          + "_http._tcp.local and host text shop.local and port 80 and txt text a=1"
      ])
    expectEqual(directory.present.map(\.foundAt), [.zero])
    hear(shop(81, "a=2"), at: .zero + .seconds(2))
    let now =
      "changed peer:Shop._http._tcp.local - 192.168.1.20 if0 by peers and name text Shop and services text "
      + "_http._tcp.local and host text shop.local and port 81 and txt text a=2"
    expectEqual(texts(), [now + " port from 80", now + " txt from text a=1"])
    hear([a("shop.local", "192.168.1.19")], at: .zero + .seconds(4))
    #expect(texts().count == 1 && texts()[0].hasPrefix("changed peer:Shop._http._tcp.local - 192.168.1.19 if0"))
    expectEqual(provider.brokenInvariants(devicesInDirectory: 1), [])
    expectEqual(provider.brokenInvariants(devicesInDirectory: 0), ["1 services are present, 0 in the directory"])
    outbox.removeAll()
    provider.advance(to: .zero + .seconds(200), &directory, into: &outbox)
    expectEqual(texts(), ["lost peer:Shop._http._tcp.local expired"])
    expectEqual(directory.count, 0)
    expectEqual(directory.now, .zero + .seconds(200))
    expectEqual(provider.deadline > .zero + .seconds(200), true)
  }
}
