import Foundation
import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite("Files that captures are read from") struct CaptureFileTests {
  /// A file of these bytes, in a folder of its own, by its real path.
  private static func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
    let temporary = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    let folder = temporary.appendingPathComponent("rollcall-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("bytes")
    try Data(bytes).write(to: file)
    try body(file.path)
  }

  @Test("a file knows how many bytes it has and how many were read")
  func counts() throws {
    try Self.withFile([1, 2, 3, 4, 5]) { path in
      let file = try CaptureFile(path: path)
      #expect(file.byteCount == 5 && file.readCount == 0)
      var (room, read, counts) = ([UInt8](repeating: 0, count: 3), [UInt8](), [Int]())
      for _ in 0..<3 {
        let count = room.withUnsafeMutableBytes { file.read(into: $0) }
        read += room[..<max(0, count)]
        counts += [count, file.readCount]
      }
      #expect(counts == [3, 3, 2, 5, 0, 5] && read == [1, 2, 3, 4, 5])
      expectEqual(file.failure, nil)
    }
    try Self.withFile([]) { path in
      let file = try CaptureFile(path: path)
      #expect(file.byteCount == 0 && file.readCount == 0)
    }
  }

  @Test("who asks is told after each chunk how much of the file was read")
  func progress() throws {
    let sample = PcapSample()
    let bytes = sample.header + sample.record(1, 0, [UInt8](repeating: 7, count: 6_000)) + sample.record(2, 0, [1])
    try Self.withFile(bytes) { path in
      var calls: [[Int]] = []
      var reader = try CaptureReader(path: path, chunkBytes: 4_096, progress: { calls.append([$0, $1]) })
      var frame = CaptureFrame()
      var count = 0
      while reader.next(&frame) { count += 1 }
      let problem = reader.problem
      #expect(count == 2 && problem == nil)
      #expect(calls.first == [4_096, bytes.count] && calls.last == [bytes.count, bytes.count])
      #expect(calls.allSatisfy { $0[1] == bytes.count })
      expectEqual(calls.map { $0[0] }, calls.map { $0[0] }.sorted())
    }
  }

  #if os(Linux) && canImport(Glibc)
    /// The descriptors of this process that are open on the file.
    private static func descriptors(of path: String) throws -> [CInt] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name -> CInt? in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
        return target == path ? CInt(name) : nil
      }
    }

    /// Opens the file: for each descriptor that this takes, whether other programs inherit it.
    private static func inherited(_ path: String) throws -> [Bool] {
      let file = try CaptureFile(path: path)
      let found = try descriptors(of: path).map { fcntl($0, F_GETFD) & FD_CLOEXEC == 0 }
      return withExtendedLifetime(file) { found }
    }

    @Test("an open file takes one descriptor, which no other program inherits, and gives it back")
    func descriptor() throws {
      try Self.withFile([1, 2, 3]) { path in
        let inherited = try Self.inherited(path)
        expectEqual(inherited, [false])
        let descriptors = try Self.descriptors(of: path)
        expectEqual(descriptors, [])
      }
    }

    @Test("nobody knows how many bytes a pipe has, and what comes is read")
    func pipes() throws {
      let pipe = Pipe()
      pipe.fileHandleForWriting.write(Data([1, 2, 3]))
      let file = try CaptureFile(path: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
      var room = [UInt8](repeating: 0, count: 8)
      let count = room.withUnsafeMutableBytes { file.read(into: $0) }
      #expect(file.byteCount == 0 && count == 3 && file.readCount == 3 && room == [1, 2, 3, 0, 0, 0, 0, 0])
      withExtendedLifetime(pipe) {}
    }
  #endif
}
