import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDevices

@Suite("A device takes note of what concerns it") struct HearingTests {
  /// A device that has announced itself, at ten seconds; nothing of that is left.
  private func quiet(_ quirks: [Quirk]) -> Bench<RootDevice> {
    var device = bench(treeDescription(), quirks + [.noRenewal])
    device.act(.appear)
    device.run(until: .zero + .seconds(10))
    device.sent = []
    return device
  }

  @Test("a signal that does not concern a device has it do nothing, not even what is overdue")
  func ignored() {
    let (root, all) = (search("upnp:rootdevice", mx: "5"), search("ssdp:all"))
    let strange = (1...65).map { search("urn:x:device:Unheard\($0):1", mx: "5") }
    let response = "HTTP/1.1 200 OK\r\nST: x\r\nUSN: uuid:1::x\r\n\r\n"
    let table: [(quirks: [Quirk], before: [String], text: String, interface: Int)] = [
      ([], [], "", 0), ([], [], "M-SEARCH", 0), ([], [], "M-SEARCH * HTTP/1.1\r\nMX: 3\r\n\r\n", 0),
      ([], [], search(""), 0), ([], [], search("x:y"), 0), ([], [], search("ssdp:all", man: nil), 0),
      ([], [], search("ssdp:all", mx: nil), 0), ([], [], all, 1), ([.blocksWhileAnswering], [root], root, 0),
      ([.answersOnlySome("upnp:rootdevice")], [], all, 0),
      ([.answersEverySearch], Array(strange.dropLast()), strange[64], 0), ([], [], foreignAnnouncement, 0),
      ([.answersNotify], [], response, 0), ([.answersNotify], [], foreignAnnouncement, 1),
    ]
    for row in table {
      // Its first set is due within 100 ms, and nothing wakes it.
      var device = bench(treeDescription(), row.quirks)
      device.act(.appear)
      for text in row.before { device.hear(text) }
      device.now = .zero + .seconds(1)
      device.hear(row.text, on: row.interface)
      device.receive(.host(.power(.on)))
      #expect(device.sent.isEmpty, "\(row.quirks), \(row.text)")
      device.machine.wake(at: device.now, into: &device.outbox)
      device.collect()
      #expect(device.sent.contains { $0.nts == "ssdp:alive" }, "\(row.quirks), \(row.text)")
    }
  }

  @Test("answers are numbered from 0 as they are asked for, and room is made for no more than those")
  func numbers() {
    var device = quiet([])
    device.hear(search("upnp:rootdevice", mx: "5"))
    #expect(device.machine.answers.list.capacity < 16)
    device.hear(search("ssdp:all", mx: "5"))
    let answers = device.machine.answers.list.sorted { $0.sequence < $1.sequence }
    expectEqual(
      answers.map { "\($0.sequence) \($0.advert)" }, ["0 0"] + (0..<treeCount).map { "\($0 + 1) \($0)" })
  }

  @Test("answers that are due at one moment leave in the order of the set, with the second of that moment")
  func atOnce() {
    var device = quiet([.answersImmediately])
    device.hear(search("ssdp:all"))
    expectEqual(device.sent.map(\.summary), AdvertisementTests().targets.map { "200 \($0)" })
    expectEqual(
      device.sent.compactMap { $0.field("DATE") },
      Array(repeating: "Mon, 01 Jan 2024 00:00:10 GMT", count: treeCount))
  }

  @Test("a device says no more than 512 bytes of a target that it does not have, and none of them in an error")
  func strangeTargets() {
    let (long, kept) = (String(repeating: "x", count: 600), String(repeating: "x", count: 512))
    var liar = quiet([.answersEverySearch, .answersImmediately])
    liar.hear(search(long))
    expectEqual(liar.sent.compactMap { $0.field("ST") }, [kept])
    expectEqual(liar.sent.compactMap { $0.field("USN") }, ["uuid:\(rootUUID)::\(kept)"])
    var failing = quiet([.errorAnswers])
    failing.hear(search(long, mx: "5"))
    expectEqual(failing.machine.answers.list.map { "\($0.advert) \($0.echo)" }, ["\(PendingAnswer.error) 0"])
    failing.run(for: .seconds(5))
    expectEqual(
      failing.sent.map(\.text),
      ["HTTP/1.1 404 Not Found\r\nEXT:\r\nSERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0\r\n\r\n"])
  }

  @Test("a device that names its IPv6 address over IPv4 as well names the other one where it has none")
  func locations() {
    for (addresses, hosts) in [
      (up(0, "192.168.1.20", "fe80::20"), ["[fe80::20]", "[fe80::20]"]), (up(0, "192.168.1.20"), ["192.168.1.20"]),
    ] {
      var device = bench(treeDescription(), [.v6LocationOnV4, .noJitter], addresses: [addresses])
      device.act(.appear)
      expectEqual(device.sent.compactMap { $0.field("LOCATION") }, hosts.map { "http://\($0):49152/description.xml" })
    }
  }

  @Test("a set that was sent as often as it is to be gives its memory back")
  func memory() {
    var device = bench(treeDescription(), [.noRenewal])
    device.act(.appear)
    #expect(device.machine.burstCount == 1 && device.machine.bursts.capacity > 0)
    device.run(until: .zero + .seconds(5))
    #expect(device.machine.burstCount == 0 && device.machine.bursts.capacity == 0)
  }
}
