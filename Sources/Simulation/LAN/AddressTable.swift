import RollcallPrimitives

/// Which port owns which address on which segment: one probe a unicast datagram.
struct AddressTable {
  private struct Entry {
    var address: IPAddress
    var segment: Int32
    /// −1: never used; −2: removed.
    var port: Int32
  }
  private var entries: [Entry]
  private var used = 0

  init() {
    entries = Array(repeating: Entry(address: IPAddress(v4: 0), segment: 0, port: -1), count: 64)
  }

  @inline(__always) private func start(_ address: IPAddress, _ segment: Int32) -> Int {
    let hash = Digest.fold(
      address.low ^ UInt64(truncatingIfNeeded: segment) &<< 40 ^ 0xE703_7ED1_A0B4_28DB,
      address.high ^ 0x8EBC_6AF0_9C88_C6E3)
    return Int(truncatingIfNeeded: hash) & (entries.count &- 1)
  }

  @inline(__always) func port(of address: IPAddress, on segment: Int32) -> Int? {
    var index = start(address, segment)
    while entries[index].port != -1 {
      if entries[index].port >= 0, entries[index].address == address, entries[index].segment == segment {
        return Int(entries[index].port)
      }
      index = (index &+ 1) & (entries.count &- 1)
    }
    return nil
  }

  /// The last one who takes an address has it.
  mutating func insert(_ address: IPAddress, on segment: Int32, port: Int) {
    remove(address, on: segment)
    if used * 2 >= entries.count { grow() }
    place(Entry(address: address, segment: segment, port: Int32(port)))
  }

  mutating func remove(_ address: IPAddress, on segment: Int32) {
    var index = start(address, segment)
    while entries[index].port != -1 {
      if entries[index].port >= 0, entries[index].address == address, entries[index].segment == segment {
        entries[index].port = -2
        return
      }
      index = (index &+ 1) & (entries.count &- 1)
    }
  }

  private mutating func place(_ entry: Entry) {
    var index = start(entry.address, entry.segment)
    while entries[index].port >= 0 { index = (index &+ 1) & (entries.count &- 1) }
    if entries[index].port == -1 { used += 1 }
    entries[index] = entry
  }

  private mutating func grow() {
    let old = entries
    entries = Array(repeating: Entry(address: IPAddress(v4: 0), segment: 0, port: -1), count: old.count * 2)
    used = 0
    for entry in old where entry.port >= 0 { place(entry) }
  }
}
