import Foundation
import RollcallReporting

/// The figures of the house, each as a ratio to a named anchor that ran in the same process.
///
/// A figure is not a test: a target that is missed is printed as missed, and the exit code stays 0.
@main enum Bench {
  static let usage = """
    usage: bench [--smoke] [--json] [--only NAME]
           bench --passes parse|fanout|search|start|day|replay|lines|judge COUNT
                                                            bare work, for Tools/instructions.sh
           bench --peak COUNT                               the memory of COUNT devices, in this process
           bench --replay CAPTURE                           the memory of a replay: at half, at most
    """

  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    func refuse(_ what: String) -> Never {
      Output.complain("bench: \(what)\n\(usage)")
      exit(2)
    }
    var options = Options()
    while !arguments.isEmpty {
      let word = arguments.removeFirst()
      switch word {
      case "--smoke": options.isSmoke = true
      case "--json": options.isJSON = true
      case "--only":
        guard let name = arguments.first, Benchmark.allCases.contains(where: { $0.rawValue == name }) else {
          refuse("--only takes one of: \(Benchmark.allCases.map(\.rawValue).joined(separator: " "))")
        }
        options.only = Benchmark(rawValue: arguments.removeFirst())
      case "--passes":
        guard arguments.count == 2, let count = Int(arguments[1]), (1...1_000_000_000).contains(count),
          let work = BareWork(rawValue: arguments[0])
        else { refuse("--passes takes a kind of work and a count up to 1000000000") }
        let (operations, proof) = work.run(count)
        print("operations \(operations) proof \(Proof.text(proof))")
        return
      case "--peak":
        guard arguments.count == 1, let count = Int(arguments[0]), (1...1_000_000).contains(count) else {
          refuse("--peak takes a count up to 1000000")
        }
        print(SearchBenchmark.peakReport(deviceCount: count))
        return
      case "--replay":
        guard arguments.count == 1 else { refuse("--replay takes a capture") }
        print(ReplayBenchmark.memoryReport(arguments[0]))
        return
      case "--help", "-h":
        print(usage)
        return
      default: refuse("what is \(word)?")
      }
    }
    run(options)
  }

  private static func run(_ options: Options) {
    let began = ProcessClock.now()
    let report = Report(options)
    report.begin()
    var proof: UInt64 = 0
    for benchmark in Benchmark.allCases where options.only == nil || options.only == benchmark {
      proof = Proof.fold(proof, benchmark.run(options, report))
    }
    report.end(proof: proof, seconds: Double(ProcessClock.now() - began) / 1e9)
  }
}

struct Options {
  /// Everything tiny: to see that it runs, not how fast.
  var isSmoke = false
  var isJSON = false
  var only: Benchmark?

  /// `big`, or `tiny` for a smoke run.
  func size(_ big: Int, smoke tiny: Int) -> Int { isSmoke ? tiny : big }
  /// How often each contender runs.
  func passes(_ count: Int = 9) -> Int { isSmoke ? 1 : count }
}

/// What is measured, in the order of the table.
enum Benchmark: String, CaseIterable {
  case parse, fanout, search, memory, day, queue, streams, radio, advertising, connection, dns, services, sessions,
    descriptions, table, manager, store, trace, replay, command

  /// - Returns: a hash of what was computed, so that nothing is optimised away.
  func run(_ options: Options, _ report: Report) -> UInt64 {
    switch self {
    case .parse: ParseBenchmark.run(options, report)
    case .fanout: FanOutBenchmark.run(options, report)
    case .search: SearchBenchmark.run(options, report)
    case .memory: SearchBenchmark.runMemory(options, report)
    case .day: DayBenchmark.run(options, report)
    case .queue: QueueBenchmark.run(options, report)
    case .streams: StreamBenchmark.run(options, report)
    case .radio: RadioBenchmark.run(options, report)
    case .advertising: AdvertisingBenchmark.run(options, report)
    case .connection: ConnectionBenchmark.run(options, report)
    case .dns: DNSBenchmark.run(options, report)
    case .services: ServicesBenchmark.run(options, report)
    case .sessions: SessionBenchmark.run(options, report)
    case .descriptions: DescriptionBenchmark.run(options, report)
    case .table: TableBenchmark.run(options, report)
    case .manager: ManagerBenchmark.run(options, report)
    case .store: StoreBenchmark.run(options, report)
    case .trace: TraceBenchmark.run(options, report)
    case .replay: ReplayBenchmark.run(options, report)
    case .command: CommandBenchmark.run(options, report)
    }
  }
}

/// Work without a clock, for instruction counters: what N passes cost more than 2 N is theirs alone.
enum BareWork: String {
  case parse, fanout, search, start, day, replay, lines, judge

  func run(_ count: Int) -> (operations: Int, proof: UInt64) {
    switch self {
    case .parse: ParseBenchmark.passes(count)
    case .fanout: FanOutBenchmark.passes(count)
    case .search: SearchBenchmark.passes(count)
    case .start: SearchBenchmark.passes(count, startOnly: true)
    case .day: DayBenchmark.passes(count)
    case .replay: ReplayBenchmark.passes(count)
    case .lines: ReplayBenchmark.passes(count, .lines)
    case .judge: ReplayBenchmark.passes(count, .judge)
    }
  }
}
