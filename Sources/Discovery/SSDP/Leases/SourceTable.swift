import RollcallPrimitives

/// The addresses that announced something, each for as long as a lease or a device remembers it.
struct SourceTable {
  private(set) var records: [SourceRecord] = []
  private var slots = SlotTable()
  private var firstFree = none
  private let seed: UInt64

  init(seed: UInt64) { self.seed = seed }

  @inline(__always) func address(_ source: UInt32) -> IPAddress { records[Int(source)].address }

  /// - Parameter guess: one that is held, and is looked at first.
  func find(_ address: IPAddress, guess: UInt32 = none) -> UInt32 {
    if guess != none, records[Int(guess)].address == address { return guess }
    return slots.find(hash(address)) { records[Int($0)].address == address }
  }

  /// The number of an address, held once more.
  mutating func intern(_ address: IPAddress, guess: UInt32 = none) -> UInt32 {
    let known = find(address, guess: guess)
    if known != none {
      records[Int(known)].references += 1
      return known
    }
    var source = firstFree
    if source == none {
      source = UInt32(records.count)
      records.append(SourceRecord())
    } else {
      firstFree = records[Int(source)].nextFree
    }
    records[Int(source)] = SourceRecord(address: address, references: 1)
    slots.insert(hash(address), source)
    return source
  }

  mutating func retain(_ source: UInt32) { records[Int(source)].references += 1 }

  mutating func release(_ source: UInt32) {
    records[Int(source)].references -= 1
    guard records[Int(source)].references == 0 else { return }
    slots.remove(hash(records[Int(source)].address), source)
    records[Int(source)].nextFree = firstFree
    firstFree = source
  }

  mutating func countLease(_ source: UInt32, _ step: Int) {
    records[Int(source)].leases = UInt32(truncatingIfNeeded: Int(records[Int(source)].leases) + step)
  }
  mutating func setSearchPort(_ source: UInt32, _ port: Int32) { records[Int(source)].searchPort = port }
  mutating func setDevice(_ source: UInt32, _ device: UInt32) { records[Int(source)].device = device }

  private func hash(_ address: IPAddress) -> UInt32 {
    KeyBytes.hash(address.high, address.low ^ UInt64(address.family.rawValue) &<< 56, seed: seed)
  }
}
