import Foundation
import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import RollcallRunning
import RollcallScenarios
import RollcallServing
import Testing

@Suite("Served worlds") struct ServedWorldTests {
  private let own = IPAddress(10, 77, 1, 10)
  private let asker = Endpoint(IPAddress(10, 77, 1, 20), port: 40_000)

  private final class Wire {
    var left: [(source: Endpoint, destination: Endpoint, text: String)] = []
    func answers(to endpoint: Endpoint) -> [String] { left.filter { $0.destination == endpoint }.map(\.text) }
  }

  private func make(_ yaml: String, ownAddresses: Bool = false, speed: Int64 = 1) throws -> (ServedWorld, Wire) {
    let resolved = try Scenario(yaml: yaml, file: "test.yaml").resolved()
    let plan = ServedPlan(
      resolved, interfaces: [[InterfaceAddress(own, prefixBits: 24)]], hasOwnAddresses: ownAddresses)
    let world = ServedWorld(plan, options: .init(seed: Seed(1), speed: speed, hasOwnAddresses: ownAddresses))
    let wire = Wire()
    world.send = { wire.left.append(($0.source, $0.destination, String(decoding: $1, as: UTF8.self))) }
    world.begin()
    return (world, wire)
  }

  private func search(
    _ world: ServedWorld, _ target: String, to destination: Endpoint, from source: Endpoint? = nil, at now: Instant
  ) {
    let text =
      "M-SEARCH * HTTP/1.1\r\nHOST: \(destination)\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: \(target)\r\n\r\n"
    Array(text.utf8).withUnsafeBytes {
      world.enter($0, from: source ?? asker, to: destination, interface: InterfaceID(0), at: now)
    }
  }

  /// What a program outside is told at a path: the status and the body, in a conversation of its own; `nil`: the stream is reset.
  private func fetch(
    _ world: ServedWorld, at listener: Endpoint, path: String, since now: Instant, patience: Interval = .seconds(2),
    _ request: String? = nil
  ) -> (status: String, head: String, body: String)? {
    var bytes: [UInt8] = []
    var (isFinished, isReset) = (false, false)
    let stream = StreamID(.max)
    world.want = { effect in
      switch effect {
      case .write(stream, let part): bytes += part
      case .finish(stream): isFinished = true
      case .reset(stream): isReset = true
      default: break
      }
    }
    let text = request ?? "GET \(path) HTTP/1.1\r\nHOST: \(listener)\r\n\r\n"
    world.take(.accepted(stream, listener: StreamID(1), local: listener, remote: asker), at: now)
    world.take(.room(stream, byteCount: 65_536), at: now)
    world.take(.bytes(stream, Array(text.utf8)), at: now)
    world.advance(to: now + patience)
    guard isFinished, !isReset else { return nil }
    world.take(.ended(stream, .finished), at: now + patience)
    let whole = String(decoding: bytes, as: UTF8.self)
    guard let end = whole.range(of: "\r\n\r\n") else { return nil }
    return (
      String(whole.prefix { $0 != "\r\n" }.dropFirst(9)), String(whole[..<end.upperBound]),
      String(whole[end.upperBound...])
    )
  }

  private let two = """
    scenario: Two renderers
    duration: 60s
    network:
      link: {latency: 1ms}
    inhabitants:
      tv: {kind: root-device, profile: tv, count: 2}
      plug: {kind: root-device, profile: smart-plug}
    """

  @Test("everybody announces himself from the interface's own address")
  func announces() throws {
    let (world, wire) = try make(two)
    world.advance(to: .zero + .seconds(2))
    expectEqual(Set(wire.left.map(\.source.address)), [own])
    expectEqual(Set(wire.left.map(\.destination)), [Endpoint(.ssdpGroup4, port: 1_900)])
    let roots = wire.left.filter { $0.text.contains("NT: upnp:rootdevice") && $0.text.contains("LOCATION") }
    #expect(roots.allSatisfy { $0.text.contains("LOCATION: http://10.77.1.10:") })
  }

  @Test("a search from outside is answered to where it came from, and LOCATION leads to each description")
  func answers() throws {
    let (world, wire) = try make(two)
    world.advance(to: .zero + .seconds(2))
    search(world, "upnp:rootdevice", to: Endpoint(.ssdpGroup4, port: 1_900), at: .zero + .seconds(2))
    world.advance(to: .zero + .seconds(4))
    let answers = wire.answers(to: asker)
    expectEqual(answers.count, 3)
    var names: [String] = []
    for (number, answer) in answers.enumerated() {
      let line = try #require(answer.split(separator: "\r\n").first { $0.hasPrefix("LOCATION: ") })
      let url = try #require(URL(string: String(line.dropFirst(10))))
      let listener = Endpoint(own, port: UInt16(try #require(url.port)))
      #expect(world.plan.pageListeners.contains { $0.endpoint == listener })
      let now = Instant.zero + .seconds(4 + 3 * Int64(number))
      let page = try #require(fetch(world, at: listener, path: url.path, since: now))
      expectEqual(page.status, "200 OK")
      let text = page.body
      let name = try #require(text.split(separator: "\n").first { $0.contains("friendlyName") })
      names.append(name.trimmingCharacters(in: .whitespaces))
      let usn = try #require(answer.split(separator: "\r\n").first { $0.hasPrefix("USN: ") })
      let identity = usn.dropFirst(5).prefix { $0 != ":" } + ":" + usn.dropFirst(10).prefix { $0 != ":" }
      #expect(text.contains("<UDN>\(identity)</UDN>"))
    }
    expectEqual(
      names.sorted(), ["plug", "tv-1", "tv-2"].map { "<friendlyName>\($0)</friendlyName>" })
    let nothing = fetch(world, at: Endpoint(own, port: 7_676), path: "/nothing", since: .zero + .seconds(20))
    expectEqual(nothing?.status, "404 Not Found")
    expectEqual(world.servedCount, 3)
    expectEqual(world.refusedCount, 1)
    let bad = fetch(
      world, at: Endpoint(own, port: 7_676), path: "", since: .zero + .seconds(23), "GET / HTTP/1.1 x\r\n\r\n")
    expectEqual(bad?.status, "400 Bad Request")
  }

  @Test(
    "a television says under the interface's own address where its apps are, has its own name, and shows a number on 8080"
  )
  func television() throws {
    let (world, _) = try make(
      """
      scenario: A television
      duration: 60s
      inhabitants: {tv: {kind: root-device, profile: dial-stick, friendly-name: Attic, apps: [YouTube], pairing-key: '1'}}
      """)
    world.advance(to: .zero + .seconds(2))
    let device = try #require(world.plan.devices.first)
    expectEqual(device.ports, [device.port, 8_080])
    for port in device.ports {
      #expect(world.plan.pageListeners.contains { $0.endpoint == Endpoint(own, port: port) }, "\(port)")
    }
    func ask(_ request: String, port: UInt16, at seconds: Int64) -> (status: String, head: String, body: String)? {
      fetch(world, at: Endpoint(own, port: port), path: "", since: .zero + .seconds(seconds), request)
    }
    let page = try #require(ask("GET \(device.path) HTTP/1.1\r\nHOST: x\r\n\r\n", port: device.port, at: 3))
    #expect(page.head.contains("Application-URL: http://\(own):\(device.port)/apps/\r\n"))
    #expect(page.body.contains("<friendlyName>Attic</friendlyName>"))
    let launch = "POST /apps/YouTube HTTP/1.1\r\nHOST: x\r\nCONTENT-LENGTH: 0\r\n\r\n"
    let launched = try #require(ask(launch, port: device.port, at: 6))
    expectEqual(launched.status, "201 Created")
    #expect(launched.head.contains("LOCATION: http://\(own):\(device.port)/apps/YouTube/run-1\r\n"))
    let body = String(decoding: NetcastPairing.showKey.bytes, as: UTF8.self)
    let show = "POST /udap/api/pairing HTTP/1.1\r\nHOST: x\r\nCONTENT-LENGTH: \(body.utf8.count)\r\n\r\n\(body)"
    expectEqual(ask(show, port: 8_080, at: 9)?.status, "200 OK")
  }

  @Test("what a description names is the device's own, also where devices share a port; its events come out")
  func services() throws {
    let (world, _) = try make(two)
    world.advance(to: .zero + .seconds(2))
    var seconds: Int64 = 2
    func fetch(_ request: String, port: UInt16) -> (status: String, head: String, body: String)? {
      seconds += 3
      return self.fetch(world, at: Endpoint(own, port: port), path: "", since: .zero + .seconds(seconds), request)
    }
    for device in world.plan.devices {
      let listener = Endpoint(own, port: device.port)
      let page = try #require(fetch("GET \(device.path) HTTP/1.1\r\nHOST: a\r\n\r\n", port: device.port))
      let reading = try DescriptionReader.read(Array(page.body.utf8), mode: .strict)
      let services = reading.document.root.services + reading.document.root.embedded.flatMap(\.services)
      #expect(!services.isEmpty)
      for service in services {
        let scpd = try #require(
          fetch("GET \(service.descriptionPath) HTTP/1.1\r\nHOST: a\r\n\r\n", port: device.port))
        expectEqual(scpd.status, "200 OK", "\(service.descriptionPath)")
        let answer = try #require(
          fetch(
            "SUBSCRIBE \(service.eventPath) HTTP/1.1\r\nHOST: a\r\nNT: upnp:event\r\nCALLBACK: <http://\(asker.address):5000/e>\r\n\r\n",
            port: device.port))
        expectEqual(answer.status, "200 OK", "\(device.name) \(listener) \(service.eventPath)")
      }
    }
  }

  @Test("a device's message to a subscriber outside leaves from a stream of its own, and the answer ends it")
  func events() throws {
    let (world, _) = try make(two)
    world.advance(to: .zero + .seconds(2))
    let device = try #require(world.plan.devices.first { $0.name == "plug" })
    for (number, address) in [asker.address, own].enumerated() {
      var wants: [StreamEffect] = []
      let (stream, listener) = (StreamID(.max - UInt32(number)), Endpoint(own, port: device.port))
      world.want = { wants.append($0) }
      let begin = Instant.zero + .seconds(3 + 40 * Int64(number))
      let path = RootDevice.servicesPath(of: device.path) + "1/event"
      let request =
        "SUBSCRIBE \(path) HTTP/1.1\r\nHOST: a\r\nNT: upnp:event\r\nCALLBACK: <http://\(address):5000/e>\r\n\r\n"
      world.take(.accepted(stream, listener: StreamID(1), local: listener, remote: asker), at: begin)
      world.take(.room(stream, byteCount: 65_536), at: begin)
      world.take(.bytes(stream, Array(request.utf8)), at: begin)
      world.advance(to: begin + .seconds(1))
      let opened = wants.compactMap { if case .connect(let id, let to, _) = $0 { (id, to) } else { nil } }
      expectEqual(opened.map(\.1), [Endpoint(address, port: 5_000)])
      let event = try #require(opened.first?.0)
      wants = []
      world.take(.opened(event, local: Endpoint(own, port: 50_000)), at: begin + .seconds(2))
      world.take(.room(event, byteCount: 65_536), at: begin + .seconds(2))
      world.advance(to: begin + .seconds(3))
      let text = wants.map {
        if case .write(event, let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { "" }
      }
      .joined()
      #expect(text.hasPrefix("NOTIFY /e HTTP/1.1\r\nHOST: \(address):5000\r\n"), "\(text)")
      #expect(text.hasSuffix("</e:propertyset>\n"), "\(text)")
      wants = []
      world.take(.bytes(event, Array("HTTP/1.1 200 OK\r\n\r\n".utf8)), at: begin + .seconds(4))
      world.take(.ended(event, .finished), at: begin + .seconds(4))
      world.advance(to: begin + .seconds(5))
      expectEqual(wants, [.finish(event)])
      world.advance(to: begin + .seconds(36))
      expectEqual(wants.filter { $0 == .reset(event) }, [])
    }
  }

  @Test("a subscriber that is not there ends the stream of the device, and one that says nothing does after 30 s")
  func lostSubscribers() throws {
    let (world, _) = try make(two)
    world.advance(to: .zero + .seconds(2))
    let device = try #require(world.plan.devices.first { $0.name == "plug" })
    var wants: [StreamEffect] = []
    for number in 0..<2 {
      let stream = StreamID(.max - UInt32(number))
      world.want = { wants.append($0) }
      let begin = Instant.zero + .seconds(3 + Int64(number))
      let path = RootDevice.servicesPath(of: device.path) + "1/event"
      let request =
        "SUBSCRIBE \(path) HTTP/1.1\r\nHOST: a\r\nNT: upnp:event\r\nCALLBACK: <http://\(asker.address):5000/e>\r\n\r\n"
      world.take(
        .accepted(stream, listener: StreamID(1), local: Endpoint(own, port: device.port), remote: asker), at: begin)
      world.take(.room(stream, byteCount: 65_536), at: begin)
      world.take(.bytes(stream, Array(request.utf8)), at: begin)
      world.advance(to: begin + .milliseconds(900))
    }
    let opened = wants.compactMap { if case .connect(let id, _, _) = $0 { id } else { nil } }
    expectEqual(opened.count, 2)
    wants = []
    world.take(.ended(opened[0], .refused), at: .zero + .seconds(6))
    world.advance(to: .zero + .seconds(40))
    let resets = wants.filter { if case .reset = $0 { true } else { false } }
    #expect(resets.contains(.reset(opened[1])), "\(resets)")
    #expect(!resets.contains(.reset(opened[0])), "\(resets)")
  }

  @Test("a unicast search is heard by everybody behind the shared address")
  func unicast() throws {
    let (world, wire) = try make(two)
    world.advance(to: .zero + .seconds(2))
    search(world, "upnp:rootdevice", to: Endpoint(own, port: 1_900), at: .zero + .seconds(2))
    world.advance(to: .zero + .seconds(4))
    expectEqual(wire.answers(to: asker).count, 3)
    // It enters by the link of the gateway: only answers of a host itself may be lost by its own link.
    let lossy = two.replacingOccurrences(of: "tv, count: 2", with: "tv, link: {outbound: {loss: 100%}}")
    let (halved, half) = try make(lossy)
    halved.advance(to: .zero + .seconds(2))
    search(halved, "upnp:rootdevice", to: Endpoint(own, port: 1_900), at: .zero + .seconds(2))
    halved.advance(to: .zero + .seconds(4))
    expectEqual(half.answers(to: asker).count, 1)
    // With an address of his own each hears what is sent to it.
    let (apart, other) = try make(two, ownAddresses: true)
    apart.advance(to: .zero + .seconds(2))
    let place = try #require(apart.plan.devices.last?.endpoints.first?.address)
    search(apart, "upnp:rootdevice", to: Endpoint(place, port: 1_900), at: .zero + .seconds(2))
    apart.advance(to: .zero + .seconds(4))
    expectEqual(other.answers(to: asker).count, 1)
  }

  @Test("a program on the host that serves is answered as any other, by multicast and unicast")
  func ownHost() throws {
    for ownAddresses in [false, true] {
      let (world, wire) = try make(two, ownAddresses: ownAddresses)
      world.advance(to: .zero + .seconds(2))
      let address = ownAddresses ? try #require(world.plan.devices.first?.endpoints.first?.address) : own
      let program = Endpoint(address, port: 50_001)
      search(world, "upnp:rootdevice", to: .ssdp(.v4), from: program, at: .zero + .seconds(2))
      // Another one beside it, and one outside.
      search(
        world, "upnp:rootdevice", to: Endpoint(own, port: 1_900), from: Endpoint(own, port: 50_002),
        at: .zero + .seconds(2))
      search(world, "upnp:rootdevice", to: .ssdp(.v4), at: .zero + .seconds(2))
      world.advance(to: .zero + .seconds(4))
      expectEqual(wire.answers(to: program).count, 3)
      #expect(wire.answers(to: program).allSatisfy { $0.hasPrefix("HTTP/1.1 200 OK") })
      expectEqual(wire.answers(to: Endpoint(own, port: 50_002)).count, ownAddresses ? 0 : 3)
      expectEqual(wire.answers(to: asker).count, 3)
      // Nothing leaves for an address that nobody has.
      #expect(
        wire.left.allSatisfy {
          [own, asker.address].contains($0.destination.address) || $0.destination.address.isMulticast || ownAddresses
        })
    }
  }

  @Test("what was sent a short time ago is known, and anything else is not")
  func recentlySent() {
    var sent = RecentlySent()
    func note(_ text: String, _ seconds: Double) {
      Array(text.utf8).withUnsafeBytes { sent.note($0, at: .zero + .milliseconds(Int64(seconds * 1_000))) }
    }
    func knows(_ text: String, _ seconds: Double) -> Bool {
      Array(text.utf8).withUnsafeBytes { sent.contains($0, at: .zero + .milliseconds(Int64(seconds * 1_000))) }
    }
    expectEqual(knows("a", 0), false)
    note("a", 1)
    expectEqual([knows("a", 1), knows("a", 5.9), knows("b", 5.9), knows("a", 6)], [true, true, false, false])
    note("a", 10)
    note("a", 13)
    expectEqual([knows("a", 15.5), knows("a", 17.9), knows("a", 18)], [true, true, false])
    // What is gone is let go of together when it is much, and what comes then is forgotten in its time as well.
    for number in 0..<1_100 { note("\(number)", 20) }
    expectEqual(
      [knows("0", 24.9), knows("1099", 24.9), knows("0", 25), knows("1099", 25)], [true, true, false, false])
    note("a", 25)
    expectEqual([knows("a", 29.9), knows("a", 30)], [true, false])
  }

  @Test("of more than can be told apart all counts as sent for five seconds")
  func muchSent() {
    var sent = RecentlySent()
    func note(_ text: String, _ milliseconds: Int64) {
      Array(text.utf8).withUnsafeBytes { sent.note($0, at: .zero + .milliseconds(milliseconds)) }
    }
    func knows(_ text: String, _ milliseconds: Int64) -> Bool {
      Array(text.utf8).withUnsafeBytes { sent.contains($0, at: .zero + .milliseconds(milliseconds)) }
    }
    expectEqual(RecentlySent.countMaximum, 65_536)
    note("a", 10_000)
    expectEqual(knows("a", 18_000), false)
    for number in 0..<RecentlySent.countMaximum { note("\(number)", 30_000) }
    expectEqual([knows("x", 30_000), knows("0", 30_000)], [false, true])
    note("y", 30_000)
    expectEqual(knows("x", 34_900), true)
    // From then on there is room again.
    note("z", 35_000)
    expectEqual([knows("x", 35_000), knows("0", 35_000), knows("z", 35_000)], [false, false, true])
  }

  @Test("loss on a link is loss for the programs that are outside")
  func loss() throws {
    let (world, wire) = try make(two.replacingOccurrences(of: "latency: 1ms", with: "latency: 1ms, loss: 100%"))
    world.advance(to: .zero + .seconds(2))
    search(world, "upnp:rootdevice", to: Endpoint(.ssdpGroup4, port: 1_900), at: .zero + .seconds(2))
    world.advance(to: .zero + .seconds(4))
    #expect(wire.left.isEmpty)
  }

  @Test("at the end everybody who is there says byebye, and nobody serves a description any more")
  func ends() throws {
    let (world, wire) = try make(two)
    world.advance(to: .zero + .seconds(30))
    wire.left = []
    world.end(at: .zero + .seconds(30))
    let byebyes = wire.left.filter { $0.text.contains("NTS: ssdp:byebye") && $0.text.contains("NT: upnp:rootdevice") }
    expectEqual(byebyes.count, 3)
    let tv = try #require(world.plan.devices.first)
    let listener = Endpoint(own, port: tv.port)
    #expect(fetch(world, at: listener, path: tv.path, since: .zero + .seconds(33)) == nil)
  }

  @Test("with addresses of their own they keep those of the scenario")
  func ownAddresses() throws {
    let (world, wire) = try make(two, ownAddresses: true)
    expectEqual(world.plan.wantedAddresses.count, 3)
    world.advance(to: .zero + .seconds(2))
    expectEqual(Set(wire.left.map(\.source.address)), Set(world.plan.wantedAddresses.map(\.endpoint.address)))
    expectEqual(Set(world.plan.devices.map(\.path)), ["/smp_18_", "/setup.xml"])
  }

  @Test("at speed 10 ten seconds of the scenario are one")
  func speed() throws {
    let yaml = two + "\ntimeline:\n  - {at: 20s, vanish: plug}"
    let (world, _) = try make(yaml, speed: 10)
    let plug = try #require(world.plan.devices.last)
    let listener = Endpoint(own, port: plug.port)
    world.advance(to: .zero + .milliseconds(1_800))
    let now = Instant.zero + .milliseconds(1_800)
    expectEqual(fetch(world, at: listener, path: plug.path, since: now, patience: .milliseconds(100))?.status, "200 OK")
    #expect(try #require(world.deadline) > .zero + .milliseconds(1_900))
    world.advance(to: .zero + .seconds(2))
    // A device that has lost its power says nothing, and the one who asks it is left alone.
    #expect(fetch(world, at: listener, path: plug.path, since: .zero + .seconds(2)) == nil)
  }

  @Test("the links and habits of the scenario are felt by who fetches a description outside")
  func felt() throws {
    let (late, _) = try make(two.replacingOccurrences(of: "latency: 1ms", with: "latency: 100ms"))
    late.advance(to: .zero + .seconds(2))
    let plug = try #require(late.plan.devices.last)
    let listener = Endpoint(own, port: plug.port)
    // A handshake, a request and an answer: each way has two links.
    let quick = fetch(late, at: listener, path: plug.path, since: .zero + .seconds(2), patience: .milliseconds(790))
    #expect(quick == nil)
    expectEqual(fetch(late, at: listener, path: plug.path, since: .zero + .seconds(4))?.status, "200 OK")
    let yaml = two.replacingOccurrences(
      of: "profile: smart-plug", with: "profile: smart-plug, quirks: [descriptionNotFound]")
    let (missing, _) = try make(yaml)
    missing.advance(to: .zero + .seconds(2))
    expectEqual(fetch(missing, at: listener, path: plug.path, since: .zero + .seconds(2))?.status, "404 Not Found")
  }

  @Test("who connects and asks nothing is reset after 30 s, and no more than 1 024 are there at once")
  func patience() throws {
    let (world, _) = try make(two)
    world.advance(to: .zero + .seconds(2))
    var resets: [StreamID] = []
    world.want = { if case .reset(let stream) = $0 { resets.append(stream) } }
    let listener = Endpoint(own, port: try #require(world.plan.devices.last).port)
    for number in 0..<1_025 as Range<UInt32> {
      world.take(
        .accepted(StreamID(.max - number), listener: StreamID(1), local: listener, remote: asker),
        at: .zero + .seconds(2))
    }
    expectEqual(resets, [StreamID(.max - 1_024)])
    world.advance(to: .zero + .milliseconds(31_999))
    expectEqual(resets.count, 1)
    world.advance(to: .zero + .seconds(32))
    expectEqual(resets.count, 1_025)
  }

  @Test("a datagram is counted by what became of it; none leaves for who is not there or from who has no address")
  func tally() throws {
    let (world, wire) = try make(
      """
      scenario: A pen
      duration: 60s
      engine: {address: 192.168.1.9}
      inhabitants:
        pen:
          kind: script
          lines:
            - {at: 1s, text: "plain"}
            - {at: 2s, text: "nobody", to: "192.168.1.9:50000"}
            - {at: 3s, text: "forged", from: 192.168.1.77}
            - {at: 4s, text: "without", from: "fd00::9"}
            - {at: 6s, text: "heard", to: "192.168.1.9:50000"}
      """)
    func counts(_ milliseconds: Int64) -> [Int] {
      world.advance(to: .zero + .milliseconds(milliseconds))
      let tally = world.tally
      return [tally.entered, tally.left, tally.forged, tally.forNobody, tally.withoutAddress]
    }
    expectEqual(
      [500, 1_500, 2_500, 3_500, 4_500].map(counts),
      [[0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 1, 0, 1, 0], [0, 2, 1, 1, 0], [0, 2, 1, 1, 1]])
    // Who was heard is there, whatever the scenario calls the address.
    let (group, outside) = (Endpoint(.ssdpGroup4, port: 1_900), Endpoint(IPAddress(192, 168, 1, 9), port: 50_000))
    Array("x".utf8).withUnsafeBytes {
      world.enter($0, from: outside, to: group, interface: InterfaceID(0), at: .zero + .seconds(5))
    }
    expectEqual(counts(6_500), [1, 3, 1, 1, 1])
    expectEqual(wire.left.map(\.text), ["plain", "forged", "heard"])
    expectEqual(wire.left.map(\.source), [Endpoint](repeating: Endpoint(own, port: 1_900), count: 3))
    expectEqual(wire.left.map(\.destination), [group, group, outside])
    let speeds = [nil, 10, 1, 0, -1].map { (speed: Int64?) -> Int64 in
      (speed.map { ServedWorld.Options(seed: Seed(1), speed: $0) } ?? ServedWorld.Options(seed: Seed(1))).speed
    }
    expectEqual(speeds, [1, 10, 1, 1, 1])
  }

  @Test("what cannot be served is said")
  func notes() throws {
    let yaml = two + "\ntimeline:\n  - {at: 1s, search: {id: 1}}\nexpect:\n  - {never: {lost: any}}"
    let (world, _) = try make(yaml)
    expectEqual(
      world.plan.notes,
      [
        "what the timeline asks of the engine is left out: the programs that search here are outside",
        "expectations are not judged: the engine is somebody else's",
      ])
  }
}
