public import Foundation

/// How a peripheral takes part in a session of channel sounding.
open class CBChannelSoundingSessionConfiguration: NSObject {
  public enum Role: Int, Hashable, Sendable {
    case initiator = 0
  }

  public let role: Role

  public init(role: Role) { self.role = role }
}

/// What a procedure of channel sounding measured. No application is given one: no virtual phone has channel sounding.
open class CBChannelSoundingProcedureResults: NSObject {
  /// Metres to the peripheral.
  public let distance: Double

  init(distance: Double) { self.distance = distance }
}
