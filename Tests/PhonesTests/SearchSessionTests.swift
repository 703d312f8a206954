import Dispatch
import Foundation
import RollcallConnect
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import RollcallTrace
import Testing

@testable import RollcallPhones

/// `SSDPSearchSession` on a phone of a virtual world.
@Suite("An application that searches by hand") struct SearchSessionTests {
  private typealias Configuration = SSDPSearchSessionConfiguration

  // MARK: - The course of a session

  @Test("is told of each service once, however often it answers, as it answers, and at the end of all of them")
  func once() throws {
    let world = try SearchHouse.lamps()
    let app = world.enter { SearchApp(SearchHouse.multicast()) }
    world.run(for: .seconds(1))
    let target = SearchHouse.light
    expectEqual(app.lines, ["found 192.168.1.50 \(target)", "found 192.168.1.51 \(target)"])
    world.run(for: .seconds(10))
    expectEqual(app.lines, ["timed out", "stopped with [192.168.1.50, 192.168.1.51]"])
    #expect(world.isReproducible)
  }

  @Test("has every field of the answer, with the date up to which it holds on the clock of the world")
  func fields() throws {
    let world = try SearchHouse.lamps()
    let app = world.enter { SearchApp(SearchHouse.multicast()) }
    world.run(for: .seconds(1))
    let service = try #require(app.services.current.first)
    expectEqual(service.location.absoluteString, "http://192.168.1.50/d.xml")
    expectEqual(service.server, "OS/1 UPnP/1.1 Lamp/1")
    expectEqual(service.searchTarget, SearchHouse.light)
    expectEqual(service.uniqueServiceName, "uuid:00000000-0000-4000-8000-000000000001::\(SearchHouse.light)")
    expectEqual(service.otherHeaders, ["EXT": "", "BOOTID.UPNP.ORG": "7"])
    // The search began at 2024-01-01 00:00, the answer came half a second later, and it holds for half an hour.
    expectEqual(service.cacheControl, Date(timeIntervalSince1970: 1_704_067_200 + 0.5 + 1_800))
  }

  @Test("ends by itself at the instant that follows from MX and the number of broadcasts, not a nanosecond before")
  func end() throws {
    for (wait, broadcasts, end) in [(3.0, UInt(3), Interval.milliseconds(9_100)), (1, 2, .milliseconds(2_100))] {
      let world = try SearchHouse.lamps()
      let app = world.enter { SearchApp(SearchHouse.multicast(wait: wait, broadcasts: broadcasts)) }
      world.run(for: end - .nanoseconds(1))
      _ = app.lines
      world.run(for: .nanoseconds(1))
      expectEqual(world.now, Instant.zero + end)
      expectEqual(app.lines, ["timed out", "stopped with [192.168.1.50, 192.168.1.51]"])
    }
  }

  @Test("stopped by hand it tells what was found, and neither sends nor finds anything after that")
  func stop() throws {
    let world = try SearchHouse.lamps()
    let wire = SearchHouse.searches(in: world)
    let app = world.enter { SearchApp(SearchHouse.multicast()) }
    world.run(for: .milliseconds(600))
    world.enter { app.queue.sync { app.session?.stopSearch() } }
    world.run(for: .seconds(20))
    expectEqual(app.lines, ["found 192.168.1.50 \(SearchHouse.light)", "stopped with [192.168.1.50]"])
    expectEqual(wire.current.count, 1)
    #expect(world.isReproducible)
  }

  @Test("stopped in the callback of a find, it does not tell of what answered at the same instant")
  func stopInCallback() throws {
    let lamps = [1, 2].map { number in
      let address = "192.168.1.5\(number)"
      return SearchHouse.device("lamp-\(number)", address, fields: SearchHouse.fields(number, address))
    }
    let world = try SearchHouse.world(lamps)
    let app = world.enter { SearchApp(SearchHouse.multicast()) }
    app.onFind = { $0.stopSearch() }
    world.run(for: .seconds(20))
    expectEqual(app.lines, ["found 192.168.1.51 \(SearchHouse.light)", "stopped with [192.168.1.51]"])
    #expect(world.isReproducible)
  }

  @Test("a session that nobody holds sends nothing more and tells nothing")
  func letGo() throws {
    let world = try SearchHouse.lamps()
    let wire = SearchHouse.searches(in: world)
    let app = world.enter { SearchApp(SearchHouse.multicast()) }
    world.run(for: .seconds(4))
    _ = app.lines
    expectEqual(wire.current.count, 2)
    world.enter { app.queue.sync { app.session = nil } }
    world.run(for: .seconds(20))
    expectEqual(app.lines, [])
    expectEqual(wire.current.count, 2)
  }

  @Test("stopped and let go in one breath it still tells that it stopped")
  func stoppedAndLetGo() throws {
    let world = try SearchHouse.lamps()
    let app = world.enter { SearchApp(SearchHouse.multicast()) }
    world.run(for: .seconds(1))
    _ = app.lines
    world.enter {
      app.queue.sync {
        app.session?.stopSearch()
        app.session = nil
      }
    }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["stopped with [192.168.1.50, 192.168.1.51]"])
  }

  @Test("is single-use: neither a second start nor a start after its end does anything")
  func singleUse() throws {
    let world = try SearchHouse.lamps()
    let wire = SearchHouse.searches(in: world)
    let app = world.enter { SearchApp(SearchHouse.multicast(wait: 1, broadcasts: 1)) }
    world.enter { app.queue.sync { app.session?.startSearch() } }
    world.run(for: .seconds(5))
    expectEqual(app.lines.count, 4)
    world.enter { app.queue.sync { app.session?.startSearch() } }
    world.enter { app.queue.sync { app.session?.stopSearch() } }
    world.run(for: .seconds(5))
    expectEqual(app.lines, [])
    expectEqual(wire.current.count, 1)
  }

  @Test("two runs with one seed are equal")
  func repeats() throws {
    func run() throws -> (lines: [String], digest: Digest, isReproducible: Bool) {
      let world = try SearchHouse.lamps(seed: 7)
      let app = world.enter { SearchApp(SearchHouse.multicast("ssdp:all")) }
      world.run(for: .seconds(20))
      return (app.lines, world.digest, world.isReproducible)
    }
    let (first, second) = (try run(), try run())
    expectEqual(first.lines, second.lines)
    expectEqual(first.digest.state, second.digest.state)
    #expect(first.isReproducible)
  }

  // MARK: - Errors

  @Test(
    "a host that is no address, and a port that is none, abort",
    arguments: [("tv.local", 1_900), ("192.168.1.20", 70_000)])
  func address(host: String, port: UInt) throws {
    let world = try SearchHouse.lamps()
    let wire = SearchHouse.searches(in: world)
    let app = world.enter {
      SearchApp(
        Configuration(
          searchTarget: "ssdp:all", host: host, port: port, maximumWaitResponseTime: 1,
          maximumBroadcastsBeforeClosing: 1))
    }
    world.run(for: .seconds(5))
    expectEqual(app.lines, ["aborted: no address"])
    expectEqual(wire.current, [])
  }

  @Test("aborts at once where the system refuses to send, and sends no further copy")
  func refused() throws {
    let world = try SearchHouse.world(
      ["  tv: {kind: root-device, profile: tv}"], engine: "{refuses-joins: true, refuses-multicast-sends: true}")
    let app = world.enter { SearchApp(SearchHouse.multicast()) }
    world.run(for: .milliseconds(1))
    expectEqual(app.lines, ["aborted: cannotSend"])
    let refusals = world.world.reports.count
    world.run(for: .seconds(20))
    expectEqual(app.lines, [])
    #expect(world.world.reports[refusals...].allSatisfy { if case .failed = $0.report { false } else { true } })
  }

  @Test("more broadcasts than the engine sends, and a group that is not that of searches, abort")
  func refusedByEngine() throws {
    let many = SearchHouse.multicast(broadcasts: 11)
    let group = Configuration(
      searchTarget: "ssdp:all", host: "224.0.0.251", port: 1_900, maximumWaitResponseTime: 1,
      maximumBroadcastsBeforeClosing: 1)
    for configuration in [many, group] {
      let world = try SearchHouse.lamps()
      let app = world.enter { SearchApp(configuration) }
      world.run(for: .seconds(5))
      expectEqual(app.lines, ["aborted: other"])
    }
  }

  #if DEBUG
    @Test("values out of bounds end a debug build")
    func bounds() async {
      await #expect(processExitsWith: .failure) {
        _ = SSDPSearchSessionConfiguration.createMulticastConfiguration(
          forSearchTarget: "ssdp:all", maximumWaitResponseTime: 6)
      }
      await #expect(processExitsWith: .failure) {
        _ = SSDPSearchSessionConfiguration.createMulticastConfiguration(
          forSearchTarget: "ssdp:all", maximumWaitResponseTime: 0.9)
      }
      await #expect(processExitsWith: .failure) {
        _ = SSDPSearchSessionConfiguration.createMulticastConfiguration(
          forSearchTarget: "ssdp:all", maximumBroadcastsBeforeClosing: 0)
      }
    }
  #endif

  // MARK: - A client of the article

  @Test("a client that uses every name of the article compiles unchanged, and runs on the main queue")
  func client() throws {
    let world = try SearchHouse.lamps()
    let client = SearchClient()
    world.enter { client.searchBriefly(for: SearchHouse.light) }
    world.run(for: .seconds(5))
    world.enter { client.search(for: "acme:nothing") }
    world.run(for: .seconds(10))
    world.enter { client.searchPatiently(for: "ssdp:all") }
    world.run(for: .seconds(1))
    world.enter { client.cancel() }
    world.run(for: .seconds(1))
    world.enter { client.ask("nowhere", for: "ssdp:all") }
    world.run(for: .seconds(1))
    let usn = { (number: Int) in "uuid:00000000-0000-4000-8000-00000000000\(number)::\(SearchHouse.light)" }
    expectEqual(
      client.messages,
      [
        "asks 239.255.255.250:1900 for \(SearchHouse.light), 1 x 3 s",
        "found \(usn(1)) at http://192.168.1.50/d.xml", "found \(usn(2)) at http://192.168.1.51/d.xml",
        "stopped with 2, as shown", "asks 239.255.255.250:1900 for acme:nothing, 3 x 3 s", "stopped with 0, others",
        "asks 239.255.255.250:1900 for ssdp:all, 2 x 5 s", "stopped with 0, others",
        "asks nowhere:1900 for ssdp:all, 1 x 1 s", "no address",
      ])
    let (first, last) = (client.shown[0], client.shown[1])
    #expect(SearchArchive.renewed(first, until: .distantFuture) == first)
    #expect(first != last)
  }
}
