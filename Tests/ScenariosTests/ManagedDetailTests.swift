import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallScenarios

/// What an expectation says more of a report of the manager: each detail alone, how it is written, and where it stands.
@Suite("Details of reports of the manager in YAML") struct ManagedDetailTests {
  private func read(_ yaml: String) throws -> (value: Expectation?, said: [String]) {
    try FormBench.read(Form<Expectation>.expectation, "{\(yaml)}")
  }

  private func pattern(
    _ kind: ManagedPattern.Kind, _ change: (inout ManagedPattern) -> Void = { _ in }
  ) -> ManagedPattern {
    var pattern = ManagedPattern(kind, of: .each(["tv"]))
    change(&pattern)
    return pattern
  }

  private typealias Row = (yaml: String, pattern: ManagedPattern, text: String)

  private func check(_ rows: [Row]) throws {
    for (yaml, pattern, text) in rows {
      let expectation = Expectation(.happens(Happens(.managed(pattern))))
      let (value, said) = try read(yaml)
      expectEqual(value, expectation, "\(yaml)")
      expectEqual(said, [], "\(yaml)")
      expectEqual(Form<Expectation>.expectation.write(expectation, false).flow, "{\(yaml)}")
      expectEqual(pattern.text, text)
      // What is taken from a pattern makes a bare one the same.
      let bare = ManagedPattern(pattern.kind, of: pattern.of)
      expectEqual(ManagedDetails(pattern).applied(to: bare), pattern, "\(yaml)")
      expectEqual(ManagedDetails(bare).applied(to: pattern), bare, "\(yaml)")
    }
  }

  @Test("each kind of report has a key, under which it is read and written alone")
  func kinds() throws {
    let rows = ManagedPattern.Kind.allCases.map { kind -> Row in
      ("\(kind.rawValue): tv", pattern(kind), kind.rawValue)
    }
    try check(rows)
  }

  @Test("a detail of any device is read and written beside each kind that has it")
  func devices() throws {
    let rows: [Row] = [
      (
        "device-found: tv, offers: [DLNA, Other]", pattern(.found) { $0.offers = ["DLNA", "Other"] },
        "device-found (offers DLNA Other)"
      ),
      ("device-ready: tv, offers: []", pattern(.ready) { $0.offers = [] }, "device-ready (offers )"),
      (
        "device-lost: tv, can: [A.B, C.D]", pattern(.lost) { $0.can = [Capability("A.B"), Capability("C.D")] },
        "device-lost (can A.B C.D)"
      ),
      ("device-updated: tv, called: Den", pattern(.updated) { $0.called = "Den" }, "device-updated (called Den)"),
      (
        "device-remembered: tv, parts: 2..", pattern(.remembered) { $0.parts = .atLeast(2) },
        "device-remembered (2.. parts)"
      ),
      (
        "capabilities-changed: tv, parts: 1..2", pattern(.capabilities) { $0.parts = CountRange(1, 2) },
        "capabilities-changed (1..2 parts)"
      ),
      (
        "device-found: tv, again: true", pattern(.found) { $0.isAgain = true },
        "device-found (with an id of before)"
      ),
      ("device-found: tv, again: false", pattern(.found) { $0.isAgain = false }, "device-found (with a new id)"),
      (
        "device-found: tv, offers: [DLNA], can: [A.B], called: Den, parts: 2, again: true",
        pattern(.found) { found in
          (found.offers, found.can, found.called) = (["DLNA"], [Capability("A.B")], "Den")
          (found.parts, found.isAgain) = (.exactly(2), true)
        }, "device-found (called Den, offers DLNA, can A.B, 2 parts, with an id of before)"
      ),
    ]
    try check(rows)
  }

  @Test("why, how, which app and what it says are read and written beside the reports that have them")
  func outcomes() throws {
    let rows: [Row] = [
      (
        "device-not-connected: tv, why: wrong-key", pattern(.notConnected) { $0.why = .wrongKey },
        "device-not-connected (wrongKey)"
      ),
      ("app-failed: tv, why: session-gone", pattern(.appFailed) { $0.why = .sessionGone }, "app-failed (sessionGone)"),
      ("app-launched: tv, app: A", pattern(.launched) { $0.app = "A" }, "app-launched (A)"),
      ("app-joined: tv, app: A", pattern(.joined) { $0.app = "A" }, "app-joined (A)"),
      ("web-app-ended: tv, app: A", pattern(.webAppEnded) { $0.app = "A" }, "web-app-ended (A)"),
      ("web-app-said: tv, app: A", pattern(.webAppSaid) { $0.app = "A" }, "web-app-said (A)"),
      ("web-app-said: tv, says: a b", pattern(.webAppSaid) { $0.message = .text("a b") }, "web-app-said (says a b)"),
      ("web-app-said: tv, says: \"\"", pattern(.webAppSaid) { $0.message = .text("") }, "web-app-said (says )"),
      ("web-app-said: tv, says-json: 7", pattern(.webAppSaid) { $0.message = .json("7") }, "web-app-said (says 7)"),
      (
        "web-app-said: tv, app: A, says: B",
        pattern(.webAppSaid) { said in (said.app, said.message) = ("A", .text("B")) }, "web-app-said (A, says B)"
      ),
      (
        "app-failed: tv, called: Den, why: busy",
        pattern(.appFailed) { failed in (failed.called, failed.why) = ("Den", .busy) }, "app-failed (busy, called Den)"
      ),
    ]
    try check(rows)
    try check(
      ConnectionEnd.allCases.map { end -> Row in
        (
          "device-disconnected: tv, ended: \(kebabCase(end.rawValue))", pattern(.disconnected) { $0.end = end },
          "device-disconnected (\(end.rawValue))"
        )
      })
    try check(
      AppState.allCases.map { state -> Row in
        (
          "app-state: tv, is: \(state.rawValue)", pattern(.appState) { $0.state = state },
          "app-state (\(state.rawValue))"
        )
      })
  }

  private func details(_ change: (inout ManagedDetails) -> Void) -> ManagedDetails {
    var details = ManagedDetails()
    change(&details)
    return details
  }

  @Test("a detail stands beside the reports that have it, and is a stray beside every other one and beside none")
  func strays() {
    typealias Kind = ManagedPattern.Kind
    let every = Set(Kind.allCases)
    let table: [(key: String, details: ManagedDetails, allowed: Set<Kind>)] = [
      ("offers", details { $0.offers = [] }, every), ("can", details { $0.can = [] }, every),
      ("called", details { $0.called = "a" }, every), ("parts", details { $0.parts = .exactly(1) }, every),
      ("again", details { $0.isAgain = false }, [.found]),
      ("why", details { $0.why = .busy }, [.notConnected, .appFailed]),
      ("ended", details { $0.end = .asked }, [.disconnected]),
      ("app", details { $0.app = "a" }, [.launched, .joined, .webAppSaid, .webAppEnded]),
      ("says", details { $0.text = "" }, [.webAppSaid]), ("says-json", details { $0.json = "1" }, [.webAppSaid]),
      ("is", details { $0.state = .running }, [.appState]),
    ]
    func strays(_ details: ManagedDetails, _ kind: Kind?) -> [String] {
      details.strays(beside: kind).filter { $0.isStray }.map { $0.key }
    }
    for (key, details, allowed) in table {
      for kind in Kind.allCases {
        expectEqual(strays(details, kind), allowed.contains(kind) ? [] : [key], "\(key) beside \(kind.rawValue)")
      }
      expectEqual(strays(details, nil), [key], "\(key)")
    }
    for kind in Kind.allCases { expectEqual(strays(ManagedDetails(), kind), [], "\(kind.rawValue)") }
    expectEqual(strays(ManagedDetails(), nil), [])
    let both = details { details in (details.text, details.json) = ("a", "1") }
    expectEqual(strays(both, .webAppSaid), ["says"])
    expectEqual(strays(both, .webAppEnded), ["says", "says-json"])
    expectEqual(
      ManagedDetails().strays(beside: nil).map { "\($0.key): \($0.partner)" },
      [
        "offers: device-found", "can: device-found", "called: device-found", "parts: device-found",
        "again: device-found", "why: device-not-connected' or 'app-failed", "ended: device-disconnected",
        "app: app-launched', 'app-joined', 'web-app-said' or 'web-app-ended",
        "says: web-app-said' and without 'says-json", "says-json: web-app-said", "is: app-state",
      ])
  }

  @Test("a stray is refused at its key, in an expectation, in what never happens, and in what comes before")
  func places() {
    let failed = "'why' stands only beside 'device-not-connected' or 'app-failed'"
    let apps = "'app' stands only beside 'app-launched', 'app-joined', 'web-app-said' or 'web-app-ended'"
    let rows: [(before: String, after: String, said: String)] = [
      ("expect: [{app-closed: tv, ", "why: busy}]", "\(failed) (at expect[0])"),
      ("expect: [{never: {app-closed: tv, ", "why: busy}}]", "\(failed) (at expect[0].never)"),
      (
        "expect: [{found: tv, after: {device-ready: tv, within: 1s, ", "why: busy}}]", "\(failed) (at expect[0].after)"
      ),
      ("expect: [{found: tv, ", "app: A}]", "\(apps) (at expect[0])"),
      ("expect: [{app-closed: tv, ", "app: A}]", "\(apps) (at expect[0])"),
      ("expect: [{lost: tv, ", "again: true}]", "'again' stands only beside 'device-found' (at expect[0])"),
      (
        "expect: [{web-app-said: tv, ", "says: a, says-json: 1}]",
        "'says' stands only beside 'web-app-said' and without 'says-json' (at expect[0])"
      ),
    ]
    for (before, after, said) in rows {
      expectEqual(errorsOfDocument(before + after), "x.yaml:2:\(before.utf8.count + 1): error: \(said)")
    }
  }

  @Test("each detail has its own words, and its own length")
  func values() throws {
    let reasons = ConnectionFailure.Reason.allCases.map { kebabCase($0.rawValue) }.joined(separator: ", ")
    let rows: [(yaml: String, said: String)] = [
      ("app-failed: tv, why: zzz", "unknown reason 'zzz'; known are \(reasons)"),
      ("device-disconnected: tv, ended: zzz", "unknown end 'zzz'; known are asked, device-lost, link-lost"),
      ("app-state: tv, is: zzz", "unknown state 'zzz'; known are running, stopped, hidden, installable, other"),
      ("device-found: tv, again: zzz", "'zzz' is not true or false such as true"),
      ("device-found: tv, parts: zzz", "'zzz' is not a count such as 12, 10..12 or 3.."),
      ("device-found: tv, called: \"\"", "'' is not a name such as Living Room"),
      ("device-found: tv, called: []", "expected a name such as Living Room, found an empty list"),
      ("device-found: tv, offers: DLNA", "expected a list, found 'DLNA'"),
      ("device-found: tv, offers: [\"\"]", "'' is not the id of a service such as DLNA"),
      ("device-found: tv, can: [\"\"]", "'' is not a capability such as MediaControl.Play"),
      ("app-launched: tv, app: \"\"", "'' is not the name of an app such as YouTube"),
      ("web-app-said: tv, says: {}", "expected a text such as any of at most 8192 bytes, found a mapping"),
      ("web-app-said: tv, says-json: \"\"", "'' is not a value of JSON such as {\"room\":7}"),
    ]
    for (yaml, said) in rows {
      let found = try read(yaml)
      expectEqual(found.said, [said], "\(yaml)")
      expectEqual(found.value, nil, "\(yaml)")
    }
    func said(_ kind: String, _ key: String, _ value: Tree) -> [String] {
      FormBench.read(Form<Expectation>.expectation, .mapping([(kind, .scalar("tv")), (key, value)])).said
    }
    func text(_ count: Int) -> Tree { .scalar(String(repeating: "a", count: count)) }
    let shown = String(repeating: "a", count: 40) + "…"
    expectEqual(said("web-app-said", "says", text(8_192)), [])
    expectEqual(
      said("web-app-said", "says", text(8_193)), ["'\(shown)' is not a text such as any of at most 8192 bytes"])
    expectEqual(said("web-app-said", "says-json", text(1_000)), [])
    expectEqual(
      said("web-app-said", "says-json", text(1_001)), ["'\(shown)' is not a value of JSON such as {\"room\":7}"])
    expectEqual(said("device-found", "offers", FormBench.many(64, .scalar("a"))), [])
    expectEqual(
      said("device-found", "offers", FormBench.many(65, .scalar("a"))), ["a list of 65, at most 64 are allowed"])
  }
}
