import RollcallDevices
package import RollcallDiscovery
package import RollcallPrimitives
package import RollcallScenarios

/// Turns a resolved scenario and a seed into the plan of a world.
package enum Stage {
  /// - Parameter switches: faults to plant into the engine on top of the scenario's own.
  package static func plan(_ resolved: Resolved, seed: Seed, switches: [EngineSwitch] = []) -> WorldPlan {
    var configuration = resolved.scenario.engine.configuration
    for one in switches { configuration.switches.insert(one) }
    let blueprints = resolved.deviceKinds.map { DeviceBlueprint($0.description, quirks: $0.quirks) }
    let machines = resolved.hosts.map { host -> PlannedMachine in
      switch host.role {
      case .engine: .engine(configuration)
      case .rootDevice(let number):
        .rootDevice(
          RootDevice(
            blueprints[resolved.devices[number].kind], uuid: resolved.devices[number].uuid, seed: seed,
            name: host.name))
      case .other(let inhabitant): .inhabitant(machine(of: inhabitant, seed: seed, name: host.name))
      }
    }
    var plan = WorldPlan(network: resolved.plan, machines: machines, duration: resolved.end - .zero, seed: seed)
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

  private static func machine(of inhabitant: ResolvedInhabitant, seed: Seed, name: String) -> Inhabitant {
    switch inhabitant {
    case .controlPoint(let plan): .controlPointDecoy(ControlPointDecoy(plan, seed: seed, name: name))
    case .reflector(let plan): .reflector(Reflector(plan))
    case .flooder(let plan): .flooder(Flooder(plan, seed: seed, name: name))
    case .byebyeSpoofer(let plan): .byebyeSpoofer(ByebyeSpoofer(plan, seed: seed, name: name))
    case .responder(let plan): .responder(Responder(plan, seed: seed, name: name))
    case .script(let lines): .script(Script(lines))
    case .recorded(let plan): .recorded(Recorded(plan))
    }
  }
}
