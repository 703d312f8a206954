import RollcallDevices
import RollcallDiscovery
import RollcallPrimitives
import RollcallWire

extension Form<Scenario> {
  static let scenario = Form.record(
    Scenario(""),
    [
      .required(
        "scenario", \.title, .line("a title", example: "A TV that leaves is lost"), "One line: what is to be seen."),
      .key(
        "version", \.version, .languageVersion, default: 1,
        "The version of this language; what may change with it: docs/stability.md."),
      .key("why", \.why, .text(), default: "", "Why it exists: the bug, the clause or the question behind it."),
      .key(
        "tags", \.tags, .list(of: .name("a tag", example: "teaches"), countMaximum: 32), default: [],
        "To pick scenarios by."),
      .optional(
        "bites", \.bites, .bite,
        "The planted fault under which it must fail: engine.<switch>, peers.<fault> or "
          + "<inhabitant>.<quirk>."),
      .optional(
        "seed", \.oneSeed, .seed, choice: Choice(name: "seeds", isRequired: false),
        "The one seed of a run; 1 by default."),
      .optional(
        "seeds", \.manySeeds, .seeds, choice: Choice(name: "seeds", isRequired: false), "The seeds to run, as 1..200."),
      .key("duration", \.duration, .duration, default: .seconds(60), "How long a run is, in virtual time."),
      .key("network", \.network, .network, default: NetworkSection(), "The segments and their links."),
      .key(
        "engine", \.engine, .engine, default: EngineSection(), "The host and the policies of the engine under test."),
      .key("inhabitants", \.inhabitants, .inhabitants, default: [], "Who lives on the network, by name."),
      .key("timeline", \.timeline, .list(of: .timelineEntry), default: [], "Who does what, and when."),
      .key("faults", \.faults, .list(of: .fault), default: [], "What breaks, and when."),
      .optional("heal", \.heal, .instant, "When the network heals: from then on the engine must converge."),
      .optional("converge", \.converge, .duration, "How long after heal the engine may take to agree with the truth."),
      .key("expect", \.expectations, .list(of: .expectation), default: [], "What has to come of it."),
      .key(
        "vacuous-ok", \.vacuousOK, .list(of: .name("the id of an expectation", example: "e1")), default: [],
        "Expectations that may hold because nothing happened."),
      .key("sweep", \.sweep, .sweep, default: [], "Places in this document and the values that they take in turn."),
      .key("budget", \.budget, .budget, default: Budget(), "What a run may use up."),
    ])
}

extension Scenario {
  /// There is one.
  fileprivate var version: Int {
    get { 1 }
    set {}
  }
  fileprivate var oneSeed: UInt64? {
    get { manySeeds == nil && seeds.lowerBound != 1 ? seeds.lowerBound : nil }
    set { if let newValue { seeds = newValue...newValue } }
  }
  fileprivate var manySeeds: ClosedRange<UInt64>? {
    get { seeds.lowerBound == seeds.upperBound ? nil : seeds }
    set { if let newValue { seeds = newValue } }
  }
}

extension Form<Int> {
  static let languageVersion = Form.scalar(
    "a version of the scenario language that is read here,", example: "1",
    schema: Schema(.members(("type", .string("integer")), ("minimum", .integer(1)), ("maximum", .integer(1)))),
    print: { String($0) }, parse: { $0 == "1" ? 1 : nil })
}

extension Form<UInt64> {
  static let seed = Form.scalar(
    "a seed", example: "7", upTo: "\(UInt64.max)",
    schema: Schema(.members(("type", .string("integer")), ("minimum", .integer(0)))), print: { String($0) },
    parse: { Number.whole($0, upTo: .max) })
}

extension Form<Budget> {
  static let budget = Form.record(
    Budget(),
    [
      .key("events", \.events, .integer(1...1_000_000_000), default: Budget().events, "Events of the simulator."),
      .key("entries", \.entries, .integer(1...1_000_000_000), default: Budget().entries, "Entries of the trace."),
    ])
}

extension Form<[Sweep]> {
  static let sweep = Form(
    schema: Schema(
      .members(
        ("type", .string("object")),
        ("additionalProperties", .members(("type", .string("array")), ("minItems", .integer(1)))))),
    read: { tree, reader in
      guard case .mapping(let entries) = tree.content else {
        reader.wrongKind(tree, expected: "a mapping from places such as network.link.loss to lists of values")
        return nil
      }
      var sweeps: [Sweep] = []
      for entry in entries {
        guard let path = TreePath(entry.key) else {
          reader.complain(
            "'\(shortened(entry.key))' is no place such as network.link.loss or timeline[0].at", at: entry.keyMark)
          continue
        }
        guard let values = entry.value.items, !values.isEmpty else {
          reader.within(.key(entry.key)) { $0.wrongKind(entry.value, expected: "a list of values") }
          continue
        }
        sweeps.append(Sweep(path, values))
      }
      return sweeps.count == entries.count ? sweeps : nil
    },
    write: { sweeps, _ in .mapping(sweeps.map { ($0.path.description, .list($0.values)) }) })
}
