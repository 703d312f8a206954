import RollcallCapture
import RollcallConformance
import RollcallPrimitives
import RollcallWire

/// The documents that programs of a capture fetched: each whole answer with status 200 to a GET.
///
/// Whose they are, and whether anybody announced them, is the judge's business. Bounded as the streams are.
struct CaptureDocuments {
  /// Frames whose times are remembered; a request that is older is taken for one of the oldest of them.
  static let framesMaximum = 16_384

  private let framesMaximum: Int
  private var exchanges = HTTPExchanges()
  /// Segments with bytes, in the order of the file.
  private var times: [(frame: Int, time: Instant)] = []

  init(framesMaximum: Int = CaptureDocuments.framesMaximum) { self.framesMaximum = framesMaximum }

  mutating func take(_ segment: ExtractedSegment, frame: Int, at time: Instant) -> [HeardDescription] {
    if times.count == framesMaximum { times.removeFirst(times.count / 2) }
    times.append((frame, time))
    return exchanges.take(segment, frame: frame).compactMap { exchange in
      guard exchange.method == "GET", exchange.problem == nil, exchange.head.status == 200, !exchange.body.isEmpty
      else {
        return nil
      }
      // A server is asked for a path; a proxy, which no device is, for a whole URL.
      guard exchange.target.hasPrefix("/") else { return nil }
      return HeardDescription(
        location: "http://\(exchange.server)\(exchange.target)", askedAt: moment(of: exchange.requestFrame),
        body: exchange.body)
    }
  }

  private func moment(of frame: Int) -> Instant {
    // A request came before what it brought: its frame is among them, or was before all of them.
    var (low, high) = (0, times.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if times[middle].frame < frame { low = middle + 1 } else { high = middle }
    }
    return times[low].time
  }
}
