import RollcallPrimitives
import RollcallWire

// What messages of SSDP show.
extension FactFinder {
  mutating func noteExpiry(of device: String) { if ProviderID(ofDevice: device) == .ssdp { expired.append(device) } }

  /// BOOTID has 31 bits (UDA-1.2.2-BOOT-INT31); behind the largest comes a small one again.
  mutating func noteLife(of sighting: DeviceSighting) {
    guard case .number(let life)? = sighting[.bootID] else { return }
    let name = DeviceName(sighting.device)
    if lives[name] == 0x7FFF_FFFF, life < 0x7FFF_FFFF { facts.insert(.lifeNumberWraps) }
    lives[name] = life
  }

  /// A datagram that the engine heard while the leases of some devices have ended.
  mutating func take(_ datagram: RecordedDatagram) {
    guard let message = SSDPReader.read(datagram.bytes, mode: .lenient).message, message.kind == .notifyByebye,
      let name = message.value(of: .usn)
    else { return }
    // The name of a device is how its USNs begin.
    if expired.contains(where: { isSameDevice($0, String(decoding: name.utf8.prefix($0.utf8.count), as: UTF8.self)) }) {
      facts.insert(.goodbyeAfterExpiry)
    }
  }

  mutating func take(_ reason: RejectionReason) {
    switch reason {
    case .staleAfterByebye, .staleBootID: facts.insert(.lateMessageRefused)
    case .foreignByebye, .foreignUpdate: facts.insert(.forgeryRefused)
    case .searchOver, .noOpenSearch: facts.insert(.lateAnswerRefused)
    default: break
    }
  }
}
