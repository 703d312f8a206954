import MultipeerConnectivity
import RollcallDoors
import RollcallExpectations
import Testing

/// A file that is gone with its test.
private final class TemporaryFile {
  let url: URL

  init(_ bytes: [UInt8], name: String = "photo.jpg") throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent(name)
    try Data(bytes).write(to: url)
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
}

@Suite struct ResourceTests {
  private func send(_ bench: Bench, _ url: URL, to peer: MCPeerID) throws -> Progress {
    let recorder = bench.recorder
    return try #require(
      bench.session.sendResource(at: url, withName: "r", toPeer: peer) { recorder.write("sent \(Recorder.words($0))") })
  }

  private func offer(_ number: Int = 1, fileName: String = "photo.jpg", byteCount: Int) -> ResourceOffer {
    ResourceOffer(number: number, name: "r", fileName: fileName, byteCount: byteCount)
  }

  // MARK: The sender

  @Test func `a file is read as the device has room, and the handler is called once`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    let file = try TemporaryFile([1, 2, 3, 4, 5])
    let progress = try send(bench, file.url, to: peer)
    expectEqual(progress.totalUnitCount, 5)
    expectEqual(bench.device.sessionRequests, [.startResource(offer(byteCount: 5), to: .other(1))])
    bench.device.forgetRequests()
    bench.device.push(.resourceWanted(1, byteCount: 1), .resourceWanted(1, byteCount: 2))
    bench.device.push(.resourceTaken(1, byteCount: 3), .resourceTaken(1, byteCount: 2))
    expectEqual(progress.completedUnitCount, 3)
    bench.device.push(
      .resourceWanted(1, byteCount: 100), .resourceWanted(1, byteCount: 100), .resourceWanted(1, byteCount: -1))
    expectEqual(
      bench.device.sessionRequests,
      [.resourceBytes(1, [1]), .resourceBytes(1, [2, 3]), .resourceBytes(1, [4, 5])])
    bench.device.push(.resourceTaken(1, byteCount: 5))
    expectEqual(progress.completedUnitCount, 4)
    #expect(!progress.isFinished)
    bench.device.push(.resourceSent(1, nil), .resourceSent(1, .multipeer(.unknown)))
    expectEqual(progress.completedUnitCount, 5)
    expectEqual(bench.recorder.lines, ["sent nil"])
  }

  @Test func `a long file goes in parts of at most 64 KiB`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    let file = try TemporaryFile(Array(repeating: 7, count: 150_000))
    _ = try send(bench, file.url, to: peer)
    bench.device.push(.resourceWanted(1, byteCount: .max))
    let counts = bench.device.sessionRequests.compactMap { request in
      if case .resourceBytes(_, let bytes) = request { bytes.count } else { nil }
    }
    expectEqual(counts, [65_536, 65_536, 18_928])
  }

  @Test func `a file without a byte is finished by success alone`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    let file = try TemporaryFile([])
    let progress = try send(bench, file.url, to: peer)
    bench.device.push(.resourceWanted(1, byteCount: 10), .resourceTaken(1, byteCount: 0))
    #expect(!progress.isFinished)
    expectEqual(bench.device.sessionRequests, [.startResource(offer(byteCount: 0), to: .other(1))])
    bench.device.push(.resourceSent(1, nil))
    #expect(progress.isFinished)
  }

  @Test func `what cannot be sent ends with its error, later and once`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    let file = try TemporaryFile([1])
    let cases: [(URL, MCPeerID, String)] = [
      (URL(string: "ftp://host/file")!, peer, "unsupported"),
      (URL(string: "relative")!, peer, "unsupported"),
      (file.url, .of(.other(2)), "notConnected"),
      (URL(string: "http://host/file")!, .of(.other(2)), "notConnected"),
    ]
    for (url, receiver, error) in cases {
      bench.recorder.clear()
      let progress = try send(bench, url, to: receiver)
      bench.device.settle()
      expectEqual(bench.recorder.lines, ["sent \(error)"])
      #expect(!progress.isFinished)
    }
    // Errors of the file system keep their domain.
    bench.recorder.clear()
    _ = try send(bench, file.url.appendingPathExtension("missing"), to: peer)
    _ = try send(bench, file.url.deletingLastPathComponent(), to: peer)
    bench.device.settle()
    expectEqual(bench.recorder.lines.count, 2)
    #expect(bench.recorder.lines.allSatisfy { $0.hasPrefix("sent NSCocoaErrorDomain") })
    expectEqual(bench.device.sessionRequests, [])
  }

  @Test func `a file that becomes shorter meanwhile is not sent`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    let file = try TemporaryFile([1, 2, 3, 4])
    _ = try send(bench, file.url, to: peer)
    let handle = try FileHandle(forWritingTo: file.url)
    try handle.truncate(atOffset: 2)
    try handle.close()
    bench.device.forgetRequests()
    bench.device.push(.resourceWanted(1, byteCount: 10))
    expectEqual(bench.device.sessionRequests, [.resourceBytes(1, [1, 2]), .cancelResource(1)])
    expectEqual(bench.recorder.lines, ["sent NSCocoaErrorDomain \(CocoaError.Code.fileReadCorruptFile.rawValue)"])
  }

  @Test(arguments: ["http", "https", "HTTP"])
  func `a web address is fetched by the sender's device`(scheme: String) throws {
    let bench = Bench()
    let peer = try bench.connected()
    bench.device.page("\(scheme)://host/a/page.html", .success([1, 2]))
    let progress = try send(bench, URL(string: "\(scheme)://host/a/page.html")!, to: peer)
    bench.device.push(.resourceWanted(1, byteCount: 10))
    expectEqual(
      bench.device.sessionRequests,
      [.startResource(offer(fileName: "page.html", byteCount: 2), to: .other(1)), .resourceBytes(1, [1, 2])])
    expectEqual(progress.totalUnitCount, 2)
  }

  @Test func `a fetch that fails, or comes after the peer has gone, sends nothing`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    bench.device.page("http://host/missing", .failure(URLError(.fileDoesNotExist)))
    _ = try send(bench, URL(string: "http://host/missing")!, to: peer)
    bench.device.settle()
    expectEqual(bench.recorder.lines, ["sent NSURLErrorDomain \(URLError.Code.fileDoesNotExist.rawValue)"])
    bench.recorder.clear()
    _ = try send(bench, URL(string: "http://host/late")!, to: peer)
    bench.device.push(.resourceWanted(2, byteCount: 5))
    bench.device.push(.state(.other(1), .notConnected))
    bench.device.answerFetches(.success([1]))
    bench.device.settle()
    expectEqual(bench.recorder.lines, ["peer 1 notConnected of 0", "sent notConnected"])
    expectEqual(bench.device.sessionRequests, [])
  }

  @Test func `a sender that cancels hears of it once, and so does the device`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    let file = try TemporaryFile([1, 2, 3])
    let progress = try send(bench, file.url, to: peer)
    bench.device.push(.resourceWanted(1, byteCount: 1))
    bench.device.forgetRequests()
    progress.cancel()
    progress.cancel()
    bench.device.push(.resourceWanted(1, byteCount: 1), .resourceSent(1, nil))
    expectEqual(bench.device.sessionRequests, [.cancelResource(1)])
    expectEqual(bench.recorder.lines, ["sent cancelled"])
    #expect(progress.isCancelled)
    #expect(!progress.isFinished)
  }

  @Test func `a file is not read any more once it is cancelled`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    let file = try TemporaryFile([1, 2, 3])
    let progress = try send(bench, file.url, to: peer)
    bench.device.callbacks.suspend()
    bench.device.pushOnly(.session(.resourceWanted(1, byteCount: 3)))
    progress.cancel()
    bench.device.callbacks.resume()
    bench.device.settle()
    expectEqual(bench.device.sessionRequests.last, .cancelResource(1))
    expectEqual(bench.device.sessionRequests.count, 2)
  }

  @Test func `a progress can belong to another one, which cancels it`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    let file = try TemporaryFile([1, 2, 3])
    let whole = Progress(totalUnitCount: 1)
    whole.addChild(try send(bench, file.url, to: peer), withPendingUnitCount: 1)
    whole.cancel()
    bench.device.settle()
    expectEqual(bench.recorder.lines, ["sent cancelled"])
  }

  @Test func `a peer that leaves, and one's own disconnect, end what is under way`() throws {
    for leaves in [true, false] {
      let bench = Bench()
      let peer = try bench.connected()
      let file = try TemporaryFile([1])
      _ = try send(bench, file.url, to: peer)
      bench.device.push(.resourceOffered(offer(byteCount: 3), from: .other(1)))
      bench.recorder.clear()
      if leaves { bench.device.push(.state(.other(1), .notConnected)) } else { bench.session.disconnect() }
      bench.device.push(.resourceSent(1, nil), .resourceReceived(1, nil))
      expectEqual(
        bench.recorder.lines,
        ["peer 1 notConnected of 0", "sent notConnected", "received r: nothing, notConnected"])
    }
  }

  @Test func `a resource of another peer goes on when one leaves`() throws {
    let bench = Bench()
    let first = try bench.connected(1)
    try bench.connected(2)
    let file = try TemporaryFile([1])
    _ = try send(bench, file.url, to: first)
    bench.device.push(.state(.other(2), .notConnected), .resourceSent(1, nil))
    expectEqual(bench.recorder.lines, ["peer 2 notConnected of 1", "sent nil"])
  }

  // MARK: The receiver

  @Test func `a resource is a file with the sender's name, which is gone after the callback`() throws {
    let bench = Bench()
    try bench.connected()
    bench.device.push(.resourceOffered(offer(byteCount: 3), from: .other(1)))
    bench.device.push(.resourceBytes(1, [1, 2]), .resourceBytes(7, [9]))
    let progress = try #require(bench.recorder.progress.first)
    expectEqual(progress.completedUnitCount, 2)
    // A cancellation handler is the application's to set.
    #expect(progress.cancellationHandler == nil)
    bench.device.push(.resourceBytes(1, [3]))
    expectEqual(progress.completedUnitCount, 2)
    bench.device.push(.resourceReceived(1, nil), .resourceReceived(1, nil))
    #expect(progress.isFinished)
    expectEqual(bench.recorder.lines, ["receiving r from peer 1, 3", "received r: 3 bytes, nil"])
    let url = try #require(bench.recorder.urls.first)
    expectEqual(url.lastPathComponent, "photo.jpg")
    expectEqual(url.hasDirectoryPath, false)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    #expect(!FileManager.default.fileExists(atPath: url.deletingLastPathComponent().path))
    // Its progress does not end the next one of the same number.
    bench.device.push(.resourceOffered(offer(byteCount: 3), from: .other(1)))
    progress.cancel()
    bench.device.settle()
    expectEqual(bench.device.sessionRequests, [])
    expectEqual(bench.recorder.lines.dropFirst(2), ["receiving r from peer 1, 3"])
  }

  @Test func `where no file can be made a resource is refused, and told of as begun and failed`() async {
    await #expect(processExitsWith: .success) {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-test-\(UUID().uuidString)")
      setenv("TMPDIR", folder.path, 1)
      let bench = Bench()
      try bench.connected()
      let offer = ResourceOffer(number: 1, name: "r", fileName: "photo.jpg", byteCount: 2)
      bench.device.push(.resourceOffered(offer, from: .other(1)))
      expectEqual(bench.device.sessionRequests, [.cancelIncomingResource(1)])
      let heads = bench.recorder.lines.map { $0.split(separator: "Domain ")[0] }
      expectEqual(heads, ["receiving r from peer 1, 1", "received r: nothing, NSCocoaError"])
    }
  }

  @Test(arguments: ["../../../../etc/passwd", "/etc/passwd", "..", "a\0b", ""])
  func `a hostile name stays in the folder for temporary files`(name: String) throws {
    let bench = Bench()
    try bench.connected()
    bench.device.push(
      .resourceOffered(offer(fileName: name, byteCount: 1), from: .other(1)), .resourceBytes(1, [1]),
      .resourceReceived(1, nil))
    let url = try #require(bench.recorder.urls.first).standardizedFileURL
    let temporary = FileManager.default.temporaryDirectory.standardizedFileURL.path
    expectEqual(url.deletingLastPathComponent().deletingLastPathComponent().standardizedFileURL.path, temporary)
    expectEqual(bench.recorder.lines.last, "received r: 1 bytes, nil")
  }

  @Test func `more or fewer bytes than were announced are no success`() throws {
    let more = Bench()
    try more.connected()
    more.device.push(
      .resourceOffered(offer(byteCount: 2), from: .other(1)), .resourceBytes(1, [1]), .resourceBytes(1, [2, 3]),
      .resourceReceived(1, nil))
    expectEqual(more.recorder.lines.last, "received r: nothing, invalidParameter")
    expectEqual(more.device.sessionRequests, [.cancelIncomingResource(1)])
    let fewer = Bench()
    try fewer.connected()
    fewer.device.push(
      .resourceOffered(offer(byteCount: 2), from: .other(1)), .resourceBytes(1, [1]), .resourceReceived(1, nil))
    expectEqual(fewer.recorder.lines.last, "received r: nothing, unknown")
    let progress = try #require(fewer.recorder.progress.first)
    #expect(!progress.isFinished)
  }

  @Test func `a failure is told once, without a file`() throws {
    let bench = Bench()
    try bench.connected()
    bench.device.push(
      .resourceOffered(offer(byteCount: 1), from: .other(1)), .resourceReceived(1, .multipeer(.cancelled)),
      .resourceReceived(1, nil))
    expectEqual(bench.recorder.lines, ["receiving r from peer 1, 1", "received r: nothing, cancelled"])
  }

  @Test func `a receiver that cancels hears of it once, and so does the device`() throws {
    let bench = Bench()
    try bench.connected()
    bench.device.push(.resourceOffered(offer(byteCount: 5), from: .other(1)), .resourceBytes(1, [1]))
    let progress = try #require(bench.recorder.progress.first)
    progress.cancel()
    bench.device.settle()
    expectEqual(bench.recorder.lines, ["receiving r from peer 1, 5", "received r: nothing, cancelled"])
    bench.device.push(.resourceBytes(1, [2]), .resourceReceived(1, .multipeer(.unknown)))
    expectEqual(bench.recorder.lines, ["receiving r from peer 1, 5", "received r: nothing, cancelled"])
    expectEqual(bench.device.sessionRequests, [.cancelIncomingResource(1)])
  }

  @Test func `a success that was on its way when the application cancelled is none`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    let file = try TemporaryFile([1])
    let sent = try send(bench, file.url, to: peer)
    bench.device.push(.resourceOffered(offer(byteCount: 1), from: .other(1)), .resourceBytes(1, [1]))
    bench.device.callbacks.suspend()
    bench.device.pushOnly(.session(.resourceSent(1, nil)))
    bench.device.pushOnly(.session(.resourceReceived(1, nil)))
    sent.cancel()
    try #require(bench.recorder.progress.first).cancel()
    bench.device.callbacks.resume()
    bench.device.settle()
    expectEqual(bench.recorder.lines.suffix(2), ["sent cancelled", "received r: nothing, cancelled"])
  }

  @Test func `a resource of a stranger, or under a number that is taken, is refused`() throws {
    let bench = Bench()
    try bench.connected()
    bench.device.push(
      .resourceOffered(offer(3, byteCount: 1), from: .other(2)),
      .resourceOffered(offer(1, byteCount: 1), from: .other(1)),
      .resourceOffered(offer(1, byteCount: 9), from: .other(1)),
      .resourceOffered(offer(2, byteCount: -4), from: .other(1)))
    expectEqual(bench.recorder.lines, ["receiving r from peer 1, 1", "receiving r from peer 1, 1"])
    expectEqual(bench.device.sessionRequests, [.cancelIncomingResource(3), .cancelIncomingResource(1)])
  }

  @Test func `each file on its way is in a folder of its own, for the user alone`() throws {
    let bench = Bench()
    let recorder = bench.recorder
    try bench.connected()
    let modes = Guarded<[Int]>([])
    recorder.react { line in
      guard line.hasPrefix("received"), let folder = recorder.urls.last?.deletingLastPathComponent() else { return }
      let mode = try? FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
      modes.withLock { $0.append(mode ?? -1) }
    }
    bench.device.push(
      .resourceOffered(offer(1, byteCount: 1), from: .other(1)),
      .resourceOffered(offer(2, byteCount: 1), from: .other(1)), .resourceBytes(2, [1]), .resourceBytes(1, [1]),
      .resourceReceived(2, nil), .resourceReceived(1, nil))
    expectEqual(modes.current, [0o700, 0o700])
    expectEqual(Set(recorder.urls.map { $0.deletingLastPathComponent().path }).count, 2)
    expectEqual(recorder.urls.map(\.lastPathComponent), ["photo.jpg", "photo.jpg"])
    recorder.react { _ in }
  }
}
