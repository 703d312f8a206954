import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallRunning
import Testing

/// Tapes of files that say at which station they were captured.
@Suite("Tapes of one station")
struct StationTapeTests {
  private static let phone = StationCapture.phone
  private static let tv = StationCapture.tv

  @Test("a file of the host says which way a frame went; in one of another station the addresses tell who sent it")
  func stations() throws {
    for (station, host, own) in [
      (Self.phone, "phone", [true, false, false, true, false]),
      (Self.phone, Self.phone, [true, false, false, true, false]),
      (Self.tv, "phone", [true, false, false, true, true]), (Self.tv, Self.phone, [true, false, false, true, true]),
      (Self.tv, "tv", [false, true, true, false, false]), (Self.phone, "tv", [false, true, true, false, false]),
    ] {
      let bytes = StationCapture.file(of: station, isNumbered: false)
      let tape = try CaptureTape.read(as: .host(host)) { try TinyCapture.reader(bytes) }
      expectEqual(tape.messages.map(\.isOwn), own, "\(station) as \(host)")
      expectEqual(tape.perspective, .host(host == "tv" ? Self.tv : Self.phone))
      #expect(!tape.originalReports.isEmpty && Reproduce.isSameShape(tape.originalReports, tape.reports()))
    }
    let bytes = StationCapture.file(of: Self.tv, isNumbered: false)
    let tape = try CaptureTape.read(as: .everybody) { try TinyCapture.reader(bytes) }
    #expect(tape.messages.count == 5 && tape.messages.allSatisfy { !$0.isOwn } && tape.perspective == .everybody)
  }

  @Test("the file of another station becomes a scenario that says what it says")
  func reproduction() throws {
    let bytes = StationCapture.file(of: Self.tv, isNumbered: false)
    let options = Reproduce.Options(
      perspective: .host("phone"), keepsIdentities: true, title: "made", source: "made", findsBite: false)
    let outcome = try Reproduce.reproduce(options) { try TinyCapture.reader(bytes) }
    #expect(outcome.isFaithful)
    expectEqual(
      outcome.reproduction.losses,
      [
        "what 192.168.1.9 announced itself: the engine stands in its place and does not hear itself"
      ])
    expectEqual(outcome.reproduction.notes.map(\.name).filter { $0.hasPrefix("app-") }, ["app-9"])
  }

  @Test("named by one of its addresses, the host has all by which its file names it")
  func addresses() throws {
    var capture = StationCapture()
    capture.names = [(Self.tv, "tv"), (Self.phone, "phone"), ("192.168.1.10", "phone"), (Self.phone, "phone")]
    capture.comments = ["rollcall host: phone"]
    capture.add(0, "192.168.1.10:40000", TinyCapture.group, TinyCapture.search("ssdp:all"), .outbound)
    capture.add(0.2, Self.tv + ":1900", "192.168.1.10:40000", TinyCapture.answer("lamp"), .inbound)
    let bytes = capture.bytes
    for (host, addresses) in [
      (Self.phone, "192.168.1.9,192.168.1.10"), ("192.168.1.10", "192.168.1.10,192.168.1.9"),
      ("phone", "192.168.1.9,192.168.1.10"),
    ] {
      let tape = try CaptureTape.read(as: .host(host)) { try TinyCapture.reader(bytes) }
      expectEqual(tape.perspective, .host(addresses))
      expectEqual(tape.messages.map(\.isOwn), [true, false])
      #expect(!tape.originalReports.isEmpty && Reproduce.isSameShape(tape.originalReports, tape.reports()))
    }
  }
}
