import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

/// Connections of an engine: how they begin and end, and what they mean for the devices that are there (CB-33, CB-38).
@Suite struct CentralTests {
  /// An engine with a controller; each call answers with all that it wants and tells, as text. Peripherals are named by
  /// the last byte of their address.
  private struct Rig {
    var engine: DiscoveryEngine
    private var outbox = Outbox(payloads: PayloadStore())

    init(_ configure: (inout EngineConfiguration) -> Void = { _ in }) {
      var configuration = EngineConfiguration()
      configure(&configuration)
      engine = DiscoveryEngine(configuration)
    }

    static func address(_ last: UInt8) -> RadioAddress {
      RadioAddress(bits: 0xC0FF_EE00_0000 | UInt64(last), isRandom: true)
    }

    mutating func give(_ value: SignalValue, at seconds: Double) -> [String] {
      engine.receive(value, at: at(seconds), into: &outbox)
      return answer()
    }

    mutating func wake(at seconds: Double) -> [String] {
      engine.wake(at: at(seconds), into: &outbox)
      return answer()
    }

    mutating func ask(_ request: CentralCommand.Request, of last: UInt8 = 1, at seconds: Double = 1) -> [String] {
      give(.application(.peripheral(CentralCommand(Rig.address(last), request))), at: seconds)
    }

    mutating func link(_ number: UInt32, _ signal: LinkSignal, at seconds: Double = 1) -> [String] {
      give(.radio(.link(LinkID(number), signal)), at: seconds)
    }

    /// The connection is there as far as the controller knows.
    mutating func connected(_ number: UInt32, to last: UInt8 = 1, at seconds: Double = 1) -> [String] {
      let own = RadioAddress(bits: 0xC000_0000_0000, isRandom: true)
      return link(number, .connected(.central, own: own, peer: Rig.address(last), LinkParameters()), at: seconds)
    }

    mutating func answer(_ pdu: AttributePDU, on number: UInt32 = 1, at seconds: Double = 1) -> [String] {
      link(number, .frame(ChannelFrame.bytes(.attributes, pdu.bytes)), at: seconds)
    }

    mutating func hear(_ last: UInt8, name: String? = nil, at seconds: Double) -> [String] {
      var fields = AdvertisedFields()
      fields.name = name
      let bytes = AdvertisingPDU.bytes(.connectable, from: Rig.address(last), data: fields.bytes)
      let packet = RadioPDU(channel: 37, strength: -60, accessAddress: AirFrame.advertisingAddress, bytes: bytes)
      return give(.radio(.heard(packet)), at: seconds)
    }

    /// A connection that stands and waits for nothing.
    mutating func stand(_ number: UInt32, to last: UInt8 = 1, name: String? = nil, at seconds: Double = 1) -> [String] {
      var told = ask(.connect, of: last, at: seconds) + connected(number, to: last, at: seconds)
      told += link(number, .acknowledged(frames: 1), at: seconds)
      told += answer(.exchangeMTUResponse(mtu: 100), on: number, at: seconds)
      let named = name.map { AttributePDU.readByTypeResponse([.init(3, Array($0.utf8))]) }
      told += answer(named ?? Rig.notFound(.readByTypeRequest), on: number, at: seconds)
      told += answer(Rig.notFound(.findByTypeValueRequest), on: number, at: seconds)
      return told.filter { !$0.hasPrefix("send ") && !$0.hasPrefix("connect ") }
    }

    static func notFound(_ request: AttributePDU.Opcode) -> AttributePDU {
      .errorResponse(request: request.rawValue, handle: 1, error: .attributeNotFound)
    }

    private static func short(_ name: String) -> String { String(name.dropFirst(19).dropLast(7)) }

    private mutating func answer() -> [String] {
      defer { outbox.removeAll() }
      expectEqual(engine.brokenInvariants, [])
      return outbox.effects.map { effect in
        switch effect {
        case .radio(.link(let link, .connect(let peer, _))): "connect \(link.number) to \(Rig.short(peer.deviceName))"
        case .radio(.link(let link, .send(let frame))): "send \(link.number) \(Rig.opcode(frame))"
        case .radio(.link(let link, .readStrength)): "strength of \(link.number)"
        case .radio(.link(let link, .end)): "end \(link.number)"
        case .application(.found(let device)): "found \(Rig.short(device.device))"
        case .application(.changed(let device, .attribute(let name, let from))):
          "\(name) of \(Rig.short(device.device)) is \(device[name]?.text ?? "-"), was \(from?.text ?? "-")"
        case .application(.lost(let name, let cause)): "lost \(Rig.short(name)) \(cause)"
        case .application(.peripheral(let report)): "\(Rig.short(report.device)): \(report.event.text)"
        case .application(.rejected(let why)): "rejected \(why.reason) at \(why.offset)"
        default: "\(effect)"
        }
      }
    }

    private static func opcode(_ frame: [UInt8]) -> String {
      AttributePDU.Opcode(rawValue: frame[ChannelFrame.headerBytes])?.name ?? "?"
    }
  }

  // MARK: - Beginnings

  @Test func `a connection stands when the other side has acknowledged something, and is asked for once`() {
    var rig = Rig()
    let twice = ["01: connect failed: it is connected, or being connected to"]
    expectEqual(rig.ask(.connect), ["connect 1 to 01"])
    expectEqual(rig.ask(.connect), twice)
    expectEqual(rig.connected(1), ["send 1 ATT_EXCHANGE_MTU_REQ"])
    expectEqual(rig.ask(.connect), twice)
    // One that was never heard is found when it is connected.
    expectEqual(rig.link(1, .acknowledged(frames: 1)), ["found 01", "01: connected"])
    expectEqual(rig.ask(.connect), twice)
    expectEqual(rig.ask(.connect, of: 2), ["connect 2 to 02"])
  }

  @Test func `what was heard before is connected without being found again, by an answer as well`() {
    var rig = Rig()
    expectEqual(rig.hear(1, at: 0), ["found 01"])
    _ = rig.ask(.connect)
    _ = rig.connected(1)
    expectEqual(rig.answer(.exchangeMTUResponse(mtu: 100)), ["01: connected", "send 1 ATT_READ_BY_TYPE_REQ"])
    expectEqual(rig.engine.directory.count, 1)
  }

  @Test func `an attempt that nobody answered begins again, with another number`() {
    var rig = Rig()
    _ = rig.ask(.connect)
    for number: UInt32 in 1...3 {
      expectEqual(rig.connected(number), ["send \(number) ATT_EXCHANGE_MTU_REQ"])
      expectEqual(rig.link(number, .ended(.notEstablished)), ["connect \(number + 1) to 01"])
      // Whatever the old one says now is nobody's business.
      expectEqual(rig.link(number, .acknowledged(frames: 1)), [])
      expectEqual(rig.link(number, .ended(.closed)), [])
    }
    expectEqual(rig.connected(4), ["send 4 ATT_EXCHANGE_MTU_REQ"])
    expectEqual(rig.link(4, .acknowledged(frames: 1)), ["found 01", "01: connected"])
  }

  @Test func `an attempt that ends in another way has failed, and can be made again`() {
    for end in LinkEnd.allCases where end != .notEstablished {
      var rig = Rig()
      _ = rig.ask(.connect)
      expectEqual(rig.link(1, .ended(end)), ["01: not connected: \(end.text)"])
      expectEqual(rig.ask(.connect), ["connect 2 to 01"])
      _ = rig.connected(2)
      expectEqual(rig.link(2, .ended(end)), ["01: not connected: \(end.text)"])
      expectEqual(rig.ask(.connect), ["connect 3 to 01"])
      expectEqual(rig.engine.directory.count, 0)
    }
  }

  @Test func `an attempt that is given up ends when the controller says so, whatever comes before that`() {
    var rig = Rig()
    _ = rig.ask(.connect)
    expectEqual(rig.ask(.disconnect), ["end 1"])
    expectEqual(rig.ask(.disconnect), ["01: connect failed: it is not connected"])
    expectEqual(rig.ask(.connect), ["01: connect failed: it is connected, or being connected to"])
    expectEqual(rig.connected(1), [])
    expectEqual(rig.link(1, .acknowledged(frames: 1)), [])
    expectEqual(rig.link(1, .ended(.closed)), ["01: disconnected: the application asked for it"])
    expectEqual(rig.ask(.connect), ["connect 2 to 01"])
  }

  // MARK: - Requests

  @Test func `without a connection that stands nothing is asked of a peripheral (CB-63)`() {
    let requests: [(CentralCommand.Request, String)] = [
      (.discover, "discover"), (.services([]), "discover"), (.includedServices(service: 1), "discover of #1"),
      (.characteristics(service: 2, []), "discover of #2"), (.descriptors(characteristic: 3), "discover of #3"),
      (.read(.handle(3)), "read of #3"), (.write(.handle(3), [], withResponse: false), "write of #3"),
      (.notify(.characteristic(BluetoothUUID(short: 0x2A19)), true), "notify of 2A19"), (.readStrength, "strength"),
    ]
    for (request, text) in requests {
      let refused = ["01: \(text) failed: it is not connected"]
      var rig = Rig()
      expectEqual(rig.ask(request), refused)
      _ = rig.ask(.connect)
      expectEqual(rig.ask(request), refused)
      _ = rig.connected(1)
      expectEqual(rig.ask(request), refused)
      _ = rig.link(1, .acknowledged(frames: 1))
      #expect(rig.ask(request) != refused)
      _ = rig.ask(.disconnect)
      expectEqual(rig.ask(request), refused)
      _ = rig.link(1, .ended(.closed))
      expectEqual(rig.ask(request), refused)
    }
  }

  @Test func `strength is told as often as it is asked for`() {
    var rig = Rig()
    expectEqual(rig.stand(1), ["found 01", "01: connected"])
    expectEqual(rig.link(1, .strength(-50)), [])
    expectEqual(rig.ask(.readStrength), ["strength of 1"])
    expectEqual(rig.ask(.readStrength), ["strength of 1"])
    expectEqual(rig.link(1, .strength(-60)), ["01: strength -60 dBm"])
    expectEqual(rig.link(1, .strength(nil)), ["01: strength unknown"])
    expectEqual(rig.link(1, .strength(-60)), [])
  }

  @Test func `what is no frame is rejected, and connections that nobody asked for are left alone`() {
    var rig = Rig()
    _ = rig.stand(1)
    expectEqual(rig.link(1, .frame([1, 2, 3])), ["rejected badPacket at 3"])
    expectEqual(rig.link(9, .frame([1, 2, 3])), [])
    expectEqual(rig.connected(9, to: 9), [])
    expectEqual(rig.link(9, .ended(.timedOut)), [])
  }

  // MARK: - Ends

  @Test func `what waits has failed before the end is told`() {
    for end in [LinkEnd.closedByPeer, .timedOut, .radioOff, .notEstablished] {
      var rig = Rig()
      _ = rig.stand(1)
      expectEqual(rig.ask(.services([])), ["send 1 ATT_READ_BY_GROUP_TYPE_REQ"])
      expectEqual(
        rig.link(1, .ended(end)),
        [
          "01: discover failed: it was disconnected first", "01: disconnected: \(end.text)",
        ])
    }
    var rig = Rig()
    _ = rig.stand(1)
    _ = rig.ask(.services([]))
    expectEqual(rig.ask(.disconnect), ["01: discover failed: it was disconnected first", "end 1"])
    expectEqual(rig.answer(Rig.notFound(.readByGroupTypeRequest)), [])
    expectEqual(rig.link(1, .ended(.closed)), ["01: disconnected: the application asked for it"])
  }

  @Test func `a peripheral that does not answer for thirty seconds is left`() {
    var rig = Rig()
    _ = rig.stand(1)
    expectEqual(rig.engine.deadline, nil)
    _ = rig.ask(.services([]), at: 5)
    expectEqual(rig.engine.deadline, at(35))
    expectEqual(rig.wake(at: 34.999), [])
    expectEqual(rig.wake(at: 35), ["01: discover failed: no answer within 30 s", "end 1"])
    expectEqual(rig.engine.deadline, nil)
    expectEqual(rig.ask(.services([]), at: 36), ["01: discover failed: it is not connected"])
    expectEqual(rig.ask(.disconnect, at: 36), ["01: connect failed: it is not connected"])
  }

  @Test func `when the engine stops, all connections end at once, in the order in which they were asked for`() {
    var rig = Rig()
    _ = rig.stand(1)
    _ = rig.ask(.connect, of: 2)
    _ = rig.ask(.services([]))
    expectEqual(
      rig.give(.application(.stop), at: 2),
      [
        "end 1", "01: discover failed: it was disconnected first", "01: disconnected: the application asked for it",
        "end 2", "02: not connected: the application asked for it", "lost 01 stopped",
      ])
    expectEqual(rig.link(1, .ended(.closed), at: 3), [])
    expectEqual(rig.ask(.connect, at: 4), [])
    expectEqual(rig.engine.deadline, nil)
  }

  // MARK: - The devices that are there

  @Test func `a connected peripheral is not lost by its silence, but by that after its connection`() {
    var rig = Rig { $0.peripheralSilence = .seconds(10) }
    _ = rig.hear(1, at: 1)
    expectEqual(rig.stand(1, at: 2), ["01: connected"])
    expectEqual(rig.engine.deadline, nil)
    expectEqual(rig.wake(at: 100), [])
    expectEqual(rig.hear(1, at: 100), [])
    expectEqual(rig.link(1, .ended(.closedByPeer), at: 200), ["01: disconnected: the peripheral ended it"])
    expectEqual(rig.engine.deadline, at(210))
    expectEqual(rig.wake(at: 210), ["lost 01 expired"])
  }

  @Test func `a connected peripheral keeps its place in a full table, and gives it away after that`() {
    var rig = Rig { $0.limits.peripherals = 2 }
    _ = rig.hear(1, at: 1)
    _ = rig.hear(2, at: 2)
    _ = rig.stand(1, at: 3)
    expectEqual(rig.hear(3, at: 4), ["lost 02 evicted", "found 03"])
    _ = rig.stand(2, to: 3, at: 5)
    // All that are there are connected.
    expectEqual(rig.hear(4, at: 6), [])
    expectEqual(rig.link(1, .ended(.timedOut), at: 7), ["01: disconnected: nothing was heard any more"])
    expectEqual(rig.hear(4, at: 8), ["lost 01 evicted", "found 04"])
  }

  @Test func `the name that a peripheral has of itself counts more than what it advertises (CB-28)`() {
    var rig = Rig()
    _ = rig.hear(1, name: "said", at: 1)
    expectEqual(rig.stand(1, name: "own", at: 2), ["01: connected", "name of 01 is own, was said"])
    expectEqual(rig.hear(1, name: "other", at: 3), [])
    _ = rig.link(1, .ended(.timedOut), at: 4)
    expectEqual(rig.hear(1, name: "said", at: 5), [])
    expectEqual(rig.stand(2, name: "own", at: 6), ["01: connected"])
    // One that says the same of itself has not changed, and one without a name has one now.
    _ = rig.hear(2, name: "same", at: 7)
    expectEqual(rig.stand(3, to: 2, name: "same", at: 8), ["02: connected"])
    expectEqual(rig.stand(4, to: 3, name: "new", at: 9), ["found 03", "03: connected", "name of 03 is new, was -"])
  }
}
