import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallDiscovery

@Suite("The manager: what becomes a device for the application") struct DeviceManagerTests {
  @Test("a root device with a type that is registered is a device with that service, and no other device is")
  func found() {
    var rig = ManagerRig()
    expectEqual(rig.announce(1, ["upnp:rootdevice", ManagerRig.dial]), ["#1 found - [DIAL 1] of 1"])
    expectEqual(rig.announce(2, ["upnp:rootdevice", "urn:schemas-upnp-org:device:Basic:1"]), [])
    expectEqual(rig.manager.allDevices.map(\.state.members), [[ManagerRig.uuid(1)]])
    expectEqual(rig.lose(2), [])
    expectEqual(rig.lose(1), ["#1 lost"])
    expectEqual(rig.manager.allDevices.map(\.id), [])
  }

  @Test("a later version of a type will do, an earlier one will not")
  func versions() {
    var rig = ManagerRig { $0.registrations = [ServiceRegistration("Two", filter: "urn:a:service:b:2")] }
    expectEqual(rig.announce(1, ["urn:a:service:b:2"]), ["#1 found - [Two 1] of 1"])
    expectEqual(rig.announce(2, ["urn:a:service:b:3"]), ["#2 found - [Two 2] of 2"])
    expectEqual(rig.announce(3, ["urn:a:service:b:1"]), [])
  }

  @Test("what a service requires has to be announced or described, and may come later")
  func requirements() {
    var rig = ManagerRig()
    expectEqual(rig.announce(1, [ManagerRig.renderer, ManagerRig.transport]), [])
    expectEqual(rig.note(1, ManagerRig.dlna), ["#1 found - [DLNA 1] of 1"])
    expectEqual(rig.note(1, [ManagerRig.renderer, ManagerRig.rendering]), ["#1 lost"])
  }

  @Test("services of embedded devices count, each under its own UUID, also those that the root lacks")
  func embedded() {
    var rig = ManagerRig()
    let lines = rig.announce(
      1, ["upnp:rootdevice"],
      parts: [(2, ManagerRig.renderer), (2, ManagerRig.transport), (2, ManagerRig.rendering), (3, ManagerRig.renderer)])
    expectEqual(lines, ["#1 found - [DLNA 2, DLNA 3] of 1"])
  }

  @Test("a device that gets another service can do more, and one that keeps its services is not told again")
  func updates() {
    var rig = ManagerRig {
      $0.registrations = [
        ServiceRegistration("A", filter: "urn:x:service:a:1", capabilities: ["G.One", "G.Two"]),
        ServiceRegistration("B", filter: "urn:x:service:b:1", capabilities: ["G.Two", "G.Three"]),
      ]
    }
    expectEqual(rig.announce(1, ["urn:x:service:a:1"]), ["#1 found - [A 1] of 1"])
    expectEqual(rig.note(1, ["urn:x:service:a:1"]), [])
    expectEqual(
      rig.note(1, ["urn:x:service:b:1", "urn:x:service:a:1"]),
      ["#1 capabilities +G.Three", "#1 updated - [A 1, B 1] of 1"])
    expectEqual(rig.manager.allDevices.first?.state.capabilities.map(\.name), ["G.One", "G.Three", "G.Two"])
    expectEqual(
      rig.note(1, ["urn:x:service:b:1"]), ["#1 capabilities -G.One", "#1 updated - [B 1] of 1"])
  }

  @Test("a device that comes back has the id that it had, and one that is new has another")
  func comesBack() {
    var rig = ManagerRig()
    expectEqual(rig.announce(1, [ManagerRig.dial]), ["#1 found - [DIAL 1] of 1"])
    expectEqual(rig.lose(1), ["#1 lost"])
    expectEqual(rig.announce(2, [ManagerRig.dial]), ["#2 found - [DIAL 2] of 2"])
    expectEqual(rig.announce(1, at: 77, [ManagerRig.dial]), ["#1 found again - [DIAL 1] of 1"])
  }

  @Test("ids have the form of a UUID of version 4 and follow from the seed")
  func ids() {
    func id(_ seed: UInt64) -> String {
      var rig = ManagerRig { $0.idSeed = Seed(seed) }
      _ = rig.announce(1, [ManagerRig.dial])
      return rig.manager.allDevices.first?.id ?? ""
    }
    expectEqual(id(1), id(1))
    #expect(id(1) != id(2))
    let parts = id(7).split(separator: "-")
    expectEqual(parts.map(\.count), [8, 4, 4, 4, 12])
    expectEqual(parts[2].first, "4")
    #expect("89ab".contains(parts[3].first!))
    #expect(id(7).allSatisfy { $0 == "-" || $0.isHexDigit && !$0.isUppercase })
  }

  @Test("a type of multicast DNS may be registered without its domain")
  func withoutDomain() {
    for filter in ["_cast._tcp", "_cast._tcp.local"] {
      var rig = ManagerRig { $0.registrations = [ServiceRegistration("Cast", .peers, filter: filter)] }
      let sighting = ManagerRig.service("TV", "_cast._tcp.local")
      expectEqual(rig.take(.found(sighting)), ["#1 found TV [Cast peer:TV] of peer:TV"], "\(filter)")
    }
  }

  @Test("services of multicast DNS and peripherals become devices by their types")
  func otherProviders() {
    var rig = ManagerRig {
      $0.registrations = [
        ServiceRegistration("AirPlay", .peers, filter: "_airplay._tcp.local"),
        ServiceRegistration("Lamp", .bluetooth, filter: "FE0F"),
      ]
    }
    expectEqual(
      rig.take(.found(ManagerRig.service("Room", "_airplay._tcp.local"))),
      ["#1 found Room [AirPlay peer:Room] of peer:Room"])
    expectEqual(rig.take(.found(ManagerRig.service("Printer", "_ipp._tcp.local", hostName: "p.local"))), [])
    let address = RadioAddress(bits: 0x1122_3344_5566, isRandom: false)
    var lamp = DeviceSighting(device: address.deviceName, provider: .bluetooth, locator: Locator(.radio(address)))
    expectEqual(rig.take(.found(lamp)), [])
    lamp[.services] = .text("180F FE0F")
    expectEqual(
      rig.take(.changed(lamp, .attribute(.services, from: nil))),
      ["#2 found - [Lamp \(address.deviceName)] of \(address.deviceName)"])
  }

  @Test("while it is stopped nothing is told, and at the start again everything that is there")
  func stopped() {
    var rig = ManagerRig()
    expectEqual(rig.announce(1, [ManagerRig.dial]), ["#1 found - [DIAL 1] of 1"])
    expectEqual(rig.command(.stop), ["#1 lost"])
    expectEqual(rig.command(.stop), [])
    expectEqual(rig.announce(2, at: 10, [ManagerRig.dial]), [])
    expectEqual(rig.lose(1), [])
    expectEqual(rig.command(.start), ["#2 found - [DIAL 2] of 2"])
    expectEqual(rig.command(.start), [])
  }

  @Test(
    "it searches when an interface is up, then once in each interval, for each type once, and not when it is stopped")
  func searches() {
    var rig = ManagerRig()
    func up(_ isUp: Bool, _ manager: inout DeviceManager, at now: Instant) {
      let address = InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)
      manager.take(
        InterfaceChange(interface: InterfaceID(0), isUp: isUp, addresses: isUp ? [address] : []), at: now)
    }
    func second(_ count: Double) -> Instant { .zero + .nanoseconds(Int64(count * 1e9)) }
    expectEqual(rig.manager.deadline, .never)
    up(false, &rig.manager, at: .zero)
    expectEqual(rig.manager.deadline, .never)
    up(true, &rig.manager, at: second(1))
    up(true, &rig.manager, at: second(1.05))
    expectEqual(rig.manager.deadline, second(1.1))
    expectEqual(rig.manager.takeSearches(at: second(1.05)).map(\.target), [])
    let first = rig.manager.takeSearches(at: second(1.1))
    // DLNA and Netcast are found by one type.
    expectEqual(
      first.map(\.target),
      [ManagerRig.dial, ManagerRig.renderer, "urn:lge-com:service:webos-second-screen:1", "roku:ecp"])
    expectEqual(first.map(\.id.number), [0x8000_0000, 0x8000_0001, 0x8000_0002, 0x8000_0003])
    expectEqual(first.map(\.maximumWaitSeconds), [3, 3, 3, 3])
    expectEqual(first.map(\.broadcasts), [3, 3, 3, 3])
    expectEqual(first.compactMap(\.spacing), [])
    var hasty = ManagerRig { $0.spacing = .seconds(1) }
    up(true, &hasty.manager, at: .zero)
    let spacings = hasty.manager.takeSearches(at: second(0.1)).compactMap(\.spacing)
    expectEqual(spacings, Array(repeating: Interval.seconds(1), count: 4))
    expectEqual(rig.manager.deadline, second(31.1))
    expectEqual(rig.manager.takeSearches(at: second(31.1)).map(\.id.number).first, 0x8000_0004)
    expectEqual(rig.command(.rescan, at: 40), [])
    expectEqual(rig.manager.deadline, second(40))
    expectEqual(rig.command(.stop, at: 41), [])
    expectEqual(rig.manager.deadline, .never)
    up(true, &rig.manager, at: second(50))
    expectEqual(rig.command(.rescan, at: 51), [])
    expectEqual(rig.manager.deadline, .never)
    expectEqual(rig.command(.start, at: 52), [])
    expectEqual(rig.manager.deadline, second(52))
  }
}

@Suite("The manager: descriptions") struct ManagerDescriptionTests {
  private static func failure(_ reason: DescriptionFetch.Reason, status: Int? = nil) -> DescriptionFetch.Outcome {
    .failed(DescriptionFetch.Failure(reason, status: status, ""))
  }

  @Test("a device is told when its description is there, with the names that stand in it")
  func awaited() {
    var rig = ManagerRig(awaitsDescriptions: true)
    expectEqual(rig.announce(1, ManagerRig.dlna), [])
    expectEqual(
      rig.describe(1, ManagerRig.document(1, named: "Den", ManagerRig.dlna, model: "M7")),
      ["#1 found Den [DLNA 1] of 1"])
    let state = rig.manager.allDevices.first?.state
    expectEqual([state?.model, state?.manufacturer], ["M7", "Maker"])
    // The same again is no news; another name is.
    expectEqual(rig.describe(1, ManagerRig.document(1, named: "Den", ManagerRig.dlna, model: "M7")), [])
    expectEqual(
      rig.describe(1, ManagerRig.document(1, named: "Kitchen", ManagerRig.dlna, model: "M7")),
      ["#1 updated Kitchen [DLNA 1] of 1"])
  }

  @Test("of a description 256 devices and 1024 types are looked at, each with a name of 512 bytes at most")
  func bounds() {
    let parts = (2...300).map { ManagerRig.device($0, [ManagerRig.dial]) }
    expectEqual(DescribedDevice(ManagerRig.document(1, [ManagerRig.renderer], embedded: parts)).udns.count, 256)
    let types = (1...1_100).map { "urn:x:service:s\($0):1" }
    expectEqual(DescribedDevice(ManagerRig.document(1, types)).types.count, 1_024)
    let long = String(repeating: "x", count: 512)
    expectEqual(DescribedDevice(ManagerRig.document(1, [long, long + "x"])).types.map(\.type), [long])
  }

  @Test("a device whose description cannot be had, or not be read, is told by what it announces")
  func missing() {
    var rig = ManagerRig(awaitsDescriptions: true)
    _ = rig.announce(1, ManagerRig.dlna)
    expectEqual(
      rig.take(.description(ManagerRig.fetch(1, ManagerDescriptionTests.failure(.badResponse)))),
      ["#1 found - [DLNA 1] of 1"])
    _ = rig.announce(2, at: 10, ManagerRig.dlna)
    let page = DescriptionFetch.Outcome.fetched(.init(status: 200, body: Array("<html/>".utf8), contentType: nil))
    expectEqual(rig.take(.description(ManagerRig.fetch(2, at: 10, page))), ["#2 found - [DLNA 2] of 2"])
    // What was read before is better than nothing.
    expectEqual(rig.describe(1, ManagerRig.document(1, ManagerRig.dlna)), ["#1 updated Television [DLNA 1] of 1"])
    expectEqual(rig.take(.description(ManagerRig.fetch(1, ManagerDescriptionTests.failure(.timedOut)))), [])
    expectEqual(rig.manager.allDevices.first?.state.name, "Television")
  }

  @Test("two devices that share a LOCATION have one description, whichever of them it was fetched for")
  func shared() {
    var rig = ManagerRig(awaitsDescriptions: true)
    let location = "http://10.0.0.9/1"
    for number in [1, 2] {
      _ = rig.take(.found(ManagerRig.sighting(number, location: location)))
      _ = rig.note(number, [ManagerRig.dial])
    }
    let lines = rig.describe(1, ManagerRig.document(1, named: "Box", [ManagerRig.dial]))
    // Both have the UDN of the document: they are one.
    expectEqual(lines, ["#1 found Box [DIAL 1, DIAL 2] of 1 2"])
    // A third one comes when the document is known: what the root has there is its own as well.
    expectEqual(
      rig.take(.found(ManagerRig.sighting(3, location: location))).filter { !$0.contains("capabilities") },
      ["#1 updated Box [DIAL 1, DIAL 2, DIAL 3] of 1 2 3"])
    expectEqual(rig.note(3, [ManagerRig.dial]), [])
  }

  @Test("what failed for a reason that may pass is asked for again after 10 s, then three times as long, up to an hour")
  func retries() {
    var rig = ManagerRig(awaitsDescriptions: true) { $0.searches = false }
    _ = rig.announce(1, ManagerRig.dlna)
    var delays: [Int64] = []
    for _ in 0..<10 {
      _ = rig.take(.description(ManagerRig.fetch(1, ManagerDescriptionTests.failure(.timedOut))))
      let due = rig.manager.deadline
      delays.append((due - rig.now).nanoseconds / 1_000_000_000)
      expectEqual(rig.manager.takeRetries(at: due - .nanoseconds(1)), [])
      expectEqual(rig.manager.takeRetries(at: due).map(\.device), [ManagerRig.uuid(1)])
      expectEqual(rig.manager.takeRetries(at: due), [])
      expectEqual(rig.manager.deadline, .never)
      rig.now = due
    }
    expectEqual(delays, [10, 30, 90, 270, 810, 2_430, 3_600, 3_600, 3_600, 3_600])
    // It came: from here on it begins anew.
    _ = rig.describe(1, ManagerRig.document(1, ManagerRig.dlna))
    expectEqual(rig.manager.deadline, .never)
    _ = rig.take(.description(ManagerRig.fetch(1, ManagerDescriptionTests.failure(.cannotConnect))))
    expectEqual(rig.manager.deadline, rig.now + .seconds(10))
    // A device that is gone is asked for nothing.
    _ = rig.lose(1)
    expectEqual(rig.manager.takeRetries(at: rig.now + .seconds(10)), [])
  }

  @Test("with the fault retriesWithEachAnswer an answer is enough to ask again, once for each, and time is not")
  func retriesWithAnswers() {
    var rig = ManagerRig(awaitsDescriptions: true) {
      $0.searches = false
      $0.faults = .retriesWithEachAnswer
    }
    _ = rig.announce(1, ManagerRig.dlna)
    let answer = Report.service(
      ServiceSighting(
        search: SearchID(1), device: ManagerRig.uuid(1), usn: ManagerRig.uuid(1), target: ManagerRig.renderer,
        location: nil))
    // Nothing failed so far.
    _ = rig.take(answer)
    expectEqual(rig.manager.deadline, .never)
    _ = rig.take(.description(ManagerRig.fetch(1, ManagerDescriptionTests.failure(.timedOut))))
    expectEqual(rig.manager.deadline, .never)
    _ = rig.take(answer, answer)
    expectEqual(rig.manager.takeRetries(at: rig.now).map(\.device), [ManagerRig.uuid(1)])
    _ = rig.take(answer)
    expectEqual(rig.manager.takeRetries(at: rig.now), [])
  }

  @Test("what will not get better by itself is not asked for again")
  func noRetry() {
    let reasons: [(DescriptionFetch.Reason, Int?)] = [
      (.noLocation, nil), (.badLocation, nil), (.scheme, nil), (.hostName, nil), (.outOfScope, nil), (.deviceGone, nil),
      (.tooLong, nil), (.badResponse, nil), (.status, 404), (.status, 499), (.status, nil), (.redirectRefused, nil),
      (.redirectLoop, nil), (.tooManyRedirects, nil), (.stopped, nil),
    ]
    let passing: [(DescriptionFetch.Reason, Int?)] = [
      (.connectionRefused, nil), (.cannotConnect, nil), (.timedOut, nil), (.closedEarly, nil), (.queueFull, nil),
      (.interfaceGone, nil), (.status, 500), (.status, 503),
    ]
    expectEqual(
      Set((reasons + passing).map(\.0.rawValue)), Set(DescriptionFetch.Reason.allCases.map(\.rawValue)))
    for (list, isAgain) in [(reasons, false), (passing, true)] {
      for (reason, status) in list {
        let failure = DescriptionFetch.Failure(reason, status: status, "")
        #expect(failure.mayPass == isAgain, "\(reason) \(status ?? 0)")
      }
    }
  }
}
