import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallRunning
import Testing

/// Parts that become devices of their own: what is told of them and of the device that they were a part of.
@Suite("Parts that leave their root, told")
struct StoryPartTests {
  private static let lamp = "192.168.1.20"

  private static func service(_ number: Int) -> String { "urn:x-y:service:s\(number):1" }

  private func capture(_ messages: [(Double, String)]) -> TinyCapture {
    var capture = TinyCapture()
    for (seconds, text) in messages { capture.add(seconds, Self.lamp, text) }
    return capture
  }

  private func lives(_ story: Story) -> String {
    StoryLifeTests.text(story).split(separator: "\n").drop { $0 != "Devices" }.dropFirst().joined(separator: "\n")
  }

  @Test("a part that says that it is a root is told as one in both lives, and takes along what it promised")
  func split() throws {
    let capture = capture([
      (0, TinyCapture.alive("root", maxAge: 60)), (1, TinyCapture.alive("part", Self.service(1), maxAge: 90)),
      (5, TinyCapture.alive("part", maxAge: 40)), (20, TinyCapture.alive("root", maxAge: 30)),
    ])
    let story = try capture.story(until: .minutes(2))
    expectEqual(
      lives(story),
      """
      uuid:root
      +0.000 frame 1 first heard: alive upnp:rootdevice from 192.168.1.20, 60 s; http://192.168.1.20/d.xml
      +1.000 frame 2 1 more lease of 90 s: urn:x-y:service:s1:1
      +5.000 frame 3 uuid:part is a device of its own from here on
      +20.000 frame 4 renewed by 1 message; at the tightest 40 s left of 60 s (frame 4)
      +50.000 lost: expired. The last that it said is frame 4, alive upnp:rootdevice at +20.000, which promised 30 s
      uuid:part
      +5.000 frame 3 first heard on its own, before as a part of uuid:root: alive upnp:rootdevice from 192.168.1.20, \
      40 s; http://192.168.1.20/d.xml
      +91.000 lost: expired. The last that it said is frame 2, alive urn:x-y:service:s1:1 at +1.000, which promised \
      90 s
      """)
    let events = StoryLifeTests.lines(story, about: "device")
    expectEqual(events[2], "time:1005,device:uuid:root,count:1,frames:[3],event:parted,part:uuid:part")
    expectEqual(
      events[5],
      "time:1005,device:uuid:part,count:1,frames:[3],event:found,by:{type:notify-alive,"
        + "target:upnp:rootdevice,source:192.168.1.20:1900,frame:3,time:1005,leaseSeconds:40},"
        + "location:http://192.168.1.20/d.xml,partOf:uuid:root")
    // What was never a part is told without.
    #expect(events[0].hasSuffix("location:http://192.168.1.20/d.xml"))
    try expectEqual(capture.story("uuid:part").devices.map(\.device), ["uuid:root", "uuid:part"])
    try expectEqual(capture.story("uuid:root").devices.map(\.device), ["uuid:root"])
  }

  @Test("under another BOOTID a part takes along nothing; another part keeps what it promised in the root")
  func reborn() throws {
    func ends(_ boot: Int) throws -> [String] {
      func more(_ boot: Int) -> String { "BOOTID.UPNP.ORG: \(boot)\n" }
      let capture = capture([
        (0, TinyCapture.alive("root", maxAge: 100, more: more(1))),
        (1, TinyCapture.alive("part", Self.service(1), maxAge: 1_800, more: more(1))),
        (2, TinyCapture.alive("part2", Self.service(2), maxAge: 500, more: more(1))),
        (5, TinyCapture.alive("part", maxAge: 100, more: more(boot))),
        (20, TinyCapture.alive("root", maxAge: 100, more: more(1))),
      ])
      return lives(try capture.story()).split(separator: "\n").filter { $0.contains("here at the end") }
        .map { String($0.dropFirst("+20.000 here at the end, with ".count)) }
    }
    try expectEqual(ends(1), ["482 s left of its leases", "1781 s left of its leases"])
    try expectEqual(ends(2), ["482 s left of its leases", "85 s left of its leases"])
  }

  @Test("a root that stayed because of a part alone is lost by the message that takes the part away")
  func lastPart() throws {
    let capture = capture([
      (0, TinyCapture.alive("root", maxAge: 10)), (1, TinyCapture.alive("part", Self.service(1), maxAge: 100)),
      (30, TinyCapture.alive("part", maxAge: 50)),
    ])
    expectEqual(
      lives(try capture.story()),
      """
      uuid:root
      +0.000 frame 1 first heard: alive upnp:rootdevice from 192.168.1.20, 10 s; http://192.168.1.20/d.xml
      +1.000 frame 2 1 more lease of 100 s: urn:x-y:service:s1:1
      +30.000 frame 3 uuid:part is a device of its own from here on
      +30.000 frame 3 lost: expired. The last that it said is frame 1, alive upnp:rootdevice at +0.000, which \
      promised 10 s
      uuid:part
      +30.000 frame 3 first heard on its own, before as a part of uuid:root: alive upnp:rootdevice from \
      192.168.1.20, 50 s; http://192.168.1.20/d.xml
      +30.000 here at the end, with 71 s left of its leases
      """)
  }

  // MARK: There and back

  private static let moves: [(Double, String)] = [
    (0, TinyCapture.alive("root", maxAge: 20)), (1, TinyCapture.alive("part", service(1), maxAge: 10)),
    (30, TinyCapture.alive("part", service(1), maxAge: 100)), (40, TinyCapture.alive("root", maxAge: 100)),
    (50, TinyCapture.alive("part", maxAge: 100)), (60, TinyCapture.byebye("part")),
  ]

  @Test("a part that is heard when its root is gone, joins it, and leaves it is told as what it is at each time")
  func moves() throws {
    expectEqual(
      lives(try capture(Self.moves).story()),
      """
      uuid:root
      +0.000 frame 1 first heard: alive upnp:rootdevice from 192.168.1.20, 20 s; http://192.168.1.20/d.xml
      +1.000 frame 2 1 more lease of 10 s: urn:x-y:service:s1:1
      +20.000 lost: expired. The last that it said is frame 1, alive upnp:rootdevice at +0.000, which promised 20 s
      +40.000 frame 4 found again: alive upnp:rootdevice from 192.168.1.20, 100 s; http://192.168.1.20/d.xml
      +40.000 frame 4 uuid:part turned out to be a part of it
      +50.000 frame 5 uuid:part is a device of its own from here on
      +60.000 here at the end, with 80 s left of its leases
      uuid:part
      +30.000 frame 3 first heard on its own, before as a part of uuid:root: alive urn:x-y:service:s1:1 from \
      192.168.1.20, 100 s; http://192.168.1.20/d.xml
      +40.000 frame 4 turned out to be a part of uuid:root
      +50.000 frame 5 found again on its own, before as a part of uuid:root: alive upnp:rootdevice from \
      192.168.1.20, 100 s; http://192.168.1.20/d.xml
      +60.000 frame 6 lost: byebye upnp:rootdevice from 192.168.1.20
      """)
  }

  @Test("of a part it is said whether what it belongs to now is there, and not what it belonged to")
  func conclusions() throws {
    func conclusions(_ party: String) throws -> [String] {
      try (2...Self.moves.count).map { count in
        try capture(Array(Self.moves.prefix(count))).story(party).findings.map(\.text).joined()
      }
    }
    let (alone, root) = ("is found from +0.000 on", "is found (uuid:root) from +0.000 on")
    try expectEqual(conclusions("uuid:part"), [root, alone, root, alone, alone + ", and is gone since +60.000"])
    let gone = alone + ", and is gone since +20.000"
    try expectEqual(conclusions("uuid:root"), [alone, gone, alone, alone, alone])
    // Of an address all of it counts.
    let both = "is found, as 2 devices (uuid:root, uuid:part) from +0.000 on"
    let address = "is found (uuid:root) from +0.000 on"
    try expectEqual(conclusions(Self.lamp), [address, both, address, both, both])
  }
}
