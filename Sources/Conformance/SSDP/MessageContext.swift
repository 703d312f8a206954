package import RollcallPrimitives
package import RollcallWire

/// A message with what the judge worked out about it once, for all checks.
package struct MessageContext {
  package var observation: Observation
  /// What the datagram is; `nil` where it is no message that can be read.
  package var kind: SSDPKind?
  /// Valid where `kind` is not `nil`.
  package var message: SSDPMessage
  /// All that is wrong with its form; only looked for where the strict reader refuses it.
  package var faults: FormFaults
  package var party: PartyID
  package var role: Party.Role
  /// The UUID that USN names; −1: none, or the table is full.
  package var uuid: Int32
  /// Where USN's parts stand, counted from its first byte.
  package var usn: USN.Parts?
  /// What NT or ST names.
  package var target = Target()
  /// The number of this USN with this target; −1: one of them is not there, or the table is full.
  package var advert: Int32 = -1
  /// The number of this UUID at this source address and interface; −1 likewise.
  package var lane: Int32 = -1
  /// The version of UDA that binds the sender.
  package var claim: Edition
  package var isMulticast: Bool

  package var time: Instant { observation.time }
  package var isV6: Bool { observation.destination.address.family == .v6 }

  package func has(_ field: SSDPField) -> Bool { message.has(field) }
  package func value(_ field: SSDPField) -> UnsafeRawBufferPointer? { message.value(of: field) }

  /// Whether a field is there with these bytes.
  package func holds(_ field: SSDPField, _ text: StaticString) -> Bool {
    guard let value = value(field) else { return false }
    return Bytes.isExactly(value, text)
  }
}
