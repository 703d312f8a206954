import Primitives
import Wire

/// The (USN, ST) pairs that a search has heard: each once, by its bytes, for as long as the search lasts.
///
/// An index into the services of the search, which hold the texts.
struct ServiceSet {
  private var slots = SlotTable()
  private let seed: UInt64

  init(seed: UInt64) { self.seed = seed ^ 0x589965CC75374CC3 }

  /// Forgets all pairs and keeps the room, for the next search; what is large is given back.
  mutating func removeAll() { slots.removeAll(keepingCapacity: slots.count <= 256) }

  /// Whether the pair is among `services`.
  func contains(_ hash: UInt32, _ pair: Pair, in services: [ServiceSighting]) -> Bool {
    slots.find(hash) { pair.isSame(services[Int($0)].usn, services[Int($0)].target) } != none
  }

  /// Notes that the pair with this hash stands at `index` among the services.
  mutating func insert(_ hash: UInt32, at index: Int) { slots.insert(hash, UInt32(truncatingIfNeeded: index)) }

  func hash(_ pair: Pair) -> UInt32 {
    let usn = UInt64(KeyBytes.hash(pair.usn, seed: seed, folding: false))
    let target = UInt64(KeyBytes.hash(pair.target, seed: seed, folding: false))
    return KeyBytes.hash(usn &<< 32 | target, UInt64(pair.usn.count), seed: seed)
  }

  /// USN and ST as a message has them.
  struct Pair {
    var usn: UnsafeRawBufferPointer
    var target: UnsafeRawBufferPointer

    /// Bytes are compared where the text shows them all, and texts where it does not.
    func isSame(_ usn: String, _ target: String) -> Bool {
      Pair.isSame(self.usn, usn) && Pair.isSame(self.target, target)
    }

    private static func isSame(_ bytes: UnsafeRawBufferPointer, _ text: String) -> Bool {
      let isEqual = text.utf8.withContiguousStorageIfAvailable { text in
        KeyBytes.equal(UnsafeRawBufferPointer(text), bytes, folding: false)
      }
      // A byte that is no UTF-8 stands as `\xNN` in the text.
      return isEqual == true || text.utf8.count != bytes.count && SSDPText.text(bytes) == text
    }
  }
}

/// Of which leases a search was told: the serial of each, by number.
///
/// A lease that ends gives its number to another, whose serial differs; so nothing need be forgotten. It is a shortcut:
/// what it does not know, a `ServiceSet` does.
struct ToldLeases {
  /// Leases of higher numbers are looked up by name.
  private static let numbersMaximum = 1 << 16
  private var serials: [UInt32] = []

  @inline(__always) func holds(_ lease: UInt32, _ serial: UInt32) -> Bool {
    let number = Int(lease)
    return number < serials.count && serials[number] == serial
  }

  mutating func note(_ lease: UInt32, _ serial: UInt32) {
    let number = Int(lease)
    guard number < ToldLeases.numbersMaximum else { return }
    if number >= serials.count {
      let count = min(max(number + 1, serials.count * 2, 64), ToldLeases.numbersMaximum)
      serials.append(contentsOf: repeatElement(0, count: count - serials.count))
    }
    serials[number] = serial
  }
}
