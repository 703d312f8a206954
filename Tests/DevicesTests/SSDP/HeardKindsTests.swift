import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// A world gives a device only datagrams of kinds that it hears.
@Suite("Kinds of datagrams that devices hear") struct HeardKindsTests {
  private func kinds(_ text: String) -> DatagramKinds {
    let store = PayloadStore()
    let payload = store.store(Array(text.utf8))
    let datagram = Datagram(
      source: Endpoint(IPAddress(192, 168, 1, 9), port: 50_000), destination: Endpoint(.ssdpGroup4, port: 1_900),
      interface: InterfaceID(0), hopLimit: 2, payload: payload)
    // The second time it has been read already.
    let both = (0..<2).map { _ in RootDevice.kinds(of: datagram, in: store) }
    expectEqual(both[0], both[1], "\(text)")
    return both[0]
  }

  private func heard(_ quirks: [Quirk]) -> DatagramKinds {
    RootDevice(treeDescription(), quirks: quirks, seed: Seed(1), name: "x").heardKinds
  }

  @Test("an announcement is of one kind, an answer and what is no message are of none")
  func messages() {
    expectEqual(kinds(foreignAnnouncement), .announcement)
    expectEqual(kinds("HTTP/1.1 200 OK\r\nST: x\r\nUSN: uuid:1::x\r\n\r\n"), [])
    for text in ["M-SEARCH", "", "M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\n\r\n", search("")] {
      expectEqual(kinds(text), [], "\(text)")
    }
  }

  @Test(
    "a search is of the kinds of its target and of its type without the version, and of all kinds where it asks for all"
  )
  func searches() {
    expectEqual(kinds(search("ssdp:all")), DatagramKinds(rawValue: .max - 1))
    expectEqual(kinds(search("uuid:2fac1234-31f8-11b4-a222-08002b34c003")), DatagramKinds(rawValue: 2))
    expectEqual(kinds(search("upnp:rootdevice")).rawValue.nonzeroBitCount, 1)
    let first = kinds(search("urn:x:device:Lamp:1"))
    let second = kinds(search("urn:x:device:Lamp:2"))
    expectEqual(first.rawValue.nonzeroBitCount, 2)
    // The type that both are versions of.
    expectEqual(first.intersection(second), kinds(search("urn:x:device:Lamp")))
    // No version in its canonical form: the whole text counts.
    for text in ["urn:x:device:Lamp:01", "urn:x:device:Lamp:12345678901", "7", ":7", "urn:x:device:Lamp:"] {
      expectEqual(kinds(search(text)).rawValue.nonzeroBitCount, 1, "\(text)")
    }
    // A bit that stands for a target stands for nothing else.
    for number in 0..<1_000 {
      let kinds = kinds(search("urn:x:device:Other\(number):1"))
      expectEqual(kinds.isDisjoint(with: DatagramKinds(rawValue: 3)), true)
      expectEqual(kinds.isEmpty, false)
    }
  }

  @Test("quirks have a device hear announcements, or every search")
  func quirks() {
    let quirks = Quirk.catalogue.map(\.example)
    let plain = heard([])
    expectEqual(plain.contains(.announcement), false)
    expectEqual(
      quirks.filter { heard([$0]).contains(.announcement) }, [.reanswersOwnMulticast, .answersNotify])
    let everySearch = kinds(search("ssdp:all"))
    expectEqual(plain.isSuperset(of: everySearch), false)
    expectEqual(
      quirks.filter { heard([$0]).isSuperset(of: everySearch) }, [.answersEverySearch, .substringMatch, .errorAnswers])
    // A search for a type that it does not have.
    expectEqual(plain.isDisjoint(with: kinds(search("urn:x:device:Nobody:1"))), true)
  }

  @Test("a datagram of none of the kinds that a device hears is nothing to it, whatever its quirks")
  func nothing() {
    let own = DeviceBlueprint(treeDescription()).set.adverts.map { advert in
      advert.version.map { "\(advert.stem):\($0)" } ?? advert.stem
    }
    let targets =
      own + own.map { $0 + "0" } + own.map { String($0.dropLast()) } + own.map { String($0.dropLast(2)) }
      + ["ssdp:all", "urn:", "urn:x:device:Nobody:1", "urn:x:device:Other:1", "uuid:1", "UUID:1", "uuid:", "x", "x:1"]
    let datagrams = [foreignAnnouncement, "M-SEARCH", "HTTP/1.1 200 OK\r\nST: x\r\n\r\n"] + targets.map { search($0) }
    var (nothing, something) = (0, 0)
    for quirks in [[]] + Quirk.catalogue.map({ [$0.example] }) {
      var device = bench(treeDescription(), quirks + [.noRenewal])
      device.act(.appear)
      device.run(until: .zero + .seconds(200))
      let heard = device.machine.heardKinds
      for text in datagrams {
        device.sent = []
        let before = device.machine.deadline
        device.hear(text)
        let isNothing = device.machine.deadline == before && device.sent.isEmpty
        if heard.isDisjoint(with: kinds(text)) {
          expectEqual(isNothing, true, "\(quirks) \(text)")
          nothing += 1
        } else if !isNothing {
          something += 1
        }
        device.run(for: .seconds(200))
      }
    }
    // Most of both, so that neither is all that there is.
    expectEqual(nothing > 300 && something > 300, true, "\(nothing) \(something)")
  }
}
