package import RollcallConformance
import RollcallPrimitives
package import RollcallTrace

/// Brings asking and listening together: one judgement of the device that was examined.
package enum ExamJudgement {
  /// Judges the trace of an examination clause by clause, and puts what was asked above what was merely heard.
  ///
  /// The judge hears the examiner's searches, what came to their sockets, and what the device announced. The examiner
  /// himself, whose searches are in bad form on purpose, is not judged, and neither is anybody else on the network.
  /// - Parameter entries: of the examiner's station; positions of findings count them from 1.
  package static func judgement(
    of exam: DeviceExam, _ report: ExamReport, trace entries: [TraceEntry], wanted: (Clause) -> Bool = { _ in true }
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
    for (number, entry) in entries.enumerated() {
      if let cut, entry.time > cut { break }
      last = max(last, entry.time)
      if let found = document, found.time <= entry.time {
        judge.note(TraceEvent(time: last, position: number + 1, host: -1, .described(found.heard)))
        document = nil
      }
      let datagram: RecordedDatagram
      switch entry.content {
      case .sent(let sent): datagram = sent
      case .received(let heard) where concerns(heard, exam, report.subject): datagram = heard
      case .signal(.host(.interface(let change))):
        isOnLoopback = change.addresses.contains { $0.address.isLoopback }
        continue
      default: continue
      }
      let isGroup = datagram.destination.port == 1_900 || datagram.source.port == 1_900
      let payload = payloads.store(datagram.bytes)
      judge.hear(
        Observation(
          time: last, position: number + 1, source: datagram.source, destination: datagram.destination,
          interface: datagram.interface, isOnLoopback: isOnLoopback, hopLimit: datagram.hopLimit,
          place: isGroup ? .port1900 : .searcher,
          bytes: payloads.bytes(of: payload)))
      payloads.release(payload)
    }
    judge.close(at: max(last, cut ?? exam.ended))
    var judgement = Judgement(judge, wanted: isWanted)
    judgement.keep { $0.role == .device }
    judgement.overrule(
      report.rulings.map { ruling($0, in: entries) }, address: report.subject.address, wanted: wanted)
    return judgement
  }

  /// The ruling with its place in the record: that of the first message that was heard.
  private static func ruling(_ exam: ExamRuling, in entries: [TraceEntry]) -> ProbeRuling {
    let first = exam.evidence.first { !$0.isSent } ?? exam.evidence.first
    let isBroken = exam.verdict == .violated
    return ProbeRuling(
      clause: exam.clause, verdict: exam.verdict, time: first?.time ?? .zero,
      position: first.map { position(of: $0, in: entries) } ?? 0, expected: isBroken ? exam.expected : "",
      found: isBroken ? exam.found : exam.expected, probe: exam.probe.rawValue, evidence: exam.evidence)
  }

  /// Whether a datagram is of the device that is examined; one without a USN is of the device at its address.
  private static func concerns(_ datagram: RecordedDatagram, _ exam: DeviceExam, _ subject: ExamSubject) -> Bool {
    let mark = Array("\r\nusn:".utf8)
    let bytes = datagram.bytes
    guard
      let place = bytes.indices.first(where: { start in
        start + mark.count <= bytes.count
          && mark.indices.allSatisfy {
            mark[$0] == (bytes[start + $0] &- 65 < 26 ? bytes[start + $0] | 32 : bytes[start + $0])
          }
      })
    else { return datagram.source.address == subject.address }
    let value = bytes[(place + mark.count)...].prefix { $0 != 13 && $0 != 10 }
    let text = String(decoding: value, as: UTF8.self).lowercased()
    return subject.all.contains { text.contains("uuid:" + $0.uuid.lowercased()) }
  }

  /// The entry of a datagram that was kept as evidence; 0 where there is none.
  private static func position(of record: ProbeMessage, in entries: [TraceEntry]) -> Int {
    let place = entries.firstIndex { entry in
      guard entry.time == record.time else { return false }
      switch entry.content {
      case .sent(let sent):
        return record.isSent && sent.destination == record.peer && sent.source.port == record.port
      case .received(let heard):
        return !record.isSent && heard.source == record.peer && heard.bytes.starts(with: record.bytes)
      default: return false
      }
    }
    return place.map { $0 + 1 } ?? 0
  }
}
