import RollcallPrimitives
import RollcallSimulation

/// The hold model: take what is due next, file it again at a random time within three seconds.
///
/// On our side that is a wake of a world's schedule, with what it keeps of each host's next wake; the anchor is a bare
/// binary heap of the same entries, about as fast as `std::priority_queue` in C++.
enum QueueBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    report.note(
      "queue: take the next event and schedule one within 3 s; the heap files 16 bytes in an array, ties in order")
    var proof: UInt64 = 0
    for pending in options.isSmoke ? [10] : [1_000, 100_000] {
      let cycles = options.size(400_000, smoke: 100)
      let contest = Contest(
        [
          Contender("schedule") { schedule(pending: pending, cycles: cycles) },
          Contender("heap") { heap(pending: pending, cycles: cycles) },
        ], passes: options.passes(9))
      report.add(
        Figure(
          name: "event cycle, \(Report.number(Double(pending))) pending", value: contest.median(0), unit: "ns",
          anchor: ("own plain binary heap", contest.median(1)), ratio: contest.ratio(0, to: 1), target: .atMost(0.4)))
      proof = Proof.fold(proof, contest.proof)
    }
    return proof
  }

  private static let delays: ClosedRange<Interval> = .zero ... .seconds(3)

  private static func schedule(pending: Int, cycles: Int) -> () -> (operations: Int, proof: UInt64) {
    let schedule = Schedule(hostCount: pending)
    var dice = Seed(3).stream("queue")
    for host in 0..<pending { schedule.wake(host: host, at: .zero + dice.interval(in: delays)) }
    return {
      var sum: UInt64 = 0
      for _ in 0..<cycles {
        guard case .wake(let host) = schedule.next(until: .never) else { break }
        sum = sum &* 31 &+ UInt64(truncatingIfNeeded: host)
        schedule.wake(host: host, at: schedule.now + dice.interval(in: delays))
      }
      schedule.end()
      return (cycles, sum)
    }
  }

  private static func heap(pending: Int, cycles: Int) -> () -> (operations: Int, proof: UInt64) {
    var heap = BinaryHeap()
    var dice = Seed(3).stream("queue")
    for host in 0..<pending { heap.push(host, at: dice.interval(in: delays).nanoseconds) }
    return {
      var sum: UInt64 = 0
      for _ in 0..<cycles {
        let entry = heap.pop()
        sum = sum &* 31 &+ entry.key & 0xFFF_FFFF
        heap.push(Int(entry.key & 0xFFF_FFFF), at: entry.time + dice.interval(in: delays).nanoseconds)
      }
      return (cycles, sum)
    }
  }
}

/// The textbook: an array, two children a node, ties by sequence number.
private struct BinaryHeap {
  struct Entry {
    var time: Int64
    var key: UInt64
    static func < (left: Entry, right: Entry) -> Bool {
      left.time != right.time ? left.time < right.time : left.key < right.key
    }
  }
  private var entries: [Entry] = []
  private var sequence: UInt64 = 0

  mutating func push(_ value: Int, at time: Int64) {
    sequence += 1
    let entry = Entry(time: time, key: sequence << 28 | UInt64(value))
    entries.append(entry)
    var index = entries.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      if !(entry < entries[parent]) { break }
      entries[index] = entries[parent]
      index = parent
    }
    entries[index] = entry
  }

  mutating func pop() -> Entry {
    let top = entries[0]
    let last = entries.removeLast()
    if entries.isEmpty { return top }
    var index = 0
    while true {
      var child = 2 * index + 1
      if child >= entries.count { break }
      if child + 1 < entries.count, entries[child + 1] < entries[child] { child += 1 }
      if !(entries[child] < last) { break }
      entries[index] = entries[child]
      index = child
    }
    entries[index] = last
    return top
  }
}
