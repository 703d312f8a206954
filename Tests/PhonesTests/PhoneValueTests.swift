import CoreBluetooth
import MultipeerConnectivity
import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

@testable import RollcallPhones

/// Values of the air and of the engine beside those of applications.
@Suite("What phones make of values") struct PhoneValueTests {
  @Test("a name and services that fill a packet are in it; what is one byte longer is elsewhere (CB-64)")
  func packets() {
    func bytes(_ name: String?, _ services: [AttributeUUID]) -> (data: [UInt8], response: [UInt8]) {
      AdvertisedIdentity(localName: name, services: services).bytes(isInBackground: false)
    }
    /// A name, complete (9) or shortened (8).
    func field(_ type: UInt8, _ text: String) -> [UInt8] { [UInt8(text.utf8.count + 1), type] + Array(text.utf8) }
    let long = AttributeUUID("00000000-0000-0000-0000-00000000000A").map { [$0] } ?? []
    // Flags and the service leave ten bytes, and two of these say that a name follows.
    let names: [(String, [UInt8])] = [
      ("12345678", []), ("123456789", field(9, "123456789")), ("1234567890", field(9, "1234567890")),
      ("12345678901", field(8, "1234567890")), ("aééééé", field(8, "aéééé")),
    ]
    for (name, response) in names {
      let made = bytes(name, long)
      expectEqual(made.response, response, "\(name)")
      expectEqual(made.data.count, response.isEmpty ? 31 : 21, "\(name)")
    }
    let services = (0..<14 as Range<UInt16>).map { AttributeUUID(0x1800 + $0) }
    let whole = bytes(nil, Array(services.dropLast()))
    expectEqual(whole.data.count, 31)
    expectEqual(whole.response, [])
    // The one that has no room is in the overflow area; one that is named twice takes no room twice.
    let more = bytes(nil, [services[0]] + services)
    expectEqual(more.data, whole.data)
    let area = OverflowArea(manufacturerData: Array(more.response.dropFirst(2)))
    expectEqual(area, OverflowArea([BluetoothUUID(short: 0x180D)]))
    // It has 19 bytes and begins as one; other data of a manufacturer is none.
    let data = OverflowArea([BluetoothUUID(short: 0x180D)]).bytes
    expectEqual(data.count, 19)
    expectEqual(OverflowArea(manufacturerData: Array(data.dropLast())), nil)
    expectEqual(OverflowArea(manufacturerData: data + [0]), nil)
    for place in 0..<3 {
      var other = data
      other[place] ^= 1
      expectEqual(OverflowArea(manufacturerData: other), nil)
    }
  }

  @Test("each of the 128 sums has a bit of its own in the overflow area, and only its services are found there")
  func overflow() {
    let services = (0..<128 as Range<UInt64>).map { BluetoothUUID(high: 0, low: $0) }
    for (sum, service) in services.enumerated() {
      // The first one is the highest bit of the first byte.
      var mask = [UInt8](repeating: 0, count: 16)
      mask[sum / 8] = 1 << UInt8(7 - sum % 8)
      let area = OverflowArea([service])
      expectEqual(area.bytes, [0x4C, 0x00, 0x01] + mask)
      expectEqual(services.filter { area.contains($0) }, [service])
    }
  }

  @Test("each latency stands for intervals and a timeout, and no event is left out")
  func latencies() {
    let latencies: [CBPeripheralManagerConnectionLatency] = [.low, .medium, .high]
    // In units of 1.25 ms and of 10 ms.
    expectEqual(
      latencies.map { DesiredLatency.request($0) },
      [
        ParameterRequest(shortestUnits: 12, longestUnits: 12, latency: 0, timeoutUnits: 400),
        ParameterRequest(shortestUnits: 72, longestUnits: 96, latency: 0, timeoutUnits: 400),
        ParameterRequest(shortestUnits: 360, longestUnits: 396, latency: 0, timeoutUnits: 600),
      ])
  }

  @Test("an identity of 16 bytes is the ID of its peer, and for one of another length a sum over it stands, for ever")
  func identities() {
    func id(_ identity: [UInt8]) -> SessionPeerID { SessionPeerID(PeerKey(identity: identity, name: "Ada")) }
    let identity = (1...16).map { UInt8($0) }
    let whole = SessionPeerID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
    expectEqual(id(identity), whole)
    expectEqual(whole.bytes, identity)
    expectEqual(id([1, 2, 3]), SessionPeerID(high: 0x3D89_A289_53D4_32AF, low: 0x89D8_1D40_B4F5_981F))
    expectEqual(id([]), SessionPeerID(high: 0x3F28_C65B_B6C9_103C, low: 0xA58B_DB97_8DFD_F9BD))
  }

  @Test("addresses are in the order of their bits, a public one before a random one with the same")
  func order() {
    let addresses = [
      RadioAddress(bits: 1, isRandom: true), RadioAddress(bits: 2, isRandom: false),
      RadioAddress(bits: 2, isRandom: true), RadioAddress(bits: 3, isRandom: false),
    ]
    for (place, address) in addresses.enumerated() {
      let later = addresses.filter { address.precedes($0) }
      expectEqual(later, Array(addresses.dropFirst(place + 1)))
    }
  }

  @Test("what a person allows applications is what the engine is told that they allow")
  func authorizations() {
    expectEqual(
      CBManagerAuthorization.allCases.map { PermissionState($0) }, [.undetermined, .restricted, .denied, .allowed])
  }

  @Test("what the engine says of a failure is the error that applications know for it")
  func errors() {
    let failures: [(GATTFailure, PhoneError)] = [
      (GATTFailure(.read, .refused, error: 5), .attribute(5)), (GATTFailure(.read, .refused), .attribute(0x0E)),
      (GATTFailure(.read, .notOffered), .attribute(0x02)), (GATTFailure(.write, .notOffered), .attribute(0x03)),
      (GATTFailure(.notify, .notOffered), .attribute(0x06)), (GATTFailure(.write, .tooLong), .attribute(0x0D)),
      (GATTFailure(.read, .unknownAttribute), .bluetooth(.invalidHandle)),
      (GATTFailure(.read, .notConnected), .bluetooth(.notConnected)),
      (GATTFailure(.read, .disconnected), .bluetooth(.notConnected)),
      (GATTFailure(.read, .timedOut), .bluetooth(.connectionTimeout)),
      (GATTFailure(.read, .badAnswer), .bluetooth(.unknown)),
    ]
    for (failure, error) in failures { expectEqual(failure.phoneError, error) }
    let ends: [LinkEnd] = [.closed, .closedByPeer, .timedOut, .notEstablished, .refused, .radioOff]
    expectEqual(
      ends.map(\.code),
      [nil, .peripheralDisconnected, .connectionTimeout, .connectionFailed, .connectionLimitReached, nil])
    let causes: [SessionError] = [.notConnected, .invalidParameter, .timedOut, .cancelled, .unavailable, .failed]
    let codes: [MCError.Code] = [.notConnected, .invalidParameter, .timedOut, .cancelled, .unavailable, .unknown]
    expectEqual(causes.map(\.peerError), codes.map { PeerError.multipeer($0) })
  }

  @Test("what an application permits it is asked for, and what needs encryption is refused as that")
  func permissions() {
    func offered(
      _ permissions: CBAttributePermissions, _ properties: CBCharacteristicProperties = [.read, .write],
      value: [UInt8]? = nil
    ) -> GATTPlan.Characteristic? {
      let characteristic = PublishedCharacteristic(
        handle: 3, uuid: AttributeUUID(0x2A37), properties: properties, permissions: permissions, value: value)
      let service = PublishedService(handles: 1...3, uuid: AttributeUUID(0x180D), characteristics: [characteristic])
      return GATTPlan.Service(service, including: []).characteristics.first
    }
    /// Errors of the attribute protocol: 2 and 3 are not permitted, 15 is without encryption.
    func expect(_ found: GATTPlan.Characteristic?, _ read: GATTPlan.Access.Way, _ write: GATTPlan.Access.Way) {
      expectEqual(found?.access, GATTPlan.Access(read: read, write: write))
    }
    expect(offered([.readable, .writeable]), .asked, .asked)
    expect(offered([]), .refused(2), .refused(3))
    expect(offered([.readable, .readEncryptionRequired, .writeable]), .refused(15), .asked)
    expect(offered([.readable, .writeable, .writeEncryptionRequired]), .asked, .refused(15))
    expect(offered(.readable, value: [1]), .served, .refused(3))
    expect(offered(.readEncryptionRequired, value: [1]), .refused(15), .refused(3))
    let secrets: [(CBCharacteristicProperties, GATTCharacteristic.Properties)] = [
      ([.read, .notifyEncryptionRequired], [.read, .notify]),
      ([.read, .indicateEncryptionRequired], [.read, .indicate]),
    ]
    for (properties, plain) in secrets {
      let secret = offered(.readable, properties)
      expectEqual(secret?.properties, plain)
      expectEqual(secret?.access?.subscription, 15)
    }
    expectEqual(offered(.readable, .notify)?.access?.subscription, nil)
  }
}
