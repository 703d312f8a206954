import RollcallPrimitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// What comes in at a socket, with the TTL that it came with.
extension SystemSocket {
  /// Stands for the TTL or hop limit that the system did not tell.
  static let unknownHopLimit: UInt8 = 0

  enum Arrival {
    case datagram(source: Endpoint, hopLimit: UInt8, count: Int)
    /// An error that came in the place of a datagram, or one from nowhere: there may be more behind it.
    case nothing
    /// Nothing waits.
    case empty
  }

  /// Takes the next datagram that waits, without waiting for one.
  static func receive(from descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer) -> Arrival {
    var name = sockaddr_storage()
    // Room for one number with its head, twice.
    var control: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
    var message = msghdr()
    var part = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
    let count = withUnsafeMutablePointer(to: &name) { name in
      withUnsafeMutablePointer(to: &part) { part in
        withUnsafeMutableBytes(of: &control) { control in
          message.msg_name = UnsafeMutableRawPointer(name)
          message.msg_namelen = socklen_t(MemoryLayout<sockaddr_storage>.size)
          message.msg_iov = part
          message.msg_iovlen = 1
          message.msg_control = control.baseAddress
          message.msg_controllen = .init(control.count)
          return recvmsg(descriptor, &message, CInt(MSG_DONTWAIT))
        }
      }
    }
    guard count >= 0 else { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EBADF ? .empty : .nothing }
    guard let source = endpoint(of: name) else { return .nothing }
    let hopLimit = withUnsafeBytes(of: control) {
      self.hopLimit(in: UnsafeRawBufferPointer(rebasing: $0[..<min($0.count, Int(message.msg_controllen))]))
    }
    return .datagram(source: source, hopLimit: hopLimit, count: count)
  }

  private static func endpoint(of name: sockaddr_storage) -> Endpoint? {
    withUnsafeBytes(of: name) { bytes in
      switch CInt(name.ss_family) {
      case AF_INET: bytes.loadUnaligned(as: sockaddr_in.self).endpoint
      case AF_INET6: bytes.loadUnaligned(as: sockaddr_in6.self).endpoint
      default: nil
      }
    }
  }

  /// The number of the first control message that has one (RFC 3542, section 6.3; ip(7)).
  static func hopLimit(in control: UnsafeRawBufferPointer) -> UInt8 {
    #if os(Linux)
      let (word, ttl4, hops6): (Int, Int32, Int32) = (MemoryLayout<Int>.size, 2, 52)
    #else
      let (word, ttl4, hops6): (Int, Int32, Int32) = (4, 24, 47)
    #endif
    let head = word + 8
    var start = 0
    while start + head <= control.count {
      let length =
        word == 8
        ? Int(truncatingIfNeeded: control.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        : Int(control.loadUnaligned(fromByteOffset: start, as: UInt32.self))
      guard length >= head, length <= control.count - start else { break }
      let level = control.loadUnaligned(fromByteOffset: start + word, as: Int32.self)
      let kind = control.loadUnaligned(fromByteOffset: start + word + 4, as: Int32.self)
      let isLimit = level == IPPROTO_IP && kind == ttl4 || level == IPPROTO_IPV6 && kind == hops6
      if isLimit, length > head {
        let value =
          length >= head + 4
          ? control.loadUnaligned(fromByteOffset: start + head, as: Int32.self) : Int32(control[start + head])
        return UInt8(clamping: value)
      }
      start += (length + word - 1) / word * word
    }
    return unknownHopLimit
  }
}
