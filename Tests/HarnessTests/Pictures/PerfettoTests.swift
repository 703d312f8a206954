import RollcallExpectations
import RollcallPicturing
import RollcallPrimitives
import Testing

/// The diagram as a trace for Perfetto. `make pictures` reads larger ones with Perfetto's own definitions.
@Suite("Pictures for Perfetto") struct PerfettoTests {
  /// Read with Perfetto's definitions: tracks of two hosts and a device, an instant on each host, a flow between them,
  /// and a slice.
  private static let expected = [
    "0a1250016801e2030b08011205686f73747358030a0f5001e2030a08e807120161280160000a135001e2030e08e907120562",
    "20287829280160010a125001e2030d080212076465766963657358030a105001e2030b08c0843d120164280260000a515001",
    "408294ebdc035a47480358e907b2010473656e74ba01026869220920035205656e747279220732017952024e542216320161",
    "5211646964206e6f7420617272697665206174f90202000000000000000a3a5001408794ebdc035a30480358e807b2010568",
    "65617264ba01026869220920045205656e747279220732017952024e54810302000000000000000a215001408294ebdc035a",
    "17480158c0843db20106646576696365ba01056b6e6f776e0a105001408794ebdc035a06480258c0843d",
  ].joined()

  @Test("a host is a track, a mark an instant with its parts, an arrow a flow, a bar a slice")
  func bytes() {
    let start = Instant(nanoseconds: 1_000_000_002)
    var draft = PictureDraft()
    let (a, b) = (draft.lane("a", .engine), draft.lane("b", .host, detail: "x"))
    let saying = draft.say("hi", [Picture.Fact("NT", "y")])
    let sent = draft.mark(.sent, lane: b, at: start, number: 3, saying: saying)
    draft.mark(.heard, lane: a, at: start + .nanoseconds(5), number: 4, saying: saying, cause: sent)
    draft.lose(sent, lane: a)
    var lives = DeviceLives(knowsTruth: false)
    lives.report("d", isFound: true, at: start, mark: -1, name: "d")
    let picture = draft.finished(verb: "", title: "", unit: .entry, origin: nil, lives: [lives])
    let hex = PicturePerfetto.bytes(picture).map { PlainText.padded(UInt32($0), 2) }.joined()
    expectEqual(hex, Self.expected)
  }

  /// A refused message and a report, neither with a flow; two devices, of which one has another name in reports.
  private static let expectedBare = [
    "0a1250016801e2030b08011205686f73747358030a0f5001e2030a08e807120161280160000a125001e2030d080212076465",
    "766963657358030a105001e2030b08c0843d120164280260000a105001e2030b08c1843d120165280260010a1a500140005a",
    "14480358e807b2010772656675736564ba010268690a23500140005a1d480358e807b20105666f756e64ba01026869220920",
    "015205656e7472790a1d500140005a17480158c0843db20106646576696365ba01056b6e6f776e0a0c500140055a06480258",
    "c0843d0a28500140025a22480158c1843db20106646576696365ba01056b6e6f776e220932016652046e616d650a0c500140",
    "055a06480258c1843d",
  ].joined()

  @Test("a mark without a number has none, a report has no flow, and each device has a track of its own")
  func bare() {
    var draft = PictureDraft()
    let (lane, saying) = (draft.lane("a", .engine), draft.say("hi"))
    let refused = draft.mark(.refused, lane: lane, at: .zero, number: 0, saying: saying)
    draft.mark(.found, lane: lane, at: .zero, number: 1, saying: saying, cause: refused)
    draft.stretch(to: .zero + .nanoseconds(5))
    var lives = DeviceLives(knowsTruth: false)
    lives.report("d", isFound: true, at: .zero, mark: -1, name: "d")
    lives.report("e", isFound: true, at: .zero + .nanoseconds(2), mark: -1, name: "e", detail: "f")
    let picture = draft.finished(verb: "", title: "", unit: .entry, origin: nil, lives: [lives])
    let hex = PicturePerfetto.bytes(picture).map { PlainText.padded(UInt32($0), 2) }.joined()
    expectEqual(hex, Self.expectedBare)
  }

  @Test("a slice of a device that has another name in reports has that too")
  func detail() {
    var lives = DeviceLives(knowsTruth: false)
    lives.report("uuid:d", isFound: true, at: .zero, mark: -1, name: "d", detail: "uuid:d")
    var draft = PictureDraft()
    draft.stretch(to: .zero + .seconds(1))
    let bytes = PicturePerfetto.bytes(
      draft.finished(verb: "", title: "", unit: .entry, origin: nil, lives: [lives]))
    // An annotation: its text in field 6, its name in field 10.
    let annotation: [UInt8] = [0x32, 6] + Array("uuid:d".utf8) + [0x52, 4] + Array("name".utf8)
    #expect(bytes.indices.contains { bytes[$0...].starts(with: annotation) })
  }
}
