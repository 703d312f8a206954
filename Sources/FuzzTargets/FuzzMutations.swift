package import RollcallPrimitives

/// An endless, repeatable row of inputs made from the seeds of a target: what runs where no fuzzer is at hand.
package struct FuzzMutations {
  private let seeds: [[UInt8]]
  private let words: [[UInt8]]
  private var stream: RandomStream
  /// Longer inputs are cut.
  package var byteCountMaximum = 4_096

  package init(of target: FuzzTarget, seed: Seed) {
    seeds = target.seeds.isEmpty ? [[]] : target.seeds
    words = target.dictionary.map { Array($0.utf8) }
    stream = seed.stream("fuzz " + target.name)
  }

  /// The next input: a seed, changed one to eight times.
  package mutating func next() -> [UInt8] {
    var bytes = seeds[below(seeds.count)]
    for _ in 0...below(8) { mutate(&bytes) }
    if bytes.count > byteCountMaximum { bytes.removeLast(bytes.count - byteCountMaximum) }
    return bytes
  }

  private mutating func below(_ bound: Int) -> Int { Int(stream.below(UInt64(bound))) }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    let start = below(bytes.count + 1)
    let end = min(bytes.count, start + below(24))
    switch below(9) {
    case 0: bytes.insert(UInt8(below(256)), at: start)
    case 1: if start < bytes.count { bytes[start] ^= 1 << UInt8(below(8)) }
    case 2: bytes.removeSubrange(start..<end)
    case 3: bytes.insert(contentsOf: bytes[start..<end], at: below(bytes.count + 1))
    case 4: bytes.removeLast(bytes.count - start)
    case 5:
      // A line end, or half of one.
      let ends: [[UInt8]] = [[13, 10], [10], [13], [13, 10, 13, 10], [13, 10, 32], [0], [9], [58]]
      bytes.insert(contentsOf: ends[below(ends.count)], at: start)
    case 6:
      let other = seeds[below(seeds.count)]
      bytes.replaceSubrange(start..., with: other[min(start, other.count)...])
    default:
      if !words.isEmpty { bytes.insert(contentsOf: words[below(words.count)], at: start) }
    }
  }
}
