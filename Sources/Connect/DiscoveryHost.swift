import Dispatch
package import RollcallDoors
package import RollcallPrimitives

/// Where the engine of a `DiscoveryManager` runs: on the network of this machine, or in a virtual world. The one thing below
/// this module.
///
/// A host never runs code of the application: the manager puts each callback on its own queue.
package protocol DiscoveryHost: AnyObject, Sendable {
  /// The queues that callbacks are made on; a world waits for them to be empty before its time moves on.
  var queues: DoorQueues { get }
  /// The wall clock of this network, in seconds since 1970.
  var unixSeconds: Int64 { get }
  /// Begins to search and to tell; from then on news go to the door, in order, until `detach`. A host has one manager at a
  /// time: another one takes its place.
  func attach(_ door: any DiscoveryDoor, _ setup: DiscoverySetup)
  /// Does something with the manager of the engine; it returns at once, and what comes of it are news.
  func ask(_ command: ManagerCommand)
  /// This door hears nothing more.
  func detach(_ door: any DiscoveryDoor)
}

/// Where a host pushes news. It may be called from any thread and returns at once.
package protocol DiscoveryDoor: AnyObject, Sendable {
  func push(_ news: DiscoveryNews)
}

package enum DiscoveryNews: Hashable, Sendable {
  case managed(ManagerReport)
  case failed(Failure)
}

/// The host that managers attach to.
package enum DiscoveryLink {
  /// That of this task; a world sets it while it runs code of an application.
  @TaskLocal package static var current: (any DiscoveryHost)?
  private static let ofProcess = Guarded<(any DiscoveryHost)?>(nil)
  /// That of the process, for code outside of a world.
  package static var standard: (any DiscoveryHost)? {
    get { ofProcess.current }
    set { ofProcess.withLock { $0 = newValue } }
  }
  package static var host: (any DiscoveryHost)? { current ?? standard }
}
