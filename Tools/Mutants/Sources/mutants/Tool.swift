import Foundation

/// Programs that this one starts.
enum Tool {
  struct Result {
    /// Of the program; 128 and the signal that ended it; `nil`: it took too long and was ended.
    var code: Int32?
    var output: String
    var seconds: Double
  }

  /// Runs a program to its end, or ends it after `seconds`.
  ///
  /// Started with posix_spawn, since Foundation's `Process` crashes now and then where several threads start programs at
  /// once. `timeout` ends the program, so that none is left behind where this one is killed.
  /// - Parameter output: keeps what it writes; without, it is thrown away.
  static func run(
    _ words: [String], environment: [String: String] = [:], folder: URL? = nil, seconds: Double,
    keepsOutput: Bool = true
  ) throws -> Result {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("mutants-\(UUID().uuidString)")
    defer { if keepsOutput { try? FileManager.default.removeItem(at: file) } }
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let started = ContinuousClock.now
    let place = folder.map { ["env", "--chdir=\($0.path)"] } ?? []
    let status = try spawned(
      place + ["timeout", "--signal=KILL", "\(seconds)"] + words, variables.map { "\($0)=\($1)" }.sorted(),
      output: keepsOutput ? file.path : "/dev/null")
    let took = (ContinuousClock.now - started) / .seconds(1)
    let text = keepsOutput ? String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self) : ""
    let signal = status & 0x7F
    let code = signal == 0 ? status >> 8 & 0xFF : 128 + signal
    // `timeout` ends itself with the signal that it sends.
    let isOver = code == 128 + SIGKILL && took >= seconds
    return Result(code: isOver ? nil : code, output: text, seconds: took)
  }

  /// Starts a program with standard output and standard error in a file, and waits for it.
  /// - Returns: the status of waitpid.
  private static func spawned(_ words: [String], _ variables: [String], output: String) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    let arguments = words.map { strdup($0) } + [nil]
    let environment = variables.map { strdup($0) } + [nil]
    defer { for pointer in arguments + environment { free(pointer) } }
    var child: pid_t = 0
    let problem = posix_spawnp(&child, words[0], &actions, nil, arguments, environment)
    if problem != 0 { throw Complaint("\(words[0]) cannot be started: \(String(cString: strerror(problem)))") }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      if errno != EINTR { throw Complaint("\(words[0]): \(String(cString: strerror(errno)))") }
    }
    return status
  }
}
