import RollcallCapture
import RollcallCaptureSupport
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallRunning
import Testing

/// Replays of real captures against ground truth that an independent dissector wrote beside each of them.
@Suite("Replay against the oracle")
struct ReplayOracleTests {
  /// Messages of the oracle that the replay shows differently, each with the reason. Whatever is not listed is equal.
  static let knownDifferences: [String: String] = [:]

  struct Tally {
    var files = 0
    var messages = 0
    var differences: [String] = []
  }

  @Test("every SSDP message of every Ethernet capture has the oracle's kind, endpoints, time and headers")
  func messages() throws {
    let captures = CaptureFolder.captures(in: "ssdp", for: "replayed messages against tshark")
    if CaptureFolder.url == nil { return }
    var tally = Tally()
    for capture in captures {
      let truth = try #require(
        JSONSerialization.jsonObject(with: Data(contentsOf: capture.appendingPathExtension("expect.json")))
          as? [String: Any])
      try compare(capture.path, capture.lastPathComponent, truth, &tally)
      CaptureFolder.checked(capture)
    }
    print("replay oracle: \(tally.files) files, \(tally.messages) messages compared")
    expectEqual(tally.differences, [])
    #expect(tally.files > 30 && tally.messages > 800)
  }

  private func compare(_ path: String, _ name: String, _ truth: [String: Any], _ tally: inout Tally) throws {
    var found: [Int: ReplayEvent.Message] = [:]
    var reader = try CaptureReader(path: path)
    var replay = Replay(options: ReplayOptions()) { event in
      if case .message(let message) = event, message.type != "unknown" { found[message.frame] = message }
    }
    replay.run(&reader)
    tally.files += 1
    func note(_ frame: Int, _ what: String) {
      let key = "\(name) frame \(frame): \(what)"
      if ReplayOracleTests.knownDifferences[key] == nil { tally.differences.append(key) }
    }
    let meta = truth["meta"] as? [String: Any]
    if let packets = meta?["packets"] as? Int, packets != replay.summary.frames {
      note(0, "\(packets) frames, found \(replay.summary.frames)")
    }
    let kinds = [
      "notify-alive": "notify-alive", "notify-byebye": "notify-byebye", "notify-update": "notify-update",
      "msearch": "search", "response": "response",
    ]
    for record in truth["ssdp"] as? [[String: Any]] ?? [] {
      guard let kind = (record["kind"] as? String).flatMap({ kinds[$0] }), let frame = record["frame"] as? Int else {
        continue
      }
      tally.messages += 1
      guard let message = found.removeValue(forKey: frame) else {
        note(frame, "\(kind) is missing")
        continue
      }
      if message.type != kind { note(frame, "\(kind), found \(message.type)") }
      if record["time_us"] is Int, message.time != record["time"] as? String { note(frame, "time \(message.time)") }
      for (key, endpoint) in [("src", message.source), ("dst", message.destination)] {
        if bracketed(record[key] as? String ?? "") != endpoint.description { note(frame, "\(key) \(endpoint)") }
      }
      let fields = Dictionary(uniqueKeysWithValues: message.fields.map { ($0.name, $0.value) })
      for group in ["headers", "headers_more"] {
        for (header, value) in (record[group] as? [String: Any] ?? [:]).sorted(by: { $0.key < $1.key }) {
          if let value = value as? String, fields[header] != value {
            note(frame, "\(header): \(value), found \(fields[header] ?? "none")")
          }
        }
      }
    }
    for frame in found.keys.sorted() { note(frame, "is no message for the oracle: \(found[frame]?.type ?? "")") }
  }

  private func bracketed(_ text: String) -> String {
    guard text.filter({ $0 == ":" }).count > 1, !text.hasPrefix("["), let colon = text.lastIndex(of: ":") else {
      return text
    }
    return "[\(text[..<colon])]\(text[colon...])"
  }
}
