package import RollcallConformance
import RollcallPrimitives
package import RollcallTrace

/// Brings asking and listening together: one judgement of the responder that was examined.
package enum ResponderJudgement {
  /// Judges what the responder sent, clause by clause, and puts what was asked above what was merely heard.
  ///
  /// The examiner himself, whose messages are in bad form on purpose, is not judged, and neither is anybody else.
  /// - Parameters:
  ///   - entries: of the examiner's station.
  ///   - numbers: of the entries in the trace, from 1, where some of others' are left out; `nil`: these are all.
  package static func judgement(
    of exam: ResponderExam, _ report: ResponderReport, trace entries: [TraceEntry], numbers: [Int]? = nil,
    wanted: (Clause) -> Bool = { _ in true }
  ) -> Judgement {
    let knowsTTL = entries.contains {
      if case .received(let datagram) = $0.content { datagram.hopLimit > 0 } else { false }
    }
    func isWanted(_ clause: Clause) -> Bool {
      clause.binds != .controlPoint && (knowsTTL || clause.number != .multicastHopLimit) && wanted(clause)
    }
    var judge = ClauseJudge(.capture, wanted: isWanted)
    let payloads = PayloadStore()
    var last = Instant.zero
    for (index, entry) in entries.enumerated() {
      last = max(last, entry.time)
      guard case .received(let datagram) = entry.content, datagram.source.address == report.subject.address else {
        continue
      }
      let payload = payloads.store(datagram.bytes)
      judge.hear(
        multicastDNS: Observation(
          time: last, position: numbers?[index] ?? index + 1, source: datagram.source,
          destination: datagram.destination,
          interface: datagram.interface, hopLimit: datagram.hopLimit, place: .port5353,
          bytes: payloads.bytes(of: payload)))
      payloads.release(payload)
    }
    judge.close(at: max(last, exam.ended))
    var judgement = Judgement(judge, wanted: isWanted)
    judgement.keep { $0.role == .device && $0.address == .ip(report.subject.address) }
    judgement.overrule(
      report.rulings.map { placed($0, in: entries, numbers) }, address: report.subject.address, wanted: wanted)
    return judgement
  }

  /// The ruling with its place in the record: that of the first message that was heard.
  private static func placed(_ ruling: ProbeRuling, in entries: [TraceEntry], _ numbers: [Int]?) -> ProbeRuling {
    var ruling = ruling
    guard let first = ruling.evidence.first(where: { !$0.isSent }) ?? ruling.evidence.first else { return ruling }
    ruling.position = first.position(in: entries, numbers)
    return ruling
  }
}
