import RollcallPrimitives
import RollcallWire

/// What a television serves beside its description: apps as DIAL has them (DIAL 2.2, section 6), and the pairing of a
/// Netcast television, which shows a number.
package struct TelevisionPlan: Hashable, Sendable {
  /// The apps that it knows; `nil`: it has no server of DIAL.
  package var apps: [String]?
  /// What it shows for the user to type; `nil`: it pairs with nobody.
  package var pairingKey: String?
  package init() {}

  var isEmpty: Bool { apps == nil && pairingKey == nil }
}

/// The television itself: which apps run, and whether the number is on the screen.
struct Television: Sendable {
  static let appsPath = "/apps/"
  /// Of what an app is to show.
  static let contentBytesMaximum = 4_096

  let plan: TelevisionPlan
  /// The numbers of the instances that run, by the place of the app in the plan.
  private var running: [Int: UInt32] = [:]
  private var launchTotal: UInt32 = 0
  private(set) var showsKey = false

  init(_ plan: TelevisionPlan) { self.plan = plan }

  /// It starts anew: nothing runs, and no instance has a number that was there before.
  mutating func start() {
    running = [:]
    showsKey = false
  }

  /// The field that goes with the description (DIAL 2.2, section 5.4).
  func descriptionField(at local: Endpoint) -> (name: String, value: String)? {
    plan.apps == nil ? nil : ("Application-URL", "http://\(local)\(Television.appsPath)")
  }

  /// The answer to a request; `nil`: it is about something else.
  mutating func answer(_ head: HTTPRequestHead, body: [UInt8], at local: Endpoint) -> HTTPResponse? {
    if plan.pairingKey != nil, head.path == NetcastPairing.path { return pair(head, body) }
    guard let apps = plan.apps, head.path.hasPrefix(Television.appsPath) else { return nil }
    let parts = head.path.dropFirst(Television.appsPath.count).split(separator: "/", omittingEmptySubsequences: false)
    guard let app = apps.firstIndex(where: { DIALApp.segment($0) == parts.first.map(String.init) }) else {
      return .refusal(404)
    }
    switch (head.method, parts.count) {
    case ("GET", 1): return state(of: app)
    case ("POST", 1):
      if body.count > Television.contentBytesMaximum { return .refusal(413) }
      return launch(app, at: local)
    case ("DELETE", 2):
      guard let number = running[app], parts[1] == Television.instance(number) else { return .refusal(404) }
      running[app] = nil
      return HTTPResponse(status: 200)
    case (_, 2) where parts[1] != Television.instance(running[app] ?? 0): return .refusal(404)
    case (_, 1), (_, 2): return .refusal(405)
    default: return .refusal(404)
    }
  }

  private static func instance(_ number: UInt32) -> String { "run-\(number)" }

  private func state(of app: Int) -> HTTPResponse {
    let document = DIALApp(
      name: plan.apps?[app] ?? "", state: running[app] == nil ? "stopped" : "running",
      instance: running[app].map(Television.instance))
    return HTTPResponse(status: 200, fields: [("CONTENT-TYPE", "text/xml; charset=\"utf-8\"")], body: document.bytes)
  }

  /// One app is on the screen: the others end.
  private mutating func launch(_ app: Int, at local: Endpoint) -> HTTPResponse {
    launchTotal &+= 1
    running = [app: launchTotal]
    let path = Television.appsPath + DIALApp.segment(plan.apps?[app] ?? "") + "/" + Television.instance(launchTotal)
    return HTTPResponse(status: 201, fields: [("LOCATION", "http://\(local)\(path)")])
  }

  private mutating func pair(_ head: HTTPRequestHead, _ body: [UInt8]) -> HTTPResponse {
    guard head.method == "POST" else { return .refusal(405) }
    switch NetcastPairing.read(body) {
    case .showKey:
      showsKey = true
      return HTTPResponse(status: 200)
    case .hello(let key, _):
      showsKey = false
      return key == plan.pairingKey ? HTTPResponse(status: 200) : .refusal(401)
    case .cancel, .leave:
      showsKey = false
      return HTTPResponse(status: 200)
    case nil: return .refusal(400)
    }
  }
}
