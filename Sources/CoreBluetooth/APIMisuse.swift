package import RollcallDoors

/// Something that the documentation of CoreBluetooth forbids. It has no effect but where the kind says so.
package typealias APIMisuse = Misuse<APIMisuseKind>

package enum APIMisuseKind: String, CaseIterable, MisuseKind {
  /// A command while the manager is not in the state `poweredOn`.
  case notPoweredOn
  /// A peripheral from before a state below `poweredOff`; it has to be retrieved or discovered again.
  case invalidPeripheral
  /// A peripheral of another manager.
  case foreignPeripheral
  /// A command to a peripheral without a connection.
  case notConnected
  /// A service, characteristic or descriptor of a connection that is over, of another peripheral, or modified since.
  case invalidAttribute
  /// The characteristic does not have the property that the command needs.
  case missingProperty
  /// A write to the descriptor that holds the subscription.
  case writtenSubscription
  /// Nobody holds a peripheral that is connected or about to be; its connection is cancelled.
  case unusedPeripheral
  /// State to restore without a restore identifier, or without a delegate that takes it.
  case restoration
  /// A key that cannot be advertised, or a published service that cannot be changed.
  case notPublishable
  /// A call that a world cannot place, so that its run cannot be repeated. It has its effect.
  case calledFromOutside
  /// A manager without a phone; its state is `unsupported`.
  case noPhone

  package static let framework = "CoreBluetooth"
  package static let handler = Guarded<@Sendable (APIMisuse) -> Void>(APIMisuse.print)
}
