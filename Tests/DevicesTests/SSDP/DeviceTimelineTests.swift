import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("The sets of a small device, to the millisecond") struct DeviceTimelineTests {
  private typealias Sent = Bench<RootDevice>.Sent

  private let join = Effect.join(.ssdp(.v4), InterfaceID(0))
  private let leave = Effect.leave(.ssdp(.v4), InterfaceID(0))

  /// A device with a set of three messages: sets begin 40 ms after their cause, messages follow each other by 2 ms, and
  /// a set is repeated after 300 ms.
  private func small(
    _ quirks: [Quirk] = [.noRenewal], uda: UDAVersion = .uda20, addresses: [SignalValue] = [up(0, "192.168.1.20")]
  ) -> Bench<RootDevice> {
    var description = DeviceDescription(uda: uda, root: DevicePart(type: "urn:x:device:D:1", uuid: rootUUID))
    description.timing.startJitter = .milliseconds(40) ... .milliseconds(40)
    description.timing.messageSpacing = .milliseconds(2) ... .milliseconds(2)
    description.timing.setGap = .milliseconds(300) ... .milliseconds(300)
    return bench(description, quirks, addresses: addresses)
  }
  /// The same after its first second; nothing of that is left.
  private func announced(
    _ quirks: [Quirk] = [.noRenewal], uda: UDAVersion = .uda20, addresses: [SignalValue] = [up(0, "192.168.1.20")]
  ) -> Bench<RootDevice> {
    var device = small(quirks, uda: uda, addresses: addresses)
    device.act(.appear)
    run(&device, to: 1_000)
    (device.sent, device.others) = ([], [])
    return device
  }
  private func run(_ device: inout Bench<RootDevice>, to milliseconds: Int64) {
    device.run(until: .zero + .milliseconds(milliseconds))
  }
  private func move(_ address: String) -> Act { .move(interface: InterfaceID(0), to: IPAddress(address)!) }

  /// The messages, told once for each kind, BOOTID and source: `first-last: count kind BOOTID source`.
  private func sets(_ sent: [Sent]) -> [String] {
    var sets: [(key: String, first: Int64, last: Int64, count: Int)] = []
    for message in sent {
      let moment = message.at.nanoseconds / 1_000_000
      let key = "\(message.nts.dropFirst(5)) \(message.field("BOOTID.UPNP.ORG") ?? "-") \(message.source.address)"
      if let index = sets.firstIndex(where: { $0.key == key }) {
        sets[index].last = moment
        sets[index].count += 1
      } else {
        sets.append((key, moment, moment, 1))
      }
    }
    return sets.map { "\($0.first)-\($0.last): \($0.count) \($0.key)" }
  }

  @Test("a change of the device is announced after the jitter; without BOOTID an update is a plain announcement")
  func changes() {
    for (uda, act, bootID) in [(.uda20, .relocate(port: 8), "1"), (.uda10, .update, "-")]
      as [(UDAVersion, Act, String)]
    {
      var device = announced(uda: uda)
      device.act(act)
      run(&device, to: 2_000)
      expectEqual(sets(device.sent), ["1040-1348: 6 alive \(bootID) 192.168.1.20"])
    }
  }

  @Test("a new address is greeted after the jitter that follows the last update, or before a late update")
  func gains() {
    var device = announced()
    device.receive(up(1, "10.0.0.7"))
    run(&device, to: 2_000)
    expectEqual(sets(device.sent), ["1000-1004: 3 update 1 192.168.1.20", "1044-1352: 6 alive 2 10.0.0.7"])
    device = announced()
    device.receive(up(0, "192.168.1.20", "fe80::20"))
    run(&device, to: 2_000)
    expectEqual(sets(device.sent), ["1000-1004: 3 update 1 192.168.1.20", "1044-1352: 6 alive 2 fe80::20"])
    expectEqual(device.others.map(\.effect), [.join(.ssdp(.v6), InterfaceID(0))])
    device = announced([.updateAfterAlive, .noRenewal])
    device.receive(up(1, "10.0.0.7"))
    run(&device, to: 3_000)
    expectEqual(sets(device.sent), ["1040-1348: 6 alive 2 10.0.0.7", "2040-2044: 3 update 1 192.168.1.20"])
  }

  @Test("a move ends the sets of the old address, and its byebyes are not said again by a leave")
  func moves() {
    var device = announced()
    device.act(move("192.168.1.77"))
    device.act(.leave)
    run(&device, to: 2_000)
    expectEqual(sets(device.sent), ["1000-1000: 3 byebye 1 192.168.1.20"])
    expectEqual(device.others.map(\.effect), [.readdress(IPAddress(192, 168, 1, 77), InterfaceID(0)), leave])
    device = small()
    device.act(.appear)
    run(&device, to: 42)
    device.act(move("192.168.1.77"))
    run(&device, to: 1_000)
    expectEqual(
      sets(device.sent),
      [
        "40-42: 2 alive 1 192.168.1.20", "42-42: 2 byebye 1 192.168.1.20", "82-390: 6 alive 2 192.168.1.77",
      ])
  }

  @Test("an address that changes or comes back before the first message is announced once, from then on")
  func changesBeforeTheFirstMessage() {
    for (signals, address) in [
      ([up(0, "192.168.1.77")], "192.168.1.77"), ([down(0), up(0, "192.168.1.20")], "192.168.1.20"),
    ] {
      var device = small()
      device.act(.appear)
      run(&device, to: 10)
      for signal in signals { device.receive(signal) }
      run(&device, to: 1_000)
      expectEqual(sets(device.sent), ["50-358: 6 alive 1 \(address)"])
    }
  }

  @Test("an address that is told again stays announced; one that was away for a moment has lost its answers")
  func addressesThatReturn() {
    var device = announced()
    device.receive(up(0, "192.168.1.20"))
    device.act(.leave)
    run(&device, to: 2_000)
    expectEqual(sets(device.sent), ["1000-1004: 3 byebye 1 192.168.1.20"])
    device = announced()
    device.hear(search("upnp:rootdevice"))
    #expect(device.machine.deadline != nil, "the answer waits")
    device.receive(down(0))
    device.receive(up(0, "192.168.1.20"))
    run(&device, to: 6_000)
    expectEqual(sets(device.sent), ["1040-1348: 6 alive 2 192.168.1.20"])
  }

  @Test("a device that revokes on all links when it loses one revokes its announcements there, and no others")
  func crossByebye() {
    var device = small(
      [.crossByebye, .noRenewal], addresses: [up(0, "192.168.1.20", "fe80::20"), up(1, "10.0.0.7")])
    device.act(.appear)
    device.receive(down(1))
    run(&device, to: 1_000)
    expectEqual(sets(device.takeSent()), ["40-348: 6 alive 1 192.168.1.20", "40-348: 6 alive 1 fe80::20"])
    device.receive(up(0, "192.168.1.20"))
    run(&device, to: 2_000)
    expectEqual(sets(device.sent), ["1000-1004: 3 byebye 1 192.168.1.20"])
  }

  @Test("each start counts its own messages: a leave revokes these, ends a reboot, and is ended by an appearance")
  func starts() {
    var device = announced()
    device.act(.reboot)
    device.act(.leave)
    run(&device, to: 5_000)
    expectEqual(sets(device.takeSent()), ["1000-1004: 3 byebye 1 192.168.1.20"])
    expectEqual(device.others.map(\.effect), [leave])
    expectEqual(device.machine.deadline, nil)
    device.act(.appear)
    run(&device, to: 5_040)
    device.act(.leave)
    run(&device, to: 6_000)
    expectEqual(
      sets(device.takeSent()), ["5040-5040: 1 alive 2 192.168.1.20", "5040-5040: 1 byebye 2 192.168.1.20"])
    device.others = []
    device.act(.appear)
    run(&device, to: 7_000)
    device.act(.leave)
    device.act(.appear)
    run(&device, to: 8_000)
    expectEqual(
      sets(device.takeSent()),
      [
        "6040-6348: 6 alive 3 192.168.1.20", "7000-7000: 1 byebye 3 192.168.1.20",
        "7040-7348: 6 alive 4 192.168.1.20",
      ])
    expectEqual(device.others.map(\.effect), [join, join])
    #expect(device.machine.isPresent)
    // State that is lost is lost once.
    device.act(.crash(downFor: .seconds(1), keepsState: false))
    run(&device, to: 10_000)
    device.act(.vanish)
    device.act(.appear)
    run(&device, to: 11_000)
    expectEqual(sets(device.sent), ["9040-9348: 6 alive 1 192.168.1.20", "10040-10348: 6 alive 2 192.168.1.20"])
  }

  @Test("a device without an address begins no set, and still takes the BOOTID of an update")
  func nowhere() {
    var device = announced()
    device.receive(down(0))
    device.act(.relocate(port: 8))
    #expect(device.machine.burstCount == 0 && device.machine.deadline == nil)
    device.act(.update)
    #expect(device.machine.burstCount == 1 && device.machine.bootID == 1)
    run(&device, to: 2_000)
    #expect(device.machine.burstCount == 0 && device.machine.bootID == 2 && device.machine.deadline == nil)
    #expect(device.sent.isEmpty)
  }

  @Test("a device that repeats its NOTIFYs by unicast does so in the family of the target, with the same bytes")
  func unicast() {
    var device = small(
      [.unicastNotify(IPAddress(172, 16, 0, 9)), .noRenewal, .dropsRepeats],
      addresses: [up(0, "192.168.1.20", "fe80::20")])
    device.act(.appear)
    run(&device, to: 1_000)
    expectEqual(
      device.sent.map { "\($0.at.nanoseconds / 1_000_000) \($0.source) \($0.destination) \($0.hopLimit)" },
      [40, 42, 44].flatMap { moment in
        [
          "\(moment) 192.168.1.20:1900 239.255.255.250:1900 2", "\(moment) 192.168.1.20:1900 172.16.0.9:1900 64",
          "\(moment) [fe80::20]:1900 [ff02::c]:1900 2",
        ]
      })
    for index in [0, 3, 6] where index + 1 < device.sent.count {
      expectEqual(device.sent[index + 1].text, device.sent[index].text)
    }
    expectEqual(device.outbox.payloads.liveCount, 0)
  }

  @Test("a device that renews in part sends the first message of its set alone, as often as it repeats a set")
  func partialRenewal() {
    var device = announced([.partialRenewal, .renewsOften(.seconds(50))])
    // Renewals come 50 to 60 s after each other.
    run(&device, to: 130_000)
    expectEqual(device.sent.map(\.summary), Array(repeating: "alive upnp:rootdevice", count: 4))
    for index in [0, 2] where index + 1 < device.sent.count {
      expectEqual(device.sent[index + 1].at - device.sent[index].at, .milliseconds(300))
    }
  }
}
