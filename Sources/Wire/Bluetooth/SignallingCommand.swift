public import RollcallPrimitives

/// What a peripheral asks its central for: how often they meet. Units of 1.25 ms and of 10 ms, as on the air.
public struct ParameterRequest: Hashable, Sendable, BitwiseCopyable {
  public var shortestUnits: UInt16
  public var longestUnits: UInt16
  /// Events in a row that the peripheral may leave out.
  public var latency: UInt16
  public var timeoutUnits: UInt16

  public init(shortestUnits: UInt16, longestUnits: UInt16, latency: UInt16, timeoutUnits: UInt16) {
    (self.shortestUnits, self.longestUnits) = (shortestUnits, longestUnits)
    (self.latency, self.timeoutUnits) = (latency, timeoutUnits)
  }

  /// With times in milliseconds: intervals rounded down to units of 1.25 ms, the timeout to units of 10 ms.
  public init(milliseconds: ClosedRange<UInt16>, latency: UInt16, timeoutMilliseconds: UInt16) {
    func units(_ milliseconds: UInt16) -> UInt16 { UInt16(clamping: Int(milliseconds) * 4 / 5) }
    self.init(
      shortestUnits: units(milliseconds.lowerBound), longestUnits: units(milliseconds.upperBound), latency: latency,
      timeoutUnits: timeoutMilliseconds / 10)
  }

  /// The parameters with the longest of the intervals; whether a controller takes them, they say themselves.
  public var longest: LinkParameters {
    LinkParameters(intervalUnits: longestUnits, latency: latency, timeoutUnits: timeoutUnits)
  }
}

/// A command of the signalling channel that is there on each connection of Bluetooth LE: one in each frame.
///
/// Codes and layouts are from memory of the Core specification, 3.A.4.
public enum SignallingCommand: Hashable, Sendable {
  /// The command with this number is not understood.
  case reject(number: UInt8)
  case parameterRequest(number: UInt8, ParameterRequest)
  case parameterResponse(number: UInt8, isAccepted: Bool)
  /// All others: they are kept as they are.
  case other(code: UInt8, number: UInt8)

  public static let headerBytes = 4
  private static let rejectCode: UInt8 = 0x01
  private static let requestCode: UInt8 = 0x12
  private static let responseCode: UInt8 = 0x13

  /// Whether who gets it has to answer: requests have even codes up to 0x14, and odd ones behind that; nothing is said to
  /// a credit.
  public var isRequest: Bool {
    switch self {
    case .parameterRequest: true
    case .other(let code, _):
      switch code {
      // To open several channels at once, or to change them.
      case 0x17, 0x19: true
      // A credit, and the answers to these two.
      case 0x16, 0x18, 0x1A: false
      default: code & 1 == 0
      }
    case .reject, .parameterResponse: false
    }
  }

  /// Reads the payload of a frame.
  public init(_ bytes: UnsafeRawBufferPointer) throws(RadioFault) {
    guard bytes.count >= SignallingCommand.headerBytes else { throw RadioFault(.tooShort, at: bytes.count) }
    let (code, number, length) = (bytes[0], bytes[1], Int(bytes.little16(2)))
    guard bytes.count >= SignallingCommand.headerBytes + length else { throw RadioFault(.cut, at: bytes.count) }
    // Only one command stands in a frame, and none has the number 0.
    guard bytes.count == SignallingCommand.headerBytes + length, number != 0 else {
      throw RadioFault(.badLength, at: 2)
    }
    switch code {
    case SignallingCommand.requestCode:
      guard length == 8 else { throw RadioFault(.badLength, at: 2) }
      self = .parameterRequest(
        number: number,
        ParameterRequest(
          shortestUnits: bytes.little16(4), longestUnits: bytes.little16(6), latency: bytes.little16(8),
          timeoutUnits: bytes.little16(10)))
    case SignallingCommand.responseCode:
      guard length == 2 else { throw RadioFault(.badLength, at: 2) }
      self = .parameterResponse(number: number, isAccepted: bytes.little16(4) == 0)
    case SignallingCommand.rejectCode: self = .reject(number: number)
    default: self = .other(code: code, number: number)
    }
  }

  public var bytes: [UInt8] {
    switch self {
    // Reason 0: not understood.
    case .reject(let number): [SignallingCommand.rejectCode, number, 2, 0, 0, 0]
    case .parameterRequest(let number, let request):
      [SignallingCommand.requestCode, number, 8, 0]
        + [request.shortestUnits, request.longestUnits, request.latency, request.timeoutUnits].flatMap {
          [UInt8](littleEndian: UInt64($0), count: 2)
        }
    case .parameterResponse(let number, let isAccepted):
      [SignallingCommand.responseCode, number, 2, 0, isAccepted ? 0 : 1, 0]
    case .other(let code, let number): [code, number, 0, 0]
    }
  }
}

/// LL_CONNECTION_UPDATE_IND: from which event of a connection on other parameters hold (from memory of the Core
/// specification, 6.B.2.4.2.1).
public enum ConnectionUpdate {
  /// Opcode and fields: what stands behind the header of a packet of the link layer itself.
  /// - Parameter instant: the number of the event.
  public static func bytes(_ parameters: LinkParameters, instant: UInt16) -> [UInt8] {
    // A window of 1.25 ms, at the event itself.
    [0x00, 1, 0, 0] + parameters.littleEndian + [UInt8](littleEndian: UInt64(instant), count: 2)
  }

  public static let byteCount = 12
}
