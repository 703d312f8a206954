import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Documents that nobody announced tell a judge nothing.
@Suite("Documents that a judge wants") struct WantedDocumentTests {
  @Test("documents are wanted from a server that was announced, by its address and its port")
  func servers() {
    let server = Endpoint(IPAddress(192, 168, 1, 10), port: 49_152)
    let otherPort = Endpoint(IPAddress(192, 168, 1, 10), port: 49_153)
    let otherHost = Endpoint(IPAddress(192, 168, 1, 11), port: 49_152)
    var judge = ClauseJudge(.capture)
    func wanted(_ judge: borrowing ClauseJudge) -> [Bool] {
      [
        judge.wants(documentsOf: server), judge.wants(documentsOf: otherPort), judge.wants(documentsOf: otherHost),
      ]
    }
    expectEqual(wanted(judge), [false, false, false])
    let payloads = PayloadStore()
    let said = Said.alive()
    let payload = payloads.store(Array(said.text.utf8))
    judge.hear(
      Observation(
        time: .zero, position: 1, source: said.from, destination: said.to, bytes: payloads.bytes(of: payload)))
    payloads.release(payload)
    expectEqual(wanted(judge), [true, false, false])
  }

  @Test("a document from another URL is not read: a device keeps the spelling of its messages")
  func spelling() {
    let document = Said.document(udn: "uuid:" + Said.uuid.uppercased())
    let breach = Said.alive(["CACHE-CONTROL": "max-age=1"]).later(.seconds(1))
    let fetched = Said.fetched(document, at: .zero, from: "http://192.168.1.99:49152/description.xml")
    let rows = Said.judged([fetched, breach]).rows.filter { $0.finding.clause == .aliveMaxAgeFloor }
    expectEqual(rows.map(\.device), ["uuid:" + Said.uuid])
  }
}
