package import RollcallPrimitives
import RollcallWire

// One run after another: wait, act, see what comes of it.
extension ControlPointExamination {
  /// What is sent is not late for this long after it.
  static let settling = Interval.milliseconds(1_500)
  /// How long a command that ends by itself may take to do so.
  static let endPatience = Interval.seconds(10)
  /// How long is waited to learn whether it does.
  static let firstEndPatience = Interval.seconds(4)
  /// How long a group's listeners have to come up after the first search.
  static let comingUp = Interval.milliseconds(700)

  mutating func nextRun(at now: Instant) {
    guard !queue.isEmpty, limit > now else { return leave(at: now) }
    var next = queue.removeFirst()
    next.startedAt = now
    run = next
    phase = .waiting
    if setting.hasCommand {
      phaseEnd = now + (next.way == .answer ? ControlPointPlan.patience(setting) : .seconds(2))
      starts += 1
      wish(.startCommand)
    } else {
      let isForSearch = next.way == .answer || next.way == .flood
      phaseEnd = now + (isForSearch ? ControlPointPlan.patience(setting) : .zero)
    }
  }

  /// Between two byebyes of different baits.
  private static let farewellSpacing = Interval.microseconds(500)

  /// A control point that heard of a bait is told that the bait is gone.
  private mutating func leave(at now: Instant) {
    run = nil
    agenda = []
    phase = .leaving
    for number in baits.indices where baits[number].isSent {
      agenda.append(
        Appointment(
          time: now + ControlPointExamination.farewellSpacing * Int64(agenda.count), what: .farewell(number)))
    }
    phaseEnd = agenda.last?.time ?? now
  }

  /// The examination is broken off: what is left to say is said at once.
  package mutating func breakOff(at now: Instant) {
    guard phase != .over else { return }
    if phase != .leaving { leave(at: now) }
    while let first = agenda.first {
      agenda.removeFirst()
      perform(first.what, at: now)
    }
    finish(at: now)
  }

  /// The way to the control point is gone: what was put last is not judged, and nothing more is said.
  mutating func cutOff(at now: Instant) {
    isCutOff = true
    finish(at: now)
  }

  /// The system refused to send: what is put in this run may not have been heard.
  mutating func refused() {
    refusedCount += 1
    run?.isRefused = true
  }

  mutating func finish(at now: Instant) {
    phase = .over
    isOver = true
    run = nil
  }

  /// The phase has come to its end without anything that ended it.
  mutating func endPhase(at now: Instant) {
    switch phase {
    case .waiting:
      if run?.way == .answer { return endRun(at: now) }
      act(at: now)
    case .acting:
      (phase, phaseEnd) = (.settling, now + settling)
    case .settling:
      // Who ends by itself prints its last then.
      let isFirst = run?.attempt == 1 && endsByItself == nil && run?.firstSearch != nil
      let patience: Interval =
        !setting.hasCommand || run?.end != nil
        ? .zero
        : endsByItself == true
          ? ControlPointExamination.endPatience : isFirst ? ControlPointExamination.firstEndPatience : .zero
      if let run, patience > .zero, now < run.startedAt + .seconds(60), !hasWaitedForEnd {
        hasWaitedForEnd = true
        phaseEnd = now + patience
        return
      }
      if isFirst, hasWaitedForEnd { endsByItself = false }
      endRun(at: now)
    case .leaving: finish(at: now)
    // None of these ends by itself.
    case .ending, .idle, .over: break
    }
  }

  /// How long is waited after everything is sent. Who fetches does so when its search is over; where every good bait is
  /// shown already, nothing more is to come.
  private var settling: Interval {
    guard let run, run.way == .answer || run.way == .flood else { return ControlPointExamination.settling }
    let isDone =
      run.company != .none
      && run.baits.allSatisfy { baits[$0].role == .probe || baits[$0].role == .many || baits[$0].isTaken }
    return setting.hasCommand && isDone
      ? ControlPointExamination.settling : .seconds(run.maximumWaitSeconds + 3)
  }

  /// Ends the command where there is one, then judges the run.
  mutating func endRun(at now: Instant) {
    agenda = []
    phaseEnd = .never
    if setting.hasCommand, run?.end == nil {
      phase = .ending
      wish(.stopCommand)
    } else {
      evaluate(at: now)
    }
  }

  // MARK: - Searches

  mutating func heard(_ search: ControlPointSearch, from source: Endpoint, position: Int, at now: Instant) {
    guard phase == .waiting || phase == .acting || phase == .settling else { return }
    if run?.firstSearch == nil { run?.firstSearch = now }
    if run?.asker == nil, run?.way == .answer || run?.way == .flood {
      run?.asker = source
      run?.target = search.target
    }
    let isCopy = run?.asker == source && run?.target == search.target
    if isCopy {
      run?.lastCopy = now
      run?.maximumWaitSeconds = min(search.maximumWaitSeconds, ControlPointPlan.waitMaximumSeconds)
      run?.isWaitCut = search.maximumWaitSeconds > ControlPointPlan.waitMaximumSeconds
    }
    switch (phase, run?.way) {
    case (.waiting, .answer): act(at: now)
    case (.waiting, .flood) where !setting.hasCommand: act(at: now)
    case (.waiting, _): phaseEnd = min(phaseEnd, now + ControlPointExamination.comingUp)
    case (_, .answer) where isCopy: replanAfterCopy(at: now)
    default: break
    }
  }

  // MARK: - Baits

  /// Makes a bait that nobody has heard of.
  mutating func bait(
    _ probe: ControlPointProbe, _ role: ControlPointBait.Role, _ way: ControlPointProbe.Way, variant: Int = 0
  ) -> Int {
    let number = baits.count
    let uuid = names.uuid(number, probe: role == .probe ? probe : .byebye)
    baits.append(
      ControlPointBait(number: number, probe: probe, role: role, way: way, variant: variant, uuid: uuid))
    byUUID[uuid] = number
    run?.baits.append(number)
    return number
  }

  private mutating func appoint(_ what: Appointment.What, at time: Instant) {
    let place = agenda.firstIndex { $0.time > time } ?? agenda.count
    agenda.insert(Appointment(time: time, what: what), at: place)
  }

  /// Everything that this run sends is put on the agenda.
  mutating func act(at now: Instant) {
    guard let run else { return }
    phase = .acting
    hasWaitedForEnd = false
    switch run.way {
    case .answer: planAnswers(run, at: now)
    case .announcement: planAnnouncements(run, at: now)
    case .story: planStories(run, at: now)
    case .flood: planFlood(run, at: now)
    }
    phaseEnd = agendaEnd(at: now)
  }

  /// When everything is sent, and every copy of the search had its time.
  private func agendaEnd(at now: Instant) -> Instant {
    let end = (agenda.last?.time ?? now) + .milliseconds(1)
    guard let run, run.way == .answer, run.probes.contains(.copies) else { return end }
    return max(end, run.lastCopy + .seconds(run.maximumWaitSeconds + 1))
  }

  /// Why a probe cannot be put on this way to this control point; `nil`: it can.
  func obstacle(_ probe: ControlPointProbe, _ way: ControlPointProbe.Way) -> String? {
    let target = way == .answer ? run?.target ?? "" : searched ?? ""
    switch probe {
    case .wrongST where target == "ssdp:all", .valueCase where target == "ssdp:all":
      return "it searches for ssdp:all, and any ST answers that"
    case .lastMoment where run?.isWaitCut == true, .late where run?.isWaitCut == true:
      return "its MX is more than \(ControlPointPlan.waitMaximumSeconds) s, which is not waited for"
    case .higherVersion, .higherST:
      if target.isEmpty { return "what it searches for was not heard" }
      if target == "ssdp:all" { return "it searches for ssdp:all, and any version answers that" }
      return ControlPointBaitMessage.higher(target) == target ? "it searches for \(target), which has no version" : nil
    default: return nil
    }
  }

  /// Control baits first and last, and a good bait behind each that may do harm.
  private mutating func row(_ run: ControlPointRun) -> [Int] {
    if run.company == .only { return (0..<3).map { _ in bait(.byebye, .control, run.way) } }
    let isAlone = run.company == .none
    var row = isAlone ? [] : [bait(.byebye, .control, run.way)]
    for probe in run.probes where probe != .lastMoment && probe != .late && obstacle(probe, run.way) == nil {
      if probe == .copies { continue }
      for variant in 0..<ControlPointPlan.variants(of: probe) {
        if probe == .wrongST, variant == 1, !isTyped(run.target) { continue }
        row.append(bait(probe, .probe, run.way, variant: variant))
      }
      if probe.facts.wanted != .taken, !isAlone { row.append(bait(probe, .companion, run.way)) }
    }
    if !isAlone { row.append(bait(.byebye, .control, run.way)) }
    return row
  }

  private func isTyped(_ target: String) -> Bool { ControlPointBaitMessage.higher(target) != target }

  private mutating func planAnswers(_ run: ControlPointRun, at now: Instant) {
    let row = row(run)
    let window = Interval.milliseconds(run.maximumWaitSeconds * 1_000 - 500)
    let gap = min(Interval.milliseconds(40), window / Int64(row.count + 1))
    for (place, number) in row.enumerated() {
      appoint(.bait(number), at: now + .milliseconds(50) + gap * Int64(place))
    }
    replanAfterCopy(at: now)
  }

  /// Answers whose time counts from the last copy of the search are put off when another copy comes.
  private mutating func replanAfterCopy(at now: Instant) {
    guard let run, now < (run.firstSearch ?? now) + ControlPointPlan.copiesMaximum else { return }
    let end = now + .seconds(run.maximumWaitSeconds)
    for probe in run.probes where (probe == .lastMoment || probe == .late) && !run.isWaitCut {
      let time = probe == .late ? end + .seconds(2) : end - .milliseconds(150)
      let waiting = agenda.firstIndex {
        if case .bait(let number) = $0.what {
          baits[number].probe == probe && baits[number].role == .probe
        } else {
          false
        }
      }
      if let waiting {
        let what = agenda.remove(at: waiting).what
        appoint(what, at: time)
      } else if run.baits.filter({ baits[$0].probe == probe && baits[$0].role == .probe }).count < 6 {
        appoint(.bait(bait(probe, .probe, .answer)), at: time)
      }
    }
    guard !agenda.isEmpty || run.probes.contains(.copies) else { return }
    phase = .acting
    phaseEnd = agendaEnd(at: now)
  }

  private mutating func planAnnouncements(_ run: ControlPointRun, at now: Instant) {
    for (place, number) in row(run).enumerated() {
      let time = now + .milliseconds(50 + 30 * Int64(place))
      // Twice, as UDA asks devices to.
      appoint(.bait(number), at: time)
      appoint(.bait(number), at: time + .milliseconds(250))
    }
  }

  private mutating func planStories(_ run: ControlPointRun, at now: Instant) {
    var row = [bait(.neighbours, .control, .story)]
    for probe in run.probes {
      for variant in 0..<ControlPointPlan.variants(of: probe) {
        row.append(bait(probe, .probe, .story, variant: variant))
      }
    }
    for (place, number) in row.enumerated() {
      let begin = now + .milliseconds(20 + 12 * Int64(place))
      for (step, content) in ControlPointStory.steps(baits[number].probe, baits[number].variant).enumerated() {
        appoint(.story(number, step: step), at: begin + content.after)
      }
    }
    // Long enough for short leases to end.
    appoint(.story(row[0], step: 1), at: now + .milliseconds(5_200))
  }

  private mutating func planFlood(_ run: ControlPointRun, at now: Instant) {
    let first = bait(.flood, .control, .flood)
    appoint(.bait(first), at: now + .milliseconds(20))
    let count = max(1, min(setting.floodCount, 10_000))
    for place in 0..<count {
      // Half of them as answers where somebody asked; a second for all.
      let number = bait(.flood, .many, .flood, variant: place % 2)
      appoint(.bait(number), at: now + .milliseconds(100) + .microseconds(Int64(place) * 1_000_000 / Int64(count)))
    }
    let last = bait(.flood, .companion, .flood)
    for delay in [1_600, 1_900] as [Int64] { appoint(.bait(last), at: now + .milliseconds(delay)) }
  }

  // MARK: - Sending

  mutating func perform(_ what: Appointment.What, at now: Instant) {
    let group = Endpoint.ssdp(setting.address.family)
    let wanted = wantedTarget
    switch what {
    case .bait(let number):
      let isGood = baits[number].role == .control || baits[number].role == .companion
      var ways: [(answer: Bool, to: Endpoint)] = []
      let asker = run?.asker
      switch baits[number].way {
      case .answer: if let asker { ways = [(true, asker)] }
      case .announcement: ways = [(false, group)]
      case .story: break
      case .flood:
        // A control point that hears only one of the ways shows the good baits that were sent on that way.
        if isGood, let asker { ways.append((true, asker)) }
        if isGood || baits[number].variant == 0 || asker == nil { ways.append((false, group)) }
        if !isGood, baits[number].variant == 1, let asker { ways = [(true, asker)] }
      }
      for way in ways {
        var bait = baits[number]
        bait.way = way.answer ? .answer : .announcement
        let target = way.answer ? run?.target ?? wanted : wanted
        let bytes = ControlPointBaitMessage.bytes(of: bait, names, searched: target, store)
        send(bytes, to: way.to, bait: number, at: now)
      }
    case .farewell(let number):
      for bytes in ControlPointStory.farewell(of: baits[number], names, searched: wanted, store) {
        send(bytes, to: group, bait: number, at: now)
      }
    case .story(let number, let step):
      let steps = ControlPointStory.steps(baits[number].probe, baits[number].variant)
      while baits[number].steps.count <= step {
        baits[number].steps.append(.never)
        baits[number].stepPositions.append(0)
      }
      baits[number].steps[step] = now
      baits[number].stepPositions[step] = log.entries.count + 1
      for bytes in ControlPointStory.messages(steps[step], of: baits[number], names, searched: wanted, store) {
        send(bytes, to: group, bait: number, at: now)
      }
    }
  }

  private mutating func send(_ bytes: [UInt8], to destination: Endpoint, bait number: Int, at now: Instant) {
    let position = log.add(bytes, from: setting.speaker, to: destination, hopLimit: 2, isSent: true, at: now)
    if !baits[number].isSent { (baits[number].sentAt, baits[number].position) = (now, position) }
    wish(.send(bytes, from: setting.speaker, to: destination))
  }

  /// What it searches for; of one that only listens nobody knows, and everything is offered.
  var wantedTarget: String {
    if let searched { return searched }
    guard let target = run?.target, !target.isEmpty else { return "ssdp:all" }
    return target
  }

  /// The description of a bait: a device of the type, or with the service, that is searched for.
  func document(of number: Int) -> DescriptionDocument {
    let isHigher = baits[number].probe == .higherVersion || baits[number].probe == .higherST
    let wanted = wantedTarget
    let target = ExamTarget(isHigher ? ControlPointBaitMessage.higher(wanted) : wanted)
    let type = target.form == .device ? target.text : ControlPointStory.plainType
    let services: [DescriptionDocument.Service] =
      target.form == .service
      ? [.init(type: target.text, number: 1, below: names.services(number))] : []
    return DescriptionDocument(
      major: 1, minor: 1, configID: 1,
      root: DescriptionDocument.Device(
        type: type, friendlyName: "Bait \(number)", manufacturer: "Rollcall", modelName: "Bait",
        udn: "uuid:\(baits[number].uuid)", services: services))
  }
}
