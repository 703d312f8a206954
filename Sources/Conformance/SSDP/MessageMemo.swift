import RollcallPrimitives
import RollcallWire

/// What a judge worked out about a message, for when the same bytes come again.
///
/// Devices say the same again and again. What checks of single messages (`CheckFamily.judgesMessagesAlone`) say of it
/// then is known; families that look at several messages hear it as ever.
struct MessageMemo {
  static let countMaximum = SSDPIntake.messagesMaximum
  /// One that comes from ever other places is not noted again and again.
  static let strikesMaximum: UInt32 = 2

  /// The mark that stands in the message's hint.
  var mark: UInt32
  // Where it came from and went to.
  var source: IPAddress
  var interface: InterfaceID
  var host: Int32
  var destination: Endpoint
  var isMulticast: Bool
  var fragmentCount: Int
  // What was worked out.
  var party: PartyID
  var role: Party.Role
  var uuid: Int32
  var usn: USN.Parts?
  var target: Target
  var advert: Int32
  var lane: Int32
  /// The version that binds the sender, and whether the message says so itself.
  var claim: Edition
  var claimsItself: Bool
  var verdicts: FindingCollector.Verdicts

  init(_ context: MessageContext, mark: UInt32, claimsItself: Bool, _ verdicts: FindingCollector.Verdicts) {
    self.mark = mark
    (source, destination) = (context.observation.source.address, context.observation.destination)
    (interface, host, isMulticast) = (context.observation.interface, context.observation.host, context.isMulticast)
    fragmentCount = context.observation.fragmentCount
    (party, role, uuid, usn) = (context.party, context.role, context.uuid, context.usn)
    (target, advert, lane) = (context.target, context.advert, context.lane)
    (claim, self.claimsItself) = (context.claim, claimsItself)
    self.verdicts = verdicts
  }

  /// Whether nothing but the bytes decides what came of it, as it did then.
  ///
  /// Answers go to the searcher; of the destination of an answer only two things are judged: the family of its
  /// address, which is the sender's, and whether it is one of many.
  func isSame(_ observation: Observation, _ kind: SSDPKind) -> Bool {
    guard observation.source.address == source, observation.interface == interface, observation.host == host,
      observation.fragmentCount == fragmentCount
    else { return false }
    if kind != .response { return observation.destination == destination }
    let address = observation.destination.address
    return !isMulticast && !address.isMulticast && !address.isBroadcast
  }
}
