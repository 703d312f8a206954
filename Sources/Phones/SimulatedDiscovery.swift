package import RollcallConnect
package import RollcallDoors
package import RollcallPrimitives

/// The network that a `DiscoveryManager` and searches by hand of a phone in a virtual world run on: the engine of the phone.
package final class SimulatedDiscovery: DiscoveryHost, Sendable {
  private struct Memory {
    var door: (any DiscoveryDoor)?
    var commands: [Command] = []
    /// Of searches by hand that are not over, in the order in which they began.
    var searches: [(id: SearchID, door: any SearchDoor)] = []
    var searchCount: UInt32 = 0
    var now = Instant.zero
    /// The number of changes that the door was shown the devices of; `nil`: it was shown none.
    var shownChanges: UInt64?
    /// When the door is told next that an hour has passed.
    var nextHour = Instant.never
  }
  package let queues: DoorQueues
  private let memory = Guarded(Memory())

  package init(queues: DoorQueues) { self.queues = queues }

  package var unixNanoseconds: Int64 {
    Instant.worldEpochUnixSeconds * 1_000_000_000 + memory.withLock { $0.now.nanoseconds }
  }
  package func move(to now: Instant) {
    let door = memory.withLock { memory -> (any DiscoveryDoor)? in
      memory.now = now
      if now < memory.nextHour { return nil }
      memory.nextHour = now + .hours(1)
      return memory.door
    }
    door?.push(.hourPassed)
  }

  package func attach(_ door: any DiscoveryDoor, _ setup: DiscoverySetup) {
    memory.withLock { memory in
      memory.door = door
      memory.nextHour = memory.now + .hours(1)
      memory.shownChanges = nil
      memory.commands.append(.manager(.begin(setup)))
    }
  }

  package func ask(_ command: ManagerCommand) { memory.withLock { $0.commands.append(.manager(command)) } }

  package func detach(_ door: any DiscoveryDoor) {
    memory.withLock { memory in
      guard memory.door === door else { return }
      memory.door = nil
      memory.commands.append(.manager(.stop))
    }
  }

  package func begin(_ search: Search, for door: any SearchDoor) -> SearchID {
    memory.withLock { memory in
      var search = search
      search.id = .byHand(after: memory.searchCount)
      memory.searchCount += 1
      memory.searches.append((search.id, door))
      memory.commands.append(.search(search))
      return search.id
    }
  }

  package func stopSearch(_ id: SearchID) {
    memory.withLock { memory in
      guard memory.searches.contains(where: { $0.id == id }) else { return }
      memory.searches.removeAll { $0.id == id }
      memory.commands.append(.stopSearch(id))
    }
  }

  /// What the application asked for since the last call, in order.
  package func takeCommands() -> [Command] {
    memory.withLock { memory in
      defer { memory.commands.removeAll() }
      return memory.commands
    }
  }

  /// What became of a search by hand.
  package func take(_ news: SearchNews) {
    let door = memory.withLock { memory -> (any SearchDoor)? in
      let place = memory.searches.firstIndex { $0.id == news.search }
      guard let place else { return nil }
      if case .ended = news.event { return memory.searches.remove(at: place).door }
      return memory.searches[place].door
    }
    door?.push(news.event)
  }

  /// Whether the door is to be shown all devices, which have changed so often by now.
  package func wantsDevices(afterChanges changes: UInt64) -> Bool {
    memory.withLock { memory in
      guard memory.door != nil, memory.shownChanges != changes else { return false }
      memory.shownChanges = changes
      return true
    }
  }
  package func show(_ devices: [PresentDevice]) { memory.withLock { $0.door }?.push(.present(devices)) }

  /// What the engine reported.
  package func take(_ report: Report) {
    if let news = DiscoveryNews(report) { memory.withLock { $0.door }?.push(news) }
  }
}
