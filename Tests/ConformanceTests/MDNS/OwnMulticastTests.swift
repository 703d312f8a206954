import Foundation
import RollcallCapture
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance
@testable import RollcallJudging

/// The project's own captures of avahi, and what was reviewed of them.
@Suite("Own captures of multicast DNS") struct OwnMulticastTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Captures")

  static let names = [
    "avahi-browses-avahi", "avahi-meets-rollcall", "avahi-name-conflict", "avahi-publishes-and-leaves",
  ]

  private func folder(_ name: String) -> URL { OwnMulticastTests.root.appendingPathComponent(name) }

  @Test("a capture is the one that its about.yaml tells of, and its breaches are the reviewed ones", arguments: names)
  func reviewed(_ name: String) throws {
    let path = folder(name).appendingPathComponent("capture.pcapng")
    let about = try String(contentsOf: folder(name).appendingPathComponent("about.yaml"), encoding: .utf8)
    let sum = try Data(contentsOf: path).withUnsafeBytes { SHA256.hex(of: $0) }
    #expect(about.contains("sha256: \(sum)\n"))
    let judgement = try JudgeInput.judge(path.path).judgement
    let found = judgement.rows.filter { $0.finding.ruling == .violated }.map {
      ExpectedBreach.Key(
        clause: $0.clause.id, party: $0.party.name, role: $0.party.role == .device ? "device" : "controlPoint",
        found: $0.finding.found)
    }
    let text = try String(contentsOf: folder(name).appendingPathComponent("breaches.jsonl"), encoding: .utf8)
    expectEqual(Set(found), Set(try ExpectedBreach.read(text).map(\.key)))
    #expect(judgement.rows.allSatisfy { $0.finding.ruling == .violated || ["MD-20", "MD-36"].contains($0.clause.id) })
  }

  @Test("the name conflict shows how a name is defended, and a shared record kept alive (MD-22) (MD-31)")
  func conflict() throws {
    let judgement = try JudgeInput.judge(folder(OwnMulticastTests.names[2]).path + "/capture.pcapng").judgement
    #expect(judgement.total(.probeConflict).held == 2 && judgement.total(.lowTTLOfOthers).held == 1)
  }

  /// The manifest of the captures calls this one a sequence of announcements and probes, and two rules are broken in it.
  ///
  /// Read by hand, with tshark: 10.10.10.39 multicasts A and AAAA of dch.local again after 0.88 s (frames 70 and 74, 78
  /// and 79), 0.87 s (153 and 154, 185), 0.53 s (186), 0.63 s (212), 0.84 s (266, 282) and 0.85 s (490 and 491, 525),
  /// and no probe asks for them in between. Frames 75, 153, 284 and 490 have AAAA without A: A follows in a message of
  /// its own. What stays open has its other half on the device's second network, 192.168.0.60.
  @Test("the trace of probes and announcements has two deviations, and no more are reported of it")
  func deviations() throws {
    let name = "iot-dlink-siren-c15.pcap"
    guard let url = CaptureFolder.capture("mdns/" + name, for: "the two deviations") else { return }
    func lines(_ ruling: Ruling) throws -> [String] {
      try JudgeInput.judge(url.path).judgement.rows.filter { $0.finding.ruling == ruling }.map { row in
        let one = row.finding
        return "\(row.clause.id) \(row.party.name) \(one.count)× \(one.position)…\(one.lastPosition) \(one.found)"
      }
    }
    try expectEqual(
      lines(.violated),
      [
        "MD-16 10.10.10.39 7× 74…525 less, AAAA of dch.local", "MD-16 10.10.10.39 7× 74…525 less, A of dch.local",
        "MD-18 10.10.10.39 3× 75…490 none of dch0D60.local", "MD-18 10.10.10.39 2× 153…490 none of dch.local",
      ])
    let open = try lines(.inconclusive).map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    expectEqual(open, ["MD-36 10.10.10.39", "MD-22 192.168.0.60", "MD-39 192.168.0.60", "MD-36 192.168.0.60"])
    CaptureFolder.checked(url)
  }

  /// Devices that were set up before a recorder: what is wrong with their probes and announcements, and nothing else is.
  @Test(
    "the recorded set-ups show their known deviations alone",
    arguments: [
      ("iot-dlink-siren-c15.pcap", ["MD-16", "MD-18"]), ("iot-dlink-switch-c5.pcap", ["MD-16"]),
      ("iot-lightify-c16.pcap", ["H-MD-TWICE", "MD-16", "MD-30", "MD-37", "MD-41", "MD-64"]),
    ])
  func setUps(_ name: String, _ clauses: [String]) throws {
    guard let url = CaptureFolder.capture("mdns/" + name, for: "known deviations") else { return }
    let rows = try JudgeInput.judge(url.path).judgement.rows.filter {
      $0.finding.ruling == .violated && $0.clause.standard == .multicastDNS
    }
    expectEqual(Set(rows.map(\.clause.id)).sorted(), clauses)
  }
}
