import RollcallDevices
package import RollcallDiscovery
import RollcallPeers
package import RollcallPrimitives
package import RollcallScenarios
package import RollcallSimulation

/// Adds the machine of one engine to those of a world.
package typealias EngineMaker = (inout Machines) -> Void

/// Turns a resolved scenario and a seed into the plan of a world.
package enum Stage {
  /// - Parameters:
  ///   - switches: faults to plant into the engine on top of the scenario's own.
  ///   - isServed: whether people outside look at the devices: then all serve their descriptions, which have the names
  ///     of the scenario; else devices serve where the engine fetches.
  ///   - radios: where what the radios of hosts outside hear is handed on to, by name.
  ///   - engine: adds the machine that takes the place of the engine; `nil`: Rollcall's own, as the scenario configures it.
  package static func plan(
    _ resolved: Resolved, seed: Seed, switches: [EngineSwitch] = [], isServed: Bool = false,
    radios: [String: RadioGateway.Uplink] = [:], engine: EngineMaker? = nil
  ) -> WorldPlan {
    let configuration = configuration(of: resolved, seed: seed, switches: switches)
    // Without a client nobody would ask: then there are no streams, and a run costs what it costs without them.
    let hasStreams = isServed || configuration.descriptions == .fetch
    let blueprints = resolved.deviceKinds.map {
      DeviceBlueprint($0.description, quirks: $0.quirks, servesDescriptions: hasStreams)
    }
    var plan = WorldPlan(network: resolved.plan, duration: resolved.end - .zero, seed: seed)
    if hasStreams { plan.media.append(StreamMedium(hostNames: resolved.hosts.map(\.name), seed: seed)) }
    if let radio = resolved.radio { plan.media.append(RadioMedium(radio, seed: seed)) }
    if let store = resolved.store { plan.media.append(StoreMedium(store)) }
    for host in resolved.hosts {
      switch host.role {
      case .engine:
        if let engine {
          engine(&plan.machines)
        } else {
          plan.machines.append(DiscoveryEngine(configuration))
        }
      case .root(let number):
        let device = resolved.devices[number]
        guard case .root(let kind, let uuid) = device.kind else {
          preconditionFailure("\(device.name) is a root device")
        }
        var root = RootDevice(blueprints[kind], uuid: uuid, seed: seed, name: host.name)
        if isServed, root.blueprint.description.friendlyName == nil { root.setFriendlyName(device.name) }
        plan.machines.append(root)
      case .peripheral(let number):
        let device = resolved.devices[number]
        switch device.kind {
        case .peripheral(let planned): plan.machines.append(Peripheral(planned, name: host.name))
        case .hciHost: plan.machines.append(RadioGateway(radios[host.name] ?? RadioGateway.Uplink()))
        case .root, .service: preconditionFailure("\(device.name) is a peripheral")
        }
      case .other(let inhabitant): add(inhabitant, named: host.name, seed, to: &plan.machines)
      }
    }
    plan.entriesMaximum = UInt64(max(0, resolved.scenario.budget.entries))
    plan.eventsMaximum = UInt64(max(0, resolved.scenario.budget.events))
    let appearances = resolved.appearances(under: seed)
    let adopted = SharedSearches.commands(of: resolved, appearances)
    let all = (appearances + resolved.commands + adopted).enumerated()
    plan.commands = all.sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map { (time: $0.element.at, host: $0.element.host, command: $0.element.command) }
    plan.faults = resolved.faults.map { (time: $0.at, fault: $0.fault) }
    return plan
  }

  /// What the engine of a run is made from.
  package static func configuration(
    of resolved: Resolved, seed: Seed, switches: [EngineSwitch] = []
  ) -> EngineConfiguration {
    var configuration = resolved.scenario.engine.configurationWithUser
    configuration.querySeed = seed
    for one in switches { configuration.switches.insert(one) }
    return configuration
  }

  private static func add(
    _ inhabitant: ResolvedInhabitant, named name: String, _ seed: Seed, to machines: inout Machines
  ) {
    switch inhabitant {
    case .controlPoint(let plan): machines.append(ControlPointDecoy(plan, seed: seed, name: name))
    case .reflector(let plan): machines.append(Reflector(plan))
    case .flooder(let plan): machines.append(Flooder(plan, seed: seed, name: name))
    case .byebyeSpoofer(let plan): machines.append(ByebyeSpoofer(plan, seed: seed, name: name))
    case .responder(let plan): machines.append(Responder(plan, seed: seed, name: name))
    case .script(let lines): machines.append(Script(lines))
    case .recorded(let plan): machines.append(Recorded(plan))
    case .recordedPeripheral(let plan): machines.append(RecordedPeripheral(plan))
    case .mdnsTester(let lines): machines.append(MDNSTester(lines))
    case .mdnsResponder(let plan): machines.append(MDNSResponder(plan, seed: seed, name: name))
    case .nearbyPeer(let plan): machines.append(NearbyPeer(plan, seed: seed, host: name))
    // Without its applications it says nothing.
    case .phone: machines.append(Script([]))
    }
  }
}
