/// What the timeline can ask of an inhabitant.
public enum Act: Hashable, Sendable {
  /// Joins the network: first announcements after the start jitter.
  case appear
  /// Leaves in good order: byebye for everything that was announced.
  case leave
  /// Falls silent at once, without byebye; `appear` brings it back.
  case vanish
  /// The process dies and comes back after the given time; without its state BOOTID starts over.
  case crash(downFor: Interval, keepsState: Bool)
  /// Restarts in good order: byebye, then announcements with the next BOOTID.
  case reboot
  /// Takes another address on an interface.
  case move(interface: InterfaceID, to: IPAddress)
  /// Serves its description under another URL path and port, same address, same BOOTID.
  case relocate(port: UInt16)
  /// Announces ssdp:update with NEXTBOOTID (an interface came or went) and goes on under that BOOTID.
  case update
  /// Changes its description: CONFIGID grows.
  case reconfigure
  /// People call it something else: its description changes, and CONFIGID grows.
  case rename(to: String)
  /// A control point or attacker sends its message number `script` now.
  case send(script: Int)
  /// A host with a nearby peer does something of its own.
  case peer(PeerAct)
}

extension Act {
  /// What documents and traces call it: `appear`.
  public var name: String {
    switch self {
    case .appear: "appear"
    case .leave: "leave"
    case .vanish: "vanish"
    case .crash: "crash"
    case .reboot: "reboot"
    case .move: "move"
    case .relocate: "relocate"
    case .update: "update"
    case .reconfigure: "reconfigure"
    case .rename: "rename"
    case .send: "send"
    case .peer(let act): act.rawValue
    }
  }

  /// What people read: `crash for 5s, state kept`.
  public var text: String {
    switch self {
    case .crash(let downFor, let keepsState): "crash for \(downFor), state \(keepsState ? "kept" : "lost")"
    case .move(let interface, let address): "move interface \(interface.number) to \(address)"
    case .relocate(let port): "relocate to port \(port)"
    case .rename(let name): "rename to \(name)"
    case .send(let script): "send message \(script)"
    case .appear, .leave, .vanish, .reboot, .update, .reconfigure, .peer: name
    }
  }

  func fold(into digest: inout Digest) {
    switch self {
    case .appear: digest.combine(1)
    case .leave: digest.combine(2)
    case .vanish: digest.combine(3)
    case .crash(let downFor, let keepsState):
      digest.combine(4, UInt64(bitPattern: downFor.nanoseconds))
      digest.combine(keepsState ? 2 : 1)
    case .reboot: digest.combine(5)
    case .move(let interface, let address):
      digest.combine(6, UInt64(interface.number))
      digest.combine(address)
    case .relocate(let port): digest.combine(7, UInt64(port))
    case .update: digest.combine(8)
    case .reconfigure: digest.combine(9)
    case .send(let script): digest.combine(10, UInt64(truncatingIfNeeded: script))
    case .rename(let name):
      digest.combine(12)
      digest.combine(name)
    case .peer(let act):
      digest.combine(11)
      digest.combine(act.rawValue)
    }
  }

  func write(to words: inout WordWriter) {
    words.add(name)
    switch self {
    case .crash(let downFor, let keepsState):
      words.add(downFor.description)
      if keepsState { words.add("keeps-state") }
    case .move(let interface, let address):
      words.add(interface)
      words.add("to")
      words.add(address)
    case .relocate(let port):
      words.add("port")
      words.add(port)
    case .send(let script): words.add(script)
    case .rename(let name): words.name(name)
    case .appear, .leave, .vanish, .reboot, .update, .reconfigure, .peer: break
    }
  }

  init(verb: Substring, from words: inout WordReader) throws(WordError) {
    switch verb {
    case "appear": self = .appear
    case "leave": self = .leave
    case "vanish": self = .vanish
    case "crash": self = .crash(downFor: try words.interval(), keepsState: words.take("keeps-state"))
    case "reboot": self = .reboot
    case "move":
      let interface = try words.interface()
      try words.word("to")
      self = .move(interface: interface, to: try words.address())
    case "relocate":
      try words.word("port")
      self = .relocate(port: try words.number("the number of a port"))
    case "update": self = .update
    case "reconfigure": self = .reconfigure
    case "rename": self = .rename(to: try words.name("a name"))
    case "send": self = .send(script: try words.number("the number of a message"))
    default:
      guard let act = PeerAct(rawValue: String(verb)) else {
        throw words.error("what was asked for, as in search, hold or appear")
      }
      self = .peer(act)
    }
  }
}
