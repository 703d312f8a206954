import RollcallPrimitives
import RollcallWire

/// The (USN, ST) pairs that a search has heard: each once, by its bytes, for as long as the search lasts.
///
/// An index into the services of the search, which hold the texts.
struct ServiceSet {
  private var slots = SlotTable()

  /// Forgets all pairs and keeps the room, for the next search; what is large is given back.
  mutating func removeAll() { slots.removeAll(keepingCapacity: slots.count <= 256) }

  /// Whether the pair is among `services`.
  ///
  /// - Parameter hash: see `LeaseTable.answerHash`.
  func contains(_ hash: UInt32, _ pair: Pair, in services: [ServiceSighting]) -> Bool {
    slots.find(hash) { pair.isSame(services[Int($0)].names) } != none
  }

  /// Notes that the pair with this hash stands at `index` among the services.
  mutating func insert(_ hash: UInt32, at index: Int) { slots.insert(hash, UInt32(truncatingIfNeeded: index)) }

  /// USN and ST as a message has them.
  struct Pair {
    var usn: UnsafeRawBufferPointer
    var target: UnsafeRawBufferPointer

    func isSame(_ names: ServiceNames) -> Bool {
      Pair.isSame(usn, names.usnBytes) && Pair.isSame(target, names.targetBytes)
    }

    /// Bytes are compared where the text shows them all, and texts where it does not: a byte that is no UTF-8 stands as
    /// `\xNN` in the text.
    private static func isSame(_ bytes: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer) -> Bool {
      KeyBytes.equal(text, bytes, folding: false)
        || text.count != bytes.count && SSDPText.text(bytes) == String(decoding: text, as: UTF8.self)
    }
  }
}

/// Of which leases a search was told: their marks.
///
/// A lease that ends takes its mark with it, so nothing need be forgotten. It is a shortcut: what it does not know, a
/// `ServiceSet` does. Marks are given in order, so their lowest bits are as good as a hash, and the few that one search
/// hears lie close together.
struct ToldLeases {
  /// Beyond these, leases are looked up by name.
  private static let countMaximum = 1 << 16
  /// 0: free.
  private var marks: [UInt32] = []
  private var count = 0

  @inline(__always) func holds(_ mark: UInt32) -> Bool {
    if marks.isEmpty { return false }
    var place = Int(mark) & (marks.count &- 1)
    while marks[place] != 0 {
      if marks[place] == mark { return true }
      place = (place &+ 1) & (marks.count &- 1)
    }
    return false
  }

  mutating func note(_ mark: UInt32) {
    guard count < ToldLeases.countMaximum else { return }
    if (count + 1) * 3 > marks.count * 2 { grow() }
    var place = Int(mark) & (marks.count &- 1)
    while marks[place] != 0 {
      if marks[place] == mark { return }
      place = (place &+ 1) & (marks.count &- 1)
    }
    marks[place] = mark
    count += 1
  }

  @inline(never) private mutating func grow() {
    let known = marks
    marks = [UInt32](repeating: 0, count: max(16, known.count * 2))
    count = 0
    for mark in known where mark != 0 { note(mark) }
  }
}
