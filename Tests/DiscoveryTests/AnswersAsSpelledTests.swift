import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import Testing

/// What a search is told of an answer: the USN as it was spelled, and the LOCATION only where it may be told.
@Suite("Answers as they were spelled") struct AnswersAsSpelledTests {
  private let root = "upnp:rootdevice"
  private let socket = Endpoint(EngineRig.ours, port: 50_000)
  private let another = Endpoint(EngineRig.ours, port: 50_001)

  private func told(_ name: String, _ location: String?, search: UInt32 = 1) -> Effect {
    .report(
      .service(
        ServiceSighting(search: SearchID(search), device: "uuid:tv", usn: name, target: root, location: location)))
  }

  private func adopt(_ number: UInt32) -> Command {
    .adopt(Search(id: SearchID(number), target: "ssdp:all"), copyAt: number == 1 ? socket : another)
  }

  @Test("a USN in each of its spellings is told once, whichever came first")
  func spellings() {
    let names = [
      "uuid:tv", "UUID:tv", "uUID:tv", "uuid:TV", "uuid:Tv", "uuid:tV", "UUID:TV", "Uuid:Tv",
    ].map { $0 + "::" + root }
    for first in names.indices {
      var rig = EngineRig()
      _ = rig.hear(alive(), at: 0)
      _ = rig.command(adopt(1), at: 0)
      let order = Array(names[first...] + names[..<first])
      for name in order { expectEqual(rig.hear(response(usn: name), to: socket, at: 0.5), [told(name, tvLocation)]) }
      for name in order { expectEqual(rig.hear(response(usn: name), to: socket, at: 1), []) }
      // They are one device and one lease.
      #expect(rig.engine.counters.openLeases == 1 && rig.engine.counters.devicesPresent == 1)
    }
  }

  @Test("a search is told the LOCATION of its own answer or none, never the one that an answer before it had")
  func locations() {
    let (name, far) = (usn("tv", root), "http://8.8.8.8/d.xml")
    var rig = EngineRig()
    for number: UInt32 in [1, 2] { _ = rig.command(adopt(number), at: 0) }
    expectEqual(rig.hear(response(), to: socket, at: 0.5), [found(), told(name, tvLocation)])
    expectEqual(rig.hear(response(location: far), to: another, at: 0.5), [told(name, nil, search: 2)])
    // Each search was told already; the device is where it was.
    expectEqual(rig.hear(response(location: far), to: socket, at: 1), [])
    expectEqual(rig.hear(response(), to: another, at: 1), [])
  }
}
