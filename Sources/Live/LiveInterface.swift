package import RollcallPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A network interface of this machine, as the system tells of it.
package struct LiveInterface: Hashable, Sendable {
  package var name: String
  /// The system's number for it.
  package var index: UInt32
  /// It is switched on, and there is somebody at the other end.
  package var isUp: Bool
  package var canMulticast: Bool
  package var isLoopback: Bool
  /// Addresses that can be sent from now, IPv4 first; an IPv6 address that is still being checked is none of them.
  package var addresses: [InterfaceAddress]

  package init(
    name: String, index: UInt32, isUp: Bool = true, canMulticast: Bool = true, isLoopback: Bool = false,
    addresses: [InterfaceAddress] = []
  ) {
    (self.name, self.index, self.isUp, self.addresses) = (name, index, isUp, addresses)
    (self.canMulticast, self.isLoopback) = (canMulticast, isLoopback)
  }

  /// Whether discovery can do anything there.
  package var isUsable: Bool { isUp && canMulticast && !isLoopback && !addresses.isEmpty }

  /// What a machine is told about it.
  package func change(as id: InterfaceID) -> InterfaceChange {
    let isThere = isUp && !addresses.isEmpty
    return InterfaceChange(interface: id, isUp: isThere, addresses: isThere ? addresses : [])
  }

  /// The bits of a mask that are set, from the left.
  static func prefixBits(ofMask bytes: [UInt8]) -> Int {
    var bits = 0
    for byte in bytes {
      bits += (~byte).leadingZeroBitCount
      if byte != 0xFF { break }
    }
    return bits
  }

  /// Linux lists an address under its label, as `eth0:1`: the name of the interface, and a word behind a colon. No name
  /// has a colon of its own.
  static func withoutLabel(_ name: String) -> String { String(name.prefix { $0 != ":" }) }

  /// Lines of `/proc/net/if_inet6`: address, index, prefix, scope, flags, name, all but the name in hexadecimal.
  ///
  /// Gives the addresses that cannot be sent from yet: a duplicate of them is being looked for, or was found.
  static func unusable6(_ table: String) -> [(index: UInt32, address: IPAddress)] {
    let (tentative, duplicate): (UInt32, UInt32) = (0x40, 0x08)
    return table.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 6, words[0].utf8.count == 32, let high = UInt64(words[0].prefix(16), radix: 16),
        let low = UInt64(words[0].suffix(16), radix: 16), let index = UInt32(words[1], radix: 16),
        let flags = UInt32(words[4], radix: 16), flags & (tentative | duplicate) != 0
      else { return nil }
      return (index, IPAddress(v6High: high, low: low))
    }
  }
}

extension LiveInterface {
  /// Every interface of this machine, in the order of the system's numbers.
  package static func scan() -> [LiveInterface] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    let unusable = unusable6(text(ofFile: "/proc/net/if_inet6"))
    var found: [LiveInterface] = []
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let name = withoutLabel(String(cString: entry.ifa_name))
      if !found.contains(where: { $0.name == name }) {
        let index = if_nametoindex(name)
        if index == 0 { continue }
        found.append(interface(name, index, flags: UInt32(entry.ifa_flags)))
      }
      guard let place = found.firstIndex(where: { $0.name == name }), let address = address(entry.ifa_addr) else {
        continue
      }
      if unusable.contains(where: { $0.index == found[place].index && $0.address == address }) { continue }
      let mask = self.address(entry.ifa_netmask, as: address.family)?.bytes ?? []
      found[place].addresses.append(InterfaceAddress(address, prefixBits: prefixBits(ofMask: mask)))
    }
    for place in found.indices {
      let all = found[place].addresses
      found[place].addresses = all.filter { $0.address.family == .v4 } + all.filter { $0.address.family == .v6 }
    }
    return found.sorted { $0.index < $1.index }
  }

  private static func interface(_ name: String, _ index: UInt32, flags: UInt32) -> LiveInterface {
    let (up, loopback, running): (UInt32, UInt32, UInt32) = (0x1, 0x8, 0x40)
    #if os(Linux)
      let multicast: UInt32 = 0x1000
    #else
      let multicast: UInt32 = 0x8000
    #endif
    return LiveInterface(
      name: name, index: index, isUp: flags & up != 0 && flags & running != 0, canMulticast: flags & multicast != 0,
      isLoopback: flags & loopback != 0)
  }

  /// - Parameter family: of the address that a mask belongs to, since some systems leave it out of masks.
  private static func address(_ pointer: UnsafeMutablePointer<sockaddr>?, as family: IPAddress.Family? = nil)
    -> IPAddress?
  {
    guard let pointer else { return nil }
    let number = CInt(pointer.pointee.sa_family)
    if number == AF_INET || family == .v4 {
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        IPAddress(v4: UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
      }
    }
    guard number == AF_INET6 || family == .v6 else { return nil }
    return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
      withUnsafeBytes(of: &pointer.pointee.sin6_addr) { IPAddress(bytes: Array($0)) }
    }
  }

  private static func text(ofFile path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 || text.count > 1 << 20 { break }
      text += chunk[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
