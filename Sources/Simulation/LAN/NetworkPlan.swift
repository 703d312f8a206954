package import RollcallPrimitives

/// A virtual network as somebody planned it: segments, hosts on them, and the rules of their links.
///
/// Pure data, checked by the code that makes it; a `VirtualNetwork` is made from it and a seed.
package struct NetworkPlan: Hashable, Sendable {
  package var segments: [SegmentPlan]
  package var hosts: [HostPlan]

  package init(segments: [SegmentPlan] = [], hosts: [HostPlan] = []) { (self.segments, self.hosts) = (segments, hosts) }
}

/// A LAN: one switch with its hosts.
package struct SegmentPlan: Hashable, Sendable {
  package var name: String
  /// A snooping switch forwards multicast only to ports from which it heard a membership report lately; one that does
  /// not snoop floods it to every host that joined.
  package var snooping: Bool
  /// How often the querier asks who is in which group; `nil`: there is none, and memberships run out under snooping.
  package var querierInterval: Interval?
  /// How long a membership report is good for on a snooping port.
  package var membershipTimeout: Interval

  package init(
    name: String, snooping: Bool = false, querierInterval: Interval? = nil, membershipTimeout: Interval = .seconds(260)
  ) {
    self.name = name
    self.snooping = snooping
    self.querierInterval = querierInterval
    self.membershipTimeout = membershipTimeout
  }
}

/// A host and its interfaces.
package struct HostPlan: Hashable, Sendable {
  package var name: String
  package var interfaces: [InterfacePlan]
  /// How fast the host's clock runs, in millionths; 0 is right, 100 gains 100 µs a second.
  package var clockDriftMillionths: Int64
  package var receiveBuffer: ReceiveBuffer?
  /// The operating system refuses every group join (no multicast entitlement, A4).
  package var refusesJoins: Bool
  /// The operating system refuses every multicast datagram.
  package var refusesMulticastSends: Bool
  /// The host of which it is another program, by number: it has the addresses of that one, and comes after it. `nil`: it
  /// is a host of its own.
  package var beside: Int?

  package init(
    name: String, interfaces: [InterfacePlan], clockDriftMillionths: Int64 = 0, receiveBuffer: ReceiveBuffer? = nil,
    refusesJoins: Bool = false, refusesMulticastSends: Bool = false
  ) {
    self.name = name
    self.interfaces = interfaces
    self.clockDriftMillionths = clockDriftMillionths
    self.receiveBuffer = receiveBuffer
    self.refusesJoins = refusesJoins
    self.refusesMulticastSends = refusesMulticastSends
  }
}

/// The socket buffer of a host: what comes faster than the process reads is dropped. It is the reason why MX exists.
package struct ReceiveBuffer: Hashable, Sendable {
  package var bytesMaximum: Int
  /// How long the process needs for one datagram.
  package var serviceTime: Interval
  package init(bytesMaximum: Int, serviceTime: Interval) {
    (self.bytesMaximum, self.serviceTime) = (bytesMaximum, serviceTime)
  }
}

/// One interface of a host on a segment.
package struct InterfacePlan: Hashable, Sendable {
  /// Index of the segment in the plan.
  package var segment: Int
  package var addresses: [InterfaceAddress]
  package var isUpAtStart: Bool
  private var sharedOutbound: SharedRule
  private var sharedInbound: SharedRule

  /// From the host to the switch.
  package var outbound: LinkRule {
    get { sharedOutbound.rule }
    set { sharedOutbound = SharedRule(newValue) }
  }
  /// From the switch to the host: each receiver has its own.
  package var inbound: LinkRule {
    get { sharedInbound.rule }
    set { sharedInbound = SharedRule(newValue) }
  }

  package init(
    segment: Int, addresses: [InterfaceAddress], outbound: LinkRule = LinkRule(), inbound: LinkRule = LinkRule(),
    isUpAtStart: Bool = true
  ) {
    self.segment = segment
    self.addresses = addresses
    sharedOutbound = SharedRule(outbound)
    sharedInbound = SharedRule(inbound)
    self.isUpAtStart = isUpAtStart
  }

  /// A rule takes a quarter of a kilobyte, and the copies of an interface share it: a plan may have 100 000 of them.
  private final class SharedRule: Hashable, Sendable {
    let rule: LinkRule
    init(_ rule: LinkRule) { self.rule = rule }
    static func == (left: SharedRule, right: SharedRule) -> Bool { left === right || left.rule == right.rule }
    func hash(into hasher: inout Hasher) { hasher.combine(rule) }
  }
}

/// What one direction of one link does to what passes it.
package struct LinkRule: Hashable, Sendable {
  package var latency: Delay
  package var loss: Loss
  /// Loss of multicast and broadcast where it differs from `loss`: on Wi-Fi nobody acknowledges it.
  package var multicastLoss: Loss?
  package var duplicate: Ratio
  /// A datagram of this chance is held back by an extra delay, so that later ones overtake it.
  package var reorder: Ratio
  package var reorderDelay: ClosedRange<Interval>
  /// A datagram of this chance arrives with one byte changed, its checksum still right (a broken bridge or driver).
  package var corrupt: Ratio
  /// Bits per second; `nil`: no limit.
  package var bandwidth: Int64?
  /// What may wait for the link; more is dropped.
  package var queueBytesMaximum: Int
  /// The largest IP packet; larger datagrams go in fragments, of which each can be lost.
  package var mtu: Int

  package init(
    latency: Delay = .constant(.zero), loss: Loss = .none, multicastLoss: Loss? = nil, duplicate: Ratio = .never,
    reorder: Ratio = .never, reorderDelay: ClosedRange<Interval> = .milliseconds(1) ... .milliseconds(20),
    corrupt: Ratio = .never, bandwidth: Int64? = nil, queueBytesMaximum: Int = 65_536, mtu: Int = 1_500
  ) {
    self.latency = latency
    self.loss = loss
    self.multicastLoss = multicastLoss
    self.duplicate = duplicate
    self.reorder = reorder
    self.reorderDelay = reorderDelay
    self.corrupt = corrupt
    self.bandwidth = bandwidth
    self.queueBytesMaximum = queueBytesMaximum
    self.mtu = mtu
  }
}

/// How long something takes, and how that varies.
package enum Delay: Hashable, Sendable {
  case constant(Interval)
  case uniform(ClosedRange<Interval>)
  case normal(mean: Interval, deviation: Interval)
  /// A constant part and an exponential tail with the given mean, cut at ten times that mean.
  case exponential(minimum: Interval, mean: Interval)
}

/// Which share of datagrams is lost, and how losses clump.
package enum Loss: Hashable, Sendable {
  case none
  case uniform(Ratio)
  /// Two states; the chances to leave each are drawn per datagram, and each state has its own loss.
  case gilbertElliott(goodToBad: Ratio, badToGood: Ratio, inGood: Ratio, inBad: Ratio)

  /// Whether it can never lose anything: then nothing is drawn.
  var isNone: Bool {
    switch self {
    case .none: true
    case .uniform(let chance): chance.isZero
    case .gilbertElliott(let goodToBad, _, let inGood, let inBad):
      inGood.isZero && (inBad.isZero || goodToBad.isZero)
    }
  }

  /// Whether one packet is lost.
  /// - Parameter isBad: which of two states the channel is in; it is the channel's, so all its traffic moves it on.
  @inline(__always) func happens(isBad: inout Bool, _ stream: inout RandomStream) -> Bool {
    switch self {
    case .none: return false
    case .uniform(let chance): return stream.happens(chance)
    case .gilbertElliott(let goodToBad, let badToGood, let inGood, let inBad):
      if stream.happens(isBad ? badToGood : goodToBad) { isBad.toggle() }
      return stream.happens(isBad ? inBad : inGood)
    }
  }
}

/// What goes wrong with the network, or right again, at an instant.
package enum Fault: Hashable, Sendable {
  /// Nothing from `from` reaches `to` (host indices), under this number until it is healed.
  case partition(number: Int, from: [Int], to: [Int])
  case healPartition(number: Int)
  case interfaceDown(host: Int, interface: InterfaceID)
  case interfaceUp(host: Int, interface: InterfaceID)
  /// The querier of a segment stops asking, or asks again.
  case querier(segment: Int, interval: Interval?)
  /// Another rule for one direction of one link; `nil` restores what was planned.
  case link(host: Int, interface: InterfaceID, outbound: Bool, rule: LinkRule?)
  case refuseJoins(host: Int, Bool)
  case refuseMulticastSends(host: Int, Bool)
  /// A host has another address on an interface from now on, and its system says so; nothing takes that back.
  case readdress(host: Int, interface: InterfaceID, address: IPAddress)
  /// Every partition healed, every interface up, every link and querier as planned... and without loss, duplication,
  /// reordering or corruption: the second act of a run.
  case healEverything
}
