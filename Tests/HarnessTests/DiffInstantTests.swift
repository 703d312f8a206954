import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallRunning
import Testing

/// Which datagram is blamed where several things happen at the instant at which two sides part.
@Suite("Differences at one instant")
struct DiffInstantTests {
  private static let tv = "192.168.1.20"

  /// A television that promises 20 s, and after 10 s names no time.
  private static func undated() -> TinyCapture {
    var capture = TinyCapture()
    capture.add(0, tv, TinyCapture.alive("tv", maxAge: 20))
    capture.add(10, tv, TinyCapture.alive("tv").replacing("CACHE-CONTROL: max-age=1800\n", with: ""))
    return capture
  }

  private func side(_ capture: TinyCapture, _ settings: [String]) throws -> DiffSide {
    try DiffInput(path: "one.pcapng", settings: settings).captureSide { try capture.reader() }
  }

  private func account(_ diff: ReportDiff) -> [String] {
    ["report \(diff.first.map { $0 + 1 } ?? 0)", diff.datagram?.frame.map { "frame \($0)" } ?? "no frame"]
      + diff.madeA.map { "A: " + $0 } + diff.madeB.map { "B: " + $0 }
  }

  /// Compares both ways: what each side makes of the frame goes along.
  private func check(
    _ capture: TinyCapture, _ setting: String, _ report: Int, _ frame: Int, _ usual: String, _ other: String
  ) throws {
    let (one, two) = (try side(capture, []), try side(capture, [setting]))
    let place = ["report \(report)", "frame \(frame)"]
    expectEqual(account(ReportDiff(one, two)), place + ["A: " + usual, "B: " + other], "\(setting)")
    expectEqual(account(ReportDiff(two, one)), place + ["A: " + other, "B: " + usual], "\(setting)")
  }

  @Test("what comes at the instant of a loss by time is not blamed for it, whatever it is and however it is taken")
  func lossByTime() throws {
    let (usual, short) = ("renewed for 1800 s, with 10 s left", "renewed for 15 s, with 10 s left")
    let late = TinyCapture.alive("tv", location: "http://192.168.1.20/late")
    // It is renewed or found anew, moves or is found elsewhere, and leaves or is not there.
    for text in [TinyCapture.alive("tv"), late, TinyCapture.byebye("tv")] {
      var capture = Self.undated()
      capture.add(25, Self.tv, text)
      capture.add(25, "192.168.1.30", TinyCapture.alive("lamp", location: "http://192.168.1.30/"))
      capture.add(50, Self.tv, TinyCapture.byebye("tv"))
      try check(capture, "default-lease=15s", 2, 2, usual, short)
    }
  }

  @Test("where both sides report at one instant, the frame that comes first is the one that made the difference")
  func frames() throws {
    var capture = TinyCapture()
    capture.add(0, Self.tv, TinyCapture.alive("tv", maxAge: 60))
    capture.add(5, "192.168.1.66", TinyCapture.byebye("tv"))
    capture.add(5, Self.tv, TinyCapture.byebye("tv"))
    let refused = "refused, foreignByebye: a byebye from an address that never announced the device (byte 91)"
    try check(capture, "byebye-source=any-address", 2, 2, refused, "ended it")
    // What follows the report at its instant has nothing to do with it.
    capture.lines[2].text = TinyCapture.alive("tv")
    capture.add(9, Self.tv, TinyCapture.byebye("tv"))
    try check(capture, "byebye-source=any-address", 2, 2, refused, "ended it")
  }

  @Test("a lease of no time ends at the instant of the datagram that promised it, and that one is blamed")
  func noTime() throws {
    var capture = TinyCapture()
    capture.add(0, Self.tv, TinyCapture.alive("tv").replacing("CACHE-CONTROL: max-age=1800\n", with: ""))
    capture.add(0, "192.168.1.30", TinyCapture.alive("lamp", location: "http://192.168.1.30/"))
    capture.add(0, Self.tv, TinyCapture.alive("tv"))
    let (usual, none) = ("made the device known, for 1800 s", "made the device known, for 0 s")
    try check(capture, "default-lease=0s", 2, 1, usual, none)
  }
}
