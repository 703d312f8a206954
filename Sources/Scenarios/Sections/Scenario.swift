package import RollcallDiscovery
package import RollcallPrimitives

/// A scenario: a network, who lives on it, what they do, what breaks, and what has to come of it.
///
/// The value says what its YAML says and no more: `nil` and defaults are kept, names are not resolved.
/// `Scenario(yaml:file:)` reads and checks it, `yaml` writes it, `resolved()` works it out for a harness.
package struct Scenario: Hashable, Sendable {
  /// One line.
  package var title: String
  /// Why it exists: the bug, the clause or the question behind it.
  package var why: String
  package var tags: [String]
  /// The planted fault under which it must fail; `nil` where none was named.
  package var bites: Bite?
  package var seeds: ClosedRange<UInt64>
  package var duration: Interval
  package var network: NetworkSection
  package var engine: EngineSection
  package var inhabitants: [InhabitantEntry]
  package var timeline: [TimelineEntry]
  package var faults: [FaultEntry]
  /// When the network heals and the second act begins; `nil`: there is one act.
  package var heal: Instant?
  /// How long after `heal` the engine may take to agree with the truth.
  package var converge: Interval?
  package var expectations: [Expectation]
  /// Ids of expectations that may hold because nothing happened.
  package var vacuousOK: [String]
  package var sweep: [Sweep]
  package var budget: Budget

  /// What an expectation is called: as its entry says, else by its place, `e1` for the first one.
  package func id(ofExpectation index: Int) -> String { expectations[index].id ?? "e\(index + 1)" }

  package init(
    _ title: String, why: String = "", tags: [String] = [], bites: Bite? = nil, seeds: ClosedRange<UInt64> = 1...1,
    duration: Interval = .seconds(60), network: NetworkSection = NetworkSection(),
    engine: EngineSection = EngineSection(), inhabitants: [InhabitantEntry] = [], timeline: [TimelineEntry] = [],
    faults: [FaultEntry] = [], heal: Instant? = nil, converge: Interval? = nil, expectations: [Expectation] = [],
    vacuousOK: [String] = [], sweep: [Sweep] = [], budget: Budget = Budget()
  ) {
    self.title = title
    self.why = why
    self.tags = tags
    self.bites = bites
    self.seeds = seeds
    self.duration = duration
    self.network = network
    self.engine = engine
    self.inhabitants = inhabitants
    self.timeline = timeline
    self.faults = faults
    self.heal = heal
    self.converge = converge
    self.expectations = expectations
    self.vacuousOK = vacuousOK
    self.sweep = sweep
    self.budget = budget
  }
}

/// What a run may use up before it is stopped and reported.
package struct Budget: Hashable, Sendable {
  /// Events of the simulator.
  package var events: Int
  /// Entries of the trace.
  package var entries: Int

  package init(events: Int = 10_000_000, entries: Int = 10_000_000) { (self.events, self.entries) = (events, entries) }
}

/// One axis of a sweep: a place in the document and the values that it takes.
package struct Sweep: Hashable, Sendable {
  package var path: TreePath
  package var values: [Tree]

  package init(_ path: TreePath, _ values: [Tree]) { (self.path, self.values) = (path, values) }

  /// For tests: a path and scalars as the document writes them.
  package init?(_ path: String, _ values: [String]) {
    guard let path = TreePath(path) else { return nil }
    self.init(path, values.map { Tree(.scalar($0)) })
  }
}

/// `engine:` — the host of the engine under test, and how it is configured.
package struct EngineSection: Hashable, Sendable {
  package var host: HostSection
  /// Of the phone, where one is in its place.
  package var user: PhoneUser
  /// Its policies, limits and planted faults.
  package var configuration: EngineConfiguration

  package init(
    host: HostSection = HostSection(), user: PhoneUser = PhoneUser(),
    configuration: EngineConfiguration = EngineConfiguration()
  ) {
    (self.host, self.user, self.configuration) = (host, user, configuration)
  }

  /// The configuration with what the user does with it, and as the profile of its manager has it.
  package var configurationWithUser: EngineConfiguration {
    var configuration = configuration
    configuration.typingUser = user.typed.map { TypingUser(key: $0, delay: user.typeDelay) }
    if let profile = configuration.manager?.profile { return profile.applied(to: configuration) }
    return configuration
  }
}
