import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// LOCATIONs and addresses that were in force, or stand beside those that are: how long they are no news.
@Suite("Places before and beside") struct FormerPlaceTests {
  private let other = IPAddress(192, 168, 1, 30)
  private let third = IPAddress(192, 168, 1, 31)
  private let fourth = IPAddress(192, 168, 1, 32)
  private let ten = IPAddress(10, 0, 0, 20)

  private func location(_ number: Int) -> String { "http://192.168.1.20:8\(number)/d.xml" }

  private func news(_ number: Int, from old: Int) -> [Effect] {
    [changed(seen("tv", location(number)), .location(from: location(old)))]
  }

  // MARK: LOCATIONs

  @Test("a LOCATION that comes back in force makes no other that was before it be forgotten")
  func returning() {
    for short in [0, 1, 2] {
      var rig = EngineRig()
      for number in [0, 1, 2, 3] {
        _ = rig.hear(alive(location: location(number), maxAge: number == short ? "10" : "1000"), at: Double(number))
      }
      // Its promise is over, so that it is news.
      expectEqual(rig.hear(alive(location: location(short), maxAge: "1000"), at: 20), news(short, from: 3), "\(short)")
      for number in [0, 3, 1, 2, 0] {
        expectEqual(rig.hear(alive(location: location(number), maxAge: "1000"), at: 21), [], "\(short) \(number)")
      }
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }

  @Test("a message with a LOCATION of its own may change it as it likes, and may leave it out (D25)")
  func own() {
    var rig = EngineRig()
    expectEqual(rig.hear(alive(location: location(0), config: 1), at: 0), [found("tv", location(0))])
    expectEqual(rig.hear(alive("tv", "hnap:1", location: location(1)), at: 1), [])
    expectEqual(rig.hear(alive("tv", "hnap:1", location: location(2)), at: 2), [])
    expectEqual(rig.hear(alive("tv", "hnap:1", location: nil), from: other, at: 3), [])
    expectEqual(rig.hear(alive("tv", "hnap:1", location: "http://8.8.8.8/"), from: third, at: 4), [])
    // Once the device changed in any way it has a past, in which there is no LOCATION.
    let changedOtherwise = [changed(seen("tv", location(0)), .configID(from: 1))]
    expectEqual(rig.hear(alive(location: location(0), config: 2), at: 5), changedOtherwise)
    expectEqual(rig.hear(alive("tv", "hnap:2", location: nil), at: 6), [])
    expectEqual(rig.hear(alive("tv", "hnap:2", location: location(3)), at: 7), [])
    expectEqual(rig.hear(alive(location: location(0)), at: 8), [])
  }

  @Test("each message of what is in force prolongs it: what stands beside it comes in force when that is over")
  func beside() {
    let there = changed(seen("tv", location(0), from: other), .address(from: EngineRig.tv))
    let cases: [(Int, IPAddress, [Effect])] = [(1, EngineRig.tv, news(1, from: 0)), (0, other, [there])]
    for (number, source, told) in cases {
      for moment in [149.999, 150] {
        var rig = EngineRig()
        let text = alive("tv", "hnap:1", location: location(number), maxAge: "300")
        _ = rig.hear(alive(location: location(0), maxAge: "100"), at: 0)
        expectEqual(rig.hear(text, from: source, at: 0), [])
        expectEqual(rig.hear(text, from: source, at: 10), [], "\(number)")
        let bare = alive("tv", "hnap:1", location: nil, maxAge: "300")
        expectEqual(rig.hear(bare, from: source, at: 20), [], "\(number)")
        expectEqual(rig.hear(alive(location: location(0), maxAge: "100"), at: 50), [])
        expectEqual(rig.hear(text, from: source, at: moment), (moment < 150 ? [] : told), "\(number) \(moment)")
      }
    }
  }

  @Test("a device without LOCATION takes the first one from any message, on any interface, new or known")
  func firstLocation() {
    let told = changed(seen(), .location(from: nil))
    for isKnown in [true, false] {
      var rig = EngineRig()
      _ = rig.bring(1, [InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 8)], at: 0)
      let nowhere = alive(location: nil)
      expectEqual(rig.hear(nowhere, from: ten, on: 1, at: 0), [found("tv", nil, from: ten, on: 1)])
      if isKnown { expectEqual(rig.hear(alive("tv", "uuid:tv", location: nil), at: 1), []) }
      expectEqual(rig.hear(alive("tv", "uuid:tv"), at: 2), [told], "\(isKnown)")
      // It is in force there: what is heard on the other interface says nothing new.
      expectEqual(rig.hear(alive(location: "http://10.0.0.20/d.xml"), from: ten, on: 1, at: 3), [])
      expectEqual(rig.bring(1, [], at: 4), [])
      expectEqual(rig.bring(0, [], at: 5), [lost("tv", .interface)])
    }
  }

  // MARK: Addresses

  @Test("each message from an address from before prolongs its promise")
  func promiseOfAddress() {
    let text = alive(maxAge: "100")
    let back = [changed(seen(), .address(from: other))]
    for (moment, told) in [(120, []), (149.999, []), (150, back)] as [(Double, [Effect])] {
      var rig = EngineRig()
      _ = rig.hear(text, at: 0)
      expectEqual(rig.hear(text, from: other, at: 10), [changed(seen(from: other), .address(from: EngineRig.tv))])
      expectEqual(rig.hear(text, at: 50), [])
      expectEqual(rig.hear(text, from: other, at: 90), [])
      expectEqual(rig.hear(text, at: moment), told, "\(moment)")
    }
  }

  @Test("each message from a second address under the same BOOTID prolongs the promise of that address")
  func promiseOfSecondAddress() {
    let (text, bare) = (alive(maxAge: "100", boot: 7), alive(maxAge: "100"))
    let news = [changed(seen(from: other, boot: 7), .address(from: EngineRig.tv))]
    for (moment, told) in [(150, []), (189.999, []), (190, news)] as [(Double, [Effect])] {
      var rig = EngineRig()
      _ = rig.hear(text, at: 0)
      expectEqual(rig.hear(text, from: other, at: 1), [])
      expectEqual(rig.hear(text, at: 50), [])
      expectEqual(rig.hear(text, from: other, at: 90), [])
      expectEqual(rig.hear(text, at: 95), [])
      // Without a BOOTID nobody can tell that it is the same device but by that promise.
      expectEqual(rig.hear(bare, from: other, at: moment), told, "\(moment)")
    }
  }

  @Test("three further addresses are remembered, however often one of them is heard again")
  func furtherAddresses() {
    var rig = EngineRig()
    let (text, bare) = (alive(boot: 7), alive())
    expectEqual(rig.hear(text, at: 0), [found(boot: 7)])
    for (place, source) in [fourth, third, other, EngineRig.tv, other, EngineRig.tv, other, EngineRig.tv].enumerated() {
      expectEqual(rig.hear(text, from: source, at: Double(place) + 1), [])
    }
    for source in [fourth, third, other] { expectEqual(rig.hear(bare, from: source, at: 10), [], "\(source)") }
    expectEqual(rig.engine.brokenInvariants, [])
  }

  @Test("an address that was heard under the same BOOTID may end the device, though no message is from there any more")
  func mayEnd() {
    for isUpdate in [true, false] {
      var rig = EngineRig()
      _ = rig.hear(alive(boot: 7), at: 0)
      expectEqual(rig.hear(alive(boot: 7), from: other, at: 1), [])
      expectEqual(rig.hear(alive(boot: 7), at: 2), [])
      let text = isUpdate ? update(boot: 7, next: 8) : byebye(boot: 7)
      let told = isUpdate ? changed(seen(boot: 8), .bootID(from: 7)) : lost("tv", .byebye)
      expectEqual(rig.hear(text, from: other, at: 5), [told])
    }
  }

  @Test("a second address under the same BOOTID is no news even if what it says holds for no time")
  func noTime() {
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7), at: 0)
    _ = rig.hear(alive("tv", "uuid:tv", boot: 7), at: 0)
    expectEqual(rig.hear(alive(maxAge: "0", boot: 7), from: other, at: 1), [])
    expectEqual(rig.run(until: 5_000), [Timed(at(1_800), lost("tv", .expired))])
  }

  @Test("an address on an interface that is not in force is no news, also of a device without a LOCATION")
  func besideWithoutLocation() {
    var rig = EngineRig()
    expectEqual(rig.hear(alive(location: nil), at: 0), [found("tv", nil)])
    for address in [ten, IPAddress(10, 0, 0, 21)] {
      expectEqual(rig.hear(alive(location: nil), from: address, on: 1, at: 1), [])
    }
    expectEqual(
      rig.hear(alive(location: nil), from: other, at: 2),
      [
        changed(seen("tv", nil, from: other), .address(from: EngineRig.tv))
      ])
  }
}
