#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A terminal for a program: its outer side is read here, its inner side is the program's.
///
/// What the program writes comes as it was written: the terminal changes no line ends and echoes nothing.
final class PseudoTerminal: Sendable {
  struct Failure: Error { var number: Int32 }

  let outer: CInt
  /// Given to the program, and closed on this side when it was started.
  let inner: CInt
  private let wake: (reading: CInt, writing: CInt)

  init() throws(Failure) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure(number: errno) }
    wake = (ends[0], ends[1])
    (outer, inner) = PseudoTerminal.opened()
    guard inner >= 0 else {
      let number = errno
      for one in [outer, wake.reading, wake.writing] where one >= 0 { close(one) }
      throw Failure(number: number)
    }
    for one in [wake.reading, wake.writing] { _ = fcntl(one, F_SETFD, FD_CLOEXEC) }
    var attributes = termios()
    if tcgetattr(inner, &attributes) == 0 {
      cfmakeraw(&attributes)
      _ = tcsetattr(inner, TCSANOW, &attributes)
    }
    // Wide enough that no program breaks its lines.
    var size = winsize(ws_row: 1_000, ws_col: 4_000, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(inner, UInt(TIOCSWINSZ), &size)
  }

  /// Reads lines until the program's side is closed everywhere, or until `stop` and nothing more is there; from a thread that
  /// may wait. Closes this side.
  func read(_ say: ([[UInt8]]) -> Void) {
    var lines = LineCutter()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var isStopped = false
    while true {
      var wanted = [
        pollfd(fd: outer, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&wanted, isStopped ? 1 : 2, isStopped ? 0 : -1)
      if count < 0, errno == EINTR { continue }
      if !isStopped, wanted[1].revents != 0 { isStopped = true }
      if wanted[0].revents == 0 {
        if isStopped { break }
        continue
      }
      let read = buffer.withUnsafeMutableBytes { Self.readSome(outer, $0.baseAddress, $0.count) }
      // The last program that had the other side has closed it.
      if read <= 0 { break }
      let whole = buffer[..<read].withUnsafeBytes { lines.take($0) }
      if !whole.isEmpty { say(whole) }
    }
    let rest = lines.end()
    if !rest.isEmpty { say(rest) }
    close(outer)
    close(wake.reading)
  }

  /// Both sides; −1 for one that cannot be had.
  private static func opened() -> (outer: CInt, inner: CInt) {
    let flags = O_RDWR | O_NOCTTY | O_CLOEXEC
    #if os(Linux)
      // What grantpt, unlockpt and ptsname do, which the headers hide.
      let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
      let outer = open("/dev/ptmx", flags)
      var (isLocked, name): (CInt, CUnsignedInt) = (0, 0)
      guard outer >= 0, ioctl(outer, unlock, &isLocked) == 0, ioctl(outer, number, &name) == 0 else {
        return (outer, -1)
      }
      return (outer, open("/dev/pts/\(name)", flags))
    #else
      let outer = posix_openpt(flags)
      guard outer >= 0, grantpt(outer) == 0, unlockpt(outer) == 0, let name = ptsname(outer) else { return (outer, -1) }
      return (outer, open(name, flags))
    #endif
  }

  private static func readSome(_ descriptor: CInt, _ room: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, room, count)
    #else
      Darwin.read(descriptor, room, count)
    #endif
  }

  /// The program has ended, or was never there.
  func stop() { close(wake.writing) }
}
