package import Capture
import Primitives
import Wire

/// The fewest frames of a capture that still give one report of the engine, at the same time and in the same words.
package struct CaptureShrinker {
  /// Which report is to stay.
  package enum Wanted: Hashable, Sendable {
    /// The first of this event, of this device if one is named.
    case event(String, device: String?)
    /// A line as `replay --record` writes it, or a part of one.
    case text(String)
  }

  package struct Outcome {
    /// Numbers of the frames that stay, in order.
    package var frames: [Int]
    package var total: Int
    /// The report that stays, its frame number left out.
    package var report: String
    package var passes: [(name: String, tried: Int, kept: Int, frames: Int)]
    /// The file.
    package var pcapng: [UInt8]
    package var wasCut: Bool
  }

  package enum Problem: Error, Hashable, CustomStringConvertible {
    case noSuchReport(String)
    case tooLarge(frames: Int)

    package var description: String {
      switch self {
      case .noSuchReport(let text): "the replay makes no report like \(text); rollcall replay shows what it makes"
      case .tooLarge(let frames):
        "more than \(frames) frames with discovery in them; cut the capture with a filter of tshark or editcap first"
      }
    }
  }

  package static let framesMaximum = 200_000

  private struct Frame {
    var number: Int
    var time: Instant
    var interface: Int
    var linkType: UInt32
    var originalCount: Int
    var direction: CaptureFrame.Direction?
    var comments: [String]
    var bytes: [UInt8]
  }

  private let options: ReplayOptions
  private var frames: [Frame] = []
  private let total: Int
  private let report: String
  private let isOver: () -> Bool
  private var passes: [(name: String, tried: Int, kept: Int, frames: Int)] = []
  private let source: String

  /// - Parameters:
  ///   - open: opens the capture from its start.
  ///   - name: of the file, for the comment in what is written.
  package init(
    name: String, options: ReplayOptions, wanted: Wanted, isOver: @escaping () -> Bool,
    open: () throws -> CaptureReader
  ) throws {
    var options = options
    options.wantsMessages = true
    options.wantsDatagrams = false
    self.options = options
    self.isOver = isOver
    source = name
    var messages: Set<Int> = []
    var lines: [String] = []
    var reader = try open()
    var replay = Replay(options: options) { event in
      switch event {
      case .message(let message): messages.insert(message.frame)
      case .report(let report, let time, _):
        lines.append(ReportLine.json(report, time: time.description, frame: nil))
      case .datagram: break
      }
    }
    replay.run(&reader)
    total = replay.summary.frames
    guard let line = lines.first(where: { CaptureShrinker.matches($0, wanted) }) else {
      throw Problem.noSuchReport(CaptureShrinker.text(of: wanted))
    }
    report = line
    if messages.count > CaptureShrinker.framesMaximum {
      throw Problem.tooLarge(frames: CaptureShrinker.framesMaximum)
    }
    // The last frame keeps the clock going, whatever it carries.
    var again = try open()
    var frame = CaptureFrame()
    while again.next(&frame) {
      guard frame.hasTime, messages.contains(frame.number) || frame.number == total else { continue }
      frames.append(CaptureShrinker.copy(frame))
    }
  }

  private static func copy(_ frame: CaptureFrame) -> Frame {
    Frame(
      number: frame.number, time: frame.time, interface: frame.interface, linkType: frame.linkType,
      originalCount: frame.originalCount, direction: frame.direction, comments: frame.comments,
      bytes: Array(frame.content))
  }

  private static func text(of wanted: Wanted) -> String {
    switch wanted {
    case .event(let event, let device): event + (device.map { ":" + $0 } ?? "")
    case .text(let text): "'\(text)'"
    }
  }

  /// The line without its frame number: that changes when frames go.
  private static func bare(_ line: String) -> String {
    guard let range = line.firstRange(of: ",\"frame\":") else { return line }
    let rest = line[range.upperBound...].drop { $0 != "," && $0 != "}" }
    return String(line[..<range.lowerBound]) + rest
  }

  private static func matches(_ line: String, _ wanted: Wanted) -> Bool {
    switch wanted {
    case .text(let text): return text.hasPrefix("{") ? bare(line) == bare(text) : bare(line).contains(text)
    case .event(let event, let device):
      guard line.contains("\"event\":\"\(event)\"") else { return false }
      guard let device else { return true }
      let name = device.lowercased().hasPrefix("uuid:") ? device : "uuid:" + device
      return line.lowercased().contains("\"device\":\"\(name.lowercased())")
    }
  }

  // MARK: Shrinking

  package mutating func shrink() -> Outcome {
    var kept = Array(frames.indices)
    if gives(kept) {
      var chunk = max(1, kept.count / 2)
      while !isOver() {
        var pass = (name: "runs of \(chunk)", tried: 0, kept: 0, frames: 0)
        var end = kept.count
        while end > 0, !isOver() {
          let range = max(0, end - chunk)..<end
          var fewer = kept
          fewer.removeSubrange(range)
          pass.tried += 1
          if !fewer.isEmpty, gives(fewer) {
            kept = fewer
            pass.kept += 1
          }
          end = range.lowerBound
        }
        pass.frames = kept.count
        passes.append(pass)
        if chunk == 1 {
          if pass.kept == 0 { break }
        } else {
          chunk = max(1, chunk / 2)
        }
      }
    }
    let numbers = kept.map { frames[$0].number }
    return Outcome(
      frames: numbers, total: total, report: report, passes: passes, pcapng: written(kept, isFinal: true),
      wasCut: isOver())
  }

  /// Whether a replay of these frames makes the report.
  private func gives(_ kept: [Int]) -> Bool {
    guard var reader = CaptureBytes.reader(written(kept, isFinal: false)) else { return false }
    var found = false
    var options = options
    options.wantsMessages = false
    let wanted = CaptureShrinker.bare(report)
    var replay = Replay(options: options) { event in
      if case .report(let report, let time, _) = event {
        found = found || CaptureShrinker.bare(ReportLine.json(report, time: time.description, frame: nil)) == wanted
      }
    }
    replay.run(&reader)
    return found
  }

  private func written(_ kept: [Int], isFinal: Bool) -> [UInt8] {
    var section = CaptureSection()
    section.application = "rollcall"
    if isFinal {
      let numbers = kept.map { String(frames[$0].number) }.joined(separator: ", ")
      section.comments = ["rollcall shrink: frames \(numbers) of \(total) of \(source)"]
    }
    var writer = CaptureWriter(section: section)
    var interfaces: [(key: Int, linkType: UInt32, number: Int)] = []
    // Every interface of the file keeps its number, or leases would move to another.
    for index in 0...(frames.map(\.interface).max() ?? 0) {
      let linkType = frames.first { $0.interface == index }?.linkType ?? LinkType.ethernet
      interfaces.append((index, linkType, writer.interface(name: "if\(index)", linkType: linkType)))
    }
    for index in kept {
      let frame = frames[index]
      guard let interface = interfaces.first(where: { $0.key == frame.interface }) else { continue }
      writer.frame(
        interface: interface.number, time: frame.time, frame.bytes, originalCount: frame.originalCount,
        direction: frame.direction, comments: frame.comments)
    }
    writer.finish()
    return writer.bytes
  }
}

/// A capture that is in memory.
package enum CaptureBytes {
  /// `nil` for bytes that are no capture, or hold no frame.
  package static func reader(_ bytes: [UInt8]) -> CaptureReader? {
    var position = 0
    return try? CaptureReader(pull: { room in
      let count = min(room.count, bytes.count - position)
      bytes.withUnsafeBytes { all in
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[position..<(position + count)]))
      }
      position += count
      return count
    })
  }
}
