import CoreBluetooth
import RollcallExpectations
import Testing

@Suite struct GATTTests {
  @Test func `services are nil before they are discovered, and discoveries add up`() throws {
    let bench = Bench()
    let peripheral = try bench.connected()
    let identifier = peripheral.identifier
    expectEqual(peripheral.services, nil)
    peripheral.discoverServices([CBUUID(string: "180D")])
    expectEqual(bench.phone.requests.last, .discoverServices(identifier, [AttributeUUID(0x180D)]))
    expectEqual(peripheral.services, nil)
    bench.phone.push(.services(identifier, .success([.heartRate])))
    let first = try #require(peripheral.services?.first)
    peripheral.discoverServices([CBUUID(string: "180F")])
    bench.phone.push(.services(identifier, .success([.battery])), .services(identifier, .success([.heartRate])))
    expectEqual(peripheral.services?.map(\.uuid.uuidString), ["180D", "180F"])
    #expect(peripheral.services?.first === first)
    expectEqual(
      bench.recorder.lines,
      [
        "services [\"180D\"] nil", "services [\"180D\", \"180F\"] nil", "services [\"180D\", \"180F\"] nil",
      ])
  }

  @Test func `a discovery without a result leaves an empty list, and one that fails an error`() throws {
    let bench = Bench()
    let peripheral = try bench.connected()
    bench.phone.push(.services(peripheral.identifier, .failure(.attribute(0x0E))))
    expectEqual(peripheral.services, nil)
    bench.phone.push(.services(peripheral.identifier, .success([])))
    expectEqual(peripheral.services, [])
    expectEqual(bench.recorder.lines, ["services [] att unlikelyError", "services [] nil"])
  }

  @Test func `each request for what a service has is answered once`() throws {
    let bench = Bench()
    let characteristic = try bench.explored()
    let service = try #require(characteristic.service)
    let peripheral = try #require(service.peripheral)
    let identifier = peripheral.identifier
    peripheral.discoverIncludedServices(nil, for: service)
    expectEqual(bench.phone.requests.last, .discoverIncludedServices(identifier, service: 1...10, nil))
    peripheral.discoverCharacteristics([CBUUID(string: "2A37")], for: service)
    expectEqual(
      bench.phone.requests.last, .discoverCharacteristics(identifier, service: 1...10, [AttributeUUID(0x2A37)]))
    peripheral.discoverDescriptors(for: characteristic)
    expectEqual(bench.phone.requests.last, .discoverDescriptors(identifier, characteristic: 3))
    bench.phone.push(
      .includedServices(identifier, service: 1, .success([.battery])),
      .characteristics(identifier, service: 1, .failure(.attribute(1))),
      .descriptors(identifier, characteristic: 3, .success([FoundDescriptor(handle: 4, uuid: AttributeUUID(0x2901))])))
    expectEqual(
      bench.recorder.lines,
      [
        "included [\"180F\"] nil", "characteristics [\"2A37\", \"2A39\"] att invalidHandle",
        "descriptors [\"2901\"] nil",
      ])
    #expect(service.includedServices?.first?.peripheral === peripheral)
    let descriptor = try #require(characteristic.descriptors?.first)
    #expect(descriptor.characteristic === characteristic)
    bench.recorder.clear()
    // What is found again is the object of before, unless another UUID is there now; a failure changes nothing.
    let characteristics: [(UInt16, UInt16)] = [(3, 0x2A37), (6, 0x2A38)]
    let foundCharacteristics = characteristics.map {
      FoundCharacteristic(handle: $0.0, uuid: AttributeUUID($0.1), properties: .read)
    }
    let descriptors: [(UInt16, UInt16)] = [(4, 0x2901), (5, 0x2904), (4, 0x2903)]
    let foundDescriptors = descriptors.map { FoundDescriptor(handle: $0.0, uuid: AttributeUUID($0.1)) }
    bench.phone.push(
      .characteristics(identifier, service: 1, .success(foundCharacteristics)),
      .descriptors(identifier, characteristic: 3, .success(foundDescriptors)),
      .descriptors(identifier, characteristic: 3, .failure(.attribute(2))),
      .includedServices(identifier, service: 1, .failure(.attribute(3))))
    expectEqual(
      bench.recorder.lines,
      [
        "characteristics [\"2A37\", \"2A39\", \"2A38\"] nil", "descriptors [\"2901\", \"2904\", \"2903\"] nil",
        "descriptors [\"2901\", \"2904\", \"2903\"] att readNotPermitted", "included [\"180F\"] att writeNotPermitted",
      ])
    #expect(service.characteristics?.first === characteristic)
    #expect(characteristic.descriptors?.first === descriptor)
  }

  @Test func `the value is there before the callback, read or told`() throws {
    let bench = Bench()
    let characteristic = try bench.explored()
    let peripheral = try #require(characteristic.service?.peripheral)
    expectEqual(characteristic.value, nil)
    peripheral.readValue(for: characteristic)
    expectEqual(bench.phone.requests.last, .read(peripheral.identifier, 3))
    bench.phone.push(
      .value(peripheral.identifier, 3, .success([1])), .value(peripheral.identifier, 3, .success([2, 3])),
      .value(peripheral.identifier, 3, .failure(.attribute(2))))
    expectEqual(bench.recorder.lines, ["value [1] nil", "value [2, 3] nil", "value [2, 3] att readNotPermitted"])
  }

  @Test func `an error that has no name is an NSError of the attribute domain`() throws {
    let bench = Bench()
    let characteristic = try bench.explored()
    let identifier = try #require(characteristic.service?.peripheral?.identifier)
    bench.phone.push(.value(identifier, 3, .failure(.attribute(0x80))))
    expectEqual(bench.recorder.lines, ["value [] CBATTErrorDomain 128"])
  }

  @Test func `a write with response is answered once, and one without never`() throws {
    let bench = Bench()
    let characteristic = try bench.explored(properties: [.write, .writeWithoutResponse])
    let peripheral = try #require(characteristic.service?.peripheral)
    peripheral.writeValue(Data([1]), for: characteristic, type: .withResponse)
    expectEqual(bench.phone.requests.last, .write(peripheral.identifier, 3, [1], withResponse: true))
    bench.phone.push(.written(peripheral.identifier, 3, nil))
    peripheral.writeValue(Data([2]), for: characteristic, type: .withoutResponse)
    expectEqual(bench.phone.requests.last, .write(peripheral.identifier, 3, [2], withResponse: false))
    bench.phone.settle()
    expectEqual(bench.recorder.lines, ["written nil"])
  }

  @Test func `a write without response needs the property for it`() throws {
    let bench = Bench()
    let characteristic = try bench.explored(properties: [.write])
    let peripheral = try #require(characteristic.service?.peripheral)
    let requests = bench.phone.requests.count
    peripheral.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
    expectEqual(bench.phone.requests.count, requests)
    expectEqual(bench.phone.misuses, [.missingProperty])
  }

  @Test func `the phone says whether there is room, and when there is again`() throws {
    let bench = Bench()
    let peripheral = try bench.discovered()
    #expect(!peripheral.canSendWriteWithoutResponse)
    let connected = try bench.connected()
    #expect(connected.canSendWriteWithoutResponse)
    bench.phone.hasRoom = false
    #expect(!connected.canSendWriteWithoutResponse)
    bench.phone.hasRoom = true
    bench.phone.push(.readyToWrite(connected.identifier))
    expectEqual(bench.recorder.lines, ["ready"])
  }

  @Test func `the longest write is the phone's while connected, and the least without`() throws {
    let bench = Bench()
    let peripheral = try bench.discovered()
    expectEqual(peripheral.maximumWriteValueLength(for: .withoutResponse), 20)
    expectEqual(peripheral.maximumWriteValueLength(for: .withResponse), 512)
    let connected = try bench.connected()
    expectEqual(connected.maximumWriteValueLength(for: .withoutResponse), 182)
    expectEqual(connected.maximumWriteValueLength(for: .withResponse), 512)
  }

  @Test func `of notifications and indications the first are taken`() throws {
    for (properties, wish) in [
      (CBCharacteristicProperties([.notify, .indicate]), Subscription.notifications), (.notify, .notifications),
      (.indicate, .indications),
    ] {
      let bench = Bench()
      let characteristic = try bench.explored(properties: properties)
      let peripheral = try #require(characteristic.service?.peripheral)
      peripheral.setNotifyValue(true, for: characteristic)
      expectEqual(bench.phone.requests.last, .subscribe(peripheral.identifier, characteristic: 3, wish))
      bench.phone.push(.notifying(peripheral.identifier, characteristic: 3, isOn: true, nil))
      #expect(characteristic.isNotifying)
      expectEqual(bench.recorder.lines, ["notifying true nil"])
    }
  }

  @Test func `a subscription that is so already is answered at once`() throws {
    let bench = Bench()
    let characteristic = try bench.explored()
    let peripheral = try #require(characteristic.service?.peripheral)
    let requests = bench.phone.requests.count
    peripheral.setNotifyValue(false, for: characteristic)
    bench.phone.settle()
    expectEqual(bench.recorder.lines, ["notifying false nil"])
    expectEqual(bench.phone.requests.count, requests)
    peripheral.setNotifyValue(true, for: characteristic)
    peripheral.setNotifyValue(false, for: characteristic)
    expectEqual(bench.phone.requests.count, requests + 2)
  }

  @Test func `a characteristic that tells nothing cannot be subscribed to`() throws {
    let bench = Bench()
    let characteristic = try bench.explored(properties: .read)
    let peripheral = try #require(characteristic.service?.peripheral)
    let requests = bench.phone.requests.count
    peripheral.setNotifyValue(true, for: characteristic)
    bench.phone.settle()
    expectEqual(bench.recorder.lines, ["notifying false att requestNotSupported"])
    expectEqual(bench.phone.requests.count, requests)
  }

  @Test func `the subscription is not written as a descriptor`() throws {
    let bench = Bench()
    let characteristic = try bench.explored()
    let peripheral = try #require(characteristic.service?.peripheral)
    let identifier = peripheral.identifier
    bench.phone.push(
      .descriptors(
        identifier, characteristic: 3,
        .success([
          FoundDescriptor(handle: 4, uuid: AttributeUUID(0x2902)),
          FoundDescriptor(handle: 5, uuid: AttributeUUID(0x2901)),
        ])))
    let descriptors = try #require(characteristic.descriptors)
    let requests = bench.phone.requests.count
    peripheral.writeValue(Data([1, 0]), for: descriptors[0])
    expectEqual(bench.phone.misuses, [.writtenSubscription])
    expectEqual(bench.phone.requests.count, requests)
    peripheral.writeValue(Data([65]), for: descriptors[1])
    expectEqual(bench.phone.requests.last, .write(identifier, 5, [65], withResponse: true))
    peripheral.readValue(for: descriptors[1])
    expectEqual(bench.phone.requests.last, .read(identifier, 5))
    bench.recorder.clear()
    bench.phone.push(
      .written(identifier, 5, nil), .value(identifier, 5, .success(Array("words".utf8))),
      .value(identifier, 4, .success([1, 0])))
    expectEqual(bench.recorder.lines, ["descriptor written nil", "descriptor words nil", "descriptor 1 nil"])
    #expect(descriptors[0].value is NSNumber)
  }

  @Test func `services that were modified are gone, and have to be discovered again`() throws {
    let bench = Bench()
    let characteristic = try bench.explored()
    let old = try #require(characteristic.service)
    let peripheral = try #require(old.peripheral)
    bench.phone.push(
      .descriptors(
        peripheral.identifier, characteristic: 3,
        .success([FoundDescriptor(handle: 4, uuid: AttributeUUID(0x2901))])),
      .notifying(peripheral.identifier, characteristic: 3, isOn: true, nil))
    let descriptor = try #require(characteristic.descriptors?.first)
    #expect(characteristic.isNotifying)
    bench.phone.push(
      .services(peripheral.identifier, .success([.battery])), .servicesModified(peripheral.identifier, [1, 40]))
    #expect(!characteristic.isNotifying)
    expectEqual(bench.recorder.lines.last, "modified [\"180D\"]")
    expectEqual(peripheral.services?.map(\.uuid.uuidString), ["180F"])
    let requests = bench.phone.requests.count
    peripheral.readValue(for: characteristic)
    peripheral.readValue(for: descriptor)
    expectEqual(bench.phone.misuses, [.invalidAttribute, .invalidAttribute])
    expectEqual(bench.phone.requests.count, requests)
    bench.phone.push(
      .value(peripheral.identifier, 3, .success([1])), .services(peripheral.identifier, .success([.heartRate])))
    #expect(!bench.recorder.lines.contains("value [1] nil"))
    #expect(peripheral.services?.last !== old)
  }

  @Test func `the strength is read while connected, and without a connection nothing reaches the peripheral`() throws {
    let bench = Bench()
    let peripheral = try bench.connected()
    peripheral.readRSSI()
    expectEqual(bench.phone.requests.last, .readStrength(peripheral.identifier))
    bench.phone.push(
      .strength(peripheral.identifier, .success(-63)), .strength(peripheral.identifier, .failure(.bluetooth(.unknown))))
    expectEqual(bench.recorder.lines, ["rssi -63 nil", "rssi 127 unknown"])
    bench.manager.cancelPeripheralConnection(peripheral)
    bench.phone.push(
      .disconnected(peripheral.identifier, link: bench.phone.link, nil, timestamp: 0, isReconnecting: false))
    bench.recorder.clear()
    let requests = bench.phone.requests.count
    peripheral.readRSSI()
    peripheral.discoverServices(nil)
    peripheral.openL2CAPChannel(128)
    peripheral.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
    bench.phone.push(.strength(peripheral.identifier, .success(-63)))
    expectEqual(bench.phone.requests.count, requests)
    expectEqual(bench.phone.misuses, [.notConnected, .notConnected, .notConnected, .notConnected])
    #expect(bench.recorder.lines.isEmpty)
  }

  @Test func `a new name is told, and that of an advertisement is not`() throws {
    let bench = Bench()
    let peripheral = try bench.connected()
    bench.phone.push(.nameChanged(peripheral.identifier, "new"))
    expectEqual(bench.recorder.lines, ["name new"])
    expectEqual(peripheral.name, "new")
    bench.manager.scanForPeripherals(withServices: nil)
    bench.phone.push(
      .discovered(Discovery(scan: bench.phone.scan ?? 0, identifier: peripheral.identifier, name: "advertised")))
    expectEqual(peripheral.name, "advertised")
    expectEqual(bench.recorder.lines, ["name new", "discover advertised -50"])
  }

  @Test func `a channel of L2CAP is answered with an error`() throws {
    let bench = Bench()
    let peripheral = try bench.connected()
    peripheral.openL2CAPChannel(128)
    bench.phone.settle()
    expectEqual(bench.recorder.lines, ["channel nil operationNotSupported"])
  }

  @Test func `a session of channel sounding ends with the error of what is not supported`() throws {
    let bench = Bench()
    let peripheral = try bench.connected()
    let configuration = CBChannelSoundingSessionConfiguration(role: .initiator)
    expectEqual(configuration.role.rawValue, 0)
    peripheral.startChannelSoundingSession(configuration)
    peripheral.cancelChannelSoundingSession()
    bench.phone.settle()
    expectEqual(bench.recorder.lines, ["sounding operationNotSupported"])
    #expect(!CBCentralManager.supports(.channelSounding))
  }

  @Test func `a delegate with the older form of the strength alone is called in it`() throws {
    final class Older: CBPeripheralDelegate, @unchecked Sendable {
      var calls = 0
      func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) { calls += 1 }
    }
    let bench = Bench()
    let peripheral = try bench.connected()
    let older = Older()
    peripheral.delegate = older
    bench.phone.push(.strength(peripheral.identifier, .success(-63)))
    expectEqual(older.calls, 1)
  }

  @Test func `a descriptor is a text, a number of two bytes with the lowest first, or data`() throws {
    let bench = Bench()
    let characteristic = try bench.explored()
    let service = try #require(characteristic.service)
    let identifier = try #require(service.peripheral?.identifier)
    let uuids: [UInt16] = [0x2900, 0x2902, 0x2903, 0x2901, 0x2904]
    let found = uuids.enumerated().map { place, uuid in
      FoundDescriptor(handle: UInt16(20 + place), uuid: AttributeUUID(uuid))
    }
    bench.phone.push(.descriptors(identifier, characteristic: 3, .success(found)))
    for one in found { bench.phone.push(.value(identifier, one.handle, .success([0x34, 0x12, 0x7F]))) }
    let values = (characteristic.descriptors ?? []).map(\.value)
    try #require(values.count == 5)
    expectEqual(values.prefix(3).map { ($0 as? NSNumber)?.intValue }, [0x1234, 0x1234, 0x1234])
    expectEqual(values[3] as? String, "4\u{12}\u{7F}")
    expectEqual(values[4] as? Data, Data([0x34, 0x12, 0x7F]))
    bench.phone.push(.value(identifier, 20, .success([5])))
    expectEqual((characteristic.descriptors?.first?.value as? NSNumber)?.intValue, 5)
    // A service that is gone is no longer included by another one.
    bench.phone.push(
      .services(identifier, .success([.battery])), .includedServices(identifier, service: 11, .success([.heartRate])))
    let battery = try #require(service.peripheral?.services?.last)
    #expect(battery.includedServices?.first === service)
    bench.phone.push(.servicesModified(identifier, [1]))
    expectEqual(battery.includedServices, [])
  }

  @Test func `a subscription is as it was told last, once every change was answered`() throws {
    let bench = Bench()
    let characteristic = try bench.explored()
    let peripheral = try #require(characteristic.service?.peripheral)
    func requests(_ enabled: Bool) -> Int {
      let before = bench.phone.requests.count
      peripheral.setNotifyValue(enabled, for: characteristic)
      return bench.phone.requests.count - before
    }
    func tell(_ isOn: Bool) {
      bench.phone.push(.notifying(peripheral.identifier, characteristic: 3, isOn: isOn, nil))
    }
    expectEqual(requests(true), 1)
    // Nobody has answered yet.
    expectEqual(requests(true), 1)
    tell(true)
    expectEqual(requests(true), 1)
    for _ in 0..<2 { tell(true) }
    expectEqual(requests(true), 0)
    expectEqual(requests(false), 1)
    tell(false)
    expectEqual(requests(false), 0)
    // What comes without a request changes it as well.
    for _ in 0..<3 { tell(true) }
    expectEqual(requests(true), 0)
    let wishes: [(CBCharacteristicProperties, Subscription)] = [
      (.notifyEncryptionRequired, .notifications), (.indicateEncryptionRequired, .indications),
      ([.indicate, .notifyEncryptionRequired], .notifications),
    ]
    for (properties, wish) in wishes {
      let other = Bench()
      let secret = try other.explored(properties: properties)
      let home = try #require(secret.service?.peripheral)
      home.setNotifyValue(true, for: secret)
      expectEqual(other.phone.requests.last, .subscribe(home.identifier, characteristic: 3, wish))
    }
  }
}
