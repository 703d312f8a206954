import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Root devices as an explanation shows them: every term, quirks applied.
@Suite("Root devices that are explained") struct ShownDeviceTests {
  private static let root = "urn:x:device:D:1"

  private func shown(_ description: DeviceDescription, _ quirks: [Quirk] = []) -> RootDeviceSection? {
    let kind = DeviceKind(inhabitant: 0, description: description, quirks: quirks)
    guard case .rootDevice(let section) = InhabitantKind(explaining: kind) else { return nil }
    return section
  }

  @Test("a device that says nothing of itself is shown with what follows from its version")
  func assumed() {
    var section = RootDeviceSection()
    (section.deviceType, section.services, section.embedded) = (Self.root, [], [])
    (section.uda, section.server) = (.uda10, "Linux/6.6 UPnP/1.0 Rollcall/1.0")
    (section.uuidStyle, section.maxAge, section.bootID, section.configID) = (.standard, 1_800, 1, 1)
    (section.port, section.path, section.notifyPort, section.ttl) = (49_152, "/description.xml", 1_900, 4)
    (section.repeats, section.renewalRepeats, section.byebyeRepeats) = (2, 2, 1)
    section.startJitter = .zero ... .milliseconds(100)
    section.setGap = .milliseconds(200) ... .milliseconds(400)
    section.messageSpacing = .milliseconds(1) ... .milliseconds(2)
    section.renewal = .seconds(450) ... .seconds(882)
    expectEqual(shown(DeviceDescription(uda: .uda10, root: DevicePart(type: Self.root))), section)
    (section.uda, section.server, section.ttl) = (.uda20, "Linux/6.6 UPnP/2.0 Rollcall/1.0", 2)
    expectEqual(shown(DeviceDescription(root: DevicePart(type: Self.root))), section)
  }

  @Test("every term of a description is shown")
  func terms() {
    let uuid = DeviceUUID(high: 0x2FAC_1234_31F8_41B4, low: 0xA222_0800_2B34_C004)
    var device = DeviceDescription(
      root: DevicePart(type: Self.root, services: ["urn:x:service:S:1"]),
      embedded: [DevicePart(type: "urn:x:device:E:1", services: ["urn:x:service:T:1"], uuid: uuid)])
    device.setEachTerm()
    var section = RootDeviceSection(quirks: [.noExt])
    (section.deviceType, section.services) = (Self.root, ["urn:x:service:S:1"])
    section.embedded = [EmbeddedSection(type: "urn:x:device:E:1", services: ["urn:x:service:T:1"], uuid: uuid)]
    (section.uda, section.server, section.uuidStyle, section.maxAge) = (.uda11, "S/1", .capitals, 60)
    (section.bootID, section.configID, section.port, section.path) = (2, 3, 4, "/p")
    (section.securePort, section.searchPort, section.notifyPort, section.ttl) = (5, 6, 7, 8)
    (section.repeats, section.renewalRepeats, section.byebyeRepeats) = (9, 10, 11)
    section.startJitter = .milliseconds(12) ... .milliseconds(13)
    section.setGap = .milliseconds(14) ... .milliseconds(15)
    section.messageSpacing = .milliseconds(16) ... .milliseconds(17)
    section.renewal = .seconds(18) ... .seconds(19)
    expectEqual(shown(device, [.noExt]), section)
  }

  @Test("the time between announcements is the one that is said, else a share of max-age, both after all quirks")
  func renewals() {
    let device = DeviceDescription(root: DevicePart(type: Self.root))
    func seconds(_ low: Int64, _ high: Int64) -> ClosedRange<Interval> { .seconds(low) ... .seconds(high) }
    let quarter: ClosedRange<Interval> = .milliseconds(250) ... .milliseconds(490)
    let rows: [(quirks: [Quirk], maxAge: Int, renewal: ClosedRange<Interval>?)] = [
      ([], 1_800, seconds(450, 882)), ([.maxAge(1_000)], 1_000, seconds(250, 490)),
      ([.renewsLate], 1_800, seconds(918, 972)), ([.renewsAfterLease], 1_800, seconds(1_818, 1_980)),
      ([.renewsOften(.seconds(5))], 1_800, seconds(5, 6)), ([.noRenewal], 1_800, nil),
      ([.maxAge(1)], 1, quarter), ([.maxAge(0)], 0, seconds(0, 0)),
    ]
    for (quirks, maxAge, renewal) in rows {
      let section = shown(device, quirks)
      expectEqual(section?.renewal, renewal, "\(quirks)")
      expectEqual(section?.maxAge, maxAge, "\(quirks)")
      expectEqual(section?.quirks, quirks)
    }
    let changed = shown(device, [.manyRepeats(6), .ttl(64), .upperCaseUUID, .noJitter])
    expectEqual([changed?.repeats, changed?.renewalRepeats, changed?.byebyeRepeats, changed?.ttl], [6, 6, 1, 64])
    expectEqual(changed?.uuidStyle, .capitals)
    expectEqual(changed?.startJitter, seconds(0, 0))
  }
}
