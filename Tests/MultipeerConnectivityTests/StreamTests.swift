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

  @Test func `a writer waits for room on a thread of its own`() throws {
    var policies = PeerPolicies()
    policies.streamBytesMaximum = 1
    let bench = Bench(policies)
    nonisolated(unsafe) let stream = try output(bench)
    stream.open()
    expectEqual(write([1], to: stream), 1)
    let done = DispatchSemaphore(value: 0)
    let begins = DispatchSemaphore(value: 0)
    let written = Guarded(0)
    Thread.detachNewThread {
      begins.signal()
      let count = stream.write([2], maxLength: 1)
      written.withLock { $0 = count }
      done.signal()
    }
    begins.wait()
    bench.device.push(.streamTaken(1, byteCount: 1))
    done.wait()
    expectEqual(written.current, 1)
    expectEqual(bench.device.sessionRequests, [.write(stream: 1, [1]), .write(stream: 1, [2])])
  }

  @Test func `the end that the reader makes is an end, and a broken stream an error`() throws {
    let ended = Bench()
    let stream = try output(ended)
    stream.open()
    ended.device.push(.streamEnded(1, nil), .streamEnded(1, .multipeer(.unknown)))
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
    expectEqual(read(stream, atMost: 2), [1, 2])
    bench.device.push(.streamBytes(1, [4]), .incomingStreamEnded(1, nil), .streamBytes(1, [5]))
    expectEqual(read(stream), [3, 4])
    #expect(!stream.hasBytesAvailable)
    expectEqual(stream.streamStatus, .open)
    expectEqual(read(stream), [])
    expectEqual(stream.streamStatus, .atEnd)
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

  @Test func `a reader waits for bytes on a thread of its own`() throws {
    let bench = Bench()
    nonisolated(unsafe) let stream = try input(bench)
    stream.open()
    let all = Guarded<[UInt8]>([])
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 10)
      while true {
        let count = stream.read(&buffer, maxLength: 10)
        guard count > 0 else { break }
        all.withLock { $0 += buffer.prefix(count) }
      }
      done.signal()
    }
    bench.device.push(.streamBytes(1, [1, 2]))
    bench.device.push(.streamBytes(1, [3]), .incomingStreamEnded(1, nil))
    done.wait()
    expectEqual(all.current, [1, 2, 3])
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

  @Test func `nothing is told to a stream that was removed from its run loop, or closed`() throws {
    for closes in [true, false] {
      let bench = Bench()
      let stream = try input(bench)
      let listener = Listener()
      stream.delegate = listener
      stream.schedule(in: .main, forMode: .default)
      stream.open()
      bench.device.settle()
      if closes { stream.close() } else { stream.remove(from: .main, forMode: .default) }
      bench.device.push(.streamBytes(1, [1]), .incomingStreamEnded(1, nil))
      expectEqual(listener.noted.current, ["open"])
    }
  }

  @Test func `the run loop of a thread is woken for events`() throws {
    let bench = Bench()
    nonisolated(unsafe) let stream = try input(bench)
    let listener = Listener()
    let ready = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    stream.delegate = listener
    Thread.detachNewThread {
      stream.schedule(in: .current, forMode: .default)
      stream.open()
      ready.signal()
      // Foundation's own streams end a pass of the run loop; these do not.
      while stream.streamStatus != .atEnd, RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
      {}
      done.signal()
    }
    ready.wait()
    bench.device.push(.streamBytes(1, [1, 2]))
    bench.device.push(.incomingStreamEnded(1, nil))
    #expect(done.wait(timeout: .now() + 20) == .success)
    expectEqual(listener.read.current, [1, 2])
    expectEqual(listener.noted.current.last, "end")
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
