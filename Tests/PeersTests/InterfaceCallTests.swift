import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

@testable import RollcallPeers
@testable import RollcallSessions

@Suite("A device with two interfaces of one network, call by call") struct InterfaceCallTests {
  private let peer = PeerRig.name(1)
  private var found: PeerEvent { .found(browser: 1, peer, nil) }
  private var lost: PeerEvent { .lost(browser: 1, peer.id) }
  private func state(_ state: PeerState) -> PeerEvent { .session(1, .state(peer.id, state)) }
  private func browse(_ number: Int, _ type: String) -> PeerCommand { .browse(number, PeerRig.name(0), type: type) }
  private func invite(context: [UInt8]? = nil) -> PeerCommand {
    .invite(peer.id, session: 1, context: context, time: nil)
  }

  /// It is away.
  private func absent(_ change: (inout PeerPlan) -> Void = { _ in }) -> DeviceBench {
    var bench = DeviceBench(change)
    for (number, host) in [(0, 1), (1, 50)] as [(UInt16, UInt8)] {
      let address = InterfaceAddress(IPAddress(10, 0, 0, host), prefixBits: 24)
      expectEqual(bench.hear(InterfaceChange(interface: InterfaceID(number), isUp: true, addresses: [address])), [])
    }
    return bench
  }
  /// It is there, browses, and has a session.
  private func present(_ change: (inout PeerPlan) -> Void = { _ in }) -> DeviceBench {
    var bench = absent(change)
    expectEqual(bench.act(.appear), [])
    expectEqual(bench.ask(.openSession(1, PeerSessionSetup(PeerRig.name(0)))), [])
    expectEqual(bench.ask(browse(1, "chat")), [])
    return bench
  }

  /// What multicast DNS says of the peer.
  /// - Parameter txt: `nil`: its name alone.
  private func records(host: UInt8, txt: [UInt8]? = nil) throws -> [DNSRecord] {
    let type = try #require(PeerRecord.serviceType("chat"))
    let name = try ServiceInstanceName(PeerRecord.instance(of: peer.id), type).domainName
    let target = try #require(DNSName("other.local"))
    let text = try #require(txt ?? PeerRecord(peer, nil).txt)
    return [
      DNSRecord(type.domainName, .ptr(name), ttlSeconds: 120),
      DNSRecord(
        name, .srv(priority: 0, weight: 0, port: 49_400, target: target), ttlSeconds: 120, isCacheFlush: true),
      DNSRecord(name, .txt(text), ttlSeconds: 120, isCacheFlush: true),
      DNSRecord(target, .address(IPAddress(10, 0, 0, host)), ttlSeconds: 120, isCacheFlush: true),
    ]
  }

  /// A line for each connection of its session: where the other side is, and from where on which interface it is asked.
  private func links(_ bench: DeviceBench) -> [String] {
    bench.device.sessions[0].machine.links.map {
      "\($0.endpoint) from \($0.here.endpoint) on \($0.here.interface.number)"
    }
  }

  @Test("a peer is invited on the interface on which it was found, once, and without an end where no time is given")
  func invited() throws {
    var bench = present()
    let heard = try records(host: 2)
    expectEqual(bench.hear(heard, on: 1, at: 1_000), [found])
    expectEqual(bench.ask(invite(), at: 1_000), [state(.connecting)])
    expectEqual(links(bench), ["10.0.0.2:49400 from 10.0.0.50:49400 on 1"])
    let link = try #require(bench.device.sessions[0].machine.links.first)
    expectEqual(link.deadline, PeerRig.time(1_000) + .hours(438_000))
    expectEqual(bench.ask(invite(), at: 1_000), [.failed(session: 1, .invalidParameter)])
    // Its refusal is told at once.
    let refusal = SessionOpening.refusal(link: link.number, .busy).bytes
    expectEqual(bench.hear(refusal, at: 1_100), [state(.notConnected)])
    let refused = [state(.connecting), state(.notConnected)]
    let long = [UInt8](repeating: 0, count: SessionControl.contextBytesMaximum + 1)
    expectEqual(
      bench.ask(invite(context: long), at: 1_200), refused + [.failed(session: 1, .invalidParameter)])
    // Planted: only the first interface is looked at.
    bench = present { $0.sessions.faults.insert(.firstInterfaceOnly) }
    expectEqual(bench.hear(heard, on: 1, at: 1_000), [found])
    expectEqual(bench.ask(invite(), at: 1_000), refused)
  }

  @Test("a member whose address does not tell its interface is asked where it is found, whether before or later")
  func introduced() throws {
    let card = SessionCard(id: peer.id, name: peer.name, key: [UInt8](repeating: 1, count: SessionCard.keyBytes))
    let event = SessionEvent.introduced(card, at: Endpoint(IPAddress(10, 0, 0, 77), port: 49_400))
    let heard = try records(host: 66)
    var bench = present()
    expectEqual(bench.note(event, at: 1_000), [state(.connecting)])
    expectEqual(links(bench), ["10.0.0.77:49400 from 10.0.0.1:49400 on 0"])
    expectEqual(bench.hear(heard, on: 1, at: 2_000), [found])
    expectEqual(links(bench), ["10.0.0.66:49400 from 10.0.0.50:49400 on 1"])
    bench = present()
    expectEqual(bench.hear(heard, on: 1, at: 1_000), [found])
    expectEqual(bench.note(event, at: 1_000), [state(.connecting)])
    expectEqual(links(bench), ["10.0.0.66:49400 from 10.0.0.50:49400 on 1"])
  }

  @Test("a peer whose record has no name any more is lost; planted faults keep its information or its loss back")
  func changed() throws {
    let info = [PeerInfo("room", "12")]
    let txt = try #require(PeerRecord(peer, info).txt)
    let nameless: [UInt8] = [3] + Array("a=b".utf8)
    let table: [(faults: [PeerFault], info: [PeerInfo]?, later: [PeerEvent])] = [
      ([], info, [lost]), ([.infoDropped], nil, [lost]), ([.lossNotTold], info, []),
    ]
    for one in table {
      var bench = present { $0.sessions.faults = PeerFaults(one.faults) }
      let (whole, broken) = (try records(host: 2, txt: txt), try records(host: 2, txt: nameless))
      expectEqual(bench.hear(whole, on: 1, at: 1_000), [.found(browser: 1, peer, one.info)], "\(one)")
      expectEqual(bench.hear(broken, on: 1, at: 3_000), one.later, "\(one)")
      expectEqual(bench.device.browsers.map(\.told.count), [0])
    }
  }

  @Test("what was found on an interface is lost at once when that is down, or is on another network")
  func gone() throws {
    let heard = try records(host: 2)
    let down = InterfaceChange(interface: InterfaceID(1), isUp: false, addresses: [])
    let move = Act.move(interface: InterfaceID(1), to: IPAddress(10, 9, 0, 9))
    var bench = present()
    expectEqual(bench.hear(heard, on: 1, at: 1_000), [found])
    expectEqual(bench.hear(down, at: 2_000), [lost])
    bench = present()
    expectEqual(bench.hear(heard, on: 1, at: 1_000), [found])
    expectEqual(bench.act(move, at: 2_000), [lost])
  }

  @Test("nothing is browsed for while the device is away or in the background, whichever of the two ends first")
  func quiet() {
    let (zero, one, group) = (InterfaceID(0), InterfaceID(1), Endpoint.mdns(.v4))
    let joins: [Effect] = [.join(group, zero), .join(group, one)]
    let leaves: [Effect] = [.leave(group, zero), .leave(group, one)]
    var bench = absent()
    expectEqual(bench.ask(browse(1, "chat")), [])
    expectEqual(bench.takeLAN(), [])
    // The responder and the browser each join.
    expectEqual(bench.act(.appear), [])
    expectEqual(bench.takeLAN(), joins + joins)
    // The responder still needs what the browser leaves.
    expectEqual(bench.ask(.background(true)), [])
    expectEqual(bench.takeLAN(), leaves + joins)
    expectEqual(bench.ask(browse(2, "game")), [])
    expectEqual(bench.takeLAN(), [])
    expectEqual(bench.act(.vanish), [])
    _ = bench.takeLAN()
    expectEqual(bench.ask(.background(false)), [])
    expectEqual(bench.takeLAN(), [])
    expectEqual(bench.ask(.background(true)), [])
    expectEqual(bench.act(.appear), [])
    expectEqual(bench.takeLAN(), joins)
    expectEqual(bench.ask(.background(false)), [])
    expectEqual(bench.takeLAN(), joins)
  }
}
