package import RollcallCapture
import RollcallPrimitives
package import RollcallReporting

/// What is wrong with a capture, or is not read of it, in the words that every verb uses.
package struct CaptureProblems: Hashable, Sendable {
  package struct Problem: Hashable, Sendable {
    package var what: String
    /// Where it was first seen.
    package var frame: Int?
    package var count: Int
  }
  /// A file that was not read to its end.
  package struct Damaged: Hashable, Sendable {
    /// The path; `nil` where the replay is of one file alone.
    package var file: String?
    package var damage: CaptureDamage
  }

  package private(set) var list: [Problem] = []
  package private(set) var damaged: [Damaged] = []

  package init() {}

  /// Whether bytes remain unread that may hold frames: what was read is then not the capture, and no verdict counts.
  package var isIncomplete: Bool { damaged.contains { $0.damage.isBeforeEnd } }

  package mutating func note(_ what: String, frame: Int? = nil, count: Int = 1) {
    if let index = list.firstIndex(where: { $0.what == what }) {
      list[index].count += count
    } else {
      list.append(Problem(what: what, frame: frame, count: count))
    }
  }

  /// Notes what a reader and an extractor that are done have met.
  package mutating func conclude(
    _ extractor: borrowing DatagramExtractor, _ reader: borrowing CaptureReader, file: String? = nil
  ) {
    for type in extractor.linkTypes where !LinkType.isSupported(type.linkType) {
      note("link type \(type.linkType) (\(LinkType.name(type.linkType))) is not read", count: type.frames)
    }
    for type in extractor.unreadInside {
      note(
        "link type \(type.linkType) (\(LinkType.name(type.linkType))) inside another is not read", count: type.frames)
    }
    if extractor.malformedCount > 0 { note("malformed IP or UDP header", count: extractor.malformedCount) }
    if extractor.protectedCount > 0 { note("encrypted 802.11 frames", count: extractor.protectedCount) }
    if extractor.unreadPiecesCount > 0 {
      note("802.11 or ARCNET frames with parts of packets or several", count: extractor.unreadPiecesCount)
    }
    if extractor.droppedReassemblies > 0 {
      note("fragments that never made a datagram", count: extractor.droppedReassemblies)
    }
    if let damage = reader.damage {
      damaged.append(Damaged(file: file, damage: damage))
      note(damage.problem.description, frame: damage.problem.frame)
    }
  }

  /// Notes what a reader of Bluetooth LE that is done has met.
  package mutating func conclude(_ radio: RadioExtractor) {
    if radio.counts.wrongCRC > 0 { note("packets of Bluetooth LE with a wrong CRC", count: radio.counts.wrongCRC) }
    if radio.counts.malformed > 0 {
      note("malformed packets of Bluetooth LE", frame: radio.firstFault?.frame, count: radio.counts.malformed)
    }
  }

  /// Sentences for standard error, one for each file that was not read to its end.
  /// - Parameters:
  ///   - path: what a single file is called.
  ///   - done: what happened to the frames that were read, as in `replayed`.
  package func complaints(path: String, _ done: String) -> [String] {
    damaged.map { "\($0.file ?? path): \($0.damage.sentence(done))" }
  }

  /// Adds `problems`, and `damage` where a file was not read to its end.
  package func add(to line: inout JSONLine) {
    let objects = list.map { problem -> String in
      var object = JSONLine()
      object.add("what", problem.what)
      object.add("frame", problem.frame)
      object.add("count", problem.count)
      return object.closed
    }
    line.add("problems", raw: "[" + objects.joined(separator: ",") + "]")
    addDamage("damage", to: &line)
  }

  /// An array with an object for each file that was not read to its end; nothing where all were.
  package func addDamage(_ key: StaticString, to line: inout JSONLine) {
    if damaged.isEmpty { return }
    let objects = damaged.map { one -> String in
      var object = JSONLine()
      if let file = one.file { object.add("capture", file) }
      object.add("what", one.damage.problem.description)
      object.add("beforeEnd", one.damage.isBeforeEnd)
      object.add("framesRead", one.damage.frames)
      object.add("bytesRead", one.damage.readBytes)
      object.add("bytes", one.damage.totalBytes)
      object.add("percentRead", one.damage.percent)
      return object.closed
    }
    line.add(key, raw: "[" + objects.joined(separator: ",") + "]")
  }
}
