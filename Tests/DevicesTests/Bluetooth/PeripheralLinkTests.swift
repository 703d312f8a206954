import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// A peripheral that centrals connect to: what it says, where it is, and how connections end.
@Suite struct PeripheralLinkTests {
  private enum Wanted: Equatable {
    case advertises, stops, resets
    case ends(UInt32)
    case sends(UInt32, AttributePDU)
    case other(String)
  }

  private struct Rig {
    var peripheral: Peripheral
    private var outbox = Outbox(payloads: PayloadStore())

    /// One that is there since the beginning.
    init(_ change: (inout PeripheralPlan) -> Void = { _ in }) {
      var fields = AdvertisedFields()
      fields.name = "Tag"
      var plan = PeripheralPlan(
        address: .fixed(RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)), saying: PeripheralPlan.Saying(fields))
      change(&plan)
      peripheral = Peripheral(plan, name: "tag")
      _ = act(.appear, at: 0)
    }

    mutating func give(_ value: SignalValue, at seconds: Int64) -> [Wanted] {
      peripheral.receive(value, at: .zero + .seconds(seconds), into: &outbox)
      return wants()
    }

    mutating func act(_ act: Act, at seconds: Int64) -> [Wanted] { give(.application(.act(act)), at: seconds) }

    mutating func link(_ number: UInt32, _ signal: LinkSignal, at seconds: Int64 = 1) -> [Wanted] {
      give(.radio(.link(LinkID(number), signal)), at: seconds)
    }

    mutating func connect(_ number: UInt32, at seconds: Int64 = 1) -> [Wanted] {
      let phone = RadioAddress(bits: 0xC000_0000_0000 | UInt64(number), isRandom: true)
      return link(number, .connected(.peripheral, own: peripheral.address, peer: phone, LinkParameters()), at: seconds)
    }

    mutating func hear(_ pdu: AttributePDU, from number: UInt32 = 1, at seconds: Int64 = 1) -> [Wanted] {
      link(number, .frame(ChannelFrame.bytes(.attributes, pdu.bytes)), at: seconds)
    }

    mutating func wake(at seconds: Int64) -> [Wanted] {
      peripheral.wake(at: .zero + .seconds(seconds), into: &outbox)
      return wants()
    }

    var deadlineSeconds: Int64? { peripheral.deadline.map { $0.nanoseconds / 1_000_000_000 } }

    private mutating func wants() -> [Wanted] {
      defer { outbox.removeAll() }
      return outbox.effects.map { effect in
        guard case .radio(let value) = effect else { return .other("\(effect)") }
        switch value {
        case .advertise: return .advertises
        case .stopAdvertising: return .stops
        case .reset: return .resets
        case .link(let link, .end): return .ends(link.number)
        case .link(let link, .send(let frame)):
          let pdu = frame.dropFirst(ChannelFrame.headerBytes).withUnsafeBytes { try? AttributePDU($0) }
          return pdu.map { .sends(link.number, $0) } ?? .other("\(frame)")
        default: return .other(value.text)
        }
      }
    }
  }

  private let name = "ble:c0:ff:ee:00:00:01/random"
  private let battery = BluetoothUUID(short: 0x180F)
  private let level = BluetoothUUID(short: 0x2A19)

  /// One characteristic at 12, which is switched at 13.
  private func gatt(every: Interval? = nil, value: [UInt8] = [7]) -> GATTPlan {
    let characteristic = GATTPlan.Characteristic(level, [.read, .write, .notify], value: value, sendsEvery: every)
    return GATTPlan([GATTPlan.Service(battery, [characteristic])])
  }

  @Test func `a central silences it, and when the connection ends it advertises again`() {
    for end in [LinkEnd.closedByPeer, .timedOut, .notEstablished] {
      var rig = Rig()
      expectEqual(rig.connect(1), [])
      expectEqual(rig.peripheral.presentDevices, [name])
      expectEqual(rig.link(1, .ended(end)), [.advertises])
      expectEqual(rig.peripheral.presentDevices, [name])
      expectEqual(rig.hear(.readRequest(handle: 3)), [])
    }
  }

  @Test func `it advertises as long as there is room for another central`() {
    var rig = Rig { $0.connectionsMaximum = 2 }
    expectEqual(rig.connect(1), [.advertises])
    expectEqual(rig.connect(2), [])
    expectEqual(rig.link(1, .ended(.closedByPeer)), [.advertises])
    expectEqual(rig.connect(3), [])
    expectEqual(rig.link(2, .ended(.closedByPeer)), [.advertises])
    expectEqual(rig.link(3, .ended(.closedByPeer)), [.advertises])
    var none = Rig { $0.connectionsMaximum = 0 }
    expectEqual(none.connect(1), [])
    expectEqual(none.link(1, .ended(.timedOut)), [.advertises])
  }

  @Test func `it is fast again when a connection has ended`() {
    var rig = Rig { $0.fast = PeripheralPlan.Fast(interval: .milliseconds(20), duration: .seconds(30)) }
    expectEqual(rig.connect(1), [])
    expectEqual(rig.wake(at: 30), [])
    expectEqual(rig.deadlineSeconds, nil)
    expectEqual(rig.link(1, .ended(.closedByPeer), at: 40), [.advertises])
    expectEqual(rig.deadlineSeconds, 70)
  }

  @Test func `a central knows it by the address that it connected to`() {
    for (maximum, names) in [(1, [0]), (2, [0, 1])] as [(Int, [UInt32])] {
      var rig = Rig {
        $0.address = .rotating(every: .seconds(900))
        $0.connectionsMaximum = maximum
      }
      _ = rig.connect(1)
      expectEqual(rig.wake(at: 900), (maximum == 1 ? [] : [.advertises]))
      expectEqual(rig.peripheral.presentDevices, names.map { Peripheral.privateAddress($0, of: "tag").deviceName })
      _ = rig.link(1, .ended(.closedByPeer), at: 901)
      expectEqual(rig.peripheral.presentDevices, [Peripheral.privateAddress(1, of: "tag").deviceName])
    }
  }

  @Test func `it ends connections when it leaves, and is back when it appears`() {
    var rig = Rig { $0.connectionsMaximum = 2 }
    _ = rig.connect(1)
    _ = rig.connect(2)
    expectEqual(rig.act(.leave, at: 5), [.ends(1), .ends(2), .stops])
    expectEqual(rig.peripheral.presentDevices, [])
    expectEqual(rig.link(1, .ended(.closed), at: 5), [])
    expectEqual(rig.link(2, .ended(.closed), at: 5), [])
    expectEqual(rig.act(.appear, at: 6), [.advertises])
    expectEqual(rig.peripheral.presentDevices, [name])
  }

  @Test func `on a connection that it ends it says nothing any more that nobody asked for`() {
    var rig = Rig {
      $0.gatt = gatt(every: .seconds(2))
      $0.otherGATT = GATTPlan()
      $0.connectionsMaximum = 2
    }
    _ = rig.connect(1)
    _ = rig.hear(.writeRequest(handle: 9, value: [2, 0]))
    _ = rig.hear(.writeRequest(handle: 13, value: [1, 0]))
    expectEqual(rig.deadlineSeconds, 3)
    expectEqual(rig.act(.leave, at: 2), [.ends(1), .stops])
    // Until the other side has heard of the end, the controller may still have the connection.
    expectEqual(rig.deadlineSeconds, nil)
    expectEqual(rig.wake(at: 3), [])
    expectEqual(rig.act(.reconfigure, at: 4), [])
    expectEqual(rig.act(.reconfigure, at: 4), [])
    expectEqual(rig.act(.appear, at: 5), [.advertises])
    expectEqual(rig.connect(2, at: 5), [])
    expectEqual(rig.hear(.writeRequest(handle: 12, value: [8]), from: 2, at: 5), [.sends(2, .writeResponse)])
    expectEqual(rig.hear(.readRequest(handle: 12), at: 5), [.sends(1, .readResponse(value: [8]))])
    expectEqual(rig.link(1, .ended(.closed), at: 6), [.advertises])
    expectEqual(rig.deadlineSeconds, nil)
  }

  @Test func `it leaves connections without a word when it vanishes, crashes or starts anew`() {
    let acts: [(Act, [Wanted])] = [
      (.vanish, [.stops, .resets]), (.crash(downFor: .seconds(5), keepsState: true), [.stops, .resets]),
      (.reboot, [.stops, .resets, .advertises]),
    ]
    for (act, wanted) in acts {
      var rig = Rig { $0.gatt = gatt(every: .seconds(1)) }
      _ = rig.connect(1)
      _ = rig.hear(.writeRequest(handle: 13, value: [1, 0]))
      expectEqual(rig.deadlineSeconds, 2)
      expectEqual(rig.act(act, at: 1), wanted)
      expectEqual(rig.peripheral.presentDevices, (act == .reboot ? [name] : []))
      expectEqual(rig.hear(.readRequest(handle: 3)), [])
      // Nobody is told what happens then: not even that it is back.
      expectEqual(rig.deadlineSeconds, (act == .vanish || act == .reboot ? nil : 6))
      expectEqual(rig.wake(at: 6), (act == .vanish || act == .reboot ? [] : [.advertises]))
    }
  }

  @Test func `a radio that is off has no connections, and advertises when it is on`() {
    var rig = Rig()
    _ = rig.connect(1)
    expectEqual(rig.give(.host(.power(.off)), at: 2), [])
    expectEqual(rig.peripheral.presentDevices, [])
    expectEqual(rig.link(1, .ended(.radioOff), at: 2), [])
    expectEqual(rig.give(.host(.power(.on)), at: 3), [.advertises])
    expectEqual(rig.peripheral.presentDevices, [name])
  }

  // MARK: - Attributes

  @Test func `each central subscribes for itself, and all of them see one value`() {
    var rig = Rig {
      $0.gatt = gatt(every: .seconds(2))
      $0.connectionsMaximum = 2
    }
    _ = rig.connect(1)
    _ = rig.connect(2)
    expectEqual(rig.hear(.writeRequest(handle: 13, value: [1, 0]), from: 2), [.sends(2, .writeResponse)])
    expectEqual(rig.hear(.readRequest(handle: 13), from: 1), [.sends(1, .readResponse(value: [0, 0]))])
    expectEqual(
      rig.hear(.writeRequest(handle: 12, value: [5]), from: 1),
      [.sends(1, .writeResponse), .sends(2, .handleValueNotification(handle: 12, value: [5]))])
    // A value is told once: the next request of the same central tells nobody else.
    expectEqual(rig.hear(.readRequest(handle: 12), from: 1), [.sends(1, .readResponse(value: [5]))])
    expectEqual(rig.deadlineSeconds, 3)
    expectEqual(rig.wake(at: 3), [.sends(2, .handleValueNotification(handle: 12, value: [5]))])
    expectEqual(rig.wake(at: 5), [.sends(2, .handleValueNotification(handle: 12, value: [6]))])
    _ = rig.link(2, .ended(.timedOut), at: 6)
    expectEqual(rig.deadlineSeconds, nil)
    expectEqual(rig.hear(.readRequest(handle: 12), from: 9), [])
  }

  @Test func `notifications stop when the controller has no room for more, and go on when frames have arrived`() {
    var rig = Rig { $0.gatt = gatt(every: .seconds(1), value: []) }
    _ = rig.connect(1)
    _ = rig.hear(.writeRequest(handle: 13, value: [1, 0]))
    let told = [Wanted.sends(1, .handleValueNotification(handle: 12, value: []))]
    // One of thirty-two frames was the answer, and two are left for others.
    for second: Int64 in 2...30 { expectEqual(rig.wake(at: second), told) }
    expectEqual(rig.wake(at: 31), [])
    expectEqual(rig.link(1, .acknowledged(frames: 1), at: 31), [])
    expectEqual(rig.wake(at: 32), told)
    expectEqual(rig.wake(at: 33), [])
  }

  @Test func `the MTU that it offers is that of the plan that holds now`() {
    var rig = Rig {
      $0.gatt.mtu = 100
      $0.otherGATT = GATTPlan(mtu: 50)
    }
    _ = rig.connect(1)
    for mtu: UInt16 in [100, 50, 100] {
      expectEqual(rig.hear(.exchangeMTURequest(mtu: 517)), [.sends(1, .exchangeMTUResponse(mtu: mtu))])
      expectEqual(rig.act(.reconfigure, at: 2), [])
    }
  }

  @Test func `its name is that which it says`() {
    var responded = AdvertisedFields()
    responded.name = "Other"
    var rig = Rig { $0.otherSaying = PeripheralPlan.Saying(AdvertisedFields(), responded: responded) }
    _ = rig.connect(1)
    expectEqual(rig.hear(.readRequest(handle: 3)), [.sends(1, .readResponse(value: Array("Tag".utf8)))])
    expectEqual(rig.act(.reconfigure, at: 2), [])
    expectEqual(rig.hear(.readRequest(handle: 3)), [.sends(1, .readResponse(value: Array("Other".utf8)))])
  }

  @Test func `who asked for it is told that attributes are others, and of which handles`() {
    var rig = Rig {
      $0.gatt = gatt()
      $0.otherGATT = GATTPlan()
      $0.connectionsMaximum = 3
    }
    _ = rig.connect(1)
    _ = rig.connect(2)
    _ = rig.hear(.writeRequest(handle: 9, value: [2, 0]), from: 2)
    _ = rig.hear(.writeRequest(handle: 13, value: [1, 0]), from: 2)
    let told = Wanted.sends(2, .handleValueIndication(handle: 8, value: [10, 0, 13, 0]))
    expectEqual(rig.act(.reconfigure, at: 2), [told, .advertises])
    expectEqual(
      rig.hear(.readRequest(handle: 12)),
      [
        .sends(1, .errorResponse(request: 0x0A, handle: 12, error: .invalidHandle))
      ])
    expectEqual(rig.hear(.handleValueConfirmation, from: 2), [])
    expectEqual(rig.act(.reconfigure, at: 3), [told, .advertises])
    expectEqual(rig.hear(.readRequest(handle: 13), from: 2), [.sends(2, .readResponse(value: [0, 0]))])
    // Only what it says changes: its attributes stay.
    var same = Rig { $0.gatt = gatt() }
    _ = same.connect(1)
    _ = same.hear(.writeRequest(handle: 9, value: [2, 0]))
    expectEqual(same.act(.reconfigure, at: 2), [])
  }

  // MARK: - Quirks

  @Test func `it ends the first connection, or each of them after a second, or speaks before it is asked`() {
    var first = Rig { $0.quirks = [.refusesFirstConnection] }
    expectEqual(first.connect(1), [.ends(1)])
    expectEqual(first.link(1, .ended(.closed)), [.advertises])
    expectEqual(first.connect(2), [])
    var each = Rig { $0.quirks = [.endsConnections] }
    expectEqual(each.connect(1, at: 5), [])
    expectEqual(each.deadlineSeconds, 6)
    expectEqual(each.wake(at: 6), [.ends(1)])
    expectEqual(each.deadlineSeconds, nil)
    var hasty = Rig { $0.quirks = [.notifiesUnasked] }
    expectEqual(hasty.connect(1), [.sends(1, .handleValueNotification(handle: 10, value: [1]))])
    var mute = Rig { $0.quirks = [.answersNothing] }
    _ = mute.connect(1)
    expectEqual(mute.hear(.readRequest(handle: 3)), [])
  }
}
