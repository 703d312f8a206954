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
