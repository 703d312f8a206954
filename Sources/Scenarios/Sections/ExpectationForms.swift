import RollcallConformance
import RollcallPrimitives
import RollcallWire

extension Form<Expectation> {
  static let expectation = ExpectationForms.entry
}

/// What an expectation is made of while it is read.
private enum ExpectationForms {
  struct Draft: Sendable {
    var id: String?
    var event = EventDraft()
    var never: EventDraft?
    var present: Present?
    var always: Always?
    var converged: Bool?
    var distribution: Distribution?
    var share: ShareDraft?
    var conforms: Conforms?
    var when = WhenDraft()
    var times: CountRange?
  }
  struct ShareDraft: Sendable {
    var event = EventDraft()
    var atLeast: Ratio?
    var atMost: Ratio?
  }

  private static let kind = Choice(name: "expectation")

  static let entry: Form<Expectation> = Form<Draft>.record(Draft(), fields, check: { check($0, $1, &$2) }).map(
    { draft, tree, _ in kind(of: draft).map { Expectation(id: draft.id, $0, place: Place(tree.mark)) } },
    back: { draft($0) })

  private static let fields: [Field<Draft>] =
    head + EventDraft.fields(kind).map { $0.lifted(\.event) } + kinds + WhenDraft.fields.map { $0.lifted(\.when) }
    + tail

  private static let head: [Field<Draft>] = [
    .optional("id", \.id, .name("an id", example: "tv-found"), "How to speak of it; e1, e2 … by default.")
  ]
  private static let kinds: [Field<Draft>] = [
    .optional("never", \.never, never, choice: kind, "This does not happen."),
    .optional("present", \.present, .present, choice: kind, "Exactly these devices are known at an instant."),
    .optional("always", \.always, .always, choice: kind, "A bound that holds all the time."),
    .optional(
      "converged", \.converged, .bool, choice: kind,
      "After heal and converge the engine knows exactly the root devices that are there."),
    .optional(
      "distribution", \.distribution, .distribution, choice: kind, "A measured quantity follows a distribution."),
    .optional("share", \.share, share, choice: kind, "This happens under a share of the seeds."),
    .optional("conforms", \.conforms, conforms, choice: kind, "An inhabitant breaks no clause of its protocol."),
  ]
  private static let conforms = Form.record(
    Conforms(),
    [
      .required("who", \.who, .name("the name of an inhabitant", example: "printer"), "Who is judged."),
      .key(
        "keeps", \.keeps, .list(of: .clauseID, countMaximum: 100), default: [],
        "Clauses that it has occasion to keep, and keeps."),
      .key("ignores", \.ignores, .list(of: .clauseID, countMaximum: 100), default: [], "Clauses that it may break."),
    ])
  private static let tail: [Field<Draft>] = [.optional("times", \.times, .count, "How often; 1.. by default.")]

  private static let never = Form<EventDraft>.record(
    EventDraft(), EventDraft.fields(Choice(name: "event")), check: { $0.check($1, &$2) })
  private static let shareBounds: [Field<ShareDraft>] = [
    .optional("at-least", \.atLeast, .ratio, "The smallest share."),
    .optional("at-most", \.atMost, .ratio, "The largest share."),
  ]
  private static let share = Form<ShareDraft>.record(
    ShareDraft(), EventDraft.fields(Choice(name: "event")).map { $0.lifted(\.event) } + shareBounds,
    check: { draft, tree, reader in
      if draft.atLeast == nil, draft.atMost == nil {
        reader.complain("missing one of the keys at-least, at-most", at: tree.mark)
        return false
      }
      return draft.event.check(tree, &reader)
    })

  private static func check(_ draft: Draft, _ tree: Tree, _ reader: inout Reader) -> Bool {
    func mark(_ key: String) -> Tree.Mark { tree.entries?.first { $0.key == key }?.keyMark ?? tree.mark }
    if draft.converged == false {
      reader.complain("converged is true, or not there at all", at: mark("converged"))
      return false
    }
    let hasEvent = draft.event.pattern != nil
    if draft.times != nil, !hasEvent {
      reader.complain("'times' stands only beside an event that happens", at: mark("times"))
      return false
    }
    if !draft.when.isEmpty, !hasEvent, draft.never == nil, draft.share == nil {
      let key = draft.when.at != nil ? "at" : draft.when.within != nil ? "within" : "after"
      reader.complain("'\(key)' stands only beside an event, never or share", at: mark(key))
      return false
    }
    return draft.event.check(tree, &reader)
  }

  private static func kind(of draft: Draft) -> Expectation.Kind? {
    if let pattern = draft.event.pattern {
      return .happens(Happens(pattern, draft.when.when, times: draft.times ?? .atLeast(1)))
    }
    if let pattern = draft.never?.pattern { return .never(Never(pattern, draft.when.when)) }
    if let share = draft.share, let pattern = share.event.pattern {
      return .share(Share(pattern, draft.when.when, atLeast: share.atLeast, atMost: share.atMost))
    }
    return draft.present.map { .present($0) } ?? draft.always.map { .always($0) }
      ?? draft.distribution.map { .distribution($0) } ?? draft.conforms.map { .conforms($0) }
      ?? (draft.converged == true ? .converged : nil)
  }

  private static func draft(_ expectation: Expectation) -> Draft {
    var draft = Draft(id: expectation.id)
    switch expectation.kind {
    case .happens(let happens):
      draft.event = EventDraft(happens.event)
      draft.when = WhenDraft(happens.when)
      draft.times = happens.times == .atLeast(1) ? nil : happens.times
    case .never(let never):
      draft.never = EventDraft(never.event)
      draft.when = WhenDraft(never.when)
    case .present(let present): draft.present = present
    case .always(let always): draft.always = always
    case .converged: draft.converged = true
    case .distribution(let distribution): draft.distribution = distribution
    case .conforms(let conforms): draft.conforms = conforms
    case .share(let share):
      draft.share = ShareDraft(event: EventDraft(share.event), atLeast: share.atLeast, atMost: share.atMost)
      draft.when = WhenDraft(share.when)
    }
    return draft
  }
}

extension Form<Present> {
  static let present = Form.record(
    Present(at: .zero),
    [
      .required("at", \.at, .instant, "When."),
      .optional(
        "devices", \.devices, .list(of: .name("the name of an inhabitant", example: "tv")),
        choice: Choice(name: "what"),
        "Exactly these; a counted inhabitant stands for all its members."),
      .optional("count", \.count, .count, choice: Choice(name: "what"), "How many."),
    ])
}

extension Form<Always> {
  static let always = Form.record(
    Always(),
    [
      .optional("entries-at-most", \.entriesAtMost, .integer(0...10_000_000), "Advertisements that the engine holds."),
      .optional("devices-at-most", \.devicesAtMost, .integer(0...10_000_000), "Devices that the engine knows."),
    ],
    check: { always, tree, reader in
      if always != Always() { return true }
      reader.complain("missing one of the keys entries-at-most, devices-at-most", at: tree.mark)
      return false
    })
}

extension Form<Distribution> {
  static let distribution = Form.record(
    Distribution(of: .responseDelay, from: "", range: .zero ... .zero),
    [
      .required("of", \.of, .word("a quantity"), "What is measured."),
      .required("from", \.from, .name("the name of an inhabitant", example: "tv"), "Whose."),
      .optional("search", \.search, .number32, "Only answers to this search."),
      .key("test", \.test, .word("a test"), default: .uniform, "The statistical test."),
      .required("range", \.range, .durations, "Over which the distribution goes."),
      .key("alpha", \.alpha, .ratio, default: Ratio(1, in: 1_000), "The chance that a sound sample is refused."),
      .key(
        "minimum-samples", \.samplesMinimum, .integer(1...10_000_000), default: 200, "With fewer it is vacuous."),
    ])
}

extension Form<String> {
  /// The id of a clause that a judge looks at.
  fileprivate static let clauseID = Form.scalar(
    "the id of a clause that is judged", example: "MD-29", schema: Schema(.members(("type", .string("string")))),
    print: { $0 },
    parse: { text in
      Clause.named(text).flatMap { $0.id == text && Catalogue.checked.contains($0.number) ? text : nil }
    })
}
