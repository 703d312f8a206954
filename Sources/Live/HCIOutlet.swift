package import NIOCore  // the trait Live
import NIOPosix  // the trait Live

/// A socket to a controller of HCI that waits for its host, on the event loop of a run. All calls are on that loop.
package final class HCIOutlet: @unchecked Sendable {
  package enum Event {
    case connected
    case bytes([UInt8])
    /// It could not be reached, or is gone; nothing follows.
    case closed(String)
  }

  private let loop: any EventLoop
  private let tell: @Sendable (Event) -> Void
  private var channel: (any Channel)?
  private var isOver = false
  private var pendingBytes = 0

  package init(loop: any EventLoop, tell: @escaping @Sendable (Event) -> Void) { (self.loop, self.tell) = (loop, tell) }

  /// Connects; may be called from any thread.
  package func open(_ place: HCIPlace) { loop.execute { self.connect(place) } }

  private func connect(_ place: HCIPlace) {
    let bootstrap = ClientBootstrap(group: loop).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(
          HCIHandler { [weak self] bytes in
            if let bytes { self?.tell(.bytes(bytes)) } else { self?.end("the controller has closed the connection") }
          })
      }
    }
    let opened =
      switch place {
      case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
      case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
      }
    opened.whenComplete { result in
      switch result {
      case .success(let channel):
        if self.isOver { return channel.close(promise: nil) }
        self.channel = channel
        self.tell(.connected)
      case .failure(let error): self.end("nobody answers at \(place): \(SystemWords.of(error))")
      }
    }
  }

  package func send(_ bytes: [UInt8]) {
    guard let channel, !isOver else { return }
    pendingBytes += bytes.count
    // A controller that takes no more than this is none.
    guard pendingBytes <= HCISockets.pendingBytesMaximum else {
      // Said first: else the end of the channel is, which follows at once.
      end("the controller takes no more")
      return channel.close(promise: nil)
    }
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenSuccess { [weak self] in self?.pendingBytes -= bytes.count }
  }

  package func close() {
    isOver = true
    channel?.close(promise: nil)
  }

  private func end(_ reason: String) {
    guard !isOver else { return }
    isOver = true
    tell(.closed(reason))
  }
}
