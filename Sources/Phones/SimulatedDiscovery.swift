package import RollcallConnect
package import RollcallDoors
package import RollcallPrimitives

/// The network that a `DiscoveryManager` of a phone in a virtual world runs on: the engine of the phone.
package final class SimulatedDiscovery: DiscoveryHost, Sendable {
  private struct Memory {
    var door: (any DiscoveryDoor)?
    var commands: [ManagerCommand] = []
    var now = Instant.zero
  }
  /// What the wall clock of a virtual world shows at instant zero: as that of its devices.
  private static let epochSeconds: Int64 = 1_704_067_200
  package let queues: DoorQueues
  private let memory = Guarded(Memory())

  package init(queues: DoorQueues) { self.queues = queues }

  package var unixSeconds: Int64 {
    SimulatedDiscovery.epochSeconds + memory.withLock { $0.now.nanoseconds / 1_000_000_000 }
  }
  package func move(to now: Instant) { memory.withLock { $0.now = now } }

  package func attach(_ door: any DiscoveryDoor, _ setup: DiscoverySetup) {
    memory.withLock { memory in
      memory.door = door
      memory.commands.append(.begin(setup))
    }
  }

  package func ask(_ command: ManagerCommand) { memory.withLock { $0.commands.append(command) } }

  package func detach(_ door: any DiscoveryDoor) {
    memory.withLock { memory in
      guard memory.door === door else { return }
      memory.door = nil
      memory.commands.append(.stop)
    }
  }

  /// What the application asked for since the last call, in order.
  package func takeCommands() -> [ManagerCommand] {
    memory.withLock { memory in
      defer { memory.commands.removeAll() }
      return memory.commands
    }
  }

  /// What the engine reported.
  package func take(_ report: Report) {
    guard let door = memory.withLock({ $0.door }) else { return }
    switch report {
    case .managed(let report): door.push(.managed(report))
    case .failed(let failure): door.push(.failed(failure))
    default: break
    }
  }
}
