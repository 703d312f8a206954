import CoreBluetooth
import RollcallExpectations
import Testing

/// A sensor that answers every request as a real one does, and tells three rates when it is subscribed to.
private func sensor(_ request: PhoneRequest) -> [PhoneEvent] {
  let id = Bench.identifier
  switch request {
  case .startScan(let scan):
    var fields = AdvertisedFields()
    fields.localName = "belt"
    fields.isConnectable = true
    return [.discovered(Discovery(scan: scan.number, identifier: id, advertisement: fields, strength: -60))]
  case .connect(_, let link, _): return [.connected(id, link: link)]
  case .cancelConnection(_, let link):
    return [.disconnected(id, link: link, nil, timestamp: 1, isReconnecting: false)]
  case .discoverServices: return [.services(id, .success([.heartRate]))]
  case .discoverCharacteristics:
    return [
      .characteristics(
        id, service: 1,
        .success([
          FoundCharacteristic(handle: 3, uuid: AttributeUUID(0x2A37), properties: .notify),
          FoundCharacteristic(handle: 6, uuid: AttributeUUID(0x2A38), properties: .read),
        ]))
    ]
  case .subscribe:
    return [.notifying(id, characteristic: 3, isOn: true, nil)] + rates([70, 71, 72, 73])
  case .read: return [.value(id, 6, .success([1]))]
  default: return []
  }
}

private func rates(_ rates: [UInt8]) -> [PhoneEvent] {
  rates.map { .value(Bench.identifier, 3, .success([0, $0])) }
}

@Suite struct SampleAppTests {
  private func run(_ phone: ScriptedPhone) -> HeartRateMonitor {
    let monitor = on(phone) { HeartRateMonitor(queue: DispatchQueue(label: "the monitor")) }
    phone.settle()
    return monitor
  }

  @Test func `an application scans, connects, discovers, reads, is told, and disconnects`() {
    let phone = ScriptedPhone()
    phone.answer(sensor)
    let monitor = run(phone)
    expectEqual(monitor.rates, [70, 71, 72])
    expectEqual(
      monitor.log, ["looking", "found belt at -60", "connected", "worn at 1", "notifying true", "ended"])
    #expect(phone.misuses.isEmpty)
  }

  @Test func `an application that was ended goes on with what is restored`() {
    let saved = RestoredPeripheral(
      known: KnownPeripheral(identifier: Bench.identifier), link: -1, isConnected: true)
    let phone = ScriptedPhone(firstEvents: [.willRestore(RestoredCentral(peripherals: [saved])), .state(.poweredOn)])
    phone.answer(sensor)
    let monitor = run(phone)
    expectEqual(monitor.log, ["restored 1", "worn at 1", "notifying true", "ended"])
    expectEqual(monitor.rates, [70, 71, 72])
  }

  @Test func `an application that loses its sensor looks for it again`() {
    let phone = ScriptedPhone()
    phone.answer { request in
      if case .discoverServices = request { return [] }
      return sensor(request)
    }
    let monitor = run(phone)
    phone.answer { _ in [] }
    phone.push(
      .disconnected(
        Bench.identifier, link: phone.link, .bluetooth(.connectionTimeout), timestamp: 9, isReconnecting: false))
    expectEqual(monitor.log, ["looking", "found belt at -60", "connected", "lost", "looking"])
  }
}
