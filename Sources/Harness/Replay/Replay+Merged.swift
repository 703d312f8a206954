package import Capture
package import Primitives

/// A capture file among several of the same moment.
package final class CaptureSource {
  package let path: String
  fileprivate var reader: CaptureReader
  fileprivate var extractor = DatagramExtractor()
  fileprivate var frame = CaptureFrame()
  fileprivate var hasFrame = false
  /// Of the frame that waits: its own time, or that of the latest before it where it has none or goes back.
  fileprivate var time = Instant(nanoseconds: .min)

  package init(path: String, reader: consuming CaptureReader) {
    self.path = path
    self.reader = reader
  }

  /// Goes to the next frame; its number and interface say which file they are of.
  fileprivate func advance(file: Int) {
    hasFrame = reader.next(&frame)
    guard hasFrame else { return }
    if frame.hasTime { time = max(time, frame.time) }
    frame.number = FrameNames.number(file: file, frame: frame.number)
    frame.interface = file << CaptureSource.interfaceShift | frame.interface & (1 << CaptureSource.interfaceShift - 1)
  }

  /// Interfaces of each file have numbers of their own.
  private static let interfaceShift = 10
  package static let filesMaximum = 32
}

/// What the files of a merged replay have in common.
package struct CaptureOverlap: Hashable, Sendable {
  package var files: Int
  /// Datagrams of port 1900 that more than one file holds.
  package var count = 0
  /// How far apart their times are: the clocks of two hosts differ, those of two interfaces should not.
  package var apartLeast = Interval.zero
  package var apartMost = Interval.zero

  func sentence(_ names: FrameNames) -> String {
    let list = names.labels.joined(separator: ", ")
    if count == 0 { return "\(files) files (\(list)) merged by time; no datagram is in more than one" }
    return "\(files) files (\(list)) merged by time; \(StoryWords.count(count, "datagram")) in more than one, "
      + "\(StoryWords.lateness(apartLeast...apartMost)) apart"
  }
}

extension Replay {
  /// Replays several captures of the same moment as one: frames in order of time, every file an interface of its own.
  ///
  /// Of equal times the first file goes first. Where a file's times go back, its frames keep their place in it. A
  /// datagram that two files hold reaches the engine twice, as it would on a host with two interfaces.
  package mutating func run(merging sources: [CaptureSource]) {
    var datagram = ExtractedDatagram()
    for (file, source) in sources.enumerated() {
      let own = CaptureScene(reader: source.reader, as: options.perspective)
      if file == 0 { scene = own } else { scene.add(addressesOf: own) }
      source.advance(file: file)
    }
    let programs = options.filter.map { CapturePrograms($0) }
    var overlap = OverlapFinder(files: sources.count)
    while let source = next(of: sources) {
      let frame = source.frame
      if let teller { show(frame, to: teller) }
      if frame.hasTime { advance(to: frame) }
      if let programs, !lets(frame, through: programs) {
        if summary.filterFailure != nil { break }
      } else if source.extractor.extract(frame, into: &datagram) {
        if options.wantsDatagrams { observe?(.datagram(frame, datagram)) }
        overlap.see(datagram, frame)
        consider(datagram, of: frame)
      }
      source.advance(file: FrameNames.file(of: frame.number))
    }
    teller?.overlaps(overlap.found)
    runOut()
    for source in sources { conclude(source.extractor, source.reader, file: source.path) }
    close()
  }

  private func next(of sources: [CaptureSource]) -> CaptureSource? {
    var first: CaptureSource?
    for source in sources where source.hasFrame && (first.map { source.time < $0.time } ?? true) { first = source }
    return first
  }
}

/// Finds datagrams that come from more than one file.
private struct OverlapFinder {
  private struct Seen {
    var file: Int
    var time: Instant
  }
  private var seen: [UInt64: Seen] = [:]
  private static let seenMaximum = 65_536
  /// The same datagram is not captured further apart, unless clocks are worse than that.
  private static let apartMaximum = Interval.seconds(2)
  var found: CaptureOverlap

  init(files: Int) { found = CaptureOverlap(files: files) }

  mutating func see(_ datagram: ExtractedDatagram, _ frame: CaptureFrame) {
    guard datagram.source.port == 1900 || datagram.destination.port == 1900 else { return }
    var digest = Digest()
    digest.combine(datagram.source.description)
    digest.combine(datagram.destination.description)
    digest.combine(String(decoding: datagram.payload, as: UTF8.self))
    let file = FrameNames.file(of: frame.number)
    if let other = seen[digest.state], other.file != file, frame.time - other.time < OverlapFinder.apartMaximum {
      let apart = frame.time < other.time ? other.time - frame.time : frame.time - other.time
      found.apartLeast = found.count == 0 ? apart : min(found.apartLeast, apart)
      found.apartMost = max(found.apartMost, apart)
      found.count += 1
      seen[digest.state] = nil
      return
    }
    if seen.count >= OverlapFinder.seenMaximum { seen.removeAll(keepingCapacity: true) }
    seen[digest.state] = Seen(file: file, time: frame.time)
  }
}
