import MultipeerConnectivity
import RollcallDoors
import RollcallExpectations
import Testing

/// Notes the events of a stream, and reads what there is.
private final class Listener: NSObject, StreamDelegate, @unchecked Sendable {
  let noted = Guarded<[String]>([])
  let read = Guarded<[UInt8]>([])
  /// The most that is read at once.
  let most: Int
  /// Whether the device of the stream is the one of the callback's task.
  let hasDevice = Guarded<[Bool]>([])

  init(most: Int = 100) { self.most = most }

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    hasDevice.withLock { $0.append(NearbyLink.current != nil) }
    let name =
      switch eventCode {
      case .openCompleted: "open"
      case .hasBytesAvailable: "bytes"
      case .hasSpaceAvailable: "space"
      case .errorOccurred: "error \(Recorder.words(aStream.streamError))"
      case .endEncountered: "end"
      default: "other"
      }
    noted.withLock { $0.append(name) }
    guard eventCode == .hasBytesAvailable, let input = aStream as? InputStream else { return }
    var buffer = [UInt8](repeating: 0, count: most)
    let count = input.read(&buffer, maxLength: most)
    read.withLock { $0 += buffer.prefix(max(0, count)) }
  }
}

@Suite struct StreamTests {
  private func write(_ bytes: [UInt8], to stream: OutputStream) -> Int { stream.write(bytes, maxLength: bytes.count) }

  private func read(_ stream: InputStream, atMost count: Int = 100) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: count)
    let read = stream.read(&buffer, maxLength: count)
    return read < 0 ? nil : Array(buffer.prefix(read))
  }

  private func output(_ bench: Bench) throws -> OutputStream {
    let peer = try bench.connected()
    let stream = try bench.session.startStream(withName: "s", toPeer: peer)
    bench.device.forgetRequests()
    return stream
  }

  private func input(_ bench: Bench) throws -> InputStream {
    try bench.connected()
    bench.device.push(.streamOffered(1, name: "s", from: .other(1)))
    bench.device.forgetRequests()
    return try #require(bench.recorder.inputs.last)
  }

  // MARK: The writer

  @Test func `a stream begins at a peer that is connected, and at no other`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    _ = try bench.session.startStream(withName: "voice", toPeer: peer)
    expectEqual(bench.device.sessionRequests, [.openStream(1, name: "voice", to: .other(1))])
    #expect(throws: MCError(.notConnected)) {
      try bench.session.startStream(withName: "voice", toPeer: .of(.other(2)))
    }
    expectEqual(bench.device.sessionRequests.count, 1)
  }

  @Test func `bytes go out while the stream is open, and not before or after`() throws {
    let bench = Bench()
    let stream = try output(bench)
    expectEqual(stream.streamStatus, .notOpen)
    expectEqual(write([1], to: stream), -1)
    #expect(!stream.hasSpaceAvailable)
    stream.open()
    expectEqual(stream.streamStatus, .open)
    #expect(stream.hasSpaceAvailable)
    expectEqual(write([1, 2, 3], to: stream), 3)
    expectEqual(write([], to: stream), 0)
    stream.close()
    expectEqual(stream.streamStatus, .closed)
    expectEqual(write([4], to: stream), -1)
    stream.close()
    stream.open()
    expectEqual(stream.streamStatus, .closed)
    expectEqual(bench.device.sessionRequests, [.write(stream: 1, [1, 2, 3]), .closeStream(1)])
  }

  @Test func `a writer has room for so many bytes that were not taken`() throws {
    var policies = PeerPolicies()
    policies.streamBytesMaximum = 4
    let bench = Bench(policies)
    let stream = try output(bench)
    stream.open()
    expectEqual(write([1, 2, 3, 4, 5, 6], to: stream), 4)
    #expect(!stream.hasSpaceAvailable)
    bench.device.push(.streamTaken(1, byteCount: 1))
    #expect(stream.hasSpaceAvailable)
    expectEqual(write([5, 6], to: stream), 1)
    // What a device says too much gives no more room than there is.
    bench.device.push(
      .streamTaken(1, byteCount: .max), .streamTaken(1, byteCount: .max), .streamTaken(1, byteCount: -9))
    expectEqual(write([7, 8, 9, 10, 11], to: stream), 4)
  }

  @Test func `the end that the reader makes is an end, and a broken stream an error`() throws {
    let ended = Bench()
    let stream = try output(ended)
    stream.open()
    ended.device.push(.streamEnded(1, nil), .streamEnded(1, .multipeer(.unknown)))
    expectEqual(write([], to: stream), -1)
    expectEqual(write([1], to: stream), -1)
    expectEqual(stream.streamStatus, .atEnd)
    let broken = Bench()
    let other = try output(broken)
    other.open()
    broken.device.push(.state(.other(1), .notConnected))
    expectEqual(write([1], to: other), -1)
    expectEqual(other.streamStatus, .error)
    expectEqual(Recorder.words(other.streamError), "notConnected")
  }

  // MARK: The reader

  @Test func `a reader is told of the stream with its name and peer`() throws {
    let bench = Bench()
    try bench.connected()
    bench.device.push(.streamOffered(4, name: "voice", from: .other(1)), .streamOffered(5, name: "no", from: .other(2)))
    expectEqual(bench.recorder.lines, ["stream voice from peer 1"])
    expectEqual(bench.device.sessionRequests, [.closeIncomingStream(5)])
  }

  @Test func `bytes are read in order, and the device hears how many`() throws {
    let bench = Bench()
    let stream = try input(bench)
    bench.device.push(.streamBytes(1, [1, 2, 3]), .streamBytes(2, [9]))
    expectEqual(read(stream), nil)
    #expect(!stream.hasBytesAvailable)
    stream.open()
    #expect(stream.hasBytesAvailable)
    expectEqual(read(stream, atMost: 0), nil)
    expectEqual(read(stream, atMost: 2), [1, 2])
    bench.device.push(.streamBytes(1, [4]), .incomingStreamEnded(1, nil), .streamBytes(1, [5]))
    expectEqual(read(stream), [3, 4])
    #expect(!stream.hasBytesAvailable)
    expectEqual(stream.streamStatus, .open)
    for _ in 0..<2 {
      expectEqual(read(stream), [])
      expectEqual(stream.streamStatus, .atEnd)
    }
    stream.close()
    expectEqual(read(stream), nil)
    expectEqual(
      bench.device.sessionRequests,
      [.read(stream: 1, byteCount: 2), .read(stream: 1, byteCount: 2), .closeIncomingStream(1)])
  }

  @Test func `a peer that leaves breaks its streams, behind the bytes that have come`() throws {
    let bench = Bench()
    let stream = try input(bench)
    stream.open()
    bench.device.push(.streamBytes(1, [1]), .state(.other(1), .notConnected))
    expectEqual(read(stream), [1])
    expectEqual(read(stream), nil)
    expectEqual(stream.streamStatus, .error)
    expectEqual(Recorder.words(stream.streamError), "notConnected")
  }

  @Test func `one's own disconnect breaks the streams`() throws {
    let bench = Bench()
    let stream = try input(bench)
    stream.open()
    bench.session.disconnect()
    bench.device.settle()
    expectEqual(read(stream), nil)
    expectEqual(stream.streamStatus, .error)
  }

  @Test func `a read in a callback does not wait for bytes that cannot come`() throws {
    let bench = Bench()
    nonisolated(unsafe) let stream = try input(bench)
    stream.open()
    let count = Guarded(0)
    bench.recorder.react { _ in
      var buffer: [UInt8] = [0]
      let read = stream.read(&buffer, maxLength: 1)
      count.withLock { $0 = read }
    }
    bench.device.push(.data([1], from: .other(1)))
    expectEqual(count.current, -1)
    expectEqual(bench.device.misuses, [.waitingCallback])
  }

  // MARK: Waiting

  /// Whether a thread waits, by the file that the system has of it.
  private static func isAsleep(_ path: String) -> Bool {
    // Without the file it has ended.
    guard let file = fopen(path, "r") else { return true }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = fread(&bytes, 1, 512, file)
    // Number, name in parentheses, and a letter for the state.
    return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: ")").last?.hasPrefix(" S") ?? true
  }

  /// What a call on a thread of its own gives if `body` is done while it waits; nil: it does not return.
  private func result(of call: @escaping @Sendable () -> Int, after body: () -> Void) -> Int? {
    let path = Guarded("")
    let given = Guarded<Int?>(nil)
    let (begins, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      let thread = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      path.withLock { $0 = "/proc/\(thread ?? "")/stat" }
      begins.signal()
      let result = call()
      given.withLock { $0 = result }
      ends.signal()
    }
    begins.wait()
    var looks = 0
    while looks < 10_000, !Self.isAsleep(path.current) {
      looks += 1
      sched_yield()
    }
    body()
    return ends.wait(timeout: .now() + 10) == .success ? given.current : nil
  }

  @Test func `on a thread of its own a reader waits for bytes, a writer for room, and both for an end`() throws {
    var policies = PeerPolicies()
    policies.streamBytesMaximum = 1
    // Without an event the application closes the stream.
    let reads: [(event: SessionEvent?, result: Int, status: Stream.Status)] = [
      (.streamBytes(1, [7]), 1, .open), (.incomingStreamEnded(1, nil), 0, .atEnd),
      (.incomingStreamEnded(1, .multipeer(.unknown)), -1, .error), (nil, -1, .closed),
    ]
    for row in reads {
      let bench = Bench(policies)
      nonisolated(unsafe) let stream = try input(bench)
      stream.open()
      let count = result {
        var buffer: [UInt8] = [0]
        return stream.read(&buffer, maxLength: 1)
      } after: {
        if let event = row.event { bench.device.push(event) } else { stream.close() }
      }
      expectEqual(count, row.result)
      expectEqual(stream.streamStatus, row.status)
    }
    let writes: [(event: SessionEvent?, result: Int, status: Stream.Status)] = [
      (.streamTaken(1, byteCount: 1), 1, .open), (.streamEnded(1, nil), -1, .atEnd),
      (.streamEnded(1, .multipeer(.unknown)), -1, .error), (nil, -1, .closed),
    ]
    for row in writes {
      let bench = Bench(policies)
      nonisolated(unsafe) let stream = try output(bench)
      stream.open()
      expectEqual(write([1], to: stream), 1)
      let count = result {
        stream.write([2], maxLength: 1)
      } after: {
        if let event = row.event { bench.device.push(event) } else { stream.close() }
      }
      expectEqual(count, row.result)
      expectEqual(stream.streamStatus, row.status)
      let written = bench.device.sessionRequests.compactMap { request in
        if case .write(_, let bytes) = request { bytes } else { nil }
      }
      expectEqual(written, row.result == 1 ? [[1], [2]] : [[1]])
    }
  }

  // MARK: Run loops

  @Test func `on the main run loop events are told in order, and a world waits for them`() throws {
    let bench = Bench()
    let stream = try input(bench)
    let listener = Listener(most: 2)
    stream.delegate = listener
    stream.open()
    bench.device.push(.streamBytes(1, [1, 2, 3]))
    // It is scheduled on no run loop yet.
    expectEqual(listener.noted.current, [])
    stream.schedule(in: .main, forMode: .default)
    bench.device.settle()
    expectEqual(listener.noted.current, ["open", "bytes", "bytes"])
    expectEqual(listener.read.current, [1, 2, 3])
    bench.device.push(.streamBytes(1, [4]), .incomingStreamEnded(1, nil))
    expectEqual(listener.noted.current, ["open", "bytes", "bytes", "bytes", "end"])
    expectEqual(stream.streamStatus, .atEnd)
    #expect(listener.hasDevice.current.allSatisfy { $0 })
    stream.remove(from: .main, forMode: .default)
    stream.close()
    // One that reads outside its callback is told again when it has read, and not before.
    let idle = Bench()
    let left = try input(idle)
    let looking = Listener(most: 0)
    left.delegate = looking
    left.schedule(in: .main, forMode: .default)
    left.open()
    idle.device.push(.streamBytes(1, [1, 2]))
    idle.device.push(.streamBytes(1, [3]))
    expectEqual(looking.noted.current, ["open", "bytes"])
    expectEqual(read(left, atMost: 1), [1])
    idle.device.settle()
    expectEqual(looking.noted.current, ["open", "bytes", "bytes"])
    left.close()
  }

  @Test func `a writer is told of room, again after each write, and of a break`() throws {
    var policies = PeerPolicies()
    policies.streamBytesMaximum = 2
    let bench = Bench(policies)
    let stream = try output(bench)
    let listener = Listener()
    stream.delegate = listener
    stream.schedule(in: .main, forMode: .default)
    bench.device.settle()
    expectEqual(listener.noted.current, [])
    stream.open()
    bench.device.settle()
    expectEqual(listener.noted.current, ["open", "space"])
    expectEqual(write([1], to: stream), 1)
    bench.device.settle()
    expectEqual(write([2], to: stream), 1)
    bench.device.settle()
    expectEqual(listener.noted.current, ["open", "space", "space"])
    bench.device.push(.streamTaken(1, byteCount: 2))
    bench.device.push(.streamEnded(1, .multipeer(.notConnected)), .streamEnded(1, nil))
    expectEqual(listener.noted.current, ["open", "space", "space", "space", "error notConnected"])
  }

  @Test func `a stream that was removed from its run loop, or closed, is told nothing, and not waited for`() throws {
    for closes in [true, false] {
      let bench = Bench()
      let (reader, writer) = (try input(bench), try bench.session.startStream(withName: "s", toPeer: .of(.other(1))))
      let streams: [Stream] = [reader, writer]
      for stream in streams {
        stream.schedule(in: .main, forMode: .default)
        stream.open()
      }
      // A delegate may come last.
      let listeners = [Listener(), Listener()]
      for (stream, listener) in zip(streams, listeners) { stream.delegate = listener }
      bench.device.settle()
      expectEqual(bench.device.queues.count, 2)
      for stream in streams {
        if closes { stream.close() } else { stream.remove(from: .main, forMode: .default) }
      }
      bench.device.push(.streamBytes(1, [1]), .incomingStreamEnded(1, nil), .streamEnded(1, nil))
      expectEqual(listeners.map(\.noted.current), [["open"], ["open", "space"]])
      expectEqual(bench.device.queues.count, 1)
    }
  }

  @Test func `a stream that was closed is let go, its number is free, and the others go on`() throws {
    var policies = PeerPolicies()
    policies.streamBytesMaximum = 1
    let bench = Bench(policies)
    let peer = try bench.connected()
    var first: OutputStream? = try bench.session.startStream(withName: "a", toPeer: peer)
    let second = try bench.session.startStream(withName: "b", toPeer: peer)
    second.open()
    expectEqual(write([1], to: second), 1)
    weak var closed: OutputStream?
    closed = first
    first?.close()
    first = nil
    expectEqual(closed == nil, true)
    bench.device.push(.streamTaken(2, byteCount: 1))
    expectEqual(second.hasSpaceAvailable, true)
    bench.device.push(.streamOffered(4, name: "c", from: .other(1)), .streamOffered(6, name: "d", from: .other(1)))
    let inputs = bench.recorder.inputs
    try #require(inputs.count == 2)
    inputs[0].close()
    inputs[1].open()
    bench.device.push(.streamBytes(6, [9]), .streamOffered(4, name: "e", from: .other(1)))
    expectEqual(inputs[1].hasBytesAvailable, true)
    expectEqual(bench.recorder.lines, ["c", "d", "e"].map { "stream \($0) from peer 1" })
    // Neither end lends a buffer or has a property.
    var lent: UnsafeMutablePointer<UInt8>?
    var length = 0
    expectEqual(inputs[1].getBuffer(&lent, length: &length), false)
    let key = Stream.PropertyKey(rawValue: "key")
    expectEqual([inputs[1].setProperty(nil, forKey: key), second.setProperty(nil, forKey: key)], [false, false])
  }

  @Test func `the run loop of a thread is woken for events, and kept while the stream is scheduled on it`() throws {
    let bench = Bench()
    nonisolated(unsafe) let stream = try input(bench)
    let listener = Listener()
    let ready = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let isKept = Guarded<[Bool]>([])
    stream.delegate = listener
    stream.schedule(in: .main, forMode: .default)
    Thread.detachNewThread {
      let other = RunLoop.Mode(rawValue: "other")
      stream.schedule(in: .current, forMode: other)
      stream.schedule(in: .current, forMode: .default)
      // Each place is one of its own.
      stream.remove(from: .current, forMode: other)
      stream.remove(from: .main, forMode: .default)
      let isFull = RunLoop.current.run(mode: .default, before: .distantPast)
      isKept.withLock { $0.append(isFull) }
      stream.open()
      ready.signal()
      // Foundation's own streams end a pass of the run loop; these do not.
      while stream.streamStatus != .atEnd, RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
      {}
      stream.remove(from: .current, forMode: .default)
      // A timer that woke it may still be there.
      var turns = 0
      while turns < 20, RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) { turns += 1 }
      isKept.withLock { $0.append(turns == 20) }
      done.signal()
    }
    ready.wait()
    bench.device.push(.streamBytes(1, [1, 2]))
    bench.device.push(.incomingStreamEnded(1, nil))
    #expect(done.wait(timeout: .now() + 20) == .success)
    expectEqual(listener.read.current, [1, 2])
    expectEqual(listener.noted.current.last, "end")
    expectEqual(isKept.current, [true, false])
  }

  // MARK: Bounds

  @Test func `a writer has room for 64 KiB where nothing else is said, and for one byte at least`() throws {
    let bench = Bench()
    let stream = try output(bench)
    stream.open()
    let many = [UInt8](repeating: 1, count: 65_537)
    expectEqual(write(many, to: stream), 65_536)
    #expect(!stream.hasSpaceAvailable)
    bench.device.push(.streamTaken(1, byteCount: 65_537))
    expectEqual(write(many, to: stream), 65_536)
    var policies = PeerPolicies()
    policies.streamBytesMaximum = 0
    let narrow = Bench(policies)
    let other = try output(narrow)
    other.open()
    expectEqual(write([1, 2], to: other), 1)
    narrow.device.push(.streamTaken(1, byteCount: 9))
    expectEqual(write([3, 4], to: other), 1)
  }

  @Test func `a stream under a number that is taken, or that no delegate takes, is closed`() throws {
    let bench = Bench()
    try bench.connected()
    bench.device.push(
      .streamOffered(4, name: "a", from: .other(1)), .streamOffered(4, name: "b", from: .other(1)))
    expectEqual(bench.recorder.lines, ["stream a from peer 1"])
    expectEqual(bench.device.sessionRequests, [.closeIncomingStream(4)])
    bench.session.delegate = nil
    bench.device.push(.streamOffered(5, name: "c", from: .other(1)))
    expectEqual(bench.device.sessionRequests, [.closeIncomingStream(4), .closeIncomingStream(5)])
  }
}
