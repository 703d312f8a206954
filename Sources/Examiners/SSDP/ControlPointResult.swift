package import RollcallConformance
package import RollcallPrimitives
import RollcallTrace
import RollcallWire

/// The verdict of one probe.
package struct ControlPointRow: Hashable, Sendable {
  package enum Verdict: String, Hashable, Sendable, CaseIterable {
    case held, violated, inconclusive
    /// Nothing that it shows tells; never a pass.
    case notObservable
    /// The clause is of a later version of UDA than the one that it claims.
    case notBound
  }

  package var probe: ControlPointProbe
  /// `nil`: hardening of our own, without a row in the catalogue.
  package var clause: Clause?
  package var verdict: Verdict
  package var expected: String
  package var found: String
  /// How often it was put, repetitions and ways together.
  package var asked: Int
  package var ways: [ControlPointProbe.Way]
  /// The strongest of what shows it; `nil`: that nothing comes.
  package var evidence: ControlPointEvidence?
  package var records: [ControlPointRecord]
}

/// What was sent, and what was shown of it.
package struct ControlPointRecord: Hashable, Sendable {
  package var time: Instant
  /// In the log, from 1; 0: it is no datagram.
  package var position: Int
  /// `sent 10.77.1.10:50902 -> 10.77.1.20:40001`, `output`, `asked for`.
  package var what: String
  /// Bytes with escapes, the first of them.
  package var text: String
}

/// What came of examining a control point.
package struct ControlPointResult: Sendable {
  package var setting: ControlPointExamination.Setting
  package var examined: IPAddress?
  package var others: [IPAddress]
  package var rows: [ControlPointRow]
  /// Listening and probing, clause by clause.
  package var judgement: Judgement
  /// Listening alone.
  package var listened: Judgement
  /// How often the command was started, and how many lines it printed.
  package var starts: Int
  package var lineCount: Int
  /// What it searched for: ST, MX, how many copies, from which ports.
  package var searches: [Search]
  package var sentCount: Int
  package var heardCount: Int

  package struct Search: Hashable, Sendable {
    package var target: String
    package var maximumWaitSeconds: Int64
    package var copies: Int
    package var ports: [UInt16]
  }

  package func count(_ verdict: ControlPointRow.Verdict) -> Int { rows.filter { $0.verdict == verdict }.count }
  /// Breaches of a level, by what was probed.
  package func violations(_ level: Clause.Level) -> Int { judgement.violations(level) }
  /// Who was heard.
  package var party: Party? { judgement.parties.first { $0.role == .controlPoint } }
}

extension ControlPointExamination {
  static let quotedBytesMaximum = 480

  /// - Parameter wanted: which clauses stand in the matrix.
  package func result(wanted: (Clause) -> Bool = { _ in true }) -> ControlPointResult {
    // Sockets tell no fragments and may tell no TTL, and starts of a command look like copies of one search to a
    // listener.
    let knowsTTL = log.entries.contains { !$0.isSent && $0.hopLimit > 0 }
    let unheard: [ClauseID] =
      [.oneDatagram] + (knowsTTL ? [] : [.ttlDefault, .ttlEscape])
      + (setting.probes.contains(.copies) ? [.searchRepeat] : [])
    func isWanted(_ clause: Clause) -> Bool {
      clause.binds != .device && wanted(clause) && !unheard.contains(clause.number)
    }
    let end = log.entries.last?.time ?? .zero
    var judge = ClauseJudge(.capture, wanted: isWanted)
    listen(&judge)
    judge.close(at: end)
    let listened = Judgement(judge, wanted: isWanted)
    let claim = listened.parties.first { $0.role == .controlPoint }?.claim ?? .uda10
    let rows = setting.probes.map { row($0, claim) }
    var judgement = listened
    if let examined {
      judgement.take(
        rows.compactMap(ruling).filter { wanted($0.clause.clause) }, of: examined, .controlPoint,
        probed: ControlPointProbe.clauses.filter { wanted($0.clause) })
    }
    return ControlPointResult(
      setting: setting, examined: examined, others: others, rows: rows, judgement: judgement, listened: listened,
      starts: starts, lineCount: lineCount, searches: searches,
      sentCount: log.entries.filter(\.isSent).count + log.droppedCount - refusedCount,
      heardCount: log.entries.filter { !$0.isSent }.count)
  }

  /// What the control point sent is judged as in any capture.
  private func listen(_ judge: inout ClauseJudge) {
    for (place, entry) in log.entries.enumerated() where !entry.isSent {
      // A host may be a device besides; that is not what is examined.
      if entry.bytes.starts(with: "NOTIFY ".utf8) { continue }
      let payload = store.store(entry.bytes)
      defer { store.release(payload) }
      let isFromGroup = entry.destination.port == 1_900 || entry.source.port == 1_900
      judge.hear(
        Observation(
          time: entry.time, position: place + 1, source: entry.source, destination: entry.destination,
          interface: setting.interface, hopLimit: entry.hopLimit, place: isFromGroup ? .port1900 : .searcher,
          bytes: store.bytes(of: payload)))
    }
  }

  private func ruling(_ row: ControlPointRow) -> ProbeRuling? {
    guard let clause = row.clause, row.verdict != .notObservable, row.verdict != .notBound else { return nil }
    let first = row.records.first
    return ProbeRuling(
      clause: clause.number,
      verdict: row.verdict == .held ? .held : row.verdict == .violated ? .violated : .inconclusive,
      time: first?.time ?? .zero, position: first?.position ?? 0, expected: row.expected,
      found: "\(row.probe.rawValue): \(row.found)")
  }

  private var unputText: String {
    isCutOff
      ? "the examiner's interface went away before this was put to its end" : "the time was over before this was put"
  }

  // MARK: - Rows

  private func row(_ probe: ControlPointProbe, _ claim: Edition) -> ControlPointRow {
    let clause = probe.facts.clauses.first?.clause
    let all = samples.filter { $0.probe == probe }
    // Of each way the last word counts: a repetition is put alone.
    let last = probe.facts.ways.compactMap { way in all.last { $0.way == way } }
    let seen = last.filter { $0.outcome != .unseen }
    var row = ControlPointRow(
      probe: probe, clause: clause, verdict: .notObservable, expected: probe.facts.expected, found: "",
      asked: all.count { $0.outcome != .unseen }, ways: seen.map(\.way), records: [])
    guard !seen.isEmpty else {
      row.found = last.isEmpty ? unputText : texts(last)
      return row
    }
    let broken = seen.filter { $0.outcome == .violated }
    let unsure = seen.filter { $0.outcome == .unsure }
    // What was read by one rule here and another there has no rule.
    let rules = probe == .doubledField ? seen.filter { $0.text.hasPrefix("rule: ") }.map(\.text) : []
    if !broken.isEmpty {
      row.verdict = .violated
    } else if let other = rules.first(where: { $0 != rules[0] }) {
      (row.verdict, row.found) = (.violated, "\(rules[0]) in one way, \(other) in another")
    } else {
      row.verdict = unsure.isEmpty ? .held : .inconclusive
    }
    let telling = !broken.isEmpty ? broken : !unsure.isEmpty ? unsure : seen
    if row.found.isEmpty { row.found = texts(telling) }
    row.records = telling.flatMap(records)
    let shown = telling.compactMap(\.mark).map(\.evidence)
    row.evidence = ControlPointEvidence.allCases.first(where: shown.contains)
    if let clause, !clause.isIn(claim) {
      row.found = "it claims UDA \(claim.text), which has no such clause; seen: \(row.found)"
      row.verdict = .notBound
    }
    return row
  }

  /// What several ways gave, each text once with the ways that gave it.
  private func texts(_ samples: [ControlPointSample]) -> String {
    var groups: [(text: String, ways: [String])] = []
    for sample in samples {
      if let place = groups.firstIndex(where: { $0.text == sample.text }) {
        groups[place].ways.append(sample.way.rawValue)
      } else {
        groups.append((sample.text, [sample.way.rawValue]))
      }
    }
    // A story and a flood have one way only, and no need to say which.
    return groups.map { group in
      let isPlain = group.ways == ["story"] || group.ways == ["flood"]
      return isPlain ? group.text : "\(group.text) (\(group.ways.joined(separator: ", ")))"
    }.joined(separator: "; ")
  }

  private func records(_ sample: ControlPointSample) -> [ControlPointRecord] {
    if let position = sample.position {
      let entry = log.entries[position - 1]
      return [
        ControlPointRecord(
          time: entry.time, position: position, what: "heard \(entry.source) -> \(entry.destination)",
          text: ControlPointExamination.quoted(entry.bytes))
      ]
    }
    guard let bait = sample.bait, baits[bait].isSent else { return [] }
    var list: [ControlPointRecord] = []
    // Of a story its begin, and what it is about.
    let turn = sample.way == .story && baits[bait].stepPositions.count > 2 ? [baits[bait].stepPositions[2]] : []
    for position in [baits[bait].position] + turn where position > 0 && position <= log.entries.count {
      let entry = log.entries[position - 1]
      list.append(
        ControlPointRecord(
          time: entry.time, position: position, what: "sent \(entry.source) -> \(entry.destination)",
          text: ControlPointExamination.quoted(entry.bytes)))
    }
    if let mark = sample.mark {
      let what: String
      switch mark.kind {
      case .fetched: what = "asked for"
      case .told, .gone: what = "output"
      case .mentioned: what = mark.evidence.rawValue
      }
      list.append(
        ControlPointRecord(
          time: mark.time, position: 0, what: what, text: String(mark.text.drop { $0 == " " || $0 == "\t" })))
    }
    return list
  }

  private static func quoted(_ bytes: [UInt8]) -> String {
    WordWriter.escaped(bytes.prefix(quotedBytesMaximum)) + (bytes.count > quotedBytesMaximum ? "…" : "")
  }

  // MARK: - What it asked for

  private var searches: [ControlPointResult.Search] {
    var list: [ControlPointResult.Search] = []
    for entry in log.entries where !entry.isSent {
      guard let search = ControlPointSearch(entry.bytes) else { continue }
      let known = list.firstIndex {
        $0.target == search.target && $0.maximumWaitSeconds == search.maximumWaitSeconds
      }
      let place: Int
      if let known {
        place = known
      } else {
        guard list.count < 64 else { continue }
        list.append(.init(target: search.target, maximumWaitSeconds: search.maximumWaitSeconds, copies: 0, ports: []))
        place = list.count - 1
      }
      list[place].copies += 1
      if !list[place].ports.contains(entry.source.port), list[place].ports.count < 64 {
        list[place].ports.append(entry.source.port)
      }
    }
    return list
  }
}
