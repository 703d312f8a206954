import RollcallCapture
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting

// The datagram that made the difference.
extension ReportDiff {
  /// Looks for it: the last datagram before the first difference of which the two sides made different things, else
  /// the one that caused the report itself.
  mutating func findDatagram(_ index: Int) {
    let left = index < a.reports.count ? a.reports[index] : nil
    let right = index < b.reports.count ? b.reports[index] : nil
    // The earlier of the two is where the sides part: of one instant of one capture, that with fewer frames before it.
    let isOneCapture = a.kind == .capture && b.kind == .capture && a.path == b.path
    let isLeft =
      switch (left, right) {
      case (let left?, let right?):
        (since(left, a), isOneCapture ? a.frames[index] : 0) <= (since(right, b), isOneCapture ? b.frames[index] : 0)
      case (_?, nil): true
      default: false
      }
    guard let report = isLeft ? left : right else { return }
    let side = isLeft ? a : b
    if side.kind == .scenario {
      datagram = side.inputs[index]
      guard datagram != nil else { return }
      let other = isLeft ? b : a
      let told = ["caused the report"]
      let heard = other.inputs.contains { $0.map { isAlike($0, datagram) } ?? false }
      let silent = [heard ? "caused another report" : "caused no report"]
      (madeA, madeB) = isLeft ? (told, silent) : (silent, told)
      return
    }
    var frame = report.place
    if isOneCapture { frame = differingFrame(report, upTo: side.frames[index]) ?? frame }
    guard let frame else { return }
    for (one, isFirst) in [(a, true), (b, false)] where one.kind == .capture {
      // A frame of the one is no frame of the other, unless they are one file.
      if a.kind == .capture, b.kind == .capture, a.path != b.path, isFirst != isLeft { continue }
      guard let found = one.look(at: frame, report.device) else { continue }
      datagram = datagram ?? found.datagram
      if isFirst { madeA = found.made } else { madeB = found.made }
    }
  }

  private func isAlike(_ left: DiffDatagram, _ right: DiffDatagram?) -> Bool {
    left.source == right?.source && left.destination == right?.destination && left.fields == right?.fields
      && left.time == right?.time && left.advertiser == right?.advertiser
  }

  /// The last frame up to `end`, about the device of the report, of which the sides made different things.
  private func differingFrame(_ report: WrittenReport, upTo end: Int) -> Int? {
    let device = report.device.map { Fate.hash($0) }
    var (left, right) = (0, 0)
    var last: Int?
    while left < a.fates.count, right < b.fates.count {
      let (one, other) = (a.fates[left], b.fates[right])
      if one.frame != other.frame {
        if one.frame < other.frame { left += 1 } else { right += 1 }
        continue
      }
      if one.frame > end { break }
      let isOfDevice =
        device == nil || one.uuid == device || one.device == device || other.device == device
      if isOfDevice, one.code != other.code { last = one.frame }
      (left, right) = (left + 1, right + 1)
    }
    return last
  }
}

extension DiffSide {
  /// Replays the capture once more for one frame: the datagram or packet, and what this side made of it.
  /// - Parameter device: of several packets in the frame, that of this device is meant.
  func look(at frame: Int, _ device: String?) -> (datagram: DiffDatagram, made: [String])? {
    guard var options = replay, let open, var reader = try? open() else { return nil }
    options.wantsMessages = true
    let teller = StoryTeller(configuration: options.engine)
    teller.watchedFrame = frame
    var datagram: DiffDatagram?
    var told: [String] = []
    var replay = Replay(options: options, teller: teller) { event in
      switch event {
      case .message(let message) where message.frame == frame:
        datagram = DiffDatagram(message)
      case .report(let report, _, frame): told.append(DiffText.words(report))
      default: break
      }
    }
    replay.run(&reader)
    let heardByRadio = teller.watchedPackets.map { DiffDatagram($0.packet, frame: frame, at: $0.time) }
    if let packet = heardByRadio.first(where: { $0.advertiser?.deviceName == device }) ?? heardByRadio.first {
      return (packet, told.isEmpty ? ["no report"] : told)
    }
    if let heard = teller.watchedMulticast {
      let shown = heard.bytes.withUnsafeBytes {
        DiffDatagram(multicast: $0, from: heard.source, to: heard.destination, frame: frame, at: heard.time)
      }
      return (shown, told.isEmpty ? ["no report"] : told)
    }
    return datagram.map {
      ($0, teller.watchedMade.isEmpty ? ["nothing: it did not reach the engine"] : teller.watchedMade)
    }
  }
}

extension DiffSide {
  /// The datagram or packet behind each report; `nil` where none is known. As many as there are reports. Of several
  /// packets in a frame, that of the report's device is meant.
  package func causes() -> [DiffDatagram?] {
    if kind == .scenario { return inputs }
    guard var options = replay, let open, var reader = try? open() else { return reports.map { _ in nil } }
    (options.wantsMessages, options.wantsDatagrams, options.wantsPackets) = (true, true, true)
    let wanted = Set(reports.compactMap(\.place))
    var found: [Int: DiffDatagram] = [:]
    var packets: [Int: [DiffDatagram]] = [:]
    var replay = Replay(options: options) { event in
      switch event {
      case .datagram(let frame, let datagram)
      where wanted.contains(frame.number) && DiffDatagram.isMulticastDNS(datagram.source, datagram.destination):
        found[frame.number] = DiffDatagram(
          multicast: datagram.payload, from: datagram.source, to: datagram.destination, frame: frame.number,
          at: frame.time)
      case .message(let message) where wanted.contains(message.frame): found[message.frame] = DiffDatagram(message)
      case .packet(let packet, let time, let frame) where wanted.contains(frame):
        packets[frame, default: []].append(DiffDatagram(packet, frame: frame, at: time))
      default: break
      }
    }
    replay.run(&reader)
    return reports.map { report in
      guard let place = report.place else { return nil }
      let heard = packets[place] ?? []
      return found[place] ?? heard.first { $0.advertiser?.deviceName == report.device } ?? heard.first
    }
  }
}
