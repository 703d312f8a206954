// outside: the operating system's open, read and close, for capture files, and poll, for live ones.
#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A file that is read from its start to its end; the only place of this room that touches the system, libpcap apart.
package final class CaptureFile {
  private let descriptor: CInt
  /// Bytes of a regular file; 0 for a pipe, whose length nobody knows.
  package let byteCount: Int
  /// Bytes that were read so far.
  package private(set) var readCount = 0
  /// The system's words for the last failure of `read`.
  package private(set) var failure: String?

  /// Opens a regular file or a pipe; `-` is standard input.
  package init(path: String) throws(CaptureError) {
    descriptor = path == "-" ? fcntl(0, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw .unreadable(CaptureFile.describe(errno)) }
    let end = lseek(descriptor, 0, SEEK_END)
    byteCount = max(0, Int(end))
    if end >= 0 { lseek(descriptor, 0, SEEK_SET) }
  }

  deinit { close(descriptor) }

  /// Fills `buffer` from its start: the number of bytes, 0 at the end, −1 for a failure.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      #if canImport(Glibc)
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      #elseif canImport(Musl)
        let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
      #elseif canImport(Darwin)
        let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
      #endif
      if count >= 0 {
        readCount += count
        return count
      }
      if errno == EINTR { continue }
      failure = CaptureFile.describe(errno)
      return -1
    }
  }

  /// Waits until there is something to read from a device, or the time is over.
  static func wait(for descriptor: CInt, milliseconds: CInt) {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&request, 1, milliseconds)
  }

  private static func describe(_ code: CInt) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
  }
}

extension CaptureReader {
  /// Opens the file at `path` and reads up to its first frame.
  /// - Parameter progress: told after each chunk how many bytes of the file were read, and how many it has; 0 where it is
  ///   a pipe and nobody knows.
  package init(
    path: String, chunkBytes: Int = CaptureReader.chunkBytes, progress: ((_ read: Int, _ of: Int) -> Void)? = nil
  ) throws(CaptureError) {
    let file = try CaptureFile(path: path)
    do throws(CaptureError) {
      try self.init(chunkBytes: chunkBytes) {
        let count = file.read(into: $0)
        progress?(file.readCount, file.byteCount)
        return count
      }
    } catch {
      if let failure = file.failure { throw .unreadable(failure) }
      throw error
    }
  }
}
