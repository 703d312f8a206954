import RollcallDevices
import RollcallDiscovery
import RollcallPrimitives
import RollcallSimulation

extension WorldBuilder {
  func peripheral(_ section: PeripheralSection, named name: String, host: Int) -> ResolvedDevice {
    let plan = section.plan(named: name)
    switch plan.address {
    case .fixed(let address):
      return ResolvedDevice(name: name, host: host, kind: .peripheral(plan), identity: address.deviceName)
    case .rotating(let interval):
      // One for each interval, and for each time that it may start anew.
      let starts = scenario.timeline.count + scenario.faults.count
      let count = min(WorldBuilder.addressesMaximum, Int(scenario.duration.nanoseconds / interval.nanoseconds) + starts)
      let names = (0...UInt32(count)).map { Peripheral.privateAddress($0, of: name).deviceName }
      return ResolvedDevice(
        name: name, host: host, kind: .peripheral(plan), identity: names[0], laterIdentities: Array(names.dropFirst()))
    }
  }

  private static let addressesMaximum = 10_000

  /// The radios of peripherals, and of an engine that scans; `nil`: there is none.
  func radioPlan() -> RadioPlan? {
    let radios = resolved.hosts.enumerated().map { number, host -> RadioHostPlan? in
      switch host.role {
      case .engine:
        scenario.engineHasRadio ? radio(scenario.engine.host.radio, host: number) : nil
      case .peripheral, .other(.recordedPeripheral), .other(.phone):
        host.inhabitant.map { radio(scenario.inhabitants[$0].host.radio, host: number) }
      default: nil
      }
    }
    guard radios.contains(where: { $0 != nil }) else { return nil }
    return RadioPlan(radios: radios, air: scenario.network.air, heal: scenario.heal)
  }

  private func radio(_ section: RadioSection, host: Int) -> RadioHostPlan {
    var plan = RadioHostPlan(
      name: resolved.hosts[host].name, position: section.position, transmitPower: section.transmitPower,
      sensitivity: section.sensitivity, loss: section.loss)
    let walks = scenario.timeline.compactMap { entry -> Walk? in
      guard case .walk(let deed) = entry.deed, hosts(named: deed.who).contains(host) else { return nil }
      return Walk(start: entry.at, duration: deed.duration, to: deed.to)
    }
    plan.walks = walks.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
    plan.switches = switches(ofHost: host)
    return plan
  }

  /// When the radio goes off, and when it is on again because no fault keeps it off.
  private func switches(ofHost host: Int) -> [RadioSwitch] {
    var times: [(at: Instant, change: Int)] = []
    for fault in scenario.faults {
      guard case .radioOff(let who) = fault.kind, hosts(named: who).contains(host) else { continue }
      times.append((fault.at, 1))
      if let until = fault.until ?? scenario.heal { times.append((until, -1)) }
    }
    // At one instant one fault begins before another ends.
    times.sort { ($0.at, -$0.change) < ($1.at, -$1.change) }
    var offCount = 0
    return times.compactMap { time in
      let wasOff = offCount > 0
      offCount += time.change
      return wasOff == (offCount > 0) ? nil : RadioSwitch(at: time.at, isOn: wasOff)
    }
  }
}

extension Scenario {
  /// It scans, connects, its manager looks for peripherals, or it is among phones: then a phone takes its place.
  var engineHasRadio: Bool {
    if engine.configuration.scan != nil { return true }
    if engine.configuration.manager?.setup.registrations.needRadio == true { return true }
    if inhabitants.contains(where: { if case .phone = $0.kind { true } else { false } }) { return true }
    return timeline.contains { entry in
      switch entry.deed {
      case .peripheral: true
      case .manager(.register(let registrations)): registrations.needRadio
      default: false
      }
    }
  }
}

extension [ServiceRegistration] {
  /// Whether one of them is found by radio.
  fileprivate var needRadio: Bool { contains { $0.provider == .bluetooth } }
}

extension Resolved {
  /// A radio with everything that is planned for it.
  func radioTree(_ radio: RadioHostPlan) -> Tree {
    let section = RadioSection(
      position: radio.position, transmitPower: radio.transmitPower, sensitivity: radio.sensitivity, loss: radio.loss)
    var parts = (Form<RadioSection>.radio.write(section, true).entries ?? []).map { ($0.key, $0.value) }
    let position = Form<Position>.position
    if !radio.walks.isEmpty {
      let walks = radio.walks.map { walk in
        Tree.mapping([
          ("at", .scalar(walk.start.sinceStart.description)), ("to", position.write(walk.to, true)),
          ("over", .scalar(walk.duration.description)),
        ])
      }
      parts.append(("walks", .list(walks)))
    }
    if !radio.switches.isEmpty {
      let switches = radio.switches.map { Tree.scalar("\($0.isOn ? "on" : "off") at \($0.at.sinceStart)") }
      parts.append(("switches", .list(switches)))
    }
    return .mapping(parts)
  }
}
