import CoreBluetooth
import RollcallExpectations
import Testing

@Suite struct ConnectionTests {
  @Test func `a connect ends in one callback, whatever else the phone says`() throws {
    let bench = Bench()
    let peripheral = try bench.discovered()
    bench.manager.connect(peripheral)
    let link = bench.phone.link
    bench.phone.push(
      .connected(peripheral.identifier, link: link), .connected(peripheral.identifier, link: link),
      .failedToConnect(peripheral.identifier, link: link, .bluetooth(.connectionFailed)))
    expectEqual(bench.recorder.lines, ["connect connected"])
  }

  @Test func `a connect that was cancelled connects no more, though the callback was queued`() throws {
    let bench = Bench()
    let peripheral = try bench.discovered()
    bench.manager.connect(peripheral)
    let link = bench.phone.link
    bench.queue.suspend()
    bench.phone.pushOnly(.connected(peripheral.identifier, link: link))
    bench.manager.cancelPeripheralConnection(peripheral)
    bench.phone.pushOnly(.disconnected(peripheral.identifier, link: link, nil, timestamp: 0, isReconnecting: false))
    bench.queue.resume()
    bench.phone.settle()
    expectEqual(bench.recorder.lines, ["disconnect nil disconnected"])
  }

  @Test func `options of a connection are handed over`() throws {
    let bench = Bench()
    let peripheral = try bench.discovered()
    bench.manager.connect(
      peripheral,
      options: [
        CBConnectPeripheralOptionStartDelayKey: 5, CBConnectPeripheralOptionEnableAutoReconnect: true,
        CBConnectPeripheralOptionRequiresANCS: true, CBConnectPeripheralOptionNotifyOnDisconnectionKey: true,
      ])
    var wanted = ConnectOptions()
    wanted.startDelay = 5
    wanted.reconnects = true
    wanted.requiresANCS = true
    wanted.tellsOfDisconnection = true
    expectEqual(bench.phone.requests.last, .connect(peripheral.identifier, link: bench.phone.link, wanted))
  }

  @Test func `a failed connect has an error, and leaves a peripheral that can be tried again`() throws {
    let bench = Bench()
    let peripheral = try bench.discovered()
    bench.manager.connect(peripheral)
    bench.phone.push(
      .failedToConnect(peripheral.identifier, link: bench.phone.link, .bluetooth(.connectionFailed)))
    expectEqual(bench.recorder.lines, ["fail connectionFailed disconnected"])
    bench.manager.connect(peripheral)
    bench.phone.push(.connected(peripheral.identifier, link: bench.phone.link))
    expectEqual(bench.recorder.lines.last, "connect connected")
  }

  @Test func `cancelling ends a connection without an error, and reads may stay unanswered`() throws {
    let bench = Bench()
    let characteristic = try bench.explored()
    let peripheral = try #require(characteristic.service?.peripheral)
    peripheral.readValue(for: characteristic)
    bench.manager.cancelPeripheralConnection(peripheral)
    expectEqual(peripheral.state, .disconnecting)
    bench.phone.push(
      .disconnected(
        peripheral.identifier, link: bench.phone.link, .bluetooth(.connectionTimeout), timestamp: 0,
        isReconnecting: false))
    expectEqual(bench.recorder.lines, ["disconnect nil disconnected"])
  }

  @Test func `a second connect while a cancelled one ends has its own life`() throws {
    let bench = Bench()
    let peripheral = try bench.connected()
    let first = bench.phone.link
    bench.phone.push(.services(peripheral.identifier, .success([.heartRate])))
    bench.recorder.clear()
    bench.manager.cancelPeripheralConnection(peripheral)
    bench.manager.connect(peripheral)
    let second = bench.phone.link
    // Those of a phone that restores something are below.
    expectEqual([first, second], [1, 2])
    bench.phone.push(.disconnected(peripheral.identifier, link: first, nil, timestamp: 0, isReconnecting: false))
    expectEqual(peripheral.services, nil)
    bench.phone.push(.connected(peripheral.identifier, link: second))
    expectEqual(bench.recorder.lines, ["disconnect nil connecting", "connect connected"])
  }

  @Test func `every other end has an error`() throws {
    let bench = Bench()
    let peripheral = try bench.connected()
    bench.phone.push(
      .disconnected(
        peripheral.identifier, link: bench.phone.link, .bluetooth(.connectionTimeout), timestamp: 0,
        isReconnecting: false))
    bench.manager.connect(peripheral)
    bench.phone.push(
      .connected(peripheral.identifier, link: bench.phone.link),
      .disconnected(peripheral.identifier, link: bench.phone.link, nil, timestamp: 0, isReconnecting: false))
    expectEqual(
      bench.recorder.lines,
      [
        "disconnect connectionTimeout disconnected", "connect connected",
        "disconnect peripheralDisconnected disconnected",
      ])
  }

  /// Every place of the end among notifications, each with the callbacks queued together.
  @Test(arguments: 0...4)
  func `after the end nothing more is told of the peripheral`(place: Int) throws {
    let bench = Bench()
    let characteristic = try bench.explored()
    let peripheral = try #require(characteristic.service?.peripheral)
    let identifier = peripheral.identifier
    bench.queue.suspend()
    for index in 0...4 {
      if index == place {
        bench.phone.pushOnly(
          .disconnected(
            identifier, link: bench.phone.link, .bluetooth(.peripheralDisconnected), timestamp: 0,
            isReconnecting: false))
      }
      bench.phone.pushOnly(.value(identifier, 3, .success([UInt8(index)])))
      bench.phone.pushOnly(.strength(identifier, .success(-40)))
    }
    bench.queue.resume()
    bench.phone.settle()
    let told = (0..<place).flatMap { ["value [\($0)] nil", "rssi -40 nil"] }
    expectEqual(bench.recorder.lines, told + ["disconnect peripheralDisconnected disconnected"])
  }

  @Test func `with the end its services are gone, and old objects are of no use`() throws {
    let bench = Bench()
    let characteristic = try bench.explored()
    let service = try #require(characteristic.service)
    let peripheral = try #require(service.peripheral)
    bench.phone.push(
      .disconnected(
        peripheral.identifier, link: bench.phone.link, .bluetooth(.connectionTimeout), timestamp: 0,
        isReconnecting: false))
    expectEqual(peripheral.services, nil)
    bench.manager.connect(peripheral)
    bench.phone.push(.connected(peripheral.identifier, link: bench.phone.link))
    let requests = bench.phone.requests.count
    peripheral.readValue(for: characteristic)
    peripheral.setNotifyValue(true, for: characteristic)
    peripheral.discoverCharacteristics(nil, for: service)
    expectEqual(bench.phone.misuses, [.invalidAttribute, .invalidAttribute, .invalidAttribute])
    expectEqual(bench.phone.requests.count, requests)
    // Under the handles of before there are others.
    bench.phone.push(.services(peripheral.identifier, .success([.heartRate])))
    let next = try #require(peripheral.services?.first)
    #expect(next !== service)
    peripheral.discoverCharacteristics(nil, for: next)
    expectEqual(
      bench.phone.requests.last, .discoverCharacteristics(peripheral.identifier, service: 1...10, nil))
  }

  @Test func `a delegate with the newer form of the end is not called in the older one`() throws {
    let bench = Bench()
    let peripheral = try bench.connected()
    bench.phone.push(
      .disconnected(
        peripheral.identifier, link: bench.phone.link, .bluetooth(.connectionTimeout), timestamp: 5,
        isReconnecting: true))
    expectEqual(bench.recorder.lines, ["disconnect connectionTimeout connecting reconnecting"])
    bench.phone.push(.connected(peripheral.identifier, link: bench.phone.link))
    expectEqual(bench.recorder.lines.last, "connect connected")
  }

  @Test func `a delegate with the older form alone is called in it`() throws {
    final class Older: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
      var ends: [String] = []
      func centralManagerDidUpdateState(_ central: CBCentralManager) {}
      func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
      ) {
        ends.append("\(String(describing: (error as? CBError)?.code))")
      }
    }
    let bench = Bench()
    let peripheral = try bench.connected()
    let older = Older()
    bench.manager.delegate = older
    bench.phone.push(
      .disconnected(
        peripheral.identifier, link: bench.phone.link, .bluetooth(.connectionTimeout), timestamp: 5,
        isReconnecting: false))
    expectEqual(older.ends, ["Optional(CoreBluetooth.CBError.Code.connectionTimeout)"])
  }

  @Test func `a peripheral of another manager is refused`() throws {
    let bench = Bench()
    let other = Bench()
    let peripheral = try other.discovered()
    bench.manager.connect(peripheral)
    expectEqual(bench.phone.misuses, [.foreignPeripheral])
    #expect(bench.phone.requests.isEmpty)
  }

  @Test func `connecting twice is one attempt, and connecting to a connected peripheral is answered`() throws {
    let bench = Bench()
    let peripheral = try bench.discovered()
    bench.manager.connect(peripheral)
    let requests = bench.phone.requests.count
    bench.manager.connect(peripheral)
    expectEqual(bench.phone.requests.count, requests)
    bench.phone.push(.connected(peripheral.identifier, link: bench.phone.link))
    expectEqual(bench.recorder.lines, ["connect connected"])
    bench.manager.connect(peripheral)
    bench.phone.settle()
    expectEqual(bench.recorder.lines, ["connect connected", "connect connected"])
  }

  @Test func `connections of other applications and ANCS are told`() throws {
    let bench = Bench()
    bench.manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180D")]])
    expectEqual(
      bench.phone.requests,
      [
        .registerForConnectionEvents(services: [AttributeUUID(0x180D)], peripherals: nil)
      ])
    let known = KnownPeripheral(identifier: Bench.identifier(9))
    bench.phone.push(.connectionEvent(known, isConnected: true), .connectionEvent(known, isConnected: false))
    expectEqual(bench.recorder.lines, ["event peerConnected", "event peerDisconnected"])
    let peripheral = try bench.connected()
    #expect(!peripheral.ancsAuthorized)
    bench.phone.push(.ancsAuthorization(peripheral.identifier, true))
    expectEqual(bench.recorder.lines, ["ancs true"])
  }

  @Test func `what comes late of a cancelled link, or of one that nobody knows, leaves the next one`() throws {
    let bench = Bench()
    let peripheral = try bench.connected()
    let identifier = peripheral.identifier
    let first = bench.phone.link
    for _ in 0..<2 { bench.manager.cancelPeripheralConnection(peripheral) }
    expectEqual(bench.phone.requests.filter { $0 == .cancelConnection(identifier, link: first) }.count, 1)
    bench.manager.connect(peripheral)
    let second = bench.phone.link
    bench.phone.push(
      .connected(identifier, link: second), .services(identifier, .success([.heartRate])),
      .disconnected(identifier, link: first, nil, timestamp: 0, isReconnecting: true))
    let told = ["connect connected", "services [\"180D\"] nil", "disconnect nil connected"]
    expectEqual(bench.recorder.lines, told)
    for link in [first, second + 1] {
      bench.phone.push(
        .disconnected(identifier, link: link, nil, timestamp: 0, isReconnecting: false),
        .failedToConnect(identifier, link: link, .bluetooth(.connectionFailed)), .connected(identifier, link: link))
    }
    expectEqual(bench.recorder.lines, told)
    expectEqual(peripheral.state, .connected)
    expectEqual(peripheral.services?.map(\.uuid.uuidString), ["180D"])
    // What is not connected has nothing to cancel.
    let other = try bench.discovered(2)
    let count = bench.phone.requests.count
    bench.manager.cancelPeripheralConnection(other)
    expectEqual(bench.phone.requests.count, count)
    expectEqual(bench.phone.misuses, [])
  }

  @Test func `each option of a connection is one of its own`() throws {
    let options: [(key: String, path: WritableKeyPath<ConnectOptions, Bool>)] = [
      (CBConnectPeripheralOptionEnableAutoReconnect, \.reconnects),
      (CBConnectPeripheralOptionRequiresANCS, \.requiresANCS),
      (CBConnectPeripheralOptionEnableTransportBridgingKey, \.bridgesTransports),
      (CBConnectPeripheralOptionNotifyOnConnectionKey, \.tellsOfConnection),
      (CBConnectPeripheralOptionNotifyOnDisconnectionKey, \.tellsOfDisconnection),
      (CBConnectPeripheralOptionNotifyOnNotificationKey, \.tellsOfNotifications),
    ]
    for option in options {
      let bench = Bench()
      let peripheral = try bench.discovered()
      bench.manager.connect(peripheral, options: [option.key: true])
      var wanted = ConnectOptions()
      wanted[keyPath: option.path] = true
      expectEqual(
        bench.phone.requests.last, .connect(peripheral.identifier, link: bench.phone.link, wanted), "\(option.key)")
    }
  }
}
