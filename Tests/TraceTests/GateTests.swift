import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallTrace

@Suite("The gate")
struct GateTests {
  let payloads = PayloadStore()

  func datagram(_ text: String, from host: UInt8 = 1) -> Datagram {
    Datagram(
      source: Endpoint(IPAddress(10, 0, 0, host), port: 1900), destination: Endpoint(.ssdpGroup4, port: 1900),
      interface: InterfaceID(0), hopLimit: 2, payload: payloads.store(Array(text.utf8)))
  }

  @Test("equal entries give equal digests; time, station, direction, endpoint, byte and order each change it")
  func digest() {
    func digest(_ steps: [(inout Gate) -> Void]) -> Digest {
      var gate = Gate()
      for step in steps { step(&gate) }
      return gate.digest
    }
    func hear(_ datagram: Datagram, _ station: UInt32 = 3, _ time: Int64 = 5) -> (inout Gate) -> Void {
      { gate in
        gate.received(
          datagram, mark: Gate.mark(of: datagram, in: payloads), station: station,
          at: Instant(nanoseconds: time), in: payloads)
      }
    }
    let plain = datagram("a")
    let report: (inout Gate) -> Void = {
      $0.wanted(.report(.lost(device: "uuid:a", cause: .byebye)), station: 3, at: .zero)
    }
    let runs = [
      digest([hear(plain)]), digest([hear(datagram("b"))]), digest([hear(datagram("a", from: 2))]),
      digest([hear(plain, 4)]), digest([hear(plain, 3, 6)]), digest([hear(plain), hear(plain)]),
      digest([{ $0.sent(plain, station: 3, at: Instant(nanoseconds: 5), in: payloads) }]),
      digest([hear(plain), report]), digest([report, hear(plain)]),
    ]
    expectEqual(Set(runs.map(\.state)).count, runs.count)
    expectEqual(digest([hear(plain), report]), digest([hear(datagram("a")), report]))
  }

  @Test("a time and a station never stand for another time and another station")
  func places() {
    func digest(_ station: UInt32, _ nanoseconds: Int64) -> Digest {
      var gate = Gate()
      gate.woken(station: station, at: Instant(nanoseconds: nanoseconds))
      return gate.digest
    }
    var seen: Set<Digest> = []
    for station in [0, 1, 2, 1 << 16, .max] as [UInt32] {
      for nanoseconds in [0, 1, 1 << 32, 1 << 36, 2 << 36, 1 << 52, 1 << 61, .max] as [Int64] {
        #expect(seen.insert(digest(station, nanoseconds)).inserted, "\(station) \(nanoseconds)")
      }
    }
  }

  @Test("a recorder changes nothing in the digest, keeps the stations it was told to, and finds the first difference")
  func recorder() {
    func run(_ recorder: Recorder?, _ text: String) -> Digest {
      var gate = Gate(recorder: recorder)
      gate.woken(station: 1, at: .zero)
      let first = datagram(text)
      gate.sent(first, station: 1, at: .zero, in: payloads)
      gate.received(.command(.stop), station: 2, at: Instant(nanoseconds: 9))
      return gate.digest
    }
    let all = Recorder()
    let other = Recorder()
    let one = Recorder(stations: [2])
    expectEqual(run(nil, "x"), run(all, "x"))
    #expect(run(one, "x") != run(other, "y"))
    expectEqual(all.entries.count, 3)
    expectEqual(one.entries, [TraceEntry(time: Instant(nanoseconds: 9), station: 2, content: .signal(.command(.stop)))])
    let difference = TraceDifference.first(between: all.entries, and: other.entries)
    expectEqual(difference?.index, 1)
    expectEqual(TraceDifference.first(between: all.entries, and: all.entries), nil)
    expectEqual(
      TraceText.line(all.entries[1], stationName: { "h\($0)" }),
      "0.000000000 h1 > 10.0.0.1:1900 -> 239.255.255.250:1900 if0 ttl2 x")
  }
}
