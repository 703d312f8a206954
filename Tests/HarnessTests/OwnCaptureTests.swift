import RollcallCapture
import RollcallCaptureSupport
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import Testing

/// A folder of `Captures`: what was recorded, what is known of it, and the reviewed reports.
struct OwnCapture: CustomTestStringConvertible {
  let name: String
  let folder: URL

  var path: String {
    let paths = ["capture.pcapng", "capture.btsnoop"].map { folder.appendingPathComponent($0).path }
    return paths.first { FileManager.default.fileExists(atPath: $0) } ?? paths[0]
  }
  var testDescription: String { name }

  func text(_ file: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
  }

  /// A plain value of about.yaml.
  func fact(_ key: String) throws -> String? {
    try text("about.yaml").split(separator: "\n").first { $0.hasPrefix(key + ": ") }.map {
      String($0.dropFirst(key.count + 2))
    }
  }

  /// One replay with what `rollcall replay` takes by default.
  func replay() throws -> (reports: [String], messages: [ReplayEvent.Message], summary: ReplaySummary) {
    var reports: [String] = []
    var messages: [ReplayEvent.Message] = []
    var reader = try CaptureReader(path: path)
    var replay = Replay(options: ReplayOptions()) { event in
      switch event {
      case .report(let report, let time, let frame):
        reports.append(ReportLine.json(report, time: time.description, frame: frame))
      case .message(let message): messages.append(message)
      case .datagram, .packet: break
      }
    }
    replay.run(&reader)
    return (reports, messages, replay.summary)
  }

  /// The time of the last frame, whatever it carries.
  func lastFrame() throws -> Int64 {
    var last: Int64 = 0
    var frame = CaptureFrame()
    var reader = try CaptureReader(path: path)
    while reader.next(&frame) { last = max(last, frame.time.nanoseconds) }
    return last
  }

  /// Whether it was recorded at a Bluetooth controller.
  var isBluetooth: Bool { path.hasSuffix(".btsnoop") }
  static let onLAN = all.filter { !$0.isBluetooth }

  static let all: [OwnCapture] = {
    let root = Places.root.appendingPathComponent("Captures")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    return names.sorted().compactMap { name in
      let folder = root.appendingPathComponent(name)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
        return nil
      }
      // Those of multicast DNS have a suite of their own.
      if FileManager.default.fileExists(atPath: folder.appendingPathComponent("tshark.json").path) { return nil }
      return OwnCapture(name: name, folder: folder)
    }
  }()
}

/// The project's own captures of real programs, and the reviewed reports that lie beside them.
@Suite("Own captures")
struct OwnCaptureTests {
  @Test("there are captures of real programs to hold the engine to")
  func number() { #expect(OwnCapture.all.count >= 10) }

  @Test(
    "a capture is the one that its about.yaml tells of, and its reports are the reviewed ones",
    arguments: OwnCapture.all)
  func reviewed(_ capture: OwnCapture) throws {
    let octets = try Data(contentsOf: URL(fileURLWithPath: capture.path))
    try expectEqual(capture.fact("sha256"), octets.withUnsafeBytes { SHA256.hex(of: $0) })
    let expected = try capture.text("expected.jsonl")
    let comments = expected.split(separator: "\n").filter { $0.hasPrefix("#") }
    #expect(comments.count >= 3, "what was reviewed stands on top")
    // A file that asks for options of its own has to be replayed with them.
    #expect(!comments.contains { $0.hasPrefix("# replay: ") })

    let replay = try capture.replay()
    try expectEqual(capture.fact("frames"), String(replay.summary.frames))
    expectEqual(replay.summary.problems, [])
    let difference = ExpectedReports.difference(reviewed: expected, found: replay.reports)
    expectEqual(difference, nil, "\(capture.name)/expected.jsonl")
    #expect(!replay.reports.isEmpty)
    CaptureFolder.checked(URL(fileURLWithPath: capture.path))
  }

  @Test("a reviewed line that is changed, dropped, repeated or moved makes the comparison fail at that line")
  func bites() throws {
    let capture = try #require(OwnCapture.all.first { $0.name == "bridge-snooping-querier-gone" })
    let found = try capture.replay().reports
    let lines = try capture.text("expected.jsonl").split(separator: "\n").map(String.init)
    func difference(_ lines: [String]) -> ExpectedReports.Difference? {
      ExpectedReports.difference(reviewed: lines.joined(separator: "\n") + "\n", found: found)
    }
    expectEqual(difference(lines), nil)
    for (index, line) in lines.enumerated() where !line.hasPrefix("#") {
      var changed = lines
      // The last digit of the time: a nanosecond more or less.
      let digit = try #require(line.range(of: #"[0-9]","frame""#, options: .regularExpression))
      let other = line[digit.lowerBound] == "0" ? "1" : "0"
      changed[index].replaceSubrange(digit.lowerBound...digit.lowerBound, with: other)
      expectEqual(difference(changed)?.line, index + 1)

      var dropped = lines
      dropped.remove(at: index)
      expectEqual(difference(dropped)?.found, line)

      var repeated = lines
      repeated.insert(line, at: index)
      expectEqual(difference(repeated)?.line, index + 2)

      if index + 1 < lines.count {
        var moved = lines
        moved.swapAt(index, index + 1)
        expectEqual(difference(moved)?.line, index + 1)
      }
    }
    expectEqual(
      ExpectedReports.difference(reviewed: lines.joined(separator: "\n"), found: Array(found.dropLast()))?.found, nil)
  }
}

/// Loss by expiry, worked out from the messages alone and not by the engine.
@Suite("Own captures: expiry")
struct OwnCaptureExpiryTests {
  /// What an alive or a response promises: until when its sender is there.
  private struct Promise {
    var device: String
    var location: String?
    var time: Int64
    var end: Int64
  }

  private func nanoseconds(_ time: String) throws -> Int64 {
    let parts = time.split(separator: ".")
    try #require(parts.count == 2 && parts[1].count == 9)
    return try #require(Int64(parts[0] + parts[1]))
  }

  private func promises(_ messages: [ReplayEvent.Message]) throws -> [Promise] {
    try messages.compactMap { message in
      guard message.rejection == nil, message.type == "notify-alive" || message.type == "response" else { return nil }
      func field(_ name: String) -> String? { message.fields.first { $0.name == name }?.value }
      let usn = try #require(field("USN"))
      let age = try #require(field("CACHE-CONTROL")?.replacing(" ", with: ""))
      let seconds = try #require(Int64(age.dropFirst("max-age=".count)))
      let time = try nanoseconds(message.time)
      let device = usn.range(of: "::").map { String(usn[..<$0.lowerBound]) } ?? usn
      return Promise(device: device, location: field("LOCATION"), time: time, end: time + seconds * 1_000_000_000)
    }
  }

  /// The promises of each device in order of time: UUIDs that share a LOCATION are one.
  private func devices(_ promises: [Promise]) -> [[Promise]] {
    var groups: [[Promise]] = []
    for promise in promises {
      let isOwn = { (other: Promise) in other.device == promise.device || other.location == promise.location }
      let joined = groups.filter { $0.contains(where: isOwn) }.flatMap { $0 } + [promise]
      groups.removeAll { $0.contains(where: isOwn) }
      groups.append(joined.sorted { $0.time < $1.time })
    }
    return groups
  }

  @Test("a device that says no byebye is lost when the last promise of any of its parts is over, to a millisecond")
  func expiry() throws {
    var held: [String] = []
    for capture in OwnCapture.onLAN {
      let (reports, messages, _) = try capture.replay()
      let promises = try promises(messages)
      for report in reports where report.contains(#""cause":"expired""#) {
        let fields = try #require(JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any])
        let device = try #require(fields["device"] as? String)
        let lost = try nanoseconds(try #require(fields["time"] as? String))
        #expect(fields["frame"] is NSNull, "no frame caused it")
        let own = try #require(devices(promises).first { $0.contains { $0.device == device } })
        let before = own.filter { $0.time < lost }
        let end = try #require(before.map(\.end).max())
        #expect(abs(lost - end) <= 1_000_000, "\(capture.name): lost \(lost - end) ns after the last promise")
        held.append(capture.name)
      }
    }
    #expect(Set(held).count >= 3, "\(held)")
  }

  @Test("a device whose promises run out unrenewed before the last frame is lost", arguments: OwnCapture.onLAN)
  func silence(_ capture: OwnCapture) throws {
    let (reports, messages, _) = try capture.replay()
    let lost = reports.filter { $0.contains(#""event":"lost""#) && $0.contains(#""cause":"expired""#) }
    let byebyes = try messages.filter { $0.type == "notify-byebye" }.map { try nanoseconds($0.time) }
    let promises = try promises(messages)
    let last = try capture.lastFrame()
    var gaps = 0
    for own in devices(promises) {
      for (index, promise) in own.enumerated() {
        let end = own[...index].map(\.end).max() ?? promise.end
        let next = index + 1 < own.count ? own[index + 1].time : last
        // One with a byebye in between did not run out.
        if next > end, !byebyes.contains(where: { promise.time < $0 && $0 <= end }) { gaps += 1 }
      }
    }
    expectEqual(lost.count, gaps)
  }
}
