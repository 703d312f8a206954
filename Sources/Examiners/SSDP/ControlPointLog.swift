import RollcallConformance
package import RollcallPrimitives
import RollcallWire

/// What was sent and heard, in order: what records point to, what the clause judge listens to, what a capture shows.
package struct ControlPointLog: Sendable {
  package struct Entry: Hashable, Sendable {
    package var time: Instant
    package var isSent: Bool
    package var source: Endpoint
    package var destination: Endpoint
    /// 0: not known.
    package var hopLimit: UInt8
    package var bytes: [UInt8]
  }

  /// More is counted and not kept.
  package static let entriesMaximum = 20_000
  package static let bytesMaximum = 32 << 20

  package private(set) var entries: [Entry] = []
  package private(set) var droppedCount = 0
  private var byteCount = 0

  /// The place of the entry, from 1; 0 where there is no room.
  @discardableResult
  mutating func add(
    _ bytes: [UInt8], from source: Endpoint, to destination: Endpoint, hopLimit: UInt8, isSent: Bool,
    at now: Instant
  ) -> Int {
    guard entries.count < ControlPointLog.entriesMaximum, byteCount + bytes.count <= ControlPointLog.bytesMaximum else {
      droppedCount += 1
      return 0
    }
    byteCount += bytes.count
    entries.append(
      Entry(
        time: now, isSent: isSent, source: source, destination: destination, hopLimit: hopLimit, bytes: bytes))
    return entries.count
  }
}

/// An M-SEARCH as the baits see it.
struct ControlPointSearch: Hashable, Sendable {
  var target: String
  /// 1 where there is none that can be read.
  var maximumWaitSeconds: Int64

  /// `nil`: the datagram is no search.
  init?(_ bytes: [UInt8]) {
    let found = SSDPReader.withReading(bytes, mode: .lenient) { reading -> (String, Int64)? in
      guard case .message(let message) = reading, message.kind == .search, let target = message.value(of: .st),
        target.count <= 512
      else { return nil }
      return (SSDPText.text(Array(target)), Int64(max(1, min(message.index.pointee.maximumWaitSeconds, 120))))
    }
    guard let found else { return nil }
    (target, maximumWaitSeconds) = found
  }
}
