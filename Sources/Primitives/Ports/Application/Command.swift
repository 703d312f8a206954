// The application, on the way in: what an engine's application or an inhabitant's timeline asks for.

/// What somebody asks of a machine: the application of an engine, the timeline of an inhabitant.
public enum Command: Hashable, Sendable {
  /// An engine searches.
  case search(Search)
  /// An engine takes a search that somebody else sent as its own: a replay does so with captured searches.
  case adopt(Search, copyAt: Endpoint)
  /// An engine ends a search before its time.
  case stopSearch(SearchID)
  /// An engine fetches no description any more; those under way end as stopped.
  case stopDescriptions
  /// The application holds a device: no eviction may take it.
  case hold(device: String)
  case release(device: String)
  /// The application could not reach a device: a service of multicast DNS is asked for again, and lost unless its host
  /// answers within 10 s (RFC 6762 §10.4). A manager does so by itself where it cannot connect.
  case reconfirm(device: String)
  /// An engine stops: every device it knows is lost with cause `stopped`.
  case stop
  /// An engine connects to a peripheral, or asks something of it.
  case peripheral(CentralCommand)
  /// An engine looks for services from now on.
  case browse(ServiceBrowse)
  /// An engine looks for these no more: those that nothing else asks for are lost with cause `stopped`.
  case stopBrowsing(ServiceBrowse)
  /// What is asked of the manager of an engine; an engine without one does nothing.
  case manager(ManagerCommand)
  /// An inhabitant acts.
  case act(Act)
}

/// The number of a search within one engine.
@frozen public struct SearchID: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var number: UInt32
  @inlinable public init(_ number: UInt32) { self.number = number }
  @inlinable public static func < (left: SearchID, right: SearchID) -> Bool { left.number < right.number }
}

/// A search session that is asked for. It is single-use: a second search needs a second id.
public struct Search: Hashable, Sendable {
  public var id: SearchID
  /// ST, byte for byte as it goes on the wire.
  public var target: String
  /// MX in whole seconds, 1 ... 5.
  public var maximumWaitSeconds: Int
  /// How often the M-SEARCH is sent, at least once.
  public var broadcasts: Int
  /// From one copy to the next; `nil` means MX.
  public var spacing: Interval?
  /// `nil` for the group; an address (and port, 0 for the SEARCHPORT that it announced, else 1900) for a unicast search.
  public var host: Endpoint?
  /// Where to send from; `nil` for every interface that is up.
  public var interface: InterfaceID?

  public init(
    id: SearchID, target: String, maximumWaitSeconds: Int = 3, broadcasts: Int = 3, spacing: Interval? = nil,
    host: Endpoint? = nil, interface: InterfaceID? = nil
  ) {
    self.id = id
    self.target = target
    self.maximumWaitSeconds = maximumWaitSeconds
    self.broadcasts = broadcasts
    self.spacing = spacing
    self.host = host
    self.interface = interface
  }
}

extension Command: PortValue {
  public static var port: PortNumber { .application }
  public static var verbs: [String] { ["command"] }

  public func fold(into digest: inout Digest) {
    switch self {
    case .search(let search):
      digest.combine(1)
      search.fold(into: &digest)
    case .adopt(let search, let socket):
      digest.combine(2)
      digest.combine(socket)
      search.fold(into: &digest)
    case .stopSearch(let id): digest.combine(3, UInt64(id.number))
    case .hold(let device):
      digest.combine(4)
      digest.combine(device)
    case .release(let device):
      digest.combine(5)
      digest.combine(device)
    case .reconfirm(let device):
      digest.combine(12)
      digest.combine(device)
    case .stop: digest.combine(6)
    case .stopDescriptions: digest.combine(8)
    case .peripheral(let command): command.fold(into: &digest)
    case .browse(let browse):
      digest.combine(9)
      browse.fold(into: &digest)
    case .stopBrowsing(let browse):
      digest.combine(10)
      browse.fold(into: &digest)
    case .manager(let command): command.fold(into: &digest)
    case .act(let act):
      digest.combine(7)
      act.fold(into: &digest)
    }
  }

  public func write(to words: inout WordWriter) {
    words.add("command")
    switch self {
    case .search(let search): search.write(to: &words)
    case .adopt(let search, let socket):
      words.add("adopt")
      words.add(socket)
      search.write(to: &words)
    case .stopSearch(let id):
      words.add("stop-search")
      words.add(id.number)
    case .hold(let device):
      words.add("hold")
      words.name(device)
    case .release(let device):
      words.add("release")
      words.name(device)
    case .reconfirm(let device):
      words.add("reconfirm")
      words.name(device)
    case .stop: words.add("stop")
    case .stopDescriptions: words.add("stop-descriptions")
    case .peripheral(let command): command.write(to: &words)
    case .browse(let browse):
      words.add("browse")
      browse.write(to: &words)
    case .stopBrowsing(let browse):
      words.add("stop-browsing")
      browse.write(to: &words)
    case .manager(let command): command.write(to: &words)
    case .act(let act): act.write(to: &words)
    }
  }

  public init(verb: Substring, from words: inout WordReader) throws(WordError) {
    let command = try words.next("what was asked for")
    switch command {
    case "search": self = .search(try Search(from: &words))
    case "adopt":
      let socket = try words.endpoint()
      try words.word("search")
      self = .adopt(try Search(from: &words), copyAt: socket)
    case "stop-search": self = .stopSearch(SearchID(try words.number("the number of a search")))
    case "hold": self = .hold(device: try words.name("the name of a device"))
    case "release": self = .release(device: try words.name("the name of a device"))
    case "reconfirm": self = .reconfirm(device: try words.name("the name of a device"))
    case "stop": self = .stop
    case "stop-descriptions": self = .stopDescriptions
    case "peripheral": self = .peripheral(try CentralCommand(from: &words))
    case "browse": self = .browse(try ServiceBrowse(from: &words))
    case "stop-browsing": self = .stopBrowsing(try ServiceBrowse(from: &words))
    case "manager": self = .manager(try ManagerCommand(from: &words))
    default: self = .act(try Act(verb: command, from: &words))
    }
  }
}

extension Search {
  fileprivate func fold(into digest: inout Digest) {
    digest.combine(
      UInt64(id.number) &<< 32 ^ UInt64(truncatingIfNeeded: maximumWaitSeconds), UInt64(truncatingIfNeeded: broadcasts))
    digest.combine(target)
    digest.combine(spacing?.nanoseconds)
    digest.combine(host == nil ? 1 : 2)
    if let host { digest.combine(host) }
    digest.combine(interface?.number)
  }

  fileprivate func write(to words: inout WordWriter) {
    words.add("search")
    words.add(id.number)
    words.name(target)
    words.add("mx")
    words.add(maximumWaitSeconds)
    words.add("x\(broadcasts)")
    if let spacing {
      words.add("spacing")
      words.add(spacing.description)
    }
    if let host {
      words.add("to")
      words.add(host)
    }
    if let interface { words.add(interface) }
  }

  /// From behind the word `search` on.
  fileprivate init(from words: inout WordReader) throws(WordError) {
    id = SearchID(try words.number("the number of a search"))
    target = try words.name("a search target")
    try words.word("mx")
    maximumWaitSeconds = try words.number("MX in seconds")
    let copies = try words.next("the number of copies, as in x3")
    guard copies.first == "x", let broadcasts = Int(copies.dropFirst()), "x\(broadcasts)" == copies else {
      throw words.error("the number of copies, as in x3")
    }
    self.broadcasts = broadcasts
    spacing = words.take("spacing") ? try words.interval() : nil
    host = words.take("to") ? try words.endpoint() : nil
    interface = try words.optionalInterface()
  }
}
