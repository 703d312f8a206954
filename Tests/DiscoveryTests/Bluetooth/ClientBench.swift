import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

/// A client of attributes on a bench: what a server says goes in, what the client wants comes out.
struct ClientBench {
  enum Wanted: Equatable {
    case sends(AttributePDU)
    case tells(PeripheralReport.Event)
    case name(String)
    case rejects(at: Int)
    case ends
  }

  var client: AttributeClient
  var now = Instant.zero
  /// Whether the controller acknowledges at once what is sent.
  var acknowledges = true

  static let battery = BluetoothUUID(short: 0x180F)
  static let heart = BluetoothUUID(short: 0x180D)
  static let level = BluetoothUUID(short: 0x2A19)
  static let rate = BluetoothUUID(short: 0x2A37)
  static let own = BluetoothUUID(high: 0xF001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
  /// As it stands on the air.
  static let ownBytes: [UInt8] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0xF0]
  static let all: ClosedRange<UInt16> = 1...0xFFFF

  init(_ faults: CentralFaults = []) { client = AttributeClient(faults: faults) }

  /// A client that knows a battery service, handles 1 ... 20, with these characteristics, declared one handle before
  /// their values; nothing was asked.
  init(knows characteristics: [GATTCharacteristic], _ faults: CentralFaults = []) {
    self.init(faults)
    let service = GATTService(ClientBench.battery, 1...20)
    client.known.add([service])
    client.known.add(characteristics, all: characteristics.map { ($0.handle - 1, $0.handle) }, of: service)
  }

  /// One characteristic that can be read and written in each way.
  static var plain: ClientBench {
    ClientBench(knows: [GATTCharacteristic(level, 3, [.read, .write, .writeWithoutResponse])])
  }

  /// All that it wanted since it was asked last.
  mutating func wanted() -> [Wanted] {
    let output = client.output
    client.output = []
    let wanted = output.map { one -> Wanted in
      switch one {
      case .send(let frame): .sends(ClientBench.pdu(frame))
      case .event(let event): .tells(event)
      case .name(let name): .name(name)
      case .rejected(let offset): .rejects(at: offset)
      case .end: .ends
      }
    }
    if acknowledges {
      client.acknowledged(UInt32(wanted.count { if case .sends = $0 { true } else { false } }))
    }
    return wanted
  }

  private static func pdu(_ frame: [UInt8]) -> AttributePDU {
    let pdu = frame.withUnsafeBytes { bytes -> AttributePDU? in
      guard let channel = try? ChannelFrame(bytes), channel.channel == .attributes, channel.byteCount == bytes.count
      else { return nil }
      return try? AttributePDU(UnsafeRawBufferPointer(rebasing: bytes[channel.payload]))
    }
    #expect(pdu != nil, "\(frame) is no frame with a PDU")
    return pdu ?? .handleValueConfirmation
  }

  mutating func begin() -> [Wanted] {
    client.begin(at: now)
    return wanted()
  }

  mutating func ask(_ request: CentralCommand.Request) -> [Wanted] {
    client.ask(request, at: now)
    return wanted()
  }

  mutating func hear(_ pdu: AttributePDU) -> [Wanted] { hear(pdu: pdu.bytes) }

  mutating func hear(pdu bytes: [UInt8], on channel: ChannelFrame.Channel = .attributes) -> [Wanted] {
    hear(frame: ChannelFrame.bytes(channel, bytes))
  }

  mutating func hear(frame: [UInt8]) -> [Wanted] {
    client.receive(frame, at: now)
    return wanted()
  }

  /// The server refuses; without more it has nothing there.
  mutating func refuse(
    _ request: AttributePDU.Opcode, _ error: AttributeError = .attributeNotFound
  ) -> [Wanted] {
    hear(.errorResponse(request: request.rawValue, handle: 1, error: error))
  }

  mutating func acknowledge(_ frames: UInt32) -> [Wanted] {
    client.acknowledged(frames)
    return wanted()
  }

  mutating func advance(to instant: Instant) -> [Wanted] {
    client.advance(to: instant)
    return wanted()
  }
}

extension ClientBench.Wanted {
  /// What was asked has failed.
  static func fails(
    _ request: GATTFailure.Request, _ reason: GATTFailure.Reason, _ attribute: GATTAttribute? = nil,
    error: UInt8? = nil
  ) -> ClientBench.Wanted {
    .tells(.failed(GATTFailure(request, reason, attribute, error: error)))
  }
}
