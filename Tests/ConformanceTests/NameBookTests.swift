import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// Numbers for the names in announcements, and the slots of a set that stand under them.
@Suite("Names of announcements and their slots") struct NameBookTests {
  @Test("targets have numbers in the order in which they come, and types one stem for all their versions")
  func targets() {
    var book = NameBook()
    func target(_ text: String) -> Target { Array(text.utf8).withUnsafeBytes { book.target($0) } }
    let basic = "urn:schemas-upnp-org:device:Basic:"
    let long = String(repeating: "x", count: 512)
    let none = Target(number: -1, form: .opaque, stem: -1, version: 0)
    let texts: [String] = [
      "", basic + "2", "roku:ecp", "urn:x-y:service:Basic:3", basic + "1", "upnp:rootdevice", "uuid:a", "ssdp:all",
      long, long + "x", basic + "x",
    ]
    let expected: [Target] = [
      none, Target(number: 0, form: .device, stem: 0, version: 2),
      Target(number: 1, form: .opaque, stem: -1, version: 0), Target(number: 2, form: .service, stem: 1, version: 3),
      Target(number: 3, form: .device, stem: 0, version: 1),
      Target(number: 4, form: .rootDevice, stem: -1, version: 0),
      Target(number: 5, form: .uuid, stem: -1, version: 0), Target(number: 6, form: .all, stem: -1, version: 0),
      Target(number: 7, form: .opaque, stem: -1, version: 0), none,
      Target(number: 8, form: .opaque, stem: -1, version: 0),
    ]
    expectEqual(texts.map { target($0) }, expected)
    expectEqual(Target(), none)
    // Names that come again take no more room.
    let held = heldElements(of: book)
    expectEqual(texts.map { target($0) }, expected)
    expectEqual(heldElements(of: book), held)
  }

  @Test("a search is answered by its very target, and a type by its own version or a higher one")
  func matches() {
    func opaque(_ number: Int32) -> Target { Target(number: number, form: .opaque) }
    func basic(_ number: Int32, stem: Int32, version: UInt32) -> Target {
      Target(number: number, form: .device, stem: stem, version: version)
    }
    let asked = basic(4, stem: 0, version: 2)
    let rows: [(asked: Target, offered: Target, isAnswered: Bool)] = [
      (Target(number: 9, form: .all), Target(), true), (Target(number: 9, form: .all), asked, true),
      (opaque(0), opaque(0), true), (opaque(1), opaque(1), true), (opaque(0), opaque(1), false),
      (Target(), Target(), false), (asked, asked, true), (asked, basic(5, stem: 0, version: 1), false),
      (asked, basic(5, stem: 0, version: 2), true), (asked, basic(5, stem: 0, version: 3), true),
      (asked, basic(5, stem: 1, version: 2), false), (asked, opaque(5), false),
    ]
    for (number, row) in rows.enumerated() {
      expectEqual(row.asked.isAnswered(by: row.offered), row.isAnswered, "row \(number)")
    }
  }

  @Test("a message has a number for its UUID, suffix and target, a place one for UUID, address, interface and host")
  func numbers() {
    var book = NameBook()
    func advert(_ uuid: Int32, _ suffix: String?, _ target: Int32) -> Int32 {
      guard let suffix else { return book.advert(uuid, nil, Target(number: target)) }
      return Array(suffix.utf8).withUnsafeBytes { book.advert(uuid, $0, Target(number: target)) }
    }
    func lane(_ uuid: Int32, _ address: IPAddress, _ interface: UInt16, host: Int32) -> Int32 {
      book.lane(uuid, address, InterfaceID(interface), host: host)
    }
    let (near, far) = (IPAddress(10, 0, 0, 1), IPAddress(10, 0, 0, 2))
    let wide = IPAddress(v6High: 0, low: 0x0A00_0001)
    for _ in 0..<2 {
      let adverts: [Int32] = [
        advert(0, nil, 0), advert(1, nil, 0), advert(0, "a", 0), advert(0, "b", 0), advert(0, "a", 1),
        advert(0, "a", -1), advert(0, "", 0), advert(0, String(repeating: "x", count: 513), 0),
      ]
      expectEqual(adverts, [0, 1, 2, 3, 4, -1, -1, -1])
      let lanes: [Int32] = [
        lane(0, near, 0, host: -1), lane(1, near, 0, host: -1), lane(0, far, 0, host: -1), lane(0, wide, 0, host: -1),
        lane(0, near, 0, host: 0), lane(0, near, 1, host: -1), lane(0, near, 256, host: -1),
        lane(0, near, 257, host: -1), lane(0, near, .max, host: -1), lane(0, wide, 1, host: -1),
      ]
      expectEqual(lanes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    }
  }

  @Test("the slot of a new message is empty, and two versions of a type refer to each other")
  func slots() {
    let now = Instant.zero + .seconds(5)
    var lane = SetLane()
    func add(_ advert: Int32, stem: Int32, version: UInt32) -> Int {
      let target = Target(number: advert, form: .device, stem: stem, version: version)
      return lane.add(advert, target, at: now, leaseSeconds: 100)
    }
    let places: [Int] = [
      add(10, stem: 0, version: 1), add(11, stem: -1, version: 0), add(12, stem: 0, version: 2),
      add(13, stem: 1, version: 2), add(14, stem: 0, version: 2), add(15, stem: -1, version: 1),
    ]
    expectEqual(places, [0, 1, 2, 3, 4, 5])
    expectEqual(lane.cursor, 5)
    let slots: [[Int]] = lane.slots.map { slot in
      [Int(slot.advert), slot.rival, slot.sentCount, slot.runCount, Int(slot.leaseSeconds), Int(slot.identification)]
    }
    expectEqual(
      slots,
      [
        [10, 4, 0, 0, 100, -1], [11, -1, 0, 0, 100, -1], [12, 0, 0, 0, 100, -1], [13, -1, 0, 0, 100, -1],
        [14, 0, 0, 0, 100, -1], [15, -1, 0, 0, 100, -1],
      ])
    for slot in lane.slots {
      let times: [Instant] = [slot.last, slot.cycle, slot.cycleBefore, slot.expiry]
      let expected: [Instant] = [now, now, .zero, now + .seconds(100)]
      expectEqual(times, expected)
      expectEqual(slot.isAlive, false)
    }
    // A lease of which nothing is known never ends.
    let leases: [Int32] = [-1, 0, 1, 2]
    let ends: [Instant] = leases.map { lease in
      let slot = SetLane.Slot(
        advert: 0, target: Target(), last: now, leaseSeconds: lease, cycle: now, cycleBefore: .zero)
      return slot.expiry
    }
    expectEqual(ends, [.never, .never, now + .seconds(1), now + .seconds(2)])
  }
}
