import RollcallCapture
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Packs bytes without making them smaller: gzip around stored blocks (RFC 1951 section 3.2.4).
func gzip(_ bytes: [UInt8], name: String? = nil) -> [UInt8] {
  func little(_ value: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  var packed: [UInt8] = [0x1F, 0x8B, 8, name == nil ? 0 : 8, 0, 0, 0, 0, 0, 3]
  if let name { packed += Array(name.utf8) + [0] }
  var offset = 0
  repeat {
    let end = min(bytes.count, offset + 65_535)
    let length = UInt32(end - offset)
    packed += [end == bytes.count ? 1 : 0] + little(length, 2) + little(~length, 2) + bytes[offset..<end]
    offset = end
  } while offset < bytes.count
  var crc: UInt32 = .max
  for byte in bytes {
    crc ^= UInt32(byte)
    for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 0 ? 0 : 0xEDB8_8320) }
  }
  return packed + little(~crc, 4) + little(UInt32(bytes.count), 4)
}

@Suite("gzip") struct GzipTests {
  /// Ten frames of 20 000 bytes each: more than a packed chunk.
  static let plain: [UInt8] = {
    let sample = PcapSample()
    return sample.header
      + (0..<10).flatMap { number in
        sample.record(UInt32(number), 7, (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) })
      }
  }()

  @Test("a packed capture reads like the plain one, in chunks of any size", arguments: [Int.max, 4_096, 1])
  func equal(step: Int) {
    let capture = KeptCapture(Self.plain)
    expectEqual(capture.frames.count, 10)
    expectEqual(KeptCapture(gzip(Self.plain, name: "x.pcap"), step: step, chunkBytes: 4_096), capture)
  }

  @Test("several members are one file, and zeros behind the last one are padding")
  func members() {
    let parts = stride(from: 0, to: Self.plain.count, by: 30_001).map {
      gzip(Array(Self.plain[$0..<min($0 + 30_001, Self.plain.count)]))
    }
    let padded = Array(parts.joined()) + [UInt8](repeating: 0, count: 1_000)
    expectEqual(KeptCapture(padded), KeptCapture(Self.plain))
    expectEqual(KeptCapture(padded, step: 777), KeptCapture(Self.plain))
  }

  @Test("cut anywhere, the frames before the cut are kept and the damage is named with its place in the packed file")
  func truncations() {
    let packed = gzip(Self.plain)
    let whole = KeptCapture(Self.plain)
    for cut in stride(from: 2, to: packed.count, by: 1_009) {
      let capture = KeptCapture(Array(packed[..<cut]))
      let count = capture.frames.count
      expectEqual(capture.frames, Array(whole.frames[..<count]))
      if count == 0 {
        #expect(capture.error != nil && capture.problem == nil)
      } else {
        expectEqual(capture.problem, CaptureProblem(.brokenGzip, byteOffset: cut, frame: count + 1))
      }
    }
    // All frames are there; only the checksum of the packed file is missing.
    let tail = KeptCapture(Array(packed.dropLast(3)))
    expectEqual(tail.frames, whole.frames)
    expectEqual(tail.problem, CaptureProblem(.brokenGzip, byteOffset: packed.count - 3, frame: 11))
    expectEqual("\(tail.problem!)", "the gzip stream is damaged or cut short after frame 10 (byte \(packed.count - 3))")
  }

  @Test("a broken block, a wrong checksum and garbage behind the end are damage")
  func damage() throws {
    let packed = gzip(Self.plain)
    let whole = KeptCapture(Self.plain)
    var block = packed
    // The second stored block begins behind the header, the first block and its five bytes.
    block[10 + 5 + 65_535 + 1] ^= 0xFF
    let broken = KeptCapture(block)
    expectEqual(broken.frames, Array(whole.frames[..<3]))
    #expect(broken.problem?.what == .brokenGzip && broken.problem?.frame == 4)
    let offset = try #require(broken.problem?.byteOffset)
    #expect((65_550...65_560).contains(offset))
    var checksum = packed
    checksum[packed.count - 6] ^= 1
    expectEqual(KeptCapture(checksum).frames, whole.frames)
    expectEqual(KeptCapture(checksum).problem?.what, .brokenGzip)
    let garbage = KeptCapture(packed + Array("more".utf8))
    expectEqual(garbage.frames, whole.frames)
    expectEqual(garbage.problem?.what, .brokenGzip)
  }

  @Test("a file in which nothing is packed, no capture is packed, or a packed file is packed again is refused by name")
  func refusals() {
    expectEqual(KeptCapture([0x1F, 0x8B]).error, .notCapture("its gzip stream is damaged or cut short (byte 2)"))
    expectEqual(KeptCapture([0x1F, 0x8B, 7, 7]).error?.description.contains("gzip stream is damaged"), true)
    expectEqual(KeptCapture(gzip([])).error, .notCapture("the file is empty"))
    expectEqual(KeptCapture(gzip(Array("hello".utf8))).error, .notCapture("it begins with the bytes 68 65 6c 6c"))
    expectEqual(KeptCapture(gzip(gzip(Self.plain))).error, .notCapture("it is gzip-compressed, unpack first"))
    expectEqual(KeptCapture(gzip(Array(Self.plain[..<30]))).error?.description.contains("no whole frame"), true)
  }

  @Test("a source that fails under gzip is damage, too")
  func failure() throws {
    let packed = gzip(Self.plain)
    var isFirst = true
    var reader = try CaptureReader { buffer in
      guard isFirst else { return -1 }
      isFirst = false
      buffer.copyBytes(from: packed[..<50_000])
      return 50_000
    }
    var frame = CaptureFrame()
    while reader.next(&frame) {}
    expectEqual(reader.problem, CaptureProblem(.brokenGzip, byteOffset: 50_000, frame: 3))
  }

  @Test("a file that unpacks to far more than it is reads in the memory of a frame")
  func bomb() throws {
    if !FileManager.default.isExecutableFile(atPath: "/usr/bin/gzip") {
      print("skipped: a file that unpacks to a thousand times its size: no /usr/bin/gzip")
      return
    }
    let sample = PcapSample()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-gzip-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("zeros.pcap")
    let record = sample.record(1, 0, [UInt8](repeating: 0, count: 250_000))
    try Data(sample.header + (0..<64).flatMap { _ in record }).write(to: file)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/gzip")
    process.arguments = [file.path]
    try process.run()
    process.waitUntilExit()
    var reader = try CaptureReader(path: file.path + ".gz")
    var frame = CaptureFrame()
    while reader.next(&frame) { expectEqual(frame.capturedCount, 250_000) }
    #expect(reader.frameCount == 64 && reader.problem == nil)
    let size = try FileManager.default.attributesOfItem(atPath: file.path + ".gz")[.size] as? Int ?? 0
    #expect(size > 0 && size < 32_000)
  }
}
