package import RollcallPrimitives
import RollcallWire

/// Puts the segments of a capture's TCP connections together: the bytes of each direction in order, once.
///
/// What comes out of order waits, within bounds. Of bytes that come twice the first count. What was cut, or is not in
/// the capture at all, is said, and the direction gives nothing any more: bytes behind a gap would look like others.
package struct StreamAssembler {
  package struct Limits: Hashable, Sendable {
    /// At a time; the one that was quiet longest makes room.
    package var connectionsMaximum = 1_024
    /// That wait in one direction for bytes before them.
    package var bytesAheadMaximum = 1 << 20
    package init() {}
  }

  /// Why a direction gives nothing any more.
  package enum Gap: String, Hashable, Sendable {
    /// The other side has bytes that no frame shows.
    case missing
    /// A frame was cut when it was captured.
    case cut
    /// More came ahead of missing bytes than is kept.
    case tooFarAhead
  }

  package enum Event: Hashable, Sendable {
    /// Never empty.
    case bytes([UInt8])
    case finished
    /// Either side reset it: both directions are over.
    case reset
    case gap(Gap)
  }

  /// The two ends of a connection, its opener first, and which connection of theirs it is.
  package struct Connection: Hashable, Sendable {
    package var opener: Endpoint
    package var server: Endpoint
    /// Counts the connections of a capture, from 0.
    package var number: Int

    package init(opener: Endpoint, server: Endpoint, number: Int) {
      (self.opener, self.server, self.number) = (opener, server, number)
    }
  }

  package struct Outcome: Hashable, Sendable {
    package var connection: Connection
    /// Whether the opener sent it.
    package var isFromOpener: Bool
    package var event: Event
  }

  private struct Direction {
    /// The sequence number of the next byte; `nil`: no segment was seen.
    var next: UInt32?
    /// Segments that came too early, in the order of their distance from `next`.
    var ahead: [(sequence: UInt32, bytes: [UInt8])] = []
    var aheadBytes = 0
    /// The number behind the last byte, where the end was seen.
    var end: UInt32?
    var hasFinished = false
    var isBroken = false
  }

  private struct State {
    var connection: Connection
    /// Of the opener, and of the server.
    var directions = (Direction(), Direction())
    /// The number of the segment that opened it; `nil`: it was not seen.
    var start: UInt32?
    var isOver = false
    var lastFrame = 0
  }

  private let limits: Limits
  private var states: [Int: State] = [:]
  /// The connection that two endpoints have now, by the smaller endpoint first.
  private var current: [Pair: Int] = [:]
  /// Those in `states`, in the order in which they began.
  private var open: [(number: Int, pair: Pair)] = []
  private var connectionCount = 0
  /// Connections that the latest segment made it forget, by number: nothing more comes of them.
  package private(set) var forgotten: [Int] = []
  /// Segments whose bytes had all been there before.
  package private(set) var repeatedCount = 0
  /// Segments that came before others that belong in front of them.
  package private(set) var earlyCount = 0

  private struct Pair: Hashable {
    var one: Endpoint
    var other: Endpoint
  }

  package init(limits: Limits = Limits()) { self.limits = limits }

  /// Connections that are remembered.
  package var openCount: Int { states.count }

  /// Takes the next segment of the capture.
  package mutating func take(_ segment: ExtractedSegment, frame: Int) -> [Outcome] {
    if !forgotten.isEmpty { forgotten = [] }
    let pair =
      StreamAssembler.isLess(segment.source, segment.destination)
      ? Pair(one: segment.source, other: segment.destination) : Pair(one: segment.destination, other: segment.source)
    var number = current[pair]
    let isOpening = segment.flags.contains(.syn) && !segment.flags.contains(.ack)
    // The same ports again are another connection, unless it is the same first segment once more.
    if isOpening, let known = number, let state = states[known],
      state.connection.opener != segment.source || state.start != segment.sequence
    {
      forget(known, pair)
      number = nil
    }
    let index = number ?? begin(segment, pair, isOpening: isOpening)
    guard var state = states[index] else { return [] }
    state.lastFrame = frame
    let isFromOpener = state.connection.opener == segment.source
    var events: [(isFromOpener: Bool, event: Event)] = []
    if !state.isOver { process(segment, &state, isFromOpener, &events) }
    states[index] = state
    return events.map { Outcome(connection: state.connection, isFromOpener: $0.isFromOpener, event: $0.event) }
  }

  private mutating func begin(_ segment: ExtractedSegment, _ pair: Pair, isOpening: Bool) -> Int {
    if states.count >= limits.connectionsMaximum,
      let oldest = open.min(by: { (states[$0.number]?.lastFrame ?? 0) < (states[$1.number]?.lastFrame ?? 0) })
    {
      forget(oldest.number, oldest.pair)
    }
    // Without its first segment the side with the larger port is taken for the one that opened it.
    let isAnswer = segment.flags.contains(.syn)
    let isFromOpener = isOpening || !isAnswer && segment.source.port >= segment.destination.port
    let connection = Connection(
      opener: isFromOpener ? segment.source : segment.destination,
      server: isFromOpener ? segment.destination : segment.source, number: connectionCount)
    states[connectionCount] = State(connection: connection, start: isOpening ? segment.sequence : nil)
    current[pair] = connectionCount
    open.append((connectionCount, pair))
    connectionCount += 1
    return connectionCount - 1
  }

  private mutating func forget(_ number: Int, _ pair: Pair) {
    states[number] = nil
    current[pair] = nil
    open.removeAll { $0.number == number }
    forgotten.append(number)
  }

  private mutating func process(
    _ segment: ExtractedSegment, _ state: inout State, _ isFromOpener: Bool,
    _ events: inout [(isFromOpener: Bool, event: Event)]
  ) {
    var direction = isFromOpener ? state.directions.0 : state.directions.1
    var start = segment.sequence
    if segment.flags.contains(.syn) { start = start &+ 1 }
    if direction.next == nil { direction.next = start }
    add(segment, from: start, to: &direction) { events.append((isFromOpener, $0)) }
    if isFromOpener { state.directions.0 = direction } else { state.directions.1 = direction }
    if segment.flags.contains(.ack) {
      var other = isFromOpener ? state.directions.1 : state.directions.0
      acknowledge(segment.acknowledgment, &other) { events.append((!isFromOpener, $0)) }
      if isFromOpener { state.directions.1 = other } else { state.directions.0 = other }
    }
    if segment.flags.contains(.rst) {
      state.isOver = true
      events.append((isFromOpener, .reset))
    }
  }

  private mutating func add(
    _ segment: ExtractedSegment, from start: UInt32, to direction: inout Direction, _ tell: (Event) -> Void
  ) {
    guard !direction.isBroken, !direction.hasFinished, let next = direction.next else { return }
    let byteCount = segment.payload.count
    if segment.flags.contains(.fin) { direction.end = start &+ UInt32(byteCount) }
    let distance = Int(Int32(bitPattern: start &- next))
    if byteCount > 0 {
      if distance + byteCount <= 0 {
        repeatedCount += 1
      } else if distance <= 0 {
        tell(.bytes(Array(segment.payload[(-distance)...])))
        direction.next = start &+ UInt32(byteCount)
        drain(&direction, tell)
      } else {
        earlyCount += 1
        direction.aheadBytes += byteCount
        guard direction.aheadBytes <= limits.bytesAheadMaximum else { return fail(.tooFarAhead, &direction, tell) }
        let place = direction.ahead.firstIndex { Int(Int32(bitPattern: $0.sequence &- next)) > distance }
        direction.ahead.insert((start, Array(segment.payload)), at: place ?? direction.ahead.count)
      }
    }
    // Behind a cut nothing can follow: the bytes that are missing are not in the capture.
    if segment.isCut, distance + byteCount >= 0 { return fail(.cut, &direction, tell) }
    finish(&direction, tell)
  }

  /// Gives what waited for the bytes that have just come.
  private mutating func drain(_ direction: inout Direction, _ tell: (Event) -> Void) {
    while let first = direction.ahead.first, let next = direction.next {
      let distance = Int(Int32(bitPattern: first.sequence &- next))
      if distance > 0 { return }
      direction.ahead.removeFirst()
      direction.aheadBytes -= first.bytes.count
      guard distance + first.bytes.count > 0 else {
        repeatedCount += 1
        continue
      }
      tell(.bytes(Array(first.bytes[(-distance)...])))
      direction.next = first.sequence &+ UInt32(first.bytes.count)
    }
  }

  private func finish(_ direction: inout Direction, _ tell: (Event) -> Void) {
    guard !direction.isBroken, !direction.hasFinished, let end = direction.end, end == direction.next else { return }
    direction.hasFinished = true
    tell(.finished)
  }

  /// The other side has everything before `number`. What of it no frame has shown by then will not come: a capture may
  /// show an acknowledgement too early, but not before all of what is waiting behind the gap.
  private func acknowledge(_ number: UInt32, _ direction: inout Direction, _ tell: (Event) -> Void) {
    // A direction that is broken or finished has nothing ahead.
    guard let first = direction.ahead.first else { return }
    if Int32(bitPattern: number &- first.sequence) > 0 { fail(.missing, &direction, tell) }
  }

  private func fail(_ gap: Gap, _ direction: inout Direction, _ tell: (Event) -> Void) {
    (direction.isBroken, direction.ahead, direction.aheadBytes) = (true, [], 0)
    tell(.gap(gap))
  }

  private static func isLess(_ left: Endpoint, _ right: Endpoint) -> Bool {
    (left.address.high, left.address.low, left.port) < (right.address.high, right.address.low, right.port)
  }
}
