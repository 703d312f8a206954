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

  private static func bytes(of capture: String = "gssdp-update-bootid") throws -> [UInt8] {
    let captures = folder.deletingLastPathComponent()
    return Array(try Data(contentsOf: captures.appendingPathComponent("\(capture)/capture.pcapng")))
  }

  @Test("a replay is as strict, hears with the ears and goes on as long as it is told to, and has services as well")
  func options() throws {
    // Reports of services, and the end of a lease behind the last frame.
    let services = try Capture(bytes: Self.bytes(of: "avahi-browses-avahi"), path: "a.pcapng")
    let head = """
      a.pcapng: 1 report
        1795599550.331925191 frame 9 found peer:Printer._ipp._tcp.local 192.168.77.10 if0 name Printer services \
      _ipp._tcp.local host avahi-host.local port 631 txt rp=printers/a
      """
    try expectEqual("\(services.replay())", head)
    let later = try services.replay(until: .seconds(7_200))
    expectEqual(
      "\(later)",
      head.replacingOccurrences(of: "1 report", with: "2 reports")
        + "\n  1795599564.116874782 lost peer:Printer._ipp._tcp.local byebye")
    expectEqual([later.deviceCount, later.messageCount], [0, 24])
    // The device itself heard of no other one.
    try expectEqual(Self.capture.replay(as: "192.168.77.10").reports.count, 0)
    // `max-age` misspelt so that the sum of the datagram is the same: a strict engine takes no such announcement.
    var bytes = try Self.bytes()
    let word = Array("max-age".utf8)
    for place in bytes.indices.dropLast(word.count) where bytes[place] == word[0] {
      if bytes[place..<(place + word.count)].elementsEqual(word) { bytes.swapAt(place, place + 2) }
    }
    let misspelt = try Capture(bytes: bytes)
    try expectEqual([misspelt.replay(), misspelt.replay(isStrict: true)].map(\.reports.count), [8, 1])
  }

  @Test("everybody in it is judged by clause, and who broke a must does not pass")
  func judge() throws {
    let result = try Self.capture.judge()
    expectEqual(result.passes(), false)
    let findings: [String] = [
      "UDA-1-TTL-DEFAULT (should) 192.168.77.10, frame 1, 64×: expected a TTL of 2, found 4",
      "UDA-1.2.2-A-CC-1800 (should) 192.168.77.10, frame 6, 48×: expected max-age of 1800 seconds or more, "
        + "found max-age=30",
      "UDA-1.2.4-UPD-BEFORE (must) 192.168.77.10, frame 52, 1×: unsure: the update of upnp:rootdevice was not the "
        + "first that was heard; it may be lost",
      "UDA-1.2.4-UPD-NEXT (must) 192.168.77.10, frame 53, 11×: expected a NEXTBOOTID above BOOTID, "
        + "found 8 with BOOTID 8",
      "UDA-1.2.2-RENEW-HALF (should) 192.168.77.10, frame 75, 1×: unsure: fewer than 20 renewals: too few for a test",
    ]
    expectEqual(result.findings.map(\.description), findings)
    expectEqual(result.findings.map(\.isBreach), [true, true, false, true, false])
    expectEqual(
      result.findings[3].remedy, "Write a NEXTBOOTID above BOOTID, and use it from the next alive on.")
    #expect(result.description.hasSuffix("79 messages of 2 parties: 11 breaches of a must, 112 of a should, 0 other"))
    // One clause alone: the renewals of this device are too seldom, which is a should.
    let one = try Self.capture.judge(clauses: ["uda-1.2.2-a-cc-1800"])
    expectEqual(Set(one.findings.map(\.clause)), ["UDA-1.2.2-A-CC-1800"])
    expectEqual([one.passes(), one.passes(isStrict: true)], [true, false])
    // Of another protocol's clause there is nothing to judge.
    let none = try Self.capture.judge(clauses: ["MD-36"])
    expectEqual(none.description, "nothing was judged: no clause applies to any message")
    expectEqual(none.passes(), false)
    // A file that ends early says so first.
    let cut = try Capture(bytes: Array(Self.bytes().prefix(2_800)), path: "c.pcapng")
    try expectEqual(
      cut.judge(clauses: ["uda-1.2.2-a-cc-1800"]).description,
      """
      c.pcapng: the file ends inside frame 10 (byte 2736); everything before it was judged
        clause                    level      A
        UDA-1.2.2-A-CC-1800       should     ✘
        0 clauses held by everybody, 0 not exercised   ✘ violated  ? inconclusive  ✓ held  · not exercised
        A 192.168.77.10 device, UDA 1.1, 7 messages: Linux/6.1.0 UPnP/1.1 GSSDP/1.6.2
      ✘ UDA-1.2.2-A-CC-1800 (should) A  frame 6 at 1795257183.436406348, 3 times, last frame 9  \
      uuid:00000000-0000-4000-8000-000000007710
          clause    max-age is at least 1800 seconds, and the same for the whole set (UDA 2.0, section 1.2.2)
          expected  max-age of 1800 seconds or more
          found     max-age=30
          remedy    Use max-age=1800 or more, the same in all messages of the set.
      7 messages of 1 parties: 0 breaches of a must, 3 of a should, 0 other
      """)
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
