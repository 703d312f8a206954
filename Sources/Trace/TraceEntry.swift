public import RollcallPrimitives

/// One thing that happened at the gate of one station.
public struct TraceEntry: Hashable, Sendable {
  public enum Content: Hashable, Sendable {
    case received(RecordedDatagram)
    case sent(RecordedDatagram)
    /// Anything but a datagram.
    case signal(SignalValue)
    /// Anything but a transmission.
    case effect(Effect)
    case woken
  }
  public var time: Instant
  /// The number of the station in its run.
  public var station: UInt32
  public var content: Content

  public init(time: Instant, station: UInt32, content: Content) {
    (self.time, self.station, self.content) = (time, station, content)
  }

  /// Whether the machine was given this, rather than wanted it.
  public var isInput: Bool {
    switch content {
    case .received, .signal, .woken: true
    case .sent, .effect: false
    }
  }
}

/// Keeps entries: of every station, or of some; or hands them on.
public final class Recorder {
  public private(set) var entries: [TraceEntry] = []
  /// The number of each of them among the entries of all stations, from 1.
  public private(set) var numbers: [Int] = []
  private var seenCount = 0
  /// Stations whose entries are kept, in no order; `nil`: all.
  private let stations: [UInt32]?
  /// Entries kept at most; what comes later is counted and dropped.
  private let entriesMaximum: Int
  public private(set) var droppedCount = 0
  /// Is given each entry at once.
  public var onEntry: ((TraceEntry) -> Void)?
  /// Which entries are kept; `nil`: all.
  public var keepsEntry: ((TraceEntry) -> Bool)?

  /// - Parameter entriesMaximum: 0: nothing is kept, and nothing counts as dropped.
  public init(stations: [UInt32]? = nil, entriesMaximum: Int = 5_000_000) {
    (self.stations, self.entriesMaximum) = (stations, entriesMaximum)
  }

  @usableFromInline func record(
    datagram: Datagram, _ kind: Gate.Kind, _ station: UInt32, _ now: Instant, _ payloads: PayloadStore
  ) {
    seenCount += 1
    guard keeps(station) else { return }
    let recorded = RecordedDatagram(datagram, in: payloads)
    append(kind == .sent ? .sent(recorded) : .received(recorded), station, now)
  }

  @usableFromInline func record(_ content: TraceEntry.Content, _ station: UInt32, _ now: Instant) {
    seenCount += 1
    if keeps(station) { append(content, station, now) }
  }

  private func keeps(_ station: UInt32) -> Bool { stations?.contains(station) ?? true }

  private func append(_ content: TraceEntry.Content, _ station: UInt32, _ now: Instant) {
    let entry = TraceEntry(time: now, station: station, content: content)
    onEntry?(entry)
    if entriesMaximum == 0 || keepsEntry?(entry) == false { return }
    if entries.count >= entriesMaximum {
      droppedCount += 1
    } else {
      entries.append(entry)
      numbers.append(seenCount)
    }
  }
}

/// The first entry at which two traces part.
public struct TraceDifference: Hashable, Sendable {
  /// Counts from 0.
  public var index: Int
  /// `nil`: that trace had ended.
  public var left: TraceEntry?
  public var right: TraceEntry?

  /// `nil`: both are equal.
  public static func first(between left: [TraceEntry], and right: [TraceEntry]) -> TraceDifference? {
    for index in 0..<max(left.count, right.count) {
      let a = index < left.count ? left[index] : nil
      let b = index < right.count ? right[index] : nil
      if a != b { return TraceDifference(index: index, left: a, right: b) }
    }
    return nil
  }
}
