import RollcallPrimitives
import RollcallWire

// What others ask the table; nothing changes here. The first four are mutating all the same: a method that is not
// would be called on a copy of all of it.
extension LeaseTable {
  /// The LOCATION of a message as far as it may be reported: the one that its lease took over; `none`: it may not.
  ///
  /// - Parameter known: its lease, where it is known.
  mutating func reportable(_ said: UnsafeRawBufferPointer, _ part: UInt32, _ known: UInt32) -> UInt32 {
    guard !said.isEmpty, part != none else { return none }
    if known != none, leases[Int(known)].location != none, locations.isEqual(leases[Int(known)].location, said) {
      return leases[Int(known)].location
    }
    let location = locations.find(said)
    guard location != none else { return none }
    var lease = parts[Int(part)].firstLease
    while lease != none {
      if leases[Int(lease)].location == location { return location }
      lease = leases[Int(lease)].next
    }
    return none
  }

  /// The lease that the latest sighting made or renewed, where `usn` is its USN byte for byte; else `none`.
  mutating func sightedLease(spelled usn: UnsafeRawBufferPointer, uuid: UnsafeRawBufferPointer) -> UInt32 {
    guard sighted != none, leases[Int(sighted)].isLive,
      usn.loadUnaligned(as: UInt32.self).littleEndian == LeaseTable.scheme,
      uuids.isSpelled(leases[Int(sighted)].part, uuid)
    else { return none }
    return sighted
  }

  /// The hash of the USN and the target of a lease, made of those that its names are kept with. It is that of every
  /// answer with this USN and this ST, byte for byte.
  mutating func answerHash(ofLease number: UInt32) -> UInt32 {
    let record = leases[Int(number)]
    let target = targets.spelledHash(record.target)
    var suffix: UInt32 = 0
    if record.suffix == LeaseRecord.suffixIsTarget {
      suffix = target
    } else if record.suffix != LeaseRecord.bareUSN {
      suffix = targets.spelledHash(record.suffix)
    }
    return answerHash(LeaseTable.scheme, uuids.spelledHash(record.part), suffix, target)
  }

  /// The same of an answer of which no lease has the names.
  ///
  /// - Parameter target: its ST.
  mutating func answerHash(of sighting: borrowing Sighting, _ target: UnsafeRawBufferPointer) -> UInt32 {
    answerHash(
      sighting.usn.loadUnaligned(as: UInt32.self).littleEndian, uuids.spelledHash(of: sighting.uuid),
      sighting.hasSuffix ? targets.spelledHash(of: sighting.suffix) : 0, targets.spelledHash(of: target))
  }

  @inline(__always)
  private func answerHash(_ scheme: UInt32, _ uuid: UInt32, _ suffix: UInt32, _ target: UInt32) -> UInt32 {
    KeyBytes.hash(
      UInt64(scheme) &<< 32 | UInt64(suffix), UInt64(uuid) &<< 32 | UInt64(target), seed: configuration.hashSeed)
  }

  /// `uuid` as a word, the first letter lowest.
  private static var scheme: UInt32 { 0x6469_7575 }

  /// SEARCHPORT as last announced by a device at this address.
  func searchPort(at address: IPAddress) -> UInt16? {
    let source = sources.find(address)
    guard source != none else { return nil }
    return UInt16(exactly: sources.records[Int(source)].searchPort).flatMap { $0 == 0 ? nil : $0 }
  }

  /// The interface on which a device at this address has its location in force.
  func interfaceThatHeard(_ address: IPAddress) -> InterfaceID? {
    let source = sources.find(address)
    guard source != none else { return nil }
    for device in devices where device.isPresent && device.source == source {
      return interfaces.interface(ofPath: device.path)
    }
    return nil
  }

  /// The device that a name in a command means, if it is present.
  func device(named name: String) -> UInt32 {
    var name = name
    return name.withUTF8 { utf8 in
      let bytes = UnsafeRawBufferPointer(utf8)
      guard let usnParts = USN.split(bytes) else { return none }
      let device = device(ofPart: uuids.find(UnsafeRawBufferPointer(rebasing: bytes[usnParts.uuid])))
      return device != none && devices[Int(device)].isPresent ? device : none
    }
  }
}
