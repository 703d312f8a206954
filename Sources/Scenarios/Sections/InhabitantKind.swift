package import RollcallDevices
package import RollcallPeers
package import RollcallPrimitives

/// What an inhabitant is.
package enum InhabitantKind: Hashable, Sendable {
  case rootDevice(RootDeviceSection)
  case controlPoint(ControlPointSection)
  case reflector(Reflector.Plan)
  case flooder(FlooderSection)
  case byebyeSpoofer(ByebyeSpooferSection)
  case responder(ResponderSection)
  case script(ScriptSection)
  case recorded(RecordedSection)
  case peripheral(PeripheralSection)
  case hciHost(HCIHostSection)
  case recordedPeripheral(RecordedPeripheral.Plan)
  case mdnsResponder(MDNSResponderSection)
  case mdnsTester(MDNSTesterSection)
  case nearbyPeer(NearbyPeerPlan)
  case phone(PhoneSection)

  /// The word behind `kind:`.
  package var name: String {
    switch self {
    case .rootDevice: "root-device"
    case .controlPoint: "control-point"
    case .reflector: "reflector"
    case .flooder: "flooder"
    case .byebyeSpoofer: "byebye-spoofer"
    case .responder: "responder"
    case .script: "script"
    case .recorded: "recorded"
    case .peripheral: "peripheral"
    case .hciHost: "hci-host"
    case .recordedPeripheral: "recorded-peripheral"
    case .mdnsResponder: "mdns-responder"
    case .mdnsTester: "mdns-tester"
    case .nearbyPeer: "nearby-peer"
    case .phone: "phone"
    }
  }
}

/// Somebody to send to: an inhabitant or `engine` by name, or an address, each with or without a port.
package struct Target: Hashable, Sendable, CustomStringConvertible {
  package enum Host: Hashable, Sendable {
    case name(String)
    case address(IPAddress)
  }
  package var host: Host
  /// `nil`: what the sender takes for granted.
  package var port: UInt16?

  package init(_ host: Host, port: UInt16? = nil) { (self.host, self.port) = (host, port) }

  package var description: String {
    switch (host, port) {
    case (.name(let name), nil): name
    case (.name(let name), let port?): "\(name):\(port)"
    case (.address(let address), nil): address.description
    case (.address(let address), let port?): Endpoint(address, port: port).description
    }
  }

  /// Reads what `description` writes.
  package init?(_ text: String) {
    if let endpoint = Endpoint(text) {
      self.init(.address(endpoint.address), port: endpoint.port)
    } else if let address = IPAddress(text) {
      self.init(.address(address))
    } else if isName(text) {
      self.init(.name(text))
    } else {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, isName(String(parts[0])),
        let port = Number.natural(parts[1]).flatMap({ UInt16(exactly: $0) })
      else { return nil }
      self.init(.name(String(parts[0])), port: port)
    }
  }

  var name: String? { if case .name(let name) = host { name } else { nil } }
}

/// `kind: control-point` — one that is not under test.
package struct ControlPointSection: Hashable, Sendable {
  /// All but `unicastTo`.
  package var plan: ControlPointDecoy.Plan
  /// Whom it asks alone, by unicast; port 1900 by default.
  package var host: Target?

  package init(_ plan: ControlPointDecoy.Plan = ControlPointDecoy.Plan(), host: Target? = nil) {
    (self.plan, self.host) = (plan, host)
  }
}

/// `kind: flooder`
package struct FlooderSection: Hashable, Sendable {
  /// All but `responsesTo` and `description`.
  package var plan: Flooder.Plan
  package var profile: Profile
  /// Where responses go; port 1900 by default.
  package var to: Target?

  package init(_ plan: Flooder.Plan = Flooder.Plan(), profile: Profile = .basic, to: Target? = nil) {
    (self.plan, self.profile, self.to) = (plan, profile, to)
  }
}

/// `kind: byebye-spoofer`
package struct ByebyeSpooferSection: Hashable, Sendable {
  /// All but `victims`.
  package var plan: ByebyeSpoofer.Plan
  /// Root devices whose messages it forges without having heard them.
  package var victims: [String]

  package init(_ plan: ByebyeSpoofer.Plan = ByebyeSpoofer.Plan(), victims: [String] = []) {
    (self.plan, self.victims) = (plan, victims)
  }
}

/// `kind: responder`
package struct ResponderSection: Hashable, Sendable {
  package struct Unsolicited: Hashable, Sendable {
    /// Port 1900 by default.
    package var to: Target
    package var target: String
    package var every: Interval

    package init(to: Target, target: String, every: Interval) {
      (self.to, self.target, self.every) = (to, target, every)
    }
  }
  /// All but `unsolicited` and `description`.
  package var plan: Responder.Plan
  package var profile: Profile
  package var unsolicited: [Unsolicited]

  package init(_ plan: Responder.Plan = Responder.Plan(), profile: Profile = .basic, unsolicited: [Unsolicited] = []) {
    (self.plan, self.profile, self.unsolicited) = (plan, profile, unsolicited)
  }
}

/// `kind: script` — bytes at instants.
package struct ScriptSection: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    /// After it appeared; `nil`: when the timeline says so.
    package var at: Interval?
    package var payload: [UInt8]
    /// Port 1900 by default; `nil`: the group of IPv4.
    package var to: Target?
    /// `nil`: its own address.
    package var from: IPAddress?
    package var sourcePort: UInt16
    package var interface: Int?
    package var ttl: Int

    package init(
      at: Interval? = nil, payload: [UInt8] = [], to: Target? = nil, from: IPAddress? = nil, sourcePort: UInt16 = 1_900,
      interface: Int? = nil, ttl: Int = 2
    ) {
      self.at = at
      self.payload = payload
      self.to = to
      self.from = from
      self.sourcePort = sourcePort
      self.interface = interface
      self.ttl = ttl
    }
  }
  package var lines: [Line]

  package init(_ lines: [Line] = []) { self.lines = lines }
}

extension InhabitantKind {
  /// The names that its keys speak of, each with the key; `isDevice` where it has to be a root device.
  var references: [(key: String, name: String, isDevice: Bool)] {
    switch self {
    case .rootDevice, .reflector, .peripheral, .hciHost, .recordedPeripheral, .mdnsResponder, .mdnsTester, .nearbyPeer,
      .phone:
      return []
    case .controlPoint(let section): return section.host?.name.map { [("host", $0, false)] } ?? []
    case .flooder(let section): return section.to?.name.map { [("to", $0, false)] } ?? []
    case .byebyeSpoofer(let section): return section.victims.map { ("victims", $0, true) }
    case .responder(let section):
      return section.unsolicited.compactMap { $0.to.name.map { ("unsolicited", $0, false) } }
    case .script(let section): return section.lines.compactMap { $0.to?.name.map { ("lines", $0, false) } }
    case .recorded(let section): return section.says.compactMap { $0.to?.name.map { ("says", $0, false) } }
    }
  }
}
