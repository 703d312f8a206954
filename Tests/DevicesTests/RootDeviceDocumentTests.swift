import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

@Suite("The description document of a root device") struct RootDeviceDocumentTests {
  private typealias Service = DescriptionDocument.Service

  private func document(
    _ quirks: [Quirk] = [], named name: String? = nil, uda: UDAVersion = .uda20,
    change: (inout DeviceDescription) -> Void = { _ in }
  ) -> DescriptionDocument {
    var description = treeDescription(uda)
    description.configID = 7
    change(&description)
    return RootDevice(description, quirks: quirks, seed: Seed(1), name: "it").document(named: name)
  }

  private func service(_ type: String, _ id: String, _ path: String) -> Service {
    Service(
      type: type, id: id, descriptionPath: path + "scpd.xml", controlPath: path + "control", eventPath: path + "event")
  }

  @Test("it has the tree that the device announces, with a service path for each service, as often as it is there")
  func tree() {
    let (directory, manager) = (
      "urn:schemas-upnp-org:service:ContentDirectory:3", "urn:schemas-upnp-org:service:ConnectionManager:1"
    )
    let (directoryID, managerID) = (
      "urn:upnp-org:serviceId:ContentDirectory", "urn:upnp-org:serviceId:ConnectionManager"
    )
    let embedded = DescriptionDocument.Device(
      type: "urn:schemas-upnp-org:device:MediaRenderer:1", friendlyName: "Rollcall/1.0 c003 part 1",
      manufacturer: "Rollcall", modelName: "Rollcall/1.0", udn: "uuid:\(rootUUID.derived(1))",
      services: [
        service(manager, managerID, "/service/4/"),
        service("urn:example-org:service:Lamp:10", "urn:example-org:serviceId:Lamp", "/service/5/"),
      ])
    let root = DescriptionDocument.Device(
      type: "urn:schemas-upnp-org:device:MediaServer:2", friendlyName: "Rollcall/1.0 c003", manufacturer: "Rollcall",
      modelName: "Rollcall/1.0", udn: "uuid:\(rootUUID)",
      services: [
        service(directory, directoryID, "/service/1/"), service(manager, managerID, "/service/2/"),
        service(directory, directoryID, "/service/3/"),
      ], embedded: [embedded])
    expectEqual(document(), DescriptionDocument(major: 2, minor: 0, configID: 7, root: root))
    expectEqual(document(uda: .uda11), DescriptionDocument(major: 1, minor: 1, configID: 7, root: root))
    expectEqual(document(uda: .uda10), DescriptionDocument(major: 1, minor: 0, configID: nil, root: root))
  }

  /// `name, manufacturer, model, UDN` of the root and of its parts.
  private func names(_ document: DescriptionDocument) -> [String] {
    ([document.root] + document.root.embedded).map {
      "\($0.friendlyName), \($0.manufacturer), \($0.modelName), \($0.udn)"
    }
  }

  @Test("a name that is given goes before that of the description, and that before one made of the UUID")
  func friendlyNames() {
    let one = rootUUID.derived(1)
    expectEqual(
      names(document(named: "Box")),
      ["Box, Rollcall, Rollcall/1.0, uuid:\(rootUUID)", "Box part 1, Rollcall, Rollcall/1.0, uuid:\(one)"])
    let named: (inout DeviceDescription) -> Void = {
      ($0.friendlyName, $0.manufacturer, $0.modelName, $0.product) = ("Lamp", "Maker", "Model", "P/1")
    }
    expectEqual(
      names(document(change: named)),
      ["Lamp, Maker, Model, uuid:\(rootUUID)", "Lamp part 1, Maker, Model, uuid:\(one)"])
    expectEqual(names(document(named: "Box", change: named))[0], "Box, Maker, Model, uuid:\(rootUUID)")
    let capitals = "\(rootUUID)".uppercased()
    expectEqual(
      names(document([.upperCaseUUID]) { ($0.product, $0.embedded) = ("P/1", []) }),
      ["P/1 C003, Rollcall, P/1, uuid:\(capitals)"])
    let own = DeviceUUID(high: 1, low: 2)
    let three = document {
      $0.friendlyName = "Lamp"
      $0.embedded[0].uuid = own
      $0.embedded.append(DevicePart(type: "urn:x:device:E:1"))
    }
    expectEqual(three.root.embedded.map(\.friendlyName), ["Lamp part 1", "Lamp part 2"])
    expectEqual(three.root.embedded.map(\.udn), ["uuid:\(own)", "uuid:\(rootUUID.derived(2))"])
  }

  @Test("quirks change the UDNs of all parts, or the type of the root")
  func quirks() {
    let plain = document()
    var other = plain
    other.root.udn = "uuid:\(rootUUID.derived(1_000))"
    other.root.embedded[0].udn = "uuid:\(rootUUID.derived(1).derived(1_000))"
    expectEqual(document([.descriptionOtherUDN]), other)
    other = plain
    other.root.type = "urn:rollcall-example:device:Other:1"
    expectEqual(document([.descriptionOtherType]), other)
  }

  @Test("paths of services stand below the folder of the description")
  func paths() {
    for (path, expected) in [
      ("/description.xml", "/service/"), ("/a/b.xml", "/a/service/"), ("/a/b/?c=d", "/a/b/service/"),
      ("/a/b.xml?c=/d", "/a/service/"), ("?/", "/service/"),
      ("/", "/service/"), ("", "/service/"), ("x", "/service/"), ("a/b", "/a/service/"),
    ] {
      expectEqual(RootDevice.servicesPath(of: path), expected, "\(path)")
    }
  }
}
