import Dispatch

#if Tool
  import Subprocess

  #if canImport(System)
    import System
  #else
    import SystemPackage
  #endif

  /// A program that is run to its end while its caller waits.
  ///
  /// Foundation's `Process` wants a pair of connected sockets for each run, and hangs where the system gives none: in a
  /// network namespace whose loopback interface is down.
  package enum SystemProgram {
    /// How it ended.
    package struct Outcome: Hashable, Sendable {
      /// `nil`: a signal ended it.
      package var exitCode: Int32?
      package var output: [UInt8]
    }

    /// Runs a program and waits for its end; never called from a task, whose threads are few and may not wait.
    /// - Parameters:
    ///   - words: its name, which is looked for along PATH, or its path; then its arguments.
    ///   - variables: those of the environment that it is not given.
    ///   - input: what it reads from its standard input.
    ///   - keepsErrors: whether what it prints as errors stands among its output; else nobody sees it.
    /// - Returns: how it ended; `nil`: it could not be started.
    package static func run(
      _ words: [String], without variables: [String] = [], input: String = "", keepsErrors: Bool = true
    ) -> Outcome? {
      if words.isEmpty { return nil }
      var removed: [Environment.Key: String?] = [:]
      for variable in variables {
        if let key = Environment.Key(rawValue: variable) { removed.updateValue(nil, forKey: key) }
      }
      let configuration = configuration(words, environment: .inherit.updating(removed))
      let answer = Answer()
      Task.detached(priority: .high) {
        answer.give(await outcome(of: configuration, Array(input.utf8), keepsErrors: keepsErrors))
      }
      return answer.wait()
    }

    /// How a program is started.
    /// - Parameter words: at least one: its name, which is looked for along PATH, or its path; then its arguments.
    static func configuration(
      _ words: [String], environment: Environment, platformOptions: PlatformOptions = PlatformOptions()
    ) -> Configuration {
      Configuration(
        executable: words[0].contains("/") ? .path(FilePath(words[0])) : .name(words[0]),
        arguments: Arguments(Array(words.dropFirst())), environment: environment, platformOptions: platformOptions)
    }

    private static func outcome(
      of configuration: Configuration, _ input: [UInt8], keepsErrors: Bool
    ) async -> Outcome? {
      let (given, output) = (ArrayInput.array(input), BytesOutput.bytes(limit: .max))
      do {
        if keepsErrors {
          let result = try await Subprocess.run(configuration, input: given, output: output, error: .combinedWithOutput)
          return Outcome(exitCode: code(of: result.terminationStatus), output: result.standardOutput)
        }
        let result = try await Subprocess.run(configuration, input: given, output: output, error: .discarded)
        return Outcome(exitCode: code(of: result.terminationStatus), output: result.standardOutput)
      } catch { return nil }
    }

    private static func code(of status: TerminationStatus) -> Int32? {
      switch status {
      case .exited(let code): code
      case .signaled: nil
      }
    }

    /// What the caller waits for; it is set before the semaphore lets the caller go on.
    private final class Answer: @unchecked Sendable {
      private var outcome: Outcome?
      private let isThere = DispatchSemaphore(value: 0)

      func give(_ outcome: Outcome?) {
        self.outcome = outcome
        isThere.signal()
      }

      func wait() -> Outcome? {
        isThere.wait()
        return outcome
      }
    }
  }
#endif
