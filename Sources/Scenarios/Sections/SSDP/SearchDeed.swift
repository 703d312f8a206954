package import RollcallPrimitives

/// A search that the timeline asks of the engine.
package struct SearchDeed: Hashable, Sendable {
  /// `nil`: the next number that no search of the timeline has, from 1.
  package var id: UInt32?
  package var target: String
  package var waitSeconds: Int
  package var broadcasts: Int
  /// `nil`: MX.
  package var spacing: Interval?
  /// A unicast search, to the SEARCHPORT that was announced where no port is given; `nil`: the group.
  package var host: Target?
  /// `nil`: every interface that is up.
  package var interface: Int?

  package init(
    id: UInt32? = nil, target: String = "ssdp:all", waitSeconds: Int = 3, broadcasts: Int = 3, spacing: Interval? = nil,
    host: Target? = nil, interface: Int? = nil
  ) {
    self.id = id
    self.target = target
    self.waitSeconds = waitSeconds
    self.broadcasts = broadcasts
    self.spacing = spacing
    self.host = host
    self.interface = interface
  }
}

extension Form<SearchDeed> {
  static let search = Form.record(
    SearchDeed(),
    [
      .optional("id", \.id, .number32, "Its number, to speak of it; the next free one by default."),
      .key(
        "target", \.target, .line("a search target", example: "ssdp:all"), default: "ssdp:all",
        "ST, as it goes on the wire."),
      .key("mx", \.waitSeconds, .seconds(0...3_600), default: 3, "MX: how long answers may take."),
      .key("broadcasts", \.broadcasts, .integer(0...1_000), default: 3, "How often the M-SEARCH is sent."),
      .optional("spacing", \.spacing, .duration, "From one copy to the next; MX by default."),
      .optional("host", \.host, .target, "Whom to ask alone, by unicast."),
      .optional("interface", \.interface, .interfaceNumber, "The only interface to send from."),
    ])
}
