import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDiscovery

@Suite("The manager with a device for each service") struct ServiceIsDeviceTests {
  @Test("each service is a device, by name and address, and all of them go with their member")
  func services() {
    var rig = ManagerRig(awaitsDescriptions: true) { $0.faults = .serviceIsDevice }
    let types = ManagerRig.dlna + [ManagerRig.dial]
    _ = rig.announce(1, types)
    expectEqual(
      rig.describe(1, ManagerRig.document(1, types)),
      ["#1 found Television [DIAL 1] of 1", "#2 found Television [DLNA 1] of 1"])
    _ = rig.announce(2, ManagerRig.dlna)
    expectEqual(
      rig.describe(2, ManagerRig.document(2, ManagerRig.dlna)), ["#2 updated Television [DLNA 1, DLNA 2] of 1 2"])
    expectEqual(rig.lose(1).sorted(), ["#1 lost", "#2 updated Television [DLNA 2] of 2"])
    expectEqual(rig.lose(2), ["#2 lost"])
    expectEqual(rig.manager.allDevices.count, 0)
  }
}
