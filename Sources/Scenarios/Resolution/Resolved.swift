package import RollcallDevices
package import RollcallPrimitives
package import RollcallSimulation

/// A scenario worked out: names are indices, defaults are values, everything that does not need the seed is decided.
///
/// It is for the code that builds the world of a run and judges it. The same scenario gives the same value on every
/// machine; a sweep has to be unfolded before (`points()`), what is resolved is one point of it.
package struct Resolved: Hashable, Sendable {
  /// What was resolved: configuration of the engine, seeds, budget and everything not repeated here.
  package var scenario: Scenario
  /// The network for the simulator; `plan.hosts[n]` is the body of `hosts[n]`. Addresses are given.
  package var plan: NetworkPlan
  /// Everybody, in the order of the document; `hosts[0]` is the engine.
  package var hosts: [ResolvedHost]
  /// The kinds of root devices, one for each inhabitant entry of that kind: one blueprint can serve all its members.
  package var deviceKinds: [DeviceKind]
  /// Whatever an engine can find, in the order of `hosts`.
  package var devices: [ResolvedDevice]
  /// The Bluetooth radios; `nil`: there are none.
  package var radio: RadioPlan?
  /// What the store of the engine's application goes through; `nil`: it has none.
  package var store: StorePlan?
  /// What the timeline asks of whom, ordered by (instant, place in the document). First appearances are not among
  /// them: they can depend on the seed, see `appearances(under:)`.
  package var commands: [ResolvedCommand]
  /// What breaks and mends, ordered by (instant, place in the document); `healEverything` stands at `heal`, last of its
  /// instant.
  package var faults: [ResolvedFault]
  /// The end of the run.
  package var end: Instant
  /// The second act begins; `nil`: there is none.
  package var heal: Instant?
  /// From here to `end` the engine agrees with the truth: `heal` and `converge`, where both are given.
  package var convergedFrom: Instant?
  /// What to judge, in the order of the document.
  package var expectations: [ResolvedExpectation]
}

/// One host and who lives on it.
package struct ResolvedHost: Hashable, Sendable {
  package enum Role: Hashable, Sendable {
    case engine
    /// Index into `Resolved.devices`.
    case root(Int)
    case peripheral(Int)
    /// Another inhabitant; its parameters with names already replaced.
    case other(ResolvedInhabitant)
  }
  /// `engine`, `tv`, `tv-3`: also the name of its random streams.
  package var name: String
  /// Index into `scenario.inhabitants`; `nil` for the engine.
  package var inhabitant: Int?
  package var role: Role
  package var appear: Appearance
}

/// What all members of one inhabitant entry share.
package struct DeviceKind: Hashable, Sendable {
  /// Index into `scenario.inhabitants`.
  package var inhabitant: Int
  /// The profile with what the document says differently; with the UUID of the first member.
  package var description: DeviceDescription
  /// Those of the profile and those of the document.
  package var quirks: [Quirk]
}

/// Something that an engine can find. Neither the seed nor a new neighbour changes what it is called.
package struct ResolvedDevice: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Index into `Resolved.deviceKinds`, and the UUID: from the document, else from the name alone.
    case root(Int, DeviceUUID)
    case peripheral(PeripheralPlan)
    /// A program outside has the radio, and may advertise under this address.
    case hciHost(RadioAddress)
    /// Of a host that offers services by multicast DNS.
    case service(MDNSService)
  }
  package var name: String
  /// Index into `Resolved.hosts`.
  package var host: Int
  package var kind: Kind
  /// How an engine's reports name it at first: `uuid:` and the UUID as this device prints it, `ble:` and the address,
  /// `peer:` and the name of a service.
  /// Compare without case.
  package var identity: String
  /// Further names, of a peripheral that takes private addresses, in their order.
  package var laterIdentities: [String] = []

  /// Under which a central can ask it for a connection; `nil`: nobody can say that before the run.
  package var fixedAddress: RadioAddress? {
    switch kind {
    case .peripheral(let plan): plan.fixedAddress
    case .hciHost(let address): address
    case .root, .service: nil
    }
  }

  package var identities: [String] { [identity] + laterIdentities }
}

/// The timeline asks something of a host.
package struct ResolvedCommand: Hashable, Sendable {
  /// Of the entry: `t1`, or as the document names it; of an appearance: `appear`.
  package var id: String
  package var at: Instant
  /// Index into `Resolved.hosts`.
  package var host: Int
  package var command: Command

  package init(id: String, at: Instant, host: Int, command: Command) {
    (self.id, self.at, self.host, self.command) = (id, at, host, command)
  }
}

package struct ResolvedFault: Hashable, Sendable {
  /// Of the entry: `f1`, or as the document names it; `heal` for the end of all faults, and `t1` where the engine moves.
  package var id: String
  package var at: Instant
  package var fault: Fault

  package init(id: String, at: Instant, fault: Fault) { (self.id, self.at, self.fault) = (id, at, fault) }
}

/// One expectation with everything that it speaks of looked up.
package struct ResolvedExpectation: Hashable, Sendable {
  /// `e1`, or as the document names it.
  package var id: String
  /// The entry in YAML's flow style, on one line: what a report shows.
  package var text: String
  /// It may hold because nothing happened (`vacuous-ok`).
  package var mayBeVacuous: Bool
  package var kind: Kind
  /// Where its entry begins.
  package var place: Place

  package init(id: String, text: String, mayBeVacuous: Bool, kind: Kind, place: Place = .none) {
    (self.id, self.text, self.mayBeVacuous, self.kind) = (id, text, mayBeVacuous, kind)
    self.place = place
  }

  package enum Kind: Hashable, Sendable {
    /// Every check on its own: in its window, `times` contains the number of reports that match. After an anchor that
    /// holds for each event of the anchor whose window lies inside the run; with none it is vacuous, as is a count
    /// from 0 where nothing happened at all. Each with a device of its own, if several are meant.
    case happens([EventCheck], times: CountRange)
    /// No report in any of these windows matches. Vacuous if there is an anchor and none of its windows lies inside the
    /// run, and in a run without reports.
    case never([EventCheck])
    /// The share of seeds in which at least one report matches, for each check on its own; both ends inside.
    case share([EventCheck], atLeast: Ratio?, atMost: Ratio?)
    /// After the last step at or before the instant the engine holds exactly the devices of these identities, in the
    /// order of `Resolved.devices`.
    case presentDevices(at: Instant, [String])
    case presentCount(at: Instant, CountRange)
    /// After every step the engine holds no more; `nil`: no bound.
    case always(entriesAtMost: Int?, devicesAtMost: Int?)
    /// From the instant to the end of the run the engine's devices are exactly the root devices that are there.
    case converged(from: Instant)
    /// Over all seeds of the point together; `devices` index `Resolved.devices`.
    case distribution(Distribution, devices: [Int])
    /// What these hosts send breaks no clause but those that are ignored, and each host keeps these at least once.
    case conforms(hosts: [Int], keeps: [String], ignores: [String])
  }
}

/// Reports to look for, and where.
package struct EventCheck: Hashable, Sendable {
  /// The name of the device that it is about; empty where it is about none or several.
  package var label: String
  package var event: EventMatch
  package var when: Stretch

  package init(label: String, event: EventMatch, when: Stretch) {
    (self.label, self.event, self.when) = (label, event, when)
  }

  package enum Stretch: Hashable, Sendable {
    /// Both ends inside; the whole run where nothing was said.
    case within(ClosedRange<Instant>)
    /// For each report that matches, from its instant; both ends inside. A window that the run ends before is not tested.
    case after(EventMatch, ClosedRange<Interval>)
  }
}

extension Resolved {
  /// When everybody joins the network for the first time, ordered by (instant, host): an `appear` for each inhabitant
  /// that does not wait for the timeline. Each draws from a stream of its own.
  package func appearances(under seed: Seed) -> [ResolvedCommand] {
    var commands: [ResolvedCommand] = []
    for (index, host) in hosts.enumerated() where index > 0 {
      let at: Instant
      switch host.appear {
      case .at(let instant): at = instant
      case .within(let range):
        var stream = seed.stream(host.name + "/appear")
        at = range.lowerBound + stream.interval(in: .zero...(range.upperBound - range.lowerBound))
      case .never: continue
      }
      commands.append(ResolvedCommand(id: "appear", at: at, host: index, command: .act(.appear)))
    }
    return commands.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }

  /// The host of this name; `nil` where there is none.
  package func host(named name: String) -> Int? { hosts.firstIndex { $0.name == name } }
}
