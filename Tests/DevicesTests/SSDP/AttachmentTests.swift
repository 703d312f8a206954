import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDevices

@Suite("The interfaces of an inhabitant") struct AttachmentTests {
  private func change(_ interface: UInt16, isUp: Bool = true, _ addresses: [InterfaceAddress] = []) -> InterfaceChange {
    InterfaceChange(interface: InterfaceID(interface), isUp: isUp, addresses: addresses)
  }

  @Test("another address is on the subnet of the one before it, and on one of the usual size where there was none")
  func subnets() {
    let (v4, v6) = (IPAddress(10, 0, 0, 7), IPAddress("fe80::7")!)
    let addressed = change(
      3, [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 16), InterfaceAddress(v6, prefixBits: 48)])
    var found: [InterfaceAddress?] = []
    for given in [addressed, change(3)] {
      // Testing has a type of this name, too.
      var attachment = RollcallDevices.Attachment(given)
      for address in [v4, v6] { attachment.setAddress(address) }
      found += [attachment.v4, attachment.v6]
    }
    expectEqual(
      found,
      [
        InterfaceAddress(v4, prefixBits: 16), InterfaceAddress(v6, prefixBits: 48),
        InterfaceAddress(v4, prefixBits: 24), InterfaceAddress(v6, prefixBits: 64),
      ])
  }

  @Test("each family of each interface has a bit of its own, IPv4 first, and all of them fit into a word")
  func lanes() {
    let lanes = (0..<16).flatMap { [Lanes($0, isV6: false), Lanes($0, isV6: true)] }
    expectEqual(lanes.map(\.rawValue), (0..<32).map { UInt32(1) << UInt32($0) })
  }

  @Test("a seventeenth interface is ignored, and a change of the sixteenth is taken")
  func sixteen() {
    var attachments: [RollcallDevices.Attachment] = []
    let numbers: Range<UInt16> = 0..<17
    for number in numbers { attachments.take(change(number)) }
    attachments.take(change(15, isUp: false))
    expectEqual(attachments.map(\.interface.number), Array(numbers.dropLast()))
    expectEqual(attachments.map(\.isUp), Array(repeating: true, count: 15) + [false])
  }
}
