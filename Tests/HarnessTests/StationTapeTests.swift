import Capture
import Harness
import Primitives
import Testing

/// Tapes of files that say at which station they were captured.
@Suite("Tapes of one station")
struct StationTapeTests {
  private static let phone = "192.168.1.9"
  private static let tv = "192.168.1.20"

  /// What a phone and a television said, as the file of one of them has it; the last has the phone's address and came
  /// to the phone from somebody else.
  private func file(of station: String) -> [UInt8] {
    var capture = StationCapture()
    capture.names = [(Self.phone, "phone"), (Self.tv, "tv")]
    capture.comments = ["rollcall host: \(station == Self.phone ? "phone" : "tv")"]
    func add(_ seconds: Double, _ source: String, _ destination: String, _ text: String, isForged: Bool = false) {
      let isOut = source.hasPrefix(station + ":") && !isForged
      capture.add(seconds, source, destination, text, isOut ? .outbound : .inbound)
    }
    add(0, Self.phone + ":40000", TinyCapture.group, TinyCapture.search("ssdp:all"))
    add(0.2, Self.tv + ":1900", Self.phone + ":40000", TinyCapture.answer("lamp"))
    add(0.5, Self.tv + ":1900", TinyCapture.group, TinyCapture.alive("lamp"))
    add(0.6, Self.phone + ":1900", TinyCapture.group, TinyCapture.alive("own", location: "http://192.168.1.9/"))
    add(
      0.7, Self.phone + ":1900", TinyCapture.group, TinyCapture.alive("ghost", location: "http://192.168.1.9/"),
      isForged: true)
    return capture.bytes
  }

  @Test("a file of the host says which way a frame went; in one of another station the addresses tell who sent it")
  func stations() throws {
    for (station, host, own) in [
      (Self.phone, "phone", [true, false, false, true, false]),
      (Self.phone, Self.phone, [true, false, false, true, false]),
      (Self.tv, "phone", [true, false, false, true, true]), (Self.tv, Self.phone, [true, false, false, true, true]),
      (Self.tv, "tv", [false, true, true, false, false]), (Self.phone, "tv", [false, true, true, false, false]),
    ] {
      let bytes = file(of: station)
      let tape = try CaptureTape.read(as: .host(host)) { try TinyCapture.reader(bytes) }
      #expect(tape.messages.map(\.isOwn) == own, "\(station) as \(host)")
      #expect(tape.perspective == .host(host == "tv" ? Self.tv : Self.phone))
      #expect(!tape.originalReports.isEmpty && Reproduce.isSameShape(tape.originalReports, tape.reports()))
    }
    let bytes = file(of: Self.tv)
    let tape = try CaptureTape.read(as: .everybody) { try TinyCapture.reader(bytes) }
    #expect(tape.messages.count == 5 && tape.messages.allSatisfy { !$0.isOwn } && tape.perspective == .everybody)
  }

  @Test("the file of another station becomes a scenario that says what it says")
  func reproduction() throws {
    let bytes = file(of: Self.tv)
    let options = Reproduce.Options(
      perspective: .host("phone"), keepsIdentities: true, title: "made", source: "made", findsBite: false)
    let outcome = try Reproduce.reproduce(options) { try TinyCapture.reader(bytes) }
    #expect(outcome.isFaithful)
    #expect(
      outcome.reproduction.losses == [
        "what 192.168.1.9 announced itself: the engine stands in its place and does not hear itself"
      ])
    #expect(outcome.reproduction.notes.map(\.name).filter { $0.hasPrefix("app-") } == ["app-9"])
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
      #expect(tape.perspective == .host(addresses))
      #expect(tape.messages.map(\.isOwn) == [true, false])
      #expect(!tape.originalReports.isEmpty && Reproduce.isSameShape(tape.originalReports, tape.reports()))
    }
  }
}
