import RollcallWire
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDiscovery

@Suite("The manager: which devices are one") struct MergingTests {
  private static let webOS = "urn:lge-com:service:webos-second-screen:1"

  /// A television whose renderer and whose remote control are two root devices at one address.
  private func mixed(
    _ policy: DiscoverySetup.MergePolicy, names: (String, String) = ("Living Room", "living room"),
    hosts: (UInt8, UInt8) = (9, 9)
  ) -> [String] {
    var rig = ManagerRig(awaitsDescriptions: true) { $0.merging = policy }
    var lines = rig.announce(1, at: hosts.0, ManagerRig.dlna)
    lines += rig.announce(2, at: hosts.1, [MergingTests.webOS])
    lines += rig.describe(1, at: hosts.0, ManagerRig.document(1, named: names.0, ManagerRig.dlna))
    lines += rig.describe(2, at: hosts.1, ManagerRig.document(2, named: names.1, [MergingTests.webOS]))
    return lines.filter { !$0.contains("capabilities") }
  }

  @Test("one address and one name make one device, in any letter case, and neither alone does")
  func place() {
    expectEqual(
      mixed(.addressAndName),
      ["#1 found Living Room [DLNA 1] of 1", "#1 updated Living Room [DLNA 1, webOS TV 2] of 1 2"])
    expectEqual(
      mixed(.addressAndName, names: ("Living Room", "Kitchen")),
      ["#1 found Living Room [DLNA 1] of 1", "#2 found Kitchen [webOS TV 2] of 2"])
    expectEqual(
      mixed(.addressAndName, hosts: (9, 10)),
      ["#1 found Living Room [DLNA 1] of 1", "#2 found living room [webOS TV 2] of 2"])
  }

  @Test("under the policy of addresses one address suffices, under the policy of UUIDs it does not")
  func policies() {
    expectEqual(
      mixed(.address, names: ("Living Room", "Kitchen")),
      ["#1 found Living Room [DLNA 1] of 1", "#1 updated Living Room [DLNA 1, webOS TV 2] of 1 2"])
    expectEqual(
      mixed(.uuid), ["#1 found Living Room [DLNA 1] of 1", "#2 found living room [webOS TV 2] of 2"])
  }

  @Test("two devices at one address that offer the same service are two, also where both have one name")
  func contested() {
    for policy in [DiscoverySetup.MergePolicy.address, .addressAndName] {
      var rig = ManagerRig(awaitsDescriptions: true) { $0.merging = policy }
      _ = rig.announce(1, ManagerRig.dlna)
      _ = rig.announce(2, ManagerRig.dlna)
      expectEqual(
        rig.describe(1, ManagerRig.document(1, ManagerRig.dlna)), ["#1 found Television [DLNA 1] of 1"])
      expectEqual(
        rig.describe(2, ManagerRig.document(2, ManagerRig.dlna)), ["#2 found Television [DLNA 2] of 2"])
    }
  }

  @Test("what was taken for one is two again when it turns out so, and the older part keeps the id")
  func undone() {
    var rig = ManagerRig { $0.merging = .address }
    expectEqual(rig.announce(1, ManagerRig.dlna), ["#1 found - [DLNA 1] of 1"])
    expectEqual(
      rig.announce(2, [MergingTests.webOS]).filter { !$0.contains("capabilities") },
      ["#1 updated - [DLNA 1, webOS TV 2] of 1 2"])
    // A second renderer at that address: nobody knows whose the remote control is.
    let split = rig.announce(3, ManagerRig.dlna).filter { !$0.contains("capabilities") }
    expectEqual(
      split, ["#1 updated - [DLNA 1] of 1", "#2 found - [webOS TV 2] of 2", "#3 found - [DLNA 3] of 3"])
    // It goes: the two are one again.
    let joined = rig.lose(3).filter { !$0.contains("capabilities") }
    expectEqual(joined, ["#3 lost", "#2 lost", "#1 updated - [DLNA 1, webOS TV 2] of 1 2"])
  }

  @Test("when the first of two that are one is gone, the device goes on with its id")
  func heir() {
    var rig = ManagerRig { $0.merging = .address }
    _ = rig.announce(1, ManagerRig.dlna)
    _ = rig.announce(2, [ManagerRig.dial])
    expectEqual(
      rig.lose(1).filter { !$0.contains("capabilities") }, ["#1 updated - [DIAL 2] of 2"])
    expectEqual(rig.lose(2), ["#1 lost"])
  }

  @Test("a UUID makes one device of what SSDP and multicast DNS found, in any spelling and wherever they are")
  func uuid() {
    var rig = ManagerRig {
      $0.merging = .uuid
      $0.registrations.append(ServiceRegistration("Cast", .peers, filter: "_googlecast._tcp.local"))
    }
    expectEqual(rig.announce(0xAB, at: 9, [ManagerRig.dial]), ["#1 found - [DIAL 171] of 171"])
    let hex = "00000000000040008000000000000171"
    let lines = rig.take(
      .found(ManagerRig.service("Stick", "_googlecast._tcp.local", at: 20, txt: "ve=05; id=\(hex)")))
    expectEqual(lines, ["#1 updated Stick [DIAL 171, Cast peer:Stick] of 171 peer:Stick"])
    expectEqual(rig.manager.allDevices.first?.state.evidence, ["UUID \(hex)"])
    // A value of 31 digits is no UUID.
    let other = rig.take(
      .found(
        ManagerRig.service("Other", "_googlecast._tcp.local", at: 20, hostName: "o.local", txt: "id=\(hex.dropFirst())")
      ))
    expectEqual(other, ["#2 found Other [Cast peer:Other] of peer:Other"])
  }

  @Test("UUIDs that are no 32 digits are compared letter by letter, hyphens too, in any case of the letters")
  func textUUIDs() {
    var rig = ManagerRig()
    func find(_ device: String, at host: UInt8, _ rig: inout ManagerRig) -> [String] {
      var sighting = ManagerRig.sighting(1, at: host)
      sighting.device = device
      rig.manager.take(.found(sighting), at: rig.now)
      rig.manager.note(device, announces: [(owner: device, type: ManagerRig.dial)])
      return rig.told()
    }
    expectEqual(find("uuid:box-1-1", at: 9, &rig).count, 1)
    expectEqual(find("uuid:box-11", at: 10, &rig).count, 1)
    expectEqual(rig.manager.allDevices.map(\.state.members), [["uuid:box-1-1"], ["uuid:box-11"]])
    let ids = rig.manager.allDevices.map(\.id)
    // It comes back at another address, spelled as it likes.
    expectEqual(rig.take(.lost(device: "uuid:box-1-1", cause: .byebye)), ["#1 lost"])
    expectEqual(find("uuid:BOX-1-1", at: 77, &rig).first?.hasPrefix("#1 found again"), true)
    expectEqual(Set(rig.manager.allDevices.map(\.id)), Set(ids))
  }

  @Test("a UUID that an application says of its own device is one whatever it looks like")
  func applicationUUID() {
    let box = ServiceRegistration("Box", .application, filter: "own-box")
    for (uuid, isOne) in [("tv-7", true), ("TV-7", true), ("tv7", false)] {
      var rig = ManagerRig { $0.registrations.append(box) }
      var sighting = ManagerRig.sighting(1)
      sighting.device = "uuid:tv-7"
      rig.manager.take(.found(sighting), at: rig.now)
      rig.manager.note(sighting.device, announces: [(owner: sighting.device, type: ManagerRig.dial)])
      _ = rig.told()
      _ = rig.take(.found(ProvidedDevice(id: "box", services: ["own-box"], uuid: uuid).sighting))
      expectEqual(rig.manager.allDevices.count, isOne ? 1 : 2, "\(uuid)")
      expectEqual(rig.manager.brokenInvariants, [])
    }
  }

  @Test("the application is told of each part where it is and what it says of itself, and which part offers a service")
  func parts() {
    var rig = ManagerRig(awaitsDescriptions: true) {
      $0.merging = .uuid
      $0.registrations.append(ServiceRegistration("Cast", .peers, filter: "_googlecast._tcp.local"))
    }
    let hex = "00000000000040008000000000000001"
    var cast = ManagerRig.service("Stick", "_googlecast._tcp.local", at: 20, txt: "id=\(hex)")
    cast[.port] = .number(8_009)
    _ = rig.take(.found(cast))
    _ = rig.announce(1, [ManagerRig.dial])
    var document = ManagerRig.document(1, named: "Den", [ManagerRig.dial])
    (document.root.modelNumber, document.root.modelDescription) = ("7", "")
    let fetched = DescriptionFetch.Outcome.fetched(
      .init(status: 200, body: document.bytes, contentType: nil, applicationURL: "http://10.0.0.9/apps"))
    _ = rig.take(.description(ManagerRig.fetch(1, fetched)))
    var root = ManagerReport.Part(address: .ip(IPAddress(10, 0, 0, 9)))
    (root.location, root.name, root.manufacturer, root.model) = ("http://10.0.0.9/1", "Den", "Maker", "M1")
    (root.modelNumber, root.applicationURL) = ("7", "http://10.0.0.9/apps")
    var service = ManagerReport.Part(address: .ip(IPAddress(10, 0, 0, 20)))
    (service.port, service.uuid, service.name) = (8_009, hex, "Stick")
    expectEqual(rig.manager.allDevices.map(\.state.parts), [[service, root]])
    expectEqual(rig.manager.allDevices.first?.state.services.map { "\($0.id) \($0.part)" }, ["Cast 0", "DIAL 1"])
    // Its server moves: that is news, though nothing else is different.
    let moved = rig.take(
      .changed(ManagerRig.sighting(1, location: "http://10.0.0.9:81/1"), .attribute(.location, from: nil)))
    expectEqual(moved.count, 1)
    expectEqual(rig.manager.allDevices.first?.state.parts.last?.location, "http://10.0.0.9:81/1")
  }

  @Test("two of an earlier launch that were one for a while are the two that they were")
  func formerIDs() {
    var rig = ManagerRig {
      $0.merging = .address
      $0.remembered = [
        RememberedDevice(id: "first", owners: [ManagerRig.uuid(1)]),
        RememberedDevice(id: "second", owners: [ManagerRig.uuid(2)]),
      ]
    }
    func ids(_ manager: DeviceManager) -> [String] { manager.allDevices.map(\.id) }
    _ = rig.announce(1, ManagerRig.dlna)
    _ = rig.announce(2, [MergingTests.webOS])
    expectEqual(ids(rig.manager), ["first"])
    _ = rig.announce(3, ManagerRig.dlna)
    expectEqual(ids(rig.manager).prefix(2), ["first", "second"])
    _ = rig.lose(3)
    expectEqual(ids(rig.manager), ["first"])
    // In the next launch, in which nothing makes them one: the store knows that the second became a part of the first.
    var next = ManagerRig {
      $0.merging = .uuid
      $0.remembered = [
        RememberedDevice(id: "second", owners: [ManagerRig.uuid(2)]),
        RememberedDevice(id: "first", owners: [ManagerRig.uuid(1), ManagerRig.uuid(2)]),
      ]
    }
    expectEqual(next.announce(1, ManagerRig.dlna).first?.hasPrefix("#1 found again"), true)
    expectEqual(next.announce(2, [MergingTests.webOS]).first?.hasPrefix("#2 found again"), true)
    expectEqual(ids(next.manager), ["first", "second"])
  }

  @Test("a description with another UDN than the UUID is of one device, which has each service once and both UUIDs")
  func otherUDN() {
    var rig = ManagerRig(awaitsDescriptions: true)
    _ = rig.announce(1, ManagerRig.dlna)
    expectEqual(rig.describe(1, ManagerRig.document(7, ManagerRig.dlna)), ["#1 found Television [DLNA 1] of 1"])
    _ = rig.announce(7, at: 10, [ManagerRig.dial])
    let lines = rig.describe(7, at: 10, ManagerRig.document(7, [ManagerRig.dial]))
    expectEqual(
      lines.filter { !$0.contains("capabilities") }, ["#1 updated Television [DLNA 1, DIAL 7] of 1 7"])
    // A part that is heard before its root is in the document: there the root is another device.
    _ = rig.announce(3, at: 12, [ManagerRig.dial])
    let whole = ManagerRig.document(4, ManagerRig.dlna, embedded: [ManagerRig.device(3, [ManagerRig.dial])])
    expectEqual(rig.describe(3, at: 12, whole), ["#2 found Television [DIAL 3, DLNA 4] of 3"])
    expectEqual(rig.manager.brokenInvariants, [])
  }

  @Test("services of multicast DNS on one host are one device, and on two hosts of one name two")
  func hosts() {
    var rig = ManagerRig {
      $0.merging = .uuid
      $0.registrations = ["_airplay._tcp.local", "_raop._tcp.local"].map { ServiceRegistration($0, .peers, filter: $0) }
    }
    _ = rig.take(.found(ManagerRig.service("Room", "_airplay._tcp.local")))
    expectEqual(
      rig.take(.found(ManagerRig.service("0011@Room", "_raop._tcp.local", hostName: "TV.local"))),
      ["#1 updated Room [_airplay._tcp.local peer:Room, _raop._tcp.local peer:0011@Room] of peer:Room peer:0011@Room"])
    expectEqual(
      rig.take(.found(ManagerRig.service("2@Room", "_raop._tcp.local", at: 10))),
      ["#2 found 2@Room [_raop._tcp.local peer:2@Room] of peer:2@Room"])
  }

  @Test("sixteen devices at an address may be one, seventeen are not, and when one goes they are again")
  func tooMany() {
    let kinds = (1...17).map { ServiceRegistration("S\($0)", filter: "urn:x:service:s\($0):1") }
    var rig = ManagerRig {
      $0.merging = .address
      $0.registrations = kinds
    }
    for number in 1...16 { _ = rig.announce(number, ["urn:x:service:s\(number):1"]) }
    expectEqual(rig.manager.allDevices.map(\.state.members.count), [16])
    _ = rig.announce(17, ["urn:x:service:s17:1"])
    expectEqual(rig.manager.allDevices.map(\.state.members.count), Array(repeating: 1, count: 17))
    _ = rig.lose(3)
    expectEqual(rig.manager.allDevices.map(\.state.members.count), [16])
    #expect(rig.manager.allDevices.first?.state.members.contains(ManagerRig.uuid(3)) == false)
  }

  @Test("whatever the order in which devices are found and lost, the same are one")
  func order() {
    let kinds = (0..<6).map { ServiceRegistration("S\($0)", filter: "urn:x:service:s\($0):1") }
    var dice = Seed(11).stream("order")
    func isOne(_ manager: DeviceManager) -> [[String]] {
      manager.allDevices.map { $0.state.members.sorted() }.sorted { $0[0] < $1[0] }
    }
    for _ in 0..<200 {
      var rig = ManagerRig {
        $0.merging = .address
        $0.registrations = kinds
      }
      var present: [Int] = []
      for _ in 0..<40 {
        let number = Int(dice.below(24))
        if present.contains(number) {
          present.removeAll { $0 == number }
          _ = rig.lose(number)
        } else {
          present.append(number)
          _ = rig.announce(number, at: UInt8(10 + number % 4), ["urn:x:service:s\(number % 6):1"])
        }
      }
      var fresh = ManagerRig {
        $0.merging = .address
        $0.registrations = kinds
      }
      for number in present.sorted() {
        _ = fresh.announce(number, at: UInt8(10 + number % 4), ["urn:x:service:s\(number % 6):1"])
      }
      expectEqual(isOne(rig.manager), isOne(fresh.manager))
      expectEqual(rig.manager.brokenInvariants, [])
    }
  }
}
