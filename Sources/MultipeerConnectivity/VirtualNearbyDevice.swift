package import Dispatch
import Foundation
package import RollcallDoors

/// The device that the objects of an application run on: the one thing below this module.
///
/// An advertiser, a browser, a session and the two prompts attach once, in their initialisers. From then on they make
/// requests, and the device answers with events that it pushes into their doors. The device never runs application
/// code: a door puts each callback on the device's queue of callbacks.
///
/// What the door does itself, so that a device need not: it drops events of a run of an advertiser or browser that has
/// ended, and of a session before its `disconnect()`; it lets through only such changes of a peer's state as there can
/// be; it ends transfers and streams of a peer that is gone; it reads and writes the files; it applies the policies.
package protocol VirtualNearbyDevice: AnyObject, Sendable {
  /// The queues of this device; a world waits for them to be empty before its time moves on.
  var queues: DoorQueues { get }

  /// The serial queue that all callbacks of this device's objects are made on, none of the application's. One for all
  /// objects, so that the order of callbacks is that of events.
  var callbacks: DispatchQueue { get }

  var policies: PeerPolicies { get }

  /// Bytes that no peer has had: the identity of a new local peer.
  func makeIdentity() -> [UInt8]

  /// An object was made. The device may push from within this call; the door waits with it until the call has returned.
  func attach(_ door: any NearbyDoor, as role: NearbyRole) -> NearbyNumber

  /// The object is gone: what it advertised, browsed for or was connected to ends, and its door hears nothing more. The
  /// device must let go of the door, which may own other objects.
  func detach(_ object: NearbyNumber)

  /// A command. It returns at once; what comes of it are events.
  func perform(_ request: NearbyRequest, for object: NearbyNumber)

  /// The bytes behind an http or https URL that an application sends as a resource. The answer may come at any time,
  /// from any thread, once.
  func fetch(_ url: URL, _ answer: @escaping @Sendable (Result<[UInt8], any Error>) -> Void)

  /// What stands for one element of a `securityIdentity` on the way to a peer; nil: nothing of it is sent.
  func certificate(of element: Any) -> [UInt8]?

  func heard(_ misuse: PeerMisuse)
}

extension VirtualNearbyDevice {
  package var policies: PeerPolicies { PeerPolicies() }

  package func fetch(_ url: URL, _ answer: @escaping @Sendable (Result<[UInt8], any Error>) -> Void) {
    answer(.failure(MCError(.unavailable)))
  }

  /// The bytes of a certificate, which is what Linux has in the place of `SecIdentity` and `SecCertificate`.
  package func certificate(of element: Any) -> [UInt8]? { (element as? Data).map { Array($0) } }

  package func heard(_ misuse: PeerMisuse) { PeerMisuse.report(misuse) }
}

/// Where a device pushes the events of one object. It may be called from any thread and returns at once.
package protocol NearbyDoor: AnyObject, Sendable {
  func push(_ event: NearbyEvent)
}

/// An object's number, given by the device.
package struct NearbyNumber: Hashable, Sendable {
  package let value: Int

  package init(_ value: Int) { self.value = value }
}

/// What an object is for.
package enum NearbyRole: Hashable, Sendable {
  case advertiser(AdvertiserSetup)
  case browser(BrowserSetup)
  case session(SessionSetup)
  /// Presents invitations to the person who uses the device.
  case assistant(PeerKey)
  /// Presents nearby peers to that person.
  case browserView(PeerKey)
}

package struct AdvertiserSetup: Hashable, Sendable {
  package var peer: PeerKey
  package var serviceType: String
  package var info: [InfoPair]?

  package init(peer: PeerKey, serviceType: String, info: [InfoPair]?) {
    self.peer = peer
    self.serviceType = serviceType
    self.info = info
  }
}

package struct BrowserSetup: Hashable, Sendable {
  package var peer: PeerKey
  package var serviceType: String

  package init(peer: PeerKey, serviceType: String) {
    self.peer = peer
    self.serviceType = serviceType
  }
}

package struct SessionSetup: Hashable, Sendable {
  package var peer: PeerKey
  /// The certificate of the local identity, then those of its chain; nil: there is no identity.
  package var certificates: [[UInt8]]?
  package var encryption: MCEncryptionPreference

  package init(peer: PeerKey, certificates: [[UInt8]]?, encryption: MCEncryptionPreference) {
    self.peer = peer
    self.certificates = certificates
    self.encryption = encryption
  }
}

/// The device that new objects attach to.
package enum NearbyLink {
  /// The device of this task, and of callbacks of an object that is attached to it.
  @TaskLocal package static var current: (any VirtualNearbyDevice)?

  private static let standing = Guarded<(any VirtualNearbyDevice)?>(nil)

  /// The device where no task says another.
  package static var standard: (any VirtualNearbyDevice)? {
    get { standing.current }
    set { standing.withLock { $0 = newValue } }
  }

  package static var device: (any VirtualNearbyDevice)? { current ?? standard }
}
