import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallExplaining

/// What `--explain` tells of Bluetooth LE peripherals, as text and as JSON lines.
@Suite struct PeripheralStoryTests {
  private let lamp = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)

  private func story(_ packets: [(bytes: [UInt8], strength: Int8?)], until end: Int64) -> Story {
    let teller = StoryTeller(configuration: EngineConfiguration())
    var engine = DiscoveryEngine()
    var outbox = Outbox(payloads: PayloadStore())
    func tell(_ frame: Int?, _ now: Instant) {
      for position in 0..<outbox.count {
        guard let report = outbox.takeReport(at: position) else { continue }
        teller.report(report, at: now, frame: frame)
      }
      outbox.removeAll()
    }
    for (index, packet) in packets.enumerated() {
      let now = Instant.zero + .seconds(Int64(index))
      teller.tick(now)
      let heard = RadioPDU(
        channel: 37, strength: packet.strength, accessAddress: AirFrame.advertisingAddress, bytes: packet.bytes)
      teller.hears(heard, frame: index + 1, at: now)
      engine.receive(SignalValue.radio(.heard(heard)), at: now, into: &outbox)
      tell(index + 1, now)
    }
    let last = Instant.zero + .seconds(end)
    teller.tick(last)
    engine.wake(at: last, into: &outbox)
    tell(nil, last)
    return teller.finished(frames: packets.count)
  }

  @Test func `each peripheral has its events, packets, strengths, requests and faults`() {
    let phone = RadioAddress(bits: 5, isRandom: false)
    let story = story(
      [
        (AdvertisingPDU.bytes(.connectable, from: lamp, data: [2, 1, 6]), -61),
        (AdvertisingPDU.bytes(.scanRequest, from: phone, to: lamp), -40),
        (AdvertisingPDU.bytes(.scanResponse, from: lamp, data: [5, 9, 0x6C, 0x61, 0x6D, 0x70]), -50),
        (AdvertisingPDU.bytes(.connectable, from: lamp, data: [2, 1, 6, 9, 0xFF]), nil),
      ], until: 60)
    let lines = StoryText.lines(story)
    #expect(!lines.contains { $0.contains("No device was found") })
    expectEqual(
      Array(lines.drop { $0 != "  Peripherals" }),
      [
        "  Peripherals", "  ble:c0:ff:ee:00:00:01/random",
        "    +0.000     frame 1            found ble:c0:ff:ee:00:00:01/random",
        "    +2.000     frame 3            changed ble:c0:ff:ee:00:00:01/random name lamp name from -",
        "    +60.000                       lost ble:c0:ff:ee:00:00:01/random expired",
        "    +0.000     frames 1…4         ADV_IND 2, SCAN_RSP 1; -61 to -50 dBm; 1 request to it",
        "    +0.000     frame 4            a field says that it is longer than what is left, and is dropped",
      ])
    expectEqual(
      StoryLines.json(story, capture: "c").first,
      #"{"schema":"rollcall/1","kind":"story","about":"peripheral","time":"0.000000000","device":"ble:c0:ff:ee:00:00:01/random","frames":["1","3-4"],"last":"3.000000000","packets":{"ADV_IND":2,"SCAN_RSP":1},"strongest":-50,"weakest":-61,"requests":1,"faults":{"overrun":1}}"#
    )
    // About a party that is no peripheral nothing of this is told, as in text.
    var asked = story
    asked.party = .uuid("00000000-0000-4000-8000-000000000001")
    #expect(!StoryText.lines(asked).contains("  Peripherals"))
    #expect(!StoryLines.json(asked, capture: "c").contains { $0.contains(#""about":"peripheral""#) })
  }

  @Test func `where nothing is heard nothing is told`() {
    let story = story([], until: 1)
    #expect(StoryText.lines(story).contains { $0.contains("No device was found") })
    expectEqual(story.peripherals, [])
  }
}
