import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Interfaces") struct InterfaceTests {
  let v4 = [InterfaceAddress(EngineRig.ours, prefixBits: 24)]
  let v6 = [InterfaceAddress(IPAddress("fe80::2")!, prefixBits: 64)]
  let ten = [InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 8)]
  let zero = InterfaceID(0)

  @Test("an interface that comes up joins the groups of its families, once")
  func joins() {
    var rig = EngineRig(isUp: false)
    expectEqual(rig.bring(0, v4 + v6, at: 0), [.join(.ssdp(.v4), zero), .join(.ssdp(.v6), zero)])
    expectEqual(rig.bring(0, v4 + v6, at: 1), [])
    expectEqual(rig.bring(0, v4, at: 2), [.leave(.ssdp(.v6), zero)])
    expectEqual(rig.bring(0, [], at: 3), [])
    expectEqual(rig.bring(0, v4, at: 4), [.join(.ssdp(.v4), zero)])
  }

  @Test("what was heard on an interface that went down is lost with it")
  func down() {
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    expectEqual(rig.bring(0, [], at: 5), [lost("tv", .interface)])
    let text = alive()
    expectEqual(rig.hear(text, at: 6), [rejected(.wrongInterface, text, at: nil)])
    _ = rig.bring(0, v4, at: 7)
    expectEqual(rig.hear(text, at: 8), [found()])
  }

  @Test("on another network, the link never being down, what was heard by the family that moved is lost, and no more")
  func moves() {
    let (elsewhere, six) = ([InterfaceAddress(IPAddress(192, 168, 2, 2), prefixBits: 24)], IPAddress("fe80::20")!)
    let (far, beside) = (IPAddress(10, 0, 0, 20), IPAddress(192, 168, 2, 20))
    var rig = EngineRig()
    _ = rig.bring(0, v4 + v6, at: 0)
    _ = rig.bring(1, ten, at: 0)
    for name in ["four", "too"] { _ = rig.hear(alive(name, location: nil), at: 0) }
    _ = rig.hear(alive("six", location: nil), from: six, at: 0)
    _ = rig.hear(alive("far", location: nil), from: far, on: 1, at: 0)
    // Its groups are those of before.
    expectEqual(rig.bring(0, elsewhere + v6, at: 5), [lost("four", .interface), lost("too", .interface)])
    expectEqual(rig.engine.counters.devicesPresent, 2)
    expectEqual(rig.hear(alive("four", location: nil), from: beside, at: 6), [found("four", nil, from: beside)])
    expectEqual(rig.bring(0, v4 + v6, at: 7), [lost("four", .interface)])
    expectEqual(rig.engine.brokenInvariants, [])
    var deaf = EngineRig([.interfaceDownIgnored])
    _ = deaf.hear(alive(), at: 0)
    expectEqual(deaf.bring(0, elsewhere, at: 5), [])
  }

  @Test("with one more address, or with another one of its subnet, an interface is where it was")
  func stays() {
    let beside = IPAddress(192, 168, 1, 7)
    let cases: [[InterfaceAddress]] = [
      v4 + [InterfaceAddress(IPAddress(192, 168, 2, 2), prefixBits: 24)], [InterfaceAddress(beside, prefixBits: 24)],
      // The subnet has become smaller, or larger.
      [InterfaceAddress(beside, prefixBits: 26)], [InterfaceAddress(IPAddress(192, 168, 77, 2), prefixBits: 16)],
    ]
    for addresses in cases {
      var rig = EngineRig()
      _ = rig.hear(alive(), at: 0)
      expectEqual(rig.bring(0, addresses, at: 5), [], "\(addresses)")
      expectEqual(rig.engine.counters.devicesPresent, 1, "\(addresses)")
    }
  }

  @Test("a device that lives on another interface stays, under the LOCATION of that interface")
  func survives() {
    var rig = EngineRig()
    _ = rig.bring(1, ten, at: 0)
    let (location, address) = ("http://10.0.0.20/d.xml", IPAddress(10, 0, 0, 20))
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive(location: location), from: address, on: 1, at: 0)
    expectEqual(
      rig.bring(0, [], at: 5), [changed(seen("tv", location, from: address, on: 1), .location(from: tvLocation))])
    expectEqual(rig.bring(1, [], at: 6), [lost("tv", .interface)])
  }

  @Test("the interface that the LOCATION in force did not come from goes without a word")
  func silent() {
    var rig = EngineRig()
    _ = rig.bring(1, ten, at: 0)
    _ = rig.hear(alive(), at: 0)
    _ = rig.hear(alive(location: "http://10.0.0.20/d.xml"), from: IPAddress(10, 0, 0, 20), on: 1, at: 0)
    expectEqual(rig.bring(1, [], at: 5), [])
  }

  @Test("leases of one path that expire leave the device to the other")
  func expires() {
    var rig = EngineRig()
    _ = rig.bring(1, ten, at: 0)
    let (location, address) = ("http://10.0.0.20/d.xml", IPAddress(10, 0, 0, 20))
    _ = rig.hear(alive(maxAge: "10"), at: 0)
    _ = rig.hear(alive(location: location, maxAge: "20"), from: address, on: 1, at: 0)
    expectEqual(
      rig.run(until: 100),
      [
        Timed(at(10), changed(seen("tv", location, from: address, on: 1), .location(from: tvLocation))),
        Timed(at(20), lost("tv", .expired)),
      ])
  }

  @Test("a group that cannot be joined is told with what can be done (A4)")
  func refusedJoin() {
    var rig = EngineRig()
    let effects = rig.give(
      .refused(Refusal(deed: .join, interface: zero, address: .ssdpGroup4, port: 0)), at: 1)
    guard effects.count == 1, case .application(.failed(let failure)) = effects[0] else {
      Issue.record("expected one failure, found \(effects)")
      return
    }
    expectEqual(failure.reason, .cannotJoin)
    expectEqual(failure.interface, zero)
    expectEqual(failure.search, nil)
    #expect(failure.explanation.contains("239.255.255.250"))
    #expect(failure.explanation.contains("firewall"))
    #expect(failure.explanation.contains("so devices there are heard only while a search runs:"))
    // No search is answered there.
    let other = rig.give(
      .refused(Refusal(deed: .join, interface: zero, address: .mdnsGroup4, port: 5_353)), at: 2)
    guard other.count == 1, case .application(.failed(let second)) = other[0] else {
      Issue.record("expected one failure, found \(other)")
      return
    }
    #expect(second.explanation.contains("224.0.0.251"))
    #expect(second.explanation.contains("so services there are heard only where they answer this program alone:"))
  }

  @Test("stop loses every device in order, ends searches, leaves the groups, and is final")
  func stop() {
    var rig = EngineRig()
    for name in ["c", "a", "b"] { _ = rig.hear(alive(name, location: nil), at: 0) }
    _ = rig.command(.search(Search(id: SearchID(1), target: "ssdp:all")), at: 1)
    let outcome = SearchOutcome(search: SearchID(1), target: "ssdp:all", services: [], wasStopped: true)
    expectEqual(
      rig.command(.stop, at: 2),
      [
        .report(.searchEnded(outcome)), lost("c", .stopped), lost("a", .stopped), lost("b", .stopped),
        .leave(.ssdp(.v4), zero),
      ])
    expectEqual(rig.hear(alive(), at: 3), [])
    expectEqual(rig.engine.deadline, nil)
    expectEqual(rig.engine.counters.devicesPresent, 0)
    expectEqual(rig.engine.brokenInvariants, [])
  }
}
