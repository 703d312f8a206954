import Foundation
import Rollcall
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("A capture of the module Rollcall") struct CaptureFileTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Captures/gssdp-update-bootid")
  private static var capture: Capture {
    get throws { try Capture(contentsOf: folder.appendingPathComponent("capture.pcapng").path) }
  }

  @Test("its replay gives the reviewed reports, and the first difference from others is told")
  func replay() throws {
    let reviewed = try String(contentsOf: Self.folder.appendingPathComponent("expected.jsonl"), encoding: .utf8)
    let result = try Self.capture.replay()
    expectEqual(result.difference(from: reviewed), nil)
    expectEqual(result.reports.count, 8)
    expectEqual([result.messageCount, result.deviceCount], [79, 0])
    expectEqual(result.reports.compactMap(\.frame), [6, 24, 27, 28, 30, 52, 76])
    let wrong = reviewed.replacingOccurrences(of: "\"event\":\"lost\"", with: "\"event\":\"found\"")
    expectEqual(result.difference(from: wrong)?.hasPrefix("line 13: expected {"), true)
    expectEqual(result.difference(from: ""), "line 1: expected no more reports, found \(result.reports[0].line)")
  }

  @Test("everybody in it is judged by clause, and who broke a must does not pass")
  func judge() throws {
    let result = try Self.capture.judge()
    expectEqual(result.passes(), false)
    let breach = try #require(result.findings.first { $0.isBreach && $0.level.hasPrefix("must") })
    #expect(breach.frame != nil && !breach.remedy.isEmpty && breach.party.hasPrefix("192.168.77."))
    #expect(result.description.hasSuffix("79 messages of 2 parties: 11 breaches of a must, 112 of a should, 0 other"))
    // One clause alone: the renewals of this device are too seldom, which is a should.
    let one = try Self.capture.judge(clauses: ["uda-1.2.2-a-cc-1800"])
    expectEqual(Set(one.findings.map(\.clause)), ["UDA-1.2.2-A-CC-1800"])
    expectEqual([one.passes(), one.passes(isStrict: true)], [true, false])
  }

  @Test("what a peripheral calls itself is shown without the effect that its characters have")
  func hostile() throws {
    let name = Array("L\u{1B}[2J\u{202E}".utf8)
    let data: [UInt8] = [UInt8(name.count + 1), 9] + name
    // An advertising report of HCI, in a btsnoop file.
    let report: [UInt8] = [2, 1, 0, 1, 1, 0, 0, 0xEE, 0xFF, 0xC0, UInt8(data.count)] + data + [0xCE]
    let event: [UInt8] = [4, 0x3E, UInt8(report.count)] + report
    let count: [UInt8] = [0, 0, 0, UInt8(event.count)]
    let time: [UInt8] = [0, 0xE0, 0x3A, 0xB4, 0x4A, 0x67, 0x60, 0]
    let header: [UInt8] = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xEA]
    let record: [UInt8] = count + count + [0, 0, 0, 3, 0, 0, 0, 0] + time + event
    let result = try Capture(bytes: header + record, path: "lamp.btsnoop").replay()
    expectEqual(
      "\(result)",
      "lamp.btsnoop: 1 report\n  946684800.000000000 frame 1 found ble:c0:ff:ee:00:00:01/random name "
        + #"L\x1b[2J\u{202e}"#)
  }

  @Test("what is no capture is refused with its name")
  func refused() {
    let text = #expect(throws: CaptureFailure.self) { try Capture(bytes: Array("hello".utf8), path: "note.txt") }
    expectEqual(text?.description.hasPrefix("note.txt: not a pcap or pcapng capture: "), true, "\(text as Any)")
    let missing = #expect(throws: CaptureFailure.self) { try Capture(contentsOf: "/nowhere/a.pcap") }
    expectEqual(missing?.description, "/nowhere/a.pcap: cannot be read: No such file or directory")
  }
}
