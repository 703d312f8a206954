package import RollcallWire

/// A name that is asked for, and the type that its instances have: `_http._tcp.local` for both, or
/// `_color._sub._http._tcp.local` for a part of them (RFC 6763 §7.1).
package struct BrowsedType: Hashable, Sendable {
  package let name: DNSName
  package let type: DNSName
  /// Nobody asked for it: it was heard of while every type is browsed.
  var isFound = false

  private init(_ name: DNSName, _ type: ServiceType) { (self.name, self.type) = (name, type.domainName) }

  package init(_ type: ServiceType) { self.init(type.domainName, type) }

  /// Reads `_http._tcp` or `_color._sub._http._tcp`; `nil` for anything else.
  package init?(_ text: String) {
    guard let name = DNSName(text + ".local") else { return nil }
    if let type = try? ServiceType(name), type.domain == .local {
      self.init(type)
      return
    }
    guard let below = name.parent, let rest = below.parent, below == rest.adding("_sub"),
      let type = try? ServiceType(rest), type.domain == .local
    else { return nil }
    self.init(name, type)
  }
}

/// What is browsed, in the order in which it came.
struct BrowseTable: Sendable {
  /// Every type: those that are listed, and those that are heard of.
  var includesEverything = false
  private(set) var all: [BrowsedType] = []
  private var places: [DNSName: Int] = [:]
  private var names: [DNSName: [DNSName]] = [:]
  private(set) var foundCount = 0

  var isEmpty: Bool { all.isEmpty && !includesEverything }

  subscript(name: DNSName) -> BrowsedType? { places[name].map { all[$0] } }
  /// The names that are asked for instances of a type, the type's own and those of subtypes.
  func names(ofType type: DNSName) -> [DNSName] { names[type] ?? [] }

  /// - Returns: whether it is new.
  mutating func insert(_ browse: BrowsedType) -> Bool {
    if let place = places[browse.name] {
      // Now somebody asks for it.
      if all[place].isFound, !browse.isFound {
        all[place].isFound = false
        foundCount -= 1
      }
      return false
    }
    places[browse.name] = all.count
    names[browse.type, default: []].append(browse.name)
    all.append(browse)
    if browse.isFound { foundCount += 1 }
    return true
  }

  /// Nobody asks for it any more.
  mutating func setFound(_ name: DNSName) {
    guard let place = places[name], !all[place].isFound else { return }
    all[place].isFound = true
    foundCount += 1
  }

  mutating func remove(_ name: DNSName) {
    guard let place = places[name] else { return }
    let browse = all.remove(at: place)
    if browse.isFound { foundCount -= 1 }
    names[browse.type]?.removeAll { $0 == name }
    if names[browse.type]?.isEmpty == true { names[browse.type] = nil }
    places[name] = nil
    for index in all.indices[place...] { places[all[index].name] = index }
  }
}
