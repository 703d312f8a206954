import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Each bound from both sides, each tie in both orders, two of everything.
@Suite("Edges of the engine") struct EdgeTests {
  private func address(_ number: Int) -> IPAddress { IPAddress(192, 168, 1, UInt8(number)) }

  private func socket(_ number: Int) -> Endpoint { Endpoint(EngineRig.ours, port: UInt16(49_152 + number)) }

  private func ended(_ search: UInt32, _ services: [ServiceSighting] = []) -> Effect {
    .report(
      .searchEnded(
        SearchOutcome(search: SearchID(search), target: "ssdp:all", services: services, wasStopped: false)))
  }

  private func service(_ uuid: String, search: UInt32) -> ServiceSighting {
    ServiceSighting(
      search: SearchID(search), device: "uuid:\(uuid)", usn: usn(uuid, "upnp:rootdevice"), target: "upnp:rootdevice",
      location: tvLocation)
  }

  // MARK: Searches

  @Test("what may just be searched for is sent, what is a step beyond is not")
  func searches() {
    func isSent(_ wait: Int = 3, _ copies: Int = 3, _ spacing: Interval? = nil, targetBytes: Int = 8) -> Bool {
      var rig = EngineRig()
      let search = Search(
        id: SearchID(1), target: String(repeating: "a", count: targetBytes), maximumWaitSeconds: wait,
        broadcasts: copies, spacing: spacing)
      _ = rig.command(.search(search), at: 0)
      return !rig.sent.isEmpty && rig.engine.openSearchCount == 1
    }
    expectEqual([0, 1, 5, 6].map { isSent($0) }, [false, true, true, false])
    expectEqual([0, 1, 10, 11].map { isSent(3, $0) }, [false, true, true, false])
    let spacings: [Interval] = [
      .nanoseconds(-1), .zero, .nanoseconds(1), .seconds(3), .seconds(3) + .nanoseconds(1),
    ]
    expectEqual(spacings.map { isSent(3, 3, $0) }, [false, true, true, true, false])
    expectEqual([1, 512, 513].map { isSent(targetBytes: $0) }, [true, true, false])
  }

  @Test("a search hears up to a tenth of a second after MX and not at that very moment")
  func searchEnd() {
    for (moment, isHeard) in [(1.099, true), (1.1, false)] {
      var rig = EngineRig()
      _ = rig.command(
        .search(Search(id: SearchID(1), target: "ssdp:all", maximumWaitSeconds: 1, broadcasts: 1)), at: 0)
      let text = response()
      let told = rig.hear(text, to: socket(0), at: moment)
      if isHeard {
        expectEqual(told, [found(), .report(.service(service("tv", search: 1)))])
        expectEqual(rig.wake(at: 1.1), [ended(1, [service("tv", search: 1)])])
      } else {
        expectEqual(told, [ended(1), rejected(.searchOver, text, at: nil)])
      }
    }
  }

  @Test("searches that end at one moment end in the order in which they began, whatever their numbers")
  func searchesAtOnce() {
    for order: [UInt32] in [[1, 2, 3], [3, 1, 2]] {
      var rig = EngineRig()
      for number in order {
        _ = rig.command(
          .search(Search(id: SearchID(number), target: "ssdp:all", maximumWaitSeconds: 1, broadcasts: 1)), at: 0)
      }
      expectEqual(rig.wake(at: 1.1), order.map { ended($0) })
    }
  }

  @Test("at one moment leases end before searches, whichever began first")
  func leaseBeforeSearch() {
    for searchFirst in [true, false] {
      var rig = EngineRig()
      let search = Search(id: SearchID(1), target: "ssdp:all", maximumWaitSeconds: 2, broadcasts: 1)
      // Both end at 3 s.
      if searchFirst { _ = rig.command(.search(search), at: 0.9) }
      expectEqual(rig.hear(alive(maxAge: searchFirst ? "2" : "3"), at: searchFirst ? 1 : 0), [found()])
      if !searchFirst { _ = rig.command(.search(search), at: 0.9) }
      expectEqual(rig.run(until: 10), [Timed(at(3), lost("tv", .expired)), Timed(at(3), ended(1))])
    }
  }

  @Test("the last 64 sockets of searches that are over are known for what they were")
  func closedSockets() {
    for (extra, reason) in [(0, RejectionReason.searchOver), (1, .noOpenSearch)] {
      var rig = EngineRig()
      for number in 0..<(64 + extra) {
        _ = rig.command(.search(Search(id: SearchID(UInt32(number)), target: "ssdp:all")), at: 0)
        _ = rig.command(.stopSearch(SearchID(UInt32(number))), at: 0)
      }
      let text = response()
      expectEqual(rig.hear(text, to: socket(0), at: 1), [rejected(reason, text, at: nil)])
      expectEqual(rig.hear(text, to: socket(1), at: 1), [rejected(.searchOver, text, at: nil)])
    }
  }

  @Test("a search keeps as many services as it may, and the device of the next is found all the same")
  func services() {
    var rig = EngineRig { $0.limits.servicesPerSearch = 2 }
    _ = rig.command(.search(Search(id: SearchID(1), target: "ssdp:all", maximumWaitSeconds: 1, broadcasts: 1)), at: 0)
    for name in ["a", "b"] {
      expectEqual(
        rig.hear(response(name), to: socket(0), at: 0.5), [found(name), .report(.service(service(name, search: 1)))])
    }
    expectEqual(rig.hear(response("c"), to: socket(0), at: 0.5), [found("c")])
    expectEqual(rig.wake(at: 1.1), [ended(1, [service("a", search: 1), service("b", search: 1)])])
  }

  @Test("two searches with one answer each hear their own, in either order")
  func twoSearches() {
    for order in [[0, 1], [1, 0]] {
      var rig = EngineRig()
      for number in 0..<2 {
        _ = rig.command(
          .search(Search(id: SearchID(UInt32(number)), target: "ssdp:all", maximumWaitSeconds: 1, broadcasts: 1)),
          at: 0)
      }
      for number in order { _ = rig.hear(response("d\(number)"), to: socket(number), at: 0.5) }
      expectEqual(rig.wake(at: 1.1), (0..<2).map { ended(UInt32($0), [service("d\($0)", search: UInt32($0))]) })
    }
  }

  // MARK: Leases

  @Test("devices whose leases end at one moment are lost in the order in which they came, however they were renewed")
  func lostAtOnce() {
    for renewals in [["c", "a", "b"], ["b", "a", "c"]] {
      var rig = EngineRig()
      for name in ["c", "a", "b"] { _ = rig.hear(alive(name, location: nil, maxAge: "10"), at: 0) }
      for name in renewals { _ = rig.hear(alive(name, location: nil, maxAge: "10"), at: 5) }
      expectEqual(rig.run(until: 20), ["c", "a", "b"].map { Timed(at(15), lost($0, .expired)) })
    }
  }

  @Test(
    "a max-age never wraps: of any width it is the longest lease",
    arguments: [
      "5001", "65536", "65537", "2147483648", "4294967295", "4294967296", "4294967297", "9223372036854775808",
      "18446744073709551616", "18446744073709551617",
    ])
  func wideMaxAge(maxAge: String) {
    var rig = EngineRig { $0.leaseMaximumSeconds = 5_000 }
    _ = rig.hear(alive(maxAge: maxAge), at: 0)
    expectEqual(rig.run(until: 6_000), [Timed(at(5_000), lost("tv", .expired))])
  }

  @Test("a lease of just the longest is not cut, one of a second is a second")
  func narrowMaxAge() {
    for seconds in [1, 4_999, 5_000] {
      var rig = EngineRig { $0.leaseMaximumSeconds = 5_000 }
      _ = rig.hear(alive(maxAge: "\(seconds)"), at: 0)
      expectEqual(rig.run(until: 6_000), [Timed(at(Double(seconds)), lost("tv", .expired))])
    }
  }

  // MARK: Names

  @Test("names of as many bytes as may be are taken, one more is refused at that byte")
  func nameBytes() {
    // `uuid:` and `::upnp:rootdevice` stand around the UUID.
    let room = 512 - "uuid:::upnp:rootdevice".utf8.count
    var rig = EngineRig()
    let longest = String(repeating: "a", count: room)
    expectEqual(rig.hear(alive(longest), at: 0), [found(longest)])
    let text = alive(longest + "a")
    let end = text.utf8.distance(from: text.startIndex, to: text.range(of: "USN: ")!.upperBound) + 512
    expectEqual(rig.hear(text, at: 0), [.report(.rejected(Rejection(.tooLong, at: end)))])
    let target = String(repeating: "t", count: 512)
    expectEqual(rig.hear(alive("tv", target, usn: "uuid:tv", location: nil), at: 0), [found("tv", nil)])
    let wide = alive("tv", target + "t", usn: "uuid:tv")
    let place = wide.utf8.distance(from: wide.startIndex, to: wide.range(of: "NT: ")!.upperBound) + 512
    expectEqual(rig.hear(wide, at: 0), [.report(.rejected(Rejection(.tooLong, at: place)))])
  }

  @Test("a LOCATION of as many bytes as may be is told, a longer one counts as none")
  func locationBytes() {
    func location(_ bytes: Int) -> String {
      "http://192.168.1.20/" + String(repeating: "x", count: bytes - "http://192.168.1.20/".utf8.count)
    }
    var rig = EngineRig()
    expectEqual(rig.hear(alive("a", location: location(1_024)), at: 0), [found("a", location(1_024))])
    expectEqual(rig.hear(alive("b", location: location(1_025)), at: 0), [found("b", nil)])
  }

  // MARK: Bounds

  @Test("as many devices that said byebye are remembered as may be; the oldest is forgotten first")
  func tombstones() {
    var rig = EngineRig { $0.limits.tombstones = 2 }
    for name in ["a", "b", "c"] { _ = rig.hear(alive(name, location: nil), at: 0) }
    for name in ["a", "b", "c"] { expectEqual(rig.hear(byebye(name), at: 10), [lost(name, .byebye)]) }
    for name in ["b", "c"] {
      let text = alive(name, location: nil)
      expectEqual(rig.hear(text, at: 10.5), [rejected(.staleAfterByebye, text)])
    }
    expectEqual(rig.hear(alive("a", location: nil), at: 10.5), [found("a", nil)])
  }

  @Test("an address fills its share exactly, and a lease that ends makes room for one")
  func perSource() {
    var rig = EngineRig { $0.limits.entriesPerSource = 2 }
    expectEqual(rig.hear(alive("a", location: nil, maxAge: "10"), at: 0), [found("a", nil)])
    expectEqual(rig.hear(alive("b", location: nil), at: 0), [found("b", nil)])
    let text = alive("c", location: nil)
    expectEqual(rig.hear(text, at: 9.999), [rejected(.overSource, text)])
    expectEqual(rig.hear(text, at: 10), [lost("a", .expired), found("c", nil)])
    // Another address has a share of its own.
    expectEqual(rig.hear(alive("d", location: nil), from: address(30), at: 10), [found("d", nil, from: address(30))])
  }

  @Test("of two devices that were heard last at one moment the one that came first makes room")
  func evictionTie() {
    for order in [["a", "b"], ["b", "a"]] {
      var rig = EngineRig { $0.limits.entriesTotal = 2 }
      for name in order { _ = rig.hear(alive(name, location: nil), at: 0) }
      for name in order.reversed() { _ = rig.hear(alive(name, location: nil), at: 5) }
      expectEqual(rig.hear(alive("c", location: nil), at: 6), [lost(order[0], .evicted), found("c", nil)])
    }
  }
}
