import Foundation
import RollcallConnect
import RollcallConnectLive

/// An application that uses the first device of a network which can do what it needs, and ends: each step as a line.
enum DeviceSample {
  /// - Parameters:
  ///   - key: what its user types when a device shows a number; `nil`: nothing.
  ///   - use: what it does with a device that is ready.
  static func run(
    interface: String, services: [ServiceRegistration], needs filters: [CapabilityFilter] = [], key: String? = nil,
    say: @escaping @Sendable (String) -> Void, use: @escaping @Sendable (ConnectableDevice) async throws -> Void
  ) -> DiscoveryManager {
    LiveNetwork.attach(interfaces: [interface])
    let manager = DiscoveryManager()
    manager.registrations = services
    manager.pairingLevel = .on
    manager.capabilityFilters = filters
    let events = manager.events()
    manager.run {
      for await event in events {
        switch event {
        case .found(let device):
          say("found \(device.friendlyName ?? "-") with \(device.serviceNames.joined(separator: ", "))")
          device.connect()
        case .pairingRequired(let device, let service, let kind):
          say("\(service.name) wants a \(kind)")
          if let key { device.sendPairingKey(key) }
        case .ready(let device):
          say("ready")
          do { try await use(device) } catch { say("failed: \(error)") }
          device.disconnect()
        case .connectionFailed(_, let error):
          say("not connected: \(error)")
          exit(1)
        case .disconnected(_, let error):
          say("disconnected\(error.map { ": \($0)" } ?? "")")
          // What is still to be sent has a second.
          DispatchQueue.main.asyncAfter(deadline: .now() + 1) { exit(0) }
        case .failed(let error): say("failed: \(error)")
        case .webAppMessage(let session, let message): say("\(session.launchSession.appID) said \(message.text)")
        case .lost, .updated, .capabilitiesChanged, .webAppDisconnected: break
        }
      }
    }
    manager.startDiscovery()
    return manager
  }
}
