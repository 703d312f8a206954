import RollcallPrimitives
import RollcallWire

/// The client of the attributes of one connected peripheral: one request is asked at a time, in the order of the procedures.
///
/// Everything that the server sends is hostile: handles have to rise inside the range that was asked for, lists have a
/// bound, and what is no answer to the request ends the connection, since nobody knows any more what the server answers.
struct AttributeClient {
  /// What it wants of its owner, in order.
  enum Output {
    /// A frame for the connection.
    case send([UInt8])
    case event(PeripheralReport.Event)
    /// The name that the peripheral has of itself (Device Name of Generic Access).
    case name(String)
    /// Bytes that are no PDU, or one that nobody expected; the offset of the first wrong byte.
    case rejected(at: Int)
    /// The connection is of no use any more.
    case end
  }

  static let servicesMaximum = 256
  static let attributesMaximum = 4_096
  static let proceduresMaximum = 64
  /// A Device Name is no longer.
  static let nameBytesMaximum = 248
  static let unsentMaximum = 16
  static let answerTimeout = Interval.seconds(30)
  /// What this side can receive.
  static let mtu = UInt16(AttributePDU.mtuMaximum)

  /// The smaller number of both sides.
  private(set) var mtu = AttributePDU.mtuDefault
  var known = KnownAttributes()
  var procedures: [Procedure] = []
  /// The procedure whose request waits for its answer.
  var current: Procedure?
  /// When that was asked.
  private var askedAt = Instant.zero
  /// How many frames the controller has room for.
  private var room = LinkSize.framesMaximum
  /// Frames that wait for room: at most one request, and some answers.
  private var unsent: [[UInt8]] = []
  private var wantsRoom = false
  private var isOver = false
  let faults: CentralFaults
  var output: [Output] = []

  init(faults: CentralFaults) { self.faults = faults }

  /// When the wait for an answer ends.
  var deadline: Instant {
    current == nil || faults.contains(.waitsForAnswersForEver) ? .never : askedAt + AttributeClient.answerTimeout
  }

  /// What phones ask right after the connection stands: the MTU, the name, and to be told of other services.
  mutating func begin(at now: Instant) {
    procedures = [.exchangeMTU, .readName, .findGenericAttribute]
    next(at: now)
  }

  // MARK: - Asking

  mutating func add(_ procedure: Procedure, at now: Instant) {
    // Parts of a discovery are no requests of their own.
    guard procedures.count(where: { !$0.isPart }) < AttributeClient.proceduresMaximum else {
      return fail(procedure, .tooMany)
    }
    procedures.append(procedure)
    next(at: now)
  }

  /// Asks what comes next, if nothing waits for an answer.
  mutating func next(at now: Instant) {
    while current == nil, !isOver, !procedures.isEmpty {
      let procedure = inParts(procedures.removeFirst())
      guard let request = request(of: procedure) else { continue }
      current = procedure
      askedAt = now
      send(request)
    }
  }

  /// The current procedure goes on with another request.
  mutating func proceed(_ procedure: Procedure, at now: Instant) {
    current = nil
    procedures.insert(procedure, at: 0)
    next(at: now)
  }

  /// The current procedure is done.
  mutating func finish(_ event: PeripheralReport.Event?, at now: Instant) {
    current = nil
    if let event { output.append(.event(event)) }
    next(at: now)
  }

  func failed(_ procedure: Procedure, _ reason: GATTFailure.Reason, _ error: AttributeError? = nil) -> PeripheralReport
    .Event?
  {
    guard let request = procedure.request else { return nil }
    return .failed(GATTFailure(request, reason, procedure.attribute, error: error?.rawValue))
  }

  mutating func fail(_ procedure: Procedure, _ reason: GATTFailure.Reason, _ error: AttributeError? = nil) {
    if let event = failed(procedure, reason, error) { output.append(.event(event)) }
  }

  /// Nothing is answered any more: all that waits has failed.
  mutating func stop(_ reason: GATTFailure.Reason) {
    isOver = true
    var wasPart = false
    for procedure in [current].compactMap({ $0 }) + procedures {
      // All parts of one discovery fail once.
      if !wasPart || !procedure.isPart { fail(procedure, reason) }
      wasPart = procedure.isPart || procedure.isDiscoveryOfAll
    }
    (current, procedures) = (nil, [])
  }

  mutating func advance(to now: Instant) {
    guard deadline <= now, deadline != .never else { return }
    stop(.timedOut)
    output.append(.end)
  }

  // MARK: - Sending

  mutating func send(_ pdu: AttributePDU) {
    let frame = ChannelFrame.bytes(.attributes, pdu.bytes)
    guard room > 0 else {
      // Who asks and asks, and takes no answer, gets none.
      if unsent.count < AttributeClient.unsentMaximum || pdu.isRequest { unsent.append(frame) }
      return
    }
    room -= 1
    output.append(.send(frame))
  }

  /// A command of the signalling channel, which shares the room; without room it is not sent.
  mutating func signal(_ command: SignallingCommand) {
    guard room > 0 else { return }
    room -= 1
    output.append(.send(ChannelFrame.bytes(.signalling, command.bytes)))
  }

  /// A command, for which nobody is answerable; two frames of room are left for a request and a confirmation.
  mutating func sendCommand(_ pdu: AttributePDU) -> Bool {
    guard room > 2 || faults.contains(.roomIgnored) else {
      wantsRoom = true
      return false
    }
    room = max(0, room - 1)
    output.append(.send(ChannelFrame.bytes(.attributes, pdu.bytes)))
    return true
  }

  /// How many commands would be sent now, behind those that wait for their turn.
  var commandRoom: Int {
    let waiting = procedures.count { if case .command = $0 { true } else { false } }
    return max(0, room - 2 - waiting)
  }

  mutating func acknowledged(_ frames: UInt32) {
    room = min(LinkSize.framesMaximum, room + Int(frames))
    while room > 0, !unsent.isEmpty {
      room -= 1
      output.append(.send(unsent.removeFirst()))
    }
    if wantsRoom, room > LinkSize.framesMaximum / 2 {
      wantsRoom = false
      output.append(.event(.readyToWrite))
    }
  }

  /// What should hold between two calls and does not.
  var brokenInvariants: [String] {
    var broken: [String] = []
    if unsent.count > AttributeClient.unsentMaximum + 1 { broken.append("\(unsent.count) frames wait for room") }
    let asked = procedures.count { !$0.isPart }
    if asked > AttributeClient.proceduresMaximum { broken.append("\(asked) requests wait") }
    if !output.isEmpty { broken.append("something that the client wants was not passed on") }
    return broken
  }

  // MARK: - Receiving

  mutating func receive(_ frame: [UInt8], at now: Instant) {
    let pdu = frame.withUnsafeBytes { bytes -> AttributePDU? in
      do throws(RadioFault) {
        let frame = try ChannelFrame(bytes)
        // What other channels say is for others.
        guard frame.channel == .attributes else { return nil }
        let payload = UnsafeRawBufferPointer(rebasing: bytes[frame.payload])
        do throws(AttributeFault) {
          return try AttributePDU(payload, mtu: mtu)
        } catch {
          let place = frame.payload.lowerBound + error.offset
          // The server has answered, so no other answer comes for the request that waits.
          if !isOver, isAnswer(payload.first) { unexpected(at: place) } else { output.append(.rejected(at: place)) }
        }
      } catch {
        output.append(.rejected(at: error.offset))
      }
      return nil
    }
    guard let pdu, !isOver else { return }
    switch pdu {
    case .handleValueNotification(let handle, let value): note(handle, value, .notification)
    case .handleValueIndication(let handle, let value):
      note(handle, value, .indication)
      if !faults.contains(.indicationsNotConfirmed) { send(.handleValueConfirmation) }
    case .multipleHandleValueNotification(let entries):
      for entry in entries { note(entry.handle, entry.value, .notification) }
    case .exchangeMTURequest(let other):
      send(.exchangeMTUResponse(mtu: AttributeClient.mtu))
      agree(other)
    case .errorResponse(let request, _, let error):
      guard let current, request == current.opcode?.rawValue else { return unexpected() }
      refused(current, error, at: now)
    default:
      if pdu.isRequest {
        // It has no attributes of its own that anybody could ask for.
        return send(.errorResponse(request: pdu.opcode.rawValue, handle: 0, error: .requestNotSupported))
      }
      guard let current, pdu.opcode.rawValue == (current.opcode?.rawValue).map({ $0 + 1 }) else { return unexpected() }
      if !answered(current, pdu, at: now) {
        fail(current, .badAnswer)
        if current.isPart || current.isDiscoveryOfAll { procedures.removeAll { $0.isPart } }
        self.current = nil
        unexpected()
      }
    }
  }

  /// Whether a PDU with that opcode is for the request that waits.
  private func isAnswer(_ opcode: UInt8?) -> Bool {
    guard let opcode, let asked = current?.opcode?.rawValue else { return false }
    return opcode == asked + 1 || opcode == AttributePDU.Opcode.errorResponse.rawValue
  }

  private mutating func unexpected(at offset: Int = ChannelFrame.headerBytes) {
    output.append(.rejected(at: offset))
    stop(.badAnswer)
    output.append(.end)
  }

  mutating func agree(_ other: UInt16) {
    if faults.contains(.mtuIgnored) { return }
    mtu = max(AttributePDU.mtuDefault, min(Int(other), Int(AttributeClient.mtu)))
  }

  private mutating func note(_ handle: UInt16, _ value: [UInt8], _ cause: PeripheralReport.ValueCause) {
    if handle == known.serviceChanged, value.count == 4 {
      let (first, last) = (value.little16(0), value.little16(2))
      guard first > 0, first <= last else { return output.append(.rejected(at: ChannelFrame.headerBytes + 3)) }
      if !faults.contains(.keepsOldServices) { known.forget(first...last) }
      return output.append(.event(.servicesChanged(first...last)))
    }
    output.append(.event(.value(handle: handle, known.characteristic(at: handle)?.uuid, value, cause)))
  }
}

extension AttributePDU {
  /// Whether the other side waits for an answer to it.
  var isRequest: Bool { opcode.rawValue & 1 == 0 && opcode.rawValue < 0x1B || opcode == .readMultipleVariableRequest }
}

/// Faults that can be planted into connections and their attributes.
package struct CentralFaults: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let waitsForAnswersForEver = CentralFaults(rawValue: 1)
  package static let roomIgnored = CentralFaults(rawValue: 2)
  package static let indicationsNotConfirmed = CentralFaults(rawValue: 4)
  package static let mtuIgnored = CentralFaults(rawValue: 8)
  package static let keepsOldServices = CentralFaults(rawValue: 16)
  package static let givesUpConnecting = CentralFaults(rawValue: 32)
  package static let reportsUnestablished = CentralFaults(rawValue: 64)
  package static let losesConnected = CentralFaults(rawValue: 128)
  package static let longValuesCut = CentralFaults(rawValue: 256)
  package static let firstPartOnly = CentralFaults(rawValue: 512)
  package static let silentDisconnect = CentralFaults(rawValue: 1_024)
}
