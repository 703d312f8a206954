package import RollcallPrimitives

/// One entry of `timeline:`: somebody does something at an instant.
package struct TimelineEntry: Hashable, Sendable {
  /// How expectations speak of it; `nil`: t and its number in the list, from 1.
  package var id: String?
  package var at: Instant
  package var deed: Deed

  package init(id: String? = nil, at: Instant, _ deed: Deed) { (self.id, self.at, self.deed) = (id, at, deed) }

  package enum Deed: Hashable, Sendable {
    /// The engine searches.
    case search(SearchDeed)
    case stopSearch(UInt32)
    /// The application holds a device of the named inhabitant, or lets it go.
    case hold(String)
    case release(String)
    /// The application could not reach the services of the named inhabitant.
    case reconfirm(String)
    /// The engine stops.
    case stopEngine
    /// The inhabitant acts; a counted one with all its members.
    case act(who: String, Act)
    case walk(WalkDeed)
    /// The engine connects to a peripheral, or asks something of it.
    case peripheral(PeripheralDeed)
    /// The engine looks for services.
    case browse(ServiceBrowse)
    case stopBrowsing(ServiceBrowse)
    /// The application asks something of the manager.
    case manager(ManagerCommand)
    /// The application wants something of a device that it was told of.
    case device(DeviceDeed)
  }

  /// Whether a document says nothing of it but who: `leave: tv`.
  static func isPlain(_ act: Act) -> Bool { TimelineForms.plain.contains(act) }
}

extension Form<Int> {
  static let interfaceNumber = Form<Int>.integer(0...15)
}

extension Form<TimelineEntry> {
  static let timelineEntry = TimelineForms.entry
}

/// What a timeline entry is made of while it is read.
private enum TimelineForms {
  /// Acts that have a name alone, and what they are about.
  static let plain: [Act] = plainActs.map(\.act)
  private static let plainActs: [(act: Act, about: String)] =
    [
      (.appear, "Joins the network."), (.leave, "Leaves in good order, with byebye."),
      (.vanish, "Falls silent without a word."), (.reboot, "Restarts in good order: byebye, then the next BOOTID."),
      (.update, "Announces ssdp:update and goes on under the next BOOTID."),
      (.reconfigure, "Changes its description: CONFIGID grows."),
    ] + PeerAct.allCases.map { (.peer($0), $0.about) }

  struct Draft: Sendable {
    var id: String?
    var at = Instant.zero
    var search: SearchDeed?
    var stopSearch: UInt32?
    var named: (verb: String, who: String)?
    var crash: Crash?
    var move: Move?
    var relocate: Relocate?
    var rename: Rename?
    var send: Send?
    var walk: WalkDeed?
    var peripheral: PeripheralDeed?
    var browse: ServiceBrowse?
    var stopBrowsing: ServiceBrowse?
    var manager: ManagerCommand?
    var device: DeviceDeed?
  }
  struct Crash: Sendable {
    var who = ""
    var downFor = Interval.zero
    var keepsState = true
  }
  struct Move: Sendable {
    var who = ""
    var to = IPAddress(v4: 0)
    var interface = 0
  }
  struct Relocate: Sendable {
    var who = ""
    var port: UInt16 = 0
  }
  struct Rename: Sendable {
    var who = ""
    var to = ""
  }
  struct Send: Sendable {
    var who = ""
    var script = 0
  }

  /// A deed that a document says with the name of an inhabitant alone.
  struct Verb: Sendable {
    var name: String
    var about: String
    var make: @Sendable (String) -> TimelineEntry.Deed
    init(_ name: String, _ about: String, _ make: @escaping @Sendable (String) -> TimelineEntry.Deed) {
      (self.name, self.about, self.make) = (name, about, make)
    }
  }
  private static let verbs: [Verb] =
    [
      Verb("hold", "The application holds this device: no eviction takes it.") { .hold($0) },
      Verb("release", "The application lets this device go.") { .release($0) },
      Verb("reconfirm", "The application could not reach this service: it is asked for again.") { .reconfirm($0) },
    ] + plainActs.map { one in Verb(one.act.name, one.about) { .act(who: $0, one.act) } } + [
      Verb("stop", "Stops: only the engine can.") { _ in .stopEngine }
    ]
  private static let who = Form<String>.name("the name of an inhabitant", example: "tv")
  private static let deed = Choice(name: "deed")

  static let entry: Form<TimelineEntry> = Form<Draft>.record(Draft(), head + verbs.map(field) + tail).map(
    { draft, _, _ in entry(draft) }, back: { draft($0) })

  private static let head: [Field<Draft>] = [
    .required("at", \.at, .instant, "When."),
    .optional(
      "id", \.id, .name("an id", example: "first-search"), "How expectations speak of it; t1, t2 … by default."),
    .optional("search", \.search, .search, choice: deed, "The engine searches."),
    .optional("stop-search", \.stopSearch, .number32, choice: deed, "The engine ends this search before its time."),
  ]
  private static let tail: [Field<Draft>] =
    [
      .optional("crash", \.crash, crash, choice: deed, "The process dies and comes back."),
      .optional("move", \.move, move, choice: deed, "Takes another address."),
      .optional("relocate", \.relocate, relocate, choice: deed, "Serves its description under another port."),
      .optional("rename", \.rename, rename, choice: deed, "People call it something else; CONFIGID grows."),
      .optional("send", \.send, send, choice: deed, "Sends a message of its script."),
      .optional("browse", \.browse, .browse, choice: deed, "The engine looks for services of multicast DNS."),
      .optional("stop-browsing", \.stopBrowsing, .browse, choice: deed, "The engine looks for these no more."),
      .optional("manager", \.manager, .managerCommand, choice: deed, "The application asks something of the manager."),
      .optional("walk", \.walk, walk, choice: deed, "Walks, or is carried, in a straight line."),
    ] + PeripheralDeed.fields(\.peripheral, choice: deed) + DeviceDeed.fields(\.device, choice: deed)

  private static func field(_ verb: Verb) -> Field<Draft> {
    Field<Draft>(
      key: Key(name: verb.name, about: verb.about, schema: who.schema, choice: deed),
      read: { tree, draft, reader in
        guard let name = who.read(tree, &reader) else { return }
        if verb.name == "stop", name != "engine" {
          reader.complain("only 'engine' can be stopped; an inhabitant can leave or vanish", at: tree.mark)
        }
        draft.named = (verb.name, name)
      },
      write: { draft, _ in draft.named.flatMap { $0.verb == verb.name ? .scalar($0.who) : nil } })
  }

  private static let crash = Form<Crash>.record(
    Crash(),
    [
      .required("who", \.who, who, "Who."),
      .required("down-for", \.downFor, .duration, "How long it is down."),
      .key("keeps-state", \.keepsState, .bool, default: true, "Whether BOOTID goes on; else it starts over."),
    ])
  private static let move = Form<Move>.record(
    Move(),
    [
      .required("who", \.who, who, "Who: engine, an inhabitant, or one member of a counted one."),
      .required("to", \.to, .address, "The new address."),
      .key("interface", \.interface, .interfaceNumber, default: 0, "On which of its interfaces."),
    ])
  private static let relocate = Form<Relocate>.record(
    Relocate(),
    [
      .required("who", \.who, who, "Who."),
      .required("port", \.port, .port, "The new port of its description."),
    ])
  private static let rename = Form<Rename>.record(
    Rename(),
    [
      .required("who", \.who, who, "Who."),
      .required("to", \.to, .text("a name", countMaximum: 63), "What people call it from now on."),
    ])
  private static let send = Form<Send>.record(
    Send(),
    [
      .required("who", \.who, who, "Who."),
      .key("script", \.script, .integer(0...1_000_000), default: 0, "The number of the message, from 0."),
    ])

  private static let walk = Form<WalkDeed>.record(
    WalkDeed(),
    [
      .required("who", \.who, .name("the name of a host", example: "engine or tag"), "Who."),
      .required("to", \.to, .position, "Where to."),
      .key("over", \.duration, .duration, default: .zero, "How long that takes; at once by default."),
    ])

  private static func entry(_ draft: Draft) -> TimelineEntry? {
    let deed: TimelineEntry.Deed
    if let search = draft.search {
      deed = .search(search)
    } else if let number = draft.stopSearch {
      deed = .stopSearch(number)
    } else if let named = draft.named, let verb = verbs.first(where: { $0.name == named.verb }) {
      deed = verb.make(named.who)
    } else if let crash = draft.crash {
      deed = .act(who: crash.who, .crash(downFor: crash.downFor, keepsState: crash.keepsState))
    } else if let move = draft.move {
      deed = .act(who: move.who, .move(interface: InterfaceID(UInt16(move.interface)), to: move.to))
    } else if let relocate = draft.relocate {
      deed = .act(who: relocate.who, .relocate(port: relocate.port))
    } else if let rename = draft.rename {
      deed = .act(who: rename.who, .rename(to: rename.to))
    } else if let send = draft.send {
      deed = .act(who: send.who, .send(script: send.script))
    } else if let walk = draft.walk {
      deed = .walk(walk)
    } else if let peripheral = draft.peripheral {
      deed = .peripheral(peripheral)
    } else if let browse = draft.browse {
      deed = .browse(browse)
    } else if let browse = draft.stopBrowsing {
      deed = .stopBrowsing(browse)
    } else if let command = draft.manager {
      deed = .manager(command)
    } else if let device = draft.device {
      deed = .device(device)
    } else {
      return nil
    }
    return TimelineEntry(id: draft.id, at: draft.at, deed)
  }

  private static func draft(_ entry: TimelineEntry) -> Draft {
    var draft = Draft(id: entry.id, at: entry.at)
    switch entry.deed {
    case .search(let search): draft.search = search
    case .stopSearch(let number): draft.stopSearch = number
    case .hold(let who): draft.named = ("hold", who)
    case .release(let who): draft.named = ("release", who)
    case .reconfirm(let who): draft.named = ("reconfirm", who)
    case .stopEngine: draft.named = ("stop", "engine")
    case .act(let who, .crash(let downFor, let keepsState)):
      draft.crash = Crash(who: who, downFor: downFor, keepsState: keepsState)
    case .act(let who, .move(let interface, let to)):
      draft.move = Move(who: who, to: to, interface: Int(interface.number))
    case .act(let who, .relocate(let port)): draft.relocate = Relocate(who: who, port: port)
    case .act(let who, .rename(let to)): draft.rename = Rename(who: who, to: to)
    case .act(let who, .send(let script)): draft.send = Send(who: who, script: script)
    case .act(let who, let act): draft.named = (act.name, who)
    case .walk(let walk): draft.walk = walk
    case .peripheral(let deed): draft.peripheral = deed
    case .browse(let browse): draft.browse = browse
    case .stopBrowsing(let browse): draft.stopBrowsing = browse
    case .manager(let command): draft.manager = command
    case .device(let deed): draft.device = deed
    }
    return draft
  }
}
