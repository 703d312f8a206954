import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDiscovery

@Suite("The directory of devices") struct DirectoryTests {
  private let lamp = DeviceSighting(
    device: "ble:lamp", provider: .bluetooth, locator: Locator(.radio(RadioAddress(bits: 7, isRandom: true))),
    attributes: [DeviceAttribute(.name, .text("Lamp"))])
  private let tv = DeviceSighting(
    device: "uuid:TV", location: "http://192.168.1.20/d.xml", source: IPAddress(192, 168, 1, 20),
    interface: InterfaceID(0), bootID: 1)

  private func names(_ directory: Directory) -> [String] { directory.present.map(\.sighting.device) }

  @Test("it holds devices of every provider in the order in which they were found, and reports them in that order")
  func order() {
    var directory = Directory()
    directory.now = at(1)
    directory.found(tv)
    directory.found(lamp)
    directory.now = at(2)
    directory.lost("uuid:tv", .byebye)
    directory.now = at(3)
    directory.found(tv)
    expectEqual(names(directory), ["ble:lamp", "uuid:TV"])
    expectEqual(directory.present.map(\.foundAt), [at(1), at(3)])
    expectEqual(
      directory.reports, [.found(tv), .found(lamp), .lost(device: "uuid:tv", cause: .byebye), .found(tv)])
    var outbox = Outbox(payloads: PayloadStore())
    directory.report(into: &outbox)
    directory.report(into: &outbox)
    #expect(outbox.effects.count == 4 && directory.reports == [] && directory.count == 2)
  }

  @Test("what changed is kept, with the time of the change; a device that nobody found does not change")
  func changes() {
    var directory = Directory()
    directory.now = at(1)
    directory.found(lamp)
    var renamed = lamp
    renamed[.name] = .text("Desk")
    directory.now = at(5)
    directory.changed(renamed, .attribute(.name, from: .text("Lamp")))
    directory.changed(tv, .bootID(from: nil))
    expectEqual(directory.present.map(\.sighting), [renamed])
    #expect(
      directory.device(named: "BLE:LAMP")?.changedAt == at(5) && directory.device(named: "ble:lamp")?.foundAt == at(1))
    #expect(directory.device(named: "uuid:TV") == nil && directory.count == 1)
  }

  @Test("a device that turns out to be a part of another is a device no longer")
  func parts() {
    var directory = Directory()
    var part = tv
    part.device = "uuid:part"
    for report in [Report.found(part), .found(tv), .changed(tv, .united(part: "UUID:PART"))] {
      directory.take(report, at: at(2))
    }
    #expect(names(directory) == ["uuid:TV"] && directory.device(named: "uuid:part") == nil)
    // What an engine reported is not reported once more.
    expectEqual(directory.reports, [])
  }

  @Test("found twice is kept as one device that was found twice; lost once, it is gone")
  func twice() {
    var directory = Directory()
    directory.take(.found(tv), at: at(1))
    directory.take(.found(lamp), at: at(2))
    var elsewhere = tv
    elsewhere.locator.interface = InterfaceID(1)
    directory.take(.found(elsewhere), at: at(3))
    #expect(directory.present.map(\.foundCount) == [2, 1] && directory.present[0].sighting == elsewhere)
    directory.take(.lost(device: "uuid:tv", cause: .expired), at: at(4))
    directory.take(.lost(device: "uuid:tv", cause: .expired), at: at(4))
    #expect(names(directory) == ["ble:lamp"] && directory.count == 1)
    directory.take(.found(tv), at: at(5))
    expectEqual(directory.device(named: "uuid:tv")?.foundCount, 1)
  }

  @Test("places that became free are each taken by one device")
  func places() {
    func device(_ number: Int) -> DeviceSighting {
      var device = tv
      device.device = "uuid:\(number)"
      return device
    }
    var directory = Directory()
    for number in 0..<3 { directory.take(.found(device(number)), at: at(1)) }
    for number in 0..<2 { directory.take(.lost(device: "uuid:\(number)", cause: .byebye), at: at(2)) }
    // Known ones take none of them.
    for number in [2, 3, 3, 2, 4, 5] { directory.take(.found(device(number)), at: at(3)) }
    expectEqual(names(directory).sorted(), ["uuid:2", "uuid:3", "uuid:4", "uuid:5"])
    expectEqual((2...5).map { directory.device(named: "uuid:\($0)")?.foundCount }, [3, 2, 1, 1])
    for number in 2...5 { directory.take(.lost(device: "uuid:\(number)", cause: .byebye), at: at(4)) }
    #expect(directory.present.isEmpty && directory.count == 0)
  }

  @Test("reports that are about no device change nothing")
  func others() {
    var directory = Directory()
    directory.take(.found(tv), at: at(1))
    let before = directory.present
    directory.take(.rejected(Rejection(.empty, at: 0)), at: at(2))
    directory.take(
      .service(ServiceSighting(search: SearchID(1), device: "uuid:other", usn: "u", target: "t", location: nil)),
      at: at(2))
    directory.take(.failed(Failure(reason: .cannotSend, explanation: "no")), at: at(2))
    directory.take(
      .searchEnded(SearchOutcome(search: SearchID(1), target: "t", services: [], wasStopped: true)), at: at(2))
    expectEqual(directory.present, before)
  }

  @Test("the engine's directory holds what it reported, and its books say so when it does not")
  func engine() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive("tv", "uuid:tv"), at: 0)
    expectEqual(names(rig.engine.directory), rig.engine.directory.present.map(\.sighting.device))
    expectEqual(rig.engine.directory.count, rig.engine.counters.devicesPresent)
    expectEqual(rig.engine.brokenInvariants, [])
    expectEqual(
      rig.engine.ssdp.brokenInvariants(devicesInDirectory: 7),
      ["\(rig.engine.counters.devicesPresent) devices are present, 7 in the directory"])
    _ = rig.command(.stop, at: 1)
    expectEqual(rig.engine.directory.count, 0)
  }
}
