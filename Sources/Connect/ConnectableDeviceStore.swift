public import RollcallPrimitives

/// Where a manager keeps what it knows of devices between two launches of the application.
///
/// It is called on the queue of the manager, and from where the manager starts. `DefaultConnectableDeviceStore` keeps them in
/// a file. An application that respects privacy has a button for `removeAll`.
public protocol ConnectableDeviceStore: AnyObject, Sendable {
  /// Everything that is kept, ordered by id; what has become too old is forgotten first.
  /// - Parameter nowUnixSeconds: the wall clock, in seconds since 1970.
  func devices(nowUnixSeconds: Int64) throws(DeviceStoreTrouble) -> [StoredDevice]
  /// Keeps a device, or merges it with what is kept under its id: services that are not named stay.
  ///
  /// A UUID belongs to one device. Services that are kept under another id and have a UUID of this device move to it, with
  /// their keys: devices that were two are one, or a part of one is a device of its own. A device that has none left is kept no
  /// more, and those that it had say which one it was (`StoredService.formerDeviceID`).
  func save(_ device: StoredDevice) throws(DeviceStoreTrouble)
  /// Notes that devices are there, or were until now: none of those that are kept becomes too old while it is there. What is
  /// not kept under one of these ids is not kept afterwards either, since the user may have wanted it to be forgotten.
  func noteSeen(ids: [String], nowUnixSeconds: Int64) throws(DeviceStoreTrouble)
  func remove(id: String) throws(DeviceStoreTrouble)
  /// Forgets all of them, with keys and certificates.
  func removeAll() throws(DeviceStoreTrouble)
}

/// Why a store cannot do what it is asked for, for people: what was found, where, and what to do.
public struct DeviceStoreTrouble: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String
  public init(_ description: String) { self.description = description }
}
