import RollcallConformance
import RollcallPrimitives
import RollcallTrace

extension ProbeMessage {
  /// The number of its entry in a record; 0 where there is none.
  /// - Parameters:
  ///   - entries: of the examiner's station.
  ///   - numbers: of the entries in the trace, from 1, where some of others' are left out; `nil`: these are all.
  func position(in entries: [TraceEntry], _ numbers: [Int]?) -> Int {
    let place = entries.firstIndex { entry in
      guard entry.time == time else { return false }
      switch entry.content {
      case .sent(let sent):
        return isSent && sent.destination == peer && sent.source.port == port && sent.bytes.starts(with: bytes)
      case .received(let heard): return !isSent && heard.source == peer && heard.bytes.starts(with: bytes)
      default: return false
      }
    }
    return place.map { numbers?[$0] ?? $0 + 1 } ?? 0
  }
}
