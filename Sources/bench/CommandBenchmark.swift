import Foundation

/// The command as a shell starts it: real time from the start of the process to its end, beside a process that does nothing.
enum CommandBenchmark {
  private static let program = ".build/release/rollcall"

  static func run(_ options: Options, _ report: Report) -> UInt64 {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      report.note("command: left out, since there is no \(program): `make tool` builds it")
      return 0
    }
    let small = ["run", "Scenarios/ssdp/quick-return.yaml"]
    report.note("command: real time, the least of the passes")
    let nothing = seconds(["/bin/true"], passes: options.passes(20))
    let one = seconds([program] + small, passes: options.passes(20))
    guard let nothing, let one else {
      report.note("command: left out: \(([program] + small).joined(separator: " ")) does not pass")
      return 0
    }
    report.add(
      Figure(
        name: "one small scenario from the shell", value: one * 1e3, unit: "ms", anchor: ("/bin/true", nothing * 1e3),
        ratio: one / nothing, target: .atMost(100), aimsAtValue: true))
    if options.isSmoke { return 1 }
    guard let whole = seconds([program, "run", "Scenarios"], passes: 3) else {
      report.note("command: left out: \(program) run Scenarios does not pass")
      return 1
    }
    report.add(
      Figure(
        name: "all scenarios, default seeds", value: whole, unit: "s", anchor: ("one small scenario", one),
        ratio: whole / one, target: .atMost(5), aimsAtValue: true))
    return 2
  }

  /// The least that a command took; `nil`: it did not end with 0.
  private static func seconds(_ command: [String], passes: Int) -> Double? {
    var least = Double.infinity
    for _ in 0..<passes {
      let began = ContinuousClock.now
      guard succeeds(command) else { return nil }
      let time = ContinuousClock.now - began
      least = min(least, Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18)
    }
    return least
  }

  /// By the system alone: Foundation looks only now and then whether a process has ended.
  private static func succeeds(_ command: [String]) -> Bool {
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    var (process, status): (pid_t, Int32) = (0, 0)
    guard posix_spawn(&process, command[0], &actions, nil, &words, environ) == 0 else { return false }
    return waitpid(process, &status, 0) == process && status == 0
  }
}
