import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import RollcallSimulation
import RollcallTrace

/// What the inhabitants of a scenario are given, as lines.
struct Transcript {
  let result: RunResult
  private let names: [String]

  init(_ text: String, seed: UInt64 = 1) throws {
    let resolved = try Scenario(yaml: text, file: "test.yaml").resolved()
    names = resolved.hosts.map(\.name)
    result = Run.perform(
      resolved, seed: Seed(seed), options: RunOptions(recordedHosts: Array(resolved.hosts.indices)))
  }

  /// Every entry of the inhabitants as the trace has it.
  var lines: [String] {
    result.trace.filter { $0.station > 0 }.map { entry in
      TraceText.line(entry) { names[Int($0)] }
    }
  }

  /// `1003ms b x`: when, who, and the payload; after the first second also what the system says of interfaces and
  /// refusals.
  var heard: [String] {
    result.trace.compactMap { entry -> String? in
      guard entry.station > 0 else { return nil }
      let head = "\(Interval(nanoseconds: entry.time.nanoseconds)) \(names[Int(entry.station)])"
      switch entry.content {
      case .received(let datagram):
        let interface = datagram.interface.number == 0 ? "" : " if\(datagram.interface.number)"
        return "\(head)\(interface) \(Transcript.text(datagram.bytes))"
      case .signal(let signal) where entry.time > .zero:
        if case .application = signal { return nil }
        return "\(head) \(signal.value.text)"
      default: return nil
      }
    }
  }

  /// A long payload as its first byte and its length: `x*72`.
  private static func text(_ bytes: [UInt8]) -> String {
    bytes.count > 12 ? "\(WordWriter.escaped(bytes.prefix(1)))*\(bytes.count)" : WordWriter.escaped(bytes)
  }

  /// What became of the traffic, zeros left out.
  var counts: String {
    let counts = result.statistics
    let all = [
      ("transmitted", counts.transmitted), ("delivered", counts.delivered), ("lost", counts.lost),
      ("duplicated", counts.duplicated), ("corrupted", counts.corrupted), ("queue", counts.queueOverflows),
      ("buffer", counts.bufferOverflows), ("partitioned", counts.partitioned), ("unreachable", counts.unreachable),
      ("down", counts.interfaceDown), ("notForwarded", counts.notForwarded),
    ]
    return all.filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}
