package import RollcallPrimitives

extension SignalValue {
  /// Of a stream, or of a connection of Bluetooth: where several come at one instant, their order counts.
  package var isOfConnection: Bool {
    switch self {
    case .streams, .radio(.link): true
    default: false
    }
  }
}

/// One comment line in a file that Rollcall wrote: of its section header, or between frames.
package enum SceneNote: Hashable {
  package struct TimedSignal: Hashable {
    package var time: Instant
    package var signal: SignalValue
    package init(time: Instant, signal: SignalValue) { (self.time, self.signal) = (time, signal) }
  }
  /// `rollcall host: phone`
  case host(String)
  /// `rollcall begin: 1795737735.123456789`, in seconds since 1970: all times of the file do, and those of the run count
  /// from here.
  case begin(Instant)
  /// `rollcall end: 60.000000000`
  case end(Instant)
  /// `rollcall signal: 12.5 interface 0 down`, or any other signal that is no datagram.
  case signal(TimedSignal)

  package var comment: String {
    switch self {
    case .host(let name): return "rollcall host: \(name)"
    case .begin(let time): return "rollcall begin: \(time)"
    case .end(let time): return "rollcall end: \(time)"
    case .signal(let timed): return "rollcall signal: \(timed.time) " + timed.signal.value.text
    }
  }

  package init?(comment: String) {
    func rest(_ prefix: String) -> String? {
      comment.hasPrefix(prefix) ? String(comment.dropFirst(prefix.count)) : nil
    }
    if let name = rest("rollcall host: ") {
      self = .host(name)
    } else if let text = rest("rollcall begin: "), let time = Instant(seconds: text) {
      self = .begin(time)
    } else if let text = rest("rollcall end: "), let time = Instant(seconds: text) {
      self = .end(time)
    } else if let text = rest("rollcall signal: ") {
      let parts = text.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let time = Instant(seconds: parts[0]), let signal = try? SignalValue(text: parts[1])
      else { return nil }
      self = .signal(TimedSignal(time: time, signal: signal))
    } else {
      return nil
    }
  }
}
