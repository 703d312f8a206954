import RollcallPrimitives

/// A link rule with what follows from it, worked out once however many links have it.
struct CompiledRule {
  let rule: LinkRule
  let multicastLoss: Loss
  /// No draw, no queue: only a constant latency (and perhaps loss).
  let hasConstantLatency: Bool
  let losesNothing: Bool
  /// What is not lost arrives as it was sent, once and in no order but that of its delay.
  let altersNothing: Bool
  /// Whether what it loses depends on what passed before: then the moment of each draw matters.
  let remembersLosses: Bool
  /// In nanoseconds; 0 for any latency that is not constant.
  let constantLatency: Int64

  init(_ rule: LinkRule) {
    self.rule = rule
    multicastLoss = rule.multicastLoss ?? rule.loss
    losesNothing = rule.loss.isNone && multicastLoss.isNone
    remembersLosses = rule.loss.hasState || multicastLoss.hasState
    altersNothing = rule.duplicate.isZero && rule.reorder.isZero && rule.corrupt.isZero
    if case .constant(let latency) = rule.latency {
      (hasConstantLatency, constantLatency) = (altersNothing && rule.bandwidth == nil, latency.nanoseconds)
    } else {
      (hasConstantLatency, constantLatency) = (false, 0)
    }
  }
}

/// The rules of a network: ten thousand hosts share a handful, so a link holds eight bytes of its rule and not three
/// hundred. What it gives out stays where it is for as long as the book lives.
struct RuleBook: ~Copyable {
  private var rules: [UnsafeMutablePointer<CompiledRule>] = []
  private var numbers: [LinkRule: Int] = [:]

  deinit { for rule in rules { rule.deinitialize(count: 1).deallocate() } }

  mutating func compiled(_ rule: LinkRule) -> UnsafePointer<CompiledRule> {
    if let number = numbers[rule] { return UnsafePointer(rules[number]) }
    let compiled = UnsafeMutablePointer<CompiledRule>.allocate(capacity: 1)
    compiled.initialize(to: CompiledRule(rule))
    numbers[rule] = rules.count
    rules.append(compiled)
    return UnsafePointer(compiled)
  }
}

/// One direction of one link while a run goes on: its rule, its linkKey, and what it remembers.
struct Link {
  /// The rule in force.
  var compiled: UnsafePointer<CompiledRule>
  /// The rule that was planned.
  let planned: UnsafePointer<CompiledRule>
  /// Mixed with the draw of each datagram: unrelated traffic on the link changes no draw.
  let linkKey: UInt64
  /// The state of a Gilbert–Elliott channel; it is the channel's, so all traffic moves it on.
  var isBad = false
  /// When the last bit of what is queued has left.
  var busyUntil: Int64 = 0

  init(rule: UnsafePointer<CompiledRule>, linkKey: RandomStream) {
    (compiled, planned) = (rule, rule)
    var linkKey = linkKey
    self.linkKey = linkKey.next()
  }

  @inline(__always) var hasConstantLatency: Bool { compiled.pointee.hasConstantLatency }
  /// Whether what passes it can be worked out when it arrives: it takes as long as always, and no draw moves another.
  var canDeliverTogether: Bool { compiled.pointee.hasConstantLatency && !compiled.pointee.remembersLosses }
  @inline(__always) var losesNothing: Bool { compiled.pointee.losesNothing }
  @inline(__always) var constantLatency: Int64 { compiled.pointee.constantLatency }

  /// What became of a datagram on this link.
  struct Passage {
    var arrival: Int64
    /// When a second copy arrives; −1: there is none.
    var copyArrival: Int64 = -1
    var isCorrupt = false
  }

  /// The linkKey for one datagram on this link.
  @inline(__always) func stream(draw: UInt64) -> RandomStream { RandomStream(mixing: linkKey, draw) }

  /// Whether this datagram is lost.
  @inline(__always)
  mutating func loses(byteCount: Int, isMulticast: Bool, headerBytes: Int, draw: UInt64) -> Bool {
    if losesNothing { return false }
    var stream = stream(draw: draw)
    return loses(byteCount: byteCount, isMulticast: isMulticast, headerBytes: headerBytes, &stream)
  }

  /// One draw a fragment.
  @inline(__always) private mutating func loses(
    byteCount: Int, isMulticast: Bool, headerBytes: Int, _ stream: inout RandomStream
  ) -> Bool {
    if losesNothing { return false }
    if byteCount &+ headerBytes &+ 8 <= compiled.pointee.rule.mtu { return losesOne(isMulticast, &stream) }
    return losesAny(of: fragmentCount(byteCount, headerBytes), isMulticast, &stream)
  }

  /// Apart, since before a loop the compiler loads all that any rule might need of a chance.
  @inline(never) private mutating func losesAny(
    of fragments: Int, _ isMulticast: Bool, _ stream: inout RandomStream
  ) -> Bool {
    var left = fragments
    while left > 0 {
      if losesOne(isMulticast, &stream) { return true }
      left &-= 1
    }
    return false
  }

  func fragmentCount(_ byteCount: Int, _ headerBytes: Int) -> Int {
    let room = max(8, (compiled.pointee.rule.mtu - headerBytes) & ~7)
    return (byteCount + 8 + room - 1) / room
  }

  @inline(__always) private mutating func losesOne(_ isMulticast: Bool, _ stream: inout RandomStream) -> Bool {
    isMulticast
      ? compiled.pointee.multicastLoss.happens(isBad: &isBad, &stream)
      : compiled.pointee.rule.loss.happens(isBad: &isBad, &stream)
  }

  /// Sends `byteCount` bytes of payload over the link at `now`; `nil`: lost, or no room in the queue.
  @inline(__always) mutating func pass(
    byteCount: Int, isMulticast: Bool, headerBytes: Int, draw: UInt64, at now: Int64, overflow: inout Bool
  ) -> Passage? {
    if losesNothing, hasConstantLatency { return Passage(arrival: now &+ constantLatency) }
    var stream = stream(draw: draw)
    if loses(byteCount: byteCount, isMulticast: isMulticast, headerBytes: headerBytes, &stream) { return nil }
    if hasConstantLatency { return Passage(arrival: now &+ constantLatency) }
    return passSlowly(byteCount: byteCount, headerBytes: headerBytes, at: now, &stream, overflow: &overflow)
  }

  private mutating func passSlowly(
    byteCount: Int, headerBytes: Int, at now: Int64, _ stream: inout RandomStream, overflow: inout Bool
  ) -> Passage? {
    var departure = now
    if let bandwidth = compiled.pointee.rule.bandwidth, bandwidth > 0 {
      guard let end = queue(byteCount: byteCount, headerBytes: headerBytes, at: now, bandwidth) else {
        overflow = true
        return nil
      }
      departure = end
    }
    let passage = Passage(arrival: departure &+ drawLatency(&stream))
    // A chance of 0 draws nothing, so nobody misses a draw.
    return compiled.pointee.altersNothing ? passage : altered(passage, departure: departure, &stream)
  }

  /// What else a link does to a packet that left at `departure` and is not lost.
  @inline(never)
  private func altered(_ passage: Passage, departure: Int64, _ stream: inout RandomStream) -> Passage {
    var passage = passage
    if stream.happens(compiled.pointee.rule.reorder) {
      passage.arrival &+= stream.interval(in: compiled.pointee.rule.reorderDelay).nanoseconds
    }
    if stream.happens(compiled.pointee.rule.duplicate) { passage.copyArrival = departure &+ drawLatency(&stream) }
    passage.isCorrupt = stream.happens(compiled.pointee.rule.corrupt)
    return passage
  }

  /// When the last bit of what comes at `now` has left; `nil`: there is no room for it in the queue.
  @inline(never)
  private mutating func queue(byteCount: Int, headerBytes: Int, at now: Int64, _ bandwidth: Int64) -> Int64? {
    let fragments =
      byteCount + headerBytes + 8 > compiled.pointee.rule.mtu ? fragmentCount(byteCount, headerBytes) : 1
    let bits = Int64(byteCount + 8 + fragments * headerBytes) * 8
    let waiting = max(0, busyUntil - now)
    let waitingBytes = waiting.multipliedFullWidth(by: bandwidth)
    // What waits on a link that was slow before may be, at its present speed, more bytes than Int64 holds.
    let overflows = waitingBytes.high >= 4_000_000_000
    let queued =
      overflows ? .max : Int64(8_000_000_000).dividingFullWidth((waitingBytes.high, waitingBytes.low)).quotient
    let (end, endOverflows) = max(now, busyUntil).addingReportingOverflow(max(1, bits * 1_000_000_000 / bandwidth))
    if endOverflows || queued > Int64(compiled.pointee.rule.queueBytesMaximum) - bits / 8 { return nil }
    busyUntil = end
    return end
  }

  /// How long a packet takes that is not lost and does not wait.
  func delay(_ stream: inout RandomStream) -> Int64 {
    hasConstantLatency ? constantLatency : drawLatency(&stream)
  }

  @inline(__always) private func drawLatency(_ stream: inout RandomStream) -> Int64 {
    switch compiled.pointee.rule.latency {
    case .constant(let latency): return latency.nanoseconds
    case .uniform(let range): return stream.interval(in: range).nanoseconds
    case .normal(let mean, let deviation): return stream.normal(mean: mean, deviation: deviation).nanoseconds
    case .exponential(let minimum, let mean):
      let tail = stream.exponential(mean: mean)
      return (minimum + min(tail, mean * 10)).nanoseconds
    }
  }
}

extension LinkRule {
  /// The same link without anything that harms a datagram: the second act of a run.
  package var healed: LinkRule {
    var rule = self
    rule.loss = .none
    rule.multicastLoss = nil
    rule.duplicate = .never
    rule.reorder = .never
    rule.corrupt = .never
    return rule
  }
}

extension Loss {
  /// Whether it has a state that each datagram moves.
  var hasState: Bool {
    if case .gilbertElliott = self { return !isNone }
    return false
  }
}
