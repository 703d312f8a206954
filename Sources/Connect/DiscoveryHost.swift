import Dispatch
package import RollcallDoors
package import RollcallPrimitives

/// Where the engine of a `DiscoveryManager`, and of searches by hand, runs: on the network of this machine, or in a virtual
/// world. The one thing below this module.
///
/// A host never runs code of the application: managers and sessions put each callback on their own queues.
package protocol DiscoveryHost: AnyObject, Sendable {
  /// The queues that callbacks are made on; a world waits for them to be empty before its time moves on.
  var queues: DoorQueues { get }
  /// The wall clock of this network, in nanoseconds since 1970.
  var unixNanoseconds: Int64 { get }
  /// Begins to search and to tell; from then on news go to the door, in order, until `detach`. A host has one manager at a
  /// time: another one takes its place.
  func attach(_ door: any DiscoveryDoor, _ setup: DiscoverySetup)
  /// Does something with the manager of the engine; it returns at once, and what comes of it are news.
  func ask(_ command: ManagerCommand)
  /// This door hears nothing more.
  func detach(_ door: any DiscoveryDoor)

  /// Begins a search by hand beside all else that runs here; what becomes of it goes to the door, in order, until it ends or
  /// is stopped. Any number of them may be open.
  /// - Parameter search: the host gives it its number.
  /// - Returns: the number.
  func begin(_ search: Search, for door: any SearchDoor) -> SearchID
  /// Ends a search by hand: no further copy is sent, and its door hears nothing more. One that is over stays so. To be called
  /// for one that failed, too.
  func stopSearch(_ id: SearchID)
}

extension DiscoveryHost {
  /// The same in seconds.
  package var unixSeconds: Int64 { unixNanoseconds / 1_000_000_000 }
}

/// Where a host pushes news. It may be called from any thread and returns at once.
package protocol DiscoveryDoor: AnyObject, Sendable {
  func push(_ news: DiscoveryNews)
}

/// Where a host pushes what becomes of a search by hand. It may be called from any thread and returns at once.
package protocol SearchDoor: AnyObject, Sendable {
  func push(_ event: SearchNews.Event)
}

/// A device that was made of what is found, whether it suits the application or not.
package struct PresentDevice: Hashable, Sendable {
  package var id: String
  package var state: ManagerReport.State
  package init(id: String, state: ManagerReport.State) { (self.id, self.state) = (id, state) }
}

package enum DiscoveryNews: Hashable, Sendable {
  case managed(ManagerReport)
  /// All devices that are there, in the order in which they were made. What is told of them at the same time follows.
  case present([PresentDevice])
  case failed(Failure)
  /// The host cannot run for this door, or no longer: nothing more comes, until it is attached anew.
  case ended(Failure)
  /// An hour has passed since the door was attached, or since this was said to it last.
  case hourPassed

  /// What a manager hears of a report of its engine; `nil`: nothing.
  package init?(_ report: Report) {
    switch report {
    case .managed(let report): self = .managed(report)
    case .failed(let failure): self = .failed(failure)
    default: return nil
    }
  }
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
