import Foundation
import RollcallDoors
public import RollcallPrimitives

/// A web app that was launched or joined: one that the application is connected to, once it was joined, and can talk to.
///
/// Each call is answered once, on the queue of the manager: by `success` or by `failure`. Two of one session on one device are
/// equal.
public final class WebAppSession: Hashable, @unchecked Sendable {
  private struct Memory {
    weak var delegate: (any WebAppSessionDelegate)?
    var isConnected: Bool
  }
  /// Enough to join it in a later launch of the application: `toJSONObject` writes it down.
  public let launchSession: LaunchSession
  public let device: ConnectableDevice
  private let memory: Guarded<Memory>

  init(_ session: LaunchSession, on device: ConnectableDevice, isConnected: Bool) {
    (launchSession, self.device) = (session, device)
    memory = Guarded(Memory(isConnected: isConnected))
    device.note(self)
  }

  /// Hears what the web app says while the application holds this session.
  public weak var delegate: (any WebAppSessionDelegate)? {
    get { memory.withLock { $0.delegate } }
    set { memory.withLock { $0.delegate = newValue } }
  }

  /// What it says is heard, and what is said to it goes there at once.
  public var isConnected: Bool { memory.withLock { $0.isConnected } }

  /// Connects to the web app; `sessionGone` where it runs no more.
  public func connect(success: @escaping @Sendable () -> Void, failure: @escaping WebAppLauncher.Failure) {
    device.ask(.join(.known(launchSession)), failure) { [self] outcome in
      guard case .joined = outcome else { return }
      memory.withLock { $0.isConnected = true }
      success()
    }
  }

  /// Says something to the web app: a text of at most 8192 bytes. Connects to it first where that was not done. `success` says
  /// that it was sent; its arrival is not confirmed.
  public func sendText(
    _ text: String, success: @escaping @Sendable () -> Void, failure: @escaping WebAppLauncher.Failure
  ) { send(.text(text), success, failure) }

  /// The same with a value of JSON, of at most 8192 bytes when it is written.
  /// - Parameter object: what `JSONSerialization` can write.
  public func sendJSON(
    _ object: [String: Any], success: @escaping @Sendable () -> Void, failure: @escaping WebAppLauncher.Failure
  ) {
    guard JSONSerialization.isValidJSONObject(object),
      let data = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
    else {
      return device.refuse(ConnectionFailure(.badRequest, "expected an object that can be written as JSON"), failure)
    }
    send(.json(String(decoding: data, as: UTF8.self)), success, failure)
  }

  private func send(
    _ message: WebAppMessage, _ success: @escaping @Sendable () -> Void, _ failure: @escaping WebAppLauncher.Failure
  ) {
    let send: @Sendable () -> Void = { [self] in
      device.ask(.send(.known(launchSession), message), failure) { outcome in if case .sent = outcome { success() } }
    }
    if isConnected { send() } else { connect(success: send, failure: failure) }
  }

  /// Hears it no more; the web app goes on.
  public func disconnectFromWebApp(
    success: @escaping @Sendable () -> Void, failure: @escaping WebAppLauncher.Failure
  ) {
    device.ask(.leave(.known(launchSession)), failure) { outcome in if case .left = outcome { success() } }
  }

  /// Closes the web app.
  public func close(success: @escaping @Sendable () -> Void, failure: @escaping WebAppLauncher.Failure) {
    WebAppLauncher(device: device).closeWebApp(launchSession, success: success, failure: failure)
  }

  // MARK: - On the queue of the manager

  /// Notes what the web app did.
  /// - Returns: the event for the application; `nil`: none, since this session is not connected to the web app.
  func take(_ event: WebAppReport.Event) -> DiscoveryEvent? {
    guard isConnected else { return nil }
    switch event {
    case .said(let message): return .webAppMessage(self, message)
    case .ended:
      memory.withLock { $0.isConnected = false }
      return .webAppDisconnected(self)
    }
  }

  func tell(_ event: DiscoveryEvent) {
    switch event {
    case .webAppMessage(_, let message): delegate?.webAppSession(self, didReceiveMessage: message)
    case .webAppDisconnected: delegate?.webAppSessionDidDisconnect(self)
    default: break
    }
  }

  public static func == (left: WebAppSession, right: WebAppSession) -> Bool {
    left.launchSession == right.launchSession && left.device == right.device
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(launchSession) }
}

/// What a web app tells an application that is connected to it. All methods are called on the queue of the manager, one after
/// the other; each has a default that does nothing.
public protocol WebAppSessionDelegate: AnyObject {
  func webAppSession(_ session: WebAppSession, didReceiveMessage message: WebAppMessage)
  /// The application is connected to it no more: it was closed or gave way to another app, the application left it, or the
  /// connection to the device has ended.
  func webAppSessionDidDisconnect(_ session: WebAppSession)
}

extension WebAppSessionDelegate {
  public func webAppSession(_ session: WebAppSession, didReceiveMessage message: WebAppMessage) {}
  public func webAppSessionDidDisconnect(_ session: WebAppSession) {}
}

extension WebAppMessage {
  /// What `JSONSerialization` makes of it; `nil`: it is a text.
  public var jsonObject: Any? {
    guard case .json(let text) = self else { return nil }
    return try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
  }
}

/// The sessions of web apps that the application holds.
final class WebAppSessions: Sendable {
  private let all = Guarded<[Weakly<WebAppSession>]>([])

  func note(_ session: WebAppSession) {
    all.withLock { all in
      all.removeAll { $0.object == nil }
      all.append(Weakly(session))
    }
  }

  /// The events for the application, in the order in which the sessions were made.
  func take(_ report: WebAppReport, of device: String) -> [DiscoveryEvent] {
    held.filter { $0.device.id == device && $0.launchSession == report.session }.compactMap { $0.take(report.event) }
  }

  /// The connection to a device has ended.
  func endAll(of device: String) -> [DiscoveryEvent] {
    held.filter { $0.device.id == device }.compactMap { $0.take(.ended) }
  }

  private var held: [WebAppSession] { all.withLock { $0.compactMap(\.object) } }
}
