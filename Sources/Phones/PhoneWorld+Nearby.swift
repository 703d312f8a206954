public import Foundation
public import RollcallPrimitives
import RollcallSimulation

// The nearby sides of phones: who uses them, and where they are.
extension PhoneWorld {
  /// What the person does with each invitation that `MCAdvertiserAssistant` shows, from now on and with those that are
  /// shown already. Until this was called they do what `user` says in the scenario; nothing, if it says nothing.
  public func answerInvitations(
    _ answer: NearbyAnswer, after delay: Interval = .zero, on other: String? = nil
  ) {
    driven(other).nearby?.person { $0.answerInvitations(answer, after: delay, at: $1) }
  }

  /// The person picks the peer of this name, once, so long after `MCBrowserViewController` has shown it.
  public func pick(_ displayName: String, after delay: Interval = .zero, on other: String? = nil) {
    driven(other).nearby?.person { $0.pick(displayName, after: delay, at: $1) }
  }

  /// The person presses Done, so long after it can be pressed: on the screens that are shown, and on later ones.
  public func pressDone(after delay: Interval = .zero, on other: String? = nil) {
    driven(other).nearby?.person { $0.pressDone(after: delay, at: $1) }
  }

  /// The person presses Cancel, so long after now, on the screen that is shown now.
  public func pressCancel(after delay: Interval = .zero, on other: String? = nil) {
    driven(other).nearby?.person { $0.pressCancel(after: delay, at: $1) }
  }

  /// What an `http` or `https` URL leads to for a phone that sends it as a resource. Others lead to nothing.
  public func setPage(
    _ contents: Data, at url: URL, after delay: Interval = .zero, on other: String? = nil
  ) {
    driven(other).nearby?.setPage(Array(contents), at: url, after: delay)
  }

  /// A phone leaves the network in good order: what it advertised is withdrawn, its sessions say that they leave.
  public func leave(_ other: String? = nil) { driven(other).nearby?.leave() }

  /// A phone is gone at once, as if its battery were empty: nobody is told, and its applications have ended.
  public func vanish(_ other: String? = nil) {
    phone(other).endApplications()
    driven(other).nearby?.vanish()
  }

  /// A phone that left or vanished is back on the network.
  public func appear(_ other: String? = nil) { driven(other).nearby?.appear() }

  /// Whether anything on the network reaches a phone, and it anybody; it does not notice by itself that nothing does.
  public func setReachable(_ isReachable: Bool, _ other: String? = nil) {
    let host = driven(other).host
    guard unreachable.contains(host) == isReachable else { return }
    let everybody = Array(0..<world.network.hostCount).filter { $0 != host }
    let number = PhoneWorld.firstPartition + 2 * host
    if isReachable {
      unreachable.removeAll { $0 == host }
      world.apply(.healPartition(number: number))
      world.apply(.healPartition(number: number + 1))
    } else {
      unreachable.append(host)
      world.apply(.partition(number: number, from: [host], to: everybody))
      world.apply(.partition(number: number + 1, from: everybody, to: [host]))
    }
  }

  /// Numbers of partitions that no scenario has.
  private static let firstPartition = 1 << 40
}

extension NetworkPlan {
  /// A host on the first link of another one, with the same rules and an address of its own in each family.
  func host(beside number: Int, named name: String) -> HostPlan {
    guard var interface = hosts[number].interfaces.first else { return HostPlan(name: name, interfaces: []) }
    let taken = hosts.flatMap(\.interfaces).flatMap(\.addresses).map(\.address)
    interface.isUpAtStart = true
    interface.addresses = interface.addresses.compactMap { entry in
      var free = entry
      switch entry.address.family {
      case .v4:
        // From the last one below the broadcast address down, where a scenario's own hosts are seldom.
        let count = UInt64(1) << UInt64(32 - entry.prefixBits)
        let network = entry.address.low & ~(count - 1)
        guard count > 4,
          let found = (2..<count - 1).reversed().lazy.map({ IPAddress(v4: UInt32(truncatingIfNeeded: network + $0)) })
            .first(where: { !taken.contains($0) })
        else { return nil }
        free.address = found
      case .v6:
        var digest = Digest()
        digest.combine(name)
        // The bit that says "made by the hardware" stays off.
        free.address = IPAddress(v6High: entry.address.high, low: digest.state & ~(1 << 57))
      }
      return free
    }
    return HostPlan(name: name, interfaces: [interface])
  }
}
