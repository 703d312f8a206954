import Foundation
import RollcallConnect
import RollcallConnectLive

/// Connects to the first device that launches apps, pairs with a key where that is asked for, launches an app, joins and
/// closes it, and disconnects: each step as a line.
enum LaunchSample {
  static func run(interface: String, app: String, key: String, say: @escaping @Sendable (String) -> Void)
    -> DiscoveryManager
  {
    LiveNetwork.attach(interfaces: [interface])
    let manager = DiscoveryManager()
    manager.registrations = [.dial, .netcast]
    manager.pairingLevel = .on
    manager.capabilityFilters = [CapabilityFilter([Capability("Launcher.AppState")])]
    let events = manager.events()
    manager.run {
      for await event in events {
        switch event {
        case .found(let device):
          say("found \(device.friendlyName ?? "-") with \(device.serviceNames.joined(separator: ", "))")
          device.connect()
        case .pairingRequired(let device, let service, let kind):
          say("\(service.name) wants a \(kind)")
          device.sendPairingKey(key)
        case .ready(let device):
          say("ready")
          do { try await use(device, app, say) } catch { say("failed: \(error)") }
          device.disconnect()
        case .connectionFailed(_, let error):
          say("not connected: \(error)")
          exit(1)
        case .disconnected(_, let error):
          say("disconnected\(error.map { ": \($0)" } ?? "")")
          // What is still to be sent has a second.
          DispatchQueue.main.asyncAfter(deadline: .now() + 1) { exit(0) }
        case .failed(let error): say("failed: \(error)")
        case .lost, .updated: break
        }
      }
    }
    manager.startDiscovery()
    return manager
  }

  private static func use(
    _ device: ConnectableDevice, _ app: String, _ say: @escaping @Sendable (String) -> Void
  ) async throws {
    guard let launcher = device.launcher else { return say("it launches nothing") }
    say("\(app) is \(try await launcher.getAppState(app))")
    let session = try await launcher.launchApp(app, content: "v=1")
    say("launched \(session.appID) at \(session.sessionID)")
    say("\(app) is \(try await launcher.getAppState(app))")
    say("joined \(try await launcher.joinApp(session).appID)")
    try await launcher.closeApp(session)
    say("closed")
    do { _ = try await launcher.joinApp(session) } catch { say("gone: \(error)") }
  }
}
