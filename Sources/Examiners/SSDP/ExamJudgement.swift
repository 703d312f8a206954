package import RollcallConformance
import RollcallPrimitives
package import RollcallTrace

/// Brings asking and listening together: one judgement of the device that was examined.
package enum ExamJudgement {
  /// Judges the trace of an examination clause by clause, and puts what was asked above what was merely heard.
  ///
  /// The judge hears the examiner's searches, what came to their sockets, and what the device announced. The examiner
  /// himself, whose searches are in bad form on purpose, is not judged, and neither is anybody else on the network.
  /// - Parameters:
  ///   - entries: of the examiner's station.
  ///   - numbers: of the entries in the trace, from 1, where some of others' are left out; `nil`: these are all.
  package static func judgement(
    of exam: DeviceExam, _ report: ExamReport, trace entries: [TraceEntry], numbers: [Int]? = nil,
    wanted: (Clause) -> Bool = { _ in true }
  ) -> Judgement {
    let knowsTTL = entries.contains {
      if case .received(let datagram) = $0.content { datagram.hopLimit > 0 } else { false }
    }
    // What the system does not tell of heard datagrams cannot be judged; and how waits are spread is judged by one
    // probe, whose searches are all alike.
    let unseen: [ClauseID] = [.answerDelay] + (knowsTTL ? [] : [.ttlDefault, .ttlEscape])
    func isWanted(_ clause: Clause) -> Bool {
      clause.binds != .controlPoint && !unseen.contains(clause.number) && wanted(clause)
    }

    var judge = ClauseJudge(.capture, wanted: isWanted)
    let payloads = PayloadStore()
    var last = Instant.zero
    var document = exam.document
    let cut = exam.judgedUntil
    var isOnLoopback: Bool?
    let interest = report.subject.interest
    for (index, entry) in entries.enumerated() {
      let position = numbers?[index] ?? index + 1
      if let cut, entry.time > cut { break }
      last = max(last, entry.time)
      if let found = document, found.time <= entry.time {
        judge.note(TraceEvent(time: last, position: position, host: -1, .described(found.heard)))
        document = nil
      }
      let datagram: RecordedDatagram
      switch entry.content {
      case .sent(let sent): datagram = sent
      case .received(let heard) where interest.concerns(heard): datagram = heard
      case .signal(.host(.interface(let change))):
        isOnLoopback = change.addresses.contains { $0.address.isLoopback }
        continue
      default: continue
      }
      let isGroup = datagram.destination.port == 1_900 || datagram.source.port == 1_900
      let payload = payloads.store(datagram.bytes)
      judge.hear(
        Observation(
          time: last, position: position, source: datagram.source, destination: datagram.destination,
          interface: datagram.interface, isOnLoopback: isOnLoopback, hopLimit: datagram.hopLimit,
          place: isGroup ? .port1900 : .searcher,
          bytes: payloads.bytes(of: payload)))
      payloads.release(payload)
    }
    judge.close(at: max(last, cut ?? exam.ended))
    var judgement = Judgement(judge, wanted: isWanted)
    judgement.keep { $0.role == .device }
    judgement.overrule(
      report.rulings.map { ruling($0, in: entries, numbers) }, address: report.subject.address, wanted: wanted)
    return judgement
  }

  /// The ruling with its place in the record: that of the first message that was heard.
  private static func ruling(_ exam: ExamRuling, in entries: [TraceEntry], _ numbers: [Int]?) -> ProbeRuling {
    let first = exam.evidence.first { !$0.isSent } ?? exam.evidence.first
    let isBroken = exam.verdict == .violated
    return ProbeRuling(
      clause: exam.clause, verdict: exam.verdict, time: first?.time ?? .zero,
      position: first?.position(in: entries, numbers) ?? 0, expected: isBroken ? exam.expected : "",
      found: isBroken ? exam.found : exam.expected, probe: exam.probe.rawValue, evidence: exam.evidence)
  }
}
