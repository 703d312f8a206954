import RollcallConnect

/// Connects to the first device that launches apps, pairs with a key where that is asked for, launches an app, joins and
/// closes it, and disconnects: each step as a line.
enum LaunchSample {
  static func run(interface: String, app: String, key: String, say: @escaping @Sendable (String) -> Void)
    -> DiscoveryManager
  {
    DeviceSample.run(
      interface: interface, services: [.dial, .netcast], needs: [CapabilityFilter([Capability("Launcher.AppState")])],
      key: key, say: say
    ) { try await use($0, app, say) }
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
