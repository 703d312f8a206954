import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// One thing that happens to an engine.
enum EngineStep {
  case hear(String, from: IPAddress = EngineRig.tv, to: Endpoint? = nil, on: UInt16 = 0, at: Double)
  case command(Command, at: Double)
  case signal(SignalValue, at: Double)
  case bring(UInt16, [InterfaceAddress], at: Double)
  case run(until: Double)
  /// A message of multicast DNS.
  case say(DNSMessage, on: UInt16 = 0, at: Double)
}

typealias EngineConfigure = @Sendable (inout EngineConfiguration) -> Void

private typealias Step = EngineStep
private typealias Configure = EngineConfigure

/// Everything that the engine says and sends, with its time.
private func play(_ steps: [Step], _ switches: EngineSwitches, _ configure: Configure) -> [String] {
  var rig = EngineRig(switches, configure)
  var told: [String] = []
  func note(_ effects: [Effect], _ seconds: Double) {
    told += effects.map { "\(at(seconds)) \($0)" }
    told += rig.sent.map { "\(at(seconds)) \($0)" }
  }
  for step in steps {
    switch step {
    case .hear(let text, let source, let destination, let interface, let seconds):
      note(rig.hear(text, from: source, to: destination, on: interface, at: seconds), seconds)
    case .command(let command, let seconds): note(rig.command(command, at: seconds), seconds)
    case .signal(let signal, let seconds): note(rig.give(signal, at: seconds), seconds)
    case .bring(let interface, let addresses, let seconds): note(rig.bring(interface, addresses, at: seconds), seconds)
    case .say(let message, let interface, let seconds):
      let payload = rig.store.store(message.bytes)
      defer { rig.store.release(payload) }
      // Another host asks.
      let asker = Endpoint(IPAddress(192, 168, 1, 7), port: Endpoint.mdnsPort)
      let datagram = Datagram(
        source: message.flags.isResponse ? BrowserBench.host : asker, destination: .mdns(.v4),
        interface: InterfaceID(interface), hopLimit: 255,
        payload: payload)
      note(rig.give(.datagram(datagram), at: seconds), seconds)
    case .run(let seconds):
      // Step by step, so that copies that are sent under way are seen.
      while let deadline = rig.engine.deadline, deadline <= at(seconds) {
        let effects = rig.wake(exactlyAt: deadline)
        told += effects.map { "\(deadline) \($0)" }
        told += rig.sent.map { "\(deadline) \($0)" }
      }
    }
  }
  return told
}

@Suite("Planted faults") struct SwitchTests {
  @Test("each is one bit of a set and has a place of its own")
  func bits() {
    var all = EngineSwitches()
    for (index, one) in EngineSwitch.allCases.enumerated() {
      #expect(!all.contains(one))
      all.insert(one)
      expectEqual(all.all.count, index + 1)
    }
    expectEqual(all.all, EngineSwitch.allCases)
    for one in EngineSwitch.allCases {
      expectEqual(EngineSwitches([one]).all, [one])
      expectEqual(EngineSwitch(rawValue: one.rawValue), one)
    }
  }

  @Test("each says in a sentence of its own what it does", arguments: EngineSwitch.allCases)
  func explanation(one: EngineSwitch) {
    #expect(one.explanation.hasSuffix("."))
    expectEqual(EngineSwitch.allCases.filter { $0.explanation == one.explanation }, [one])
  }

  @Test("none changes what it is not about: a plain life of a device", arguments: EngineSwitch.allCases)
  func quiet(fault: EngineSwitch) {
    // Faults that break even this are named here.
    let loud: Set<EngineSwitch> = [.byebyeIgnored, .requiresLocationOnByebye]
    let steps: [Step] = [
      .hear(alive(extra: "SERVER: a/1 UPnP/1.0 b/1"), at: 0), .hear(byebye(), at: 20), .run(until: 10_000),
    ]
    let real = play(steps, []) { _ in }
    expectEqual(real.count, 2)
    #expect((play(steps, [fault]) { _ in } == real) != loud.contains(fault))
  }

  @Test("each shows in the life that it breaks", arguments: EngineSwitch.allCases)
  func bites(fault: EngineSwitch) {
    let (steps, configure) = life(of: fault)
    let real = play(steps, [], configure)
    let broken = play(steps, [fault], configure)
    #expect(!real.isEmpty || !broken.isEmpty)
    #expect(real != broken)
  }

  private let search = Command.search(
    Search(id: SearchID(1), target: "urn:x:service:Foo:1", maximumWaitSeconds: 1, broadcasts: 2))
  private let socket = Endpoint(EngineRig.ours, port: 49_152)
  let other = IPAddress(192, 168, 1, 66)
  private let second = "http://192.168.1.20:81/d.xml"
  private let ten = [InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 8)]

  private func life(of fault: EngineSwitch) -> ([Step], Configure) {
    let plain: Configure = { _ in }
    switch fault {
    case .dedupByUSNOnly:
      return (
        [
          .hear(alive("tv", "urn:x:device:a:1", usn: "uuid:tv"), at: 0),
          .hear(alive("tv", "urn:x:device:b:1", usn: "uuid:tv", location: second), at: 1),
        ], plain
      )
    case .rootByAddress:
      return ([.hear(alive("a", location: second), at: 0), .hear(alive("b"), at: 1)], plain)
    case .perInterfaceDedupMissing:
      return (
        [.bring(1, ten, at: 0), .hear(alive(), at: 1), .hear(alive(), from: IPAddress(10, 0, 0, 9), on: 1, at: 1)],
        plain
      )
    case .familyIsTwoDevices:
      return ([.hear(alive(), at: 1), .hear(alive(), from: IPAddress("fe80::9")!, at: 1)], plain)
    case .expiryIgnoresMaxAge: return ([.hear(alive(maxAge: "60"), at: 0), .run(until: 5_000)], plain)
    case .expiryOnFirstMessage, .neverExpires:
      return ([.hear(alive(maxAge: "60"), at: 0), .hear(alive(maxAge: "60"), at: 50), .run(until: 5_000)], plain)
    case .maxAgeOverflows: return ([.hear(alive(maxAge: "65596"), at: 0), .run(until: 5_000)], plain)
    case .defaultLeaseMissing: return ([.hear(alive(maxAge: nil), at: 0)], plain)
    case .partKeepsNothing:
      return (
        [
          .hear(alive(maxAge: "60"), at: 0), .hear(alive("tv", "urn:x:service:Y:1", maxAge: "60"), at: 0),
          .hear(alive("tv", "urn:x:service:Y:1", maxAge: "60"), at: 50), .run(until: 500),
        ], plain
      )
    case .familyEndsDevice:
      return (
        [
          .hear(alive(maxAge: "60"), at: 0), .hear(alive(maxAge: "60"), from: IPAddress("fe80::9")!, at: 30),
          .run(until: 500),
        ], plain
      )
    case .byebyeIgnored, .requiresLocationOnByebye: return ([.hear(alive(), at: 0), .hear(byebye(), at: 1)], plain)
    case .byebyeEndsNeighbour:
      return ([.hear(alive("a", location: second), at: 0), .hear(alive("b"), at: 0), .hear(byebye("a"), at: 1)], plain)
    case .byebyeRenews:
      return ([.hear(alive(), at: 0), .hear(byebye(extra: "CACHE-CONTROL: max-age=9"), at: 1)], plain)
    case .foreignByebyeAccepted: return ([.hear(alive(), at: 0), .hear(byebye(), from: other, at: 1)], plain)
    case .tombstoneMissing: return ([.hear(alive(), at: 0), .hear(byebye(), at: 1), .hear(alive(), at: 1.5)], plain)
    case .tombstoneBlocksNewBootID:
      return ([.hear(alive(boot: 1), at: 0), .hear(byebye(), at: 1), .hear(alive(boot: 2), at: 1.5)], plain)
    case .quickReturnIgnored: return ([.hear(alive(), at: 0), .hear(byebye(), at: 1), .hear(alive(), at: 8)], plain)
    case .bootIDIgnored: return ([.hear(alive(boot: 1), at: 0), .hear(alive(boot: 2), at: 1)], plain)
    case .nextBootIDIgnored, .updateIgnored:
      return (
        [.hear(alive(boot: 1), at: 0), .hear(update(boot: 1, next: 2), at: 5), .hear(alive(boot: 2), at: 9)], plain
      )
    case .foreignUpdateAccepted:
      return ([.hear(alive(boot: 1), at: 0), .hear(update(boot: 1, next: 2), from: other, at: 5)], plain)
    case .staleBootIDAccepted:
      return ([.hear(alive(boot: 1), at: 0), .hear(alive(boot: 2), at: 5), .hear(alive(boot: 1), at: 5.5)], plain)
    case .locationChangeIgnored, .locationChangeIsLostFound:
      return ([.hear(alive(), at: 0), .hear(alive(location: second), at: 1)], plain)
    case .substringTarget:
      return ([.command(search, at: 0), .hear(response("tv", "xurn:x:service:Foo:1"), to: socket, at: 0.5)], plain)
    case .exactVersionOnly, .searchEndsEarly, .searchSentOnce, .searchNeverEnds:
      return (
        [.command(search, at: 0), .hear(response("tv", "urn:x:service:Foo:2"), to: socket, at: 0.5), .run(until: 9)],
        plain
      )
    case .acceptsUnsolicited: return ([.hear(response(), to: socket, at: 0)], plain)
    case .socketNotMatched:
      return (
        [
          .command(search, at: 0),
          .hear(response("tv", "urn:x:service:Foo:1"), to: Endpoint(EngineRig.ours, port: 5), at: 0.5),
        ], plain
      )
    case .searchPortIgnored:
      let unicast = Search(id: SearchID(1), target: "ssdp:all", host: Endpoint(EngineRig.tv, port: 0))
      return ([.hear(alive(extra: "SEARCHPORT.UPNP.ORG: 50000"), at: 0), .command(.search(unicast), at: 1)], plain)
    case .mxUnchecked:
      return ([.command(.search(Search(id: SearchID(1), target: "ssdp:all", maximumWaitSeconds: 9)), at: 0)], plain)
    case .requiresServer: return ([.hear(alive(), at: 0)], plain)
    case .readsOneKilobyte:
      let long = "http://192.168.1.20:81/" + String(repeating: "x", count: 980)
      return ([.hear(alive(location: long, maxAge: "60"), at: 0), .run(until: 500)], plain)
    case .evictsHeld:
      return (
        [
          .hear(alive(), at: 0), .command(.hold(device: "uuid:tv"), at: 0),
          .hear(alive("b", location: nil), from: other, at: 1),
        ], { $0.limits.entriesTotal = 1 }
      )
    case .noBounds:
      return (
        [.hear(alive(), at: 0), .hear(alive("tv", "uuid:tv"), at: 0)], { $0.limits.entriesPerDevice = 1 }
      )
    case .interfaceDownIgnored: return ([.hear(alive(), at: 0), .bring(0, [], at: 1)], plain)
    case .sendFailureSilent:
      let refusal = Refusal(deed: .send, interface: InterfaceID(0), address: .ssdpGroup4, port: 49_152)
      return ([.command(search, at: 0), .signal(.refused(refusal), at: 0)], plain)
    case .joinFailureSilent:
      return (
        [.signal(.refused(Refusal(deed: .join, interface: InterfaceID(0), address: .ssdpGroup4, port: 0)), at: 0)],
        plain
      )
    case .descriptionStatusIgnored: return answered("HTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\nx")
    case .descriptionCutAccepted: return answered("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx")
    case .descriptionUnbounded: return answered("HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\nx", ends: false)
    case .descriptionPatienceMissing: return answered("", ends: false)
    case .descriptionNotAgain:
      let (steps, fetch) = answered("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
      return (steps.dropLast() + [.hear(alive(location: second), at: 5)], fetch)
    case .descriptionsAllAtOnce:
      let names = ["a", "b", "c", "d", "e"]
      return (
        names.map { .hear(alive($0, location: "http://192.168.1.20/\($0)"), at: 0) },
        { $0.descriptions = .fetch }
      )
    case .redirectsIgnored: return answered("HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n")
    case .redirectsUnchecked: return answered("HTTP/1.1 302 Found\r\nLocation: http://203.0.113.9/\r\n\r\n")
    case .peripheralsNeverLost: return ([advert("tag", at: 0), .run(until: 60)], plain)
    case .silenceFromFirstPacket: return ([advert("tag", at: 0), advert("tag", at: 20), .run(until: 60)], plain)
    case .peripheralFoundAgain: return ([advert("tag", at: 0), advert("tag", at: 1)], plain)
    case .scanResponsesIgnored: return ([advert("", at: 0), advert("tag", .scanResponse, at: 0.1)], plain)
    case .peripheralChangesIgnored: return ([advert("tag", at: 0), advert("other", at: 1)], plain)
    case .beaconsIgnored: return ([advert("tag", .nonconnectable, at: 0)], plain)
    case .faultyAdvertisingRefused: return ([advert("tag", behind: [9], at: 0)], plain)
    case .addressKindIgnored: return ([advert("tag", at: 0), advert("tag", isRandom: false, at: 1)], plain)
    case .radioOffIgnored: return ([advert("tag", at: 0), .signal(.host(.power(.off)), at: 1)], plain)
    case .answersAwaitedForEver: return (Connected.begun + [.run(until: 60)], plain)
    case .connectGivesUp: return ([Connected.ask(.connect, at: 0), .run(until: 60)], plain)
    case .unestablishedReported:
      return ([Connected.ask(.connect, at: 0), Connected.up, Connected.link(.ended(.notEstablished), at: 1)], plain)
    case .connectedLostBySilence: return ([advert("tag", at: 0)] + Connected.stands() + [.run(until: 60)], plain)
    case .silentDisconnect: return (Connected.stands() + [Connected.link(.ended(.timedOut), at: 5)], plain)
    case .indicationsNotConfirmed:
      return (Connected.stands() + [Connected.answer(.handleValueIndication(handle: 3, value: [1]), at: 5)], plain)
    case .mtuIgnored:
      let value = [UInt8](repeating: 7, count: 100)
      return (Connected.known + [Connected.ask(.write(.handle(3), value, withResponse: true), at: 5)], plain)
    case .writeRoomIgnored:
      let write = Connected.ask(.write(.handle(3), [1], withResponse: false), at: 5)
      return (Connected.known + [Step](repeating: write, count: 30), plain)
    case .longValuesCut:
      return (
        Connected.known + [
          Connected.ask(.read(.handle(3)), at: 5),
          Connected.answer(.readResponse(value: [UInt8](repeating: 1, count: 246)), at: 6),
        ], plain
      )
    case .firstAnswerOnly:
      return (Connected.stands() + [Connected.ask(.services([]), at: 2), Connected.services], plain)
    case .oldServicesKept:
      return (
        Connected.stands(hearsOfChanges: true) + Connected.discovery + [
          Connected.answer(.handleValueIndication(handle: 23, value: [1, 0, 20, 0]), at: 5),
          Connected.ask(.read(.handle(3)), at: 6),
        ], plain
      )
    default: return serviceLife(of: fault)
    }
  }

  private func serviceLife(of fault: EngineSwitch) -> ([Step], Configure) {
    func said(_ records: [DNSRecord], on interface: UInt16 = 0, at seconds: Double) -> Step {
      .say(DNSMessage(flags: .response, answers: records), on: interface, at: seconds)
    }
    let name = "Shop._http._tcp.local"
    let found = said(shop(), at: 1)
    let browses: Configure = { $0.browse = [.type("_http._tcp")] }
    switch fault {
    case .serviceFlushIgnored:
      return ([found, said([a("shop.local", "192.168.1.21")], at: 5), .run(until: 20)], browses)
    case .serviceGoodbyeIgnored:
      return ([found, said([ptr("_http._tcp.local", name, ttl: 0)], at: 5), .run(until: 20)], browses)
    case .recordsNeverExpire: return ([found, .run(until: 200)], browses)
    case .recordsNotRefreshed: return ([found, .run(until: 119)], browses)
    case .serviceCaseMatters: return ([found], { $0.browse = [.type("_HTTP._tcp")] })
    case .serviceTextIgnored: return ([found, said([txt(name, "a=2")], at: 5)], browses)
    case .serviceChangesIgnored: return ([found, said([srv(name, 81, "shop.local")], at: 5)], browses)
    case .serviceInterfacesMixed:
      return ([.bring(1, ten, at: 0), said(shop(), on: 1, at: 1), .bring(1, [], at: 5)], browses)
    case .serviceFoundPerInterface:
      return ([.bring(1, ten, at: 0), found, said(shop(), on: 1, at: 2)], browses)
    case .unansweredQueriesIgnored:
      let question = DNSMessage(flags: .query, questions: [DNSQuestion(DNSName(name)!, .srv)])
      return ([found, .say(question, at: 5), .say(question, at: 7), .run(until: 20)], browses)
    case .failureHintsIgnored:
      return ([found, .command(.reconfirm(device: "peer:" + name), at: 5), .run(until: 20)], browses)
    case .servicesAskedOnce: return ([.run(until: 20)], browses)
    case .subtypesIgnored: return ([found], { $0.browse = [.type("_a._sub._http._tcp")] })
    case .typeListIgnored:
      let listed = said([ptr("_services._dns-sd._udp.local", "_http._tcp.local")], at: 1)
      return ([listed, .run(until: 5)], { $0.browse = [.everything] })
    default: return managerLife(of: fault)
    }
  }

  /// What happens on the first connection of an engine.
  private enum Connected {
    private static let peer = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
    private static let own = RadioAddress(bits: 0xC000_0000_0000, isRandom: true)

    static func ask(_ request: CentralCommand.Request, at seconds: Double) -> Step {
      .command(.peripheral(CentralCommand(peer, request)), at: seconds)
    }
    static func link(_ signal: LinkSignal, at seconds: Double) -> Step {
      .signal(.radio(.link(LinkID(1), signal)), at: seconds)
    }
    static func answer(_ pdu: AttributePDU, at seconds: Double) -> Step {
      link(.frame(ChannelFrame.bytes(.attributes, pdu.bytes)), at: seconds)
    }
    private static func notFound(_ request: AttributePDU.Opcode, at seconds: Double) -> Step {
      answer(.errorResponse(request: request.rawValue, handle: 1, error: .attributeNotFound), at: seconds)
    }

    static let up = link(.connected(.central, own: own, peer: peer, LinkParameters()), at: 1)
    static let begun = [ask(.connect, at: 0), up, link(.acknowledged(frames: 1), at: 1)]

    static func stands(hearsOfChanges: Bool = false) -> [Step] {
      let before = begun + [answer(.exchangeMTUResponse(mtu: 247), at: 1), notFound(.readByTypeRequest, at: 1)]
      guard hearsOfChanges else { return before + [notFound(.findByTypeValueRequest, at: 1)] }
      let declaration = AttributePDU.HandleValue(22, [0x20, 23, 0, 0x05, 0x2A])
      return before + [
        answer(.findByTypeValueResponse([21...24]), at: 1), answer(.readByTypeResponse([declaration]), at: 1),
        answer(.findInformationResponse([.init(24, .clientConfiguration)]), at: 1), answer(.writeResponse, at: 1),
      ]
    }
    static let services = answer(.readByGroupTypeResponse([.init(1...20, [0x0F, 0x18])]), at: 2)
    /// One service, with one characteristic that can be read and written in each way.
    static let discovery = [
      ask(.services([]), at: 2), services, notFound(.readByGroupTypeRequest, at: 2),
      ask(.characteristics(service: 1, []), at: 3),
      answer(.readByTypeResponse([.init(2, [0x0E, 3, 0, 0x19, 0x2A])]), at: 3), notFound(.readByTypeRequest, at: 3),
    ]
    static let known = stands() + discovery
  }

  /// A packet of one peripheral, with a name and perhaps something behind it.
  private func advert(
    _ name: String, _ kind: AdvertisingPDU.Kind = .connectable, behind: [UInt8] = [], isRandom: Bool = true,
    at seconds: Double
  ) -> Step {
    var fields = AdvertisedFields()
    if !name.isEmpty { fields.name = name }
    let address = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: isRandom)
    let bytes = AdvertisingPDU.bytes(kind, from: address, data: fields.bytes + behind)
    let packet = RadioPDU(channel: 37, strength: -60, accessAddress: AirFrame.advertisingAddress, bytes: bytes)
    return .signal(.radio(.heard(packet)), at: seconds)
  }

  /// A device is found, and its server answers this.
  private func answered(_ text: String, ends: Bool = true) -> ([Step], Configure) {
    let stream = StreamID(1)
    var signals: [StreamSignal] = [
      .opened(stream, local: Endpoint(EngineRig.ours, port: 50_000)), .room(stream, byteCount: 65_536),
    ]
    if !text.isEmpty { signals.append(.bytes(stream, Array(text.utf8))) }
    if ends { signals.append(.ended(stream, .finished)) }
    return (
      [.hear(alive(), at: 0)] + signals.map { .signal(.streams($0), at: 1) } + [.run(until: 20)],
      { $0.descriptions = .fetch }
    )
  }
}
