import Foundation
import RollcallConnect
import RollcallConnectLive

/// Connects to the first device that launches web apps, whose user agrees on its screen, launches a web app, joins it by
/// its session and by its id, closes it, and disconnects: each step as a line.
enum WebAppSample {
  static func run(interface: String, app: String, say: @escaping @Sendable (String) -> Void) -> DiscoveryManager {
    LiveNetwork.attach(interfaces: [interface])
    let manager = DiscoveryManager()
    manager.registrations = [.webOS]
    manager.pairingLevel = .on
    let events = manager.events()
    manager.run {
      for await event in events {
        switch event {
        case .found(let device):
          say("found \(device.friendlyName ?? "-") with \(device.serviceNames.joined(separator: ", "))")
          device.connect()
        case .pairingRequired(_, let service, let kind): say("\(service.name) wants a \(kind)")
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
    guard let launcher = device.webAppLauncher else { return say("it launches no web apps") }
    let session = try await launcher.launchWebApp(app).launchSession
    say("launched \(session.appID) as \(session.sessionID)")
    let joined = try await launcher.joinWebApp(session).launchSession
    let byID = try await launcher.joinWebApp(withId: app).launchSession
    say("joined \(joined.appID), by its id \(byID.sessionID)")
    try await launcher.closeWebApp(session)
    do { _ = try await launcher.joinWebApp(session) } catch let failure as ConnectionFailure {
      say("gone: \(failure.reason)")
    }
  }
}
