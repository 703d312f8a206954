import Foundation
import RollcallExpectations
import Testing

@testable import RollcallReporting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What stands where while a file is written and afterwards, call by call.
@Suite("Files that are written") struct WrittenFileTests {
  private func write(_ text: String, to file: OutputFile) throws {
    try Array(text.utf8).withUnsafeBytes { bytes in try file.write(bytes) }
  }

  /// The text of every file of a folder, hidden ones too; a folder has none.
  private func files(_ folder: URL) throws -> [String: String] {
    try FolderState(folder).files.mapValues { String(decoding: $0, as: UTF8.self) }
  }

  private func make(_ name: String, _ text: String, in folder: URL) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
  }

  /// Puts an empty folder where a file was.
  private func putFolder(_ name: String, in folder: URL) throws {
    try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent(name), withIntermediateDirectories: false)
  }

  /// What is said of an error; `nil`: there is none.
  private func complaint(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return "\(error)" }
    return nil
  }

  @Test("A file is in its place when it is finished and not before, whether it grows, replaces one, or neither")
  func finished() throws {
    for isGrowing in [false, true] {
      try Places.withTemporaryFolder { folder in
        try make("old", "before", in: folder)
        let old = folder.appendingPathComponent("old").path
        try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: old)
        let replacing = try OutputFile(path: old, isGrowing: isGrowing)
        let new = try OutputFile(path: folder.path + "/new", isGrowing: isGrowing)
        #expect(replacing.isReplaced && new.isReplaced)
        for file in [replacing, new] {
          try write("one ", to: file)
          try write("two", to: file)
        }
        try expectEqual(files(folder)["old"], "before")
        // What grows and replaces nothing is there from the start.
        try expectEqual(files(folder)["new"], isGrowing ? "one two" : nil)
        for file in [replacing, new] {
          // No error of before is taken for one of now.
          errno = EIO
          try file.finish()
          try file.finish()
          file.discard()
          expectEqual(file.keepWhole(), false)
        }
        try expectEqual(files(folder), ["old": "one two", "new": "one two"])
        try expectEqual(
          FileManager.default.attributesOfItem(atPath: old)[.posixPermissions] as? Int, 0o604)
      }
    }
  }

  @Test("A file that is discarded leaves what was there before, and another one that took its name")
  func discarded() throws {
    for isGrowing in [false, true] {
      try Places.withTemporaryFolder { folder in
        try make("old", "before", in: folder)
        for name in ["old", "new"] {
          let file = try OutputFile(path: folder.path + "/" + name, isGrowing: isGrowing)
          try write("half", to: file)
          file.mark()
          file.discard()
          try expectEqual(files(folder), ["old": "before"])
          // Nothing comes of it afterwards.
          expectEqual(file.keepWhole(), false)
          expectEqual(complaint { try file.finish() }, nil)
          try expectEqual(files(folder), ["old": "before"])
        }
        let file = try OutputFile(path: folder.path + "/new", isGrowing: isGrowing)
        if isGrowing { try FileManager.default.removeItem(atPath: folder.path + "/new") }
        try make("new", "of somebody else", in: folder)
        file.discard()
        try expectEqual(files(folder), ["old": "before", "new": "of somebody else"])
      }
    }
  }

  @Test("A file that came in the meantime is replaced; a folder that came there is not, and nothing is left beside it")
  func meanwhile() throws {
    for isGrowing in [false, true] {
      try Places.withTemporaryFolder { folder in
        try make("old", "before", in: folder)
        let file = try OutputFile(path: folder.path + "/old", isGrowing: isGrowing)
        try write("mine", to: file)
        file.mark()
        try putFolder("old", in: folder)
        if isGrowing {
          expectEqual(file.keepWhole(), false)
        } else {
          expectEqual(complaint { try file.finish() }, "\(folder.path)/old: cannot be written: Is a directory")
        }
        try expectEqual(files(folder), ["old": ""])
        expectEqual(complaint { try file.finish() }, nil)
      }
    }
    try Places.withTemporaryFolder { folder in
      let file = try OutputFile(path: folder.path + "/new")
      try write("mine", to: file)
      try make("new", "of somebody else", in: folder)
      errno = EIO
      try file.finish()
      try expectEqual(files(folder), ["new": "mine"])
    }
  }

  @Test("Of a file that grows what was whole is kept, down to one byte; of another one nothing is")
  func keptWhole() throws {
    try Places.withTemporaryFolder { folder in
      for (name, whole) in [("new", "a"), ("old", "whole")] {
        if name == "old" { try make(name, "before, and longer", in: folder) }
        let file = try OutputFile(path: folder.path + "/" + name, isGrowing: true)
        try write(whole, to: file)
        file.mark()
        try write(" and no more", to: file)
        expectEqual(file.keepWhole(), true)
        try expectEqual(files(folder)[name], whole)
        expectEqual(file.keepWhole(), false)
      }
      // Without a mark, and where nothing was written before it.
      for isMarked in [false, true] {
        let file = try OutputFile(path: folder.path + "/none", isGrowing: true)
        if isMarked { file.mark() }
        try write("half", to: file)
        expectEqual(file.keepWhole(), false)
        file.discard()
      }
      let file = try OutputFile(path: folder.path + "/none")
      try write("half", to: file)
      file.mark()
      expectEqual(file.keepWhole(), false)
      file.discard()
      try expectEqual(files(folder), ["new": "a", "old": "whole"])
    }
  }

  @Test("What grows in the place of a file is written beside it, under a hidden name that is not too long")
  func besideName() throws {
    try Places.withTemporaryFolder { folder in
      let name = String(repeating: "n", count: 255)
      try make(name, "before", in: folder)
      let file = try OutputFile(path: folder.path + "/" + name, isGrowing: true)
      try write("now", to: file)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      let beside = names.filter { $0 != name }
      expectEqual(beside.count, 1)
      let hidden = try #require(beside.first)
      let head = "." + String(repeating: "n", count: 200) + "."
      #expect(hidden.hasPrefix(head) && hidden.hasSuffix(".part") && hidden.count <= head.count + 7 + 5, "\(hidden)")
      try file.finish()
      try expectEqual(files(folder), [name: "now"])
    }
  }

  @Test("What cannot be opened is said with its path and the reason")
  func refused() throws {
    try Places.withTemporaryFolder { folder in
      expectEqual(
        complaint { _ = try OutputFile(path: folder.path) }, "\(folder.path): cannot be written: Is a directory")
      #if os(Linux)
        // Folders in which nobody can make a file, root included.
        for isGrowing in [false, true] {
          expectEqual(
            complaint { _ = try OutputFile(path: "/proc/rollcall-none", isGrowing: isGrowing) },
            "/proc/rollcall-none: cannot be written: No such file or directory")
          guard access("/dev/pts", F_OK) == 0 else { continue }
          expectEqual(
            complaint { _ = try OutputFile(path: "/dev/pts/rollcall-none", isGrowing: isGrowing) },
            "/dev/pts/rollcall-none: cannot be written: its folder takes no new file beside it (Permission denied)")
        }
      #endif
    }
  }

  // MARK: - What is written as it comes

  /// The text that can be read of a descriptor that does not wait; `end` where nobody writes to it any more.
  private func received(_ descriptor: CInt) -> [String] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 { return [String(decoding: bytes, as: UTF8.self)] + (count == 0 ? ["end"] : []) }
      bytes += chunk[..<count]
    }
  }

  @Test("A device and a pipe get the bytes at once, and are closed by what ends first")
  func inPlace() throws {
    let device = try OutputFile(path: "/dev/null", isGrowing: true)
    expectEqual(device.isReplaced, false)
    try write("anything", to: device)
    device.mark()
    expectEqual(device.keepWhole(), false)
    try device.finish()
    for isDiscarded in [false, true] {
      try Places.withTemporaryFolder { folder in
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        let file = try OutputFile(path: path)
        expectEqual(file.isReplaced, false)
        try write("one ", to: file)
        try write("two", to: file)
        expectEqual(received(reader), ["one two"])
        if isDiscarded { file.discard() } else { try file.finish() }
        // A process that another test starts may hold the other end for a moment.
        var wish = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        poll(&wish, 1, 10_000)
        expectEqual(received(reader), ["", "end"])
        try expectEqual(files(folder), ["pipe": ""])
      }
    }
  }

  @Test("A write waits where a pipe is full for now, and says why where nothing can be written")
  func wholeWrites() throws {
    var ends: [CInt] = [0, 0]
    let isMade = pipe(&ends) == 0
    try #require(isMade)
    let (reader, writer) = (ends[0], ends[1])
    for end in ends { try #require(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
    try #require(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
    final class Sheet: @unchecked Sendable {
      var data = Data()
      let isRead = DispatchSemaphore(value: 0)
    }
    let sheet = Sheet()
    Thread.detachNewThread {
      sheet.data = FileHandle(fileDescriptor: reader, closeOnDealloc: true).readDataToEndOfFile()
      sheet.isRead.signal()
    }
    let bytes = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    expectEqual(bytes.withUnsafeBytes { OutputFile.write($0, to: writer) }, nil)
    close(writer)
    sheet.isRead.wait()
    #expect([UInt8](sheet.data) == bytes)
    let readOnly = open("/dev/null", O_RDONLY | O_CLOEXEC)
    expectEqual(bytes.withUnsafeBytes { OutputFile.write($0, to: readOnly) }, EBADF)
    close(readOnly)
  }

  /// Makes a socket at a path, which nobody listens to yet.
  private func bound(at path: String) throws -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound)
    return descriptor
  }

  @Test("A socket is connected to, with a path as long as its address can hold and no longer")
  func sockets() throws {
    let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    try Places.withTemporaryFolder { folder in
      // The folder as it is called without links.
      let short = try OutputPlace(folder.path + "/s").path
      // Where the folder has a long name, no socket can be made in it.
      guard short.utf8.count < room - 1 else { return }
      let descriptor = try bound(at: short)
      defer { close(descriptor) }
      expectEqual(complaint { _ = try OutputFile(path: short) }, "\(short): cannot be written: Connection refused")
      try #require(listen(descriptor, 4) == 0)
      let longest = short + String(repeating: "s", count: room - 1 - short.utf8.count)
      for path in [short, longest] {
        if path != short { try #require(rename(short, path) == 0) }
        let file = try OutputFile(path: path)
        expectEqual(file.isReplaced, false)
        try write("hello", to: file)
        try file.finish()
        let accepted = accept(descriptor, nil, nil)
        try #require(fcntl(accepted, F_SETFL, O_NONBLOCK) == 0)
        expectEqual(received(accepted).first, "hello")
        close(accepted)
      }
      let long = longest + "s"
      try #require(rename(longest, long) == 0)
      expectEqual(complaint { _ = try OutputFile(path: long) }, "\(long): cannot be written: File name too long")
    }
  }
}
