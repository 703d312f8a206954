import RollcallPrimitives
import RollcallWire

// What is known of a message's names, for `DiscoveryEngine.standing`.
extension LeaseTable {
  /// - Precondition: `PayloadStore.paddingBytes` more readable bytes follow both names.
  func standing(
    usn: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer, _ family: IPAddress.Family, on interface: InterfaceID
  ) -> Standing {
    var standing = Standing()
    guard let split = USN.split(usn) else { return standing }
    let uuid = UnsafeRawBufferPointer(rebasing: usn[split.uuid])
    let part = uuids.find(uuid)
    let device = device(ofPart: part)
    guard device != none else { return standing }
    standing.device = "uuid:" + uuids.text(devices[Int(device)].root)
    standing.isPresent = devices[Int(device)].isPresent
    guard let slot = interfaces.slot(of: interface) else { return standing }
    var sighting = Sighting()
    sighting.target = target
    if let suffix = split.target {
      sighting.hasSuffix = true
      sighting.suffix = UnsafeRawBufferPointer(rebasing: usn[suffix])
    }
    sighting.path = InterfaceTable.path(slot, family)
    let lease = findLease(part, sighting)
    if lease != none { standing.leaseEnd = leases[Int(lease)].deadline }
    return standing
  }
}
