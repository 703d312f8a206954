package import RollcallCapture
package import RollcallPrimitives
import RollcallReporting
import RollcallRunning

/// Who the engine is in a capture, and what a file of Rollcall's own says beyond its frames.
///
/// A capture shows datagrams; it does not show that an interface went down or that an application let go of a device.
/// Where Rollcall writes a capture, such signals stand as lines in the comments of its section header, and a replay as
/// the same host gives them to the engine again.
package struct CaptureScene {
  /// Which station of the network a file was captured at.
  private enum Station { case host, other, unknown }

  let isEverybody: Bool
  private var addresses: [IPAddress] = []
  /// By the number of the file.
  private var stations: [Station] = []
  /// Whether a file says that it is the host's.
  private(set) var hasOwnFile = false
  private var signals: [SceneNote.TimedSignal] = []
  private var next = 0
  /// When the run began that the file was written from, in the file's times; `nil`: it does not say.
  private var begin: Instant?
  /// What the times of this scene count from, in the file's times.
  package private(set) var origin: Instant?
  /// When the run ended that the file was written from.
  private(set) var end: Instant?

  package init(reader: borrowing CaptureReader, as perspective: ReplayOptions.Perspective) {
    self.init(names: reader.names, sections: reader.sections, as: perspective)
  }

  /// - Parameters:
  ///   - names: what the file calls its addresses.
  ///   - sections: what it says about itself.
  init(names fileNames: [CaptureName], sections: [CaptureSection], as perspective: ReplayOptions.Perspective) {
    guard case .host(let host) = perspective else {
      isEverybody = true
      return
    }
    isEverybody = false
    // What the host is called: as it was named, and as the file names its addresses.
    var called = [host]
    for part in host.split(separator: ",") {
      if let address = IPAddress(part) {
        addresses.append(address)
        called += fileNames.filter { $0.address == address }.map(\.name)
      } else {
        addresses += fileNames.filter { $0.name == String(part) }.map(\.address)
      }
    }
    var station = Station.unknown
    for section in sections {
      let notes = section.comments.compactMap { SceneNote(comment: $0) }
      let names = notes.compactMap { note -> String? in if case .host(let name) = note { name } else { nil } }
      if station == .unknown, !names.isEmpty { station = .other }
      // Named by an address, it is the same host, with all that the file tells of it.
      guard let name = names.first(where: { called.contains($0) }) else { continue }
      station = .host
      for one in fileNames where one.name == name && !addresses.contains(one.address) {
        addresses.append(one.address)
      }
      for note in notes { take(note) }
    }
    stations = [station]
    hasOwnFile = station == .host
  }

  private mutating func take(_ note: SceneNote) {
    switch note {
    case .host: break
    case .begin(let time): begin = time
    case .end(let time): end = ownTime(time)
    case .signal(var signal):
      signal.time = ownTime(signal.time)
      schedule(signal)
      switch signal.signal {
      case .application(.search), .application(.adopt): hasSearches = true
      case .host(.interface(let change)):
        for one in change.addresses where !addresses.contains(one.address) { addresses.append(one.address) }
      default: break
      }
    }
  }

  /// What the host's own file says between its frames.
  package mutating func take(_ remarks: [String], file: Int = 0) {
    if remarks.isEmpty || stations.isEmpty || stations[file] != .host { return }
    for note in remarks.compactMap({ SceneNote(comment: $0) }) {
      guard case .signal(var signal) = note else {
        take(note)
        continue
      }
      if stations.count > 1 { signal.signal = signal.signal.merged(file: file) }
      take(.signal(signal))
    }
  }

  /// Lets times count from the beginning of the run, where the file says when that was: then everything comes at the
  /// instants at which it came to the engine of that run. Of several files that began at different times none can.
  package mutating func countFromBegin() {
    guard let begin, origin == nil else { return }
    origin = begin
    for place in signals.indices { signals[place].time = ownTime(signals[place].time) }
    end = end.map(ownTime)
  }

  private func ownTime(_ time: Instant) -> Instant { origin.map { .zero + (time - $0) } ?? time }

  /// Whether the host sent this frame.
  ///
  /// Where a file of the host says which way a frame went, a forged source address deceives nobody. A file of another
  /// station says which way it went there. Of several files, one that does not say whose it is counts as the host's from
  /// its first frame on that goes out from an address of the host.
  package mutating func isSent(_ frame: CaptureFrame, by source: IPAddress) -> Bool {
    if isEverybody { return false }
    let file = FrameNames.file(of: frame.number)
    let isOwnAddress = addresses.contains(source)
    guard stations[file] != .other, let direction = frame.direction else { return isOwnAddress }
    if stations[file] == .unknown, stations.count > 1 {
      if direction == .inbound || !isOwnAddress { return isOwnAddress }
      stations[file] = .host
    }
    return direction == .outbound
  }

  /// Whether the frame stands in a file that the host itself wrote.
  func isOwn(_ frame: CaptureFrame) -> Bool {
    let file = FrameNames.file(of: frame.number)
    return stations.indices.contains(file) && stations[file] == .host
  }

  /// Whether the searches that this frame shows leaving are to be adopted: a file of the host's own shows all of them,
  /// under their numbers, and what other files show of them are the same copies.
  func showsSearches(_ frame: CaptureFrame) -> Bool {
    !hasOwnFile || stations[FrameNames.file(of: frame.number)] == .host
  }

  /// Whether the host hears what is sent to this address.
  package func isHeard(at destination: IPAddress) -> Bool {
    destination.isMulticast || destination.isBroadcast || addresses.contains(destination)
  }

  /// Whether the file tells of searches as commands; then their copies on the wire are not adopted on top.
  private(set) var hasSearches = false

  /// A signal of the replay's own, in its place among those of the file.
  mutating func schedule(_ signal: SceneNote.TimedSignal) {
    let place = signals[next...].firstIndex { $0.time > signal.time } ?? signals.endIndex
    signals.insert(signal, at: place)
  }

  /// Takes over what the next file of a merged replay knows of the host.
  package mutating func add(_ other: CaptureScene) {
    let file = stations.count
    for address in other.addresses where !addresses.contains(address) { addresses.append(address) }
    for signal in other.signals {
      schedule(SceneNote.TimedSignal(time: signal.time, signal: signal.signal.merged(file: file)))
    }
    if let end = other.end { self.end = max(end, self.end ?? end) }
    hasSearches = hasSearches || other.hasSearches
    hasOwnFile = hasOwnFile || other.hasOwnFile
    stations += other.stations
  }

  /// When the file's next signal comes.
  var nextTime: Instant { next < signals.count ? signals[next].time : .never }

  /// The next signal of the file not later than `end`, once.
  mutating func nextSignal(until end: Instant) -> SceneNote.TimedSignal? {
    guard next < signals.count, signals[next].time <= end else { return nil }
    next += 1
    return signals[next - 1]
  }
}
