import RollcallDevices
import RollcallPrimitives
import RollcallSimulation
import RollcallWire

extension ServedPlan {
  /// The group on which devices announce themselves.
  static func deviceGroup(_ family: IPAddress.Family) -> Endpoint { .ssdp(family) }
}

extension ServedPlan.Device {
  /// What the paths of its services begin with.
  var servicesPath: String { RootDevice.servicesPath(of: path) }

  /// Whether it is on the network of the scenario now.
  func isPresent(in world: borrowing World) -> Bool {
    world.machine(ofHost: host, as: RootDevice.self)?.isPresent == true
  }
}
