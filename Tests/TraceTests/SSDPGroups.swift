import RollcallPrimitives

extension Endpoint {
  static func ssdp(_ family: IPAddress.Family) -> Endpoint {
    Endpoint(family == .v4 ? .ssdpGroup4 : .ssdpGroup6, port: 1_900)
  }
}
