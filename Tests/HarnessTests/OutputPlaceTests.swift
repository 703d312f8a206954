import Foundation
import RollcallExpectations
import Testing

@testable import RollcallReporting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that are written, one by one: the place of a path, the flags of opening, and the state at the end.
@Suite("Places of outputs", .serialized) struct OutputPlaceTests {
  /// The number of an open descriptor that a path names; `nil`: it names something else.
  private func number(_ path: String) throws -> CInt? {
    if case .descriptor(let number) = try OutputPlace(path).kind { return number }
    return nil
  }

  private func problem(_ path: String) -> String? {
    do throws(OutputFailure) { _ = try OutputPlace(path) } catch { return error.description }
    return nil
  }

  /// What of this process has the file open.
  private func descriptors(of path: String) throws -> [CInt] {
    var file = stat()
    let isThere = stat(path, &file) == 0
    try #require(isThere)
    return (CInt(3)..<4_096).filter { number in
      var info = stat()
      return fstat(number, &info) == 0 && info.st_dev == file.st_dev && info.st_ino == file.st_ino
    }
  }

  @Test("A number names a descriptor in the folders of open files, and a file in every other folder")
  func numbers() throws {
    try Places.withTemporaryFolder { folder in
      let own = folder.path + "/fd"
      try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
      for path in [folder.path + "/7", own + "/7", own + "/new"] { try expectEqual(number(path), nil, "\(path)") }
      #if os(Linux)
        for path in ["/dev/fd/1", "/proc/self/fd/1", "/proc/self/task/\(getpid())/fd/1"] {
          try expectEqual(number(path), 1, "\(path)")
        }
      #endif
    }
  }

  @Test("A path leads through at most 39 links, and one that ends with a slash is a folder")
  func links() throws {
    try Places.withTemporaryFolder { folder in
      for link in 0..<40 {
        try FileManager.default.createSymbolicLink(
          atPath: folder.path + "/\(link)", withDestinationPath: "\(link + 1)")
      }
      try expectEqual(OutputPlace(folder.path + "/1").name, "40")
      expectEqual(
        problem(folder.path + "/0"), "\(folder.path)/0: cannot be written: Too many levels of symbolic links")
      expectEqual(problem(folder.path + "/x/"), "\(folder.path)/x/: cannot be written: Is a directory")
    }
  }

  @Test("An open file is the one that its path names, and a closed descriptor is no file")
  func identities() throws {
    try Places.withTemporaryFolder { folder in
      let path = folder.path + "/file"
      try Data().write(to: URL(fileURLWithPath: path))
      let descriptor = open(path, O_RDONLY)
      try #require(descriptor >= 0)
      defer { close(descriptor) }
      let identity = try OutputPlace(path).identity
      #expect(identity != nil)
      expectEqual(OutputPlace.identity(descriptor: descriptor), identity)
      expectEqual(OutputPlace.identity(descriptor: -1), nil)
    }
  }

  @Test("Every file is opened to be written, and is closed where another program begins")
  func flags() throws {
    try Places.withTemporaryFolder { folder in
      try Data().write(to: folder.appendingPathComponent("old"))
      let files = try [("old", false), ("old", true), ("new", false), ("newer", true)].map { name, isGrowing in
        try OutputFile(path: folder.path + "/" + name, isGrowing: isGrowing)
      }
      let device = try OutputFile(path: "/dev/null")
      for file in files + [device] {
        expectEqual(fcntl(file.descriptor, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC, "\(file.name)")
        expectEqual(fcntl(file.descriptor, F_GETFL) & O_ACCMODE, O_WRONLY, "\(file.name)")
        file.discard()
      }
      try expectEqual(FolderState(folder).files, ["old": []])
    }
  }

  @Test("What stands in its place from the start takes no file that somebody else made meanwhile")
  func taken() throws {
    try Places.withTemporaryFolder { folder in
      let path = folder.path + "/file"
      let place = try OutputPlace(path)
      try Data("other".utf8).write(to: URL(fileURLWithPath: path))
      expectEqual(OutputFile.made(for: place, isNamed: true).descriptor, -1)
      try expectEqual(FolderState(folder).files, ["file": Array("other".utf8)])
    }
  }

  @Test("An unfinished file leaves nothing, and a file that another program put in its place stays")
  func left() throws {
    try Places.withTemporaryFolder { folder in
      let path = folder.path + "/file"
      do { _ = try OutputFile(path: path, isGrowing: true) }
      try expectEqual(FolderState(folder).files, [:])
      let file = try OutputFile(path: path, isGrowing: true)
      try FileManager.default.removeItem(atPath: path)
      try Data("other".utf8).write(to: URL(fileURLWithPath: path))
      file.discard()
      try expectEqual(FolderState(folder).files, ["file": Array("other".utf8)])
    }
  }

  @Test("A finished file is open nowhere")
  func finished() throws {
    try Places.withTemporaryFolder { folder in
      for isGrowing in [false, true] {
        let path = folder.path + "/\(isGrowing)"
        let file = try OutputFile(path: path, isGrowing: isGrowing)
        try file.finish()
        try expectEqual(descriptors(of: path), [])
      }
    }
  }

  #if os(Linux)
    /// Sockets of the process that have no other end.
    private func looseSockets() -> Int {
      (CInt(3)..<4_096).count { number in
        var (address, length) = (sockaddr(), socklen_t(MemoryLayout<sockaddr>.size))
        return getpeername(number, &address, &length) != 0 && errno == ENOTCONN
      }
    }

    @Test("A socket that nobody listens to is refused, and no descriptor of the attempts is left")
    func refusedSocket() throws {
      try Places.withTemporaryFolder { folder in
        let path = folder.path + "/s"
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let isBound = withUnsafePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
          }
        }
        close(descriptor)
        try #require(isBound)
        let before = looseSockets()
        for _ in 0..<40 {
          let failure = #expect(throws: OutputFailure.self) { try OutputFile(path: path) }
          expectEqual(failure?.description, "\(path): cannot be written: Connection refused")
        }
        // Other tests may open some meanwhile.
        let more = looseSockets() - before
        #expect(more < 20, "\(more)")
      }
    }

    @Test("Where the system has files without names, a file has none until it is finished")
    func unnamed() throws {
      try Places.withTemporaryFolder { folder in
        // O_TMPFILE.
        let probe = open(folder.path, O_WRONLY | O_DIRECTORY | 0o20_000_000, 0o600)
        defer { if probe >= 0 { close(probe) } }
        let isAble = probe >= 0 && access("/proc/self/fd/\(probe)", F_OK) == 0
        let file = try OutputFile(path: folder.path + "/file")
        try expectEqual(FolderState(folder).files.isEmpty, isAble)
        try file.finish()
        try expectEqual(FolderState(folder).files, ["file": []])
      }
    }
  #endif
}
