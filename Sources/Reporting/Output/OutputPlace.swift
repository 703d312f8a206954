import Foundation

/// What a path that is to be written names: where its last symbolic link leads, and what is there now.
struct OutputPlace {
  enum Kind {
    /// Nothing yet.
    case nothing
    /// A regular file: it is replaced as a whole.
    case file(stat)
    /// A device, pipe or socket: it is opened and written.
    case inPlace(stat)
    /// What this process has open already: standard output, `/dev/fd/N`.
    case descriptor(CInt)
  }

  /// The folder, its own links resolved.
  let folder: String
  let name: String
  package let kind: Kind

  var path: String { folder == "/" ? "/" + name : folder + "/" + name }

  private static let linksMaximum = 40

  /// - Throws: the system's words, where the folder is not there or cannot be read, or a folder is named.
  init(_ path: String) throws(OutputFailure) {
    var current = path
    for _ in 0..<OutputPlace.linksMaximum {
      let name = String(current.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
      if name.isEmpty || name == "." || name == ".." {
        throw OutputFailure(path, current.isEmpty ? ENOENT : EISDIR)
      }
      let parent = String(current.dropLast(name.count))
      guard let resolved = realpath(parent.isEmpty ? "." : parent, nil) else { throw OutputFailure(path, errno) }
      defer { free(resolved) }
      let folder = String(cString: resolved)
      if let number = OutputPlace.descriptor(folder, name) {
        (self.folder, self.name, kind) = (folder, name, .descriptor(number))
        return
      }
      let file = folder == "/" ? "/" + name : folder + "/" + name
      var info = stat()
      if lstat(file, &info) != 0 {
        if errno != ENOENT { throw OutputFailure(path, errno) }
        (self.folder, self.name, kind) = (folder, name, .nothing)
        return
      }
      switch info.st_mode & S_IFMT {
      case S_IFLNK:
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(file, &target, Int(PATH_MAX))
        if count < 0 { throw OutputFailure(path, errno) }
        let text = String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        current = text.hasPrefix("/") ? text : (folder == "/" ? "/" : folder + "/") + text
        continue
      case S_IFDIR: throw OutputFailure(path, EISDIR)
      case S_IFREG: kind = .file(info)
      default: kind = .inPlace(info)
      }
      (self.folder, self.name) = (folder, name)
      return
    }
    throw OutputFailure(path, ELOOP)
  }

  /// The number of an open descriptor that a file below `/proc/self/fd` stands for; links there lead nowhere by name.
  private static func descriptor(_ folder: String, _ name: String) -> CInt? {
    let ofThread = folder.hasPrefix("/proc/\(getpid())/task/") && folder.hasSuffix("/fd")
    guard folder == "/proc/\(getpid())/fd" || folder == "/dev/fd" || ofThread else { return nil }
    return CInt(name)
  }

  /// What two paths have in common when they name the same thing, however they are spelled.
  enum Identity: Hashable {
    case file(device: UInt64, number: UInt64)
    /// One that is not there yet: its folder, and its name in it.
    case name(device: UInt64, number: UInt64, String)
  }

  /// `nil`: a device, which any number of outputs can share.
  var identity: Identity? {
    switch kind {
    case .file(let info), .inPlace(let info): return OutputPlace.identity(info)
    case .descriptor(let number): return OutputPlace.identity(descriptor: number)
    case .nothing:
      var info = stat()
      guard stat(folder, &info) == 0 else { return nil }
      return .name(device: UInt64(info.st_dev), number: UInt64(info.st_ino), name)
    }
  }

  /// What an open descriptor is; `nil` as for `identity`, or where it is closed.
  static func identity(descriptor: CInt) -> Identity? {
    var info = stat()
    return fstat(descriptor, &info) == 0 ? identity(info) : nil
  }

  /// What a path that is read leads to; `nil` as for `identity`, or where nothing is there.
  static func identity(reading path: String) -> Identity? {
    var info = stat()
    return stat(path, &info) == 0 ? identity(info) : nil
  }

  private static func identity(_ info: stat) -> Identity? {
    switch info.st_mode & S_IFMT {
    case S_IFREG, S_IFIFO, S_IFSOCK: .file(device: UInt64(info.st_dev), number: UInt64(info.st_ino))
    default: nil
    }
  }
}
