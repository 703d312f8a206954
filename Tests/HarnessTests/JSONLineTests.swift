import RollcallCapture
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
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
    expectEqual(line.closed, "{" + wanted.joined(separator: ",") + "}")
  }

  @Test("Text of every length comes back through another reader, whatever stands in it and wherever")
  func texts() throws {
    for count in 0...40 {
      let plain = String(repeating: "x", count: count)
      try expectReadable(plain)
      for place in 0..<count {
        for odd in [
          "\"", "\\", "\n", "\r", "\t", "\u{0}", "\u{1F}", "\u{7F}", "ü", "\u{1F4FA}", "\u{9B}", "\u{202E}",
          "\u{E0041}",
        ] {
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
    expectEqual(read, ["text": text])
  }
}

@Suite("Reports as JSON lines") struct LineWriterTests {
  /// What a writer hands over, piece by piece.
  private final class Sheet {
    var pieces: [String] = []
    var text: String { pieces.joined() }
    func take(_ bytes: UnsafeRawBufferPointer) { pieces.append(String(decoding: bytes, as: UTF8.self)) }
  }

  @Test("Lines that are written in a row are those that are written one by one", arguments: OwnCapture.all)
  func sameLines(capture: OwnCapture) throws {
    let sheet = Sheet()
    let writer = LineWriter(sink: sheet.take)
    var wanted = ""
    // Twice, so that what is known already is written, too.
    for _ in 0..<2 {
      var reader = try CaptureReader(path: capture.path)
      var replay = Replay(options: ReplayOptions()) { event in
        guard case .report(let report, let time, let frame) = event else { return }
        wanted += ReportLine.json(report, time: time.description, frame: frame) + "\n"
        writer.line(report, time: time, frame: frame)
      }
      replay.run(&reader)
    }
    writer.flush()
    expectEqual(sheet.text, wanted)
  }

  @Test("Times before zero, at every place of the point, and reports without a frame are written as they are")
  func times() {
    for nanoseconds in [Int64.min, -1, 0, 1, 999_999_999, 1_000_000_000, 1_700_000_000_123_456_789, .max] {
      for frame in [nil, 0, 1, 99, 1_000_000, .max, -1] {
        let report = Report.lost(device: "uuid:a", cause: .byebye)
        let time = Instant(nanoseconds: nanoseconds)
        let sheet = Sheet()
        let writer = LineWriter(sink: sheet.take)
        writer.line(report, time: time, frame: frame)
        writer.flush()
        var wanted = JSONLine(kind: "report")
        wanted.add("time", time.description)
        wanted.add("frame", frame)
        expectEqual(
          sheet.text,
          wanted.closed.dropLast()
            + ",\"layer\":\"ssdp\",\"event\":\"lost\",\"device\":\"uuid:a\",\"cause\":\"byebye\"}\n")
      }
    }
  }

  @Test("Services come back through another reader, whatever stands in their names and however long they are")
  func services() throws {
    let odd = [
      "", "a", "\"", "\\\\", "\n\t\u{1}", "ü\u{1F4FA}", String(repeating: "\u{1F}", count: 700), "http://h/d.xml",
    ]
    for place in 0..<4 {
      for text in odd {
        var names = ["uuid:b", "uuid:b::t", "t", "http://h/"]
        names[place] = text
        for location in [nil, names[3]] {
          let service = ServiceSighting(
            search: SearchID(.max), device: names[0], usn: names[1], target: names[2], location: location)
          #expect(
            try fields(of: .service(service)) == [
              "schema": "rollcall/1", "kind": "report", "time": "1.000000005", "frame": 7, "layer": "ssdp",
              "event": "service", "device": names[0], "search": Int(UInt32.max), "usn": names[1], "target": names[2],
              "location": location as Any? ?? NSNull(),
            ] as NSDictionary)
          for count in 0...3 {
            let outcome = SearchOutcome(
              search: SearchID(1), target: text, services: Array(repeating: service, count: count), wasStopped: true)
            #expect(
              try fields(of: .searchEnded(outcome)) == [
                "schema": "rollcall/1", "kind": "report", "time": "1.000000005", "frame": 7, "layer": "ssdp",
                "event": "searchEnded", "search": 1, "target": text, "cause": "stopped",
                "services": Array(repeating: names[1], count: count),
              ] as NSDictionary)
          }
        }
      }
    }
  }

  private func fields(of report: Report) throws -> NSDictionary? {
    let sheet = Sheet()
    // So little memory that every line has to make room.
    let writer = LineWriter(bytesKept: 1, sink: sheet.take)
    writer.line(report, time: Instant(nanoseconds: 1_000_000_005), frame: 7)
    #expect(sheet.text.hasSuffix("}\n"))
    return try JSONSerialization.jsonObject(with: Data(sheet.text.utf8)) as? NSDictionary
  }

  @Test("Whole lines are handed over, in order, once more than is kept has gathered; and the rest when asked")
  func pieces() {
    let sheet = Sheet()
    let writer = LineWriter(bytesKept: 100, sink: sheet.take)
    let lines = (0..<50).map { String(repeating: "x", count: $0) }
    for line in lines { writer.line(line) }
    let early = sheet.pieces.count
    writer.flush()
    writer.flush()
    expectEqual(sheet.pieces.count, early + 1)
    expectEqual(sheet.text, lines.map { $0 + "\n" }.joined())
    #expect(sheet.pieces.dropLast().allSatisfy { $0.utf8.count > 100 && $0.utf8.count <= 150 && $0.hasSuffix("\n") })
  }
}
