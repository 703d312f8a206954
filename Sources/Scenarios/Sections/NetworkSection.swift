package import RollcallPrimitives
package import RollcallSimulation

/// `network:` — the segments, and what every link does unless a host says otherwise.
package struct NetworkSection: Hashable, Sendable {
  package var segments: [SegmentSection]
  package var link: LinkSection
  /// What the air does to Bluetooth packets.
  package var air: AirPlan

  package init(
    segments: [SegmentSection] = [SegmentSection()], link: LinkSection = LinkSection(), air: AirPlan = AirPlan()
  ) {
    (self.segments, self.link, self.air) = (segments, link, air)
  }

  static let segmentsMaximum = 64

  /// The subnet of each segment, defaults filled in.
  package var subnets: [InterfaceAddress] {
    segments.enumerated().map { index, segment in
      segment.subnet
        ?? InterfaceAddress(IPAddress(192, 168, UInt8(clamping: index + 1), 0), prefixBits: 24)
    }
  }
}

/// One LAN and its address plan.
package struct SegmentSection: Hashable, Sendable {
  package var name: String
  package var snooping: Bool
  /// How often the querier asks; `nil`: there is no querier.
  package var querier: Interval?
  package var membershipTimeout: Interval
  /// An IPv4 subnet; its first address is the router's and is given to nobody. `nil`: 192.168.1.0/24 for the first
  /// segment, 192.168.2.0/24 for the second, and so on.
  package var subnet: InterfaceAddress?
  /// Whether hosts have a link-local IPv6 address too.
  package var ipv6: Bool

  package init(
    name: String = "lan", snooping: Bool = false, querier: Interval? = nil, membershipTimeout: Interval = .seconds(260),
    subnet: InterfaceAddress? = nil, ipv6: Bool = false
  ) {
    self.name = name
    self.snooping = snooping
    self.querier = querier
    self.membershipTimeout = membershipTimeout
    self.subnet = subnet
    self.ipv6 = ipv6
  }
}

/// `link:` — what both directions of a link do, and where one direction differs.
package struct LinkSection: Hashable, Sendable {
  package var both: LinkPatch
  /// From the host to the switch.
  package var outbound: LinkPatch
  /// From the switch to the host.
  package var inbound: LinkPatch

  package init(
    _ both: LinkPatch = LinkPatch(), outbound: LinkPatch = LinkPatch(), inbound: LinkPatch = LinkPatch()
  ) {
    (self.both, self.outbound, self.inbound) = (both, outbound, inbound)
  }
}

/// Some of the terms of a link rule: what is `nil` stays as it was.
package struct LinkPatch: Hashable, Sendable {
  package var latency: Delay?
  package var loss: Loss?
  package var multicastLoss: Loss?
  package var duplicate: Ratio?
  package var reorder: Ratio?
  package var reorderDelay: ClosedRange<Interval>?
  package var corrupt: Ratio?
  package var bandwidth: Int64?
  package var queue: Int?
  package var mtu: Int?

  package init(
    latency: Delay? = nil, loss: Loss? = nil, multicastLoss: Loss? = nil, duplicate: Ratio? = nil,
    reorder: Ratio? = nil, reorderDelay: ClosedRange<Interval>? = nil, corrupt: Ratio? = nil, bandwidth: Int64? = nil,
    queue: Int? = nil, mtu: Int? = nil
  ) {
    self.latency = latency
    self.loss = loss
    self.multicastLoss = multicastLoss
    self.duplicate = duplicate
    self.reorder = reorder
    self.reorderDelay = reorderDelay
    self.corrupt = corrupt
    self.bandwidth = bandwidth
    self.queue = queue
    self.mtu = mtu
  }

  /// The rule with these terms in place.
  package func applied(to rule: LinkRule) -> LinkRule {
    var rule = rule
    if let latency { rule.latency = latency }
    if let loss { rule.loss = loss }
    if let multicastLoss { rule.multicastLoss = multicastLoss }
    if let duplicate { rule.duplicate = duplicate }
    if let reorder { rule.reorder = reorder }
    if let reorderDelay { rule.reorderDelay = reorderDelay }
    if let corrupt { rule.corrupt = corrupt }
    if let bandwidth { rule.bandwidth = bandwidth }
    if let queue { rule.queueBytesMaximum = queue }
    if let mtu { rule.mtu = mtu }
    return rule
  }
}

extension LinkSection {
  /// The rules of both directions of a link, starting from those that hold for everybody.
  func applied(toOutbound outboundRule: LinkRule, inbound inboundRule: LinkRule) -> (
    outbound: LinkRule, inbound: LinkRule
  ) {
    (outbound.applied(to: both.applied(to: outboundRule)), inbound.applied(to: both.applied(to: inboundRule)))
  }
}
