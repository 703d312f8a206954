import RollcallConnect
import RollcallConnectLive

/// Tells what comes and goes on all networks of this machine, also on those that come later: each event as a line.
enum WatchSample {
  static func run(say: @escaping @Sendable (String) -> Void) -> DiscoveryManager {
    LiveNetwork.attach()
    let manager = DiscoveryManager()
    // The last one is found by a radio, which this network has not.
    manager.registrations = [.dial, .dlna, ServiceRegistration("Lamp", .bluetooth, filter: "180F")]
    let events = manager.events()
    manager.run {
      for await event in events {
        switch event {
        case .found(let device): say("found \(device.friendlyName ?? "-") at \(device.address ?? "-")")
        case .lost(let device): say("lost \(device.friendlyName ?? "-")")
        case .failed(let error): say("failed \(error.reason): \(error)")
        default: break
        }
      }
    }
    manager.startDiscovery()
    say("watching")
    return manager
  }
}
