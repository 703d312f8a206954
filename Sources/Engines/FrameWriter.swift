import RollcallPrimitives

/// Writes the fields of one frame, highest byte first.
struct FrameWriter {
  private var bytes: [UInt8]

  init(_ type: UInt8) { bytes = [0, 0, 0, 0, type] }

  init(_ type: UInt8, at time: Instant) {
    self.init(type)
    add(time.nanoseconds)
  }

  /// The frame with its length.
  var frame: [UInt8] {
    var frame = bytes
    let length = UInt32(bytes.count - 4)
    for place in 0..<4 { frame[place] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * place)) }
    return frame
  }

  mutating func add<Number: FixedWidthInteger>(_ number: Number) {
    for place in 0..<(Number.bitWidth / 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> Number(Number.bitWidth - 8 - 8 * place)))
    }
  }

  mutating func add(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  /// Bytes behind their number; what no number says is left out.
  mutating func add(counted all: ArraySlice<UInt8>) {
    let kept = all.prefix(Int(UInt16.max))
    add(UInt16(kept.count))
    bytes += kept
  }

  /// A text that is too long is cut behind a whole character.
  mutating func add(_ text: String) {
    let isShort = text.utf8.count <= Int(UInt16.max)
    // No character has more than four bytes.
    let kept = isShort ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(Int(UInt16.max) / 4)))
    add(counted: Array(kept.utf8)[...])
  }

  mutating func add(_ address: IPAddress) {
    bytes.append(address.family.rawValue)
    bytes += address.bytes
  }

  mutating func add(_ endpoint: Endpoint) {
    add(endpoint.address)
    add(endpoint.port)
  }

  mutating func add(_ search: Search) {
    add(search.id.number)
    add(search.target)
    add(UInt16(clamping: search.maximumWaitSeconds))
    add(UInt16(clamping: search.broadcasts))
    add((search.spacing ?? .seconds(Int64(search.maximumWaitSeconds))).nanoseconds)
    add(search.host != nil)
    if let host = search.host { add(host) }
    add(search.interface != nil)
    if let interface = search.interface { add(interface.number) }
  }
}
