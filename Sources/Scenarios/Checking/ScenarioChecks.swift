import RollcallDevices
import RollcallDiscovery
import RollcallPrimitives

/// What a scenario's parts have to agree on, looked at after each part is well formed: names that exist, instants
/// inside the run, ids that are unique. Complaints name a path; the reader of a file adds the place.
struct ScenarioChecks {
  let scenario: Scenario
  private(set) var complaints: [(path: TreePath, message: String)] = []

  init(_ scenario: Scenario) {
    self.scenario = scenario
    checkWhole()
    checkInhabitants()
    checkTimeline()
    checkFaults()
    checkExpectations()
  }

  mutating func complain(_ path: TreePath, _ message: String) { complaints.append((path, message)) }

  /// Hosts all together: a run holds this many.
  static let hostsMaximum = 20_000
  static let reservedNames = ["engine", "each", "any", "peers"]

  var end: Instant { .zero + scenario.duration }
  var segments: [String] { scenario.network.segments.map(\.name) }

  // MARK: The whole

  private mutating func checkWhole() {
    let root = TreePath()
    if scenario.duration <= .zero { complain(root.appending("duration"), "a run takes longer than 0s") }
    if let heal = scenario.heal, heal > end {
      complain(root.appending("heal"), "heal comes after the end of the run (\(scenario.duration))")
    }
    if let converge = scenario.converge {
      if let heal = scenario.heal {
        if heal + converge > end {
          complain(
            root.appending("converge"),
            "heal and converge reach \((heal + converge).sinceStart), the run ends at \(scenario.duration)")
        }
      } else {
        complain(root.appending("converge"), "converge counts from heal, and there is no heal")
      }
    }
    if scenario.seeds.upperBound - scenario.seeds.lowerBound >= Scenario.seedsMaximum {
      complain(root.appending("seeds"), "at most \(Scenario.seedsMaximum) seeds")
    }
    let subnets = scenario.network.subnets
    var names: [String] = []
    for (index, segment) in scenario.network.segments.enumerated() {
      if names.contains(segment.name) {
        complain(root.appending("network").appending("segments"), "segment '\(segment.name)' twice")
      }
      names.append(segment.name)
      for other in 0..<index
      where subnets[other].address.sharesPrefix(
        min(subnets[other].prefixBits, subnets[index].prefixBits), with: subnets[index].address)
      {
        let path = root.appending("network").appending("segments").appending(segment.name).appending("subnet")
        complain(path, "the subnets of '\(scenario.network.segments[other].name)' and '\(segment.name)' overlap")
      }
    }
    checkHost(scenario.engine.host, count: 1, at: root.appending("engine"))
    if scenario.engine.configuration.switches.namesAny, !EngineSwitches.areBuiltIn {
      complain(root.appending("engine").appending("switches"), "'switches' " + EngineSwitches.missing)
    }
    if scenario.engine.configuration.manager?.profile != nil, !EngineSwitches.areBuiltIn {
      complain(
        root.appending("engine").appending("manager").appending("profile"), "'profile' " + EngineSwitches.missing)
    }
    if case .manager? = scenario.bites, scenario.engine.configuration.manager == nil {
      complain(root.appending("bites"), "the engine has no manager: 'engine' needs the key 'manager'")
    }
    if case .inhabitant(let name, _)? = scenario.bites {
      checkDevices([name], at: root.appending("bites"), onLAN: true)
    }
    if case .responder(let name, _)? = scenario.bites, checkNames([name], at: root.appending("bites")),
      entry(name)?.kind.name != "mdns-responder"
    {
      complain(root.appending("bites"), "'\(name)' is no mdns-responder")
    }
  }

  // MARK: Inhabitants

  private mutating func checkInhabitants() {
    let section = TreePath().appending("inhabitants")
    var seen: Set<String> = []
    var total = 1
    for entry in scenario.inhabitants {
      let path = section.appending(entry.name)
      total = total + min(max(0, entry.count), 1 << 30)
      if ScenarioChecks.reservedNames.contains(entry.name) {
        complain(path, "'\(entry.name)' is a name with a meaning")
      }
      if entry.count < 1 { complain(path.appending("count"), "at least 1") }
      if total > ScenarioChecks.hostsMaximum {
        return complain(path, "more than \(ScenarioChecks.hostsMaximum) hosts in all")
      }
      for name in entry.count == 1 ? [entry.name] : [entry.name] + entry.memberNames
      where !seen.insert(name).inserted { complain(path, "'\(name)' twice among the inhabitants and their members") }
      checkHost(entry.host, count: entry.count, at: path)
      switch entry.appear {
      case .at(let instant) where instant > end: complain(path.appending("appear"), "after the end of the run")
      case .within(let range) where range.upperBound > end:
        complain(path.appending("appear"), "after the end of the run")
      default: break
      }
      checkKind(entry, at: path)
    }
  }

  private mutating func checkKind(_ entry: InhabitantEntry, at path: TreePath) {
    for reference in entry.kind.references {
      if reference.isDevice {
        checkDevices([reference.name], at: path.appending(reference.key), onLAN: true)
      } else {
        checkNames([reference.name], at: path.appending(reference.key), besides: ["engine"])
      }
    }
    if case .flooder(let section) = entry.kind {
      let isAnswering = section.plan.message == .response
      if isAnswering, section.to == nil {
        complain(path.appending("sends"), "responses go to somebody: name them with 'to'")
      } else if !isAnswering, section.to != nil {
        complain(path.appending("to"), "'to' stands only beside 'sends: response': all else goes to the groups")
      }
    }
    if case .recorded(let section) = entry.kind {
      let names = section.sets.map(\.name)
      for (key, used) in [("says", section.says.map(\.set)), ("answers", section.answers.map(\.set))] {
        for (index, name) in used.enumerated() {
          guard let name, !names.contains(name) else { continue }
          complain(
            path.appending(key).appending(index).appending("set"),
            "unknown set '\(name)'" + suggestion(for: name, of: names))
        }
      }
    }
    if case .peripheral(let section) = entry.kind { check(section, count: entry.count, at: path) }
    if case .hciHost(let section) = entry.kind, entry.count > 1, section.address != nil {
      complain(path.appending("address"), "\(entry.count) hosts cannot have one address")
    }
    if case .phone = entry.kind, entry.appear != .at(.zero) {
      complain(path.appending("appear"), "a phone is there from the start, and silent until its application speaks")
    }
    if entry.count > 1, entry.kind.lanDevice?.uuid != nil {
      complain(path.appending("uuid"), "\(entry.count) devices cannot have one UUID")
    }
  }

  private mutating func checkHost(_ host: HostSection, count: Int, at path: TreePath) {
    if let owner = host.beside {
      let own: [(key: String, isGiven: Bool)] = [
        ("segment", host.segment != nil), ("address", host.address != nil), ("ipv6", host.ipv6 != nil),
        ("interfaces", !host.interfaces.isEmpty), ("link", host.link != LinkSection()),
        ("clock-drift", host.clockDriftMillionths != 0),
      ]
      for (key, isGiven) in own where isGiven {
        complain(path.appending(key), "'\(key)' is the host's, which is that of '\(owner)': say it there")
      }
    }
    if !host.interfaces.isEmpty {
      if host.segment != nil { complain(path.appending("segment"), "each of the interfaces names its segment") }
      if host.address != nil { complain(path.appending("address"), "each of the interfaces has its address") }
    }
    for (index, interface) in host.resolvedInterfaces.enumerated() {
      let place = host.interfaces.isEmpty ? path : path.appending("interfaces").appending(index)
      if let segment = interface.segment, !segments.contains(segment) {
        complain(place.appending("segment"), "unknown segment '\(segment)'" + suggestion(for: segment, of: segments))
      }
      guard let first = interface.address else { continue }
      // Members have the addresses that follow.
      let addresses = (0..<max(1, count)).lazy.map { first.advanced(by: $0) }
      if let address = addresses.first(where: { $0.isMulticast || $0.isUnspecified || $0.isBroadcast }) {
        complain(place.appending("address"), "\(address) is no address of a host")
      }
    }
  }

  // MARK: Names

  func entry(_ name: String) -> InhabitantEntry? { scenario.inhabitant(named: name)?.entry }

  /// Each of these is an inhabitant or a member of one.
  @discardableResult mutating func checkNames(_ names: [String], at path: TreePath, besides: [String] = []) -> Bool {
    for name in names where entry(name) == nil && !besides.contains(name) {
      let known = besides + scenario.inhabitants.map(\.name)
      complain(path, "unknown inhabitant '\(name)'" + suggestion(for: name, of: known))
      return false
    }
    return true
  }

  /// Each of these can be found by an engine.
  /// - Parameter onLAN: whether each has to be a root device.
  mutating func checkDevices(_ names: [String], at path: TreePath, onLAN: Bool = false) {
    for name in names where checkNames([name], at: path) {
      guard let entry = entry(name) else { continue }
      if onLAN, entry.kind.lanDevice == nil {
        complain(path, "'\(name)' is no root device")
      } else if !entry.isDevice {
        complain(path, "'\(name)' is no root device, no peripheral and no host with services")
      }
    }
  }

  mutating func checkInterface(_ number: Int, of name: String, at path: TreePath) {
    let entries = name == "each" ? scenario.inhabitants.filter(\.hasInterfaces) : entry(name).map { [$0] } ?? []
    let counts =
      name == "engine"
      ? [scenario.engine.host.resolvedInterfaces.count]
      : entries.map { interfaceCount(of: $0) }
    if counts.contains(where: { number >= $0 }) { complain(path, "'\(name)' has no interface \(number)") }
  }

  /// Interfaces of its host, which may be that of another inhabitant.
  private func interfaceCount(of entry: InhabitantEntry) -> Int {
    let owner = entry.host.beside.flatMap { self.entry($0) } ?? entry
    return owner.hasInterfaces ? owner.host.resolvedInterfaces.count : 0
  }
}

extension Scenario {
  /// The numbers of the searches of the timeline, in its order: as written, else the next that is free, from 1.
  var searches: [UInt32] {
    let deeds = timeline.compactMap { entry in if case .search(let search) = entry.deed { search } else { nil } }
    let written = Set(deeds.compactMap(\.id))
    var next: UInt32 = 1
    return deeds.map { deed in
      if let id = deed.id { return id }
      while written.contains(next) { next += 1 }
      defer { next += 1 }
      return next
    }
  }

  /// The inhabitant of this name, with all its members; or the one member that has it.
  func inhabitant(named name: String) -> (entry: InhabitantEntry, index: Int, members: Range<Int>)? {
    for (index, entry) in inhabitants.enumerated() {
      if entry.name == name { return (entry, index, 0..<max(1, entry.count)) }
      guard entry.count > 1, name.hasPrefix(entry.name + "-"),
        let number = Number.natural(name.dropFirst(entry.name.count + 1)), (1...UInt64(entry.count)).contains(number)
      else { continue }
      return (entry, index, Int(number) - 1..<Int(number))
    }
    return nil
  }
}
