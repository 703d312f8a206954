package import RollcallPrimitives
package import RollcallSimulation

/// What every host has: keys of `engine:` and of every inhabitant.
package struct HostSection: Hashable, Sendable {
  /// The segment of its only interface; `nil`: the first of the network.
  package var segment: String?
  /// The address of its only interface; `nil`: given from the subnet.
  package var address: IPAddress?
  /// Whether it has a link-local IPv6 address; `nil`: as the segment says.
  package var ipv6: Bool?
  /// The inhabitant of whose host it is another program; `nil`: it has a host of its own.
  package var beside: String?
  /// More than one interface, or one that needs more said; then `segment` and `address` stay empty.
  package var interfaces: [InterfaceSection]
  package var link: LinkSection
  package var clockDriftMillionths: Int64
  package var receiveBuffer: ReceiveBuffer?
  package var refusesJoins: Bool
  package var refusesMulticastSends: Bool
  package var radio: RadioSection

  package init(
    segment: String? = nil, address: IPAddress? = nil, ipv6: Bool? = nil, interfaces: [InterfaceSection] = [],
    link: LinkSection = LinkSection(), clockDriftMillionths: Int64 = 0, receiveBuffer: ReceiveBuffer? = nil,
    refusesJoins: Bool = false, refusesMulticastSends: Bool = false, radio: RadioSection = RadioSection()
  ) {
    self.segment = segment
    self.address = address
    self.ipv6 = ipv6
    self.interfaces = interfaces
    self.link = link
    self.clockDriftMillionths = clockDriftMillionths
    self.receiveBuffer = receiveBuffer
    self.refusesJoins = refusesJoins
    self.refusesMulticastSends = refusesMulticastSends
    self.radio = radio
  }

  /// The interfaces as they are meant, at least one.
  var resolvedInterfaces: [InterfaceSection] {
    interfaces.isEmpty ? [InterfaceSection(segment: segment, address: address)] : interfaces
  }
}

/// One interface of a host with several.
package struct InterfaceSection: Hashable, Sendable {
  /// `nil`: the first segment of the network.
  package var segment: String?
  package var address: IPAddress?
  package var isUpAtStart: Bool
  package var link: LinkSection

  package init(
    segment: String? = nil, address: IPAddress? = nil, isUpAtStart: Bool = true, link: LinkSection = LinkSection()
  ) {
    self.segment = segment
    self.address = address
    self.isUpAtStart = isUpAtStart
    self.link = link
  }
}

extension HostSection {
  static let fields: [Field<HostSection>] = [
    .optional(
      "segment", \.segment, .name("the name of a segment", example: "lan"),
      "The segment it is on; the first by default."),
    .optional("address", \.address, .address, "Its address; given from the subnet by default."),
    .optional("ipv6", \.ipv6, .bool, "Whether it has a link-local IPv6 address; as the segment says by default."),
    .optional(
      "beside", \.beside, .name("the name of an inhabitant", example: "tv"),
      "The inhabitant before it of whose host it is another program: it has the addresses, links and clock of that "
        + "one, and a fault of the links of either is one of both. What is sent to a port that both may have goes to that one."
    ),
    .key(
      "interfaces", \.interfaces, .list(of: .interface, countMaximum: 16), default: [],
      "Its interfaces, where it has several."),
    .key("link", \.link, .link, default: LinkSection(), "What its links do, on top of what the network's links do."),
    .key("clock-drift", \.clockDriftMillionths, .partsPerMillion, default: 0, "How much too fast its clock runs."),
    .optional(
      "receive-buffer", \.receiveBuffer, .receiveBuffer, "Its socket buffer; what comes faster than it reads is lost."),
    .key("refuses-joins", \.refusesJoins, .bool, default: false, "Whether its system refuses every group join."),
    .key(
      "refuses-multicast-sends", \.refusesMulticastSends, .bool, default: false,
      "Whether its system refuses to send multicast."),
    .key("radio", \.radio, .radio, default: RadioSection(), "Its Bluetooth radio."),
  ]

  /// The keys of an inhabitant that is on no LAN.
  static let fieldsWithoutLAN = fields.filter { ["clock-drift", "radio"].contains($0.key.name) }
}

extension Form<InterfaceSection> {
  static let interface = Form.record(
    InterfaceSection(),
    [
      .optional(
        "segment", \.segment, .name("the name of a segment", example: "lan"),
        "The segment it is on; the first by default."),
      .optional("address", \.address, .address, "Its address; given from the subnet by default."),
      .key("up", \.isUpAtStart, .bool, default: true, "Whether it is up at the start."),
      .key("link", \.link, .link, default: LinkSection(), "What this link does, on top of what the host's links do."),
    ]
  ).named("interface")
}

extension Form<ReceiveBuffer> {
  static let receiveBuffer = Form.record(
    ReceiveBuffer(bytesMaximum: 65_536, serviceTime: .zero),
    [
      .required("bytes", \.bytesMaximum, .bytes, "What fits into it."),
      .required("per-datagram", \.serviceTime, .duration, "How long the process needs for one datagram."),
    ])
}
