import RollcallPrimitives
import RollcallWire

/// Streams between both networks: one from outside is joined to a stream that the gateway opens to the device that is
/// meant, one that a device opens, for its events, to a stream that is opened outside.
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

  /// What one side said and the other has not taken.
  private struct Flow {
    var bytes: [UInt8] = []
    var roomBytes = 0
    var isPaused = false
    /// The sender says no more, and the receiver was told so.
    var isEnded = false
    var isEndTold = false

    /// What `sender` said goes to `receiver`, as far as there is room; then the end of it.
    mutating func pump(
      from sender: StreamID, to receiver: StreamID, pause: (StreamEffect) -> Want, write: (StreamEffect) -> Want
    ) -> [Want] {
      var wants: [Want] = []
      let part = bytes.prefix(roomBytes)
      if !part.isEmpty {
        wants.append(write(.write(receiver, Array(part))))
        bytes.removeFirst(part.count)
        roomBytes -= part.count
      }
      let isFull = bytes.count > ServedStreams.pendingBytesMaximum
      if isFull != isPaused {
        isPaused = isFull
        wants.append(pause(isFull ? .pause(sender) : .resume(sender)))
      }
      if isEnded, !isEndTold, bytes.isEmpty {
        isEndTold = true
        wants.append(write(.finish(receiver)))
      }
      return wants
    }
  }

  private struct Pair {
    var outer: StreamID
    var local: Endpoint
    /// `nil`: it is not known yet who is meant.
    var inner: StreamID?
    /// Whether a device opened it.
    var isFromDevice = false
    /// When it is reset; `never`: while the device answers, which has a patience of its own.
    var limit: Instant
    /// For the device, and for the outside.
    var request = Flow()
    var answer = Flow()
    /// Whether the first bytes of the answer were looked at.
    var isCounted = false
  }

  private(set) var servedCount = 0
  private(set) var refusedCount = 0
  private var pairs: [Pair] = []
  private var lastInner: UInt32 = 0
  private var lastOuter: UInt32 = 0
  /// The gateway's listeners for what devices open, by interface.
  private var waysOut: [(stream: StreamID, interface: InterfaceID)] = []
  private(set) var listeners: [(stream: StreamID, at: ServedPlan.Listener)] = []

  var deadline: Instant { pairs.reduce(.never) { min($0, $1.limit) } }

  mutating func begin(_ plan: ServedPlan) -> [Want] {
    var wants: [Want] = []
    for listener in plan.pageListeners {
      lastOuter += 1
      listeners.append((StreamID(lastOuter), listener))
      wants.append(.outside(.listen(StreamID(lastOuter), at: listener.endpoint, listener.interface)))
    }
    for interface in plan.interfaces {
      lastInner += 1
      waysOut.append((StreamID(lastInner), interface))
      // Every port of every address that is not here.
      let anywhere = Endpoint(IPAddress(v4: 0), port: 0)
      wants.append(.inside(.listen(StreamID(lastInner), at: anywhere, interface)))
    }
    return wants
  }

  mutating func advance(to now: Instant) -> [Want] {
    let late = pairs.filter { $0.limit <= now }
    pairs.removeAll { $0.limit <= now }
    return late.flatMap { pair in
      [.outside(.reset(pair.outer))] + (pair.isFromDevice ? pair.inner.map { [.inside(.reset($0))] } ?? [] : [])
    }
  }

  // MARK: From outside

  mutating func outside(_ signal: StreamSignal, plan: ServedPlan, at now: Instant) -> [Want] {
    switch signal {
    case .accepted(let stream, _, let local, _):
      guard pairs.count < ServedStreams.countMaximum else { return [.outside(.reset(stream))] }
      pairs.append(Pair(outer: stream, local: local, limit: now + ServedStreams.patience))
    case .bytes(let stream, let bytes):
      guard let index = pairs.firstIndex(where: { $0.outer == stream }), !pairs[index].request.isEnded else {
        return []
      }
      pairs[index].request.bytes += bytes
      if pairs[index].inner == nil { return connect(index, plan) }
      return pumpIn(index)
    case .room(let stream, let count):
      guard let index = pairs.firstIndex(where: { $0.outer == stream }) else { return [] }
      pairs[index].answer.roomBytes += Int(count)
      return pumpOut(index, at: now)
    case .ended(let stream, let end):
      guard let index = pairs.firstIndex(where: { $0.outer == stream }) else { return [] }
      if end == .finished, !pairs[index].answer.isEndTold, pairs[index].inner != nil {
        pairs[index].request.isEnded = true
        return pumpIn(index)
      }
      if end == .finished, pairs[index].isFromDevice, !pairs[index].request.isEndTold {
        pairs[index].request.isEnded = true
        let wants = pumpIn(index)
        if pairs[index].request.isEndTold { pairs.remove(at: index) }
        return wants
      }
      let pair = pairs.remove(at: index)
      if let inner = pair.inner { return pair.answer.isEndTold ? [] : [.inside(.reset(inner))] }
      return end == .finished ? [.outside(.reset(pair.outer))] : []
    case .opened: break
    }
    return []
  }

  /// Opens the stream to the device that is meant, when that is known; a request that is none goes to any of the
  /// devices there, which refuses it.
  private mutating func connect(_ index: Int, _ plan: ServedPlan) -> [Want] {
    let device: ServedPlan.Device?
    switch HTTPRequestHead.read(pairs[index].request.bytes) {
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
    return pairs[index].request.pump(from: pairs[index].outer, to: inner, pause: Want.outside, write: Want.inside)
  }

  // MARK: From the device

  mutating func inside(_ signal: StreamSignal, at now: Instant) -> [Want] {
    switch signal {
    case .room(let stream, let count):
      guard let index = pairs.firstIndex(where: { $0.inner == stream }) else { return [] }
      pairs[index].request.roomBytes += Int(count)
      return pumpIn(index)
    case .accepted(let stream, let listener, let local, _):
      guard let way = waysOut.first(where: { $0.stream == listener }), pairs.count < ServedStreams.countMaximum else {
        return [.inside(.reset(stream))]
      }
      lastOuter += 1
      pairs.append(
        Pair(
          outer: StreamID(lastOuter), local: local, inner: stream, isFromDevice: true,
          limit: now + ServedStreams.patience))
      return [.outside(.connect(StreamID(lastOuter), to: local, way.interface))]
    case .bytes(let stream, let bytes):
      guard let index = pairs.firstIndex(where: { $0.inner == stream }) else { return [] }
      if !pairs[index].isCounted, !pairs[index].isFromDevice {
        pairs[index].isCounted = true
        if bytes.starts(with: "HTTP/1.1 2".utf8) { servedCount += 1 } else { refusedCount += 1 }
      }
      pairs[index].answer.bytes += bytes
      return pumpOut(index, at: now)
    case .ended(let stream, let end):
      guard let index = pairs.firstIndex(where: { $0.inner == stream }) else { return [] }
      if end == .finished {
        pairs[index].answer.isEnded = true
        return pumpOut(index, at: now)
      }
      let pair = pairs.remove(at: index)
      return pair.answer.isEndTold ? [] : [.outside(.reset(pair.outer))]
    case .opened: return []
    }
  }

  private mutating func pumpOut(_ index: Int, at now: Instant) -> [Want] {
    guard let inner = pairs[index].inner, !pairs[index].answer.isEndTold else { return [] }
    var wants = pairs[index].answer.pump(
      from: inner, to: pairs[index].outer, pause: Want.inside, write: Want.outside)
    guard pairs[index].answer.isEndTold else { return wants }
    if pairs[index].isFromDevice {
      if pairs[index].request.isEndTold { pairs.remove(at: index) }
      return wants
    }
    pairs[index].limit = now + ServedStreams.patience
    // The device has said everything, and what may still come from outside is for no device.
    if !pairs[index].request.isEnded { wants.append(.inside(.finish(inner))) }
    (pairs[index].request.isEnded, pairs[index].request.isEndTold) = (true, true)
    return wants
  }
}
