package import RollcallPrimitives

/// One entry of `expect:`.
package struct Expectation: Hashable, Sendable {
  /// `nil`: e and its number in the list, from 1.
  package var id: String?
  package var kind: Kind
  /// Where its entry begins.
  package var place: Place

  package init(id: String? = nil, _ kind: Kind, place: Place = .none) {
    (self.id, self.kind, self.place) = (id, kind, place)
  }

  /// Whether it is judged over all seeds of a point together, and not in each run.
  package var isOverSeeds: Bool {
    switch kind {
    case .share, .distribution: true
    case .happens, .never, .present, .always, .converged, .conforms: false
    }
  }

  package enum Kind: Hashable, Sendable {
    /// A report is made, so often, in a window.
    case happens(Happens)
    /// A report is not made, in a window or ever.
    case never(Never)
    /// At an instant the engine knows exactly these devices.
    case present(Present)
    /// A bound that holds after every step of the engine.
    case always(Always)
    /// Once the network healed, and `converge` later, the engine knows exactly the root devices that are there.
    case converged
    /// A measured quantity follows a distribution, over the seeds of a point together.
    case distribution(Distribution)
    /// A report is made under this share of the seeds of a point.
    case share(Share)
    /// An inhabitant breaks no clause, and shows that it keeps some.
    case conforms(Conforms)
  }
}

/// What an inhabitant sends is judged by clause, as `judge` does with the trace of the run.
package struct Conforms: Hashable, Sendable {
  /// Each host of this inhabitant.
  package var who: String
  /// Ids of clauses that have to be held at least once.
  package var keeps: [String]
  /// Ids of clauses that may be broken: those of what others did to it.
  package var ignores: [String]

  package init(who: String = "", keeps: [String] = [], ignores: [String] = []) {
    (self.who, self.keeps, self.ignores) = (who, keeps, ignores)
  }
}

/// A report is made: how often, and when.
package struct Happens: Hashable, Sendable {
  package var event: EventPattern
  package var when: When
  package var times: CountRange

  package init(_ event: EventPattern, _ when: When = .anyTime, times: CountRange = .atLeast(1)) {
    (self.event, self.when, self.times) = (event, when, times)
  }
}

package struct Never: Hashable, Sendable {
  package var event: EventPattern
  package var when: When

  package init(_ event: EventPattern, _ when: When = .anyTime) { (self.event, self.when) = (event, when) }
}

/// The stretch of the run that counts; both ends are inside.
package enum When: Hashable, Sendable {
  case anyTime
  case within(ClosedRange<Instant>)
  /// After each event of something else, on its own.
  case after(Anchor, ClosedRange<Interval>)
}

package enum Anchor: Hashable, Sendable {
  case event(EventPattern)
  /// The id of an entry of the timeline.
  case timeline(String)
  /// The id of a fault, when it breaks or when it mends.
  case fault(String)
  case mended(String)
}

/// Which devices are meant.
package enum Who: Hashable, Sendable {
  /// Each root device of these inhabitants on its own: with ten of them, the expectation stands ten times.
  case each([String])
  /// Any of these, counted together.
  case anyOf([String])
  /// Each root device of the scenario on its own.
  case everyone
  /// Any device, known to the scenario or not, counted together.
  case anyone
  /// A device by its UUID, `uuid:` in front: one that no inhabitant is.
  case device(String)
}

/// Exactly one of `devices` and `count` says what is there.
package struct Present: Hashable, Sendable {
  package var at: Instant
  /// Names of root devices; a counted inhabitant stands for all its members.
  package var devices: [String]?
  package var count: CountRange?

  package init(at: Instant, devices: [String]? = nil, count: CountRange? = nil) {
    (self.at, self.devices, self.count) = (at, devices, count)
  }
}

package struct Always: Hashable, Sendable {
  /// Advertisements that the engine holds.
  package var entriesAtMost: Int?
  package var devicesAtMost: Int?

  package init(entriesAtMost: Int? = nil, devicesAtMost: Int? = nil) {
    (self.entriesAtMost, self.devicesAtMost) = (entriesAtMost, devicesAtMost)
  }
}

package struct Distribution: Hashable, Sendable {
  package enum Quantity: String, Hashable, Sendable, CaseIterable {
    /// From a copy of an M-SEARCH to the answers of an inhabitant.
    case responseDelay = "response-delay"
    /// From one announcement of the same USN to the next.
    case renewalInterval = "renewal-interval"
  }
  package enum Test: String, Hashable, Sendable, CaseIterable {
    /// Chi-square against the uniform distribution over `range`.
    case uniform
  }

  package var of: Quantity
  package var from: String
  /// Only answers to this search.
  package var search: UInt32?
  package var test: Test
  package var range: ClosedRange<Interval>
  /// The chance that a sound sample is refused.
  package var alpha: Ratio
  /// With fewer the expectation is vacuous.
  package var samplesMinimum: Int

  /// The test compares so many equal parts of the range.
  package static let partCount = 10

  package init(
    of: Quantity, from: String, search: UInt32? = nil, test: Test = .uniform, range: ClosedRange<Interval>,
    alpha: Ratio = Ratio(1, in: 1_000), samplesMinimum: Int = 200
  ) {
    self.of = of
    self.from = from
    self.search = search
    self.test = test
    self.range = range
    self.alpha = alpha
    self.samplesMinimum = samplesMinimum
  }
}

package struct Share: Hashable, Sendable {
  package var event: EventPattern
  package var when: When
  package var atLeast: Ratio?
  package var atMost: Ratio?

  package init(_ event: EventPattern, _ when: When = .anyTime, atLeast: Ratio? = nil, atMost: Ratio? = nil) {
    (self.event, self.when, self.atLeast, self.atMost) = (event, when, atLeast, atMost)
  }
}
