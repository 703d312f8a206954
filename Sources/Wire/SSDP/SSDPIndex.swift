public import RollcallPrimitives

/// How much a reader forgives.
public enum SSDPMode: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// What the field sends and can be understood without guessing is accepted.
  case lenient = 1
  /// Only what UDA allows is accepted.
  case strict = 2
}

/// What a datagram says it is, by its start line and NTS.
public enum SSDPKind: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  case notifyAlive, notifyByebye, notifyUpdate
  /// A NOTIFY whose NTS is absent or none of the three.
  case notifyOther
  case search, response

  /// The name in JSON lines.
  public var name: String {
    switch self {
    case .notifyAlive: "notify-alive"
    case .notifyByebye: "notify-byebye"
    case .notifyUpdate: "notify-update"
    case .notifyOther: "unknown"
    case .search: "search"
    case .response: "response"
    }
  }
}

/// The fields that somebody looks at; all others are `other`.
public enum SSDPField: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  case other = 0
  case usn, nt, st, nts, location, cacheControl, server, bootID, configID, host, man, mx, ext, searchPort, nextBootID
  case date, opt, nls, secureLocation, userAgent, cpfn, cpuuid, tcpPort, contentLength

  /// The name as the standard spells it.
  public var name: String {
    switch self {
    case .other: ""
    case .usn: "USN"
    case .nt: "NT"
    case .st: "ST"
    case .nts: "NTS"
    case .location: "LOCATION"
    case .cacheControl: "CACHE-CONTROL"
    case .server: "SERVER"
    case .bootID: "BOOTID.UPNP.ORG"
    case .configID: "CONFIGID.UPNP.ORG"
    case .host: "HOST"
    case .man: "MAN"
    case .mx: "MX"
    case .ext: "EXT"
    case .searchPort: "SEARCHPORT.UPNP.ORG"
    case .nextBootID: "NEXTBOOTID.UPNP.ORG"
    case .date: "DATE"
    case .opt: "OPT"
    case .nls: "01-NLS"
    case .secureLocation: "SECURELOCATION.UPNP.ORG"
    case .userAgent: "USER-AGENT"
    case .cpfn: "CPFN.UPNP.ORG"
    case .cpuuid: "CPUUID.UPNP.ORG"
    case .tcpPort: "TCPPORT.UPNP.ORG"
    case .contentLength: "CONTENT-LENGTH"
    }
  }
}

/// Where the fields of one message stand in its datagram: offsets only, no bytes, nothing allocated.
///
/// One message, one index of fixed size. A field is packed as name offset (16 bits), name length (8), field number (8),
/// value offset (16), value length (16); values are trimmed of spaces and tabs.
@frozen public struct SSDPIndex: BitwiseCopyable {
  /// More fields than this are refused (`tooManyFields`).
  public static let fieldCountMaximum = 32

  // What is looked at most stands first: it fits one line of a cache.
  public var kind: SSDPKind
  /// Bit `n`: field number `n` occurs.
  public var seen: UInt32
  /// max-age in seconds, capped at 2³¹ − 1; −1: none that can be read.
  public var maxAgeSeconds: Int32
  /// SEARCHPORT.UPNP.ORG; −1: absent or unreadable. The same holds for BOOTID, CONFIGID, NEXTBOOTID and MX.
  public var searchPort: Int32
  public var bootID: Int64
  public var configID: Int64
  /// A byte for each known name, by field number: which field line is the first of that name; valid where `seen` has the
  /// bit. It is read and written through a pointer to the index, as `fields` is.
  @usableFromInline var places: (UInt64, UInt64, UInt64, UInt64)
  /// Bit `n`: field number `n` occurs more than once.
  public var repeated: UInt32
  public var fieldCount: Int32
  public var nextBootID: Int64
  public var maximumWaitSeconds: Int32
  /// Bytes of the message up to and with the blank line (or all, where it is missing).
  public var byteCount: Int32
  /// A word for each field line in order, packed; the first `fieldCount` are valid.
  @usableFromInline var fields: (Eight, Eight, Eight, Eight)
  @usableFromInline typealias Eight = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  // Where they stand in an index, in bytes from its start; a test compares.
  @inlinable static var placesOffset: Int { 32 }
  @inlinable static var fieldsOffset: Int { 88 }

  @inlinable public init() {
    let none: Eight = (0, 0, 0, 0, 0, 0, 0, 0)
    fields = (none, none, none, none)
    places = (0, 0, 0, 0)
    (fieldCount, seen, repeated, kind) = (0, 0, 0, .notifyOther)
    (maxAgeSeconds, bootID, nextBootID, configID, searchPort, maximumWaitSeconds) = (-1, -1, -1, -1, -1, -1)
    byteCount = 0
  }

  @inlinable public func has(_ field: SSDPField) -> Bool { seen &>> UInt32(field.rawValue) & 1 != 0 }

  @inlinable public static func nameRange(_ packed: UInt64) -> Range<Int> {
    let start = Int(truncatingIfNeeded: packed & 0xFFFF)
    return start..<(start &+ Int(truncatingIfNeeded: packed &>> 16 & 0xFF))
  }
  @inlinable public static func valueRange(_ packed: UInt64) -> Range<Int> {
    let start = Int(truncatingIfNeeded: packed &>> 32 & 0xFFFF)
    return start..<(start &+ Int(truncatingIfNeeded: packed &>> 48))
  }
  @inlinable public static func field(_ packed: UInt64) -> SSDPField {
    SSDPField(rawValue: UInt8(truncatingIfNeeded: packed &>> 24)) ?? .other
  }
}

// Through pointers and not through methods of the index: those would be called on a copy of its half thousand bytes.
// `InlineArray`, which would do as well, is not there on the systems that packages of users are for.
extension UnsafePointer<SSDPIndex> {
  /// The field line at this place, packed.
  @inlinable @inline(__always) public func field(at position: Int) -> UInt64 {
    precondition(UInt(bitPattern: position) < 32, "there is no such field line")
    return UnsafeRawPointer(self).load(
      fromByteOffset: SSDPIndex.fieldsOffset &+ position &* MemoryLayout<UInt64>.size, as: UInt64.self)
  }

  /// The place of the first field line of this name; valid where the index has the field.
  @inlinable @inline(__always) public func position(of field: SSDPField) -> Int {
    Int(UnsafeRawPointer(self).load(fromByteOffset: SSDPIndex.placesOffset &+ Int(field.rawValue), as: UInt8.self))
  }

  /// Where the value of the first field of this name stands; `nil` where there is none.
  @inlinable @inline(__always) public func range(of field: SSDPField) -> Range<Int>? {
    guard pointee.seen &>> UInt32(field.rawValue) & 1 != 0 else { return nil }
    return SSDPIndex.valueRange(self.field(at: position(of: field)))
  }
}

extension UnsafeMutablePointer<SSDPIndex> {
  @inline(__always) func setField(_ packed: UInt64, at position: Int) {
    precondition(UInt(bitPattern: position) < 32, "there is no such field line")
    UnsafeMutableRawPointer(self).storeBytes(
      of: packed, toByteOffset: SSDPIndex.fieldsOffset &+ position &* MemoryLayout<UInt64>.size, as: UInt64.self)
  }

  /// - Parameter field: the number of a field, at most 31.
  @inline(__always) func setPosition(_ position: Int, of field: Int) {
    precondition(UInt(bitPattern: field) < 32, "there is no such field")
    UnsafeMutableRawPointer(self).storeBytes(
      of: UInt8(truncatingIfNeeded: position), toByteOffset: SSDPIndex.placesOffset &+ field, as: UInt8.self)
  }
}

/// What a machine noted beside a message when it heard these bytes before.
@frozen public struct SSDPHint: BitwiseCopyable {
  /// What the message was about; 2³² − 1: nothing.
  public var number: UInt32
  /// The mark (`SSDPIntake.nextMark`) of the state in which it was; 0: none, so that the number is a guess.
  public var mark: UInt32
  /// More, for the machine that drew the mark.
  public var hash: UInt32
  public var flags: UInt32

  @inlinable public init(number: UInt32 = .max, mark: UInt32 = 0, hash: UInt32 = 0, flags: UInt32 = 0) {
    (self.number, self.mark, self.hash, self.flags) = (number, mark, hash, flags)
  }
}

/// A message as it lies in its datagram: a view, good for as long as the bytes are.
@frozen public struct SSDPMessage {
  /// The datagram; `PayloadStore.paddingBytes` more readable bytes follow.
  public let bytes: UnsafeRawBufferPointer
  public let index: UnsafePointer<SSDPIndex>
  /// Where an intake that remembers the message keeps its hint.
  @usableFromInline let memory: UnsafeMutablePointer<SSDPHint>?

  @inlinable public init(bytes: UnsafeRawBufferPointer, index: UnsafePointer<SSDPIndex>) {
    self.init(bytes: bytes, index: index, memory: nil)
  }

  @inlinable init(
    bytes: UnsafeRawBufferPointer, index: UnsafePointer<SSDPIndex>, memory: UnsafeMutablePointer<SSDPHint>?
  ) {
    (self.bytes, self.index, self.memory) = (bytes, index, memory)
  }

  @inlinable public var kind: SSDPKind { index.pointee.kind }
  @inlinable @inline(__always) public func has(_ field: SSDPField) -> Bool {
    index.pointee.seen &>> UInt32(field.rawValue) & 1 != 0
  }

  /// Where the value of the first field of this name stands; `nil` where there is none.
  @inlinable @inline(__always) public func range(of field: SSDPField) -> Range<Int>? { index.range(of: field) }

  /// The bytes of the first field of this name, still in the datagram.
  @inlinable public func value(of field: SSDPField) -> UnsafeRawBufferPointer? {
    guard let range = range(of: field) else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[range])
  }

  /// Whether an intake remembers the message, so that a hint will be found again.
  @inlinable public var isRemembered: Bool { memory != nil }

  /// What a machine noted of the message when it heard it before; nothing is noted of one that is not remembered.
  ///
  /// A copy of the machine may have left it, or the machine itself long ago: to be checked before it is used.
  @inlinable public var hint: SSDPHint {
    get { memory?.pointee ?? SSDPHint() }
    nonmutating set { memory?.pointee = newValue }
  }

  /// Text of a field, bytes that are not UTF-8 replaced; an allocation, so not on a hot path.
  public func text(of field: SSDPField) -> String? {
    value(of: field).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// What a reader made of a datagram.
public enum SSDPReading {
  case message(SSDPMessage)
  case rejected(Rejection)
}
