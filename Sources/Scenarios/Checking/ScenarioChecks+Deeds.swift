import RollcallDiscovery
import RollcallPrimitives

// Timeline and faults: that what they speak of is there.
extension ScenarioChecks {
  // MARK: Timeline and faults

  mutating func checkTimeline() {
    let section = TreePath().appending("timeline")
    let searches = scenario.searches
    var ids: [String] = []
    var numbers: [UInt32] = []
    for (index, item) in scenario.timeline.enumerated() {
      let path = section.appending(index)
      if item.at > end { complain(path.appending("at"), "after the end of the run (\(scenario.duration))") }
      let id = item.id ?? "t\(index + 1)"
      if ids.contains(id) { complain(item.id == nil ? path : path.appending("id"), "id '\(id)' twice in the timeline") }
      ids.append(id)
      switch item.deed {
      case .search(let search):
        let place = path.appending("search")
        if let number = search.id {
          if numbers.contains(number) {
            complain(place.appending("id"), "search \(number) twice: a search is single-use")
          }
          numbers.append(number)
        }
        if let interface = search.interface {
          checkInterface(interface, of: "engine", at: place.appending("interface"))
        }
        if let host = search.host?.name {
          checkNames([host], at: place.appending("host"))
          if let entry = entry(host), entry.count > 1, entry.name == host {
            complain(place.appending("host"), "'\(host)' is \(entry.count) hosts: name one, such as \(host)-1")
          }
        }
      case .stopSearch(let number):
        if !searches.contains(number) { complain(path.appending("stop-search"), "there is no search \(number)") }
      case .hold(let who): checkDevices([who], at: path.appending("hold"), onLAN: true)
      case .release(let who): checkDevices([who], at: path.appending("release"), onLAN: true)
      case .reconfirm(let who): checkService(who, at: path.appending("reconfirm"))
      case .stopEngine, .browse, .stopBrowsing: break
      case .manager(let command):
        if scenario.engine.configuration.manager == nil {
          complain(path, "the engine has no manager: 'engine' needs the key 'manager'")
        } else if command == .removeAll {
          checkStore(at: path.appending("manager"))
        }
      case .device(let deed): check(deed, at: path.appending(deed.key))
      case .act(let who, let act): check(act, of: who, at: path.appending(act.name))
      case .walk(let walk): check(walk, number: index, at: path.appending("walk"))
      case .peripheral(let deed): check(deed, at: path.appending(deed.key))
      }
    }
  }

  /// The inhabitant offers services of multicast DNS.
  private mutating func checkService(_ who: String, at path: TreePath) {
    guard checkNames([who], at: path), let kind = entry(who)?.kind else { return }
    if case .mdnsResponder = kind { return }
    complain(path, "'\(who)' is a \(kind.name): it has no services of multicast DNS")
  }

  /// The application keeps devices.
  mutating func checkStore(at path: TreePath) {
    if scenario.engine.configuration.manager?.store == nil {
      complain(path, "the application keeps no devices: 'manager' of 'engine' needs the key 'store'")
    }
  }

  /// There is a manager, and a device that it could tell of.
  private mutating func check(_ deed: DeviceDeed, at path: TreePath) {
    if scenario.engine.configuration.manager == nil {
      complain(path, "the engine has no manager: 'engine' needs the key 'manager'")
    }
    let isPlain =
      switch deed.command {
      case .connect, .disconnect, .cancelPairing: true
      case .pair, .app: false
      }
    checkDevices([deed.who], at: isPlain ? path : path.appending("who"))
  }

  /// The inhabitant is there, and of a kind that can do it. The host of the engine can move.
  private mutating func check(_ act: Act, of who: String, at path: TreePath) {
    if who == "engine", case .move(let interface, _) = act {
      return checkInterface(Int(interface.number), of: who, at: path.appending("interface"))
    }
    let place = TimelineEntry.isPlain(act) ? path : path.appending("who")
    if checkNames([who], at: place), let kind = entry(who)?.kind {
      let can =
        switch (act, kind) {
        case (_, .hciHost), (_, .phone): false
        case (.appear, _), (.leave, _), (.vanish, _): true
        case (.peer, .nearbyPeer): true
        case (.peer, _): false
        case (.send, .reflector), (.send, .peripheral), (.send, .mdnsResponder), (.send, .mdnsTester): false
        case (.send, _): kind.lanDevice == nil
        case (.crash, .controlPoint): true
        case (.crash, .peripheral), (.reboot, .peripheral), (.reconfigure, .peripheral): true
        case (.crash, .nearbyPeer), (.reboot, .nearbyPeer), (.move, .nearbyPeer): true
        case (.crash, .mdnsResponder), (.reboot, .mdnsResponder), (.move, .mdnsResponder),
          (.reconfigure, .mdnsResponder):
          true
        default: kind.lanDevice != nil
        }
      if !can { return complain(place, "'\(who)' is a \(kind.name): it cannot \(act.name)") }
    }
    if case .move(let interface, _) = act {
      if let owner = entry(who)?.host.beside {
        return complain(place, "'\(who)' is a program of the host of '\(owner)': move that one")
      }
      checkInterface(Int(interface.number), of: who, at: path.appending("interface"))
      if let entry = entry(who), entry.count > 1, entry.name == who {
        complain(place, "'\(who)' is \(entry.count) hosts: name one, such as \(who)-1")
      }
    }
  }

  mutating func checkFaults() {
    let section = TreePath().appending("faults")
    var ids: [String] = []
    for (index, fault) in scenario.faults.enumerated() {
      let path = section.appending(index)
      if fault.at > end { complain(path.appending("at"), "after the end of the run (\(scenario.duration))") }
      if let until = fault.until, until <= fault.at { complain(path.appending("until"), "not after 'at'") }
      if let heal = scenario.heal, fault.until ?? fault.at > heal {
        complain(
          path.appending(fault.until == nil ? "at" : "until"),
          "after heal (\(heal.sinceStart)): the second act has no faults")
      }
      let id = fault.id ?? "f\(index + 1)"
      if ids.contains(id) { complain(fault.id == nil ? path : path.appending("id"), "id '\(id)' twice in the faults") }
      ids.append(id)
      switch fault.kind {
      case .partition(let from, let to, _):
        checkNames(from, at: path.appending("partition").appending("from"), besides: ["engine", "each"])
        checkNames(to, at: path.appending("partition").appending("to"), besides: ["engine", "each"])
      case .interfaceDown(let who, let interface):
        let place = path.appending("interface-down")
        checkNames([who], at: place.appending("who"), besides: ["engine", "each"])
        checkInterface(interface, of: who, at: place.appending("interface"))
      case .querierGone(let segment):
        if !segments.contains(segment) {
          complain(
            path.appending("querier-gone"), "unknown segment '\(segment)'" + suggestion(for: segment, of: segments))
        }
      case .link(let who, let interface, _, _):
        let place = path.appending("link")
        checkNames([who], at: place.appending("who"), besides: ["engine", "each"])
        checkInterface(interface, of: who, at: place.appending("interface"))
      case .refuseJoins(let who): checkNames([who], at: path.appending("refuse-joins"), besides: ["engine", "each"])
      case .refuseMulticastSends(let who):
        checkNames([who], at: path.appending("refuse-multicast-sends"), besides: ["engine", "each"])
      case .radioOff(let who): checkRadio(who, at: path.appending("radio-off"))
      case .store: checkStore(at: path.appending("store"))
      }
    }
  }
}
