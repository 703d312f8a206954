import RollcallLive
import RollcallPrimitives

/// Interfaces that a live verb is asked to use.
enum LiveInterfaces {
  /// The named ones, or every one on which discovery can do something.
  static func chosen(_ names: [String], found: [LiveInterface] = LiveInterface.scan()) throws -> [LiveInterface] {
    if names.isEmpty {
      let usable = found.filter(\.isUsable)
      if usable.isEmpty {
        throw Complaint("no interface can be used for discovery here: \(list(found))\nname one with -i to wait for it")
      }
      return usable
    }
    var chosen: [LiveInterface] = []
    for name in names where !chosen.contains(where: { $0.name == name }) {
      guard let interface = found.first(where: { $0.name == name }) else {
        throw Complaint("there is no interface \(name): \(list(found))")
      }
      if interface.isLoopback || !interface.canMulticast {
        throw Complaint("\(name) carries no multicast, so nothing can be discovered there: \(list(found))")
      }
      chosen.append(interface)
    }
    return chosen
  }

  /// The interface of this name, the loopback too: who names it means it.
  static func named(_ name: String) throws -> LiveInterface {
    let found = LiveInterface.scan()
    if let loopback = found.first(where: { $0.name == name && $0.isLoopback }) { return loopback }
    return try chosen([name], found: found)[0]
  }

  private static func list(_ found: [LiveInterface]) -> String {
    if found.isEmpty { return "the system names none" }
    let words = found.map { one -> String in
      let addresses = one.addresses.map { "\($0.address)" }.joined(separator: " ")
      let state =
        one.isLoopback
        ? "loopback"
        : !one.canMulticast ? "no multicast" : !one.isUp ? "down" : addresses.isEmpty ? "no address" : addresses
      return "\(one.name) (\(state))"
    }
    return "there are " + words.joined(separator: ", ")
  }
}
