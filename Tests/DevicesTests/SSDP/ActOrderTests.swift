import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Acts that a device is not ready for") struct ActOrderTests {
  private typealias Sent = Bench<RootDevice>.Sent

  /// `count kind BOOTID` of messages in a row.
  private func runs(_ sent: [Sent]) -> [String] {
    var runs: [(text: String, count: Int)] = []
    for message in sent {
      let text = "\(message.nts.dropFirst(5)) \(message.field("BOOTID.UPNP.ORG") ?? "-")"
      if runs.last?.text == text { runs[runs.count - 1].count += 1 } else { runs.append((text, 1)) }
    }
    return runs.map { "\($0.count) \($0.text)" }
  }
  /// A device that has announced itself; nothing of that is left.
  private func announced(_ quirks: [Quirk] = [], addresses: [SignalValue] = [up(0, "192.168.1.20")]) -> Bench<
    RootDevice
  > {
    var device = bench(treeDescription(), quirks + [.noRenewal], addresses: addresses)
    device.act(.appear)
    device.run(until: .zero + .seconds(5))
    (device.sent, device.others) = ([], [])
    return device
  }

  @Test("what is off does not update or reboot, and starts with the port and the CONFIGID that it was given meanwhile")
  func off() {
    var device = bench(treeDescription(), [.noRenewal])
    for act in [Act.reboot, .update, .leave, .vanish, .relocate(port: 8), .reconfigure, .send(script: 0)] {
      device.act(act)
      expectEqual(device.machine.deadline, nil)
    }
    device.act(.appear)
    device.run(for: .seconds(5))
    expectEqual(runs(device.sent), ["18 alive 1"])
    #expect(device.sent.allSatisfy { $0.field("CONFIGID.UPNP.ORG") == "2" })
    #expect(device.sent.allSatisfy { $0.field("LOCATION") == "http://192.168.1.20:8/description.xml" })
    device.sent = []
    device.act(.appear)
    device.run(for: .seconds(5))
    #expect(device.sent.isEmpty)
    // A crash that takes the state away takes CONFIGID, too; the port is where the description is.
    device.act(.crash(downFor: .zero, keepsState: false))
    device.run(for: .seconds(5))
    expectEqual(runs(device.sent), ["18 alive 1"])
    #expect(device.sent.allSatisfy { $0.field("CONFIGID.UPNP.ORG") == "1" })
    #expect(device.sent.allSatisfy { $0.field("LOCATION") == "http://192.168.1.20:8/description.xml" })
  }

  @Test("a return from a crash or a reboot is given up by leaving and vanishing, and is not waited for by appearing")
  func returns() {
    let crash = Act.crash(downFor: .seconds(10), keepsState: true)
    let reboot = ["9 byebye 1"]
    let table: [(first: Act, wait: Interval, then: Act, expected: [String], leaves: Bool)] = [
      (crash, .seconds(1), .leave, [], false), (crash, .seconds(1), .vanish, [], false),
      (crash, .seconds(1), .appear, ["18 alive 2"], false), (crash, .seconds(11), .appear, ["18 alive 2"], false),
      // In the middle of its byebyes, and while it is away.
      (.reboot, .milliseconds(5), .leave, reboot, true), (.reboot, .milliseconds(500), .leave, reboot, false),
      (.reboot, .milliseconds(500), .vanish, reboot, false),
      (.reboot, .milliseconds(500), .appear, reboot + ["18 alive 2"], false),
      (.reboot, .milliseconds(500), .reboot, reboot + ["18 alive 2"], false),
      (.reboot, .seconds(5), .leave, reboot + ["18 alive 2", "9 byebye 2"], true),
      (.leave, .milliseconds(5), .reboot, reboot, true), (.leave, .seconds(1), .reboot, reboot, true),
    ]
    for row in table {
      var device = announced()
      device.act(row.first)
      device.run(for: row.wait)
      device.act(row.then)
      device.run(for: .seconds(60))
      expectEqual(runs(device.sent), row.expected, "\(row)")
      expectEqual(device.others.contains { $0.effect == .leave(.ssdp(.v4), InterfaceID(0)) }, row.leaves, "\(row)")
      expectEqual(device.machine.deadline, nil, "\(row)")
    }
    // Byebyes that an appearance cuts short are not said later.
    var device = announced()
    device.act(.leave)
    while device.sent.count < 4 { device.run(until: device.machine.deadline!) }
    device.act(.appear)
    device.run(for: .seconds(60))
    expectEqual(runs(device.sent), ["4 byebye 1", "18 alive 2"])
  }

  @Test("a device that changes its UUID at each start does so from the last one, and its ports go on")
  func starts() {
    var device = announced([.uuidChangesOnReboot, .portChangesOnReboot, .dropsRepeats])
    for _ in 0..<2 {
      device.act(.vanish)
      device.act(.appear)
      device.run(for: .seconds(5))
    }
    let (second, third) = (rootUUID.derived(1), rootUUID.derived(1).derived(2))
    let roots = device.sent.filter { $0.field("NT") == "upnp:rootdevice" }
    expectEqual(roots.compactMap { $0.field("USN") }, [second, third].map { "uuid:\($0)::upnp:rootdevice" })
    expectEqual(
      roots.compactMap { $0.field("LOCATION") }, [49_153, 49_154].map { "http://192.168.1.20:\($0)/description.xml" })
    // The embedded device follows its root.
    expectEqual(device.sent[5].field("NT"), "uuid:\(second.derived(1))")
  }

  @Test("an address is taken without a word while the device is off, and not at all where it makes no sense")
  func moves() {
    func move(_ address: String, interface: UInt16 = 0) -> Act {
      .move(interface: InterfaceID(interface), to: IPAddress(address)!)
    }
    var device = bench(treeDescription(), [.noRenewal])
    device.act(move("192.168.1.77"))
    expectEqual(device.others.map(\.effect), [.readdress(IPAddress(192, 168, 1, 77), InterfaceID(0))])
    device.act(.appear)
    device.run(for: .seconds(5))
    expectEqual(runs(device.sent), ["18 alive 1"])
    #expect(device.sent.allSatisfy { $0.source.address == IPAddress(192, 168, 1, 77) })
    #expect(device.sent.allSatisfy { $0.field("LOCATION") == "http://192.168.1.77:49152/description.xml" })
    (device.sent, device.others) = ([], [])
    device.act(move("192.168.1.77"))
    device.act(move("239.255.255.250"))
    device.act(move("192.168.1.78", interface: 1))
    device.run(for: .seconds(5))
    #expect(device.sent.isEmpty)
    // Where it is already it says so once more.
    expectEqual(device.others.map(\.effect), [.readdress(IPAddress(192, 168, 1, 77), InterfaceID(0))])
    device.others = []
    // A first IPv6 address is a new lane: the old one hears of the next BOOTID before.
    device.act(move("fe80::77"))
    device.run(for: .seconds(5))
    expectEqual(runs(device.sent), ["9 update 1", "18 alive 2"])
    expectEqual(device.sent.map { $0.source.address.family }, (0..<27).map { $0 < 9 ? IPAddress.Family.v4 : .v6 })
    expectEqual(
      device.others.map(\.effect),
      [
        .readdress(IPAddress("fe80::77")!, InterfaceID(0)), .join(.ssdp(.v6), InterfaceID(0)),
      ])
    for (quirk, expected) in [(.neverByebye, ["18 alive 2"]), (.noUpdate, ["9 byebye 1", "18 alive 1"])]
      as [(Quirk, [String])]
    {
      var device = announced([quirk])
      device.act(move("192.168.1.78"))
      device.run(for: .seconds(5))
      expectEqual(runs(device.sent), expected, "\(quirk)")
      expectEqual(device.sent.last?.source.address, IPAddress(192, 168, 1, 78))
      expectEqual(device.sent.last?.field("LOCATION"), "http://192.168.1.78:49152/description.xml")
    }
  }
}
