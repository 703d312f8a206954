import RollcallPrimitives

/// The bytes of an input as decisions: what a machine target does with them.
///
/// At the end of the bytes every decision is 0, so a shorter input is the beginning of a longer one.
struct ByteChoices {
  private let bytes: [UInt8]
  private(set) var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isOver: Bool { position >= bytes.count }

  mutating func byte() -> UInt8 {
    guard position < bytes.count else { return 0 }
    defer { position += 1 }
    return bytes[position]
  }

  /// A number below `bound`, which is at least 1 and at most 256.
  mutating func below(_ bound: Int) -> Int { Int(byte()) % bound }

  mutating func bool() -> Bool { byte() & 1 == 1 }

  /// One of these.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// This many bytes, or the rest if there are fewer.
  mutating func take(_ count: Int) -> [UInt8] {
    let end = min(bytes.count, position + count)
    defer { position = end }
    return Array(bytes[position..<end])
  }
}

/// Says that something does not hold.
func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws(FuzzFinding) {
  if !condition { throw FuzzFinding(what()) }
}

/// Where an input is cut to see what becomes of its beginning: few places, other ones for every input.
func cuts(of bytes: [UInt8]) -> [Int] {
  guard bytes.count > 1 else { return [] }
  let digest = bytes.withUnsafeBytes { Digest.hash($0) }
  return [bytes.count - 1, bytes.count / 2, Int(digest % UInt64(bytes.count))]
}
