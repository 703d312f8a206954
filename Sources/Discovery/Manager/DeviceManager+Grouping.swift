import RollcallPrimitives

// Which members are one device.
extension DeviceManager {
  /// A key that more than these have in common says nothing: somebody forges it, or all devices of a kind have it.
  static let sharersMaximum = 16

  /// Members that are one, by number, and why.
  struct Component {
    var members: [Int32]
    var evidence: [String] = []
    /// As `ManagedDevice` has it.
    var service: String?
    /// The device that it goes on with.
    var device = none

    func stands(for service: ManagerReport.Service) -> Bool { self.service == nil || self.service == service.id }
  }

  mutating func regroup(at now: Instant, into outbox: inout Outbox) {
    var components = components()
    let former = formerDevices(components)
    assign(&components, former)
    let kept = Set(components.map(\.device))
    for device in former where !kept.contains(device) { remove(device, at: now, into: &outbox) }
    for place in affected {
      members[Int(place)].group = none
      positions[Int(place)] = -1
    }
    for index in components.indices where components[index].device == none {
      components[index].device = makeDevice(components[index])
    }
    for component in components {
      for place in component.members { members[Int(place)].group = component.device }
      devices[Int(component.device)]?.members = component.members
      remember(component)
      let (state, isSuitable) = state(of: component)
      show(component.device, state, isSuitable: isSuitable, at: now, into: &outbox)
    }
  }

  /// The devices that the affected members are part of, or were, each once.
  private func formerDevices(_ components: [Component]) -> [UInt32] {
    var former = shaken
    var noted = Set(shaken)
    for places in components.map(\.members) + [affected] {
      for place in places {
        for device in devices(around: place) where noted.insert(device).inserted { former.append(device) }
      }
    }
    return former
  }

  /// The devices that a member is part of: one at most, but with the fault `serviceIsDevice`.
  func devices(around place: Int32) -> [UInt32] {
    if isOn(.serviceIsDevice) {
      return devices.indices.filter { devices[$0]?.members.contains(place) == true }.map { UInt32($0) }
    }
    let device = members[Int(place)].group
    return device == none ? [] : [device]
  }

  /// What the affected members that are of use fall into, in the order of the first member of each.
  private mutating func components() -> [Component] {
    let whole = wholeComponents()
    return isOn(.serviceIsDevice) ? whole.flatMap { parts(of: $0) } : whole
  }

  /// A planted fault: each service is a thing of its own.
  private func parts(of component: Component) -> [Component] {
    var parts: [Component] = []
    for place in component.members {
      for service in members[Int(place)].services {
        if let known = parts.firstIndex(where: { $0.service == service.id }) {
          if parts[known].members.last != place { parts[known].members.append(place) }
        } else {
          parts.append(Component(members: [place], service: service.id))
        }
      }
    }
    for index in parts.indices where parts[index].members.count > 1 { parts[index].evidence = component.evidence }
    return parts
  }

  private mutating func wholeComponents() -> [Component] {
    var useful = affected.filter { !members[Int($0)].services.isEmpty }
    if useful.count > 1 { useful.sort { number($0) < number($1) } }
    for (index, place) in useful.enumerated() { positions[Int(place)] = Int32(index) }
    if useful.count == 1 { return [Component(members: useful)] }
    var heads = Array(useful.indices)
    func head(_ index: Int) -> Int {
      var index = index
      while heads[index] != index { index = heads[index] }
      return index
    }
    var reasons: [(index: Int, text: String)] = []
    func join(_ left: Int, _ right: Int) {
      let (a, b) = (head(left), head(right))
      heads[max(a, b)] = min(a, b)
    }
    var said: [(index: Int, key: MergeKey, all: [Int32])] = []
    for (index, place) in useful.enumerated() {
      for key in members[Int(place)].keys {
        guard let all = sharers[key], all.count > 1, all.count <= DeviceManager.sharersMaximum else { continue }
        // Looked at once for each key, by the first of them.
        guard all.min(by: { number($0) < number($1) }) == place, !isContested(key, all) else { continue }
        if key.kind == .said {
          said.append((index, key, all))
          continue
        }
        for other in all { if let other = position(of: other) { join(index, other) } }
        reasons.append((index, key.evidence))
      }
      if isOn(.neverSplits), members[Int(place)].group != none {
        for other in devices[Int(members[Int(place)].group)]?.members ?? [] {
          if let other = position(of: other) { join(index, other) }
        }
      }
    }
    // As they are without what is said: in which order it is looked at makes no difference.
    let firm = said.isEmpty ? [] : useful.indices.map(head)
    for (index, key, all) in said {
      // What is said is of one device, or of nobody: two that are there and are not one are two.
      let owners = all.filter { !members[Int($0)].claims.contains(key) }.compactMap { position(of: $0) }
      guard let owner = owners.first, owners.count < all.count,
        isOn(.ambiguousIdentityTaken) || owners.allSatisfy({ firm[$0] == firm[owner] })
      else { continue }
      for other in all where members[Int(other)].claims.contains(key) {
        if let other = position(of: other) { join(owner, other) }
      }
      reasons.append((index, key.evidence))
    }
    var components: [Component] = []
    // A head is the first of its component.
    for (index, place) in useful.enumerated() {
      let top = useful[head(index)]
      if top == place {
        positions[Int(place)] = Int32(components.count)
        components.append(Component(members: [place]))
      } else {
        positions[Int(place)] = positions[Int(top)]
        components[Int(positions[Int(top)])].members.append(place)
      }
    }
    for reason in reasons { components[Int(positions[Int(useful[reason.index])])].evidence.append(reason.text) }
    return components
  }

  /// Where it stands among the members that are of use and affected, or in which component; `nil`: it is none of them.
  private func position(of place: Int32) -> Int? { positions[Int(place)] < 0 ? nil : Int(positions[Int(place)]) }

  private func number(_ place: Int32) -> UInt32 { members[Int(place)].number }

  /// Whether two of them offer one service, each its own: then they are two things, however alike they look.
  private func isContested(_ key: MergeKey, _ all: [Int32]) -> Bool {
    guard key.mayBeShared, !isOn(.addressIsEnough), !isOn(.serviceIsDevice) else { return false }
    // The array alone, since a closure would copy the whole manager.
    let members = members
    return all.indices.contains { index in
      members[Int(all[index])].services.contains { service in
        all[..<index].contains { members[Int($0)].offersItsOwn(service) }
      }
    }
  }

  /// Says which component goes on with which device: each device with the part that has its first member, else with the
  /// first part of it.
  private func assign(_ components: inout [Component], _ former: [UInt32]) {
    for (device, _) in former.map({ ($0, devices[Int($0)]?.number ?? .max) }).sorted(by: { $0.1 < $1.1 }) {
      let service = devices[Int(device)]?.service
      for place in devices[Int(device)]?.members ?? [] {
        let index =
          isOn(.serviceIsDevice)
          ? components.firstIndex { $0.service == service && $0.members.contains(place) } : position(of: place)
        guard let index, components[index].device == none else { continue }
        components[index].device = device
        break
      }
    }
  }

  private mutating func makeDevice(_ component: Component) -> UInt32 {
    let known = knownID(of: component)
    let device = ManagedDevice(
      id: known ?? memory.makeID(), number: deviceTotal, members: component.members, service: component.service,
      state: ManagerReport.State(), isKnown: known != nil)
    deviceTotal &+= 1
    idsInUse.insert(device.id)
    if let place = freeDevices.popLast() {
      devices[Int(place)] = device
      return place
    }
    devices.append(device)
    return UInt32(devices.count - 1)
  }

  /// The id that one of its UUIDs has, unless another device has it now; else one that nobody has since two devices were taken
  /// for one: a part that is a device of its own again is the one that it was.
  private func knownID(of component: Component) -> String? {
    if isOn(.idsNotRemembered) { return nil }
    let all = component.members.flatMap { names(of: $0) }
    func free(_ id: String?) -> String? { id.flatMap { idsInUse.contains($0) ? nil : $0 } }
    for name in all { if let id = free(memory.id(of: name)) { return id } }
    for name in all { if let id = free(memory.formerID(of: name)) { return id } }
    return nil
  }

  private mutating func remember(_ component: Component) {
    guard let id = devices[Int(component.device)]?.id else { return }
    for place in component.members {
      for name in names(of: place) { memory.note(id, of: name) }
    }
  }

  /// Under which names a member is remembered.
  private func names(of place: Int32) -> [String] {
    var names: [String] = []
    for key in members[Int(place)].keys where key.kind == .uuid { names.append(key.text) }
    return names.isEmpty ? [members[Int(place)].name] : names
  }
}
