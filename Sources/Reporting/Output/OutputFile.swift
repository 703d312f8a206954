import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Bytes on their way to a file, a device or a pipe.
///
/// What will be a regular file is written beside its place, without a name where the system can do that, and put there
/// as a whole by `finish`: until then the previous file is there, or none. It keeps the mode, and where
/// possible the owner, of the file that it replaces. Devices, pipes and sockets are written as the bytes come.
final class OutputFile {
  /// What people call it: the path as they wrote it.
  let name: String
  private(set) var descriptor: CInt
  /// Where it will stand; `nil`: what is written is there at once.
  private let place: OutputPlace?
  /// The name under which it is written; `nil`: none.
  private var temporary: String?
  private var isOpen = true
  /// Whether what has come so far is worth keeping when more cannot be written.
  private let isGrowing: Bool
  private var wholeCount: off_t = 0

  /// Standard output.
  init() {
    (name, descriptor, place, isGrowing) = (Output.standardName, STDOUT_FILENO, nil, false)
  }

  /// - Parameter isGrowing: what was written up to `mark` is whole, and is kept if the rest cannot be written; after a
  ///   crash it is in its place, or beside it where there was a file before.
  init(path: String, isGrowing: Bool = false) throws(OutputFailure) {
    let place = try OutputPlace(path)
    (name, self.isGrowing) = (path, isGrowing)
    switch place.kind {
    case .descriptor(let number):
      descriptor = fcntl(number, F_DUPFD_CLOEXEC, 3)
      self.place = nil
    case .inPlace(let info):
      descriptor =
        info.st_mode & S_IFMT == S_IFSOCK
        ? OutputFile.connected(place.path) : open(place.path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
      self.place = nil
    case .file, .nothing:
      if case .file = place.kind, faccessat(AT_FDCWD, place.path, W_OK, AT_EACCESS) != 0 {
        throw OutputFailure(path, errno)
      }
      self.place = place
      (descriptor, temporary) = OutputFile.made(for: place, isNamed: isGrowing)
    }
    if descriptor < 0 {
      let number = errno
      if self.place != nil, number == EACCES || number == EPERM {
        let words = OutputFailure.words(number)
        throw OutputFailure("\(path): cannot be written: its folder takes no new file beside it (\(words))")
      }
      throw OutputFailure(path, number)
    }
    if case .file(let info) = place.kind {
      // Who may not give files away keeps them; the mode comes last, since a change of owner takes bits of it away.
      _ = fchown(descriptor, info.st_uid, info.st_gid)
      if fchmod(descriptor, info.st_mode & 0o7777) != 0 { throw OutputFailure(path, errno) }
    }
  }

  /// - Returns: the system's error number is set where there is no descriptor.
  static func made(for place: OutputPlace, isNamed: Bool) -> (descriptor: CInt, name: String?) {
    // What grows and replaces nothing stands in its place from the start.
    if isNamed, case .nothing = place.kind {
      let flags = O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW
      return (open(place.path, flags, 0o666), place.path)
    }
    // A new file has the mode that the umask leaves; one that replaces another is nobody else's until it has its mode.
    var mode: mode_t = 0o666
    if case .file = place.kind { mode = 0o600 }
    #if os(Linux)
      // O_TMPFILE, which the headers hide.
      let unnamed = isNamed ? -1 : open(place.folder, O_WRONLY | O_CLOEXEC | O_DIRECTORY | 0o20_000_000, mode)
      if unnamed >= 0 {
        if access("/proc/self/fd/\(unnamed)", F_OK) == 0 { return (unnamed, nil) }
        close(unnamed)
      }
    #endif
    for _ in 0..<100 {
      let name = temporaryName(beside: place)
      let named = open(name, O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
      if named >= 0 { return (named, name) }
      if errno != EEXIST { break }
    }
    return (-1, nil)
  }

  private static func temporaryName(beside place: OutputPlace) -> String {
    // A name has at most 255 bytes.
    let kept = String(decoding: place.name.utf8.prefix(200), as: UTF8.self)
    let head = place.folder == "/" ? "/" : place.folder + "/"
    return head + ".\(kept).\(String(UInt32.random(in: .min ... .max), radix: 36)).part"
  }

  private static func connected(_ path: String) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let isShort = withUnsafeMutableBytes(of: &address.sun_path) { room in
      guard bytes.count < room.count else { return false }
      room.copyBytes(from: bytes)
      return true
    }
    guard isShort else {
      errno = ENAMETOOLONG
      return -1
    }
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { return -1 }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      let number = errno
      close(descriptor)
      errno = number
      return -1
    }
    return descriptor
  }

  deinit { discard() }

  /// Writes all of it.
  func write(_ bytes: UnsafeRawBufferPointer) throws(OutputFailure) {
    if let number = OutputFile.write(bytes, to: descriptor) { throw OutputFailure(name, number) }
  }

  /// Writes all bytes to a descriptor; the system's error number where it does not take them.
  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> CInt? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest)
      #if canImport(Glibc)
        let count = Glibc.write(descriptor, piece.baseAddress, piece.count)
      #else
        let count = Darwin.write(descriptor, piece.baseAddress, piece.count)
      #endif
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 {
        return ENOSPC
      } else if errno == EAGAIN {
        // Somebody else made the terminal one that does not wait.
        var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wish, 1, 1_000)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }

  /// Whether it takes the place of a regular file, or becomes one.
  var isReplaced: Bool { place != nil }

  /// Says that what was written so far is whole.
  func mark() { if isGrowing, place != nil { wholeCount = lseek(descriptor, 0, SEEK_CUR) } }

  /// Whether it was growing and what is whole of it stands in its place now, though not all could be written.
  func keepWhole() -> Bool {
    guard isOpen, isGrowing, place != nil, wholeCount > 0, ftruncate(descriptor, wholeCount) == 0 else { return false }
    do throws(OutputFailure) { try finish() } catch { return false }
    return true
  }

  /// Puts the file in its place; nothing is written afterwards.
  func finish() throws(OutputFailure) {
    guard isOpen else { return }
    var number: CInt = 0
    if let place {
      // Some file systems say only when it is closed that there was no room: ask before anybody sees it.
      let copy = dup(descriptor)
      number = copy >= 0 && close(copy) != 0 && errno != EINTR ? errno : put(at: place)
    }
    if number != 0 {
      discard()
      throw OutputFailure(name, number)
    }
    isOpen = false
    if descriptor != STDOUT_FILENO, close(descriptor) != 0, errno != EINTR { throw OutputFailure(name, errno) }
  }

  /// The system's error number; 0: it is there.
  private func put(at place: OutputPlace) -> CInt {
    if temporary == place.path { return 0 }
    if let temporary { return rename(temporary, place.path) == 0 ? 0 : errno }
    let own = "/proc/self/fd/\(descriptor)"
    if case .nothing = place.kind {
      if linkat(AT_FDCWD, own, AT_FDCWD, place.path, AT_SYMLINK_FOLLOW) == 0 { return 0 }
      // Somebody else made one in the meantime.
      if errno != EEXIST { return errno }
    }
    for _ in 0..<100 {
      let name = OutputFile.temporaryName(beside: place)
      if linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 {
        temporary = name
        return rename(name, place.path) == 0 ? 0 : errno
      }
      if errno != EEXIST { break }
    }
    return errno
  }

  private static func isSame(_ descriptor: CInt, _ path: String) -> Bool {
    var (own, there) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && lstat(path, &there) == 0 && own.st_dev == there.st_dev
      && own.st_ino == there.st_ino
  }

  /// Leaves nothing of it.
  func discard() {
    guard isOpen else { return }
    isOpen = false
    // By now it may be somebody else's.
    if let temporary, OutputFile.isSame(descriptor, temporary) { unlink(temporary) }
    if descriptor > STDERR_FILENO { close(descriptor) }
  }
}
