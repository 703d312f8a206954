import Foundation
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallCapture

@Suite struct BtsnoopTests {
  private func big(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

  private func header(_ kind: UInt32 = 1002, version: UInt32 = 1) -> [UInt8] {
    Array("btsnoop\0".utf8) + big(version) + big(kind)
  }
  /// - Parameter time: microseconds since 2000-01-01.
  private func record(_ bytes: [UInt8], flags: UInt32 = 3, time: Int64 = 0, original: UInt32? = nil) -> [UInt8] {
    big(original ?? UInt32(bytes.count)) + big(UInt32(bytes.count)) + big(flags) + big(UInt32(0))
      + big(0x00E0_3AB4_4A67_6000 + time) + bytes
  }

  @Test func `records are frames with their times, lengths and numbers, however the file comes`() {
    let bytes = header() + record([4, 1, 0], time: 1_500_000) + record([1], time: -1, original: 9)
    for step in [1, 7, Int.max] {
      let capture = KeptCapture(bytes, step: step)
      expectEqual(capture.error, nil)
      expectEqual(capture.problem, nil)
      expectEqual(capture.frames.map(\.number), [1, 2])
      expectEqual(capture.frames.map(\.bytes), [[4, 1, 0], [1]])
      expectEqual(capture.frames.map(\.originalCount), [3, 9])
      expectEqual(capture.frames.map(\.linkType), [187, 187])
      expectEqual(capture.frames.map(\.time), ["946684801.500000000", "946684799.999999000"])
      expectEqual(capture.frames.map(\.nanoseconds), [946_684_801_500_000_000, 946_684_799_999_999_000])
      expectEqual(capture.interfaces.map(\.linkType), [187])
    }
  }

  @Test func `a file that is none says what was found`() {
    func error(_ bytes: [UInt8]) -> String { KeptCapture(bytes).error.map { "\($0)" } ?? "" }
    #expect(error(header(1003) + record([1])).contains("data link is 1003"))
    #expect(error(header(version: 2) + record([1])).contains("btsnoop version 2"))
    #expect(error(Array(header().prefix(15))).contains("cut short after 15 bytes"))
    expectEqual(KeptCapture(header() + record([])).frames.count, 1)
  }

  @Test func `damage and cuts are told apart, and what was before them is read`() {
    let whole = header() + record([4, 1, 0])
    for cut in 1..<27 {
      let capture = KeptCapture(whole + record([4, 1, 0]).dropLast(cut))
      expectEqual(capture.frames.count, 1, "\(cut)")
      expectEqual(capture.problem?.what, (cut == 27 ? nil : .cutShort), "\(cut)")
    }
    expectEqual(KeptCapture(whole).problem, nil)
    var wild = record([4, 1, 0])
    wild[4...7] = [0, 4, 0, 1]
    expectEqual(KeptCapture(whole + wild).problem?.what, .wildLength)
    wild[4...7] = [0, 4, 0, 0]
    expectEqual(KeptCapture(whole + wild).problem?.what, .cutShort)
  }

  @Test func `a record that reaches beyond the file was cut where its lengths agree and no whole one is behind it`() {
    func isBeforeEnd(_ behind: [UInt8]) -> Bool? {
      guard var reader = try? CaptureReader(pull: source(header() + record([4, 1, 0]) + behind)) else { return nil }
      var frame = CaptureFrame()
      while reader.next(&frame) {}
      return reader.damage?.isBeforeEnd
    }
    // A record that claims 9 000 bytes and has three.
    var long = record([4, 1, 0], original: 9_000)
    long.replaceSubrange(4..<8, with: big(UInt32(9_000)))
    let (day, now) = (Int64(86_400_000_000), record([9], time: 7))
    expectEqual(isBeforeEnd(long), false, "nothing behind it")
    expectEqual(isBeforeEnd(long + now), true, "a record")
    expectEqual(isBeforeEnd(long + [1] + now + now + [1, 2]), true, "two records, wherever they begin")
    expectEqual(isBeforeEnd(long + now.dropLast()), false, "a part of a record")
    expectEqual(isBeforeEnd(long + record([9], time: day)), true, "a record of the day after")
    expectEqual(isBeforeEnd(long + record([9], time: day + 1_000_000)), false, "what has a time of later than that")
    expectEqual(isBeforeEnd(long + record([9], time: .min)), false, "what has a time that no clock shows")
    expectEqual(isBeforeEnd(long + record([9], original: 0)), false, "more bytes than there were")
    long.replaceSubrange(0..<4, with: big(UInt32(8_999)))
    expectEqual(isBeforeEnd(long), true, "more than there was")
    // Six is the number of a block of pcapng.
    for count in 0..<30 {
      let cut = Array(record([1, 0x0C, 0x20, 2, 1, 0]).prefix(count))
      expectEqual(isBeforeEnd(cut), count == 0 ? nil : false, "a cut behind \(count) bytes")
    }
  }

  @Test func `a time that no clock shows is a frame without time, and traps nowhere`() {
    for time in [Int64.max, .min, .max - 0x00E0_3AB4_4A67_6000, 9_223_372_036_854_775_807 / 1_000] {
      let bytes = big(UInt32(1)) + big(UInt32(1)) + big(UInt32(3)) + big(UInt32(0)) + big(time) + [1]
      expectEqual(KeptCapture(header() + bytes).frames.count, 1)
    }
  }

  @Test func `reports of a real host and its controller are the ones that tshark shows`() throws {
    guard let file = CaptureFolder.capture("ble-hci/central.btsnoop", for: "btsnoop against tshark") else { return }
    let filter = "bthci_evt.le_meta_subevent==0x02||bthci_evt.le_meta_subevent==0x0d"
    let fields = ["frame.number", "frame.time_epoch", "bthci_evt.bd_addr", "bthci_evt.rssi"].flatMap { ["-e", $0] }
    guard let answer = try Tshark.ask(file, ["-Y", filter, "-T", "fields"] + fields, for: "btsnoop") else { return }
    var reader = try CaptureReader(path: file.path)
    var (frame, extractor) = (CaptureFrame(), RadioExtractor())
    var lines: [String] = []
    while reader.next(&frame) {
      for heard in extractor.packets(of: frame) {
        let sender = try heard.bytes.withUnsafeBytes { try AdvertisingPDU($0) }.sender
        let address = sender.map { $0.description.prefix(17) } ?? ""
        lines.append(
          "\(frame.number)\t\(frame.timeText)\t\(address)\t\(heard.strength.map(String.init) ?? "")")
      }
    }
    expectEqual(lines, answer.lines)
    expectEqual(lines.count, 6)
    expectEqual(reader.frameCount, 117)
    expectEqual(extractor.counts, RadioExtractor.Counts(advertising: 6, wrongCRC: 0, others: 111, malformed: 0))
    CaptureFolder.checked(file)
  }
}
