import NIOCore  // the trait Live
import RollcallPrimitives

extension SocketAddress {
  /// - Parameter scope: the interface of a link-local IPv6 address or group, by the system's number; 0 for none.
  init(_ endpoint: Endpoint, scope: UInt32) {
    switch endpoint.address.family {
    case .v4: self.init(.init(endpoint))
    case .v6: self.init(.init(endpoint, scope: scope))
    }
  }

  /// The same without its scope; `nil` for what is no Internet address.
  var endpoint: Endpoint? {
    switch self {
    case .v4(let four): four.address.endpoint
    case .v6(let six): six.address.endpoint
    case .unixDomainSocket: nil
    }
  }
}
