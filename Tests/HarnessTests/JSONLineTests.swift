import Capture
import Foundation
import Harness
import Primitives
import Testing

@Suite("JSON lines") struct JSONLineTests {
  @Test("Numbers of every length stand as they are")
  func numbers() {
    var line = JSONLine()
    let numbers: [UInt64] = [
      0, 9, 10, 99, 100, 101, 999, 1_000, 123_456_789, .max - 1, .max, 10_000_000_000_000_000_000,
    ]
    for number in numbers {
      line.add("n", number)
    }
    for number in [Int.min, -1, Int.max] { line.add("i", number) }
    let wanted = numbers.map { "\"n\":\($0)" } + [Int.min, -1, Int.max].map { "\"i\":\($0)" }
    #expect(line.closed == "{" + wanted.joined(separator: ",") + "}")
  }

  @Test("Text of every length comes back through another reader, whatever stands in it and wherever")
  func texts() throws {
    for count in 0...40 {
      let plain = String(repeating: "x", count: count)
      try expectReadable(plain)
      for place in 0..<count {
        for odd in ["\"", "\\", "\n", "\r", "\t", "\u{0}", "\u{1F}", "\u{7F}", "ü", "\u{1F4FA}"] {
          var text = Array(plain).map(String.init)
          text[place] = odd
          try expectReadable(text.joined())
        }
      }
    }
    try expectReadable(String(repeating: "a\"", count: 3_000))
  }

  private func expectReadable(_ text: String) throws {
    var line = JSONLine()
    line.add("text", text)
    let read = try JSONSerialization.jsonObject(with: Data(line.closed.utf8)) as? [String: String]
    #expect(read == ["text": text])
  }
}

@Suite("Reports as JSON lines") struct ReportLineWriterTests {
  @Test("Lines that are written in a row are those that are written one by one", arguments: OwnCapture.all)
  func sameLines(capture: OwnCapture) throws {
    let writer = ReportLineWriter()
    var wanted: [String] = []
    var buffer: [UInt8] = []
    // Twice, so that what is known already is written, too.
    for _ in 0..<2 {
      var reader = try CaptureReader(path: capture.path)
      var replay = Replay(options: ReplayOptions()) { event in
        guard case .report(let report, let time, let frame) = event else { return }
        wanted.append(ReportLine.json(report, time: time.description, frame: frame))
        writer.append(report, time: time, frame: frame, to: &buffer)
        buffer.append(10)
      }
      replay.run(&reader)
    }
    #expect(String(decoding: buffer, as: UTF8.self).split(separator: "\n").map(String.init) == wanted)
  }

  @Test("Times before zero, at every place of the point, and reports without a frame are written as they are")
  func times() {
    let writer = ReportLineWriter()
    for nanoseconds in [Int64.min, -1, 0, 1, 999_999_999, 1_000_000_000, 1_700_000_000_123_456_789, .max] {
      for frame in [nil, 0, 1, 99, 1_000_000] {
        let report = Report.lost(device: "uuid:a", cause: .byebye)
        let time = Instant(nanoseconds: nanoseconds)
        var buffer: [UInt8] = []
        writer.append(report, time: time, frame: frame, to: &buffer)
        let wanted = ReportLine.json(report, time: time.description, frame: frame)
        #expect(String(decoding: buffer, as: UTF8.self) == wanted)
      }
    }
  }

  @Test("More services than are kept are written as they are")
  func many() {
    let writer = ReportLineWriter()
    var (wanted, buffer): ([String], [UInt8]) = ([], [])
    for number in (0..<10_000).map({ $0 % 7_000 }) {
      let service = ServiceSighting(
        search: SearchID(UInt32(number)), device: "uuid:\(number)", usn: "uuid:\(number)::\"", target: "t",
        location: number % 2 == 0 ? nil : "http://\(number)/")
      let reports: [Report] = [
        .service(service),
        .searchEnded(
          SearchOutcome(search: service.search, target: "t", services: [service, service], wasStopped: false)),
      ]
      for report in reports {
        wanted.append(ReportLine.json(report, time: "1.000000005", frame: number))
        writer.append(report, time: Instant(nanoseconds: 1_000_000_005), frame: number, to: &buffer)
        buffer.append(10)
      }
    }
    #expect(String(decoding: buffer, as: UTF8.self).split(separator: "\n").map(String.init) == wanted)
  }
}
