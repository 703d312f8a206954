import Foundation
import RollcallDoors

/// Something that the documentation forbids. At Apple's it is one line of the log; here the phone hears of it.
package struct APIMisuse: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, CaseIterable, Sendable {
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
  }

  package var kind: Kind
  /// The call, by its Swift name.
  package var call: String
  package var detail: String

  package init(_ kind: Kind, in call: String, _ detail: String) {
    self.kind = kind
    self.call = call
    self.detail = detail
  }

  package var description: String { "CoreBluetooth: \(kind.rawValue) in \(call): \(detail)" }

  private static let standing = Guarded<@Sendable (APIMisuse) -> Void>(Self.print)

  /// What is done with a misuse that no phone takes: a line on standard error, unless a test puts something else here.
  package static var handler: @Sendable (APIMisuse) -> Void {
    get { standing.current }
    set { standing.withLock { $0 = newValue } }
  }

  package static func report(_ misuse: APIMisuse) { handler(misuse) }

  @Sendable private static func print(_ misuse: APIMisuse) {
    FileHandle.standardError.write(Data((misuse.description + "\n").utf8))
  }
}
