import Dispatch
import Foundation
package import RollcallEngines
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process of an engine: its standard input and output are the two directions of the protocol.
///
/// One thread waits for it, with a limit for each answer. It has a group of processes of its own, so that Ctrl-C on the
/// terminal does not reach it, and that what it started ends with it.
package final class EngineProcess: EngineChannel {
  package static let limitSeconds = 10.0
  /// How long it may take to end when it was asked to.
  private static let farewellNanoseconds: UInt64 = 1_000_000_000
  /// Of what it prints as errors so many bytes are kept, the last ones.
  private static let errorBytesMaximum = 4_096
  private static let errorLinesMaximum = 20

  private let pid: pid_t
  private let limitNanoseconds: UInt64
  private let input: CInt
  private let output: CInt
  private let errors: CInt
  private var errorsAreOpen = true
  private var errorBytes: [UInt8] = []
  private var isOver = false
  /// How it ended; `nil`: it has not, or that was not asked yet.
  private var status: CInt?
  /// When the time for an answer is over, on the clock of the system.
  private var patience: UInt64 = 0

  /// Starts it.
  /// - Parameters:
  ///   - words: its name, which is looked for along PATH, or its path; then its arguments.
  ///   - limitSeconds: how long it may take for one answer.
  package init(_ words: [String], limitSeconds: Double = EngineProcess.limitSeconds) throws(EngineFailure) {
    limitNanoseconds = UInt64(limitSeconds * 1_000_000_000)
    let started = EngineProcess.starting.withLock { _ in EngineProcess.start(words) }
    switch started {
    case .success(let one): (pid, input, output, errors) = (one.pid, one.input, one.output, one.errors)
    case .failure(let failure): throw failure
    }
  }

  deinit { _ = end(isKilled: true) }

  // MARK: - The channel

  package func write(_ bytes: [UInt8]) throws(EngineFailure) {
    patience = DispatchTime.now().uptimeNanoseconds + limitNanoseconds
    var sent = 0
    while sent < bytes.count {
      let (count, number) = bytes[sent...].withUnsafeBytes { part in
        let count = systemWrite(input, part.baseAddress, part.count)
        return (count, errno)
      }
      if count >= 0 {
        sent += count
      } else if number == EAGAIN {
        try wait(for: input, POLLOUT)
      } else if number != EINTR {
        throw EngineFailure(ending(otherwise: "it closed its input"))
      }
    }
  }

  package func read() throws(EngineFailure) -> [UInt8] {
    while true {
      let (bytes, number) = Self.piece(of: output)
      if let bytes, !bytes.isEmpty { return bytes }
      if bytes != nil { throw EngineFailure(ending(otherwise: "it closed its output")) }
      if number == EAGAIN {
        try wait(for: output, POLLIN)
      } else if number != EINTR {
        throw EngineFailure("its output cannot be read: \(SystemWords.of(number: number))")
      }
    }
  }

  package func end(isKilled: Bool) -> [String] {
    if isOver { return [] }
    isOver = true
    close(input)
    let last = DispatchTime.now().uptimeNanoseconds + (isKilled ? 0 : Self.farewellNanoseconds)
    var isOutputOpen = true
    while !hasEnded() {
      let rest = Self.milliseconds(until: last)
      if rest == 0 {
        _ = kill(-pid, SIGKILL)
        waitForEnd()
        break
      }
      // What it still writes is read and dropped, so that it does not wait for a reader.
      if isOutputOpen { isOutputOpen = pause(for: output, rest) } else { _ = poll(nil, 0, 1) }
    }
    keepErrors()
    close(output)
    close(errors)
    return errorLines
  }

  // MARK: - Waiting

  /// Waits until a descriptor is ready, or until the time for an answer is over.
  private func wait(for descriptor: CInt, _ event: Int32) throws(EngineFailure) {
    while true {
      let rest = Self.milliseconds(until: patience)
      if rest == 0 {
        throw EngineFailure("it did not answer within \(Double(limitNanoseconds) / 1_000_000_000) s")
      }
      let (isReady, number) = look(at: descriptor, event, rest)
      if number != 0, number != EINTR {
        throw EngineFailure("it cannot be waited for: \(SystemWords.of(number: number))")
      }
      if isReady { return }
    }
  }

  /// Waits so long for a descriptor, and keeps what it prints as errors meanwhile.
  /// - Returns: whether the descriptor is ready; and the number of an error, 0: there is none.
  private func look(at descriptor: CInt, _ event: Int32, _ milliseconds: CInt) -> (isReady: Bool, number: CInt) {
    var wanted = [
      pollfd(fd: descriptor, events: Int16(event), revents: 0),
      pollfd(fd: errorsAreOpen ? errors : -1, events: Int16(POLLIN), revents: 0),
    ]
    let count = poll(&wanted, 2, milliseconds)
    if count <= 0 { return (false, count < 0 ? errno : 0) }
    if wanted[1].revents != 0 { keepErrors() }
    return (wanted[0].revents != 0, 0)
  }

  /// Reads what comes at the end and forgets it.
  /// - Returns: whether more may come.
  private func pause(for descriptor: CInt, _ milliseconds: CInt) -> Bool {
    guard look(at: descriptor, POLLIN, milliseconds).isReady else { return true }
    let (bytes, number) = Self.piece(of: descriptor)
    return bytes.map { !$0.isEmpty } ?? (number == EAGAIN || number == EINTR)
  }

  /// At least one while there is any time left.
  private static func milliseconds(until end: UInt64) -> CInt {
    let now = DispatchTime.now().uptimeNanoseconds
    return end <= now ? 0 : CInt(min((end - now) / 1_000_000 + 1, 600_000))
  }

  // MARK: - Its end

  private func hasEnded() -> Bool {
    if status != nil { return true }
    var found: CInt = 0
    let ended = waitpid(pid, &found, WNOHANG)
    // ECHILD: its status was taken elsewhere. It is over all the same.
    if ended == pid || ended < 0 && errno == ECHILD { status = found }
    // What it started and left behind in its group ends with it.
    if ended == pid { _ = kill(-pid, SIGKILL) }
    return status != nil
  }

  private func waitForEnd() {
    var found: CInt = 0
    while waitpid(pid, &found, 0) < 0, errno == EINTR {}
    status = found
  }

  /// How it ended, as half a sentence; what closes its side may end a moment later.
  private func ending(otherwise: String) -> String {
    let last = DispatchTime.now().uptimeNanoseconds + 200_000_000
    while !hasEnded(), DispatchTime.now().uptimeNanoseconds < last { _ = poll(nil, 0, 1) }
    keepErrors()
    guard let status else { return otherwise }
    let signal = status & 0x7F
    return signal == 0 ? "it ended with exit code \(status >> 8 & 0xFF)" : "signal \(signal) ended it"
  }

  // MARK: - Its errors

  /// Takes what is there, at most so much that a flood ends.
  private func keepErrors() {
    var turns = 0
    while errorsAreOpen, turns < 16 {
      turns += 1
      let (bytes, number) = Self.piece(of: errors)
      guard let bytes else {
        if number == EINTR { continue }
        return
      }
      if bytes.isEmpty { errorsAreOpen = false }
      errorBytes += bytes
      errorBytes.removeFirst(max(0, errorBytes.count - Self.errorBytesMaximum))
    }
  }

  private var errorLines: [String] {
    let lines = errorBytes.split(separator: 10).suffix(Self.errorLinesMaximum)
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: - The system

  /// What is there to be read; empty: its end; `nil`: the number of an error.
  private static func piece(of descriptor: CInt) -> (bytes: [UInt8]?, number: CInt) {
    var number: CInt = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { room, count in
      let found = systemRead(descriptor, room.baseAddress, room.count)
      if found < 0 { number = errno }
      count = max(0, found)
    }
    return (number == 0 ? bytes : nil, number)
  }

  private struct Started {
    var pid: pid_t
    var input: CInt
    var output: CInt
    var errors: CInt
  }

  /// One at a time: between a pipe and its flag no other process may be started, which would have the pipe as well.
  private static let starting = Mutex(())
  /// A closed pipe is an error like others, and no signal.
  private static let ignoresClosedPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

  private static func start(_ words: [String]) -> Result<Started, EngineFailure> {
    _ = ignoresClosedPipes
    var open: [CInt] = []
    func failure(_ number: CInt) -> Result<Started, EngineFailure> {
      for one in open { close(one) }
      let name = words.first ?? ""
      return .failure(EngineFailure("\(name) cannot be started: \(SystemWords.of(number: number))"))
    }
    if words.isEmpty { return failure(ENOENT) }
    for _ in 0..<3 {
      var ends: [CInt] = [-1, -1]
      if pipe(&ends) != 0 { return failure(errno) }
      open += ends
    }
    for one in open { _ = fcntl(one, F_SETFD, FD_CLOEXEC) }
    // Its side and ours, of input, output and errors.
    let (inner, outer) = ([open[0], open[3], open[5]], [open[1], open[2], open[4]])
    for one in outer { _ = fcntl(one, F_SETFL, fcntl(one, F_GETFL) | O_NONBLOCK) }
    var pid: pid_t = 0
    let number = spawn(words, inner, &pid)
    if number != 0 { return failure(number) }
    for one in inner { close(one) }
    return .success(Started(pid: pid, input: outer[0], output: outer[1], errors: outer[2]))
  }

  /// - Returns: the number of an error; 0: there is none.
  private static func spawn(_ words: [String], _ descriptors: [CInt], _ pid: inout pid_t) -> CInt {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (place, descriptor) in descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, CInt(place))
    }
    // What this process ignores, an engine need not.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for one in [SIGPIPE, SIGINT, SIGTERM, SIGXFSZ] { sigaddset(&signals, one) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }.sorted()
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer { for one in arguments + environment { free(one) } }
    return posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, &environment)
  }
}

private func systemRead(_ descriptor: CInt, _ room: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  #if canImport(Glibc)
    Glibc.read(descriptor, room, count)
  #else
    Darwin.read(descriptor, room, count)
  #endif
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  #if canImport(Glibc)
    Glibc.write(descriptor, bytes, count)
  #else
    Darwin.write(descriptor, bytes, count)
  #endif
}
