import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

/// What is late, what is new and what is nothing: each moment from both sides, on each of two paths.
@Suite("Moments and paths") struct MomentTests {
  private let other = IPAddress(192, 168, 1, 66)
  private let v6 = IPAddress("fe80::20")!
  private let v6Location = "http://[fe80::20]/d.xml"
  private let ten = IPAddress(10, 0, 0, 20)
  private let tenLocation = "http://10.0.0.20/d.xml"
  private let service = "urn:x:service:Y:1"

  private func late(_ text: String) -> [Effect] { [rejected(.staleAfterByebye, text)] }

  /// An engine with a second interface, which is up at 10.0.0.2/8.
  private func twoInterfaces() -> EngineRig {
    var rig = EngineRig()
    _ = rig.bring(1, [InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 8)], at: 0)
    return rig
  }

  // MARK: Leases

  @Test("whatever comes at the very end of a lease finds the device expired, and nothing else")
  func endOfLease() {
    func rig() -> EngineRig {
      var rig = EngineRig()
      _ = rig.hear(alive(maxAge: "10", boot: 7), at: 0)
      return rig
    }
    let expired = lost("tv", .expired)
    var heard = rig()
    expectEqual(heard.hear(byebye(boot: 7), at: 10), [expired])
    // No byebye was one, so nothing is late.
    expectEqual(heard.hear(alive(boot: 7), at: 10), [found(boot: 7)])
    heard = rig()
    expectEqual(heard.hear(update(boot: 7, next: 8), at: 10), [expired])
    heard = rig()
    expectEqual(heard.hear(alive(boot: 8), at: 10), [expired, found(boot: 8)])
    heard = rig()
    expectEqual(heard.hear(alive("part", "uuid:part", boot: 7), at: 10), [expired, found("part", boot: 7)])
    heard = rig()
    expectEqual(heard.bring(0, [], at: 10), [expired])
    heard = rig()
    expectEqual(heard.command(.hold(device: "uuid:tv"), at: 10), [expired])
    heard = rig()
    expectEqual(heard.command(.stop, at: 10), [expired, .leave(.ssdp(.v4), InterfaceID(0))])
    heard = rig()
    expectEqual(heard.hear(byebye(boot: 7), at: 9.999), [lost("tv", .byebye)])
  }

  @Test("devices whose leases take turns and end at one moment are lost once each; a part of the leases is no loss")
  func interleaved() {
    var rig = EngineRig()
    for (name, target, maxAge) in [
      ("a", "upnp:rootdevice", "10"), ("b", "upnp:rootdevice", "10"), ("a", "uuid:a", "10"), ("b", service, "10"),
      ("c", "upnp:rootdevice", "10"), ("c", service, "12"),
    ] {
      _ = rig.hear(alive(name, target, location: nil, maxAge: maxAge), at: 0)
    }
    expectEqual(
      rig.run(until: 100),
      [
        Timed(at(10), lost("a", .expired)), Timed(at(10), lost("b", .expired)), Timed(at(12), lost("c", .expired)),
      ])
  }

  @Test("what is known of a USN with an NT is told with the end of its lease, and not told of any other")
  func standing() {
    var rig = twoInterfaces()
    _ = rig.hear(alive(maxAge: "100"), at: 0)
    _ = rig.hear(alive("tv", service, usn: "uuid:TV", maxAge: "50"), at: 0)
    func told(
      _ name: String, _ target: String, _ family: IPAddress.Family = .v4, on interface: UInt16 = 0
    ) -> Standing {
      rig.engine.standing(usn: Array(name.utf8), target: Array(target.utf8), family, on: InterfaceID(interface))
    }
    func known(until seconds: Double? = nil, isPresent: Bool = true) -> Standing {
      var known = Standing()
      (known.device, known.isPresent, known.leaseEnd) = ("uuid:tv", isPresent, seconds.map { at($0) })
      return known
    }
    let (root, name) = ("upnp:rootdevice", "uuid:tv::upnp:rootdevice")
    expectEqual(told(name, root), known(until: 100))
    expectEqual(told("UUID:TV::upnp:rootdevice", root), known(until: 100))
    expectEqual(told("uuid:tv", service), known(until: 50))
    for unknown in [
      told("uuid:tv", root), told(name, service), told("uuid:tv::\(service)", service), told(name, "upnp:rootdevicE"),
      told(name, root, .v6), told(name, root, on: 1), told(name, root, on: 7),
    ] {
      expectEqual(unknown, known())
    }
    expectEqual(told("uuid:t", root), Standing())
    expectEqual(told("upnp:rootdevice", root), Standing())
    _ = rig.hear(byebye(), at: 1)
    expectEqual(told(name, root), known(isPresent: false))
  }

  // MARK: BOOTID, CONFIGID, update

  @Test("BOOTID and CONFIGID take every number of 31 bits, and none beyond")
  func numbers() {
    var rig = EngineRig()
    var clock = 0.0
    func hear(boot: Int? = nil, config: Int? = nil) -> [Effect] {
      clock += 10
      return rig.hear(alive(boot: boot, config: config), at: clock)
    }
    expectEqual(hear(boot: 0, config: 0), [found(boot: 0)])
    var before: UInt32 = 0
    for config: UInt32 in [1, 16_777_215, 16_777_216, 2_147_483_647, 0] {
      expectEqual(hear(config: Int(config)), [changed(seen(boot: 0), .configID(from: before))])
      before = config
    }
    for boot: UInt32 in [1, 2_147_483_646, 2_147_483_647, 0] {
      expectEqual(hear(boot: Int(boot)), [lost("tv", .rebooted), found(boot: boot)])
    }
    expectEqual(hear(boot: 2_147_483_648, config: 2_147_483_648), [])
    expectEqual(hear(boot: 0), [])
  }

  @Test("the CONFIGID before is late for a second, of the root alone, and forgotten with the boot")
  func configID() {
    for (moment, isTold) in [(5.999, false), (6, true)] {
      var rig = EngineRig()
      _ = rig.hear(alive(config: 1), at: 0)
      expectEqual(rig.hear(alive("part", "uuid:part", config: 9), at: 1), [])
      expectEqual(rig.hear(alive(config: 2), at: 5), [changed(seen(), .configID(from: 1))])
      expectEqual(rig.hear(alive(config: 1), at: moment), (isTold ? [changed(seen(), .configID(from: 2))] : []))
    }
    var rig = EngineRig()
    _ = rig.hear(alive(boot: 7, config: 1), at: 0)
    expectEqual(rig.hear(alive(boot: 7, config: 2), at: 5), [changed(seen(boot: 7), .configID(from: 1))])
    expectEqual(rig.hear(alive(boot: 8, config: 3), at: 5.25), [lost("tv", .rebooted), found(boot: 8)])
    expectEqual(rig.hear(alive(boot: 8, config: 1), at: 5.5), [changed(seen(boot: 8), .configID(from: 3))])
  }

  @Test("an update is told with the BOOTID on record, or none; one of a boot that nobody heard brings its CONFIGID")
  func updates() {
    func text(boot: Int?, config: Int? = nil, next: Int?) -> String {
      alive(
        "tv", maxAge: nil, boot: boot, config: config, extra: next.map { "NEXTBOOTID.UPNP.ORG: \($0)" },
        nts: "ssdp:update")
    }
    var rig = EngineRig()
    _ = rig.hear(alive(), at: 0)
    expectEqual(rig.hear(text(boot: 7, next: nil), at: 1), [])
    expectEqual(rig.hear(text(boot: 7, next: 8), at: 1), [changed(seen(boot: 8), .bootID(from: nil))])
    expectEqual(rig.hear(text(boot: nil, next: 8), at: 1), [])
    expectEqual(rig.hear(text(boot: nil, next: 9), at: 1), [changed(seen(boot: 9), .bootID(from: 8))])
    expectEqual(rig.engine.counters.devicesEver, 1)

    rig = EngineRig()
    _ = rig.hear(alive(boot: 7, config: 1), at: 0)
    expectEqual(rig.hear(text(boot: 8, config: 3, next: 9), at: 5), [lost("tv", .rebooted), found(boot: 9)])
    #expect(rig.engine.counters.devicesEver == 2 && rig.engine.counters.devicesPresent == 1)
    expectEqual(rig.hear(alive(boot: 9, config: 3), at: 6), [])
    expectEqual(rig.hear(alive(boot: 9, config: 4), at: 7), [changed(seen(boot: 9), .configID(from: 3))])
  }

  @Test("an update back to the BOOTID before is late for a second; so is the first message of a part of that boot")
  func bootBefore() {
    let (back, part) = (update(boot: 8, next: 7), alive("part", "uuid:part", boot: 7))
    for (moment, isLate) in [(5.999, true), (6, false)] {
      var rig = EngineRig()
      _ = rig.hear(alive(boot: 7), at: 0)
      _ = rig.hear(update(boot: 7, next: 8), at: 5)
      let told = isLate ? [rejected(.staleBootID, back)] : [changed(seen(boot: 7), .bootID(from: 8))]
      expectEqual(rig.hear(back, at: moment), told)

      rig = EngineRig()
      _ = rig.hear(alive(boot: 7), at: 0)
      _ = rig.hear(alive(boot: 8), at: 5)
      let reboot = [lost("tv", .rebooted), found(boot: 7)]
      expectEqual(rig.hear(part, at: moment), (isLate ? [rejected(.staleBootID, part)] : reboot))
      expectEqual(rig.engine.counters.openLeases, 1)
      expectEqual(rig.engine.brokenInvariants, [])
    }
  }

  // MARK: byebye on one of two paths

  @Test("a byebye on one interface leaves the other as it is, and makes only what comes by that interface late")
  func byebyeOnOneInterface() {
    var rig = twoInterfaces()
    let there = alive(location: tenLocation)
    _ = rig.hear(alive(), at: 0)
    expectEqual(rig.hear(there, from: ten, on: 1, at: 0), [])
    expectEqual(rig.hear(byebye(), from: ten, on: 1, at: 1), [])
    expectEqual(rig.engine.counters.openLeases, 1)
    expectEqual(rig.hear(there, from: ten, on: 1, at: 1.999), late(there))
    expectEqual(rig.hear(alive(), at: 1.999), [])
    expectEqual(rig.hear(there, from: ten, on: 1, at: 2), [])
    expectEqual(rig.engine.counters.openLeases, 2)
    let elsewhere = seen("tv", tenLocation, from: ten, on: 1)
    expectEqual(rig.hear(byebye(), at: 3), [changed(elsewhere, .location(from: tvLocation))])
    expectEqual(rig.hear(byebye(), from: ten, on: 1, at: 3), [lost("tv", .byebye)])
    // From here on it is late everywhere.
    expectEqual(rig.hear(there, from: ten, on: 1, at: 3.999), late(there))
    expectEqual(rig.hear(there, from: ten, on: 1, at: 4), [found("tv", tenLocation, from: ten, on: 1)])
  }

  @Test("a byebye by a path that nothing came by says nothing; where only answers came by it, it ends those")
  func byebyeOnAnotherPath() {
    for policy in [EngineConfiguration.ByebyePolicy.anyPart, .eachPart] {
      var rig = EngineRig { $0.byebyePolicy = policy }
      _ = rig.bring(1, [InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 8)], at: 0)
      _ = rig.hear(alive(), at: 0)
      expectEqual(rig.hear(byebye(), on: 1, at: 1), [])
      expectEqual(rig.engine.counters.openLeases, 1)
      // Nothing that comes by it afterwards is late.
      expectEqual(rig.hear(alive(), on: 1, at: 1.5), [])
      expectEqual(rig.engine.counters.openLeases, 2)
    }
    var rig = EngineRig()
    let here = Endpoint(IPAddress("fe80::2")!, port: 50_000)
    _ = rig.command(.adopt(Search(id: SearchID(1), target: "ssdp:all"), copyAt: here), at: 0)
    _ = rig.hear(alive(), at: 0)
    expectEqual(rig.hear(response(location: v6Location), from: v6, to: here, at: 0).count, 1)
    expectEqual(rig.engine.counters.openLeases, 2)
    expectEqual(rig.hear(byebye("tv", service), at: 1), [])
    expectEqual(rig.engine.counters.openLeases, 2)
    expectEqual(rig.hear(byebye("tv", service), from: v6, at: 1), [])
    expectEqual(rig.engine.counters.openLeases, 1)
    expectEqual(rig.hear(byebye(), at: 2), [lost("tv", .byebye)])
  }

  // MARK: Addresses of who left

  @Test("an address that announced one part may say byebye for another, one that announced nothing may not")
  func speakers() {
    let third = IPAddress(192, 168, 1, 67)
    for speaker in [EngineRig.tv, other, third] {
      var rig = EngineRig()
      _ = rig.hear(alive(), at: 0)
      expectEqual(rig.hear(alive("tv", service), from: other, at: 0), [])
      let text = byebye()
      let told = speaker == third ? [rejected(.foreignByebye, text)] : [lost("tv", .byebye)]
      expectEqual(rig.hear(text, from: speaker, at: 1), told)
    }
  }

  @Test("a byebye from the address that a device left is overtaken for a second, and counts after that")
  func overtaken() {
    let cases: [(Double, [Effect])] = [(10.999, []), (11, [lost("tv", .byebye)])]
    for (moment, told) in cases {
      var rig = EngineRig()
      _ = rig.hear(alive(), at: 0)
      expectEqual(rig.hear(alive(), from: other, at: 10), [changed(seen(from: other), .address(from: EngineRig.tv))])
      expectEqual(rig.hear(byebye(), at: moment), told)
    }
  }

  @Test("a device with three addresses is back at once at a new one, one with four is not: who knows of a fifth")
  func endedAddresses() {
    let targets = ["upnp:rootdevice", "uuid:tv", service, "urn:x:service:Z:1"]
    let addresses = [EngineRig.tv, other, IPAddress(192, 168, 1, 67), IPAddress(192, 168, 1, 68)]
    let (new, location) = (IPAddress(192, 168, 1, 40), "http://192.168.1.40/d.xml")
    for count in [1, 3, 4] {
      var rig = EngineRig()
      for (target, address) in zip(targets, addresses).prefix(count) {
        _ = rig.hear(alive("tv", target), from: address, at: 0)
      }
      expectEqual(rig.hear(byebye(), at: 10), [lost("tv", .byebye)])
      let (there, echo) = (alive(location: location), alive())
      for address in addresses.prefix(count) { expectEqual(rig.hear(echo, from: address, at: 10.5), late(echo)) }
      let told = count == 4 ? late(there) : [found("tv", location, from: new)]
      expectEqual(rig.hear(there, from: new, at: 10.5), told)
      for address in addresses.prefix(count) { expectEqual(rig.hear(echo, from: address, at: 10.5), late(echo)) }
    }
  }

  // MARK: Names

  @Test("UUIDs are one where they differ in the case of letters alone, wherever these stand")
  func letterCase() {
    for byte: UInt8 in 0x40...0x5E {
      for place in [0, 3, 7, 8, 9, 15, 16] {
        var rig = EngineRig()
        let around = String(repeating: "-", count: place)
        let (large, small) = (String(UnicodeScalar(byte)), String(UnicodeScalar(byte | 0x20)))
        _ = rig.hear(alive(around + large + "-", location: nil), at: 0)
        let second = around + small + "-"
        let isLetter = (0x41...0x5A).contains(byte)
        expectEqual(
          rig.hear(alive(second, location: nil), at: 0), (isLetter ? [] : [found(second, nil)]), "\(large) \(place)")
      }
    }
  }

  @Test("UUIDs of any length that differ in one byte are two")
  func oneByte() {
    var rig = EngineRig()
    for count in 1...20 {
      let base = [UInt8](repeating: UInt8(ascii: "x"), count: count)
      for place in -1..<count {
        var bytes = base
        if place >= 0 { bytes[place] = UInt8(ascii: "y") }
        let uuid = String(decoding: bytes, as: UTF8.self)
        expectEqual(rig.hear(alive(uuid, location: nil), at: 0), [found(uuid, nil)])
        expectEqual(rig.hear(alive(uuid, location: nil), at: 0), [])
      }
    }
  }

  @Test("the UUID of a USN ends at the first two colons, wherever these stand")
  func endOfUUID() throws {
    for count in 1...17 {
      for rest in ["", "::t", ":", ":b", ":b::t", ":b:c::t", "::", ":::t", "::t::u", ":b:c:d:e:f::t"] {
        let name = "uuid:" + String(repeating: "a", count: count) + rest
        let bytes = Array(name.utf8)
        let uuid = try #require(bytes.withUnsafeBytes { USN.split($0) }).uuid
        var rig = EngineRig()
        let expected = found(String(decoding: bytes[uuid], as: UTF8.self), nil)
        expectEqual(rig.hear(alive(usn: name, location: nil), at: 0), [expected], "\(name)")
      }
    }
  }
}
