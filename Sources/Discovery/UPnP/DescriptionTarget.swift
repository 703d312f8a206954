package import RollcallPrimitives
import RollcallWire

/// Where a description is fetched from, after everything was checked that an address can be checked for.
package struct DescriptionTarget: Hashable, Sendable {
  package var endpoint: Endpoint
  /// Host and port as the URL has them, without a zone.
  package var authority: String
  /// Path and query.
  package var path: String

  package init(endpoint: Endpoint, authority: String, path: String) {
    (self.endpoint, self.authority, self.path) = (endpoint, authority, path)
  }

  /// Checks a URL that `sender` announced, or that a server of his redirects to.
  /// - Parameter subnets: addresses of the interface that heard the announcement.
  package static func check(
    _ url: String, sender: IPAddress, subnets: [InterfaceAddress], allowsLoopback: Bool
  ) throws(DescriptionFetch.Failure) -> DescriptionTarget {
    let parts: LocationURL
    switch LocationURL.check(url) {
    case .url(let found): parts = found
    case .refused(let refusal):
      throw DescriptionFetch.Failure(
        refusal.reason == .scheme ? .scheme : .badLocation,
        "expected an absolute http URL, found \(url): \(refusal.reason.rawValue) at byte \(refusal.offset)")
    }
    guard parts.scheme == .http else {
      throw DescriptionFetch.Failure(.scheme, "expected http, found \(url): descriptions over TLS are not fetched")
    }
    let bytes = Array(url.utf8)
    let host = String(decoding: bytes[parts.host], as: UTF8.self)
    guard let address = parts.address else {
      throw DescriptionFetch.Failure(.hostName, "expected an address, found the name \(host): it is not looked up")
    }
    let reason = LocationScope.judge(
      host: address, sender: sender, subnets: subnets, allowsLoopback: allowsLoopback)
    if let reason {
      throw DescriptionFetch.Failure(
        .outOfScope, "expected \(sender) or a host on its link, found \(address): \(reason.rawValue)")
    }
    let name = address.family == .v6 ? "[\(host)]" : host
    return DescriptionTarget(
      endpoint: Endpoint(LocationScope.unmapped(address), port: parts.port),
      authority: parts.isPortWritten ? "\(name):\(parts.port)" : name,
      path: String(decoding: bytes[parts.path], as: UTF8.self))
  }
}
