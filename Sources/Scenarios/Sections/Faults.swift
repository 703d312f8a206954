package import RollcallPrimitives
import RollcallSimulation

/// One entry of `faults:`: something breaks at an instant, and mends at another.
package struct FaultEntry: Hashable, Sendable {
  /// How expectations speak of it; `nil`: f and its number in the list, from 1.
  package var id: String?
  package var at: Instant
  /// `nil`: until the network heals.
  package var until: Instant?
  package var kind: Kind

  package init(id: String? = nil, at: Instant, until: Instant? = nil, _ kind: Kind) {
    (self.id, self.at, self.until, self.kind) = (id, at, until, kind)
  }

  package enum Direction: String, Hashable, Sendable, CaseIterable { case inbound, outbound, both }

  /// Names are hosts: `engine`, inhabitants (a counted one with all its members), or `each` for all inhabitants.
  package enum Kind: Hashable, Sendable {
    case partition(from: [String], to: [String], isBoth: Bool)
    case interfaceDown(who: String, interface: Int)
    case querierGone(segment: String)
    /// On top of the rule that the link has by plan.
    case link(who: String, interface: Int, direction: Direction, rule: LinkPatch)
    case refuseJoins(String)
    case refuseMulticastSends(String)
    /// The user switches the Bluetooth radio off.
    case radioOff(String)
    /// What the application keeps of devices cannot be read or written.
    case store(StoreFailure)
  }
}

extension Form<FaultEntry> {
  static let fault = FaultForms.entry
}

/// What a fault is made of while it is read.
private enum FaultForms {
  struct Draft: Sendable {
    var id: String?
    var at = Instant.zero
    var until: Instant?
    var partition: Partition?
    var interfaceDown: Down?
    var querierGone: String?
    var link: Link?
    var refuseJoins: String?
    var refuseMulticastSends: String?
    var radioOff: String?
    var store: StoreFailure?
  }
  struct Partition: Sendable {
    var from: [String] = []
    var to: [String] = []
    var isBoth = true
  }
  struct Down: Sendable {
    var who = ""
    var interface = 0
  }
  struct Link: Sendable {
    var who = ""
    var interface = 0
    var direction = FaultEntry.Direction.both
    var rule = LinkPatch()
  }

  private static let host = Form<String>.name("the name of a host", example: "engine or tv")
  private static let kind = Choice(name: "fault")

  private static let partition = Form<Partition>.record(
    Partition(),
    [
      .required("from", \.from, .list(of: host), "Hosts whose datagrams do not arrive."),
      .required("to", \.to, .list(of: host), "Hosts at which they do not arrive."),
      .key("both", \.isBoth, .bool, default: true, "Whether the other way is cut too."),
    ])
  private static let down = Form<Down>.record(
    Down(),
    [
      .required("who", \.who, host, "The host."),
      .key("interface", \.interface, .interfaceNumber, default: 0, "The number of its interface."),
    ])
  private static let link = Form<Link>.record(Link(), linkHead + LinkPatch.fields.map { $0.lifted(\.rule) })
  private static let linkHead: [Field<Link>] = [

    .required("who", \.who, host, "The host."),
    .key("interface", \.interface, .interfaceNumber, default: 0, "The number of its interface."),
    .key(
      "direction", \.direction, .word("a direction"), default: .both, "inbound is from the switch to the host."),
  ]

  static let entry: Form<FaultEntry> = Form<Draft>.record(Draft(), fields).map(
    { draft, _, _ in entry(draft) }, back: { draft($0) })

  private static let fields: [Field<Draft>] = [

    .required("at", \.at, .instant, "When it breaks."),
    .optional("until", \.until, .instant, "When it mends; when the network heals by default."),
    .optional("id", \.id, .name("an id", example: "wifi-jam"), "How expectations speak of it; f1, f2 … by default."),
    .optional("partition", \.partition, partition, choice: kind, "Nothing gets from some hosts to others."),
    .optional("interface-down", \.interfaceDown, down, choice: kind, "An interface goes down."),
    .optional(
      "querier-gone", \.querierGone, .name("the name of a segment", example: "lan"), choice: kind,
      "The querier of a segment stops asking."),
    .optional("link", \.link, link, choice: kind, "A link gets another rule."),
    .optional("refuse-joins", \.refuseJoins, host, choice: kind, "The host's system refuses group joins."),
    .optional(
      "refuse-multicast-sends", \.refuseMulticastSends, host, choice: kind,
      "The host's system refuses to send multicast."),
    .optional("radio-off", \.radioOff, host, choice: kind, "The host's Bluetooth radio is switched off."),
    .optional(
      "store", \.store, .word("a failure"), choice: kind,
      "The store of the engine's application fails: full keeps nothing new, denied does nothing, damaged loses all."),
  ]

  private static func entry(_ draft: Draft) -> FaultEntry? {
    let kind: FaultEntry.Kind
    if let partition = draft.partition {
      kind = .partition(from: partition.from, to: partition.to, isBoth: partition.isBoth)
    } else if let down = draft.interfaceDown {
      kind = .interfaceDown(who: down.who, interface: down.interface)
    } else if let segment = draft.querierGone {
      kind = .querierGone(segment: segment)
    } else if let link = draft.link {
      kind = .link(who: link.who, interface: link.interface, direction: link.direction, rule: link.rule)
    } else if let host = draft.refuseJoins {
      kind = .refuseJoins(host)
    } else if let host = draft.refuseMulticastSends {
      kind = .refuseMulticastSends(host)
    } else if let host = draft.radioOff {
      kind = .radioOff(host)
    } else if let failure = draft.store {
      kind = .store(failure)
    } else {
      return nil
    }
    return FaultEntry(id: draft.id, at: draft.at, until: draft.until, kind)
  }

  private static func draft(_ entry: FaultEntry) -> Draft {
    var draft = Draft(id: entry.id, at: entry.at, until: entry.until)
    switch entry.kind {
    case .partition(let from, let to, let isBoth): draft.partition = Partition(from: from, to: to, isBoth: isBoth)
    case .interfaceDown(let who, let interface): draft.interfaceDown = Down(who: who, interface: interface)
    case .querierGone(let segment): draft.querierGone = segment
    case .link(let who, let interface, let direction, let rule):
      draft.link = Link(who: who, interface: interface, direction: direction, rule: rule)
    case .refuseJoins(let host): draft.refuseJoins = host
    case .refuseMulticastSends(let host): draft.refuseMulticastSends = host
    case .radioOff(let host): draft.radioOff = host
    case .store(let failure): draft.store = failure
    }
    return draft
  }
}
