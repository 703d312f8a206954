import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallTrace
import RollcallWire
import Testing

@testable import RollcallRunning
@testable import RollcallSimulation

/// The frames that entries of a host are shown as, each whole.
@Suite("Frames of a host's entries")
struct ExportedFrameTests {
  private static let tv = IPAddress(10, 0, 0, 1)
  private static let own = IPAddress(10, 0, 0, 9)
  private static let far = IPAddress(v6High: 0xFE80 << 48 | 0x0102_0304, low: 0x10)
  private static let group = Endpoint(.ssdpGroup4, port: 1_900)

  private static let cast = CaptureExport.Cast(
    host: "here", origin: [],
    interfaces: [(name: "if0", details: nil, mtuBytes: 1_500), (name: "if1", details: nil, mtuBytes: 100)],
    names: [CaptureName(address: tv, name: "tv"), CaptureName(address: own, name: "here")], end: .zero)

  private static func entry(_ seconds: Int64, _ content: TraceEntry.Content) -> TraceEntry {
    TraceEntry(time: .zero + .seconds(seconds), station: 0, content: content)
  }

  private static func datagram(
    _ source: Endpoint, _ destination: Endpoint, _ interface: UInt16, count: Int
  ) -> RecordedDatagram {
    RecordedDatagram(
      source: source, destination: destination, interface: InterfaceID(interface), hopLimit: 4,
      bytes: [UInt8](repeating: 7, count: count))
  }

  /// Second, interface, direction, comments, the entry that is shown, and the entries that stand beside it.
  private static func line(_ frame: EntryFrames.Frame) -> String {
    "\(frame.time.nanoseconds / 1_000_000_000) if\(frame.interface) \(frame.direction) \(frame.comments) "
      + "\(frame.entry.map { "\($0)" } ?? "-") \(frame.signals)"
  }

  @Test("datagrams have their hardware addresses, number, fragments and comments, and memberships stand behind them")
  func datagrams() throws {
    let heard = Self.datagram(Endpoint(Self.tv, port: 1_900), Self.group, 0, count: 20)
    let sent = Self.datagram(Endpoint(Self.own, port: 50_000), Endpoint(Self.tv, port: 1_900), 1, count: 120)
    // Of an interface that the host does not have, from nobody who has a name.
    // With its headers it has one byte more than the 1500 of an Ethernet.
    let strange = Self.datagram(Endpoint(IPAddress(10, 0, 0, 77), port: 1_900), Self.group, 2, count: 1_473)
    let entries = [
      Self.entry(1, .received(heard)), Self.entry(2, .sent(sent)), Self.entry(2, .woken),
      Self.entry(3, .received(strange)),
    ]
    let allHosts = try #require(IPAddress("ff02::1"))
    let memberships = [
      MembershipFrame(
        time: .zero + .seconds(2), interface: InterfaceID(1), source: Self.own, destination: IPAddress(224, 0, 0, 22),
        message: [0x22, 0, 0, 0, 0, 0, 0, 0]),
      MembershipFrame(
        time: .zero + .seconds(1), interface: InterfaceID(0), source: Self.far, destination: allHosts,
        message: [130, 0, 0, 0, 0, 0, 0, 0]),
    ]
    let frames = EntryFrames.all(of: entries, memberships, Self.cast)
    let pieces = FrameWriter.udp(
      LinkAddresses(source: MACAddress(2, 0, 10, 0, 0, 9), destination: MACAddress(2, 0, 10, 0, 0, 1)),
      from: sent.source, to: sent.destination, hopLimit: 4, payload: sent.bytes, identification: 2, mtuBytes: 100)
    expectEqual(pieces.count, 2)
    func toGroup(_ datagram: RecordedDatagram, _ host: UInt8, _ number: UInt32) throws -> [[UInt8]] {
      let link = try #require(LinkAddresses(source: MACAddress(2, 0, 10, 0, 0, host), group: .ssdpGroup4))
      return FrameWriter.udp(
        link, from: datagram.source, to: datagram.destination, hopLimit: 4, payload: datagram.bytes,
        identification: number)
    }
    // The low halves of both parts of an address of IPv6, folded.
    let query = try #require(
      FrameWriter.frame(
        LinkAddresses(source: MACAddress(2, 0, 1, 2, 3, 0x14), destination: MACAddress(0x33, 0x33, 0, 0, 0, 1)),
        from: Self.far, to: allHosts, protocolNumber: .icmpV6, ipPayload: memberships[1].message))
    let report = try #require(
      FrameWriter.frame(
        LinkAddresses(source: MACAddress(2, 0, 10, 0, 0, 9), destination: MACAddress(1, 0, 0x5E, 0, 0, 22)),
        from: Self.own, to: IPAddress(224, 0, 0, 22), protocolNumber: .igmp, ipPayload: memberships[0].message))
    let (first, last) = (try toGroup(heard, 1, 1), try toGroup(strange, 77, 3))
    expectEqual(last.count, 2)
    var expected: [[UInt8]] = first
    expected.append(query)
    expected.append(contentsOf: pieces)
    expected.append(report)
    expected.append(contentsOf: last)
    expectEqual(frames.map(\.bytes), expected)
    expectEqual(
      frames.map(Self.line),
      [
        #"1 if0 inbound ["from tv"] 0 []"#, #"1 if0 inbound ["membership query"] - []"#,
        #"2 if1 outbound ["sent by here"] 1 []"#, #"2 if1 outbound ["sent by here"] 1 []"#,
        #"2 if1 outbound ["membership report"] - []"#, #"3 if2 inbound ["from 10.0.0.77"] 3 []"#,
        #"3 if2 inbound ["from 10.0.0.77"] 3 []"#,
      ])
  }

  @Test("what a machine is given at the instant of a frame stands beside the last one, later it does not")
  func signals() {
    let (local, remote) = (Endpoint(Self.own, port: 80), Endpoint(Self.tv, port: 50_000))
    let id = StreamID(1)
    let heard = RadioPDU(
      channel: 37, strength: -58, accessAddress: AirFrame.advertisingAddress,
      bytes: AdvertisingPDU.bytes(.connectable, from: RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)))
    func entry(_ seconds: Int64, signal: SignalValue) -> TraceEntry { Self.entry(seconds, .signal(signal)) }
    let entries: [TraceEntry] = [
      entry(1, signal: .streams(.room(id, byteCount: 5))),
      Self.entry(1, .effect(.streams(.listen(StreamID(9), at: local, InterfaceID(1))))),
      entry(2, signal: .streams(.accepted(id, listener: StreamID(9), local: local, remote: remote))),
      entry(2, signal: .streams(.room(id, byteCount: 5))), Self.entry(2, .woken),
      entry(3, signal: .streams(.room(id, byteCount: 5))),
      Self.entry(3, .effect(.streams(.write(id, [1, 2])))), entry(3, signal: .streams(.room(id, byteCount: 9))),
      entry(4, signal: .radio(.heard(heard))),
    ]
    let frames = EntryFrames.all(of: entries, [], Self.cast)
    expectEqual(
      frames.map(Self.line),
      [
        #"2 if1 inbound ["from tv"] 2 []"#, #"2 if1 outbound ["sent by here"] 2 []"#,
        #"2 if1 inbound ["from tv"] 2 [2, 3]"#, #"3 if1 outbound ["sent by here"] 6 [7]"#, "4 if2 inbound [] 8 []",
      ])
    expectEqual(frames.last?.bytes, AirFrame.bytes(pdu: heard.bytes, channel: 37, strength: -58))
  }

  @Test("a connection has an address of its own, one channel after the other, and ends as the standard says")
  func links() {
    let (own, peer) = (
      RadioAddress(bits: 0xC000_0000_0001, isRandom: true), RadioAddress(bits: 0xC000_0000_0002, isRandom: true)
    )
    for (number, role) in [(1, LinkRole.central), (7, .peripheral)] as [(UInt32, LinkRole)] {
      let (id, isCentral) = (LinkID(number), role == .central)
      var seed = Digest()
      seed.combine(own.bits, peer.bits)
      seed.combine(UInt64(number))
      let request = ConnectRequest(parameters: LinkParameters(), seed: seed.state)
      func packet(_ count: Int, _ pdu: [UInt8]) -> [UInt8] {
        AirFrame.bytes(
          pdu: pdu, channel: UInt8(count * Int(request.hop) % 37), accessAddress: request.accessAddress,
          crcStart: request.crcStart, isFromCentral: isCentral)
      }
      var entries = [
        Self.entry(0, .signal(.radio(.link(id, .connected(role, own: own, peer: peer, LinkParameters())))))
      ]
      var wanted = [
        AirFrame.bytes(
          pdu: AdvertisingPDU.bytes(
            .connectRequest, from: isCentral ? own : peer, to: isCentral ? peer : own, data: request.bytes),
          channel: 37, strength: 0)
      ]
      for count in 1...10 {
        entries.append(Self.entry(Int64(count), .effect(.radio(.link(id, .send([UInt8(count)]))))))
        wanted.append(packet(count, [count % 2 == 1 ? 2 : 10, 1, UInt8(count)]))
      }
      entries.append(Self.entry(11, .signal(.radio(.link(id, .ended(.closed))))))
      wanted.append(packet(11, [3, 2, 0x02, 0x13]))
      let frames = EntryFrames.all(of: entries, [], Self.cast)
      expectEqual(frames.map(\.bytes), wanted, "\(role)")
      expectEqual(
        frames.map(Self.line),
        (0...11).map { place in
          let isOwn = place > 0 || isCentral
          let beside = place == 0 || place == 11 ? "[\(place)]" : "[]"
          return "\(place) if2 \(isOwn ? "outbound" : "inbound") [] \(place) \(beside)"
        })
    }
  }
}
