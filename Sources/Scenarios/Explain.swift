import RollcallDevices
import RollcallPrimitives
import RollcallSimulation

extension Resolved {
  /// Everything that a run of this scenario rests on, as YAML: every default, address and UUID is there to see.
  package var explanation: String {
    var parts: [(String, Tree)] = [
      ("scenario", .scalar(scenario.title)), ("seeds", Form<ClosedRange<UInt64>>.seeds.write(scenario.seeds, true)),
      ("duration", .scalar((end.sinceStart).description)),
    ]
    if let heal { parts.append(("heal", .scalar(heal.sinceStart.description))) }
    if let convergedFrom { parts.append(("converged-from", .scalar(convergedFrom.sinceStart.description))) }
    parts.append(("budget", Form<Budget>.budget.write(scenario.budget, true)))
    parts.append(("segments", segmentsTree))
    if let radio { parts.append(("air", Form<AirPlan>.air.write(radio.air, true))) }
    parts.append(("engine", engineTree))
    parts.append(("inhabitants", .mapping(scenario.inhabitants.indices.map { inhabitantTree($0) })))
    parts.append(("timeline", .list(commands.map(commandTree))))
    parts.append(("faults", .list(faults.map(faultTree))))
    parts.append(("expect", .list(expectations.indices.map { expectationTree($0) })))
    return Tree.mapping(parts).yaml
  }

  private var segmentsTree: Tree {
    var segments = scenario.network.segments
    for (index, subnet) in scenario.network.subnets.enumerated() { segments[index].subnet = subnet }
    return Form<[SegmentSection]>.segments.write(segments, true)
  }

  private var engineTree: Tree {
    let configuration = Form<EngineSection>.engine.write(
      EngineSection(user: scenario.engine.user, configuration: scenario.engine.configuration), true)
    // The host's part is shown as it came out, not as it was written.
    let hostKeys = HostSection.fields.map(\.key.name)
    let policies = (configuration.entries ?? []).filter { !hostKeys.contains($0.key) }.map { ($0.key, $0.value) }
    return .mapping(hostParts(0) + policies)
  }

  private func hostParts(_ host: Int) -> [(String, Tree)] {
    let plan = plan.hosts[host]
    var parts: [(String, Tree)] = [("interfaces", .list(plan.interfaces.map(interfaceTree)))]
    if let radio = radio?.radios[host] { parts.append(("radio", radioTree(radio))) }
    parts.append(("clock-drift", .scalar("\(plan.clockDriftMillionths)ppm")))
    if let buffer = plan.receiveBuffer {
      parts.append(("receive-buffer", Form<ReceiveBuffer>.receiveBuffer.write(buffer, true)))
    }
    parts.append(("refuses-joins", .scalar("\(plan.refusesJoins)")))
    parts.append(("refuses-multicast-sends", .scalar("\(plan.refusesMulticastSends)")))
    return parts
  }

  private func interfaceTree(_ interface: InterfacePlan) -> Tree {
    .mapping([
      ("segment", .scalar(plan.segments[interface.segment].name)),
      ("addresses", .list(interface.addresses.map { .scalar("\($0.address)/\($0.prefixBits)") })),
      ("up", .scalar("\(interface.isUpAtStart)")),
      ("outbound", Form<LinkPatch>.linkPatch.write(LinkPatch(interface.outbound), true)),
      ("inbound", Form<LinkPatch>.linkPatch.write(LinkPatch(interface.inbound), true)),
    ])
  }

  private func inhabitantTree(_ index: Int) -> (String, Tree) {
    let entry = scenario.inhabitants[index]
    let members = hosts.indices.filter { hosts[$0].inhabitant == index }
    var parts: [(String, Tree)] = [
      ("kind", .scalar(entry.kind.name)), ("appear", Form<Appearance>.appearance.write(entry.appear, true)),
    ]
    var shown = entry
    if let kind = deviceKinds.first(where: { $0.inhabitant == index }) {
      shown.kind = InhabitantKind(explaining: kind)
    }
    let hidden = ["kind", "count", "appear", "uuid", "profile"] + HostSection.fields.map(\.key.name)
    parts += (Form<InhabitantEntry>.inhabitant.write(shown, true).entries ?? []).filter { !hidden.contains($0.key) }
      .map { ($0.key, $0.value) }
    if let first = members.first { parts += hostParts(first) }
    if members.count > 1 || entry.isDevice {
      parts.append(("members", .mapping(members.map(memberTree))))
    }
    return (entry.name, .mapping(parts))
  }

  private func memberTree(_ host: Int) -> (String, Tree) {
    let addresses = plan.hosts[host].interfaces.flatMap(\.addresses).map { Tree.scalar($0.address.description) }
    var parts: [(String, Tree)] = [("addresses", .list(addresses))]
    switch hosts[host].role {
    case .root(let device), .peripheral(let device):
      parts.append(("device", .scalar(devices[device].identity)))
    case .engine: break
    case .other:
      let own = devices.filter { $0.host == host }.map { Tree.scalar($0.identity) }
      if !own.isEmpty { parts.append(("services", .list(own))) }
    }
    return (hosts[host].name, .mapping(parts))
  }

  private func commandTree(_ command: ResolvedCommand) -> Tree {
    .mapping([
      ("id", .scalar(command.id)), ("at", .scalar(command.at.sinceStart.description)),
      ("host", .scalar(hosts[command.host].name)), ("does", .scalar(text(of: command.command))),
    ])
  }

  private func text(of command: Command) -> String {
    switch command {
    case .search(let search), .adopt(let search, _):
      var text = "search \(search.id.number) for \(search.target), MX \(search.maximumWaitSeconds)"
      text += ", \(search.broadcasts) times every \(search.spacing ?? .seconds(Int64(search.maximumWaitSeconds)))"
      if let host = search.host { text += ", asking \(host)" }
      if let interface = search.interface { text += ", on interface \(interface.number)" }
      return text
    case .stopSearch(let search): return "stop search \(search.number)"
    case .hold(let device): return "hold \(device)"
    case .release(let device): return "release \(device)"
    case .reconfirm(let device): return "reconfirm \(device)"
    case .stop: return "stop"
    case .stopDescriptions: return "stop descriptions"
    case .peripheral(let command): return command.text
    case .browse(let browse): return "browse \(browse)"
    case .stopBrowsing(let browse): return "browse \(browse) no more"
    case .manager(let command): return "manager: \(command.text)"
    case .act(let act): return act.text
    }
  }

  private func faultTree(_ fault: ResolvedFault) -> Tree {
    func names(_ list: [Int]) -> String { list.map { hosts[$0].name }.joined(separator: " ") }
    let text =
      switch fault.fault {
      case .partition(let number, let from, let to): "partition \(number) from (\(names(from))) to (\(names(to)))"
      case .healPartition(let number): "partition \(number) mends"
      case .interfaceDown(let host, let interface): "interface \(interface.number) of \(hosts[host].name) goes down"
      case .interfaceUp(let host, let interface): "interface \(interface.number) of \(hosts[host].name) comes up"
      case .querier(let segment, let interval):
        "querier of \(plan.segments[segment].name) " + (interval.map { "asks every \($0)" } ?? "falls silent")
      case .link(let host, let interface, let outbound, let rule):
        "\(outbound ? "outbound" : "inbound") link of \(hosts[host].name), interface \(interface.number): "
          + (rule.map { Form<LinkPatch>.linkPatch.write(LinkPatch($0), true).flow } ?? "as planned")
      case .refuseJoins(let host, let isOn): "\(hosts[host].name) \(isOn ? "refuses" : "allows") joins"
      case .refuseMulticastSends(let host, let isOn):
        "\(hosts[host].name) \(isOn ? "refuses" : "allows") multicast sends"
      case .readdress(let host, let interface, let address):
        "interface \(interface.number) of \(hosts[host].name) has the address \(address)"
      case .healEverything: "everything heals"
      }
    return .mapping([
      ("id", .scalar(fault.id)), ("at", .scalar(fault.at.sinceStart.description)), ("what", .scalar(text)),
    ])
  }

  private func expectationTree(_ index: Int) -> Tree {
    let expectation = expectations[index]
    var entries = (Form<Expectation>.expectation.write(scenario.expectations[index], true).entries ?? [])
      .filter { $0.key != "id" }.map { ($0.key, $0.value) }
    switch expectation.kind {
    case .happens(let checks, _), .never(let checks), .share(let checks, _, _):
      if checks.contains(where: { !$0.label.isEmpty }) {
        entries.append(("for-each", .list(checks.map { .scalar($0.label) })))
      }
    default: break
    }
    return .mapping(
      [("id", .scalar(expectation.id)), ("vacuous-ok", .scalar("\(expectation.mayBeVacuous)"))] + entries)
  }
}

extension LinkPatch {
  /// Every term of a rule.
  init(_ rule: LinkRule) {
    self.init(
      latency: rule.latency, loss: rule.loss, multicastLoss: rule.multicastLoss, duplicate: rule.duplicate,
      reorder: rule.reorder, reorderDelay: rule.reorderDelay, corrupt: rule.corrupt, bandwidth: rule.bandwidth,
      queue: rule.queueBytesMaximum, mtu: rule.mtu)
  }
}
