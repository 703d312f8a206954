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
