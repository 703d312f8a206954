public import RollcallPrimitives

/// Launches, asks about, joins and closes apps on a device that is ready.
///
/// Each call is answered once, on the queue of the manager: by `success` or by `failure`.
public struct Launcher: Sendable {
  public typealias Failure = @Sendable (ConnectionFailure) -> Void
  let device: ConnectableDevice

  /// - Parameters:
  ///   - appID: the name under which the device knows the app: `YouTube`; at most 255 bytes.
  ///   - content: what the app is to show, in its own words; at most 4096 bytes.
  public func launchApp(
    _ appID: String, content: String? = nil, success: @escaping @Sendable (LaunchSession) -> Void,
    failure: @escaping Failure
  ) {
    device.ask(.launch(app: appID, content: content), failure) { outcome in
      if case .launched(let session) = outcome { success(session) }
    }
  }

  public func getAppState(
    _ appID: String, success: @escaping @Sendable (AppState) -> Void, failure: @escaping Failure
  ) {
    device.ask(.state(app: appID), failure) { outcome in if case .state(let state) = outcome { success(state) } }
  }

  /// Goes on with a session of an earlier launch of this application; `sessionGone` where it is there no more.
  public func joinApp(
    _ session: LaunchSession, success: @escaping @Sendable (LaunchSession) -> Void, failure: @escaping Failure
  ) {
    device.ask(.join(.known(session)), failure) { outcome in if case .joined(let session) = outcome { success(session) }
    }
  }

  public func closeApp(
    _ session: LaunchSession, success: @escaping @Sendable () -> Void, failure: @escaping Failure
  ) {
    device.ask(.close(.known(session)), failure) { outcome in if case .closed = outcome { success() } }
  }
}

extension LaunchSession {
  /// As what an application keeps of it between two launches: values of JSON, or of a property list.
  public func toJSONObject() -> [String: String] {
    ["appId": appID, "sessionId": sessionID, "serviceId": serviceID, "sessionType": kind.rawValue]
  }

  /// The session that `toJSONObject` wrote down; `nil`: it is none.
  public static func launchSession(fromJSONObject object: [String: Any]) -> LaunchSession? {
    guard let app = object["appId"] as? String, let session = object["sessionId"] as? String,
      let service = object["serviceId"] as? String,
      let kind = SessionKind(rawValue: object["sessionType"] as? String ?? SessionKind.app.rawValue)
    else { return nil }
    return LaunchSession(appID: app, sessionID: session, serviceID: service, kind: kind)
  }
}
