import Dispatch
import RollcallConnect
import RollcallConnectStore
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Testing

@testable import RollcallPhones

/// Devices that are known by a UUID in their text, or by one that does not look like a UUID, over launches of an application.
@Suite("Devices with a UUID in their text, in a later launch") struct TextUUIDTests {
  private final class Provider: DiscoveryProvider {
    private let device: ProvidedDevice

    init(_ device: ProvidedDevice) { self.device = device }
    func startDiscovery(reportingTo sink: DiscoveryProviderSink) { sink.found(device) }
    func stopDiscovery() {}
  }

  /// What differs from launch to launch.
  private struct Launch {
    var seed: UInt64
    var name: String
    var address: String
    /// In the text of a service of multicast DNS.
    var uuid: String
    /// What the application finds itself.
    var own: ProvidedDevice
  }

  /// The id of each device, by the service that it has.
  private static func ids(_ store: any ConnectableDeviceStore, _ launch: Launch) throws -> [String: String] {
    let text = """
      scenario: A house
      duration: 1m
      engine: {descriptions: fetch}
      inhabitants:
        speaker:
          kind: root-device
          profile: tv
          uuid: 00000000-0000-4000-8000-000000000007
          uuid-style: serial-number
          address: \(launch.address)1
        box:
          kind: mdns-responder
          address: \(launch.address)2
          services: [{name: \(launch.name), type: _box._tcp, port: 7000, txt: ["v=1", "id=\(launch.uuid)"]}]
      expect: []
      """
    let world = PhoneWorld(try Scenario(yaml: text, file: "house.yaml").resolved(), seed: Seed(launch.seed))
    let manager = world.enter { () -> DiscoveryManager in
      let manager = DiscoveryManager(deviceStore: store, queue: DispatchQueue(label: "app"))
      manager.registrations = [
        .dlna, ServiceRegistration("Box", .peers, filter: "_box._tcp.local"),
        ServiceRegistration("Own", .application, filter: "own"),
      ]
      manager.addProvider(Provider(launch.own))
      manager.startDiscovery()
      return manager
    }
    world.run(for: .seconds(30))
    return Dictionary(uniqueKeysWithValues: manager.devices.map { ($0.serviceNames.joined(), $0.id) })
  }

  @Test("the id comes back for the same UUID under another name and address, however it is spelled, and for no other")
  func launches() throws {
    try TemporaryStore.with { store in
      let hex = "2fac1234-31f8-11b4-a222-08002b34c003"
      func own(_ id: String, _ uuid: String) -> ProvidedDevice {
        ProvidedDevice(id: id, services: ["own"], uuid: uuid)
      }
      let first = try Self.ids(
        store,
        Launch(seed: 1, name: "Box", address: "192.168.1.2", uuid: hex.uppercased(), own: own("a", "Serial-7")))
      expectEqual(first.keys.sorted(), ["Box", "DLNA", "Own"])
      let second = try Self.ids(
        store,
        Launch(
          seed: 2, name: "Crate", address: "192.168.1.9", uuid: hex.filter { $0 != "-" }, own: own("b", "serial-7")))
      expectEqual(second, first)
      let said = try store.devices(nowUnixSeconds: 1_704_067_200).flatMap(\.services)
        .filter { $0.serviceID == "Box" }.map { $0.description["UUID"] }
      expectEqual(Set(said), ["2fac123431f811b4a22208002b34c003"])
      let third = try Self.ids(
        store,
        Launch(
          seed: 3, name: "Crate", address: "192.168.1.9", uuid: "1" + hex.dropFirst(), own: own("b", "serial7")))
      expectEqual(third["DLNA"], first["DLNA"])
      for service in ["Box", "Own"] { #expect(third[service] != first[service], "\(service)") }
    }
  }
}
