package import RollcallPrimitives
import RollcallWire

// Questions from outside: nothing changes by asking, and no driver that only runs an engine asks them.
extension DiscoveryEngine {
  /// What is known of a USN with an NT or ST, heard over a family on an interface.
  package func standing(
    usn: [UInt8], target: [UInt8], _ family: IPAddress.Family, on interface: InterfaceID
  ) -> Standing {
    // The lease table compares whole words: behind a name there have to be bytes that may be read.
    let padding = [UInt8](repeating: 0, count: PayloadStore.paddingBytes)
    return (usn + padding).withUnsafeBytes { usnBytes in
      (target + padding).withUnsafeBytes { targetBytes in
        ssdp.table.standing(
          usn: UnsafeRawBufferPointer(rebasing: usnBytes[..<usn.count]),
          target: UnsafeRawBufferPointer(rebasing: targetBytes[..<target.count]), family, on: interface)
      }
    }
  }

  /// What the location policy says of a LOCATION that came from `source` over `interface`.
  package func verdict(
    onLocation location: [UInt8], from source: IPAddress, on interface: InterfaceID
  ) -> LocationVerdict {
    if location.isEmpty { return .absent }
    if location.count > configuration.limits.locationBytes { return .tooLong(bytes: location.count) }
    guard configuration.locationPolicy == .scope else { return .usable }
    switch location.withUnsafeBytes({ LocationURL.check($0) }) {
    case .refused(let refusal): return .notURL(refusal)
    case .url(let url):
      guard let host = url.address else { return .usable }
      let subnets = ssdp.table.interfaces.slot(of: interface).map { ssdp.table.interfaces.all[$0].addresses } ?? []
      let reason = LocationScope.judge(host: host, sender: source, subnets: subnets, allowsLoopback: true)
      return reason.map { .outOfScope($0) } ?? .usable
    }
  }
}
