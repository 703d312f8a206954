import NIOCore  // the trait Live
import NIOPosix  // the trait Live

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Waits for datagrams on a thread of its own, and has them fetched on the event loop.
///
/// NIO's datagram channels do not tell the TTL of what they read, so they only send; reading is done here. The thread
/// does nothing but wait: while the loop is busy it waits for the loop, and the system keeps, or drops and counts, what
/// comes meanwhile. Portable: poll(2) and a pipe.
final class Doorkeeper: @unchecked Sendable {
  private let loop: any EventLoop
  private let pool = NIOThreadPool(numberOfThreads: 1)
  private let waking: (read: CInt, write: CInt)
  /// Fetches what waits at these places of the list that it gave last, on the loop, and gives the list of descriptors to
  /// wait for; `nil`: nothing more, ever.
  private let fetch: ([Int]) -> [CInt]?
  private var isBelled = false

  /// - Parameter fetch: called on the loop.
  init?(loop: any EventLoop, fetch: @escaping ([Int]) -> [CInt]?) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (self.loop, self.fetch, waking) = (loop, fetch, (ends[0], ends[1]))
    pool.start()
    pool.submit { _ in self.keep() }
  }

  /// The list has changed, or is over; on the loop. Rings once for any number of changes.
  func ring() {
    guard !isBelled else { return }
    isBelled = true
    var byte: UInt8 = 0
    _ = write(waking.write, &byte, 1)
  }

  /// Behind the end of the list, before the loop goes; from a thread that may wait.
  func end() {
    try? pool.syncShutdownGracefully()
    _ = (close(waking.read), close(waking.write))
  }

  private func keep() {
    var ready: [Int] = []
    while true {
      let places = ready
      // The loop may be over already: then nobody wants anything any more.
      let list = try? loop.submit {
        self.isBelled = false
        return self.fetch(places)
      }.wait()
      guard let list = list ?? nil else { return }
      ready = wait(for: list)
    }
  }

  /// Places in the list at which something waits; none of them where only the bell was rung.
  private func wait(for list: [CInt]) -> [Int] {
    var entries = ([waking.read] + list).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&entries, nfds_t(entries.count), -1) < 0 { if errno != EINTR { break } }
    var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
    if entries[0].revents != 0 { while read(waking.read, &bytes, bytes.count) > 0 {} }
    return entries.indices.dropFirst().filter { entries[$0].revents != 0 }.map { $0 - 1 }
  }
}
