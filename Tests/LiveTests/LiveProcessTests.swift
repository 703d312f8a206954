import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallTrace
import Testing

@testable import RollcallLive

/// Starts a program when it is told of an interface, and stops when the program has ended, or says a word.
private struct Starter: Machine, Sendable {
  var words: [String]
  /// Sent when a line of the program is this one.
  var signals: [String: Int32] = [:]
  var lines: [String] = []
  var end: ProcessEnd?
  var deadline: Instant? { nil }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .value(let id) = signal else { return }
    switch outbox.values[id] {
    case .host(.interface): outbox.want(ProcessEffect.start(words))
    case .process(.line(let bytes, let isError)):
      let text = String(decoding: bytes.prefix(40), as: UTF8.self)
      lines.append((isError ? "! " : "") + text + (bytes.count > 40 ? " … \(bytes.count)" : ""))
      if let number = signals[text] { outbox.want(ProcessEffect.signal(number)) }
    case .process(.ended(let end)): self.end = end
    default: break
    }
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {}
}

@Suite("A program of a machine") struct LiveProcessTests {
  /// On a thread that may wait: those of tests are the ones on which tasks run.
  private func run(
    _ starter: Starter, until isOver: @escaping @Sendable (Starter) -> Bool = { $0.end != nil }
  ) async throws -> Starter {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        let live = LiveMachine(starter)
        let plan = LivePlan(interfaces: ["lo"], duration: .seconds(600))
        let run = LiveRun(plan, party: live) { [LiveInterface(name: "lo", index: 1, isUp: true)] }
        live.onTurn = { starter, _ in if isOver(starter) { run.stop() } }
        continuation.resume(with: Result { try run.run() }.map { live.machine })
      }
    }
  }

  private func shell(_ text: String) -> Starter { Starter(words: ["sh", "-c", text]) }

  @Test("its lines come one by one, those of its standard error marked, then its end")
  func lines() async throws {
    let plain = try await run(shell("echo one; echo; printf 'two\\nlast'; exit 3"))
    expectEqual(plain.lines, ["one", "", "two", "last"])
    expectEqual(plain.end, .exit(code: 3))
    let errors = try await run(shell("echo bad >&2"))
    expectEqual(errors.lines, ["! bad"])
    expectEqual(errors.end, .exit(code: 0))
    let path = try await run(Starter(words: ["/bin/echo", "a  b", "", "$HOME"]))
    expectEqual(path.lines, ["a  b  $HOME"])
  }

  @Test(
    "its output is a terminal that can do nothing: a program that keeps back what it writes to a pipe prints at once")
  func terminal() async throws {
    let shown = try await run(
      shell("test -t 1 && echo terminal; test -t 2 || echo no; echo $TERM $NO_COLOR; printf 'a\\tb\\r\\n'"))
    expectEqual(shown.lines, ["terminal", "no", "dumb 1", "a\tb\r"])
    // A buffer of the C library would hold this back until the end, which does not come.
    var waiting = Starter(words: ["awk", "BEGIN { print \"up\"; while (1) {} }"])
    waiting.signals = ["up": 9]
    let ended = try await run(waiting)
    expectEqual(ended.lines, ["up"])
    expectEqual(ended.end, .signal(9))
  }

  @Test("it is ended by a signal to its group, and one that cannot be started is said")
  func ends() async throws {
    var asked = shell("sleep 60 & echo up; wait")
    asked.signals = ["up": 15]
    try await expectEqual(run(asked).end, .signal(15))
    var stubborn = shell("trap 'echo no' TERM; echo up; while :; do sleep 0.05; done")
    stubborn.signals = ["up": 15, "no": 9]
    let ended = try await run(stubborn)
    // A shell says on its standard error what became of its own children.
    expectEqual(ended.lines.filter { !$0.hasPrefix("! ") }, ["up", "no"])
    expectEqual(ended.end, .signal(9))
    try await expectEqual(run(Starter(words: ["/nowhere/at-all"])).end, .notStarted(errno: 2))
    try await expectEqual(run(Starter(words: ["no-such-program-anywhere"])).end, .notStarted(errno: 2))
  }

  @Test("a process that it leaves behind with its output open does not keep it")
  func leftBehind() async throws {
    let starter = try await run(shell("sleep 20 & echo gone"))
    expectEqual(starter.lines, ["gone"])
    expectEqual(starter.end, .exit(code: 0))
  }

  @Test("a run that ends takes its program with it")
  func taken() async throws {
    // The group of the shell: who asks for it after the run finds nobody.
    let starter = try await run(shell("trap '' TERM; echo $$; while :; do sleep 0.05; done")) { !$0.lines.isEmpty }
    let group = try #require(starter.lines.first)
    let look = try await run(shell("kill -0 -- -\(group) 2>/dev/null && echo there || echo nobody"))
    expectEqual(look.lines, ["nobody"])
  }

  @Test("lines and their number have bounds")
  func bounds() {
    var cutter = LineCutter()
    func take(_ text: String) -> [Int] { Array(text.utf8).withUnsafeBytes { cutter.take($0) }.map(\.count) }
    let long = String(repeating: "x", count: LiveProcess.lineBytesMaximum + 5)
    expectEqual(take(long + "\nab\n"), [LiveProcess.lineBytesMaximum, 2])
    expectEqual(take("a"), [])
    expectEqual(take("b\n\n"), [2, 0])
    expectEqual(take(String(repeating: "\n", count: LiveProcess.linesMaximum)).count, LiveProcess.linesMaximum - 4)
    expectEqual(take("more\nrest"), [])
    #expect(cutter.end().isEmpty)
    var other = LineCutter()
    #expect(Array("tail".utf8).withUnsafeBytes { other.take($0) }.isEmpty)
    expectEqual(other.end(), [Array("tail".utf8)])
    #expect(other.end().isEmpty)
  }
}
