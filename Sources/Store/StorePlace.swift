import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file of a store in its folder: what is there, how it comes to be, how it is put away.
///
/// Nothing that is there is replaced. A new file appears as a whole, or not at all; a file that is no store gets another
/// name, which nothing had before. Both happen under a lock of the folder, which ends with the process that has it.
struct StorePlace {
  /// As the caller wrote it.
  let path: String
  let folder: String

  /// Files that SQLite has beside its file.
  static let endings = ["-wal", "-shm", "-journal"]

  init(_ path: String) throws(DeviceStoreError) {
    self.path = path
    let parent = (path as NSString).deletingLastPathComponent
    folder = parent.isEmpty ? "." : parent
    guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
      throw .notAFile(path: path, found: "no name of a file")
    }
  }

  private func error(_ number: CInt, _ path: String? = nil) -> DeviceStoreError {
    let words = String(cString: strerror(number))
    return switch number {
    case ENOSPC, EDQUOT: .full(path: path ?? self.path)
    case EACCES, EPERM, EROFS, ENOENT, ENOTDIR: .denied(path: path ?? self.path, reason: words)
    default: .failed(path: path ?? self.path, reason: words)
    }
  }

  // MARK: - What is there

  /// Size and number of a regular file; `nil`: there is nothing.
  func file(_ ending: String = "") throws(DeviceStoreError) -> (size: Int64, number: UInt64)? {
    var info = stat()
    guard lstat(path + ending, &info) == 0 else {
      if errno == ENOENT { return nil }
      throw error(errno, path + ending)
    }
    let kind: String
    switch info.st_mode & S_IFMT {
    case S_IFREG: return (Int64(info.st_size), UInt64(info.st_ino))
    case S_IFLNK: kind = "a symbolic link"
    case S_IFDIR: kind = "a folder"
    case S_IFCHR, S_IFBLK: kind = "a device"
    case S_IFIFO: kind = "a pipe"
    case S_IFSOCK: kind = "a socket"
    default: kind = "something else"
    }
    throw .notAFile(path: path + ending, found: kind)
  }

  enum State {
    case nothing
    case file
    /// The files that SQLite had beside a file which is gone.
    case journalAlone
  }

  /// What is there, after a look at the files beside it too.
  func state() throws(DeviceStoreError) -> State {
    var hasJournal = false
    for ending in StorePlace.endings where try file(ending) != nil { hasJournal = true }
    if try file() != nil { return .file }
    return hasJournal ? .journalAlone : .nothing
  }

  /// Takes from others what a backup or a copy may have given them.
  func keepPrivate() throws(DeviceStoreError) {
    for ending in [""] + StorePlace.endings where chmod(path + ending, 0o600) != 0 && errno != ENOENT {
      throw error(errno, path + ending)
    }
  }

  // MARK: - The folder

  /// Makes the folder and those above it that are missing, for the user alone.
  func makeFolder() throws(DeviceStoreError) {
    var missing: [String] = []
    var place = folder
    var info = stat()
    while stat(place, &info) != 0, errno == ENOENT, place != "/", place != "." {
      missing.append(place)
      let parent = (place as NSString).deletingLastPathComponent
      place = parent.isEmpty ? "." : parent
    }
    for one in missing.reversed() where mkdir(one, 0o700) != 0 && errno != EEXIST { throw error(errno, one) }
  }

  /// Does something while no other process that keeps to the same rule opens, makes or puts away a store in the folder.
  /// - Parameter patience: in hundredths of a second.
  func locked<Value>(
    patience: Int, _ body: (_ folder: CInt) throws(DeviceStoreError) -> Value
  ) throws(DeviceStoreError) -> Value {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw error(errno, folder) }
    defer { close(descriptor) }
    var waits = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      // A file system without such locks: the steps are safe by themselves, but for two that put away at once.
      guard errno == EWOULDBLOCK else { break }
      guard waits < patience else { throw .busy(path: path) }
      waits += 1
      usleep(10_000)
    }
    return try body(descriptor)
  }

  // MARK: - A new file

  /// Puts a file with these bytes there. Somebody who was faster keeps theirs.
  func make(_ bytes: [UInt8], in folder: CInt) throws(DeviceStoreError) {
    var descriptor: CInt = -1
    var name: String?
    #if os(Linux)
      // O_TMPFILE, which the headers hide: a file without a name, of which nothing is left if the process ends here.
      descriptor = open(self.folder, O_RDWR | O_CLOEXEC | O_DIRECTORY | 0o20_000_000, 0o600)
      if descriptor >= 0, access("/proc/self/fd/\(descriptor)", F_OK) != 0 {
        close(descriptor)
        descriptor = -1
      }
    #endif
    if descriptor < 0 {
      let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
      descriptor = open(temporary, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw error(errno) }
      name = temporary
    }
    defer {
      close(descriptor)
      if let name { unlink(name) }
    }
    let isWritten = bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
      }
      return true
    }
    guard isWritten, fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0 else { throw error(errno) }
    let status =
      name.map { link($0, path) } ?? linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW)
    if status != 0, errno != EEXIST { throw error(errno) }
    _ = fsync(folder)
  }

  // MARK: - Putting away

  /// Gives the file, and those of its journal, names that nothing has: `<path>.damaged-1` or the next free number.
  /// - Returns: the name of the file.
  func putAway() throws(DeviceStoreError) -> String {
    // Endings first, and the file last of all: a journal that was left alone would be applied to the next file.
    let present = (StorePlace.endings + [""]).filter { exists(path + $0) }
    for number in 1...9_999 {
      let kept = "\(path).damaged-\(number)"
      if ([""] + StorePlace.endings).contains(where: { exists(kept + $0) }) { continue }
      for ending in present {
        if link(path + ending, kept + ending) != 0 {
          // A file system without second names: one that is free was looked for above.
          guard [EPERM, ENOTSUP, EMLINK].contains(errno), !exists(kept + ending),
            rename(path + ending, kept + ending) == 0
          else { throw error(errno) }
        }
      }
      for ending in present where unlink(path + ending) != 0 && errno != ENOENT { throw error(errno) }
      return kept
    }
    throw .failed(path: path, reason: "10 000 damaged stores are kept beside it; move them elsewhere")
  }

  /// The files that were put away, those of journals too, by number.
  func keptFiles() -> [String] {
    let head = (path as NSString).lastPathComponent + ".damaged-"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let kept = names.compactMap { name -> (number: Int, name: String)? in
      guard name.hasPrefix(head) else { return nil }
      let rest = name.dropFirst(head.count)
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard let number = Int(digits), ([""] + StorePlace.endings).contains(String(rest.dropFirst(digits.count))) else {
        return nil
      }
      return (number, name)
    }
    let start = path.dropLast((path as NSString).lastPathComponent.count)
    return kept.sorted { ($0.number, $0.name) < ($1.number, $1.name) }.map { start + $0.name }
  }

  private func exists(_ path: String) -> Bool {
    var info = stat()
    return lstat(path, &info) == 0
  }
}
