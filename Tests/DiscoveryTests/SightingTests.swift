import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Sightings") struct SightingTests {
  @Test("a device is found once, however many of its messages come")
  func foundOnce() {
    var rig = EngineRig()
    expectEqual(rig.hear(alive(), at: 1), [found()])
    expectEqual(rig.hear(alive("tv", "uuid:tv"), at: 1), [])
    expectEqual(rig.hear(alive("tv", "urn:schemas-upnp-org:device:TV:1"), at: 1), [])
    expectEqual(rig.hear(alive(), at: 2), [])
    expectEqual(rig.engine.counters.openLeases, 3)
    expectEqual(rig.engine.counters.messages(.notifyAlive), 4)
  }

  @Test("a device is found once over two interfaces and two families")
  func foundOncePerHost() {
    var rig = EngineRig()
    let second = [InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 8)]
    _ = rig.bring(1, second, at: 0)
    let fe80 = IPAddress("fe80::20")!
    expectEqual(rig.hear(alive(), at: 1), [found()])
    expectEqual(rig.hear(alive(location: "http://10.0.0.20/d.xml"), from: IPAddress(10, 0, 0, 20), on: 1, at: 1), [])
    expectEqual(rig.hear(alive(location: "http://[fe80::20]/d.xml"), from: fe80, at: 1), [])
    expectEqual(rig.engine.counters.openLeases, 3)
    expectEqual(rig.engine.counters.devicesPresent, 1)
  }

  @Test("any one message makes the device (D40)", arguments: ["uuid:tv", "urn:x:service:Y:1", "hnap:NetworkCamera"])
  func anyMessage(target: String) {
    var rig = EngineRig()
    expectEqual(rig.hear(alive("tv", target), at: 0), [found()])
  }

  @Test("UUIDs compare without case and keep their first spelling (D28)")
  func uuidCase() {
    var rig = EngineRig()
    expectEqual(rig.hear(alive("AbCd-12"), at: 0), [found("AbCd-12")])
    expectEqual(rig.hear(alive("abcd-12", usn: "UUID:aBcD-12::upnp:rootdevice"), at: 1), [])
    expectEqual(rig.engine.counters.openLeases, 1)
    expectEqual(rig.hear(byebye("ABCD-12"), at: 2), [lost("AbCd-12", .byebye)])
  }

  @Test("a USN without a uuid makes no device (D29)")
  func noUUID() {
    var rig = EngineRig()
    let text = alive(usn: "upnp:rootdevice")
    expectEqual(rig.hear(text, at: 0), [rejected(.badUSN, text)])
    expectEqual(rig.engine.counters.rejected(.badUSN), 1)
    expectEqual(rig.engine.counters.devicesEver, 0)
  }

  @Test("types that share a bare USN are leases of their own (D23)")
  func bareUSN() {
    var rig = EngineRig()
    _ = rig.hear(alive("tv", "urn:x:device:basic:1", usn: "uuid:tv"), at: 0)
    _ = rig.hear(alive("tv", "uuid:tv", usn: "uuid:tv"), at: 0)
    _ = rig.hear(alive("tv", "urn:x:device:basic:1"), at: 0)
    _ = rig.hear(alive("tv", "urn:x:device:basic:1", usn: "uuid:tv::other"), at: 0)
    expectEqual(rig.engine.counters.openLeases, 4)
  }

  @Test("a datagram that is no message is refused with its place")
  func noMessage() {
    var rig = EngineRig()
    expectEqual(rig.hear("", at: 0), [.report(.rejected(Rejection(.empty, at: 0)))])
    expectEqual(rig.hear("NOTIFX * HTTP/1.1\r\n\r\n", at: 0), [.report(.rejected(Rejection(.startLine, at: 5)))])
    expectEqual(rig.engine.counters.rejections.map(\.reason), [.empty, .startLine])
    expectEqual(rig.engine.counters.rejections.map(\.count), [1, 1])
    expectEqual(rig.engine.counters.datagrams, 2)
  }

  @Test("strict mode asks for what UDA asks of the sender, lenient mode does not")
  func strict() {
    let text = alive(maxAge: nil)
    var lenient = EngineRig()
    expectEqual(lenient.hear(text, at: 0), [found()])
    expectEqual(lenient.engine.counters.leasesByDefault, 1)
    var strict = EngineRig { $0.mode = .strict }
    expectEqual(strict.hear(text, at: 0), [.report(.rejected(Rejection(.missingField, at: text.utf8.count)))])
  }

  @Test("a search of somebody else is counted and nothing more")
  func foreignSearch() {
    var rig = EngineRig()
    let text =
      "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 3\r\nST: ssdp:all\r\n\r\n"
    expectEqual(rig.hear(text, at: 0), [])
    expectEqual(rig.sent, [])
    expectEqual(rig.engine.counters.messages(.search), 1)
  }

  @Test("a name longer than the limit is refused where it becomes too long")
  func longName() {
    var rig = EngineRig { $0.limits.nameBytes = 40 }
    let text = alive(String(repeating: "a", count: 60))
    let place = text.utf8.distance(from: text.startIndex, to: text.range(of: "USN: ")!.upperBound) + 40
    expectEqual(rig.hear(text, at: 0), [.report(.rejected(Rejection(.tooLong, at: place)))])
  }

  @Test("the same signals at the same instants give the same effects, whatever the hash seed")
  func isPure() {
    func run(_ hashSeed: UInt64) -> [Effect] {
      var rig = EngineRig { $0.hashSeed = hashSeed }
      var all: [Effect] = []
      for index in 0..<200 {
        let text = index % 7 == 3 ? byebye("d\(index % 23)") : alive("d\(index % 31)", maxAge: "\(index % 11)")
        all += rig.hear(text, at: Double(index) / 4)
      }
      return all
    }
    let once = run(0)
    #expect(once.count > 50)
    expectEqual(once, run(0))
    expectEqual(once, run(0xDEAD_BEEF_0123_4567))
  }

  @Test("an engine is a value: a copy goes its own way")
  func isValue() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    let copy = rig.engine
    expectEqual(rig.hear(byebye(), at: 1), [lost("tv", .byebye)])
    rig.engine = copy
    expectEqual(rig.hear(alive(), at: 1.5), [])
    expectEqual(rig.engine.counters.devicesPresent, 1)
  }
}
