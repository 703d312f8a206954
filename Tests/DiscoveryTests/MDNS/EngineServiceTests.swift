import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

@Suite("Services beside the devices of other protocols in one engine")
struct EngineServiceTests {
  private static let listing = "_services._dns-sd._udp.local"
  private let name = "peer:Shop._http._tcp.local"

  private func rig(_ browse: [ServiceBrowse], _ switches: EngineSwitches = []) -> EngineRig {
    EngineRig(switches, isUp: false) { $0.browse = browse }
  }

  private func hear(
    _ rig: inout EngineRig, _ records: [DNSRecord], to destination: Endpoint = .mdns(.v4), on interface: UInt16 = 0,
    at seconds: Double
  ) -> [String] {
    let payload = rig.store.store(DNSMessage(flags: .response, answers: records).bytes)
    defer { rig.store.release(payload) }
    let datagram = Datagram(
      source: BrowserBench.host, destination: destination, interface: InterfaceID(interface), hopLimit: 255,
      payload: payload)
    return texts(rig.give(.datagram(datagram), at: seconds))
  }

  private func texts(_ effects: [Effect]) -> [String] { effects.compactMap { $0.value?.text } }
  private func up(_ rig: inout EngineRig, at seconds: Double) -> [String] {
    texts(rig.bring(0, [InterfaceAddress(EngineRig.ours, prefixBits: 24)], at: seconds))
  }
  private func run(_ rig: inout EngineRig, until seconds: Double) -> [String] {
    rig.run(until: seconds).compactMap { timed in
      timed.effect.value.map { "\(timed.instant.nanoseconds / 1_000_000) \($0.text)" }
    }
  }

  @Test("an engine that browses nothing joins no group of multicast DNS, and keeps nothing of what it hears there")
  func nothing() {
    var rig = rig([])
    expectEqual(up(&rig, at: 0), ["join 239.255.255.250:1900 if0"])
    expectEqual(hear(&rig, shop(), at: 1), [])
    expectEqual(rig.engine.services.browser.recordCount, 0)
    expectEqual(run(&rig, until: 100), [])
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("browsing begins and ends by command: groups are joined and left, services found and lost")
  func commands() {
    var rig = rig([])
    _ = up(&rig, at: 0)
    expectEqual(texts(rig.command(.browse(.type("_http._tcp")), at: 1)), ["join 224.0.0.251:5353 if0"])
    expectEqual(texts(rig.command(.browse(.type("_http._tcp")), at: 1)), [])
    _ = run(&rig, until: 1.2)
    expectEqual(hear(&rig, shop(), at: 1.5).map { String($0.prefix(32)) }, ["found peer:Shop._http._tcp.local"])
    expectEqual(texts(rig.command(.stopBrowsing(.type("_ipp._tcp")), at: 2)), [])
    expectEqual(
      texts(rig.command(.stopBrowsing(.type("_http._tcp")), at: 2)),
      ["leave 224.0.0.251:5353 if0", "lost \(name) stopped"])
    expectEqual(rig.engine.deadline, nil)
    for text in ["", "http", "_http._tcp.local", "_http._sctp", "_sub._http._tcp", "_-x._udp"] {
      let failed = texts(rig.command(.browse(.type(text)), at: 3))
      #expect(failed.count == 1 && failed[0].hasPrefix("failed invalidBrowse : "), "\(text)")
    }
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("a service that the application could not reach is lost 10 s later, unless its host answers (MD-45)")
  func complaint() {
    func life(_ device: String, isAnswered: Bool = false) -> [String] {
      var rig = self.rig([.type("_http._tcp")])
      _ = up(&rig, at: 0)
      _ = hear(&rig, shop(), at: 1)
      expectEqual(texts(rig.command(.reconfirm(device: device), at: 5)), [])
      expectEqual(rig.engine.brokenInvariants, [])
      if isAnswered { expectEqual(hear(&rig, shop(), at: 6), []) }
      return run(&rig, until: 100)
    }
    expectEqual(life(name), ["15000 lost \(name) expired"])
    expectEqual(life("peer:SHOP._HTTP._tcp.local"), ["15000 lost \(name) expired"])
    expectEqual(life(name, isAnswered: true), [])
    for other in ["Shop._http._tcp.local", "peer:", "peer:Shop", "peer:Other._http._tcp.local", "uuid:a"] {
      expectEqual(life(other), [], "\(other)")
    }
  }

  @Test("a service that nobody answers for as the manager connects is asked for again; one that answers is not")
  func unreached() {
    let stream = StreamID(DeviceConnections.firstStream + 1)
    func lost(_ signals: [StreamSignal], _ switches: EngineSwitches = []) -> [String] {
      var rig = EngineRig(switches) { configuration in
        var setup = DiscoverySetup()
        setup.registrations = [ServiceRegistration("Panel", .peers, filter: "_http._tcp.local", pairing: .pin)]
        (setup.searches, setup.pairingLevel) = (false, .on)
        configuration.manager = ManagerConfiguration(setup)
      }
      _ = hear(&rig, shop(), at: 1)
      _ = rig.command(.manager(.device(name, .connect)), at: 5)
      for signal in signals { _ = rig.give(.streams(signal), at: 6) }
      let told = run(&rig, until: 100).filter { $0.contains(" lost peer:") }
      expectEqual(rig.engine.brokenInvariants, [])
      return told
    }
    for end in [StreamEnd.refused, .timedOut, .unreachable] {
      expectEqual(lost([.ended(stream, end)]), ["16000 lost \(name) expired"], "\(end)")
    }
    // Nothing comes within 10 s.
    expectEqual(lost([]), ["25000 lost \(name) expired"])
    let refusal = Array("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".utf8)
    let answered: [StreamSignal] = [
      .opened(stream, local: Endpoint(EngineRig.ours, port: 50_000)), .room(stream, byteCount: 65_536),
      .bytes(stream, refusal), .ended(stream, .finished),
    ]
    expectEqual(lost(answered), [])
    expectEqual(lost([.ended(stream, .refused)], [.failureHintsIgnored]), [])
  }

  @Test("what is due of several protocols comes in the order of its time, and each protocol loses its own")
  func order() {
    var rig = rig([.type("_http._tcp")])
    _ = up(&rig, at: 0)
    _ = hear(&rig, shop(), at: 0)
    expectEqual(rig.hear(alive("a", maxAge: "119"), at: 0).count, 1)
    expectEqual(rig.hear(alive("b", maxAge: "121"), at: 0).count, 1)
    _ = rig.give(.radio(.heard(EngineServiceTests.beacon)), at: 90)
    expectEqual(
      run(&rig, until: 130),
      [
        "119000 lost uuid:a expired", "120000 lost ble:\(EngineServiceTests.radio) expired",
        "120000 lost \(name) expired", "121000 lost uuid:b expired",
      ])
    expectEqual(rig.engine.brokenInvariants, [])
    // In one step, too: every loss has the time of its own.
    var late = self.rig([.type("_http._tcp")])
    _ = up(&late, at: 0)
    _ = hear(&late, shop(), at: 0)
    _ = late.hear(alive("a", maxAge: "119"), at: 0)
    _ = late.hear(alive("b", maxAge: "121"), at: 0)
    expectEqual(
      texts(late.wake(at: 500)), ["lost uuid:a expired", "lost \(name) expired", "lost uuid:b expired"])
  }

  @Test("a message to port 5353 is for the browser, to any other port for the control point")
  func routing() {
    var rig = rig([.type("_http._tcp")])
    _ = up(&rig, at: 0)
    expectEqual(hear(&rig, shop(), to: .ssdp(.v4), at: 1), ["rejected startLine at 0"])
    let strays = texts(rig.hear(alive("a"), to: .mdns(.v4), at: 1))
    #expect(strays.count == 1 && strays[0].hasPrefix("rejected badPacket at "), "\(strays)")
    expectEqual(hear(&rig, shop(), at: 1).count, 1)
    expectEqual(rig.engine.directory.count, 1)
  }

  @Test("stopped, an engine loses the devices of all protocols and hears nothing more")
  func stop() {
    var rig = rig([.everything])
    expectEqual(up(&rig, at: 0), ["join 239.255.255.250:1900 if0", "join 224.0.0.251:5353 if0"])
    _ = rig.hear(alive("a"), at: 0)
    _ = hear(&rig, shop(), at: 0)
    expectEqual(
      texts(rig.command(.stop, at: 1)),
      [
        "lost uuid:a stopped", "leave 239.255.255.250:1900 if0", "leave 224.0.0.251:5353 if0", "lost \(name) stopped",
      ])
    expectEqual(hear(&rig, shop(), at: 2), [])
    expectEqual(rig.engine.directory.count, 0)
    expectEqual(rig.engine.deadline, nil)
    // Nor does a manager go on searching by it.
    var managed = EngineRig { $0.manager = ManagerConfiguration() }
    _ = managed.run(until: 1)
    expectEqual(managed.engine.deadline != nil, true)
    _ = managed.command(.stop, at: 1)
    expectEqual(managed.engine.deadline, nil)
    expectEqual(managed.run(until: 100).count, 0)
  }

  private static let radio = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
  private static var beacon: RadioPDU {
    // ADV_NONCONN_IND of a random address, without data.
    let bytes: [UInt8] = [0x42, 6] + (0..<6).map { UInt8(truncatingIfNeeded: radio.bits &>> (8 * $0)) }
    return RadioPDU(channel: 37, strength: -60, accessAddress: AirFrame.advertisingAddress, bytes: bytes)
  }

  // MARK: - All types

  @Test("with all types, those that are listed are asked for, and forgotten when nobody lists them any more")
  func listed() {
    var bench = BrowserBench([])
    bench.give(.command(.browse(.everything)))
    bench.run(200)
    expectEqual(bench.asked().map { $0.drop { $0 != " " } }, [" \(EngineServiceTests.listing) PTR QU"])
    bench.tell([ptr(EngineServiceTests.listing, "_http._tcp.local", ttl: 100)])
    bench.run(200)
    expectEqual(bench.asked().map { $0.drop { $0 != " " } }, [" _http._tcp.local PTR QU"])
    bench.tell(shop())
    bench.run(seconds: 5)
    expectEqual(bench.told().count, 1)
    // The list and the pointer of its only service say goodbye: the type goes with the last of them.
    bench.tell([ptr(EngineServiceTests.listing, "_http._tcp.local", ttl: 0)])
    bench.run(seconds: 2)
    expectEqual(bench.browser.questionCount, 2)
    bench.tell([ptr("_http._tcp.local", "Shop._http._tcp.local", ttl: 0)])
    bench.run(seconds: 2)
    expectEqual(bench.told(), ["lost Shop._http._tcp.local byebye"])
    expectEqual(bench.browser.questionCount, 1)
    expectEqual(bench.browser.brokenInvariants, [])
  }

  @Test("with all types, an instance of a type that nobody listed is enough, and a bound holds for such types")
  func seen() {
    var policy = BrowserPolicy()
    policy.typesMaximum = 2
    var bench = BrowserBench([], policy: policy)
    bench.give(.command(.browse(.everything)))
    bench.tell(shop())
    expectEqual(bench.told().count, 1)
    bench.tell([ptr(EngineServiceTests.listing, "_a._tcp.local"), ptr(EngineServiceTests.listing, "_b._udp.local")])
    expectEqual(bench.takeRejections(), ["overTotal at 0"])
    bench.tell([ptr(EngineServiceTests.listing, "x.local"), ptr("_c._tcp.local", "c._d._tcp.local")])
    expectEqual(bench.takeRejections(), ["badTarget at 0"])
    expectEqual(bench.browser.recordCount, 4 + 2)
    // A type that somebody asks for stays when all types are browsed no more.
    bench.give(.command(.browse(.type("_http._tcp"))))
    bench.give(.command(.stopBrowsing(.everything)))
    expectEqual(bench.told(), [])
    expectEqual(bench.browser.questionCount, 1)
    expectEqual(bench.browser.recordCount, 4)
    bench.give(.command(.browse(.everything)))
    bench.give(.command(.stopBrowsing(.type("_http._tcp"))))
    expectEqual(bench.told(), [])
    bench.give(.command(.stopBrowsing(.everything)))
    expectEqual(bench.told(), ["lost Shop._http._tcp.local stopped"])
    expectEqual(bench.browser.recordCount + bench.browser.questionCount, 0)
    expectEqual(bench.browser.brokenInvariants, [])
  }

  // MARK: - Listening

  @Test("who only listens asks nothing, doubts nothing, and loses what is not said again")
  func listening() {
    var bench = BrowserBench(isUp: false)
    bench.browser.onlyListen()
    // Nobody told of the interface, and it has no subnet.
    bench.tell(shop(), to: Endpoint(IPAddress(10, 0, 0, 1), port: 5_353), on: 3)
    expectEqual(bench.told(), ["found Shop._http._tcp.local shop.local:80 a=1 192.168.1.20/if3"])
    for _ in 0..<5 { bench.ask("Shop._http._tcp.local", .srv) }
    bench.run(seconds: 119)
    expectEqual(bench.told(), [])
    bench.run(seconds: 2)
    expectEqual(bench.told(), ["lost Shop._http._tcp.local expired"])
    bench.up()
    bench.run(seconds: 10_000)
    expectEqual(bench.said(), [])
    expectEqual(bench.browser.recordCount, 0)
    expectEqual(bench.browser.brokenInvariants, [])
  }

  @Test("a type of service is two labels, a subtype has three more before them")
  func types() {
    expectEqual(BrowsedType("_http._tcp")?.name.description, "_http._tcp.local")
    let color = BrowsedType("_color._sub._ipp._tcp")
    expectEqual(
      [color?.name.description, color?.type.description], ["_color._sub._ipp._tcp.local", "_ipp._tcp.local"])
    for text in ["", ".", "_tcp", "_http", "a._http._tcp", "_color._SUBx._ipp._tcp", "x._color._sub._ipp._tcp"] {
      expectEqual(BrowsedType(text), nil, "\(text)")
    }
  }
}
