import RollcallEngines
import RollcallExpectations
import RollcallPrimitives
import Testing

/// The numbers of docs/engine-protocol.md, each with those beside it, and fields as long as they may be.
@Suite("Frames of the engine protocol at their bounds")
struct FrameBoundTests {
  private func fault(_ bytes: [UInt8]) -> FrameFault? {
    do throws(FrameFault) {
      _ = try EngineFrame(bytes, by: FrameBytes.told)
      return nil
    } catch { return error }
  }

  private func frame(_ hex: String) -> EngineFrame? { try? EngineFrame(FrameBytes.bytes(hex), by: FrameBytes.told) }

  private static let seen = "0006757569643a31010009687474703a2f2f612f040a0000010000010000000900"

  @Test("types have the names of the page, and those beside them none")
  func names() {
    let named: [String] = [
      "SEND", "JOIN", "LEAVE", "FOUND", "CHANGED", "LOST", "SERVICE", "SEARCH_ENDED", "FAILED",
    ]
    expectEqual((UInt8(129)...137).map { EngineFrame.name(ofType: $0) }, named)
    expectEqual([142, 143].map { EngineFrame.name(ofType: $0) }, ["LOG", "READY"])
    for type: UInt8 in [0, 128, 138, 141, 144, 255] { expectEqual(EngineFrame.name(ofType: type), "type \(type)") }
  }

  @Test("causes, reasons and what changed are numbered as on the page, from 1 to the last")
  func choices() {
    let causes: [LossCause] = [.byebye, .expired, .rebooted, .interface, .evicted, .stopped]
    for (place, cause) in causes.enumerated() {
      expectEqual(frame("0000000a860006757569643a310\(place + 1)"), .lost(device: "uuid:1", cause: cause))
    }
    let reasons: [Failure.Reason] = [.cannotJoin, .cannotSend, .noInterface, .invalidSearch, .searchIdUsed]
    for (place, reason) in reasons.enumerated() {
      expectEqual(
        frame("0000000689" + "0\(place + 1)" + "00000000"), .failed(Failure(reason: reason, explanation: "")))
    }
    for number in [0, 6] {
      let expected = "the reason of a failure: 1 … 5"
      expectEqual(
        fault(FrameBytes.bytes("0000000689" + "0\(number)" + "00000000")),
        FrameFault(at: 5, expected: expected, found: "\(number)"))
    }
    for number in [0, 5] {
      expectEqual(
        fault(FrameBytes.bytes("0000002485" + Self.seen + "0\(number)00")),
        FrameFault(at: 38, expected: "what is different: 1 … 4", found: "\(number)"))
    }
  }

  @Test("texts and datagrams are read up to their bounds, and a byte more is refused")
  func lengths() throws {
    let name = String(repeating: "a", count: 4_096)
    let lost = FrameBytes.bytes("00001004861000") + Array(name.utf8) + [2]
    expectEqual(try EngineFrame(lost, by: FrameBytes.told), .lost(device: name, cause: .expired))
    let text = String(repeating: "a", count: 65_535)
    let note = FrameBytes.bytes("000100028effff") + Array(text.utf8)
    expectEqual(try EngineFrame(note, by: FrameBytes.told), .note(text))
    let bytes = [UInt8](repeating: 7, count: 65_508)
    let head = "810000138804effffffa076c04"
    let most = FrameBytes.bytes("0000fff2" + head + "ffe3") + bytes.dropLast()
    let group = Endpoint(IPAddress(239, 255, 255, 250), port: 1900)
    expectEqual(
      try EngineFrame(most, by: FrameBytes.told),
      .send(from: 5_000, to: group, on: InterfaceID(0), hopLimit: 4, bytes: Array(bytes.dropLast())))
    expectEqual(
      fault(FrameBytes.bytes("0000fff3" + head + "ffe4") + bytes),
      FrameFault(at: 17, expected: "a datagram of at most 65507 bytes", found: "65508"))
  }

  @Test("what a field of the host cannot say is cut: addresses, counts and long texts")
  func host() {
    for (count, written) in [(255, 255), (256, 255)] {
      let addresses = (0..<count).map { InterfaceAddress(IPAddress(v4: 0x0A00_0000 + UInt32($0)), prefixBits: 24) }
      let change = InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: addresses)
      let bytes = HostFrame.interface(change, at: .zero).bytes
      // Length, type, time, interface, whether it is up, and how many.
      expectEqual(bytes.count, 4 + 1 + 8 + 2 + 1 + 1 + 6 * written)
      expectEqual(bytes[16], 255)
      expectEqual(Array(bytes[..<4]), [0, 0, 0x06, 0x07])
    }
    for (count, hex) in [(65_535, "ffff"), (65_536, "ffff"), (0, "0000"), (-1, "0000"), (256, "0100")] {
      let search = Search(
        id: SearchID(7), target: "", maximumWaitSeconds: count, broadcasts: 3, spacing: .nanoseconds(1))
      let copies = Search(
        id: SearchID(7), target: "", maximumWaitSeconds: 3, broadcasts: count, spacing: .nanoseconds(1))
      expectEqual(FrameBytes.hex(Array(HostFrame.search(search, at: .zero).bytes[19..<23])), hex + "0003")
      expectEqual(FrameBytes.hex(Array(HostFrame.search(copies, at: .zero).bytes[19..<23])), "0003" + hex)
    }
    let texts: [(text: String, count: Int)] = [
      (String(repeating: "a", count: 65_535), 65_535), (String(repeating: "a", count: 65_536), 16_383),
      (String(repeating: "\u{1F600}", count: 16_384), 65_532),
    ]
    for (text, count) in texts {
      let bytes = HostFrame.other(text, at: .zero).bytes
      expectEqual(bytes.count, 4 + 1 + 8 + 2 + count)
      expectEqual(Int(bytes[13]) << 8 | Int(bytes[14]), count)
      #expect(String(validating: bytes[15...], as: UTF8.self) != nil)
    }
  }

  @Test("a refused datagram is told apart from a refused join, and what the host says has frames with their time")
  func refused() {
    let time = Instant(nanoseconds: 5)
    let refusal = Refusal(
      deed: .send, interface: InterfaceID(1), address: IPAddress(239, 255, 255, 250), port: 1900)
    let frame = HostFrame(.host(.refused(refusal)), at: time)
    expectEqual(frame, .refused(refusal, at: time))
    expectEqual(FrameBytes.hex(frame.bytes), "000000130a000000000000000502000104effffffa076c")
    let change = InterfaceChange(interface: InterfaceID(3), isUp: false, addresses: [])
    expectEqual(HostFrame(.host(.interface(change)), at: time), .interface(change, at: time))
    expectEqual(HostFrame(.command(.release(device: "x")), at: time), .release(device: "x", at: time))
    expectEqual([frame, .wake(at: time), .stop(at: time), .end].map(\.time), [time, time, time, nil])
    // What it was told last of an interface counts, and each search has its own target.
    var told = FrameBytes.told
    told.note(.interface(InterfaceChange(interface: InterfaceID(0), isUp: false, addresses: []), at: time))
    told.note(.search(Search(id: SearchID(8), target: "c"), at: Instant(nanoseconds: 9)))
    expectEqual(told.now, Instant(nanoseconds: 9))
    expectEqual(told.interfaces[InterfaceID(0)]?.isUp, false)
    expectEqual([7, 8].map { told.searches[SearchID($0)] }, ["a:b", "c"])
  }
}
