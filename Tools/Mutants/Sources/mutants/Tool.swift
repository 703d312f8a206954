import Foundation

/// Programs that this one starts.
enum Tool {
  struct Result {
    /// Of the program; `nil`: it took too long and was ended.
    var code: Int32?
    var output: String
    var seconds: Double
  }

  /// Runs a program to its end, or ends it after `seconds`.
  /// - Parameter output: keeps what it writes; without, it is thrown away.
  static func run(
    _ words: [String], environment: [String: String] = [:], folder: URL? = nil, seconds: Double,
    keepsOutput: Bool = true
  ) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("mutants-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    var handle = FileHandle.nullDevice
    if keepsOutput {
      guard FileManager.default.createFile(atPath: file.path, contents: nil),
        let opened = FileHandle(forWritingAtPath: file.path)
      else { throw Complaint("\(file.path): cannot be written") }
      handle = opened
    }
    process.standardOutput = handle
    process.standardError = handle
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    let started = ContinuousClock.now
    try process.run()
    var wasEnded = false
    if ended.wait(timeout: .now() + seconds) == .timedOut {
      wasEnded = true
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
    }
    let took = (ContinuousClock.now - started) / .seconds(1)
    let text = keepsOutput ? String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self) : ""
    let isSignal = process.terminationReason == .uncaughtSignal
    return Result(
      code: wasEnded ? nil : (isSignal ? 128 : 0) + process.terminationStatus, output: text, seconds: took)
  }
}
