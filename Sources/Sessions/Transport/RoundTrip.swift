import RollcallPrimitives

/// How long a packet and its acknowledgement take (as RFC 6298, in integers), and when to give up waiting.
struct RoundTrip: Sendable {
  static let first = Interval.milliseconds(300)
  static let minimum = Interval.milliseconds(30)
  static let maximum = Interval.seconds(2)

  private(set) var smoothed: Interval?
  private var variation = Interval.zero
  /// How often nothing was acknowledged in time since the last acknowledgement.
  private(set) var backoff = 0

  mutating func take(_ sample: Interval) {
    backoff = 0
    let sample = max(sample, .zero)
    guard let old = smoothed else {
      (smoothed, variation) = (sample, sample / 2)
      return
    }
    let error = max(old - sample, sample - old)
    variation = variation + (error - variation) / 4
    smoothed = old + (sample - old) / 8
  }

  mutating func timedOut() { backoff = min(backoff &+ 1, 8) }

  /// How long to wait for an acknowledgement.
  var timeout: Interval {
    let base = smoothed.map { max($0 + variation * 4 + Acknowledging.delayMaximum, RoundTrip.minimum) }
    return min((base ?? RoundTrip.first) * Int64(1 &<< backoff), RoundTrip.maximum)
  }
}

/// How many pieces may be under way: slow start, then one more a round trip; half after a loss, once a round trip.
struct CongestionWindow: Sendable {
  /// On a network that loses most packets, loss says nothing about congestion: so many are always allowed.
  static let minimum = 16
  static let first = 32

  private(set) var pieces = CongestionWindow.first
  private var threshold = Int.max
  private var part = 0
  /// Losses of packets below this one are of the same event.
  private var recovery = 0

  mutating func acknowledged(_ count: Int) {
    if pieces < threshold {
      pieces &+= count
    } else {
      part &+= count
      if part >= pieces {
        part &-= pieces
        pieces &+= 1
      }
    }
    pieces = min(pieces, ReliableSender.window)
  }

  mutating func lost(packet: Int, nextPacket: Int) {
    guard packet >= recovery else { return }
    recovery = nextPacket
    threshold = max(pieces / 2, CongestionWindow.minimum)
    pieces = threshold
    part = 0
  }
}

/// When packets that ask for an acknowledgement are acknowledged.
enum Acknowledging {
  /// After so many packets, or after so long, or at once where one was missing.
  static let packets = 8
  static let delayMaximum = Interval.milliseconds(10)
}
