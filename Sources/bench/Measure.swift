import Foundation

/// CPU time of this process, user and system, in nanoseconds: other programs on the machine do not count.
enum ProcessClock {
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// Folds results together, so that every one of them is needed.
enum Proof {
  @inline(__always) static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = (left ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: right ^ 0xE703_7ED1_A0B4_28DB)
    return product.high ^ product.low
  }

  static func text(_ proof: UInt64) -> String {
    let digits = String(proof, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// One of several ways to do the same thing.
struct Contender {
  var name: String
  /// Sets the work up, unmeasured; the closure that it gives back does it and says how many operations it did.
  var prepare: () -> () -> (operations: Int, proof: UInt64)

  init(_ name: String, prepare: @escaping () -> () -> (operations: Int, proof: UInt64)) {
    (self.name, self.prepare) = (name, prepare)
  }

  /// Work that needs no setting up and is the same every time.
  init(_ name: String, operations: Int, _ work: @escaping () -> UInt64) {
    self.init(name) { { (operations, work()) } }
  }
}

/// How long each contender took in each pass, in nanoseconds an operation.
///
/// All contenders run in each pass, one after the other, so that what disturbs the machine disturbs all of them; a
/// ratio is the median of the ratios of the passes and not the ratio of two medians.
struct Contest {
  private(set) var samples: [[Double]]
  private(set) var proof: UInt64 = 0

  init(_ contenders: [Contender], passes: Int) {
    samples = contenders.map { _ in [] }
    // The first pass warms caches up and does not count, unless it is the only one.
    for pass in 0...passes {
      for (index, contender) in contenders.enumerated() {
        if pass == 0, passes == 1 { continue }
        let work = contender.prepare()
        let began = ProcessClock.now()
        let (operations, result) = work()
        let elapsed = ProcessClock.now() - began
        // What it was set up with goes afterwards.
        withExtendedLifetime(work) {}
        proof = Proof.fold(proof, result)
        if pass > 0 { samples[index].append(Double(max(1, elapsed)) / Double(max(1, operations))) }
      }
    }
  }

  func median(_ contender: Int) -> Double { Contest.median(samples[contender]) }

  /// How many times as long the first one takes as the second one.
  func ratio(_ first: Int, to second: Int) -> Double {
    Contest.median(zip(samples[first], samples[second]).map { $0 / $1 })
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    if sorted.isEmpty { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

/// Memory of this process in bytes, as the system counts it; `nil` where it does not say.
enum ResidentMemory {
  static var now: Int? { field("VmRSS:") }
  /// The most there ever was.
  static var peak: Int? { field("VmHWM:") }

  /// The peak begins anew (Linux): it is no more than what there is now, which is the answer.
  static func restartPeak() -> Int? {
    guard let file = fopen("/proc/self/clear_refs", "w") else { return nil }
    fputs("5", file)
    return fclose(file) == 0 ? now : nil
  }

  private static func field(_ name: String) -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    for line in status.split(separator: "\n") where line.hasPrefix(name) {
      return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 }
    }
    return nil
  }
}
