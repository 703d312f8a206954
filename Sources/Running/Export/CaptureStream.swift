package import RollcallCapture
import RollcallDiscovery
package import RollcallPrimitives
package import RollcallTrace

/// Writes what a host sends and hears while it does, as an annotated pcapng file that is whole at every moment.
///
/// Times are those of the wall clock. What the host is told beyond datagrams stands in the section's comments as far as it
/// is known when the first frame is written, and between the frames after that; the end stands behind the last one. So
/// `rollcall replay --as` gives the engine the same at the same instants as from a file that `CaptureExport` wrote.
package struct CaptureStream {
  /// What the system refuses to send is told of within this time, and then it is not written as sent.
  package static let patience = Interval.milliseconds(20)

  private var frames: EntryFrames
  /// The wall clock at instant zero, since 1970.
  private let begin: Instant
  private let sink: CaptureWriter.Sink
  /// `nil`: nothing is written yet.
  private var writer: CaptureWriter?
  /// In the order in which they came, which is that of time.
  private var held: [TraceEntry] = []
  private var hasRadio = false
  private var latest = Instant.zero

  /// - Parameters:
  ///   - cast: its names and its end are not used: names are those of the addresses that the interfaces are told to have.
  ///   - begin: the wall clock at instant zero, since 1970.
  ///   - sink: is given whole blocks.
  package init(_ cast: CaptureExport.Cast, begin: Instant, sink: @escaping CaptureWriter.Sink) {
    frames = EntryFrames(cast)
    (self.begin, self.sink) = (begin, sink)
  }

  /// Whether anything waits to be written.
  package var isHolding: Bool { !held.isEmpty }

  package mutating func take(_ entry: TraceEntry) { held.append(entry) }

  /// Writes what is not later than an instant.
  package mutating func release(until time: Instant) {
    let count = held.firstIndex { $0.time > time } ?? held.count
    if count == 0 { return }
    let entries = Array(held[..<count])
    held.removeFirst(count)
    write(entries)
  }

  /// Writes what is left, and when the run ended.
  package mutating func finish(at end: Instant) {
    release(until: .never)
    if writer == nil { write([]) }
    let end = wall(end)
    writer?.remarks([SceneNote.end(end).comment], time: end)
    writer?.finish()
  }

  private func wall(_ time: Instant) -> Instant { begin + (time - .zero) }

  private mutating func write(_ entries: [TraceEntry]) {
    learnNames(entries)
    var shown: [EntryFrames.Frame] = []
    frames.take(entries, into: &shown)
    let beside = Set(shown.flatMap(\.signals))
    // Whether a copy of a search will be refused is not known yet, so searches stand as commands.
    var notes = CaptureExport.signals(entries, besides: beside, wantsSearches: true)
      .map { (place: $0.place, text: CaptureExport.note($0.signal, at: wall(entries[$0.place].time))) }[...]
    if writer == nil {
      begin(notes.map(\.text))
      notes = []
    }
    for frame in shown {
      while let note = notes.first, note.place < frame.entry ?? .max {
        notes.removeFirst()
        remark(note.text, at: entries[note.place].time)
      }
      write(frame, of: entries)
    }
    for note in notes { remark(note.text, at: entries[note.place].time) }
    writer?.finish()
  }

  private mutating func remark(_ text: String, at time: Instant) {
    let time = wall(time)
    writer?.remarks([text], time: time)
  }

  private mutating func begin(_ notes: [String]) {
    var section = CaptureSection()
    let cast = frames.cast
    section.application = "rollcall"
    section.comments = cast.origin + [SceneNote.host(cast.host).comment, SceneNote.begin(begin).comment]
    section.comments += cast.browses.map { CaptureExport.note(.command(.browse($0)), at: begin) } + notes
    var writer = CaptureWriter(section: section, sink: sink)
    for interface in cast.interfaces { _ = writer.interface(name: interface.name, details: interface.details) }
    writer.names(cast.names)
    self.writer = writer
  }

  private mutating func write(_ frame: EntryFrames.Frame, of entries: [TraceEntry]) {
    // The first segment of a connection waits for its answer, and then others have been written; time never goes back.
    latest = max(latest, frame.time)
    if frame.interface == frames.radio, !hasRadio {
      hasRadio = true
      _ = writer?.interface(name: "radio", linkType: LinkType.bluetoothLEWithRadio)
    }
    let given = frame.signals.compactMap { place -> String? in
      guard case .signal(let signal) = entries[place].content else { return nil }
      return CaptureExport.note(signal, at: wall(entries[place].time))
    }
    let time = wall(latest)
    writer?.frame(
      interface: frame.interface, time: time, frame.bytes, direction: frame.direction,
      comments: frame.comments + given)
  }

  private mutating func learnNames(_ entries: [TraceEntry]) {
    for entry in entries {
      guard case .signal(.host(.interface(let change))) = entry.content else { continue }
      for one in change.addresses where !frames.cast.names.contains(where: { $0.address == one.address }) {
        frames.cast.names.append(CaptureName(address: one.address, name: frames.cast.host))
      }
    }
  }
}
