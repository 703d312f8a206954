package import RollcallDevices
package import RollcallPeers
import RollcallPrimitives

/// An inhabitant that is no root device, with every name replaced by an address or a UUID: the plan for its machine.
package enum ResolvedInhabitant: Hashable, Sendable {
  case controlPoint(ControlPointDecoy.Plan)
  case reflector(Reflector.Plan)
  case flooder(Flooder.Plan)
  case byebyeSpoofer(ByebyeSpoofer.Plan)
  case responder(Responder.Plan)
  case script([Script.Line])
  case recorded(Recorded.Plan)
  case recordedPeripheral(RecordedPeripheral.Plan)
  case mdnsResponder(MDNSPlan)
  case mdnsTester([MDNSTester.Line])
  case nearbyPeer(NearbyPeerPlan)
  case phone(PhoneUser)
}

extension WorldBuilder {
  /// - Precondition: all hosts are built.
  func resolve(_ kind: InhabitantKind, host: Int) -> ResolvedInhabitant {
    switch kind {
    case .rootDevice, .peripheral, .hciHost: preconditionFailure("it is resolved as a device")
    case .controlPoint(let section):
      var plan = section.plan
      plan.unicastTo = section.host.flatMap { endpoint($0, port: 1_900) }
      return .controlPoint(plan)
    case .reflector(let plan): return .reflector(plan)
    case .recordedPeripheral(let plan): return .recordedPeripheral(plan)
    case .nearbyPeer(let plan): return .nearbyPeer(plan)
    case .phone(let section): return .phone(section.user)
    case .mdnsResponder(let section): return .mdnsResponder(section.plan(named: resolved.hosts[host].name))
    case .mdnsTester(let section): return .mdnsTester(section.lines)
    case .flooder(let section):
      var plan = section.plan
      plan.description = section.profile.description
      plan.responsesTo = section.to.flatMap { endpoint($0, port: 1_900) }
      return .flooder(plan)
    case .byebyeSpoofer(let section):
      var plan = section.plan
      plan.victims = section.victims.flatMap { devices(named: $0) }.map { device in
        ByebyeSpoofer.Victim(uuid: String(resolved.devices[device].identity.dropFirst(5)))
      }
      return .byebyeSpoofer(plan)
    case .responder(let section):
      var plan = section.plan
      plan.description = section.profile.description
      plan.quirks = section.profile.quirks + section.plan.quirks
      plan.unsolicited = section.unsolicited.compactMap { item in
        endpoint(item.to, port: 1_900).map {
          Responder.Unsolicited(to: $0, target: item.target, interval: item.every)
        }
      }
      return .responder(plan)
    case .recorded(let section): return .recorded(plan(of: section, host: host))
    case .script(let section):
      return .script(
        section.lines.map { line in
          Script.Line(
            at: line.at, payload: line.payload,
            to: line.to.flatMap { endpoint($0, port: 1_900) } ?? Endpoint(.ssdpGroup4, port: 1_900),
            sourceAddress: line.from, sourcePort: line.sourcePort,
            interface: line.interface.map { InterfaceID(UInt16($0)) }, hopLimit: UInt8(clamping: line.ttl))
        })
    }
  }

  func endpoint(_ target: Target, port: UInt16) -> Endpoint? {
    switch target.host {
    case .address(let address): Endpoint(address, port: target.port ?? port)
    case .name(let name):
      hosts(named: name).first.flatMap { address(of: $0) }.map { Endpoint($0, port: target.port ?? port) }
    }
  }
}

extension DeviceKind {
  /// How the UUID comes out, quirks counted in.
  var printedStyle: DeviceUUID.Style { description.altered(by: quirks).uuidStyle }
}
