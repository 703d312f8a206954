import RollcallPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why a socket could not be opened: the step that failed, and the system's words.
struct SocketError: Error, Hashable, CustomStringConvertible {
  var step: String
  var number: CInt

  init(step: String, number: CInt) { (self.step, self.number) = (step, number) }

  var description: String { "\(step): \(SystemWords.of(number: number))" }
  var isPortTaken: Bool { number == EADDRINUSE }
}

/// Opens UDP sockets, with every option set before anything arrives.
///
/// They are bound to one address each: a group, or an address of an interface. So the system itself says where a
/// datagram was sent to and by which interface it came, and unicast to port 1900 is left to other programs.
struct SystemSocket {
  private(set) var descriptor: CInt

  private init(_ family: IPAddress.Family) throws(SocketError) {
    #if os(Linux)
      let kind = CInt(SOCK_DGRAM.rawValue)
    #else
      let kind = SOCK_DGRAM
    #endif
    descriptor = socket(family == .v4 ? AF_INET : AF_INET6, kind, 0)
    if descriptor < 0 { throw SocketError(step: "a socket", number: errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    makeRoom()
    // Where the system does not tell the TTL, datagrams come without it.
    switch family {
    case .v4: try? set(Option.ip, Option.tellTTL4, CInt(1), "IP_RECVTTL")
    case .v6: try? set(Option.ipv6, Option.tellHops6, CInt(1), "IPV6_RECVHOPLIMIT")
    }
  }

  /// Answers come all at once. A privileged program gets the room that it asks for, any other what the system allows.
  private func makeRoom() {
    let byteCount = CInt(4 << 20)
    #if os(Linux)
      let force: CInt = 33
      if (try? set(SOL_SOCKET, force, byteCount, "SO_RCVBUFFORCE")) != nil { return }
    #endif
    try? set(SOL_SOCKET, SO_RCVBUF, byteCount, "SO_RCVBUF")
  }

  func close() { _ = SystemSocket.closing(descriptor) }
  private static func closing(_ descriptor: CInt) -> CInt {
    #if canImport(Glibc)
      Glibc.close(descriptor)
    #else
      Darwin.close(descriptor)
    #endif
  }

  /// Hears one group on one interface, and nothing else.
  static func listening(to group: Endpoint, on interface: UInt32) throws(SocketError) -> SystemSocket {
    let socket = try SystemSocket(group.address.family)
    do {
      try socket.shareGroup()
      switch group.address.family {
      case .v4:
        // With the default 1 a socket hears what any other process joined, on any interface.
        if let all = Option.multicastAll4 { try socket.set(Option.ip, all, CInt(0), "IP_MULTICAST_ALL") }
        try socket.bind(to: group, scope: 0)
        var request = ip_mreqn()
        request.imr_multiaddr.s_addr = UInt32(truncatingIfNeeded: group.address.low).bigEndian
        request.imr_ifindex = CInt(bitPattern: interface)
        try socket.set(Option.ip, Option.addMembership4, request, "joining \(group.address)")
      case .v6:
        try socket.set(Option.ipv6, Option.only6, CInt(1), "IPV6_V6ONLY")
        if let all = Option.multicastAll6 { try socket.set(Option.ipv6, all, CInt(0), "IPV6_MULTICAST_ALL") }
        try socket.bind(to: group, scope: interface)
        var request = ipv6_mreq()
        withUnsafeMutableBytes(of: &request.ipv6mr_multiaddr) { $0.copyBytes(from: group.address.bytes) }
        request.ipv6mr_interface = .init(interface)
        try socket.set(Option.ipv6, Option.join6, request, "joining \(group.address)")
      }
    } catch {
      socket.close()
      throw error
    }
    return socket
  }

  /// Sends from an address of an interface, and hears what is sent there.
  /// - Parameter isShared: others may have the port, too.
  static func bound(to endpoint: Endpoint, on interface: UInt32, isShared: Bool) throws(SocketError) -> SystemSocket {
    let socket = try SystemSocket(endpoint.address.family)
    do {
      if isShared { try socket.share() }
      switch endpoint.address.family {
      case .v4:
        var request = ip_mreqn()
        request.imr_ifindex = CInt(bitPattern: interface)
        try socket.set(Option.ip, Option.multicastInterface4, request, "IP_MULTICAST_IF")
        try socket.set(Option.ip, Option.multicastLoop4, CInt(1), "IP_MULTICAST_LOOP")
      case .v6:
        try socket.set(Option.ipv6, Option.only6, CInt(1), "IPV6_V6ONLY")
        try socket.set(Option.ipv6, Option.multicastInterface6, CInt(bitPattern: interface), "IPV6_MULTICAST_IF")
        try socket.set(Option.ipv6, Option.multicastLoop6, CInt(1), "IPV6_MULTICAST_LOOP")
      }
      try socket.bind(to: endpoint, scope: endpoint.address.isLinkLocal ? interface : 0)
    } catch {
      socket.close()
      throw error
    }
    return socket
  }

  /// TTL or hop limit of what is sent from now on.
  static func setHopLimit(_ limit: UInt8, of descriptor: CInt, _ family: IPAddress.Family, isMulticast: Bool) {
    let socket = SystemSocket(descriptor: descriptor)
    let (level, name) =
      family == .v4
      ? (Option.ip, isMulticast ? Option.multicastTTL4 : Option.ttl4)
      : (Option.ipv6, isMulticast ? Option.multicastHops6 : Option.hops6)
    try? socket.set(level, name, CInt(max(1, limit)), "TTL")
  }

  /// Datagrams that the system dropped since they came faster than they were read; 0 where it does not say.
  static func dropCount(of descriptor: CInt) -> Int {
    #if os(Linux)
      var words = [UInt32](repeating: 0, count: 16)
      var length = socklen_t(words.count * 4)
      let memoryInformation: CInt = 55
      guard getsockopt(descriptor, SOL_SOCKET, memoryInformation, &words, &length) == 0, length >= 36 else { return 0 }
      return Int(words[8])
    #else
      return 0
    #endif
  }

  /// The port that the system gave.
  var port: UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard status == 0 else { return 0 }
    // The port stands at the same place in both families.
    return withUnsafeBytes(of: &storage) { UInt16($0[2]) << 8 | UInt16($0[3]) }
  }

  private init(descriptor: CInt) { self.descriptor = descriptor }

  /// On Linux SO_REUSEPORT makes sockets of one group and port share what comes, whatever interface they joined it on: one
  /// hears what another one joined for (seen with Linux 6.18). SO_REUSEADDR alone gives each of them everything.
  private func shareGroup() throws(SocketError) {
    try set(SOL_SOCKET, SO_REUSEADDR, CInt(1), "SO_REUSEADDR")
    #if !os(Linux)
      try set(SOL_SOCKET, SO_REUSEPORT, CInt(1), "SO_REUSEPORT")
    #endif
  }

  private func share() throws(SocketError) {
    try set(SOL_SOCKET, SO_REUSEADDR, CInt(1), "SO_REUSEADDR")
    try set(SOL_SOCKET, SO_REUSEPORT, CInt(1), "SO_REUSEPORT")
  }

  private func set<Value>(_ level: CInt, _ name: CInt, _ value: Value, _ step: String) throws(SocketError) {
    let status = withUnsafeBytes(of: value) {
      setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count))
    }
    if status != 0 { throw SocketError(step: step, number: errno) }
  }

  private func bind(to endpoint: Endpoint, scope: UInt32) throws(SocketError) {
    let status: CInt
    switch endpoint.address.family {
    case .v4: status = bind(sockaddr_in(endpoint))
    case .v6: status = bind(sockaddr_in6(endpoint, scope: scope))
    }
    if status != 0 { throw SocketError(step: "binding to \(endpoint)", number: errno) }
  }

  private func bind<Address>(_ address: Address) -> CInt {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        #if canImport(Glibc)
          Glibc.bind(descriptor, pointer, socklen_t(MemoryLayout<Address>.size))
        #else
          Darwin.bind(descriptor, pointer, socklen_t(MemoryLayout<Address>.size))
        #endif
      }
    }
  }

  /// Numbers that the system's headers have and its Swift module has under changing types, or not at all.
  private enum Option {
    static let ip = CInt(IPPROTO_IP)
    static let ipv6 = CInt(IPPROTO_IPV6)
    #if os(Linux)
      static let (ttl4, multicastInterface4, multicastTTL4, multicastLoop4): (CInt, CInt, CInt, CInt) = (2, 32, 33, 34)
      static let (addMembership4, multicastAll4): (CInt, CInt?) = (35, 49)
      static let (hops6, multicastInterface6, multicastHops6, multicastLoop6): (CInt, CInt, CInt, CInt) =
        (16, 17, 18, 19)
      static let (join6, only6, multicastAll6): (CInt, CInt, CInt?) = (20, 26, 29)
      static let (tellTTL4, tellHops6): (CInt, CInt) = (12, 51)
    #else
      static let (ttl4, multicastInterface4, multicastTTL4, multicastLoop4): (CInt, CInt, CInt, CInt) = (4, 9, 10, 11)
      static let (addMembership4, multicastAll4): (CInt, CInt?) = (12, nil)
      static let (hops6, multicastInterface6, multicastHops6, multicastLoop6): (CInt, CInt, CInt, CInt) = (4, 9, 10, 11)
      static let (join6, only6, multicastAll6): (CInt, CInt, CInt?) = (12, 27, nil)
      static let (tellTTL4, tellHops6): (CInt, CInt) = (24, 37)
    #endif
  }
}

extension sockaddr_in {
  init(_ endpoint: Endpoint) {
    self.init()
    sin_family = sa_family_t(AF_INET)
    sin_port = endpoint.port.bigEndian
    sin_addr.s_addr = UInt32(truncatingIfNeeded: endpoint.address.low).bigEndian
  }

  var endpoint: Endpoint {
    Endpoint(IPAddress(v4: UInt32(bigEndian: sin_addr.s_addr)), port: UInt16(bigEndian: sin_port))
  }
}

extension sockaddr_in6 {
  /// - Parameter scope: the interface of a link-local address or group, by the system's number; 0 for none.
  init(_ endpoint: Endpoint, scope: UInt32) {
    self.init()
    sin6_family = sa_family_t(AF_INET6)
    sin6_port = endpoint.port.bigEndian
    withUnsafeMutableBytes(of: &sin6_addr) { $0.copyBytes(from: endpoint.address.bytes) }
    sin6_scope_id = scope
  }

  /// The same without its scope.
  var endpoint: Endpoint? {
    let bytes = withUnsafeBytes(of: sin6_addr) { Array($0) }
    return IPAddress(bytes: bytes).map { Endpoint($0, port: UInt16(bigEndian: sin6_port)) }
  }
}
