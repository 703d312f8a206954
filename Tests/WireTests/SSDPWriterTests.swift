import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("SSDP writer")
struct SSDPWriterTests {
  private func written(_ capacity: Int, _ body: (inout ByteWriter) -> Void) -> (text: String, overflowed: Bool) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity + 8, alignment: 1)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0xAA)
    var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: memory[..<capacity]))
    body(&writer)
    #expect(memory[capacity...].allSatisfy { $0 == 0xAA }, "wrote past its end")
    return (String(decoding: memory[..<writer.count], as: UTF8.self), writer.overflowed)
  }

  @Test(
    "numbers are written in decimal",
    arguments: [
      0, 1, 9, 10, 99, 100, -1, -10, 1_234_567_890, Int64.max, Int64.min, 999_999_999_999_999_999,
      1_000_000_000_000_000_000,
    ])
  func decimals(value: Int64) {
    #expect(written(20) { $0.append(decimal: value) } == (String(value), false))
  }

  @Test("what does not fit is not begun, and nothing follows it")
  func overflow() {
    #expect(
      written(5) {
        $0.append("abc" as StaticString); $0.append("def"); $0.append("g")
      } == ("abc", true))
    #expect(
      written(5) {
        $0.append("abcde"); $0.append("")
      } == ("abcde", false))
    #expect(written(2) { $0.append(decimal: 100) } == ("", true))
    #expect(
      written(3) {
        $0.append(value: "a\r\n"); $0.append(byte: 65)
      } == ("a  ", true))
    #expect(written(0) { $0.append([65]) } == ("", true))
    let room = written(3) { writer in
      expectEqual(writer.room, 3)
      writer.append(byte: 65)
      expectEqual(writer.room, 2)
    }
    #expect(room == ("A", false))
  }

  @Test("a template fills its holes in order, by number, as often as they stand there")
  func template() {
    let template = SSDPTemplate([.hole(1), .text("a"), .text("b"), .hole(0), .hole(1), .text("c")])
    let fill: (Int, inout ByteWriter) -> Void = { $1.append(decimal: Int64($0) + 7) }
    expectEqual(String(decoding: template.bytes(fill), as: UTF8.self), "8ab78c")
    expectEqual(String(decoding: template.bytes(byteCountMaximum: 4, fill), as: UTF8.self), "8ab7")
    #expect(SSDPTemplate([]).bytes(fill).isEmpty)
    expectEqual(template, SSDPTemplate([.hole(1), .text("ab"), .hole(0), .hole(1), .text("c")]))
    let store = PayloadStore()
    let payload = template.write(to: store, fill)
    expectEqual(store.array(of: payload), template.bytes(fill))
    store.release(payload)
    expectEqual(store.liveCount, 0)
  }

  @Test("what the composer writes is well in strict mode and holds the same values")
  func composer() {
    let location = "http://192.168.1.20:49152/description.xml"
    let server = "Linux/5.10 UPnP/1.1 Acme/2.0"
    let target = "urn:schemas-upnp-org:device:MediaRenderer:1"
    let usn = "uuid:2fac1234-31f8-11b4-a222-08002b34c003::" + target
    let host = SSDPComposer.group4
    typealias Values = [(SSDPField, String)]
    let numbers: Values = [(.bootID, "41"), (.configID, "7")]
    let expected: [(SSDPKind, Values)] = [
      (
        .notifyAlive,
        [
          (.host, host), (.cacheControl, "max-age=1800"), (.location, location), (.nt, target), (.nts, "ssdp:alive"),
          (.server, server), (.usn, usn),
        ] + numbers + [(.searchPort, "50000")]
      ),
      (.notifyByebye, [(.host, host), (.nt, target), (.nts, "ssdp:byebye"), (.usn, usn)] + numbers),
      (
        .notifyUpdate,
        [(.host, host), (.location, location), (.nt, target), (.nts, "ssdp:update"), (.usn, usn)] + numbers
          + [(.nextBootID, "42"), (.searchPort, "50000")]
      ),
      (
        .search,
        [
          (.host, host), (.man, "\"ssdp:discover\""), (.mx, "3"), (.st, "ssdp:all"),
          (.userAgent, "Rollcall/1.0 UPnP/2.0 Test/1"),
        ]
      ),
      (.search, [(.host, "192.168.1.20:50000"), (.man, "\"ssdp:discover\""), (.st, target)]),
      (
        .response,
        [
          (.cacheControl, "max-age=1800"), (.date, "Thu, 01 Jan 1970 00:00:00 GMT"), (.ext, ""), (.location, location),
          (.server, server), (.st, target), (.usn, usn),
        ] + numbers + [(.searchPort, "50000")]
      ),
    ]
    for (bytes, (kind, values)) in zip(SSDPSamples.composed, expected) {
      guard let message = SSDPReader.read(bytes, mode: .strict).message else {
        Issue.record("refused: \(SSDPGolden.escaped(bytes))")
        continue
      }
      expectEqual(message.kind, kind)
      expectEqual(message.byteCount, bytes.count)
      expectEqual(message.fields.map(\.number), values.map(\.0))
      expectEqual(message.fields.map(\.value), values.map(\.1))
      let rejection = SSDPSamples.check(bytes, .strict, isMulticast: message.value(of: .host) == host)
      expectEqual(rejection, nil)
    }
    expectEqual(SSDPSamples.composed.count, expected.count)
  }

  @Test("no value that somebody else chose ends its line")
  func injection() {
    let store = PayloadStore()
    let payload = SSDPComposer.search(target: "a\r\nUSN: uuid:evil\r\n\0b", mx: 1, into: store)
    let message = SSDPReader.read(store.array(of: payload), mode: .strict).message
    expectEqual(message?.fields.map(\.number), [.host, .man, .mx, .st])
    expectEqual(message?.value(of: .st), "a  USN: uuid:evil   b")
  }
}
