import RollcallConnect

/// Connects to the first device that launches web apps, whose user agrees on its screen, launches a web app, joins it by
/// its session and by its id, says something to it, closes it, and disconnects: each step as a line.
enum WebAppSample {
  static func run(interface: String, app: String, say: @escaping @Sendable (String) -> Void) -> DiscoveryManager {
    DeviceSample.run(interface: interface, services: [.webOS], say: say) { try await use($0, app, say) }
  }

  private static func use(
    _ device: ConnectableDevice, _ app: String, _ say: @escaping @Sendable (String) -> Void
  ) async throws {
    guard let launcher = device.webAppLauncher else { return say("it launches no web apps") }
    let session = try await launcher.launchWebApp(app).launchSession
    say("launched \(session.appID) as \(session.sessionID)")
    let joined = try await launcher.joinWebApp(session).launchSession
    let byID = try await launcher.joinWebApp(withId: app)
    say("joined \(joined.appID), by its id \(byID.launchSession.sessionID)")
    try await byID.sendText("hello")
    try await byID.sendJSON(["room": 7])
    try await byID.close()
    do { _ = try await launcher.joinWebApp(session) } catch let failure as ConnectionFailure {
      say("gone: \(failure.reason)")
    }
  }
}
