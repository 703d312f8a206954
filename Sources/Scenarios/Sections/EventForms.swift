import RollcallPrimitives
import RollcallWire

extension Form<Who> {
  /// `tv`, `each`, `any`, `uuid:…`, `ble:…`, `peer:…`, `{each-of: [tv, speaker]}`, `{any-of: [tv, speaker]}`.
  static let who = Form.either(
    .scalar(
      "a device", example: "tv, each, any or uuid:…",
      schema: Schema(
        .members(("type", .string("string")), ("pattern", .string("^([A-Za-z][A-Za-z0-9_-]*|uuid:.+|ble:.+|peer:.+)$")))
      ),
      print: { who in
        switch who {
        case .everyone: "each"
        case .anyone: "any"
        case .device(let uuid): uuid
        case .each(let names), .anyOf(let names): names.first ?? ""
        }
      },
      parse: { text in
        switch text {
        case "each": .everyone
        case "any": .anyone
        case _ where text.hasPrefix("uuid:"): text.utf8.count > 5 && text.utf8.count <= 200 ? .device(text) : nil
        case _ where text.hasPrefix("peer:"):
          DNSName(String(text.dropFirst(5))).flatMap { try? ServiceInstanceName($0) }
            .map { .device("peer:\($0.domainName)") }
        case _ where text.hasPrefix("ble:"): RadioAddress(text.lowercased().dropFirst(4)).map { .device($0.deviceName) }
        default: isName(text) ? .each([text]) : nil
        }
      }),
    or: WhoDraft.form,
    isSecond: { $0.entries != nil },
    writesSecond: { who in
      switch who {
      case .anyOf: true
      case .each(let names): names.count != 1
      case .everyone, .anyone, .device: false
      }
    }
  ).named("who")
}

private struct WhoDraft: Sendable {
  var eachOf: [String]?
  var anyOf: [String]?

  private static let names = Form<[String]>.list(
    of: .name("the name of an inhabitant", example: "tv"), isEmptyAllowed: false)
  private static let fields: [Field<WhoDraft>] = [
    .optional("each-of", \.eachOf, names, choice: Choice(name: "who"), "Each of these on its own."),
    .optional("any-of", \.anyOf, names, choice: Choice(name: "who"), "Any of these, counted together."),
  ]
  static let form: Form<Who> = Form<WhoDraft>.record(WhoDraft(), fields).map(
    { draft, _, _ in
      if let names = draft.eachOf { return .each(names) }
      return draft.anyOf.map { .anyOf($0) }
    },
    back: { who in
      switch who {
      case .each(let names): WhoDraft(eachOf: names)
      case .anyOf(let names): WhoDraft(anyOf: names)
      case .everyone, .anyone, .device: WhoDraft()
      }
    })
}

/// The keys by which an entry names a report.
struct EventDraft: Sendable {
  var found: Who?
  var lost: Who?
  var cause: LossCause?
  var changed: Who?
  var what: EventPattern.ChangeKind?
  var has: AttributePattern?
  var service: ServicePattern?
  var searchEnded: SearchEndedPattern?
  var description: Who?
  var outcome: DescriptionPattern.Outcome?
  var peripheral: PeripheralPattern?
  var end: LinkEnd?
  var reason: GATTFailure.Reason?
  var characteristic: BluetoothUUID?
  var value: [UInt8]?
  var nearby: NearbyPattern?
  var details = NearbyDetails()
  var managed: ManagedPattern?
  var managedDetails = ManagedDetails()
  /// The inner `nil` is `any`.
  var failed: Failure.Reason??
  var rejected: RejectionReason??

  static func fields(_ choice: Choice) -> [Field<EventDraft>] {
    [
      .optional("found", \.found, .who, choice: choice, "A device is found."),
      .optional("lost", \.lost, .who, choice: choice, "A device is lost."),
      .optional("cause", \.cause, .word("a cause"), "Why it is lost; for whatever cause by default."),
      .optional("changed", \.changed, .who, choice: choice, "A device is still there, but not as it was."),
      .optional("what", \.what, .word("a change"), "What is different about it; anything by default."),
      .optional("has", \.has, .attributes, "What is said of the service then; anything by default."),
      .optional("service", \.service, .service, choice: choice, "A search hears a service for the first time."),
      .optional("search-ended", \.searchEnded, .searchEnded, choice: choice, "A search is over.")
        .alias("searchEnded"),
      .optional(
        "description", \.description, .who, choice: choice, "The fetch of a device's description ends, however it does."
      ),
      .optional(
        "outcome", \.outcome, .word("an outcome", DescriptionPattern.Outcome.all.map { ($0.word, $0) }),
        "How the fetch ends: fetched, failed, or the reason why it failed; however by default."),
      .optional(
        "failed", \.failed, .wordOrAny("a reason"), choice: choice,
        "Something that was asked of the engine cannot be done."),
      .optional("rejected", \.rejected, .wordOrAny("a reason"), choice: choice, "A datagram is refused."),
    ] + PeripheralPattern.fields(\.peripheral, choice: choice) + [
      .optional("end", \.end, .kebab("an end"), "Why a connection ended, or did not come about."),
      .optional("reason", \.reason, .kebab("a reason"), "Why a request failed."),
      .optional("characteristic", \.characteristic, .bluetoothUUID, "Of which characteristic a value is."),
      .optional("equals", \.value, .value, "The bytes of a value."),
    ] + NearbyPattern.fields(\.nearby, choice: choice) + NearbyDetails.fields.map { $0.lifted(\.details) }
      + ManagedPattern.fields(\.managed, choice: choice)
      + ManagedDetails.fields.map { $0.lifted(\.managedDetails) }
  }

  var pattern: EventPattern? {
    if let found { return .found(found, has: has) }
    if let lost { return .lost(lost, cause: cause) }
    if let changed { return .changed(changed, what: what, has: has) }
    if let service { return .service(service) }
    if let searchEnded { return .searchEnded(searchEnded) }
    if let description { return .description(DescriptionPattern(of: description, outcome: outcome)) }
    if var peripheral {
      (peripheral.end, peripheral.reason) = (end, reason)
      (peripheral.characteristic, peripheral.value) = (characteristic, value)
      return .peripheral(peripheral)
    }
    if let nearby { return .nearby(details.applied(to: nearby)) }
    if let managed { return .managed(managedDetails.applied(to: managed)) }
    if let failed { return .failed(failed) }
    if let rejected { return .rejected(rejected) }
    return nil
  }

  init() {}

  init(_ pattern: EventPattern?) {
    switch pattern {
    case .found(let who, let has): (found, self.has) = (who, has)
    case .lost(let who, let cause): (lost, self.cause) = (who, cause)
    case .changed(let who, let what, let has): (changed, self.what, self.has) = (who, what, has)
    case .service(let service): self.service = service
    case .searchEnded(let ended): searchEnded = ended
    case .description(let pattern): (description, outcome) = (pattern.of, pattern.outcome)
    case .peripheral(let pattern):
      (peripheral, end, reason) = (pattern, pattern.end, pattern.reason)
      (characteristic, value) = (pattern.characteristic, pattern.value)
    case .nearby(let pattern): (nearby, details) = (pattern, NearbyDetails(pattern))
    case .managed(let pattern): (managed, managedDetails) = (pattern, ManagedDetails(pattern))
    case .failed(let reason): failed = .some(reason)
    case .rejected(let reason): rejected = .some(reason)
    case nil: break
    }
  }

  /// Complains about keys that say more about another event.
  func check(_ tree: Tree, _ reader: inout Reader) -> Bool {
    let strays: [(key: String, isStray: Bool, partner: String)] =
      [
        ("cause", cause != nil && lost == nil, "lost"), ("what", what != nil && changed == nil, "changed"),
        ("has", has != nil && found == nil && changed == nil, "found' or 'changed"),
        ("outcome", outcome != nil && description == nil, "description"),
        (
          "end", end != nil && peripheral?.kind != .disconnected && peripheral?.kind != .connectionFailed,
          "disconnected' or 'connection-failed"
        ),
        ("reason", reason != nil && peripheral?.kind != .requestFailed, "request-failed"),
        ("characteristic", characteristic != nil && peripheral?.kind != .value, "value"),
        ("equals", value != nil && peripheral?.kind != .value, "value"),
      ] + details.strays(beside: nearby?.kind) + managedDetails.strays(beside: managed?.kind)
    for (key, isStray, partner) in strays where isStray {
      let mark = tree.entries?.first { $0.key == key }?.keyMark ?? tree.mark
      reader.complain("'\(key)' stands only beside '\(partner)'", at: mark)
      return false
    }
    return true
  }
}

extension Form {
  /// A word of a closed list, or `any`.
  static func wordOrAny<Word>(_ noun: String) -> Form
  where
    Value == Word?, Word: CaseIterable & RawRepresentable & Hashable & Sendable, Word.RawValue == String
  {
    word(noun, [("any", nil)] + Word.allCases.map { ($0.rawValue, $0) })
  }
}

extension Form<ServicePattern> {
  static let service = Form.record(
    ServicePattern(),
    [
      .optional("search", \.search, .number32, "In which search; in any by default."),
      .key("of", \.of, .who, default: .anyone, "Of which device; of any by default."),
      .optional(
        "target", \.target, .line("a search target", example: "upnp:rootdevice"), "ST of the answer; any by default."),
    ])
}

extension Form<SearchEndedPattern> {
  static let searchEnded = Form.record(
    SearchEndedPattern(),
    [
      .optional("search", \.search, .number32, "Which search; any by default."),
      .optional("services", \.services, .count, "How many services it heard."),
      .optional("stopped", \.wasStopped, .bool, "Whether the application stopped it before its time."),
    ])
}

/// The keys by which an entry says when.
struct WhenDraft: Sendable {
  var at: Instant?
  var within: ClosedRange<Instant>?
  var after: AfterDraft?

  static let fields: [Field<WhenDraft>] = {
    let choice = Choice(name: "when", isRequired: false)
    return [
      .optional("at", \.at, .instant, choice: choice, "At exactly this instant."),
      .optional("within", \.within, .instants, choice: choice, "In this stretch of the run, both ends inside."),
      .optional("after", \.after, .after, choice: choice, "After something else, each time that happens."),
    ]
  }()

  init() {}

  init(_ when: When) {
    switch when {
    case .anyTime: break
    case .within(let range) where range.lowerBound == range.upperBound: at = range.lowerBound
    case .within(let range): within = range
    case .after(let anchor, let range): after = AfterDraft(anchor, range)
    }
  }

  var when: When {
    if let at { return .within(at...at) }
    if let within { return .within(within) }
    if let after, let anchor = after.anchor { return .after(anchor, after.within) }
    return .anyTime
  }

  var isEmpty: Bool { at == nil && within == nil && after == nil }
}

struct AfterDraft: Sendable {
  var event = EventDraft()
  var timeline: String?
  var fault: String?
  var mended: String?
  var within: ClosedRange<Interval> = .zero ... .zero

  init() {}

  init(_ anchor: Anchor, _ within: ClosedRange<Interval>) {
    self.within = within
    switch anchor {
    case .event(let pattern): event = EventDraft(pattern)
    case .timeline(let id): timeline = id
    case .fault(let id): fault = id
    case .mended(let id): mended = id
    }
  }

  var anchor: Anchor? {
    timeline.map { .timeline($0) } ?? fault.map { .fault($0) } ?? mended.map { .mended($0) }
      ?? event.pattern.map { .event($0) }
  }
}

extension Form<AfterDraft> {
  static let after: Form = {
    let choice = Choice(name: "anchor")
    let id = Form<String>.name("an id", example: "t1")
    let own: [Field<AfterDraft>] = [
      .optional("timeline", \.timeline, id, choice: choice, "After this entry of the timeline."),
      .optional("fault", \.fault, id, choice: choice, "After this fault breaks something."),
      .optional("mended", \.mended, id, choice: choice, "After this fault mends."),
      .required("within", \.within, .upTo, "How long after: 3s is 0s..3s."),
    ]
    return Form.record(
      AfterDraft(),
      EventDraft.fields(choice).map { $0.lifted(\.event) } + own,
      check: { draft, tree, reader in draft.event.check(tree, &reader) }
    ).named("after")
  }()
}

extension Form<ClosedRange<Interval>> {
  /// `1s..3s`, or `3s` for `0s..3s`.
  static let upTo = Form.scalar(
    "a range of durations", example: "3s or 1s..3s", hasUnit: true, upTo: Number.longestInterval,
    schema: durations.schema,
    print: { $0.lowerBound == .zero ? "\($0.upperBound)" : "\($0.lowerBound)..\($0.upperBound)" },
    parse: { text in
      Number.range(text, Number.interval).map { range -> ClosedRange<Interval>? in
        Number.ends(text) == nil ? .zero...range.upperBound : range
      }
    })
}
