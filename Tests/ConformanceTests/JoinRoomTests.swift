import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// Bounds of what is kept of searches, answers and announcements, without a judge around it.
@Suite("Room for searches and their answers") struct JoinRoomTests {
  private let searcher = Endpoint(IPAddress(192, 168, 1, 20), port: 50_000)
  private let group = Endpoint(.ssdpGroup4, port: 1_900)

  private func device(_ last: UInt8, port: UInt16 = 1_900) -> Endpoint {
    Endpoint(IPAddress(192, 168, 1, last), port: port)
  }

  /// A multicast search for anything.
  private func ask(at nanoseconds: Int64 = 0) -> Ask {
    Ask(
      target: Target(), time: Instant(nanoseconds: nanoseconds), to: group, isMulticast: true, maximumWaitSeconds: 3,
      flaw: .none)
  }

  /// Lets checks hear a message without fields, at the start of time.
  /// - Parameters:
  ///   - target: the number of its ST or NT.
  ///   - offer: the same in full.
  ///   - advert: the number of its USN with that; −1: it has none.
  private func hear(
    _ kind: SSDPKind, from source: Endpoint, to destination: Endpoint, target: Int32 = 0, offer: Target? = nil,
    advert: Int32 = -1, searchPort: Int32 = -1, _ checks: inout JoinChecks, _ collector: inout FindingCollector
  ) {
    let bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    var index = SSDPIndex()
    index.searchPort = searchPort
    withUnsafePointer(to: index) { pointer in
      let context = MessageContext(
        observation: Observation(time: .zero, position: 1, source: source, destination: destination, bytes: bytes),
        kind: kind, message: SSDPMessage(bytes: bytes, index: pointer), faults: FormFaults(),
        party: PartyID(0), role: kind == .search ? .controlPoint : .device, uuid: advert < 0 ? -1 : 0, usn: nil,
        target: offer ?? Target(number: target), advert: advert, claim: .uda20,
        isMulticast: destination.address.isMulticast)
      checks.hear(context, &collector)
    }
  }

  @Test("of 20000 senders announcements and SEARCHPORT are remembered; one more makes room among announcements alone")
  func senders() {
    expectEqual(JoinChecks(.capture).sourcesMaximum, 20_000)
    /// Of three devices, some of which announced themselves: whether an answer to it answers that, and whether its
    /// SEARCHPORT is known.
    func known(_ count: UInt8) -> [[Bool]] {
      var checks = JoinChecks(Circumstances(isComplete: true))
      var unused = FindingCollector { _ in true }
      checks.sourcesMaximum = 2
      for number in 1...count {
        hear(.notifyAlive, from: device(number), to: group, searchPort: 50_000, &checks, &unused)
      }
      let announced = (1...3).map { (number: UInt8) -> Bool in
        var (copy, collector) = (checks, FindingCollector { _ in true })
        hear(.response, from: device(9), to: device(number), &copy, &collector)
        return collector.tally(.noAnswer, PartyID(0)).violated == 1
      }
      let reachable = (1...3).map { (number: UInt8) -> Bool in
        var (copy, collector) = (checks, FindingCollector { _ in true })
        hear(.search, from: searcher, to: device(number, port: 50_000), &copy, &collector)
        return collector.tally(.toSearchPort, PartyID(0)).held == 1
      }
      return [announced, reachable]
    }
    expectEqual(known(1), [[true, false, false], [true, false, false]])
    expectEqual(known(2), [[true, true, false], [true, true, false]])
    expectEqual(known(3), [[false, false, true], [true, true, false]])
  }

  @Test("copies of 50000 searches are counted, and searches of 100000 sockets kept")
  func searches() {
    var (checks, collector) = (JoinChecks(.capture), FindingCollector { _ in true })
    let scene = FindingCollector.Scene(party: PartyID(0), claim: .uda20, time: .zero, position: 1)
    checks.series = Array(repeating: AskSeries(scene: scene, last: .zero, burstStart: .zero), count: 49_999)
    for target in [1, 2] as [Int32] {
      hear(.search, from: searcher, to: group, target: target, &checks, &collector)
      expectEqual(checks.series.count, 50_000)
    }

    var sockets = JoinSockets()
    sockets.asks = Array(repeating: [], count: 99_999)
    let sources = [50_000, 50_001].map { (port: UInt16) -> Endpoint in device(20, port: port) }
    for source in sources {
      expectEqual(sockets.add(ask(), from: source, horizon: .zero).count, 0)
      expectEqual(sockets.asks.count, 100_000)
    }
    expectEqual(sources.map { sockets.number(of: $0) }, [99_999, nil])
  }

  @Test("a search makes room among those of its socket: all from before the horizon go, and the oldest of sixty-four")
  func forgotten() {
    /// When those that go were sent, where the next one comes after these.
    func gone(_ times: [Int64], _ horizon: Int64) -> [Int64] {
      var sockets = JoinSockets()
      for time in times { _ = sockets.add(ask(at: time), from: searcher, horizon: .zero) }
      let gone = sockets.add(ask(at: 100), from: searcher, horizon: Instant(nanoseconds: horizon))
      expectEqual(sockets.asks.map(\.count), [times.count - gone.count + 1])
      return gone.map(\.ask.time.nanoseconds)
    }
    expectEqual(gone([], 5), [])
    expectEqual([0, 1].map { gone([0], $0) }, [[], [0]])
    expectEqual([0, 1, 2, 3].map { gone([0, 1, 2], $0) }, [[], [0], [0, 1], [0, 1, 2]])
    expectEqual([0, 2].map { gone(Array(0..<63), $0) }, [[], [0, 1]])
    expectEqual([0, 2].map { gone(Array(0..<64), $0) }, [[0], [0, 1]])
  }

  @Test("of a device 128 names are kept, each once, and of a search 1024 answers")
  func names() {
    var (checks, collector) = (JoinChecks(.capture), FindingCollector { _ in true })
    for number in 0..<129 as Range<Int32> {
      for _ in 0..<2 {
        hear(.notifyAlive, from: device(10), to: group, target: number, advert: number, &checks, &collector)
      }
    }
    expectEqual(checks.devices.map { $0.announced.map(\.number) }, [[Int32](0..<128)])

    checks = JoinChecks(.capture)
    _ = checks.sockets.add(ask(), from: searcher, horizon: .zero)
    // No answer below has one of these keys.
    checks.sockets.asks[0][0].answered = (0..<1_023).map { UInt64.max - $0 }
    for advert in [1, 2] as [Int32] {
      hear(.response, from: device(10), to: searcher, advert: advert, &checks, &collector)
      expectEqual(checks.sockets.asks[0][0].answered.count, 1_024)
    }
  }

  @Test("of a device with more names than are kept no answer is wrong for a name or a version that may be another one")
  func unkeptNames() {
    let type = Target(number: 500, form: .service, stem: 9, version: 1)
    /// How often an answer with this ST is wrong by both clauses, of a device that announced version 1 of a type as the
    /// last of so many names.
    func violated(_ count: Int32, _ offer: Target) -> [UInt32] {
      var (checks, collector) = (JoinChecks(Circumstances(isComplete: true)), FindingCollector { _ in true })
      for number in 0..<count {
        hear(.notifyAlive, from: device(10), to: group, target: number, advert: number, &checks, &collector)
      }
      checks.devices[0].announced[Int(count) - 1] = type
      (checks.devices[0].hasRoot, checks.devices[0].hasUUID, checks.devices[0].hasType) = (true, true, true)
      var search = ask()
      search.target = offer
      _ = checks.sockets.add(search, from: searcher, horizon: .zero)
      hear(.response, from: device(10), to: searcher, offer: offer, advert: 200, &checks, &collector)
      return [ClauseID.answerMatch, .answerHigher].map { collector.tally($0, PartyID(0)).violated }
    }
    var higher = type
    (higher.number, higher.version) = (501, 2)
    let other = Target(number: 600)
    expectEqual([type, higher, other].map { violated(127, $0) }, [[0, 0], [0, 1], [1, 0]])
    expectEqual([type, higher, other].map { violated(128, $0) }, [[0, 0], [0, 0], [0, 0]])
  }
}
