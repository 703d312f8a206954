import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing

/// btsnoop as we write it, read back.
@Suite struct BtsnoopWriterTests {
  @Test("packets come back with their bytes, their times to the microsecond, and the side that sent them")
  func readBack() throws {
    let packets: [(bytes: [UInt8], time: Int64, isSent: Bool)] = [
      ([1, 3, 12, 0], 1_795_552_590_977_647_000, true), ([4, 14, 1, 5], 1_795_552_590_977_648_999, false),
      ([2, 1, 32, 1, 0, 7], 0, false), ([2, 1, 0, 0, 0], 946_684_800_000_000_000, true),
    ]
    var bytes = BtsnoopWriter.header
    for packet in packets {
      bytes += BtsnoopWriter.record(packet.bytes, time: Instant(nanoseconds: packet.time), isSent: packet.isSent)
    }
    // Flags: received is 1, and commands and events are 2.
    let places = [16, 16 + 28, 16 + 2 * 28, 16 + 2 * 28 + 30]
    expectEqual(places.map { bytes[$0 + 11] }, [2, 3, 1, 0])
    var rest = bytes[...]
    var reader = try CaptureReader(pull: { buffer in
      let part = rest.prefix(buffer.count)
      buffer.copyBytes(from: part)
      rest = rest.dropFirst(part.count)
      return part.count
    })
    var frame = CaptureFrame()
    var found: [(bytes: [UInt8], time: Int64)] = []
    while reader.next(&frame) { found.append((Array(frame.content), frame.time.nanoseconds)) }
    expectEqual(found.map(\.bytes), packets.map(\.bytes))
    expectEqual(found.map(\.time), packets.map { $0.time / 1_000 * 1_000 })
  }
}
