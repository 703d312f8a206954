public import RollcallPrimitives

/// Launches, joins and closes web apps on a device that is ready: pages that the device loads from the network.
///
/// Each call is answered once, on the queue of the manager: by `success` or by `failure`.
public struct WebAppLauncher: Sendable {
  public typealias Failure = @Sendable (ConnectionFailure) -> Void
  public typealias Success = @Sendable (WebAppSession) -> Void
  let device: ConnectableDevice

  /// What it says is heard when the application connects to it (`WebAppSession.connect`).
  /// - Parameters:
  ///   - webAppID: under which the device knows it; at most 255 bytes.
  ///   - content: what it is to show, in its own words; at most 4096 bytes.
  public func launchWebApp(
    _ webAppID: String, content: String? = nil, success: @escaping Success, failure: @escaping Failure
  ) {
    device.ask(.launchWebApp(app: webAppID, content: content), failure) { outcome in
      if case .launched(let session) = outcome { success(WebAppSession(session, on: device, isConnected: false)) }
    }
  }

  /// Goes on with a session of an earlier launch of this application, and connects to it; `sessionGone` where it is there no
  /// more.
  public func joinWebApp(_ session: LaunchSession, success: @escaping Success, failure: @escaping Failure) {
    join(.join(.known(session)), success, failure)
  }

  /// Goes on with a web app that runs, also one that another application launched; `sessionGone` where it does not run.
  public func joinWebApp(withId webAppID: String, success: @escaping Success, failure: @escaping Failure) {
    join(.joinWebApp(app: webAppID), success, failure)
  }

  public func closeWebApp(
    _ session: LaunchSession, success: @escaping @Sendable () -> Void, failure: @escaping Failure
  ) {
    device.ask(.close(.known(session)), failure) { outcome in if case .closed = outcome { success() } }
  }

  private func join(_ deed: AppRequest.Deed, _ success: @escaping Success, _ failure: @escaping Failure) {
    device.ask(deed, failure) { outcome in
      if case .joined(let session) = outcome { success(WebAppSession(session, on: device, isConnected: true)) }
    }
  }
}
