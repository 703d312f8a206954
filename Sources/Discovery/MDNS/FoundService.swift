package import RollcallPrimitives
package import RollcallWire

/// A service as its records say now, those of all interfaces together.
package struct FoundService: Hashable, Sendable {
  package var name: ServiceInstanceName
  package var host: DNSName
  package var port: UInt16
  /// The data of its TXT record.
  package var txt: [UInt8]
  /// By interface, then as addresses are ordered; no two are the same.
  package var locators: [Locator]
}

/// What a browser tells.
package enum ServiceEvent: Hashable, Sendable {
  case found(FoundService)
  case changed(FoundService, from: FoundService)
  case lost(FoundService, LossCause)
}
