package import RollcallCapture
import RollcallExplaining
import RollcallPrimitives
import RollcallReporting

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
    frame.interface = CaptureSource.interface(frame.interface, file: file)
  }

  private static let interfaceShift = 10
  /// Interfaces of each file have numbers of their own.
  static func interface(_ number: Int, file: Int) -> Int { file << interfaceShift | number & (1 << interfaceShift - 1) }
  package static let filesMaximum = 32
}

extension Replay {
  /// Replays several captures of the same moment as one: frames in order of time, every file an interface of its own.
  ///
  /// Of equal times the first file goes first. Where a file's times go back, its frames keep their place in it. A
  /// datagram that two files hold reaches the engine twice, as it would on a host with two interfaces. What a file tells
  /// of the host beyond its frames counts, whichever of the files it is.
  package mutating func run(merging sources: [CaptureSource]) {
    var datagram = ExtractedDatagram()
    for (file, source) in sources.enumerated() {
      let own = CaptureScene(reader: source.reader, as: options.perspective)
      if file == 0 { scene = own } else { scene.add(own) }
      source.advance(file: file)
    }
    for (file, source) in sources.enumerated() { takeRemarks(of: &source.reader, file: file) }
    begin()
    if streams != nil { for source in sources { source.extractor = DatagramExtractor(readsSegments: true) } }
    let programs = options.filter.map { CapturePrograms($0) }
    var overlap = OverlapFinder(files: sources.count)
    while let source = next(of: sources) {
      let frame = source.frame
      if let teller { show(frame, to: teller) }
      if frame.hasTime { advance(to: frame) }
      if let programs, !lets(frame, through: programs) {
        if summary.filterFailure != nil { break }
      } else {
        if source.extractor.extract(frame, into: &datagram) {
          if options.wantsDatagrams { observe?(.datagram(frame, datagram)) }
          isRepeated = mayBeDiscovery(datagram) && overlap.see(datagram, frame)
          consider(datagram, of: frame)
        }
        giveRest(of: frame, source.extractor)
      }
      let file = FrameNames.file(of: frame.number)
      source.advance(file: file)
      takeRemarks(of: &source.reader, file: file)
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

extension SignalValue {
  /// The same of the interface's number in a merged replay.
  func merged(file: Int) -> SignalValue {
    func merged(_ interface: InterfaceID) -> InterfaceID {
      InterfaceID(UInt16(truncatingIfNeeded: CaptureSource.interface(Int(interface.number), file: file)))
    }
    switch self {
    case .host(.interface(var change)):
      change.interface = merged(change.interface)
      return .interface(change)
    case .host(.refused(var refusal)):
      refusal.interface = merged(refusal.interface)
      return .refused(refusal)
    case .application(.search(var search)):
      search.interface = search.interface.map { merged($0) }
      return .command(.search(search))
    default: return self
    }
  }
}

/// Finds datagrams that come from more than one file.
private struct OverlapFinder {
  private struct Seen {
    /// A bit for each file that holds it.
    var files: UInt32
    var time: Instant
    var identification: Int32
  }
  /// By sockets and payload, in the order in which they came.
  private var seen: [UInt64: [Seen]] = [:]
  private static let seenMaximum = 65_536
  /// The most that are kept with the same sockets and payload.
  private static let alikeMaximum = 64
  /// The same datagram is not captured further apart, unless clocks are worse than that.
  private static let apartMaximum = Interval.seconds(2)
  /// Nor so far apart where the numbers of its packets differ, since something on the way numbered them anew.
  private static let apartMaximumRenumbered = Interval.milliseconds(50)
  var found: CaptureOverlap

  init(files: Int) { found = CaptureOverlap(files: files) }

  /// Notes a datagram; whether another file held it before.
  mutating func see(_ datagram: ExtractedDatagram, _ frame: CaptureFrame) -> Bool {
    var digest = Digest()
    digest.combine(datagram.source.description)
    digest.combine(datagram.destination.description)
    digest.combine(Digest.hash(datagram.payload))
    if seen.count >= OverlapFinder.seenMaximum { seen.removeAll(keepingCapacity: true) }
    var alike = seen.removeValue(forKey: digest.state) ?? []
    defer { seen[digest.state] = alike }
    let file = UInt32(1) << UInt32(FrameNames.file(of: frame.number))
    guard let place = OverlapFinder.place(of: datagram, frame.time, file, among: alike) else {
      if alike.count >= OverlapFinder.alikeMaximum { alike.removeFirst() }
      alike.append(Seen(files: file, time: frame.time, identification: datagram.identification))
      return false
    }
    let apart = OverlapFinder.apart(alike[place].time, frame.time)
    found.apartLeast = found.count == 0 ? apart : min(found.apartLeast, apart)
    found.apartMost = max(found.apartMost, apart)
    // Of three files the third adds no datagram.
    if alike[place].files.nonzeroBitCount == 1 { found.count += 1 }
    alike[place].files |= file
    return true
  }

  /// Which of those that other files hold it is: one with its number before others, and then the nearest in time.
  private static func place(
    of datagram: ExtractedDatagram, _ time: Instant, _ file: UInt32, among alike: [Seen]
  ) -> Int? {
    // Datagrams of IPv6 have no number, so all of them are equal here.
    func isNumbered(_ one: Seen) -> Bool { one.identification == datagram.identification }
    let candidates = alike.indices.filter { index in
      alike[index].files & file == 0
        && apart(alike[index].time, time) < (isNumbered(alike[index]) ? apartMaximum : apartMaximumRenumbered)
    }
    return candidates.min { left, right in
      let (one, other) = (alike[left], alike[right])
      if isNumbered(one) != isNumbered(other) { return isNumbered(one) }
      return apart(one.time, time) < apart(other.time, time)
    }
  }

  private static func apart(_ one: Instant, _ other: Instant) -> Interval { one < other ? other - one : one - other }
}
