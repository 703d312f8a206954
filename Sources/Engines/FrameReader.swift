import RollcallPrimitives

/// Reads the fields of one frame that a stranger wrote, and says at which byte it is not as it should be.
struct FrameReader {
  /// From the first byte of its length on.
  private let frame: [UInt8]
  /// Of the next field.
  private(set) var offset = 5

  /// - Parameter frame: a whole one, from its length on.
  init(_ frame: [UInt8]) { self.frame = frame }

  private mutating func take(_ count: Int, _ expected: String) throws(FrameFault) -> ArraySlice<UInt8> {
    guard frame.count - offset >= count else {
      let rest = frame.count - offset
      throw FrameFault(at: offset, expected: "\(expected), \(count) bytes", found: "\(rest) bytes, and the frame ends")
    }
    let start = offset
    offset += count
    return frame[start..<offset]
  }

  mutating func number<Number: FixedWidthInteger>(
    _ type: Number.Type, _ expected: String
  ) throws(FrameFault) -> Number {
    var number: Number = 0
    for byte in try take(Number.bitWidth / 8, expected) { number = number << 8 | Number(truncatingIfNeeded: byte) }
    return number
  }

  mutating func flag(_ expected: String) throws(FrameFault) -> Bool {
    let start = offset
    switch try number(UInt8.self, expected) {
    case 0: return false
    case 1: return true
    case let other: throw FrameFault(at: start, expected: "\(expected): 0 or 1", found: "\(other)")
    }
  }

  /// Bytes behind their number.
  mutating func bytes(_ expected: String, atMost maximum: Int) throws(FrameFault) -> ArraySlice<UInt8> {
    let start = offset
    let count = Int(try number(UInt16.self, "the length of \(expected)"))
    guard count <= maximum else {
      throw FrameFault(at: start, expected: "\(expected) of at most \(maximum) bytes", found: "\(count)")
    }
    return try take(count, expected)
  }

  mutating func text(
    _ expected: String, atMost maximum: Int = EngineFrame.textBytesMaximum
  ) throws(FrameFault) -> String {
    let start = offset + 2
    let bytes = try bytes(expected, atMost: maximum)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw FrameFault(at: start, expected: "\(expected) in UTF-8", found: "other bytes")
    }
    return text
  }

  /// The name of a device.
  mutating func device() throws(FrameFault) -> String {
    let start = offset
    let name = try text("the name of a device")
    if name.isEmpty { throw FrameFault(at: start, expected: "the name of a device", found: "an empty text") }
    return name
  }

  mutating func address(_ expected: String) throws(FrameFault) -> IPAddress {
    let start = offset
    let family = try number(UInt8.self, "the family of \(expected)")
    guard family == 4 || family == 6 else {
      throw FrameFault(at: start, expected: "the family of \(expected): 4 or 6", found: "\(family)")
    }
    guard let address = IPAddress(bytes: try take(family == 4 ? 4 : 16, expected)) else {
      preconditionFailure("so many bytes are an address")
    }
    return address
  }

  /// An address and a port, which is not 0.
  mutating func endpoint(_ expected: String) throws(FrameFault) -> Endpoint {
    let address = try address(expected)
    return Endpoint(address, port: try port("the port of \(expected)"))
  }

  mutating func port(_ expected: String) throws(FrameFault) -> UInt16 {
    let start = offset
    let port = try number(UInt16.self, expected)
    if port == 0 { throw FrameFault(at: start, expected: "\(expected): 1 … 65535", found: "0") }
    return port
  }

  /// An interface that the engine was told of.
  mutating func interface(_ told: ToldEngine) throws(FrameFault) -> InterfaceID {
    let start = offset
    let interface = InterfaceID(try number(UInt16.self, "an interface"))
    guard told.interfaces[interface] != nil else {
      throw FrameFault(at: start, expected: "an interface that INTERFACE has told of", found: "\(interface.number)")
    }
    return interface
  }

  /// The number of a search that the engine was asked for.
  mutating func search(_ told: ToldEngine) throws(FrameFault) -> SearchID {
    let start = offset
    let search = SearchID(try number(UInt32.self, "the number of a search"))
    guard told.searches[search] != nil else {
      throw FrameFault(at: start, expected: "a search that SEARCH has told of", found: "\(search.number)")
    }
    return search
  }

  /// A field that may be left out.
  mutating func optional<Value>(
    _ expected: String, _ read: (inout FrameReader) throws(FrameFault) -> Value
  ) throws(FrameFault) -> Value? {
    guard try flag("whether there is \(expected)") else { return nil }
    return try read(&self)
  }

  /// One of a list whose numbers begin at 1.
  mutating func choice<Value>(_ values: [Value], _ expected: String) throws(FrameFault) -> Value {
    let start = offset
    let number = Int(try number(UInt8.self, expected))
    guard (1...values.count).contains(number) else {
      throw FrameFault(at: start, expected: "\(expected): 1 … \(values.count)", found: "\(number)")
    }
    return values[number - 1]
  }

  /// Nothing stands behind the last field.
  func end() throws(FrameFault) {
    if offset < frame.count {
      throw FrameFault(at: offset, expected: "the end of the frame", found: "\(frame.count - offset) bytes more")
    }
  }
}
