import Foundation

/// The reader's end of a stream between two peers.
final class PeerInputStream: InputStream {
  private let core: StreamCore

  init(_ core: StreamCore) {
    self.core = core
    super.init(data: Data())
    core.stream = self
  }

  override var delegate: (any StreamDelegate)? {
    get { core.delegate }
    set { core.delegate = newValue }
  }

  override var streamStatus: Stream.Status { core.streamStatus }
  override var streamError: (any Error)? { core.error }
  override var hasBytesAvailable: Bool { core.hasBytesAvailable }

  override func open() { core.open() }
  override func close() { core.close() }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    core.read(into: buffer, atMost: len)
  }

  /// There is no buffer to lend.
  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    core.schedule(in: aRunLoop, forMode: mode)
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    core.remove(from: aRunLoop, forMode: mode)
  }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }
}

/// The writer's end of a stream between two peers.
final class PeerOutputStream: OutputStream {
  private let core: StreamCore

  init(_ core: StreamCore) {
    self.core = core
    super.init(toMemory: ())
    core.stream = self
  }

  required init(toMemory: ()) { preconditionFailure("a stream to a peer is made by a session") }

  override var delegate: (any StreamDelegate)? {
    get { core.delegate }
    set { core.delegate = newValue }
  }

  override var streamStatus: Stream.Status { core.streamStatus }
  override var streamError: (any Error)? { core.error }
  override var hasSpaceAvailable: Bool { core.hasSpaceAvailable }

  override func open() { core.open() }
  override func close() { core.close() }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    core.write(buffer, count: len)
  }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    core.schedule(in: aRunLoop, forMode: mode)
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    core.remove(from: aRunLoop, forMode: mode)
  }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }
}
