import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What was heard before is told by its bytes, and then by a mark: see `SSDPIntake`. That must make no difference.
@Suite("Messages that are heard again") struct HeardAgainTests {
  /// An engine that recognises messages, and its twin that reads everything anew.
  private struct Pair {
    var remembering: DiscoveryEngine
    var plain: DiscoveryEngine
  }

  private static let sources = [EngineRig.tv, IPAddress(192, 168, 1, 21)]
  private static let socket = Endpoint(EngineRig.ours, port: 50_000)

  /// All of one length.
  private static let dates = [
    "Mon, 01 Jan 2024 00:00:00 GMT", "Mon, 01 Jan 2024 00:00:01 GMT", "Tue, 02 Feb 2024 23:59:59 GMT",
    "Mon, 01 Jan 2024\r\nDATE: 0 GMT", "Mon, 01 Jan 2024\r\n\r\n0:00 GMT", " on, 01 Jan 2024 00:00:00 GMT",
    "Mon, 01 Jan 2024 00\u{0}00:00 GMT", "Mon, 01 Jan 2024\t\t\t\t0:00 GMT",
  ]

  /// Everything that two devices, and one that writes its UUID in capitals, may say.
  private static let pool: [String] = {
    var all: [String] = []
    for uuid in ["tv", "TV", "box"] {
      for target in ["upnp:rootdevice", "uuid:" + uuid, "urn:schemas-upnp-org:service:Bar:1"] {
        for boot in [nil, 1, 2] {
          all.append(alive(uuid, target, boot: boot))
          all.append(answer(uuid, target, boot: boot))
        }
        for location in [nil, "http://192.168.1.21:81/other.xml", "ftp://192.168.1.20/no.xml"] {
          all.append(alive(uuid, target, location: location, maxAge: "2"))
          all.append(answer(uuid, target, location: location))
        }
        for config in [7, 8] {
          all.append(alive(uuid, target, config: config, extra: "SEARCHPORT.UPNP.ORG: 4915\(config)"))
        }
        all.append(alive(uuid, target, usn: "uuid:" + uuid + "::upnp:rootdevice"))
        // Another date each time, and once a date that ends the message early.
        all.append(alive(uuid, target, extra: "DATE: @"))
        all.append(alive(uuid, target, maxAge: "60", extra: "DATE: @\r\nCONFIGID.UPNP.ORG: 9"))
        all.append(byebye(uuid, target))
      }
    }
    return all
  }()

  private static func answer(_ uuid: String, _ target: String, location: String? = tvLocation, boot: Int? = nil)
    -> String
  {
    var fields = ["HTTP/1.1 200 OK", "CACHE-CONTROL: max-age=60", "EXT:", "ST: " + target, "USN: " + usn(uuid, target)]
    if let location { fields.append("LOCATION: " + location) }
    if let boot { fields.append("BOOTID.UPNP.ORG: \(boot)") }
    return (fields + ["", ""]).joined(separator: "\r\n")
  }

  @Test(
    "An engine does with them what it does with new ones, copied and moved to another store or not", arguments: 1...60)
  func sameAsNew(seed: UInt64) {
    var dice = Seed(seed).stream("heard again")
    // Few messages each time, so that they come again before everything has changed.
    let pool = (0..<12).map { _ in HeardAgainTests.pool[Int(dice.below(UInt64(HeardAgainTests.pool.count)))] }
    var configuration = EngineConfiguration()
    if seed % 3 == 0 { configuration.unsolicited = .accept }
    if seed % 4 == 0 { configuration.limits.entriesTotal = 6 }
    let stores = [PayloadStore(), PayloadStore()]
    var store = stores[0]
    let remembering = DiscoveryEngine(configuration)
    configuration.messagesRememberedMaximum = 0
    var pairs = [Pair(remembering: remembering, plain: DiscoveryEngine(configuration))]
    var now = at(0)
    var heard = 0
    for step in 0..<600 {
      now += dice.below(60) == 0 ? .seconds(70) : dice.interval(in: .milliseconds(1) ... .milliseconds(900))
      let pair = Int(dice.below(UInt64(pairs.count)))
      switch dice.below(100) {
      case 0:
        // Both go on from here, apart from each other.
        if pairs.count == 4 { pairs.removeFirst() }
        pairs.append(pairs[Int(dice.below(UInt64(pairs.count)))])
        continue
      case 1: store = stores[Int(dice.below(2))]
      case 2..<12:
        let target = ["ssdp:all", "upnp:rootdevice"][Int(dice.below(2))]
        let search = Search(id: SearchID(UInt32(step)), target: target, maximumWaitSeconds: 3)
        let signal = SignalValue.command(.adopt(search, copyAt: HeardAgainTests.socket))
        let plain = PayloadStore()
        expectSame(&pairs[pair], store, plain, "step \(step)") { $0.receive(signal, at: now, into: &$2) }
        continue
      default: break
      }
      var text = pool[Int(dice.below(UInt64(pool.count)))]
      text.replace("@", with: HeardAgainTests.dates[Int(dice.below(UInt64(HeardAgainTests.dates.count)))])
      let isAnswer = text.hasPrefix("HTTP")
      let bytes = Array(text.utf8)
      let plain = PayloadStore()
      let payloads = [store.store(bytes), plain.store(bytes)]
      let signals = payloads.map { payload in
        Signal.datagram(
          Datagram(
            source: Endpoint(HeardAgainTests.sources[Int(step % 7 == 0 ? 1 : 0)], port: 1_900),
            destination: isAnswer ? HeardAgainTests.socket : Endpoint(.ssdpGroup4, port: 1_900),
            interface: InterfaceID(step % 11 == 0 ? 1 : 0), hopLimit: 2, payload: payload))
      }
      expectSame(&pairs[pair], store, plain, "step \(step): \(text)") {
        $0.receive(signals[$1], at: now, into: &$2)
      }
      store.release(payloads[0])
      plain.release(payloads[1])
      heard += 1
    }
    #expect(heard > 450)
    for pair in pairs { #expect(pair.remembering.brokenInvariants.isEmpty && pair.plain.brokenInvariants.isEmpty) }
    #expect(stores.allSatisfy { $0.liveCount == 0 })
  }

  private func expectSame(
    _ pair: inout Pair, _ store: PayloadStore, _ plainStore: PayloadStore, _ what: String,
    _ give: (inout DiscoveryEngine, _ place: Int, inout Outbox) -> Void
  ) {
    var outbox = Outbox(payloads: store)
    var plain = Outbox(payloads: plainStore)
    give(&pair.remembering, 0, &outbox)
    give(&pair.plain, 1, &plain)
    expectEqual(outbox.effects, plain.effects, "\(what)")
    expectEqual(pair.remembering.deadline, pair.plain.deadline, "\(what)")
    expectEqual(pair.remembering.counters, pair.plain.counters, "\(what)")
  }
}
