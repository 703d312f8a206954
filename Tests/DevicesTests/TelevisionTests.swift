import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

@Suite("A television beside its description") struct TelevisionTests {
  private static let local = Endpoint(IPAddress(10, 0, 0, 1), port: 8_060)

  private static func television(_ change: (inout TelevisionPlan) -> Void = { _ in }) -> Television {
    var plan = TelevisionPlan()
    (plan.apps, plan.pairingKey) = (["YouTube", "Net flix"], "314159")
    change(&plan)
    return Television(plan)
  }

  /// The status, LOCATION and the state in the document; `nil`: the request is about something else.
  private static func ask(
    _ television: inout Television, _ method: String, _ path: String, _ body: [UInt8] = []
  ) -> String? {
    let head = HTTPRequestHead(method: method, path: path, minorVersion: 1, hasHost: true, byteCount: 1)
    guard let answer = television.answer(head, body: body, at: local) else { return nil }
    let location = answer.fields.first { $0.name == "LOCATION" }?.value
    let app = DIALApp.read(answer.body)
    return ([String(answer.status), location, app?.name, app?.state, app?.instance].compactMap { $0 })
      .joined(separator: " ")
  }

  @Test("an app is launched, asked about and closed; one is on the screen at a time")
  func apps() {
    var tv = TelevisionTests.television()
    func ask(_ method: String, _ path: String) -> String? { TelevisionTests.ask(&tv, method, path) }
    expectEqual(ask("GET", "/apps/YouTube"), "200 YouTube stopped")
    expectEqual(ask("POST", "/apps/YouTube"), "201 http://10.0.0.1:8060/apps/YouTube/run-1")
    expectEqual(ask("GET", "/apps/YouTube"), "200 YouTube running run-1")
    expectEqual(ask("POST", "/apps/Net%20flix"), "201 http://10.0.0.1:8060/apps/Net%20flix/run-2")
    expectEqual(ask("GET", "/apps/YouTube"), "200 YouTube stopped")
    expectEqual(ask("DELETE", "/apps/YouTube/run-1"), "404")
    expectEqual(ask("DELETE", "/apps/Net%20flix/run-1"), "404")
    expectEqual(ask("DELETE", "/apps/Net%20flix/run-2"), "200")
    expectEqual(ask("DELETE", "/apps/Net%20flix/run-2"), "404")
    expectEqual(ask("POST", "/apps/YouTube"), "201 http://10.0.0.1:8060/apps/YouTube/run-3")
    tv.start()
    expectEqual(ask("GET", "/apps/YouTube"), "200 YouTube stopped")
    expectEqual(ask("POST", "/apps/YouTube"), "201 http://10.0.0.1:8060/apps/YouTube/run-4")
  }

  @Test("what it does not know and what it does not do are told apart")
  func refusals() {
    var tv = TelevisionTests.television()
    func ask(_ method: String, _ path: String, _ body: [UInt8] = []) -> String? {
      TelevisionTests.ask(&tv, method, path, body)
    }
    expectEqual(ask("GET", "/apps/Hulu"), "404")
    expectEqual(ask("GET", "/apps/"), "404")
    expectEqual(ask("GET", "/apps/YouTube/a/b"), "404")
    for path in ["/apps/YouTube/", "/apps//YouTube"] { expectEqual(ask("GET", path), "404", "\(path)") }
    expectEqual(ask("PUT", "/apps/YouTube"), "405")
    _ = ask("POST", "/apps/YouTube")
    expectEqual(ask("GET", "/apps/YouTube/run-1"), "405")
    expectEqual(ask("GET", "/apps/YouTube/run-2"), "404")
    expectEqual(ask("GET", "/description.xml"), nil)
    expectEqual(ask("POST", "/apps/YouTube", [UInt8](repeating: 1, count: 4_096))?.prefix(3), "201")
    expectEqual(ask("POST", "/apps/YouTube", [UInt8](repeating: 1, count: 4_097)), "413")
  }

  @Test("a number is shown until it is typed, cancelled or the television starts anew")
  func pairing() {
    var tv = TelevisionTests.television()
    func ask(_ message: NetcastPairing) -> String? {
      TelevisionTests.ask(&tv, "POST", NetcastPairing.path, message.bytes)
    }
    #expect(!tv.showsKey)
    for end in [
      NetcastPairing.hello(key: "314159", port: 1), .hello(key: "1", port: 1), .cancel, .leave(port: 1), .showKey,
    ] {
      expectEqual(ask(.showKey), "200")
      #expect(tv.showsKey)
      let isWrong = end == .hello(key: "1", port: 1)
      expectEqual(ask(end), isWrong ? "401" : "200")
      expectEqual(tv.showsKey, end == .showKey)
    }
    tv.start()
    #expect(!tv.showsKey)
    expectEqual(TelevisionTests.ask(&tv, "POST", NetcastPairing.path, [1]), "400")
    expectEqual(TelevisionTests.ask(&tv, "GET", NetcastPairing.path), "405")
  }

  @Test("a device without apps or a number has none of it, and says so beside its description")
  func without() {
    var tv = TelevisionTests.television { ($0.apps, $0.pairingKey) = (nil, nil) }
    expectEqual(TelevisionTests.ask(&tv, "GET", "/apps/YouTube"), nil)
    expectEqual(TelevisionTests.ask(&tv, "POST", NetcastPairing.path, NetcastPairing.showKey.bytes), nil)
    #expect(tv.descriptionField(at: TelevisionTests.local) == nil)
    let field = TelevisionTests.television().descriptionField(at: TelevisionTests.local)
    expectEqual(field?.name, "Application-URL")
    expectEqual(field?.value, "http://10.0.0.1:8060/apps/")
  }
}
