import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program that is started, read line by line, and ended by its process id.
final class ChildProgram: Sendable {
  enum End: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// It was stopped because it was asked for.
    case stopped
  }

  /// More of its output is read and thrown away.
  static let linesMaximum = 200_000
  static let lineBytesMaximum = 65_536
  /// Between the wish that it ends and the force.
  static let patience = DispatchTimeInterval.milliseconds(1_500)

  private let pid: pid_t
  private let isStopped = Atomic(false)
  private let isOver = Atomic(false)

  /// Starts it; both closures are called on a thread of its own, the second last.
  init(
    _ words: [String], onLine: @escaping @Sendable (String) -> Void, onEnd: @escaping @Sendable (End) -> Void
  ) throws {
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { throw Complaint("no pipe: \(String(cString: strerror(errno)))", code: Exit.broken) }
    let (reader, writer) = (ends[0], ends[1])
    _ = fcntl(reader, F_SETFD, FD_CLOEXEC)
    let started = ChildProgram.spawn(words, output: writer, closing: reader)
    close(writer)
    switch started {
    case .failure(let failure):
      close(reader)
      throw failure
    case .success(let number): pid = number
    }
    Thread.detachNewThread { [self] in
      let end = follow(reader, onLine)
      close(reader)
      onEnd(end)
    }
  }

  private static func spawn(_ words: [String], output: CInt, closing: CInt) -> Result<pid_t, Complaint> {
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addclose(&actions, output)
    posix_spawn_file_actions_addclose(&actions, closing)
    // Signals that this program ignores would be ignored by the child, too.
    var signals = sigset_t()
    sigemptyset(&signals)
    for one in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, one) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for one in arguments { free(one) } }
    var pid: pid_t = 0
    let status = posix_spawnp(&pid, words[0], &actions, &attributes, arguments, environ)
    if status != 0 { return .failure(Complaint("\(words[0]) cannot be started: \(String(cString: strerror(status)))")) }
    return .success(pid)
  }

  /// Asks it to end, and makes it end if it does not.
  /// - Parameter waits: waits until it has ended, for a while: nobody will be there to look after it.
  func stop(waits: Bool = false) {
    guard !isOver.load(ordering: .acquiring) else { return }
    isStopped.store(true, ordering: .releasing)
    if waits {
      kill(-pid, SIGTERM)
      for _ in 0..<15 where !isOver.load(ordering: .acquiring) { usleep(100_000) }
      if !isOver.load(ordering: .acquiring) { kill(-pid, SIGKILL) }
      return
    }
    // The group that it began is its own.
    kill(-pid, SIGTERM)
    DispatchQueue.global().asyncAfter(deadline: .now() + ChildProgram.patience) { [self] in
      if !isOver.load(ordering: .acquiring) { kill(-pid, SIGKILL) }
    }
  }

  /// Reads to the end of the output, then to the end of the program.
  private func follow(_ reader: CInt, _ onLine: (String) -> Void) -> End {
    var pending: [UInt8] = []
    var lines = 0
    var chunk = [UInt8](repeating: 0, count: 16_384)
    var status: CInt?
    var quietTurns = 0
    func tell(_ line: [UInt8]) {
      lines += 1
      if lines <= ChildProgram.linesMaximum {
        onLine(String(decoding: line.prefix(ChildProgram.lineBytesMaximum), as: UTF8.self))
      }
    }
    while true {
      var look = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
      let ready = poll(&look, 1, 100)
      if ready > 0 {
        let count = read(reader, &chunk, chunk.count)
        if count <= 0 { break }
        quietTurns = 0
        for byte in chunk[..<count] {
          if byte != 10 {
            if pending.count < ChildProgram.lineBytesMaximum { pending.append(byte) }
            continue
          }
          tell(pending)
          pending = []
        }
        continue
      }
      if status == nil { status = reaped(waits: false) }
      // A process that it left behind may hold the pipe open for ever.
      quietTurns += 1
      if status != nil, quietTurns > 3 { break }
    }
    if !pending.isEmpty { tell(pending) }
    let last = status ?? reaped(waits: true) ?? 0
    isOver.store(true, ordering: .releasing)
    if isStopped.load(ordering: .acquiring) { return .stopped }
    return last & 0x7F == 0 ? .exited((last >> 8) & 0xFF) : .signalled(last & 0x7F)
  }

  private func reaped(waits: Bool) -> CInt? {
    var status: CInt = 0
    while true {
      let found = waitpid(pid, &status, waits ? 0 : WNOHANG)
      if found == pid { return status }
      if found < 0, errno == EINTR { continue }
      return found < 0 ? 0 : nil
    }
  }
}
