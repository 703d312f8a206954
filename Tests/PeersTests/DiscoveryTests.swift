import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallTrace
import RollcallWire
import Testing

@Suite struct DiscoveryTests {
  @Test("a device that has taken another address asks and answers from there")
  func moved() {
    var rig = PeerRig(2)
    rig.advertise(0, 0)
    for device in 0..<2 { rig.browse(0, device) }
    rig.at(10_000, 0, .act(.move(interface: InterfaceID(0), to: IPAddress(10, 0, 0, 9))))
    let recorder = Recorder(stations: [0])
    _ = rig.run(seconds: 200, recorder)
    var sources: [String] = []
    for entry in recorder.entries where entry.time > PeerRig.time(10_000) {
      guard case .sent(let datagram) = entry.content else { continue }
      if !sources.contains(datagram.source.description) { sources.append(datagram.source.description) }
    }
    expectEqual(sources, ["10.0.0.9:5353"])
  }

  @Test("a peer that advertises is found with its information, and lost when it stops")
  func foundAndLost() {
    var rig = PeerRig(3)
    rig.advertise(1_000, 0, info: [PeerInfo("room", "12"), PeerInfo("_d", "x"), PeerInfo("empty", "")])
    rig.browse(0, 1)
    rig.at(0, 2, .browse(1, PeerRig.name(2), type: "game"))
    rig.at(9_500, 0, .stopAdvertising(1))
    let devices = rig.run(seconds: 20)
    expectEqual(devices[0].lines, [])
    expectEqual(devices[1].lines, ["2 s browser 1 found peer 0 room=12 _d=x empty=", "10 s browser 1 lost peer 0"])
    expectEqual(devices[2].lines, [])
    // A device that was away tells of it anew, and of no loss.
    for act in [Act.leave, .vanish] {
      var rig = PeerRig(2)
      rig.advertise(0, 0)
      rig.browse(0, 1)
      rig.at(5_000, 1, .act(act))
      rig.at(10_000, 1, .act(.appear))
      expectEqual(
        rig.run(seconds: 15)[1].lines, ["0 s browser 1 found peer 0", "10 s browser 1 found peer 0"], "\(act)")
    }
  }

  @Test("a host that browses and advertises answers with its own records, however many it has heard of others (MD-11)")
  func ownRecords() throws {
    var rig = PeerRig(3)
    for device in 0..<2 {
      rig.advertise(0, device)
      rig.browse(0, device)
    }
    // It asks for everything that the two have found of each other, again and again.
    rig.browse(5_000, 2)
    let recorder = Recorder()
    let devices = rig.run(seconds: 30, recorder)
    // A browser of the device finds its own peer, too, which the door of an application leaves out.
    expectEqual(devices[0].lines, ["0 s browser 1 found peer 0", "0 s browser 1 found peer 1"])
    expectEqual(devices[2].lines.count, 2)
    var owners: [DNSName: Set<UInt32>] = [:]
    var (known, answers) = (Set<DNSName>(), 0)
    for entry in recorder.entries {
      guard case .sent(let datagram) = entry.content, datagram.destination.port == Endpoint.mdnsPort else { continue }
      let message = try datagram.bytes.withUnsafeBytes { try DNSReader.read($0).message }
      for record in message.answers + message.additionals {
        guard case .ptr(let instance) = record.data else {
          if case .address(let address) = record.data {
            expectEqual(address, IPAddress(10, 0, 0, UInt8(entry.station + 1)))
          }
          if message.flags.isResponse { owners[record.name, default: []].insert(entry.station) }
          continue
        }
        if message.flags.isResponse {
          owners[instance, default: []].insert(entry.station)
          if entry.time > PeerRig.time(5_000) { answers += 1 }
        } else if entry.station == 0 {
          known.insert(instance)
        }
      }
    }
    // What it has learnt it says where it asks, and nowhere else.
    let instances = owners.keys.filter { $0.labelCount == 4 && $0.isWithin(DNSName("_chat._udp.local")!) }
    expectEqual(instances.count, 2)
    for instance in instances { expectEqual(owners[instance]?.count, 1, "\(instance)") }
    let other = try #require(instances.first { owners[$0] == [1] })
    #expect(known.contains(other), "\(known)")
    #expect(answers >= 2, "\(answers)")
  }
}
