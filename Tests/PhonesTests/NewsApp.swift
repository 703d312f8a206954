import Dispatch
import RollcallConnect
import RollcallDoors
import RollcallPrimitives
import Testing

/// A network that tells what a test says, and keeps what it is asked.
final class NewsHost: DiscoveryHost {
  private struct Memory {
    var door: (any DiscoveryDoor)?
    var commands: [ManagerCommand] = []
    var seconds: Int64 = 0
    /// What the manager remembered at its last start.
    var remembered: [RememberedDevice] = []
    var detachCount = 0
    var stopped: [SearchID] = []
    var onBegin: @Sendable () -> Void = {}
  }
  let queues = DoorQueues()
  private let memory = Guarded(Memory())

  var door: (any DiscoveryDoor)? { memory.current.door }
  var remembered: [RememberedDevice] { memory.current.remembered }
  var detachCount: Int { memory.current.detachCount }
  /// Searches by hand that were stopped.
  var stopped: [SearchID] { memory.current.stopped }
  /// What is done while a search by hand begins.
  func onBegin(_ body: @escaping @Sendable () -> Void) { memory.withLock { $0.onBegin = body } }
  /// Since the last call.
  func takeCommands() -> [ManagerCommand] {
    memory.withLock { memory in
      defer { memory.commands = [] }
      return memory.commands
    }
  }
  func set(seconds: Int64) { memory.withLock { $0.seconds = seconds } }

  /// The last nanosecond of its second.
  var unixNanoseconds: Int64 { memory.current.seconds * 1_000_000_000 + 999_999_999 }
  func attach(_ door: any DiscoveryDoor, _ setup: DiscoverySetup) {
    memory.withLock { ($0.door, $0.remembered) = (door, setup.remembered) }
  }
  func ask(_ command: ManagerCommand) { memory.withLock { $0.commands.append(command) } }
  func detach(_ door: any DiscoveryDoor) {
    memory.withLock { memory in
      memory.door = nil
      memory.detachCount += 1
    }
  }
  func begin(_ search: Search, for door: any SearchDoor) -> SearchID {
    memory.current.onBegin()
    return search.id
  }
  func stopSearch(_ id: SearchID) { memory.withLock { $0.stopped.append(id) } }
}

/// Keeps a line for each call, and no device.
final class NewsStore: ConnectableDeviceStore {
  let told = Guarded<[String]>([])
  /// Why it cannot note what was seen.
  let trouble = Guarded<DeviceStoreTrouble?>(nil)

  func devices(nowUnixSeconds: Int64) throws(DeviceStoreTrouble) -> [StoredDevice] { [] }
  func save(_ device: StoredDevice) throws(DeviceStoreTrouble) {
    let times = [device.lastSeenUnixSeconds, device.lastConnectedUnixSeconds].map { $0.map { "\($0)" } ?? "-" }
    let keys = device.services.map { $0.pairingKey.map { String(decoding: $0, as: UTF8.self) } ?? "-" }
    told.withLock { $0.append("save \(device.id) \(times[0]) \(times[1]) [\(keys.joined(separator: " "))]") }
  }
  func noteSeen(ids: [String], nowUnixSeconds: Int64) throws(DeviceStoreTrouble) {
    if let trouble = trouble.current { throw trouble }
    told.withLock { $0.append("seen \(ids.joined(separator: " ")) \(nowUnixSeconds)") }
  }
  func remove(id: String) throws(DeviceStoreTrouble) {}
  func removeAll() throws(DeviceStoreTrouble) {}
}

/// Keeps what it is told as lines.
final class NewsApp: DiscoveryManagerDelegate, ConnectableDeviceDelegate, WebAppSessionDelegate,
  @unchecked Sendable
{
  let host: NewsHost
  let manager: DiscoveryManager
  private let told = Guarded<[String]>([])

  init(_ store: (any ConnectableDeviceStore)? = nil) {
    let host = NewsHost()
    self.host = host
    manager = DiscoveryLink.$current.withValue(host) {
      DiscoveryManager(deviceStore: store, queue: DispatchQueue(label: "app"))
    }
    manager.delegate = self
    manager.startDiscovery()
  }

  /// What was told since the last call, when everything is done that waited on the queue.
  var lines: [String] {
    host.queues.drain()
    return told.takeAll()
  }
  func note(_ line: String) { told.withLock { $0.append(line) } }

  func push(_ id: String, _ event: ManagerReport.Event, _ capabilities: String...) {
    let state = ManagerReport.State(
      name: id.uppercased(), services: [ManagerReport.Service(id: "DIAL", owner: "uuid:\(id)")],
      capabilities: capabilities.map { Capability($0) })
    host.door?.push(.managed(ManagerReport(id, event, state)))
  }

  /// A device that was found, with the application as its delegate.
  func found(_ id: String, _ capability: String = "Launcher.App") throws -> ConnectableDevice {
    push(id, .found(isKnown: false), capability)
    _ = lines
    let device = try #require(manager.device(withID: id))
    device.delegate = self
    return device
  }

  private func note(_ device: ConnectableDevice, _ word: String) { note("\(word) \(device.friendlyName ?? "-")") }
  func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) { note(device, "found") }
  func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice) { note(device, "lost") }
  func discoveryManager(_ manager: DiscoveryManager, didUpdate device: ConnectableDevice) { note(device, "updated") }
  func discoveryManager(_ manager: DiscoveryManager, didFailWith error: DiscoveryError) {
    note("failed \(error.reason): \(error.description)")
  }
  func connectableDeviceReady(_ device: ConnectableDevice) { note(device, "ready") }
  func connectableDeviceDisconnected(_ device: ConnectableDevice, withError error: ConnectionFailure?) {
    note(device, "disconnected \(error.map { "\($0.reason)" } ?? "as asked")")
  }
  func connectableDevice(_ device: ConnectableDevice, connectionFailedWithError error: ConnectionFailure) {
    note(device, "not connected, \(error.reason)")
  }
  func connectableDevice(
    _ device: ConnectableDevice, service: DeviceService, pairingRequiredOfType type: PairingKind
  ) {
    note(device, "\(service.name) asks by \(type)")
  }
  func webAppSession(_ session: WebAppSession, didReceiveMessage message: WebAppMessage) {
    note(session.device, "\(message.text) of")
  }
  func webAppSessionDidDisconnect(_ session: WebAppSession) { note(session.device, "over") }
}
