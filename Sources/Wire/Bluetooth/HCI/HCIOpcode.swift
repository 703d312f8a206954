/// The opcodes of commands that a host sends to a controller of Bluetooth LE; all others are kept as they are.
@frozen public struct HCIOpcode: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  public var rawValue: UInt16
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
  private init(_ rawValue: UInt16) { self.rawValue = rawValue }

  public static let disconnect = HCIOpcode(0x0406)
  public static let readRemoteVersion = HCIOpcode(0x041D)
  public static let setEventMask = HCIOpcode(0x0C01)
  public static let reset = HCIOpcode(0x0C03)
  public static let setEventMaskPage2 = HCIOpcode(0x0C63)
  public static let writeLEHostSupport = HCIOpcode(0x0C6D)
  public static let readLocalVersion = HCIOpcode(0x1001)
  public static let readSupportedCommands = HCIOpcode(0x1002)
  public static let readSupportedFeatures = HCIOpcode(0x1003)
  public static let readBufferSize = HCIOpcode(0x1005)
  public static let readAddress = HCIOpcode(0x1009)
  public static let readStrength = HCIOpcode(0x1405)
  public static let setLEEventMask = HCIOpcode(0x2001)
  public static let readLEBufferSize = HCIOpcode(0x2002)
  public static let readLEFeatures = HCIOpcode(0x2003)
  public static let setRandomAddress = HCIOpcode(0x2005)
  public static let setAdvertisingParameters = HCIOpcode(0x2006)
  public static let readAdvertisingPower = HCIOpcode(0x2007)
  public static let setAdvertisingData = HCIOpcode(0x2008)
  public static let setScanResponseData = HCIOpcode(0x2009)
  public static let setAdvertisingEnable = HCIOpcode(0x200A)
  public static let setScanParameters = HCIOpcode(0x200B)
  public static let setScanEnable = HCIOpcode(0x200C)
  public static let createConnection = HCIOpcode(0x200D)
  public static let cancelConnection = HCIOpcode(0x200E)
  public static let readAcceptListSize = HCIOpcode(0x200F)
  public static let clearAcceptList = HCIOpcode(0x2010)
  public static let addToAcceptList = HCIOpcode(0x2011)
  public static let removeFromAcceptList = HCIOpcode(0x2012)
  public static let updateConnection = HCIOpcode(0x2013)
  public static let readRemoteFeatures = HCIOpcode(0x2016)
  public static let readSupportedStates = HCIOpcode(0x201C)
  public static let setDataLength = HCIOpcode(0x2022)
  public static let readSuggestedDataLength = HCIOpcode(0x2023)
  public static let writeSuggestedDataLength = HCIOpcode(0x2024)
  public static let readMaximumDataLength = HCIOpcode(0x202F)
  public static let setAdvertisingSetAddress = HCIOpcode(0x2035)
  public static let setExtendedAdvertisingParameters = HCIOpcode(0x2036)
  public static let setExtendedAdvertisingData = HCIOpcode(0x2037)
  public static let setExtendedScanResponseData = HCIOpcode(0x2038)
  public static let setExtendedAdvertisingEnable = HCIOpcode(0x2039)
  public static let readMaximumAdvertisingDataLength = HCIOpcode(0x203A)
  public static let readAdvertisingSetCount = HCIOpcode(0x203B)
  public static let removeAdvertisingSet = HCIOpcode(0x203C)
  public static let clearAdvertisingSets = HCIOpcode(0x203D)
  public static let setExtendedScanParameters = HCIOpcode(0x2041)
  public static let setExtendedScanEnable = HCIOpcode(0x2042)
  public static let extendedCreateConnection = HCIOpcode(0x2043)
}

/// Why a command is refused, or a connection ended: the error codes of the controller interface that are used here.
public enum HCIStatus: UInt8, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case success = 0x00
  case unknownCommand = 0x01
  case unknownConnection = 0x02
  case memoryExceeded = 0x07
  case connectionTimeout = 0x08
  case connectionLimitExceeded = 0x09
  case commandDisallowed = 0x0C
  case unsupportedFeature = 0x11
  case invalidParameters = 0x12
  case remoteUserTerminated = 0x13
  case terminatedByLocalHost = 0x16
  case advertisingTimeout = 0x3C
  case connectionFailedToBeEstablished = 0x3E
  case unknownAdvertisingIdentifier = 0x42
}

/// Cuts the bytes of a stream into packets of HCI, each with its kind before it (H4).
///
/// Nothing in the stream says where a packet begins but the lengths of those before it: behind bytes that are no packet
/// nothing can be read any more.
public struct HCIStream: Sendable {
  private var bytes: [UInt8] = []
  /// Bytes of packets before those that are kept.
  private var passedBytes = 0
  private var fault: RadioFault?

  /// A packet of this host has no more: 255 bytes of parameters, or as much data as the controller has room for.
  public let packetBytesMaximum: Int

  public init(packetBytesMaximum: Int = 1 + 4 + 0xFFFF) { self.packetBytesMaximum = packetBytesMaximum }

  public mutating func append(_ more: some Collection<UInt8>) { if fault == nil { bytes += more } }

  /// The next whole packet with its kind before it; `nil`: more bytes are needed.
  ///
  /// The offset of a fault counts from the first byte of the stream; the fault stays.
  public mutating func next() throws(RadioFault) -> [UInt8]? {
    if let fault { throw fault }
    guard let first = bytes.first else { return nil }
    guard let kind = HCIPacket.Kind(rawValue: first) else { throw fail(.unknownKind, at: 0) }
    guard let length = length(of: kind) else { return nil }
    if length > packetBytesMaximum { throw fail(.badLength, at: 1) }
    guard length <= bytes.count else { return nil }
    let packet = Array(bytes.prefix(length))
    bytes.removeFirst(length)
    passedBytes += length
    return packet
  }

  private mutating func fail(_ reason: RadioFault.Reason, at offset: Int) -> RadioFault {
    let fault = RadioFault(reason, at: passedBytes + offset)
    self.fault = fault
    bytes = []
    return fault
  }

  /// Bytes of the packet at the front, its kind included; `nil`: its header is not whole.
  private func length(of kind: HCIPacket.Kind) -> Int? {
    guard bytes.count >= 1 + kind.headerBytes else { return nil }
    return 1 + kind.headerBytes
      + bytes.withUnsafeBytes { kind.contentCount(UnsafeRawBufferPointer(rebasing: $0[1...])) }
  }
}
