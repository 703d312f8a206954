import RollcallConformance
import RollcallExplaining
import RollcallJudging
import RollcallPrimitives
import RollcallRunning
import Testing

/// The judge and the story of a capture take the same message for a copy that the network made.
@Suite("Copies that the network makes")
struct CopyRuleTests {
  /// Two rounds of a set of two messages, each message twice, `milliseconds` apart.
  private func capture(milliseconds: Int, sameNumber: Bool) -> TinyCapture {
    var capture = TinyCapture()
    for (round, start) in [0.0, 20.0].enumerated() {
      for (place, target) in ["upnp:rootdevice", "urn:schemas-upnp-org:service:Dimming:1"].enumerated() {
        for copy in 0..<2 {
          capture.lines.append(
            TinyCapture.Line(
              seconds: start + Double(place) / 2 + Double(copy * milliseconds) / 1_000, source: "192.168.1.20:1900",
              destination: TinyCapture.group, text: TinyCapture.alive(StoryTests.tv, target, maxAge: 100),
              identification: UInt32(100 + round * 10 + place * 2 + (sameNumber ? 0 : copy))))
        }
      }
    }
    return capture
  }

  private func story(_ capture: TinyCapture) throws -> String {
    StoryText.lines(try capture.story()).joined(separator: " ").split(separator: " ").joined(separator: " ")
  }

  private func ruling(_ capture: TinyCapture) throws -> String {
    var judge = ClauseJudge(.capture)
    var hearing = CaptureHearing()
    var reader = try capture.reader()
    hearing.run(&reader, judge: &judge)
    return Judgement(judge).rows.filter { $0.clause.id == "UDA-1.2.2-REPEAT" }.map(\.finding.expected)
      .joined(separator: "\n")
  }

  @Test("with the number of the same packet a message moments later is a copy, for both")
  func copied() throws {
    let capture = capture(milliseconds: 1, sameNumber: true)
    let told = try story(capture)
    #expect(told.contains("renewed by 2 messages;"), "\(told)")
    #expect(!told.contains("cop"), "\(told)")
    #expect(try ruling(capture).contains("messages came once"))
  }

  @Test("with another number, or later, it was sent again, for both", arguments: [(1, false), (2, true), (300, false)])
  func sentAgain(milliseconds: Int, sameNumber: Bool) throws {
    let capture = capture(milliseconds: milliseconds, sameNumber: sameNumber)
    let told = try story(capture)
    #expect(told.contains("renewed by 2 messages and 2 copies;"), "\(told)")
    #expect(try !ruling(capture).contains("messages came once"))
  }
}
