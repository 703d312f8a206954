import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallTrace
import Testing

/// What a judge is let hear of the trace of a run.
@Suite("What is heard of a trace")
struct TraceHearingTests {
  @Test("multicast DNS comes from its port or goes to it, and what does neither is none")
  func multicastDNS() {
    let (own, other) = (IPAddress(10, 0, 0, 1), IPAddress(10, 0, 0, 2))
    let group = Endpoint(.mdnsGroup4, port: 5_353)
    /// A message with one question for `_http._tcp.local`.
    func sent(_ port: UInt16, _ destination: Endpoint, isResponse: Bool = false) -> TraceEntry {
      let header: [UInt8] = [0, 0, isResponse ? 0x84 : 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
      let name: [UInt8] = [5] + Array("_http".utf8) + [4] + Array("_tcp".utf8) + [5] + Array("local".utf8) + [0]
      return TraceEntry(
        time: .zero, station: 0,
        content: .sent(
          RecordedDatagram(
            source: Endpoint(own, port: port), destination: destination, interface: InterfaceID(0), hopLimit: 255,
            bytes: header + name + [0, 12, 0, 1])))
    }
    let (query, plainQuery) = (sent(5_353, group), sent(50_000, group))
    let reply = sent(5_353, Endpoint(other, port: 50_000), isResponse: true)
    let nothing = sent(50_000, Endpoint(other, port: 50_001), isResponse: true)
    func count(_ entries: [TraceEntry]) -> Int { TraceHearing.judgement(entries, hosts: ["here"]).messageCount }
    expectEqual([query, plainQuery, reply, nothing].map { count([$0]) }, [1, 1, 1, 0])
    expectEqual(count([query, plainQuery, nothing, reply]), 3)
  }

  @Test("a query may go out again at once after a device did not answer the application, and after no other report")
  func unanswered() {
    let group = Endpoint(.mdnsGroup4, port: 5_353)
    func entry(_ milliseconds: Int64, _ content: TraceEntry.Content) -> TraceEntry {
      TraceEntry(time: .zero + .milliseconds(milliseconds), station: 0, content: content)
    }
    let name: [UInt8] = [5] + Array("_http".utf8) + [4] + Array("_tcp".utf8) + [5] + Array("local".utf8) + [0]
    let header: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    let query = TraceEntry.Content.sent(
      RecordedDatagram(
        source: Endpoint(IPAddress(10, 0, 0, 1), port: 5_353), destination: group, interface: InterfaceID(0),
        hopLimit: 255, bytes: header + name + [0, 12, 0, 1]))
    /// How often the query was sent too soon where this is told between its two copies.
    func soon(_ events: [ManagerReport.Event]) -> Int {
      let told = events.map { event in
        entry(1_250, .effect(.report(.managed(ManagerReport("7", event, ManagerReport.State(name: "TV"))))))
      }
      let entries = [entry(1_000, query)] + told + [entry(1_500, query)]
      return TraceHearing.judgement(entries, hosts: ["here"]).total(.queryIntervals).violated
    }
    func failed(_ reason: ConnectionFailure.Reason) -> [ManagerReport.Event] {
      [.connection(.failed(ConnectionFailure(reason, "")))]
    }
    expectEqual(
      [[], failed(.unreachable), failed(.timedOut), failed(.busy), [.lost]].map { soon($0) }, [1, 0, 0, 1, 1])
  }

  @Test("a description was asked for as long ago as it took, and where there is none nothing was heard")
  func description() {
    let time = Instant.zero + .seconds(9)
    func heard(_ location: String?, _ outcome: DescriptionFetch.Outcome) -> HeardDescription? {
      HeardDescription(
        DescriptionFetch(
          device: "uuid:a", location: location, cause: .found, interface: InterfaceID(0), duration: .seconds(2),
          outcome: outcome), at: time)
    }
    let document = DescriptionFetch.Outcome.fetched(
      DescriptionFetch.Document(status: 200, body: [1, 2, 3], contentType: nil))
    expectEqual(
      heard("http://10.0.0.1/a", document),
      HeardDescription(location: "http://10.0.0.1/a", askedAt: .zero + .seconds(7), body: [1, 2, 3]))
    expectEqual(heard(nil, document), nil)
    expectEqual(heard("http://10.0.0.1/a", .failed(DescriptionFetch.Failure(.timedOut, "late"))), nil)
  }
}
