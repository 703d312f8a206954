import RollcallEngines
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Bytes that Python's `struct` made from docs/engine-protocol.md.
enum FrameBytes {
  static func bytes(_ hex: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in hex.utf8.compactMap({ UInt8(String(UnicodeScalar($0)), radix: 16) }) {
      if let first = high { bytes.append(first << 4 | digit) }
      high = high == nil ? digit : nil
    }
    return bytes
  }

  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { (byte: UInt8) -> String in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  /// Two interfaces, the second one down, and search 7.
  static let told: ToldEngine = {
    var told = ToldEngine()
    let address = InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 24)
    told.note(.interface(InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: [address]), at: .zero))
    told.note(.interface(InterfaceChange(interface: InterfaceID(1), isUp: false, addresses: []), at: .zero))
    told.note(.search(Search(id: SearchID(7), target: "a:b"), at: Instant(nanoseconds: 5)))
    return told
  }()
}

@Suite("Frames of the engine protocol")
struct FrameTests {
  private static let time = Instant(nanoseconds: 5)
  private static let group = Endpoint(IPAddress(239, 255, 255, 250), port: 1900)

  private static let hostFrames: [(frame: HostFrame, hex: String)] = {
    let v6 = IPAddress(v6High: 0xFE80_0000_0000_0000, low: 1)
    let addresses = [
      InterfaceAddress(IPAddress(192, 168, 1, 2), prefixBits: 24), InterfaceAddress(v6, prefixBits: 64),
    ]
    let up = InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: addresses)
    let down = InterfaceChange(interface: InterfaceID(3), isUp: false, addresses: [])
    let source = Endpoint(IPAddress(10, 0, 0, 1), port: 1900)
    let datagram = RecordedDatagram(
      source: source, destination: Endpoint(IPAddress(239, 255, 255, 250), port: 1901), interface: InterfaceID(1),
      hopLimit: 2, bytes: [0x68, 0x69])
    let plain = Search(id: SearchID(7), target: "a:b", maximumWaitSeconds: 3, broadcasts: 2)
    let unicast = Search(
      id: SearchID(7), target: "", maximumWaitSeconds: 0, broadcasts: 1, spacing: .nanoseconds(9),
      host: Endpoint(IPAddress(10, 0, 0, 1), port: 0), interface: InterfaceID(2))
    let refusal = Refusal(deed: .join, interface: InterfaceID(0), address: FrameTests.group.address, port: 1900)
    var rows: [(frame: HostFrame, hex: String)] = []
    rows.append(
      (.hello(seed: Seed(1), duration: .seconds(60)), "0000001301000100000000000000010000000df8475800"))
    rows.append(
      (
        .interface(up, at: .zero),
        "000000250200000000000000000000010204c0a801021806fe80000000000000000000000000000140"
      ))
    rows.append((.interface(down, at: FrameTests.time), "0000000d02000000000000000500030000"))
    rows.append(
      (.datagram(datagram, at: FrameTests.time), "0000001e0300000000000000050001040a000001076c04effffffa076d0200026869")
    )
    rows.append((.wake(at: Instant(nanoseconds: 5_000_000_000)), "0000000904000000012a05f200"))
    rows.append(
      (.search(plain, at: FrameTests.time), "00000020050000000000000005000000070003613a620003000200000000b2d05e000000"))
    rows.append(
      (
        .search(unicast, at: FrameTests.time),
        "0000002605000000000000000500000007000000000001000000000000000901040a0000010000010002"
      ))
    rows.append((.stopSearch(SearchID(7), at: FrameTests.time), "0000000d06000000000000000500000007"))
    rows.append((.stop(at: FrameTests.time), "00000009070000000000000005"))
    rows.append((.hold(device: "uuid:ä", at: FrameTests.time), "000000120800000000000000050007757569643ac3a4"))
    rows.append((.release(device: "x", at: FrameTests.time), "0000000c090000000000000005000178"))
    rows.append((.refused(refusal, at: FrameTests.time), "000000130a000000000000000501000004effffffa076c"))
    rows.append(
      (HostFrame(.host(.power(.off)), at: FrameTests.time), "000000140b00000000000000050009706f776572206f6666"))
    rows.append((.end, "000000010f"))
    return rows
  }()

  @Test("what the host says has the bytes of the page")
  func host() {
    for row in FrameTests.hostFrames { expectEqual(FrameBytes.hex(row.frame.bytes), row.hex, "\(row.frame.name)") }
  }

  @Test("commands and the host's own news have frames of their own, all else is a line")
  func signals() {
    let search = Search(id: SearchID(1), target: "x")
    let names: [(SignalValue, String)] = [
      (.command(.search(search)), "SEARCH"), (.command(.stopSearch(SearchID(1))), "STOP_SEARCH"),
      (.command(.stop), "STOP"), (.command(.hold(device: "a")), "HOLD"), (.command(.release(device: "a")), "RELEASE"),
      (.command(.stopDescriptions), "OTHER"), (.command(.act(.appear)), "OTHER"),
      (.host(.permission(.localNetwork, .denied)), "OTHER"),
    ]
    for (value, name) in names { expectEqual(HostFrame(value, at: .zero).name, name, "\(name)") }
  }

  private static let engineFrames: [(hex: String, frame: EngineFrame)] = {
    let place = Endpoint(FrameTests.group.address, port: 1900)
    let v6 = IPAddress(v6High: 0xFE80_0000_0000_0000, low: 1)
    let sighting = DeviceSighting(
      device: "uuid:1", location: "http://a/", source: IPAddress(10, 0, 0, 1), interface: InterfaceID(0), bootID: 9)
    var bare = DeviceSighting(device: "x", location: nil, source: v6, interface: InterfaceID(0), bootID: nil)
    bare[.configID] = .number(5)
    let seen = "0006757569643a31010009687474703a2f2f612f040a0000010000010000000900"
    let service = ServiceSighting(
      search: SearchID(7), device: "uuid:1", usn: "uuid:1::b", target: "b", location: nil)
    var rows: [(hex: String, frame: EngineFrame)] = []
    rows.append(
      (
        "00000011810000138804effffffa076c0400026869",
        .send(from: 5_000, to: place, on: InterfaceID(0), hopLimit: 4, bytes: [0x68, 0x69])
      ))
    rows.append(("0000000a82000004effffffa076c", .join(place, on: InterfaceID(0))))
    rows.append(("0000000a83000004effffffa076c", .leave(place, on: InterfaceID(0))))
    rows.append(("0000002284" + seen, .found(sighting)))
    rows.append(("0000001e840001780006fe8000000000000000000000000000010000000100000005", .found(bare)))
    rows.append(("0000002485" + seen + "0100", .changed(sighting, .location(from: nil))))
    rows.append(("0000002885" + seen + "02040a000009", .changed(sighting, .address(from: IPAddress(10, 0, 0, 9)))))
    rows.append(("0000002885" + seen + "030100000008", .changed(sighting, .bootID(from: 8))))
    rows.append(("0000002485" + seen + "0400", .changed(sighting, .configID(from: nil))))
    rows.append(("0000000a860006757569643a3102", .lost(device: "uuid:1", cause: .expired)))
    rows.append(("0000001c87000000070006757569643a310009757569643a313a3a6200016200", .service(service)))
    rows.append(("00000006880000000701", .searchEnded(SearchID(7), wasStopped: true)))
    rows.append(
      (
        "0000000c890401000000070000026e6f",
        .failed(Failure(reason: .invalidSearch, search: SearchID(7), explanation: "no"))
      ))
    rows.append(("000000068e000368c3a9", .note("hé")))
    rows.append(("000000028f00", .ready(deadline: nil)))
    rows.append(("0000000a8f010000000000000006", .ready(deadline: Instant(nanoseconds: 6))))
    return rows
  }()

  @Test("what an engine says is read as the page has it, and every shorter frame is refused at its end")
  func engine() throws {
    for row in FrameTests.engineFrames {
      let bytes = FrameBytes.bytes(row.hex)
      try expectEqual(EngineFrame(bytes, by: FrameBytes.told), row.frame, "\(row.hex)")
      for count in 5..<bytes.count {
        let cut = Array(bytes[..<count])
        do throws(FrameFault) {
          _ = try EngineFrame(cut, by: FrameBytes.told)
          Issue.record("\(row.hex) cut to \(count) bytes is read")
        } catch {
          #expect(error.offset <= count, "\(row.hex) cut to \(count) bytes")
        }
      }
    }
  }

  @Test("what breaks a rule is refused at its byte, with what was expected")
  func refusals() {
    let seen = "0006757569643a31010009687474703a2f2f612f040a000001"
    let long = "1001" + String(repeating: "61", count: 4_097)
    let rows: [(hex: String, offset: Int, expected: String, found: String)] = [
      ("0000000180", 4, "the type of a frame of an engine: 129 … 137, 142 or 143", "128"),
      ("000000028f02", 5, "whether there is a deadline: 0 or 1", "2"),
      ("0000000a8f010000000000000005", 6, "a deadline later than now, 0.000000005", "0.000000005"),
      ("000000038f0000", 6, "the end of the frame", "1 bytes more"),
      ("0000000a82000904effffffa076c", 5, "an interface that INTERFACE has told of", "9"),
      ("0000000a820000040a000001076c", 7, "a multicast address", "10.0.0.1"),
      ("0000000a82000005effffffa076c", 7, "the family of the group: 4 or 6", "5"),
      ("0000000a82000004effffffa0000", 12, "the port of the group: 1 … 65535", "0"),
      ("00000011810000000004effffffa076c0400026869", 7, "the source port: 1 … 65535", "0"),
      ("00000011810000138804effffffa076c04ffff6869", 17, "a datagram of at most 65507 bytes", "65535"),
      ("0000000a860006757569643aff02", 7, "the name of a device in UTF-8", "other bytes"),
      ("000000058600067575", 7, "the name of a device, 6 bytes", "2 bytes, and the frame ends"),
      ("0000000486000002", 5, "the name of a device", "an empty text"),
      ("0000000a860006757569643a3107", 13, "the cause of a loss: 1 … 6", "7"),
      ("0000000a860006757569643a3100", 13, "the cause of a loss: 1 … 6", "0"),
      ("0000002284" + seen + "00020000", 30, "an interface that INTERFACE has told of", "2"),
      ("00000006880000000801", 5, "a search that SEARCH has told of", "8"),
      ("00001004" + "86" + long, 5, "the name of a device of at most 4096 bytes", "4097"),
    ]
    for row in rows {
      do throws(FrameFault) {
        _ = try EngineFrame(FrameBytes.bytes(row.hex), by: FrameBytes.told)
        Issue.record("\(row.hex) is read")
      } catch {
        expectEqual(error, FrameFault(at: row.offset, expected: row.expected, found: row.found), "\(row.hex)")
      }
    }
  }
}
