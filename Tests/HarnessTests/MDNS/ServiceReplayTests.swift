import Foundation
import RollcallCapture
import RollcallCaptureSupport
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallScenarios
import Testing

/// Services of multicast DNS in captures: real ones against ground truth that an independent dissector wrote beside
/// them, and made ones.
@Suite("Replay of services")
struct ServiceReplayTests {
  @Test("every message of multicast DNS is given to the engine, and what it finds has names that the oracle knows")
  func captures() throws {
    let captures = CaptureFolder.captures(in: "mdns", for: "replayed services against tshark")
    if CaptureFolder.url == nil { return }
    var found: [String] = []
    for capture in captures {
      let truth = try #require(
        JSONSerialization.jsonObject(with: Data(contentsOf: capture.appendingPathExtension("expect.json")))
          as? [String: Any])
      let messages = (truth["mdns"] as? [[String: Any]] ?? []).filter {
        ($0["dst"] as? String)?.hasSuffix(":5353") == true
      }
      var names: Set<String> = []
      for message in messages {
        for key in ["questions", "records"] {
          for row in message[key] as? [[String]] ?? [] { names.insert(row[0].lowercased()) }
        }
      }
      var reports: [Report] = []
      var options = ReplayOptions(wantsMessages: false)
      options.wantsServices = true
      var replay = Replay(options: options, reports: { report, _, _ in reports.append(report) })
      var reader = try CaptureReader(path: capture.path)
      replay.run(&reader)
      let counted = replay.summary.messages.filter { $0.name.hasPrefix("mdns") }
      let responses = messages.count { $0["response"] as? Bool == true }
      expectEqual(
        counted.map { "\($0.name) \($0.count)" },
        [("mdnsQuery", messages.count - responses), ("mdnsResponse", responses)].filter { $0.1 > 0 }
          .map { "\($0.0) \($0.1)" }, "\(capture.lastPathComponent)")
      let lines = reports.compactMap { report -> String? in
        guard let device = report.device, device.hasPrefix("peer:") else { return nil }
        let name = device.dropFirst(5).lowercased()
        #expect(names.contains { $0 == name }, "\(capture.lastPathComponent): \(device)")
        return ServiceReplayTests.line(report)
      }
      if !lines.isEmpty { found += [capture.lastPathComponent] + lines }
      CaptureFolder.checked(capture)
    }
    let golden = Places.root.appendingPathComponent("Tests/HarnessTests/MDNS/services.txt")
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try (found.joined(separator: "\n") + "\n").write(to: golden, atomically: true, encoding: .utf8)
    }
    try expectEqual(found, String(contentsOf: golden, encoding: .utf8).split(separator: "\n").map(String.init))
  }

  /// What a report says, without the text, which is long.
  private static func line(_ report: Report) -> String {
    switch report {
    case .found(let device), .changed(let device, _):
      let place = "\(device.locator.address) \(device[.host]?.text ?? "-"):\(device[.port]?.number ?? 0)"
      var what = ""
      if case .changed(_, let change) = report { what = " " + EventPattern.ChangeKind(change).rawValue }
      return "  \(report.name)\(what) \(device.device) \(place)"
    default: return "  " + ReportText.line(report)
    }
  }
}
