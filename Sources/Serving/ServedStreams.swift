import RollcallPrimitives
import RollcallWire

/// Streams from outside, each joined to a stream that the gateway opens to the device that is meant.
///
/// Behind one address it is the path of a request that tells which device is meant, so the request's head is waited
/// for. Everything else is the device's own: its habits, the links of the scenario, and what becomes of a device that is
/// gone.
struct ServedStreams {
  /// Streams from outside at a time; more are reset.
  static let countMaximum = 1_024
  /// Who has not asked for anything by then is reset, as is who keeps a stream open that long behind its answer.
  static let patience = Interval.seconds(30)
  /// A side is asked to wait while this much of what it said was not taken by the other.
  static let pendingBytesMaximum = 1 << 18

  /// What is wanted of the two networks.
  enum Want {
    case outside(StreamEffect)
    case inside(StreamEffect)
  }

  private struct Pair {
    var outer: StreamID
    var local: Endpoint
    /// `nil`: it is not known yet who is meant.
    var inner: StreamID?
    /// When it is reset; `never`: while the device answers, which has a patience of its own.
    var limit: Instant
    /// For the device.
    var request: [UInt8] = []
    var innerRoomBytes = 0
    var hasAskedAll = false
    /// For the outside.
    var answer: [UInt8] = []
    var outerRoomBytes = 0
    var isAnswered = false
    var hasFinished = false
    var isPaused = false
    var isOuterPaused = false
    /// Whether the first bytes of the answer were looked at.
    var isCounted = false
  }

  private(set) var servedCount = 0
  private(set) var refusedCount = 0
  private var pairs: [Pair] = []
  private var lastInner: UInt32 = 0
  private(set) var listeners: [(stream: StreamID, at: ServedPlan.Listener)] = []

  var deadline: Instant { pairs.reduce(.never) { min($0, $1.limit) } }

  mutating func begin(_ plan: ServedPlan) -> [Want] {
    plan.pageListeners.enumerated().map { number, listener in
      let stream = StreamID(UInt32(number + 1))
      listeners.append((stream, listener))
      return .outside(.listen(stream, at: listener.endpoint, listener.interface))
    }
  }

  mutating func advance(to now: Instant) -> [Want] {
    let late = pairs.filter { $0.limit <= now }
    pairs.removeAll { $0.limit <= now }
    return late.map { .outside(.reset($0.outer)) }
  }

  // MARK: From outside

  mutating func outside(_ signal: StreamSignal, plan: ServedPlan, at now: Instant) -> [Want] {
    switch signal {
    case .accepted(let stream, _, let local, _):
      guard pairs.count < ServedStreams.countMaximum else { return [.outside(.reset(stream))] }
      pairs.append(Pair(outer: stream, local: local, limit: now + ServedStreams.patience))
    case .bytes(let stream, let bytes):
      guard let index = pairs.firstIndex(where: { $0.outer == stream }), !pairs[index].hasAskedAll else { return [] }
      pairs[index].request += bytes
      if pairs[index].inner == nil { return connect(index, plan) }
      return pumpIn(index)
    case .room(let stream, let count):
      guard let index = pairs.firstIndex(where: { $0.outer == stream }) else { return [] }
      pairs[index].outerRoomBytes += Int(count)
      return pumpOut(index, at: now)
    case .ended(let stream, let end):
      guard let index = pairs.firstIndex(where: { $0.outer == stream }) else { return [] }
      if end == .finished, !pairs[index].hasFinished, pairs[index].inner != nil {
        pairs[index].hasAskedAll = true
        return pumpIn(index)
      }
      let pair = pairs.remove(at: index)
      if let inner = pair.inner { return pair.hasFinished ? [] : [.inside(.reset(inner))] }
      return end == .finished ? [.outside(.reset(pair.outer))] : []
    case .opened: break
    }
    return []
  }

  /// Opens the stream to the device that is meant, when that is known; a request that is none goes to any of the
  /// devices there, which refuses it.
  private mutating func connect(_ index: Int, _ plan: ServedPlan) -> [Want] {
    let device: ServedPlan.Device?
    switch HTTPRequestHead.read(pairs[index].request) {
    case .incomplete: return []
    case .refused: device = plan.device(at: pairs[index].local, path: nil)
    case .head(let head): device = plan.device(at: pairs[index].local, path: head.path)
    }
    guard let device, let way = plan.wayIn(to: device, at: pairs[index].local) else {
      return [.outside(.reset(pairs.remove(at: index).outer))]
    }
    lastInner += 1
    pairs[index].inner = StreamID(lastInner)
    pairs[index].limit = .never
    return [.inside(.connect(StreamID(lastInner), to: way.endpoint, way.interface))]
  }

  private mutating func pumpIn(_ index: Int) -> [Want] {
    guard let inner = pairs[index].inner else { return [] }
    var wants: [Want] = []
    let part = pairs[index].request.prefix(pairs[index].innerRoomBytes)
    if !part.isEmpty {
      wants.append(.inside(.write(inner, Array(part))))
      pairs[index].request.removeFirst(part.count)
      pairs[index].innerRoomBytes -= part.count
    }
    let isFull = pairs[index].request.count > ServedStreams.pendingBytesMaximum
    if isFull != pairs[index].isOuterPaused {
      pairs[index].isOuterPaused = isFull
      wants.append(.outside(isFull ? .pause(pairs[index].outer) : .resume(pairs[index].outer)))
    }
    if pairs[index].hasAskedAll, pairs[index].request.isEmpty { wants.append(.inside(.finish(inner))) }
    return wants
  }

  // MARK: From the device

  mutating func inside(_ signal: StreamSignal, at now: Instant) -> [Want] {
    switch signal {
    case .room(let stream, let count):
      guard let index = pairs.firstIndex(where: { $0.inner == stream }) else { return [] }
      pairs[index].innerRoomBytes += Int(count)
      return pumpIn(index)
    case .bytes(let stream, let bytes):
      guard let index = pairs.firstIndex(where: { $0.inner == stream }) else { return [] }
      if !pairs[index].isCounted {
        pairs[index].isCounted = true
        if bytes.starts(with: "HTTP/1.1 2".utf8) { servedCount += 1 } else { refusedCount += 1 }
      }
      pairs[index].answer += bytes
      return pumpOut(index, at: now)
    case .ended(let stream, let end):
      guard let index = pairs.firstIndex(where: { $0.inner == stream }) else { return [] }
      if end == .finished {
        pairs[index].isAnswered = true
        return pumpOut(index, at: now)
      }
      let pair = pairs.remove(at: index)
      return pair.hasFinished ? [] : [.outside(.reset(pair.outer))]
    case .opened, .accepted: return []
    }
  }

  private mutating func pumpOut(_ index: Int, at now: Instant) -> [Want] {
    var wants: [Want] = []
    let outer = pairs[index].outer
    let part = pairs[index].answer.prefix(pairs[index].outerRoomBytes)
    if !part.isEmpty {
      wants.append(.outside(.write(outer, Array(part))))
      pairs[index].answer.removeFirst(part.count)
      pairs[index].outerRoomBytes -= part.count
    }
    let isFull = pairs[index].answer.count > ServedStreams.pendingBytesMaximum
    if let inner = pairs[index].inner, isFull != pairs[index].isPaused {
      pairs[index].isPaused = isFull
      wants.append(.inside(isFull ? .pause(inner) : .resume(inner)))
    }
    if pairs[index].isAnswered, pairs[index].answer.isEmpty, !pairs[index].hasFinished {
      (pairs[index].hasFinished, pairs[index].limit) = (true, now + ServedStreams.patience)
      wants.append(.outside(.finish(outer)))
      // The device said all that it has to say; what may still come from outside is nobody's.
      if let inner = pairs[index].inner, !pairs[index].hasAskedAll { wants.append(.inside(.finish(inner))) }
      pairs[index].hasAskedAll = true
    }
    return wants
  }
}
