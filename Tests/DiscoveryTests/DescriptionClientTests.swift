import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDiscovery

/// The client of descriptions as a value: it is given reports, streams and time, and all that it wants is compared.
@Suite("The client of descriptions") struct DescriptionClientTests {
  /// A client; each call answers with everything it wanted, as lines.
  private struct Rig {
    var client: DescriptionClient
    var outbox = Outbox(payloads: PayloadStore())

    /// With interface 0 at 10.0.0.1/24, unless `isUp` is false.
    init(
      _ faults: DescriptionFaults = [], isUp: Bool = true,
      _ configure: (inout DescriptionClient.Limits) -> Void = { _ in }
    ) {
      var limits = DescriptionClient.Limits()
      configure(&limits)
      client = DescriptionClient(limits: limits, userAgent: "test", faults: faults)
      if isUp { bring(0, IPAddress(10, 0, 0, 1)) }
    }

    /// An interface has these addresses from now on, each on a network of 24 bits.
    mutating func bring(_ interface: UInt16, _ own: IPAddress...) {
      let addresses = own.map { InterfaceAddress($0, prefixBits: 24) }
      client.take(
        InterfaceChange(interface: InterfaceID(interface), isUp: !addresses.isEmpty, addresses: addresses))
    }

    private mutating func answer() -> [String] {
      defer { outbox.removeAll() }
      return outbox.effects.map { effect in
        if case .streams(.write(let stream, let bytes)) = effect {
          // The first line of a request; all of it is compared where the engine asks.
          return "stream \(stream.number) asks \(String(decoding: bytes.prefix { $0 != 13 }, as: UTF8.self))"
        }
        return effect.value?.text ?? "a datagram"
      }
    }

    mutating func take(_ report: Report, at seconds: Double) -> [String] {
      client.take(report, at: at(seconds), into: &outbox)
      return answer()
    }

    /// A device that is called like the path of its description.
    static func sighting(
      _ device: String, host: String = "10.0.0.9", from source: IPAddress = IPAddress(10, 0, 0, 9),
      on interface: UInt16 = 0
    ) -> DeviceSighting {
      DeviceSighting(
        device: device, location: "http://\(host)/\(device)", source: source, interface: InterfaceID(interface),
        bootID: nil)
    }
    mutating func found(_ device: String, at seconds: Double = 0) -> [String] {
      take(.found(Rig.sighting(device)), at: seconds)
    }
    mutating func rebooted(_ device: String, at seconds: Double = 0) -> [String] {
      take(.changed(Rig.sighting(device), .bootID(from: 1)), at: seconds)
    }

    mutating func give(_ signal: StreamSignal, at seconds: Double) -> [String] {
      client.receive(signal, at: at(seconds), into: &outbox)
      return answer()
    }
    mutating func room(_ stream: UInt32, at seconds: Double = 0) -> [String] {
      give(.room(StreamID(stream), byteCount: 65_536), at: seconds)
    }
    mutating func hear(_ text: String, on stream: UInt32, at seconds: Double = 0) -> [String] {
      give(.bytes(StreamID(stream), Array(text.utf8)), at: seconds)
    }
    mutating func end(_ stream: UInt32, _ end: StreamEnd, at seconds: Double) -> [String] {
      give(.ended(StreamID(stream), end), at: seconds)
    }
    mutating func wake(at seconds: Double) -> [String] {
      client.advance(to: at(seconds), into: &outbox)
      return answer()
    }
    mutating func stop(at seconds: Double) -> [String] {
      client.stop(at: at(seconds), into: &outbox)
      return answer()
    }
  }

  private let whole = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 1\r\n\r\nx"
  private let came = "fetched 200 text/xml x"
  private let stopped = "failed stopped : the run ended first"
  private let gone =
    "failed interfaceGone : expected an address of ours on the link of 10.0.0.9, there is none any more"

  private func moved(_ reference: String) -> String {
    "HTTP/1.1 302 Found\r\nLocation: \(reference)\r\nContent-Length: 0\r\n\r\n"
  }

  /// The line of a fetch from 10.0.0.9.
  private func line(
    _ device: String, _ outcome: String, cause: String = "found", in duration: String = "0s", via: [String] = []
  ) -> String {
    let way = via.map { " via http://10.0.0.9/\($0)" }.joined()
    return "description \(device) \(cause) if0 in \(duration) http://10.0.0.9/\(device)\(way) \(outcome)"
  }
  private func connect(_ stream: Int) -> String { "stream \(stream) connect 10.0.0.9:80 if0" }

  // MARK: Time

  @Test("a description is asked for as soon as its stream stands, once, and the stream is given time to end")
  func one() {
    var rig = Rig()
    expectEqual(rig.client.deadline, .never)
    expectEqual(rig.found("a", at: 1), [connect(1)])
    expectEqual(rig.client.deadline, at(11))
    expectEqual(rig.room(1, at: 2), ["stream 1 asks GET /a HTTP/1.1"])
    expectEqual(rig.room(1, at: 2), [])
    expectEqual(rig.hear(whole, on: 1, at: 3), ["stream 1 finish", line("a", came, in: "2s")])
    expectEqual(rig.client.deadline, at(13))
    expectEqual(rig.wake(at: 12.999), [])
    expectEqual(rig.wake(at: 13), ["stream 1 reset"])
    expectEqual(rig.client.deadline, .never)
    expectEqual(rig.wake(at: 14), [])
  }

  @Test("of two under way the one that began first runs out of time first, and says how far it came")
  func patience() {
    var rig = Rig()
    expectEqual(rig.found("a"), [connect(1)])
    expectEqual(rig.found("b", at: 5), [connect(2)])
    let part = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<"
    expectEqual(rig.hear(part, on: 1, at: 6), [])
    expectEqual(rig.client.deadline, at(10))
    expectEqual(rig.wake(at: 9.999), [])
    let late = "expected the whole response within 10s,"
    expectEqual(
      rig.wake(at: 10),
      [
        "stream 1 reset",
        line("a", "failed timedOut status 200 : \(late) \(part.utf8.count) bytes came", in: "10s"),
      ])
    expectEqual(rig.client.deadline, at(15))
    // However late it is woken: it tells when the time was over.
    expectEqual(
      rig.wake(at: 20), ["stream 2 reset", line("b", "failed timedOut : \(late) 0 bytes came", in: "10s")])
    expectEqual(rig.client.deadline, .never)
  }

  @Test("streams that the other side does not end are ended one after the other, each at its own time")
  func closing() {
    var rig = Rig()
    for (number, device) in zip(1..., ["a", "b", "c"]) { expectEqual(rig.found(device), [connect(number)]) }
    expectEqual(rig.hear(whole, on: 1, at: 1), ["stream 1 finish", line("a", came, in: "1s")])
    expectEqual(rig.hear(whole, on: 2, at: 2), ["stream 2 finish", line("b", came, in: "2s")])
    expectEqual(rig.hear(whole, on: 3, at: 3), ["stream 3 finish", line("c", came, in: "3s")])
    expectEqual(rig.client.deadline, at(11))
    expectEqual(rig.wake(at: 11), ["stream 1 reset"])
    expectEqual(rig.client.deadline, at(12))
    expectEqual(rig.wake(at: 20), ["stream 2 reset", "stream 3 reset"])
    expectEqual(rig.client.deadline, .never)
  }

  @Test("as many streams as may wait are given time to end; where there are more the next one is cut off")
  func closingMaximum() {
    var rig = Rig { $0.queue.waitingMaximum = 1 }
    for (number, device) in zip(1..., ["a", "b", "c"]) { expectEqual(rig.found(device), [connect(number)]) }
    expectEqual(rig.hear(whole, on: 1, at: 1), ["stream 1 finish", line("a", came, in: "1s")])
    expectEqual(rig.hear(whole, on: 2, at: 1), ["stream 2 reset", line("b", came, in: "1s")])
    // The other side ends the first one, too.
    expectEqual(rig.end(1, .finished, at: 2), [])
    expectEqual(rig.client.deadline, at(10))
    expectEqual(rig.hear(whole, on: 3, at: 2), ["stream 3 finish", line("c", came, in: "2s")])
    expectEqual(rig.wake(at: 20), ["stream 3 reset"])
  }

  // MARK: Redirects

  @Test("each of several relative redirects starts where the one before led; the third is one too many")
  func relative() {
    var rig = Rig()
    expectEqual(rig.found("a/d.xml"), [connect(1)])
    expectEqual(rig.hear(moved("b/d.xml"), on: 1, at: 1), ["stream 1 finish", connect(2)])
    expectEqual(rig.room(2, at: 1), ["stream 2 asks GET /a/b/d.xml HTTP/1.1"])
    expectEqual(rig.hear(moved("c/d.xml"), on: 2, at: 2), ["stream 2 finish", connect(3)])
    expectEqual(rig.room(3, at: 2), ["stream 3 asks GET /a/b/c/d.xml HTTP/1.1"])
    let many = "failed tooManyRedirects status 302 : expected at most 2, next is http://10.0.0.9/a/b/c/d/d.xml"
    expectEqual(
      rig.hear(moved("d/d.xml"), on: 3, at: 3),
      [
        "stream 3 finish", line("a/d.xml", many, in: "3s", via: ["a/b/d.xml", "a/b/c/d.xml"]),
      ])
  }

  @Test("a redirect that leads back is told with its status, to LOCATION and to a redirect before")
  func loop() {
    var rig = Rig()
    expectEqual(rig.found("a"), [connect(1)])
    let itself = "failed redirectLoop status 302 : http://10.0.0.9/a leads back to itself"
    expectEqual(rig.hear(moved("/a"), on: 1), ["stream 1 finish", line("a", itself)])
    expectEqual(rig.found("b"), [connect(2)])
    expectEqual(rig.hear(moved("/c"), on: 2), ["stream 2 finish", connect(3)])
    let before = "failed redirectLoop status 302 : http://10.0.0.9/c leads back to itself"
    expectEqual(rig.hear(moved("/c"), on: 3), ["stream 3 finish", line("b", before, via: ["c"])])
  }

  @Test("a redirect off the link is refused with its status, and followed where nobody checks it")
  func offLink() {
    var rig = Rig()
    expectEqual(rig.found("a"), [connect(1)])
    let refused =
      "failed redirectRefused status 302 : redirected to http://192.0.2.1/x: expected 10.0.0.9 or a host on its link, "
      + "found 192.0.2.1: offLink (outOfScope)"
    expectEqual(rig.hear(moved("http://192.0.2.1/x"), on: 1), ["stream 1 finish", line("a", refused)])

    rig = Rig([.redirectsUnchecked])
    expectEqual(rig.found("a"), [connect(1)])
    expectEqual(
      rig.hear(moved("http://192.0.2.1/x"), on: 1), ["stream 1 finish", "stream 2 connect 192.0.2.1:80 if0"])
  }

  @Test("a redirect that comes when the interface is gone fails, and its old stream is ended only once")
  func redirectedWithoutInterface() {
    var rig = Rig()
    expectEqual(rig.found("a"), [connect(1)])
    rig.bring(0)
    expectEqual(rig.hear(moved("/b"), on: 1, at: 1), ["stream 1 finish", line("a", gone, in: "1s", via: ["b"])])
    expectEqual(rig.client.deadline, at(11))
    expectEqual(rig.wake(at: 11), ["stream 1 reset"])
  }

  // MARK: Interfaces and reports

  @Test("it asks from an address of ours on the link of the host, unless links do not matter")
  func links() {
    var rig = Rig(isUp: false)
    expectEqual(rig.found("a"), [line("a", gone)])
    expectEqual(rig.client.deadline, .never)
    rig.bring(0, IPAddress(10, 0, 1, 1))
    let beyond = "failed outOfScope : expected an address of ours on the link of 10.0.0.9, there is none"
    expectEqual(rig.found("b"), [line("b", beyond)])
    rig = Rig(isUp: false) { $0.asksBeyondLinks = true }
    expectEqual(rig.found("a"), [connect(1)])
  }

  @Test("a LOCATION is judged by the interface that heard it, as the interface is now")
  func interfaces() {
    var rig = Rig()
    rig.bring(1, IPAddress(10, 0, 1, 1))
    let (here, there) = (IPAddress(10, 0, 0, 8), IPAddress(10, 0, 1, 8))
    expectEqual(rig.take(.found(Rig.sighting("a", from: here)), at: 0), [connect(1)])
    expectEqual(
      rig.take(.found(Rig.sighting("b", host: "10.0.1.9", from: there, on: 1)), at: 0),
      [
        "stream 2 connect 10.0.1.9:80 if1"
      ])
    rig.bring(0, IPAddress(10, 0, 2, 1))
    let off = "failed outOfScope : expected 10.0.0.8 or a host on its link, found 10.0.0.9: offLink"
    expectEqual(rig.take(.found(Rig.sighting("c", from: here)), at: 0), [line("c", off)])
    expectEqual(
      rig.take(.found(Rig.sighting("d", host: "10.0.1.9", from: there, on: 1)), at: 0),
      [
        "stream 3 connect 10.0.1.9:80 if1"
      ])
  }

  @Test("what is not fetched is reported at once, and so is a change that finds no place to wait")
  func refused() {
    var rig = Rig { ($0.queue.connectionsMaximum, $0.queue.waitingMaximum) = (1, 1) }
    var nowhere = Rig.sighting("n")
    nowhere[.location] = nil
    expectEqual(
      rig.take(.found(nowhere), at: 0),
      [
        "description n found if0 in 0s - failed noLocation : "
          + "expected a LOCATION on the link of 10.0.0.9, found none that may be used"
      ])
    let full = "failed queueFull : expected at most 1 descriptions to wait for a connection"
    expectEqual(rig.found("a"), [connect(1)])
    expectEqual(rig.found("b"), [])
    expectEqual(rig.found("c"), [line("c", full)])
    expectEqual(rig.rebooted("a", at: 1), [])
    expectEqual(
      rig.end(1, .refused, at: 2),
      [
        line("a", "failed connectionRefused : expected somebody to listen at 10.0.0.9:80", in: "2s"),
        line("a", full, cause: "bootID"), connect(2),
      ])
  }

  @Test("the most that were under way at a time are remembered")
  func peak() {
    var rig = Rig()
    expectEqual(rig.client.attemptsPeak, 0)
    for (number, device) in zip(1..., ["a", "b"]) {
      expectEqual(rig.found(device), [connect(number)])
      expectEqual(rig.client.attemptsPeak, number)
    }
    for stream: UInt32 in 1...2 { expectEqual(rig.hear(whole, on: stream).count, 2) }
    expectEqual(rig.found("c"), [connect(3)])
    expectEqual(rig.client.attemptsPeak, 2)
  }

  @Test("thousands that cannot be asked for any more fail one after the other, not one within the other")
  func manyFail() {
    let count = 4_000
    var rig = Rig { ($0.queue.connectionsMaximum, $0.queue.waitingMaximum) = (1, count) }
    expectEqual(rig.found("first"), [connect(1)])
    var early: [String] = []
    for number in 0..<count { early += rig.found("d\(number)") }
    expectEqual(early, [])
    rig.bring(0)
    let first = line("first", "failed connectionRefused : expected somebody to listen at 10.0.0.9:80", in: "1s")
    // Compared before: so many lines are not to be shown.
    let isEach = rig.end(1, .refused, at: 1) == [first] + (0..<count).map { line("d\($0)", gone) }
    #expect(isEach)
    expectEqual(rig.client.attemptsPeak, 1)
  }

  // MARK: The end

  @Test("at the end what is under way and what waits is reported as stopped, in order, and nothing after it")
  func stop() {
    var rig = Rig { $0.queue.connectionsMaximum = 2 }
    for device in ["a", "b", "c", "d"] { _ = rig.found(device) }
    expectEqual(
      rig.stop(at: 3),
      [
        "stream 1 reset", line("a", stopped, in: "3s"), "stream 2 reset", line("b", stopped, in: "3s"),
        line("c", stopped), line("d", stopped),
      ])
    expectEqual(rig.stop(at: 4), [])
    expectEqual(rig.found("e", at: 4), [])
    expectEqual(rig.take(.lost(device: "c", cause: .byebye), at: 4), [])
    var nowhere = Rig.sighting("n")
    nowhere[.location] = nil
    expectEqual(rig.take(.found(nowhere), at: 4), [])
    expectEqual(rig.hear(whole, on: 1, at: 4), [])
    expectEqual(rig.client.deadline, .never)
    expectEqual(rig.wake(at: 100), [])
  }

  @Test("where nothing is under way the end is quiet, and still the end")
  func stopIdle() {
    var rig = Rig()
    expectEqual(rig.stop(at: 1), [])
    expectEqual(rig.found("a", at: 2), [])
    expectEqual(rig.client.attemptsPeak, 0)
  }

  @Test("what was to be fetched again is stopped as well where it has a place to wait")
  func stopAgain() {
    var rig = Rig()
    expectEqual(rig.found("a"), [connect(1)])
    expectEqual(rig.rebooted("a", at: 1), [])
    expectEqual(
      rig.stop(at: 2),
      [
        "stream 1 reset", line("a", stopped, in: "2s"), line("a", stopped, cause: "bootID"),
      ])

    rig = Rig { ($0.queue.connectionsMaximum, $0.queue.waitingMaximum) = (1, 1) }
    expectEqual(rig.found("a"), [connect(1)])
    expectEqual(rig.found("b"), [])
    expectEqual(rig.rebooted("a", at: 1), [])
    expectEqual(rig.stop(at: 2), ["stream 1 reset", line("a", stopped, in: "2s"), line("b", stopped)])
  }

  // MARK: Faults

  @Test("each fault has a bit of its own, and together they fill a byte")
  func bits() {
    let all: [DescriptionFaults] = [
      .statusIgnored, .cutAccepted, .unbounded, .patienceMissing, .notAgain, .allAtOnce, .redirectsIgnored,
      .redirectsUnchecked,
    ]
    expectEqual(all.map(\.rawValue), [1, 2, 4, 8, 16, 32, 64, 128])
    expectEqual(all.reduce(into: DescriptionFaults()) { $0.formUnion($1) }.rawValue, 255)
  }

  @Test(
    "a body is bounded by what it says of itself: a mebibyte, and a gibibyte with the fault that forgets the bound",
    arguments: [([], 1 << 20), (.unbounded, 1 << 30)] as [(DescriptionFaults, Int)])
  func bodies(faults: DescriptionFaults, byteCount: Int) {
    func head(_ count: Int) -> String { "HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n" }
    var rig = Rig(faults)
    expectEqual(rig.found("a"), [connect(1)])
    expectEqual(rig.found("b"), [connect(2)])
    expectEqual(rig.hear(head(byteCount), on: 1), [])
    // The length stands behind the first line and the name of its field.
    let long =
      "failed tooLong status 200 : expected a response with a body of at most 1048576 bytes, "
      + "found bodyTooLong at byte 33"
    expectEqual(rig.hear(head(byteCount + 1), on: 2), ["stream 2 reset", line("b", long)])
  }

  @Test("a device that restarted is asked again, but for the fault that forgets it")
  func again() {
    var rig = Rig()
    expectEqual(rig.found("a"), [connect(1)])
    expectEqual(rig.hear(whole, on: 1), ["stream 1 finish", line("a", came)])
    expectEqual(rig.rebooted("a", at: 1), [connect(2)])

    rig = Rig([.notAgain])
    expectEqual(rig.found("a"), [connect(1)])
    expectEqual(rig.hear(whole, on: 1), ["stream 1 finish", line("a", came)])
    expectEqual(rig.rebooted("a", at: 1), [])
  }

  // MARK: The engine

  /// What an engine says of streams and descriptions.
  private func lines(_ effects: [Effect]) -> [String] {
    effects.compactMap { effect in
      switch effect {
      case .streams, .application(.description): effect.value?.text
      default: nil
      }
    }
  }

  @Test(
    "an engine that is to stop, or to fetch no more, ends the fetches", arguments: [Command.stop, .stopDescriptions])
  func engineStops(command: Command) {
    var rig = EngineRig { $0.descriptions = .fetch }
    expectEqual(lines(rig.hear(alive(), at: 1)), ["stream 1 connect 192.168.1.20:80 if0"])
    expectEqual(
      lines(rig.command(command, at: 3)),
      [
        "stream 1 reset",
        "description uuid:tv found if0 in 2s http://192.168.1.20:80/d.xml failed stopped : the run ended first",
      ])
    expectEqual(lines(rig.hear(alive("radio", location: "http://192.168.1.20:80/r.xml"), at: 4)), [])
  }

  @Test(
    "an engine asks in the name that its owner gave it, or in its own",
    arguments: [(nil, "Rollcall/1.0"), ("nearby/2", "nearby/2")] as [(String?, String)])
  func userAgent(given: String?, sent: String) {
    var rig = EngineRig {
      $0.descriptions = .fetch
      $0.userAgent = given
    }
    expectEqual(lines(rig.hear(alive(), at: 1)), ["stream 1 connect 192.168.1.20:80 if0"])
    expectEqual(
      lines(rig.give(.streams(.room(StreamID(1), byteCount: 65_536)), at: 1)),
      [
        #"stream 1 write GET /d.xml HTTP/1.1\r\nHOST: 192.168.1.20:80\r\nUSER-AGENT: "# + sent
          + #"\r\nACCEPT: text/xml, */*\r\nACCEPT-ENCODING: identity\r\nCONNECTION: close\r\n\r\n"#
      ])
  }
}
