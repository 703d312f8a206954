import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

/// What is told of messages that the store of payloads knows by their bytes, and what they renew.
///
/// A payload that comes for the second time is remembered; from the third time on the engine finds what it noted then.
@Suite("Messages that are known by their bytes") struct RepeatedAnswersTests {
  private let root = "upnp:rootdevice"
  private let other = IPAddress(192, 168, 1, 66)

  private func socket(_ number: UInt32) -> Endpoint { Endpoint(EngineRig.ours, port: UInt16(50_000 + number)) }

  private func adopt(_ number: UInt32) -> Command {
    .adopt(Search(id: SearchID(number), target: "ssdp:all", maximumWaitSeconds: 5), copyAt: socket(number))
  }

  private func told(_ number: UInt32, _ uuid: String = "tv", as name: String? = nil) -> Effect {
    .report(
      .service(
        ServiceSighting(
          search: SearchID(number), device: "uuid:\(uuid)", usn: name ?? usn(uuid, root), target: root,
          location: tvLocation)))
  }

  @Test("a USN that is spelled otherwise is another answer to each search, however often both were heard before")
  func spellings() {
    var rig = EngineRig()
    let odd = "UUID:tv::" + root
    let texts = [response(), response(usn: odd)]
    for number: UInt32 in 1...3 { _ = rig.command(adopt(number), at: 0) }
    func hear(_ place: Int, search: UInt32, isFirst: Bool, at seconds: Double) {
      var expected: [Effect] = isFirst ? [told(search, as: place == 0 ? nil : odd)] : []
      if isFirst, search == 1, place == 0 { expected.insert(found(), at: 0) }
      expectEqual(
        rig.hear(texts[place], to: socket(search), at: seconds), expected, "\(place) in search \(search)")
    }
    for time in 0..<4 {
      for place in [0, 1] { hear(place, search: 1, isFirst: time == 0, at: Double(time) / 8) }
    }
    // Both are known now: one search hears the usual spelling first, the other one the odd one.
    for time in 0..<3 {
      for place in [0, 1] { hear(place, search: 2, isFirst: time == 0, at: 1 + Double(time) / 8) }
      for place in [1, 0] { hear(place, search: 3, isFirst: time == 0, at: 1 + Double(time) / 8) }
    }
    expectEqual(rig.engine.counters.openLeases, 1)
  }

  @Test("a known answer is looked at anew where it comes from another address or over another interface")
  func elsewhere() {
    for isAddress in [true, false] {
      var rig = EngineRig()
      _ = rig.command(adopt(1), at: 0)
      for time in 0..<4 {
        expectEqual(
          rig.hear(response(), to: socket(1), at: Double(time) / 8), (time == 0 ? [found(), told(1)] : []))
      }
      if isAddress {
        expectEqual(
          rig.hear(response(), from: other, to: socket(1), at: 1),
          [
            changed(seen(from: other), .address(from: EngineRig.tv))
          ])
      } else {
        expectEqual(rig.hear(response(), to: socket(1), on: 1, at: 1), [])
      }
      expectEqual(rig.engine.counters.openLeases, (isAddress ? 1 : 2))
      expectEqual(rig.engine.counters.messages(.response), 5)
    }
  }

  @Test("a known answer without max-age gets the lease by default each time, and each time it is counted")
  func byDefault() {
    var rig = EngineRig {
      $0.unsolicited = .accept
      $0.leaseDefaultSeconds = 10
    }
    let text = response().replacing("CACHE-CONTROL: max-age=1800\r\n", with: "")
    for time in 0..<5 { expectEqual(rig.hear(text, at: Double(time)), (time == 0 ? [found()] : [])) }
    expectEqual(rig.engine.counters.leasesByDefault, 5)
    expectEqual(rig.run(until: 100), [Timed(at(14), lost("tv", .expired))])
  }

  @Test("a device that only answered announced nothing, however often it answered, so that any byebye of its ends it")
  func onlyAnswered() {
    for isAnnounced in [false, true] {
      var rig = EngineRig { $0.unsolicited = .accept }
      for time in 0..<4 { expectEqual(rig.hear(response(), at: Double(time)), (time == 0 ? [found()] : [])) }
      if isAnnounced { expectEqual(rig.hear(alive(), at: 4), []) }
      let end: [Effect] = isAnnounced ? [] : [lost("tv", .byebye)]
      expectEqual(rig.hear(byebye("tv", "urn:x:service:Y:1"), at: 5), end)
    }
  }

  @Test("a planted fault holds for messages that are known by their bytes as for all others")
  func planted() {
    var rig = EngineRig([.expiryOnFirstMessage])
    for time in 0..<4 {
      expectEqual(rig.hear(alive(maxAge: "10"), at: Double(time)), (time == 0 ? [found()] : []))
    }
    expectEqual(rig.run(until: 100), [Timed(at(10), lost("tv", .expired))])
  }

  @Test("a search that hears its answers by two stores of payloads is told of each once")
  func twoStores() {
    var rig = EngineRig()
    let second = PayloadStore()
    var outbox = Outbox(payloads: second)
    _ = rig.command(adopt(1), at: 0)
    expectEqual(rig.hear(response("a"), to: socket(1), at: 1), [found("a"), told(1, "a")])
    for (uuid, isNew) in [("b", true), ("a", false), ("b", false)] {
      let payload = second.store(Array(response(uuid).utf8))
      let datagram = Datagram(
        source: Endpoint(EngineRig.tv, port: 1_900), destination: socket(1), interface: InterfaceID(0), hopLimit: 2,
        payload: payload)
      rig.engine.receive(.datagram(datagram), at: at(2), into: &outbox)
      second.release(payload)
      let effects = outbox.effects
      expectEqual(effects, (isNew ? [found(uuid), told(1, uuid)] : []), "\(uuid)")
      outbox.removeAll()
    }
    expectEqual(rig.hear(response("c"), to: socket(1), at: 3), [found("c"), told(1, "c")])
    for uuid in ["a", "b", "c"] { expectEqual(rig.hear(response(uuid), to: socket(1), at: 3), []) }
    #expect(rig.store.liveCount == 0 && second.liveCount == 0)
  }

  @Test("of forty devices a search that hears any two that came sixteen apart is told of both, once each")
  func sixteenApart() {
    var rig = EngineRig()
    for number in 0..<40 { expectEqual(rig.hear(alive("d\(number)"), at: 0), [found("d\(number)")]) }
    for first in 0..<24 {
      let search = UInt32(first + 1)
      _ = rig.command(adopt(search), at: 0)
      for turn in 0..<3 {
        for uuid in ["d\(first)", "d\(first + 16)"] {
          let expected: [Effect] = turn == 0 ? [told(search, uuid)] : []
          expectEqual(rig.hear(response(uuid), to: socket(search), at: 1), expected, "\(uuid), \(turn)")
        }
      }
    }
  }
}
