import RollcallDoors

/// What is behind a stream that an application is given: its bytes, its status, and the events that it still has to tell
/// on the run loop that it is scheduled on.
///
/// Foundation for Linux has no stream of its own that could stand for one of a session, but its classes can be
/// inherited from.
final class StreamCore: @unchecked Sendable {
  enum Direction {
    case input, output
  }

  private struct Place {
    var loop: RunLoop
    var mode: RunLoop.Mode
    /// A run loop without a source ends at once, and Foundation's streams are sources.
    var keeper: Timer?
  }

  private let direction: Direction
  private let link: ObjectLink
  private let lock = NSCondition()
  /// Of the application, which owns it; the session owns it until it is closed.
  weak var stream: Stream?
  private weak var delegateObject: (any StreamDelegate)?
  private var places: [Place] = []
  private var status = Stream.Status.notOpen
  private var failure: (any Error)?
  /// Received and not read yet.
  private var bytes: [UInt8] = []
  /// How many bytes may still be written, where it is an output.
  private var room: Int
  private var hasEnded = false
  private var hasToldOpen = false
  private var hasToldEnd = false
  /// Bytes, or room, were told of, and nothing was read or written since.
  private var hasToldReady = false
  /// What goes to the device: bytes to write, or how many were read. Called without the lock.
  private let moved: @Sendable ([UInt8], Int) -> Void
  private let closed: @Sendable () -> Void

  init(
    _ direction: Direction, link: ObjectLink, moved: @escaping @Sendable ([UInt8], Int) -> Void,
    closed: @escaping @Sendable () -> Void
  ) {
    self.direction = direction
    self.link = link
    room = max(1, link.policies.streamBytesMaximum)
    self.moved = moved
    self.closed = closed
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  // MARK: What the session tells

  func received(_ more: [UInt8]) {
    locked {
      guard status != .closed, !hasEnded else { return }
      bytes += more
      lock.broadcast()
    }
    tell()
  }

  func taken(_ byteCount: Int) {
    locked {
      room += max(0, min(byteCount, max(1, link.policies.streamBytesMaximum) - room))
      lock.broadcast()
    }
    tell()
  }

  /// The other side has closed the stream, or it broke.
  func end(_ error: (any Error)?) {
    locked {
      guard status != .closed, !hasEnded else { return }
      hasEnded = true
      failure = error
      lock.broadcast()
    }
    tell()
  }

  // MARK: What the application asks

  var delegate: (any StreamDelegate)? {
    get { locked { delegateObject } }
    set {
      locked { delegateObject = newValue }
      tell()
    }
  }

  var streamStatus: Stream.Status { locked { status } }
  var error: (any Error)? { locked { status == .error ? failure : nil } }
  var hasBytesAvailable: Bool { locked { isOpen && !bytes.isEmpty } }
  var hasSpaceAvailable: Bool { locked { isOpen && room > 0 && !hasEnded } }

  /// Of a status in which it can be read or written.
  private var isOpen: Bool { status == .open || status == .atEnd || status == .error }

  func open() {
    locked { if status == .notOpen { status = .open } }
    tell()
  }

  func close() {
    let wasOpen = locked {
      defer {
        status = .closed
        leave { _ in true }
        lock.broadcast()
      }
      return status != .closed
    }
    if wasOpen { closed() }
  }

  /// Waits for bytes as Foundation's streams do; a callback cannot wait, since they would never come.
  func read(into buffer: UnsafeMutablePointer<UInt8>, atMost maximum: Int) -> Int {
    let count = locked {
      guard direction == .input, isOpen, maximum > 0 else { return -1 }
      guard wait(until: { !bytes.isEmpty || hasEnded }, in: "InputStream.read(_:maxLength:)") else { return -1 }
      if bytes.isEmpty {
        finish()
        return status == .error ? -1 : 0
      }
      let count = min(maximum, bytes.count)
      bytes.withUnsafeBufferPointer { buffer.update(from: $0.baseAddress!, count: count) }
      bytes.removeFirst(count)
      hasToldReady = false
      return count
    }
    if count > 0 { moved([], count) }
    tell()
    return count
  }

  func write(_ buffer: UnsafePointer<UInt8>, count: Int) -> Int {
    let written = locked { () -> [UInt8]? in
      guard direction == .output, isOpen, count >= 0 else { return nil }
      if count == 0, !hasEnded { return [] }
      guard wait(until: { room > 0 || hasEnded }, in: "OutputStream.write(_:maxLength:)"), !hasEnded else {
        if hasEnded { finish() }
        return nil
      }
      let written = Array(UnsafeBufferPointer(start: buffer, count: min(count, room)))
      room -= written.count
      hasToldReady = false
      return written
    }
    guard let written else { return -1 }
    if !written.isEmpty { moved(written, written.count) }
    tell()
    return written.count
  }

  /// With the lock held. False if the caller must not wait, or the stream was closed meanwhile.
  private func wait(until condition: () -> Bool, in call: String) -> Bool {
    while !condition() {
      guard !ObjectLink.isCallback else {
        link.misused(.waitingCallback, in: call, "a callback cannot wait for the other side")
        return false
      }
      lock.wait()
      if status == .closed { return false }
    }
    return true
  }

  /// With the lock held: everything was read, and nothing more comes.
  private func finish() { status = failure == nil ? .atEnd : .error }

  // MARK: Run loops

  func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) {
    locked {
      guard status != .closed, !places.contains(where: { $0.loop === loop && $0.mode == mode }) else { return }
      if loop === RunLoop.main {
        // The world has to wait for what happens there.
        link.device?.queues.add(.main)
        places.append(Place(loop: loop, mode: mode))
      } else {
        let keeper = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
        loop.add(keeper, forMode: mode)
        places.append(Place(loop: loop, mode: mode, keeper: keeper))
      }
    }
    tell()
  }

  func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) {
    locked { leave { $0.loop === loop && $0.mode == mode } }
  }

  /// With the lock held.
  private func leave(_ isMeant: (Place) -> Bool) {
    for place in places where isMeant(place) {
      place.keeper?.invalidate()
      if place.loop === RunLoop.main { link.device?.queues.remove(.main) }
    }
    places.removeAll(where: isMeant)
  }

  /// Lets the run loops call `fire` if there is anything to tell. On the main run loop it goes by the main queue, which a
  /// world waits for, whatever the mode.
  private func tell() {
    let places = locked { due == nil || delegateObject == nil ? [] : self.places }
    for place in places {
      if place.loop === RunLoop.main {
        link.schedule(on: .main) { [weak self] in self?.fire() }
      } else {
        // A timer wakes its run loop, which `RunLoop.perform` does not.
        let timer = Timer(fire: .distantPast, interval: 0, repeats: false) { [weak self] _ in self?.fire() }
        place.loop.add(timer, forMode: place.mode)
      }
    }
  }

  /// On a run loop: tells one event. The next one comes in a turn of its own.
  private func fire() {
    let told = locked { () -> (any StreamDelegate, Stream, Stream.Event)? in
      guard !places.isEmpty, let delegateObject, let stream, let due else { return nil }
      if due == .openCompleted {
        hasToldOpen = true
      } else if due == .endEncountered || due == .errorOccurred {
        finish()
        hasToldEnd = true
      } else {
        hasToldReady = true
      }
      return (delegateObject, stream, due)
    }
    guard let (delegate, stream, event) = told else { return }
    NearbyLink.$current.withValue(link.device) { delegate.stream(stream, handle: event) }
    tell()
  }

  /// With the lock held: what is to be told next.
  private var due: Stream.Event? {
    guard isOpen else { return nil }
    if !hasToldOpen { return .openCompleted }
    switch direction {
    case .input: if !bytes.isEmpty { return hasToldReady ? nil : .hasBytesAvailable }
    case .output: if !hasEnded { return room > 0 && !hasToldReady ? .hasSpaceAvailable : nil }
    }
    guard hasEnded, !hasToldEnd else { return nil }
    return failure == nil ? .endEncountered : .errorOccurred
  }
}
