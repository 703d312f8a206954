/// A cursor that writes bytes into memory that somebody else owns, and never past its end.
///
/// An append is done whole or not at all. Once one did not fit, `overflowed` stays set and every later one is
/// refused too, so what was written is always a clean beginning of what was meant.
@frozen public struct ByteWriter {
  public let memory: UnsafeMutableRawBufferPointer
  @usableFromInline var used: Int
  @usableFromInline var isClosed: Bool

  @inlinable public init(_ memory: UnsafeMutableRawBufferPointer) {
    (self.memory, used, isClosed) = (memory, 0, false)
  }

  /// Bytes written so far.
  @inlinable public var count: Int { used }

  /// Whether something did not fit.
  @inlinable public var overflowed: Bool { isClosed }

  /// Bytes that still fit.
  @inlinable public var room: Int { isClosed ? 0 : memory.count &- used }

  /// Makes room for so many bytes and says where they go; `nil` where they do not fit.
  @inlinable mutating func advance(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    guard !isClosed, byteCount <= memory.count &- used, let base = memory.baseAddress else {
      isClosed = isClosed || byteCount > 0
      return nil
    }
    used &+= byteCount
    return base + (used &- byteCount)
  }

  @inlinable public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, let target = advance(bytes.count) else { return }
    target.copyMemory(from: source, byteCount: bytes.count)
  }

  @inlinable public mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

  @inlinable public mutating func append(_ text: StaticString) {
    precondition(text.hasPointerRepresentation, "a literal of one character is no text")
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Text as UTF-8.
  @inlinable public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  @inlinable public mutating func append(byte: UInt8) {
    guard let target = advance(1) else { return }
    target.storeBytes(of: byte, as: UInt8.self)
  }

  /// A number in decimal, without leading zeros.
  @inlinable public mutating func append(decimal value: Int64) {
    var rest = value.magnitude
    if value >= 0, value < 10 { return append(byte: 48 &+ UInt8(truncatingIfNeeded: rest)) }
    var digits = 1
    var power: UInt64 = 10
    while digits < 19, rest >= power {
      digits &+= 1
      power = power &* 10
    }
    let sign = value < 0 ? 1 : 0
    guard let target = advance(digits &+ sign) else { return }
    if sign == 1 { target.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self) }
    var offset = digits &+ sign
    while offset > sign {
      offset &-= 1
      target.storeBytes(of: 48 &+ UInt8(truncatingIfNeeded: rest % 10), toByteOffset: offset, as: UInt8.self)
      rest /= 10
    }
  }

  /// A field value out of text that somebody else chose: control bytes other than tab become spaces, so that no
  /// value can end its line and begin a field of its own.
  public mutating func append(value text: String) {
    var text = text
    text.withUTF8 { bytes in
      guard let target = advance(bytes.count) else { return }
      for offset in 0..<bytes.count {
        let byte = bytes[offset]
        target.storeBytes(of: byte < 32 && byte != 9 || byte == 127 ? 32 : byte, toByteOffset: offset, as: UInt8.self)
      }
    }
  }
}
