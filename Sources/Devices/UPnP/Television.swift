package import RollcallPrimitives
import RollcallWire

/// What a television serves beside its description: apps as DIAL has them (DIAL 2.2, section 6), the pairing of a
/// Netcast television, which shows a number, and the messages of a webOS television.
package struct TelevisionPlan: Hashable, Sendable {
  /// The apps that it knows; `nil`: it has no server of DIAL.
  package var apps: [String]?
  /// What it shows for the user to type; `nil`: it pairs with nobody.
  package var pairingKey: String?
  /// `nil`: it is none of webOS.
  package var webOS: WebOSPlan?
  package init() {}

  /// Ports at which it is asked beside that of its description.
  package var ports: [UInt16] {
    (pairingKey == nil ? [] : [NetcastPairing.port]) + (webOS == nil ? [] : [SSAPMessage.port])
  }
}

/// A webOS television, and the person in front of it.
package struct WebOSPlan: Hashable, Sendable {
  /// What the person does when the screen asks whether an application may do much.
  package enum Answer: String, Hashable, Sendable, CaseIterable { case accept, decline, ignore }
  package var answer = Answer.ignore
  /// From the moment at which it was asked.
  package var answerDelay = Interval.zero
  /// The ids of its web apps.
  package var webApps: [String] = []
  package init() {}
}

/// The television itself: which app runs, and whether the number is on the screen.
struct Television: Sendable {
  static let appsPath = "/apps/"
  /// Of what an app is to show.
  static let contentBytesMaximum = 4_096

  /// An app by its place in the plan.
  private enum App: Hashable, Sendable {
    case own(Int)
    case web(Int)
  }

  let plan: TelevisionPlan
  /// One app is on the screen, with the number of the instance.
  private var running: (app: App, number: UInt32)?
  private var launchTotal: UInt32 = 0
  private(set) var showsKey = false

  init(_ plan: TelevisionPlan) { self.plan = plan }

  /// It starts anew: nothing runs, and no instance has a number that was there before.
  mutating func start() {
    running = nil
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
      guard close(.own(app), String(parts[1])) else { return .refusal(404) }
      return HTTPResponse(status: 200)
    case (_, 2) where parts[1] != instance(of: .own(app)).map { $0[...] }: return .refusal(404)
    case (_, 1), (_, 2): return .refusal(405)
    default: return .refusal(404)
    }
  }

  /// What is called the instance that runs; `nil`: it does not run.
  private func instance(of app: App) -> String? {
    guard let running, running.app == app else { return nil }
    return "run-\(running.number)"
  }

  /// Begins anew, also if it runs already: the others end.
  private mutating func launch(_ app: App) -> String {
    launchTotal &+= 1
    running = (app, launchTotal)
    return "run-\(launchTotal)"
  }

  private mutating func close(_ app: App, _ instance: String) -> Bool {
    guard self.instance(of: app) == instance else { return false }
    running = nil
    return true
  }

  // MARK: - DIAL

  private func state(of app: Int) -> HTTPResponse {
    let instance = instance(of: .own(app))
    let document = DIALApp(
      name: plan.apps?[app] ?? "", state: instance == nil ? "stopped" : "running", instance: instance)
    return HTTPResponse(status: 200, fields: [("CONTENT-TYPE", "text/xml; charset=\"utf-8\"")], body: document.bytes)
  }

  private mutating func launch(_ app: Int, at local: Endpoint) -> HTTPResponse {
    let path = Television.appsPath + DIALApp.segment(plan.apps?[app] ?? "") + "/" + launch(.own(app))
    return HTTPResponse(status: 201, fields: [("LOCATION", "http://\(local)\(path)")])
  }

  // MARK: - webOS

  mutating func answer(_ request: SSAPRequest, id: String) -> SSAPMessage {
    let app = app(of: request)
    func yes(_ members: [JSONValue.Member]) -> SSAPMessage {
      SSAPMessage(.response, id: id, payload: .object([.init("returnValue", .bool(true))] + members))
    }
    func no(_ error: String) -> SSAPMessage {
      SSAPMessage(.error, id: id, error: error, payload: .members(("returnValue", .bool(false))))
    }
    switch request {
    case .launch(let name, let content), .launchWebApp(let name, let content):
      guard let app else { return no("404 no such app") }
      if let content, content.utf8.count > Television.contentBytesMaximum { return no("413 too much to show") }
      return yes([.init(request.nameOfApp, .string(name)), .init("sessionId", .string(launch(app)))])
    case .appState(_, let session):
      guard let app else { return no("404 no such app") }
      let instance = instance(of: app)
      let runs = instance != nil && (session == nil || session == instance)
      return yes([.init("running", .bool(runs)), .init("visible", .bool(runs))])
    case .connectToApp(let name, let session):
      guard let app else { return no("404 no such app") }
      guard let instance = instance(of: app), session == nil || session == instance else {
        return yes([.init("state", .string("WAITING_FOR_APP"))])
      }
      return yes([
        .init("state", .string("CONNECTED")), .init("sessionId", .string(instance)),
        .init("appId", .string(Television.fullName(ofWebApp: name))),
      ])
    case .close(_, let session), .closeWebApp(_, let session):
      guard let app, close(app, session) else { return no("404 no such session") }
      return yes([])
    }
  }

  /// What is called the instance of a web app that runs; `nil`: it does not run.
  func instance(ofWebApp name: String) -> String? {
    plan.webOS?.webApps.firstIndex(of: name).flatMap { instance(of: .web($0)) }
  }

  /// By which messages to a web app, and those of it, name it.
  static func fullName(ofWebApp name: String) -> String { "webapphost-\(name)" }

  /// The app that a request is about; `nil`: there is none of this name.
  private func app(of request: SSAPRequest) -> App? {
    switch request {
    case .launch(let name, _), .appState(let name, _), .close(let name, _):
      plan.apps?.firstIndex(of: name).map { .own($0) }
    case .launchWebApp(let name, _), .connectToApp(let name, _), .closeWebApp(let name, _):
      plan.webOS?.webApps.firstIndex(of: name).map { .web($0) }
    }
  }

  // MARK: - Netcast

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
