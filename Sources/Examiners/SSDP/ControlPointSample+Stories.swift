import RollcallPrimitives

// Verdicts of stories: what was told of a device after its turn.
extension ControlPointExamination {
  /// How much later than a lease's end a loss may be told.
  private static let slack = Interval.seconds(2)
  private static let early = Interval.milliseconds(300)

  func storySample(_ probe: ControlPointProbe, _ run: ControlPointRun) -> ControlPointSample {
    let own = run.baits.filter { baits[$0].probe == probe && baits[$0].role == .probe }
    func sample(
      _ outcome: ControlPointSample.Outcome, _ text: String, _ bait: Int? = nil, _ mark: ControlPointBait.Mark? = nil
    ) -> ControlPointSample {
      ControlPointSample(
        probe: probe, way: .story, attempt: run.attempt, outcome: outcome, text: text,
        // A message that was lost would look alike.
        isDefinite: outcome != .violated || mark != nil, bait: bait ?? own.first, mark: mark)
    }
    guard run.baits.contains(where: { baits[$0].isTaken }) else {
      return sample(.unseen, "it shows no announced device")
    }
    guard own.allSatisfy({ baits[$0].isSent }), run.unsentAtEnd == 0, let first = own.first else {
      return sample(.unseen, "it ended before the story was told")
    }
    guard !tellsEverything(run) else {
      return sample(.unseen, "it tells of every message, known or new: whether it keeps devices cannot be seen")
    }
    // A set in another order that is not taken is what is looked for.
    if probe != .oddMaxAge, probe != .setOrder, let silent = own.first(where: { !baits[$0].isTaken }) {
      return sample(.violated, "the device is not taken", silent)
    }
    let showsLosses = baits.contains { $0.marks.contains { $0.kind == .gone } }
    let noLosses = "it never tells of a loss"
    switch probe {
    case .setOrder: return setOrder(own, sample)
    case .byebye:
      guard showsLosses else { return sample(.unseen, noLosses) }
      let turn = turn(first, 2)
      if let gone = baits[first].marks.first(where: { $0.kind == .gone && $0.time < turn }) {
        return sample(.violated, "told to be gone before it said byebye", first, gone)
      }
      guard baits[first].isGone, let gone = baits[first].goneAt else {
        return sample(.violated, "still there after its byebyes", first)
      }
      return sample(
        .held, "gone \(seconds(gone - turn)) after its byebye", first, baits[first].marks.last { $0.kind == .gone })
    case .byebyePart, .uuidCase:
      guard showsLosses else { return sample(.unseen, noLosses) }
      if probe == .uuidCase, let echo = own.first(where: { baits[$0].echo != nil }) {
        // What it had is named as it was listed.
        return sample(.unseen, "its output repeats the byebye, and does not name what it ends", echo)
      }
      let ends = own.map { baits[$0].isGone }
      if Set(ends).count > 1 {
        let which = probe == .byebyePart ? ["its UUID", "its type"] : ["capitals", "small letters"]
        return sample(
          .violated,
          "a byebye with \(which[ends[0] ? 0 : 1]) ends the device, one with \(which[ends[0] ? 1 : 0]) does not")
      }
      // All of them end alike.
      let isEnded = ends.contains(true)
      if probe == .uuidCase { return sample(.held, isEnded ? "case does not matter" : "case matters, both ways alike") }
      return sample(.held, isEnded ? "policy: it ends the whole device" : "policy: the device stays")
    case .neighbours:
      guard showsLosses else { return sample(.unseen, noLosses) }
      let staying = run.baits.filter { baits[$0].probe == .neighbours }
      for one in staying {
        if let gone = baits[one].marks.first(where: { $0.kind == .gone }) {
          return sample(.violated, "told to be gone though it stays", one, gone)
        }
      }
      return sample(.held, "it stays while others leave")
    case .reboot: return reboot(own, sample)
    case .update:
      let since = turn(first, 2)
      if let gone = baits[first].marks.first(where: { $0.kind == .gone && $0.time >= since }) {
        return sample(.violated, "told to be gone", first, gone)
      }
      guard looksAtBootIDs(run) else { return sample(.unseen, "it does not look at BOOTIDs") }
      return sample(.held, "no loss is told")
    case .bootZeros:
      guard looksAtBootIDs(run) else { return sample(.unseen, "it does not look at BOOTIDs") }
      if let again = news(first, since: turn(first, 2)) {
        return sample(.violated, "007 counts as another BOOTID than 7", first, again)
      }
      return sample(.held, "007 is 7")
    case .expiry: return expiry(first, showsLosses, sample)
    case .keptByPart:
      guard showsLosses else { return sample(.unseen, noLosses) }
      // A run may go on until its last lease is over, too.
      let valid = (baits[first].steps.last ?? .never) + .seconds(ControlPointStory.leaseSeconds)
      if let gone = baits[first].goneAt, gone < valid - ControlPointExamination.early {
        let gone = baits[first].marks.last { $0.kind == .gone }
        return sample(.violated, "gone though one message is valid", first, gone)
      }
      return sample(.held, "it stays")
    case .oddMaxAge: return oddMaxAge(own, showsLosses, sample)
    case .newLocation:
      let since = turn(first, 2)
      if let told = baits[first].marks.first(where: { $0.time >= since && $0.kind != .fetched(.own) }) {
        return sample(.held, told.kind == .gone ? "told as gone and found" : "told")
      }
      if baits[first].shows(.own) == nil { return sample(.unseen, "it shows no LOCATION") }
      return sample(.violated, "it goes on with the old LOCATION", first)
    case .newConfig:
      let since = turn(first, 2)
      let fetches = baits[first].marks.filter { $0.kind == .fetched(.own) }
      if fetches.isEmpty { return sample(.unseen, "it fetches no description of what is announced") }
      if let again = fetches.first(where: { $0.time >= since }) {
        return sample(.held, "fetched again", first, again)
      }
      return sample(.violated, "the document under the old CONFIGID serves for the new one", first)
    default: return sample(.unseen, "no rule")
    }
  }

  /// Whether it tells of a set again that it knows already: then its output says what came, and not what it keeps.
  private func tellsEverything(_ run: ControlPointRun) -> Bool {
    func isTold(_ number: Int, from start: Instant, to end: Instant) -> Bool {
      baits[number].marks.contains { mark in
        guard case .told = mark.kind else { return false }
        return mark.time >= start && mark.time < end
      }
    }
    let known = run.baits.filter { isTold($0, from: .zero, to: turn($0, 1)) }
    let again = known.filter { number in
      let second = turn(number, 1)
      return second != .never && isTold(number, from: second, to: min(turn(number, 2), second + .seconds(1)))
    }
    // A device of which something changed may be told of again; a program that keeps none tells of all of them again.
    return known.count >= 2 && again.count * 10 >= known.count * 9
  }

  private typealias Make =
    (ControlPointSample.Outcome, String, Int?, ControlPointBait.Mark?) -> ControlPointSample

  /// When the step of this number was sent.
  private func turn(_ bait: Int, _ step: Int) -> Instant {
    step < baits[bait].steps.count ? baits[bait].steps[step] : .never
  }

  private func seconds(_ interval: Interval) -> String {
    max(.zero, interval).seconds(decimals: 2) + " s"
  }

  /// What is told of a device anew; `nil`: nothing.
  private func news(_ bait: Int, since: Instant) -> ControlPointBait.Mark? {
    baits[bait].marks.first { $0.time >= since }
  }

  private func setOrder(_ own: [Int], _ sample: Make) -> ControlPointSample {
    // Which name it prints first is its own affair; how many there are in the end is not.
    let states = own.map { baits[$0].isTaken ? 1 + baits[$0].told.filter(\.isThere).count : 0 }
    func text(_ state: Int) -> String { state == 0 ? "no device" : "a device of \(state - 1) names" }
    if let odd = own.indices.first(where: { states[$0] != states[0] }) {
      return sample(
        .violated, "one order makes \(text(states[0])), another \(text(states[odd]))", own[odd], nil)
    }
    let isTaken = own.contains { baits[$0].isTaken }
    return isTaken ? sample(.held, "all alike", nil, nil) : sample(.unseen, "it shows none of them", nil, nil)
  }

  /// Whether another BOOTID was news to it in this run, or in an earlier one.
  private func looksAtBootIDs(_ run: ControlPointRun) -> Bool {
    if samples.contains(where: { $0.probe == .reboot && $0.outcome == .held }) { return true }
    return run.probes.contains(.reboot) && storySample(.reboot, run).outcome == .held
  }

  private func reboot(_ own: [Int], _ sample: Make) -> ControlPointSample {
    for number in own {
      // Between the second set and the turn nothing is new; who tells of it tells of everything.
      let (second, turn) = (turn(number, 1), turn(number, 2))
      let between = baits[number].marks.filter { $0.time >= second && $0.time < turn }
      if between.contains(where: { $0.kind != .fetched(.own) }) {
        return sample(.unseen, "it tells of every message, known or new", nil, nil)
      }
    }
    for (variant, number) in own.enumerated() where news(number, since: turn(number, 2)) == nil {
      let how = variant == 0 ? "higher" : "lower"
      return sample(.violated, "a \(how) BOOTID changes nothing that it shows", number, nil)
    }
    let first = own.first.flatMap { news($0, since: turn($0, 2)) }
    return sample(.held, first?.kind == .gone ? "told as gone and found" : "told anew", nil, nil)
  }

  private func expiry(_ bait: Int, _ showsLosses: Bool, _ sample: Make) -> ControlPointSample {
    let end = turn(bait, 1) + .seconds(ControlPointStory.leaseSeconds)
    if let gone = baits[bait].marks.first(where: { $0.kind == .gone }) {
      if gone.time < end - ControlPointExamination.early {
        return sample(.violated, "gone \(seconds(end - gone.time)) before its max-age was over", bait, gone)
      }
      let last = baits[bait].goneAt ?? .never
      if last > end + ControlPointExamination.slack {
        return sample(.violated, "gone more than two seconds after its max-age was over", bait, gone)
      }
      return sample(.held, "gone \(seconds(gone.time - end)) after its max-age was over", nil, nil)
    }
    if !showsLosses { return sample(.unseen, "it never tells of a loss", nil, nil) }
    return sample(.violated, "still there two seconds after its max-age was over", bait, nil)
  }

  private func oddMaxAge(_ own: [Int], _ showsLosses: Bool, _ sample: Make) -> ControlPointSample {
    guard showsLosses else { return sample(.unseen, "it never tells of a loss", nil, nil) }
    let words = ["0", "-1", "65539", "4294967299"]
    let found = own.map { number -> String in
      let one = baits[number]
      return "\(words[one.variant]) \(!one.isTaken ? "not taken" : one.isGone ? "goes" : "stays")"
    }
    for number in own where baits[number].variant >= 2 {
      if let gone = baits[number].marks.first(where: { $0.kind == .gone }) {
        return sample(.violated, "max-age \(words[baits[number].variant]) is over within seconds", number, gone)
      }
    }
    return sample(.held, found.joined(separator: ", "), nil, nil)
  }
}
