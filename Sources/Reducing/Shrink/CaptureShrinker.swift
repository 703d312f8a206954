package import RollcallCapture
import RollcallPrimitives
package import RollcallReplaying
import RollcallReporting
import RollcallWire

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
    /// The report that stays, as a replay of what is written makes it: with the number that its frame has there.
    package var report: String
    package var passes: [(name: String, tried: Int, kept: Int, frames: Int)]
    /// The file. It was replayed, and makes the report.
    package var pcapng: [UInt8]
    package var wasCut: Bool
  }

  package enum Problem: Error, Hashable, CustomStringConvertible {
    case noSuchReport(String)
    case tooLarge(frames: Int)
    case largeFrame(Int)
    case damaged(CaptureDamage)
    case reportLost(String)

    package var description: String {
      switch self {
      case .noSuchReport(let text): "the replay makes no report like \(text); rollcall replay shows what it makes"
      case .tooLarge(let frames):
        "more than \(frames) frames are needed to begin with; cut the capture with a filter of tshark or editcap first"
      case .largeFrame(let number): "frame \(number) is larger than what can be written"
      case .damaged(let damage): damage.sentence("read")
      case .reportLost(let text):
        "written as a capture of its own, the frames no longer give the report, so nothing is written: \(text)"
      }
    }
  }

  static let framesMaximum = 200_000

  private struct Frame {
    var number: Int
    var time: Instant
    var interface: Int
    var originalCount: Int
    var direction: CaptureFrame.Direction?
    var comments: [String]
    var bytes: [UInt8]
  }

  /// What is said of the report that stays: all that a line tells but the number of its search and of its frame, which
  /// change when frames go.
  private static func kept(_ report: Report, at time: Instant) -> WrittenReport {
    WrittenReport(report.renumbered(SearchID(0)), time: time, place: nil)
  }

  private let options: ReplayOptions
  /// What is kept or goes as one: a frame, or all fragments of a datagram. Places in `frames`.
  private var units: [[Int]] = []
  private var frames: [Frame] = []
  private let total: Int
  private let wanted: WrittenReport
  /// The line that was wanted, for people.
  private let line: String
  private let isOver: () -> Bool
  private let progress: (_ tried: Int, _ left: Int) -> Void
  private var passes: [(name: String, tried: Int, kept: Int, frames: Int)] = []
  private let source: String
  private let open: () throws -> CaptureReader
  // What the file says beyond its frames.
  private var sections: [CaptureSection] = []
  private var interfaces: [CaptureInterface] = []
  private var names: [CaptureName] = []
  /// The number of names that stand before the first frame.
  private var earlyNames = 0

  /// - Parameters:
  ///   - name: of the file, for the comment in what is written.
  ///   - progress: told after each replay how many there were and how many frames are left.
  ///   - open: opens the capture from its start.
  package init(
    name: String, options: ReplayOptions, wanted: Wanted, isOver: @escaping () -> Bool,
    progress: @escaping (_ tried: Int, _ left: Int) -> Void = { _, _ in }, open: @escaping () throws -> CaptureReader
  ) throws {
    var options = options
    options.wantsMessages = true
    options.wantsDatagrams = false
    self.options = options
    self.isOver = isOver
    self.progress = progress
    self.open = open
    source = name
    var messages: Set<Int> = []
    var found: (kept: WrittenReport, line: String)?
    var reader = try open()
    var replay = Replay(options: options) { event in
      switch event {
      case .message(let message): messages.insert(message.frame)
      case .report(let report, let time, let frame):
        if found != nil { return }
        let line = ReportLine.json(report, time: time.description, frame: frame)
        if CaptureShrinker.matches(report, at: time, line, wanted) {
          found = (CaptureShrinker.kept(report, at: time), line)
        }
      case .datagram, .packet: break
      }
    }
    replay.run(&reader)
    total = replay.summary.frames
    if let damaged = replay.summary.captureProblems.damaged.first(where: { $0.damage.isBeforeEnd }) {
      throw Problem.damaged(damaged.damage)
    }
    guard let found else { throw Problem.noSuchReport(CaptureShrinker.text(of: wanted)) }
    (self.wanted, line) = (found.kept, found.line)
    try collect(messages)
  }

  /// Copies the frames of these messages, those of multicast DNS and those with packets of Bluetooth LE, whole where they came in fragments, and the one that ends the capture's time.
  /// - Parameter messages: numbers of the frames that completed a message; `nil`: all frames.
  private mutating func collect(_ messages: Set<Int>?) throws {
    var wholes: [[Int]] = []
    var latest: (time: Instant, number: Int)?
    var reader = try open()
    var extractor = DatagramExtractor()
    var radio = RadioExtractor()
    var datagram = ExtractedDatagram()
    var frame = CaptureFrame()
    while reader.next(&frame) {
      // The clock ends at the latest time, whatever frame has it.
      if frame.hasTime, latest.map({ $0.time < frame.time }) ?? true { latest = (frame.time, frame.number) }
      let isDatagram = extractor.extract(frame, into: &datagram)
      let hasPackets = RadioExtractor.mayHold(frame.linkType) && !radio.packets(of: frame).isEmpty
      // Messages of multicast DNS are no event of a replay.
      let isKept = hasPackets || isDatagram && Replay.isMulticastDNS(datagram)
      if let messages, !messages.contains(frame.number), !isKept { continue }
      wholes.append(isDatagram && datagram.fragmentCount > 1 ? extractor.completedFrames : [frame.number])
      if wholes.count > CaptureShrinker.framesMaximum { throw Problem.tooLarge(frames: CaptureShrinker.framesMaximum) }
    }
    var taken: Set<Int> = []
    for whole in wholes { taken.formUnion(whole) }
    if let latest, taken.insert(latest.number).inserted { wholes.append([latest.number]) }
    try copy(taken)
    var places: [Int: Int] = [:]
    for (place, frame) in frames.enumerated() { places[frame.number] = place }
    // A frame is in one unit alone: that of its datagram, where it is a fragment.
    var seen: Set<Int> = []
    let claimed = wholes.filter { $0.count > 1 } + wholes.filter { $0.count == 1 }
    units = claimed.map { whole in whole.filter { seen.insert($0).inserted }.compactMap { places[$0] } }
    units = units.filter { !$0.isEmpty }.sorted { ($0.last ?? 0) < ($1.last ?? 0) }
  }

  private mutating func copy(_ taken: Set<Int>) throws {
    frames = []
    var clock = Instant.zero
    var again = try open()
    earlyNames = again.names.count
    var frame = CaptureFrame()
    while again.next(&frame) {
      if frame.hasTime { clock = frame.time }
      guard taken.contains(frame.number) else { continue }
      if frame.capturedCount > CaptureWriter.frameBytesMaximum { throw Problem.largeFrame(frame.number) }
      // A frame without a time gets that of the one before.
      let bytes = frame.bytesInPcapng
      frames.append(
        Frame(
          number: frame.number, time: clock, interface: frame.interface,
          originalCount: frame.originalCount + bytes.count - frame.capturedCount,
          direction: frame.direction, comments: frame.comments, bytes: bytes))
    }
    (sections, interfaces, names) = (again.sections, again.interfaces, again.names)
    if sections.isEmpty { sections = [CaptureSection()] }
    // What stood between the frames tells of the host as well as what stands before them.
    sections[0].comments += again.takeRemarks()
  }

  private static func text(of wanted: Wanted) -> String {
    switch wanted {
    case .event(let event, let device): event + (device.map { ":" + $0 } ?? "")
    case .text(let text): "'\(text)'"
    }
  }

  /// - Parameter line: the report as people see it; they may ask for a part of it.
  private static func matches(_ report: Report, at time: Instant, _ line: String, _ wanted: Wanted) -> Bool {
    switch wanted {
    case .text(let text):
      guard text.hasPrefix("{") else { return line.contains(text) }
      // A whole line, but for the number of its frame.
      guard var written = WrittenReport(line: text) else { return false }
      written.place = nil
      return written == WrittenReport(report, time: time, place: nil)
    case .event(let event, let device):
      guard report.name == event else { return false }
      guard let device else { return true }
      // The kind of its name may be left out.
      let wanted = device.lowercased()
      guard let name = report.device?.lowercased() else { return false }
      return ["", "uuid:", "ble:"].contains { name.hasPrefix($0 + wanted) }
    }
  }

  // MARK: Shrinking

  package mutating func shrink() throws -> Outcome {
    if made(by: Array(units.indices)) == nil {
      // Frames without discovery move the clock, too.
      try collect(nil)
      if made(by: Array(units.indices)) == nil { throw Problem.reportLost(line) }
    }
    var kept = Array(units.indices)
    var tried = 0
    var chunk = max(1, kept.count / 2)
    while !isOver() {
      var pass = (name: "runs of \(chunk)", tried: 0, kept: 0, frames: 0)
      var end = kept.count
      while end > 0, !isOver() {
        let range = max(0, end - chunk)..<end
        var fewer = kept
        fewer.removeSubrange(range)
        pass.tried += 1
        tried += 1
        if !fewer.isEmpty, made(by: fewer) != nil {
          kept = fewer
          pass.kept += 1
        }
        progress(tried, kept.count)
        end = range.lowerBound
      }
      pass.frames = places(of: kept).count
      passes.append(pass)
      if chunk == 1 {
        if pass.kept == 0 { break }
      } else {
        chunk = max(1, chunk / 2)
      }
    }
    // What is written is what was replayed last, byte for byte.
    let bytes = written(kept, isFinal: true)
    guard let report = report(in: bytes) else { throw Problem.reportLost(line) }
    return Outcome(
      frames: places(of: kept).map { frames[$0].number }, total: total, report: report, passes: passes, pcapng: bytes,
      wasCut: isOver())
  }

  private func places(of kept: [Int]) -> [Int] { kept.flatMap { units[$0] }.sorted() }

  private func made(by kept: [Int]) -> String? { report(in: written(kept, isFinal: false)) }

  /// The line of the wanted report in a replay of these bytes; `nil`: it makes no such report.
  private func report(in bytes: [UInt8]) -> String? {
    guard var reader = CaptureBytes.reader(bytes) else { return nil }
    var found: String?
    var options = options
    options.wantsMessages = false
    var replay = Replay(options: options) { event in
      guard found == nil, case .report(let report, let time, let frame) = event,
        CaptureShrinker.kept(report, at: time) == wanted
      else { return }
      found = ReportLine.json(report, time: time.description, frame: frame)
    }
    replay.run(&reader)
    return found
  }

  private func written(_ kept: [Int], isFinal: Bool) -> [UInt8] {
    let chosen = places(of: kept)
    func section(_ number: Int) -> CaptureSection {
      var section = sections[number]
      section.application = "rollcall"
      if isFinal, number == 0 {
        let numbers = chosen.map { String(frames[$0].number) }.joined(separator: ", ")
        section.comments.append("rollcall shrink: frames \(numbers) of \(total) of \(source)")
      }
      return section
    }
    var writer = CaptureWriter(section: section(0))
    var next = 0
    // Every interface of the file keeps its number and what is said of it, or leases would move to another.
    var interface = 0
    for number in sections.indices {
      if number > 0 { writer.begin(section(number)) }
      let first = interface
      while interface < interfaces.count, interfaces[interface].section == number {
        let one = interfaces[interface]
        _ = writer.interface(
          name: one.name, details: one.details, linkType: LinkType.inPcapng(one.linkType), snapLength: one.snapLength,
          comments: one.comments)
        interface += 1
      }
      if number == 0, earlyNames > 0 { writer.names(Array(names[..<earlyNames])) }
      while next < chosen.count, frames[chosen[next]].interface < interface {
        let frame = frames[chosen[next]]
        writer.frame(
          interface: frame.interface - first, time: frame.time, frame.bytes, originalCount: frame.originalCount,
          direction: frame.direction, comments: frame.comments)
        next += 1
      }
    }
    if names.count > earlyNames { writer.names(Array(names[earlyNames...])) }
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
