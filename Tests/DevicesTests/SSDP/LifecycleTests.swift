import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("A correct device comes, changes and goes") struct LifecycleTests {
  func announced(
    _ description: DeviceDescription = treeDescription(), addresses: [SignalValue] = [up(0, "192.168.1.20")]
  )
    -> Bench<RootDevice>
  {
    var bench = bench(description, addresses: addresses)
    bench.act(.appear)
    bench.run(until: .zero + .seconds(10))
    bench.sent = []
    bench.others = []
    return bench
  }
  func bootIDs(_ sent: [Bench<RootDevice>.Sent]) -> [String] {
    var ids: [String] = []
    for message in sent { if let id = message.field("BOOTID.UPNP.ORG"), ids.last != id { ids.append(id) } }
    return ids
  }

  @Test("it says byebye for each announced message, and leaves the group then")
  func leaves() {
    var bench = announced()
    bench.act(.leave)
    bench.run(for: .seconds(7_200))
    expectEqual(bench.sent.map(\.summary), AdvertisementTests().targets.map { "byebye \($0)" })
    expectEqual(
      bench.sent[0].text,
      """
      NOTIFY * HTTP/1.1\r
      HOST: 239.255.255.250:1900\r
      NT: upnp:rootdevice\r
      NTS: ssdp:byebye\r
      USN: uuid:2fac1234-31f8-11b4-a222-08002b34c003::upnp:rootdevice\r
      BOOTID.UPNP.ORG: 1\r
      CONFIGID.UPNP.ORG: 1\r
      \r

      """)
    expectEqual(bench.others.map(\.effect), [.leave(.ssdp(.v4), InterfaceID(0))])
    expectEqual(bench.others[0].after, treeCount)
    expectEqual(bench.machine.deadline, nil)
  }

  @Test("it revokes only what it had announced when it leaves in the middle of its first set")
  func leavesEarly() {
    var bench = bench()
    bench.act(.appear)
    while bench.sent.count < 4 { bench.run(until: bench.machine.deadline!) }
    bench.act(.leave)
    bench.run(for: .seconds(5))
    expectEqual(
      bench.sent.map { $0.summary.prefix(3) }, Array(repeating: "ali", count: 4) + Array(repeating: "bye", count: 4))
  }

  @Test("it reboots with byebye and the next BOOTID, after a crash as well, and forgets it with its state")
  func reboots() {
    var bench = announced()
    bench.act(.reboot)
    bench.run(for: .seconds(5))
    expectEqual(bench.sent.map { $0.summary.prefix(3) }.filter { $0 == "bye" }.count, treeCount)
    expectEqual(bench.sent.count, 3 * treeCount)
    expectEqual(bootIDs(bench.takeSent()), ["1", "2"])
    bench.act(.crash(downFor: .seconds(60), keepsState: true))
    bench.hear(search("ssdp:all"))
    bench.run(for: .seconds(59))
    #expect(bench.sent.isEmpty)
    bench.run(for: .seconds(5))
    expectEqual(bootIDs(bench.takeSent()), ["3"])
    bench.act(.crash(downFor: .seconds(1), keepsState: false))
    bench.run(for: .seconds(5))
    expectEqual(bootIDs(bench.takeSent()), ["1"])
  }

  @Test("it vanishes without a word, and comes back with a new BOOTID")
  func vanishes() {
    var bench = announced()
    bench.act(.vanish)
    bench.run(for: .hours(2))
    #expect(bench.sent.isEmpty && bench.others.isEmpty)
    bench.act(.appear)
    bench.run(for: .seconds(5))
    expectEqual(bootIDs(bench.sent), ["2"])
  }

  @Test("it revokes the old address before it takes the new one, and announces from there under a new BOOTID")
  func moves() {
    var bench = announced()
    let next = IPAddress(192, 168, 1, 77)
    bench.act(.move(interface: InterfaceID(0), to: next))
    // The driver confirms what it did: nothing new in that.
    bench.receive(up(0, "192.168.1.77"))
    bench.run(for: .seconds(5))
    expectEqual(bench.sent.count, 3 * treeCount)
    #expect(
      bench.sent.prefix(treeCount).allSatisfy {
        $0.nts == "ssdp:byebye" && $0.source.address == IPAddress(192, 168, 1, 20)
      })
    #expect(bench.sent.dropFirst(treeCount).allSatisfy { $0.nts == "ssdp:alive" && $0.source.address == next })
    expectEqual(bench.sent.last?.field("LOCATION"), "http://192.168.1.77:49152/description.xml")
    expectEqual(bench.others.map(\.effect), [.readdress(next, InterfaceID(0))])
    expectEqual(bench.others[0].after, treeCount)
    expectEqual(bootIDs(bench.sent), ["1", "2"])
  }

  @Test("it revokes from the new address what it could not revoke from an old one that was taken away")
  func isMoved() {
    var bench = announced()
    bench.receive(up(0, "192.168.1.77"))
    bench.run(for: .seconds(5))
    expectEqual(
      bench.sent.map { String($0.nts.dropFirst(5).prefix(1)) }.joined(),
      String(repeating: "b", count: 9)
        + String(repeating: "a", count: 18))
    #expect(bench.sent.allSatisfy { $0.source.address == IPAddress(192, 168, 1, 77) })
  }

  @Test("it tells the other interfaces of its next BOOTID before it announces on a new one")
  func gainsInterface() {
    var bench = announced()
    bench.receive(up(1, "10.0.0.7"))
    bench.run(for: .seconds(5))
    let updates = bench.sent.prefix(treeCount)
    #expect(updates.allSatisfy { $0.nts == "ssdp:update" && $0.interface == InterfaceID(0) })
    expectEqual(
      bench.sent[0].text,
      """
      NOTIFY * HTTP/1.1\r
      HOST: 239.255.255.250:1900\r
      LOCATION: http://192.168.1.20:49152/description.xml\r
      NT: upnp:rootdevice\r
      NTS: ssdp:update\r
      USN: uuid:2fac1234-31f8-11b4-a222-08002b34c003::upnp:rootdevice\r
      BOOTID.UPNP.ORG: 1\r
      CONFIGID.UPNP.ORG: 1\r
      NEXTBOOTID.UPNP.ORG: 2\r
      \r

      """)
    let alives = bench.sent.dropFirst(treeCount)
    expectEqual(alives.count, 2 * treeCount)
    #expect(alives.allSatisfy { $0.nts == "ssdp:alive" && $0.interface == InterfaceID(1) })
    expectEqual(bootIDs(Array(alives)), ["2"])
    expectEqual(bench.others.map(\.effect), [.join(.ssdp(.v4), InterfaceID(1))])
    bench.sent = []
    bench.hear(search("upnp:rootdevice"))
    bench.run(for: .seconds(4))
    expectEqual(bootIDs(bench.sent), ["2"])
  }

  @Test("it says nothing on the others when it loses an interface, and goes on there")
  func losesInterface() {
    var bench = announced(addresses: [up(0, "192.168.1.20"), up(1, "10.0.0.7")])
    bench.hear(search("ssdp:all"), on: 1)
    bench.receive(down(1))
    bench.run(for: .seconds(60))
    #expect(bench.sent.isEmpty)
    bench.run(for: .seconds(1_000))
    #expect(!bench.sent.isEmpty && bench.sent.allSatisfy { $0.interface == InterfaceID(0) && $0.nts == "ssdp:alive" })
  }

  @Test("it announces as soon as there is an interface, under its first BOOTID")
  func waitsForInterface() {
    var bench = bench(addresses: [])
    bench.act(.appear)
    bench.run(for: .seconds(60))
    #expect(bench.sent.isEmpty)
    bench.receive(up(0, "192.168.1.20"))
    bench.run(for: .seconds(2))
    expectEqual(bench.sent.count, 2 * treeCount)
    expectEqual(bootIDs(bench.sent), ["1"])
  }

  @Test("it updates on request, on all interfaces, and then announces under the next BOOTID")
  func updates() {
    var bench = announced(addresses: [up(0, "192.168.1.20"), up(1, "10.0.0.7")])
    bench.act(.update)
    bench.run(for: .seconds(5))
    let first = bench.sent.firstIndex { $0.nts == "ssdp:alive" }
    expectEqual(first, 2 * treeCount)
    #expect(bench.sent.prefix(2 * treeCount).allSatisfy { $0.field("NEXTBOOTID.UPNP.ORG") == "2" })
    expectEqual(bench.sent.count, 6 * treeCount)
    expectEqual(bench.sent.last?.field("BOOTID.UPNP.ORG"), "2")
  }

  @Test("it announces another port under the same BOOTID, and another CONFIGID when its description changes")
  func relocatesAndReconfigures() {
    var bench = announced()
    bench.act(.relocate(port: 8_080))
    bench.run(for: .seconds(2))
    #expect(
      bench.takeSent().allSatisfy {
        $0.field("LOCATION") == "http://192.168.1.20:8080/description.xml" && $0.field("BOOTID.UPNP.ORG") == "1"
      })
    bench.act(.reconfigure)
    bench.run(for: .seconds(2))
    expectEqual(bench.sent.count, 2 * treeCount)
    #expect(bench.sent.allSatisfy { $0.field("CONFIGID.UPNP.ORG") == "2" && $0.field("BOOTID.UPNP.ORG") == "1" })
  }

  @Test("it outlives any order of acts and hostile datagrams, and holds no payload afterwards")
  func storms() {
    var stream = Seed(7).stream("storm")
    let acts: [Act] = [
      .appear, .leave, .vanish, .reboot, .update, .reconfigure, .relocate(port: 65_535), .send(script: 3),
      .crash(downFor: .seconds(-3), keepsState: false), .crash(downFor: .milliseconds(5), keepsState: true),
      .move(interface: InterfaceID(0), to: IPAddress(10, 9, 8, 7)), .move(interface: InterfaceID(9), to: .ssdpGroup4),
      .move(interface: InterfaceID(1), to: IPAddress("fe80::77")!),
    ]
    let all = Quirk.catalogue.map(\.example).filter { $0.entry.place == .behaviour }
    for quirks in [[], all] {
      var bench = bench(treeDescription(), quirks, addresses: [])
      for _ in 0..<2_000 {
        switch stream.below(6) {
        case 0:
          bench.receive(up(Int(stream.below(20)), "192.168.1.\(stream.below(250) + 1)", "fe80::\(stream.below(9) + 1)"))
        case 1: bench.receive(down(Int(stream.below(20))))
        case 2, 3: bench.act(acts[Int(stream.below(UInt64(acts.count)))])
        case 4:
          bench.hear(search(["ssdp:all", "x", "uuid:", "urn:"][Int(stream.below(4))], mx: "1"))
          bench.hear("NOTIFY * HTTP/1.1\r\nNTS: ssdp:alive\r\nNT: a\r\nUSN: b\r\n\r\n", on: Int(stream.below(3)))
        default: bench.run(for: .milliseconds(Int64(stream.below(700))))
        }
        #expect(bench.machine.burstCount <= RootDevice.burstCountMaximum + 1)
        bench.sent.removeAll()
      }
      expectEqual(bench.outbox.payloads.liveCount, 0)
      bench.run(for: .seconds(30))
    }
  }
}
