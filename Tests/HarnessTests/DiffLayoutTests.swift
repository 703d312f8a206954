import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReporting
import RollcallRunning
import Testing

/// Where two captures part at one instant, and how far a line of the comparison goes.
@Suite("Two captures side by side")
struct DiffLayoutTests {
  private func side(_ source: String, _ path: String) throws -> DiffSide {
    var capture = TinyCapture()
    capture.add(0, source, TinyCapture.alive("lamp", location: "http://\(source)/"))
    return try DiffInput(path: path).captureSide { try capture.reader() }
  }

  @Test("of two captures that part at one instant the datagram of the first is shown, and what the first made of it")
  func ties() throws {
    let (one, two) = (try side("192.168.1.20", "one.pcapng"), try side("192.168.1.21", "two.pcapng"))
    for (left, right, address) in [(one, two, "192.168.1.20"), (two, one, "192.168.1.21")] {
      let diff = ReportDiff(left, right)
      #expect(diff.first == 0 && diff.datagram?.source?.address.description == address)
      #expect(diff.madeA == ["made the device known, for 1800 s"] && diff.madeB == [])
    }
  }

  private func rows(_ device: String) throws -> [String] {
    let line = ReportLine.json(.lost(device: device, cause: .expired), time: "1.000000000", frame: 3)
    let (one, none) = (
      try DiffInput(path: "a.jsonl").reportsSide(line), try DiffInput(path: "b.jsonl").reportsSide("")
    )
    return Array(DiffText.lines(ReportDiff(one, none), width: 60).dropFirst(4).prefix { !$0.contains("changed (|)") })
  }

  @Test("a column of 27 is filled to its last sign, and a word that is longer goes on in the next line")
  func columns() throws {
    let blank = { (count: Int) in String(repeating: " ", count: count) }
    try expectEqual(rows("uuid:xx"), ["  +0.000 frame 3 lost uuid:xx <", "  expired"])
    try expectEqual(rows("uuid:xxx"), ["  +0.000 frame 3 lost\(blank(8)) <", "  uuid:xxx expired"])
    let whole = "uuid:" + String(repeating: "x", count: 22)
    try expectEqual(rows(whole), ["  +0.000 frame 3 lost\(blank(8)) <", "  \(whole)", "  expired"])
    try expectEqual(rows(whole + "y"), ["  +0.000 frame 3 lost\(blank(8)) <", "  \(whole)", "  y expired"])
  }
}
