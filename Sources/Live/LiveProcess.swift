import Dispatch
import NIOCore  // the trait Live
import RollcallPrimitives

#if Tool
  import Subprocess

  #if canImport(System)
    import System
  #else
    import SystemPackage
  #endif
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program of a machine: started, read line by line, and ended by its process group.
///
/// Its standard output is a terminal, so that lines come when they are printed: many programs keep what they print to a
/// pipe until there is a lot of it. It is told that the terminal can do nothing (`TERM=dumb`).
///
/// One program at a time; a start while one runs is not carried out. Lives on the event loop of a run. Without the trait
/// `Tool` no program can be started.
final class LiveProcess: @unchecked Sendable {
  /// Lines that are told of each program; more of its output is read and thrown away.
  static let linesMaximum = 200_000
  static let lineBytesMaximum = 65_536

  private let loop: any EventLoop
  private let tell: (ProcessSignal) -> Void
  private var group: pid_t?
  /// Signals for a program that is being started.
  private var pendingSignals: [Int32] = []
  private var isRunning = false
  private var isOver = false
  private let ended = DispatchGroup()

  /// - Parameter tell: called on the event loop.
  init(loop: any EventLoop, tell: @escaping (ProcessSignal) -> Void) { (self.loop, self.tell) = (loop, tell) }

  func want(_ effect: ProcessEffect) {
    switch effect {
    case .start(let words): start(words)
    case .signal(let number):
      if let group { Self.send(number, to: group) } else if isRunning { pendingSignals.append(number) }
    }
  }

  /// Nothing is told any more, and the program is asked to end; on the event loop.
  func close() {
    isOver = true
    want(.signal(SIGTERM))
  }

  /// Waits until the program has ended, and ends it if it does not do so by itself; off the event loop, after `close`.
  func waitForEnd() {
    guard ended.wait(timeout: .now() + .milliseconds(1_500)) == .timedOut else { return }
    loop.execute { self.want(.signal(SIGKILL)) }
    _ = ended.wait(timeout: .now() + .seconds(5))
  }

  /// The group that the program began is its own.
  private static func send(_ number: Int32, to group: pid_t) { _ = kill(-group, number) }

  private func start(_ words: [String]) {
    guard !isRunning, !isOver, !words.isEmpty else { return }
    isRunning = true
    ended.enter()
    #if Tool
      run(words)
    #else
      // Only the tool starts programs, and Subprocess is built in for it alone.
      loop.execute { self.finished(.notStarted(errno: ENOSYS)) }
    #endif
  }

  private func started(_ pid: pid_t) {
    group = pid
    for number in pendingSignals { Self.send(number, to: pid) }
    pendingSignals = []
  }

  private func finished(_ end: ProcessEnd) {
    (group, pendingSignals, isRunning) = (nil, [], false)
    ended.leave()
    if !isOver { tell(.ended(end)) }
  }

  private func say(_ lines: [[UInt8]], _ isError: Bool) {
    loop.execute {
      for line in lines where !self.isOver { self.tell(.line(line, isError: isError)) }
    }
  }
}

#if Tool
  extension LiveProcess {
    private func run(_ words: [String]) {
      var options = PlatformOptions()
      options.processGroupID = 0
      let configuration = SystemProgram.configuration(
        words, environment: .inherit.updating(["TERM": "dumb", "NO_COLOR": "1"]), platformOptions: options)
      let terminal: PseudoTerminal
      do { terminal = try PseudoTerminal() } catch {
        loop.execute { self.finished(.notStarted(errno: error.number)) }
        return
      }
      Task(priority: .high) {
        let end: ProcessEnd
        // The threads of tasks are few, and none of them may wait.
        let output = DispatchGroup()
        DispatchQueue(label: "rollcall.process", qos: .userInitiated).async(group: output) {
          terminal.read { self.say($0, false) }
        }
        do {
          let result = try await Subprocess.run(
            configuration, input: .none,
            output: .fileDescriptor(FileDescriptor(rawValue: terminal.inner), closeAfterSpawningProcess: true),
            error: .sequence
          ) { execution in
            let pid = execution.processIdentifier.value
            self.loop.execute { self.started(pid) }
            await self.read(execution.standardError, isError: true)
          }
          // Of a program that left others behind with its terminal no more is read than what is there.
          terminal.stop()
          await withCheckedContinuation { continuation in
            output.notify(queue: .global()) { continuation.resume() }
          }
          switch result.terminationStatus {
          case .exited(let code): end = .exit(code: code)
          case .signaled(let number): end = .signal(number)
          }
        } catch let error as SubprocessError {
          terminal.stop()
          end = .notStarted(errno: error.underlyingError?.rawValue ?? ENOENT)
        } catch {
          terminal.stop()
          end = .notStarted(errno: ENOENT)
        }
        self.loop.execute { self.finished(end) }
      }
    }

    /// Tells a stream line by line; an end that is no end of a line ends the last one.
    private func read(_ bytes: SubprocessOutputSequence, isError: Bool) async {
      var lines = LineCutter()
      // A stream that breaks has ended.
      do {
        for try await buffer in bytes {
          let whole = buffer.withUnsafeBytes { lines.take($0) }
          if !whole.isEmpty { say(whole, isError) }
        }
      } catch {}
      let rest = lines.end()
      if !rest.isEmpty { say(rest, isError) }
    }
  }
#endif

/// Bytes cut into lines, both with bounds.
struct LineCutter {
  private var pending: [UInt8] = []
  private var lineCount = 0

  /// The lines that ended within these bytes, without their ends.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      if byte != 10 {
        if pending.count < LiveProcess.lineBytesMaximum { pending.append(byte) }
        continue
      }
      lineCount += 1
      if lineCount <= LiveProcess.linesMaximum { lines.append(pending) }
      pending = []
    }
    return lines
  }

  /// What stands behind the last end of a line.
  mutating func end() -> [[UInt8]] {
    defer { pending = [] }
    return pending.isEmpty || lineCount >= LiveProcess.linesMaximum ? [] : [pending]
  }
}
