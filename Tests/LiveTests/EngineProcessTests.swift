import Foundation
import RollcallExpectations
import RollcallLive
import Testing

@Suite("The process of an engine") struct EngineProcessTests {
  @Test("what an engine started ends with it, also where it ends by itself")
  func group() throws {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory.appendingPathComponent("rollcall-\(UUID().uuidString)")
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? manager.removeItem(at: folder) }
    let pipe = folder.appendingPathComponent("pipe").path
    try #require(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(reader >= 0)
    defer { _ = close(reader) }
    let engine = try EngineProcess(["sh", "-c", "exec 3>'\(pipe)'; { sleep 20; echo late >&3; } & exit 0"])
    _ = engine.end(isKilled: false)
    // From now on it is waited for what comes, or for the end of the last one that could write.
    _ = fcntl(reader, F_SETFL, 0)
    var byte: UInt8 = 0
    expectEqual(read(reader, &byte, 1), 0)
  }
}
