import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallReporting

/// Lines in memory of every size: a debug build ends where something is put without room for it.
@Suite("Memory of lines") struct LineMemoryTests {
  /// The line of a report, written into so much memory to begin with.
  private func line(_ report: Report, capacity: Int) -> String {
    var line = JSONLine(linesOf: capacity)
    line.begin(reportAt: Instant(nanoseconds: 1_500_000_000), frame: 7)
    ReportLine.add(report, to: &line)
    return line.closed
  }

  private let head = #"{"schema":"rollcall/1","kind":"report","time":"1.500000000","frame":7,"layer":"ssdp","event":"#

  @Test("a service and the end of a search are the same lines however much memory they begin with")
  func capacities() {
    let odd = String(repeating: "\u{1F}", count: 12)
    let escaped = String(repeating: #"\u001f"#, count: 12)
    for (name, written) in [(odd, escaped), ("uuid:a", "uuid:a")] {
      let service = ServiceSighting(search: SearchID(1), device: name, usn: name, target: "t", location: nil)
      let outcome = SearchOutcome(search: SearchID(1), target: "t", services: [service, service], wasStopped: false)
      let serviceLine =
        head + #""service","device":"\#(written)","search":1,"usn":"\#(written)","target":"t","location":null}"#
      let outcomeLine =
        head + #""searchEnded","search":1,"target":"t","services":["\#(written)","\#(written)"]}"#
      var found: Set<String> = []
      // Up to the size of the longer one.
      for capacity in 1...serviceLine.utf8.count {
        found.insert(line(.service(service), capacity: capacity))
        found.insert(line(.searchEnded(outcome), capacity: capacity))
      }
      expectEqual(found, [serviceLine, outcomeLine])
    }
  }

  @Test("text, bytes and numbers take the room that they need")
  func pieces() {
    var memory = TextMemory(capacity: 1)
    memory.append(UInt64.max)
    for _ in 0..<30 { memory.append(byte: 0x61) }
    memory.append("static")
    memory.append(text: "text")
    memory.append(7)
    expectEqual(memory.text, "18446744073709551615" + String(repeating: "a", count: 30) + "statictext7")
  }
}
