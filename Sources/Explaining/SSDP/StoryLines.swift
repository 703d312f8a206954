import RollcallPrimitives
import RollcallDiscovery
import RollcallReporting
import RollcallWire

/// A story as JSON lines: `{"kind":"story","about":…}`, one line for each thing.
///
/// `about` is `device` (one line for each event, in order of time), `peripheral`, `service` (one line for each report),
/// `multicast` (one line for each message of multicast DNS), `search`, `datagrams` (groups that made no device), `party` (what became of the datagrams of the party that was asked about), `presence`, `probe`, `finding` (why
/// something is not found), `peer` (what a nearby peer was told, in runs), and last `end`.
package enum StoryLines {
  /// - Parameter capture: the path or paths as they were given.
  package static func json(_ story: Story, capture: String) -> [String] {
    var lines: [String] = []
    if story.isProbeOnly, let probe = story.probe { return self.lines(probe, story) }
    for device in story.devices {
      for event in device.events { lines.append(line(event, device, story)) }
    }
    // A story of one party has no peripherals beside it.
    if story.party == nil { lines += story.peripherals.map { line($0, story) } }
    for one in story.services { lines.append(line(one, story)) }
    for one in story.multicast { lines.append(line(one, story)) }
    for search in story.searches { lines.append(line(search, story)) }
    for group in story.unmade { lines.append(line(group, story)) }
    for one in story.datagrams { lines.append(line(one, story)) }
    if let presence = story.presence { lines.append(line(presence, story)) }
    if let probe = story.probe { lines += self.lines(probe, story) }
    for finding in story.findings { lines.append(line(finding, story)) }
    var end = JSONLine(kind: "story")
    end.add("about", "end")
    end.add("capture", capture)
    end.add("start", story.start.description)
    end.add("end", story.end.description)
    end.add("frames", story.frames)
    end.add("messages", story.messages)
    end.add("devices", story.devices.count)
    if story.multicastCount > 0 { end.add("multicast", story.multicastCount) }
    end.add("cut", object: story.cuts.map { ($0.what, $0.count) })
    lines.append(end.closed)
    return lines
  }

  private static func line(_ one: PeripheralStory, _ story: Story) -> String {
    var line = begin("peripheral", one.first)
    line.add("device", one.device)
    add(one.frames, story, to: &line)
    line.add("last", one.last.description)
    line.add("packets", object: one.packets.map { ($0.name, $0.count) })
    line.add("strongest", one.strengths.map { Int($0.upperBound) })
    line.add("weakest", one.strengths.map { Int($0.lowerBound) })
    line.add("requests", one.requests)
    line.add("faults", object: one.faults.map { ($0.reason.rawValue, $0.frames.count) })
    return line.closed
  }

  private static func line(_ one: MulticastStory, _ story: Story) -> String {
    var line = begin("multicast", one.time)
    add(one.frame, story, to: &line)
    MulticastLines.add(one, story.names, to: &line)
    return line.closed
  }

  private static func line(_ one: ServiceStoryEvent, _ story: Story) -> String {
    var line = begin("service", one.time)
    if let frame = one.frame { add(frame, story, to: &line) }
    line.add("text", ReportText.line(one.report))
    return line.closed
  }

  private static func begin(_ about: String, _ time: Instant? = nil) -> JSONLine {
    var line = JSONLine(kind: "story")
    line.add("about", about)
    if let time { line.add("time", time.description) }
    return line
  }

  private static func add(_ frames: FrameRanges, _ story: Story, to line: inout JSONLine) {
    line.add("frames", frames.texts(story.names))
    if frames.unlistedCount > 0 { line.add("framesUnlisted", frames.unlistedCount) }
  }

  private static func add(_ frame: Int, _ story: Story, to line: inout JSONLine) {
    line.add("frame", FrameNames.frame(of: frame))
    let file = FrameNames.file(of: frame)
    if file < story.names.labels.count { line.add("file", story.names.labels[file]) }
  }

  private static func add(_ location: String?, to line: inout JSONLine) {
    if let location { line.add("location", location) } else { line.addNull("location") }
  }

  private static func object(_ announcement: Announcement, _ story: Story) -> String {
    var object = JSONLine()
    object.add("type", announcement.type)
    object.add("target", announcement.target)
    object.add("source", announcement.source.description)
    add(announcement.frame, story, to: &object)
    object.add("time", announcement.time.description)
    if announcement.leaseSeconds >= 0 { object.add("leaseSeconds", announcement.leaseSeconds) }
    return object.closed
  }

  // MARK: Devices

  private static func line(_ event: StoryEvent, _ device: DeviceStory, _ story: Story) -> String {
    var line = begin("device", event.time)
    line.add("device", device.device)
    line.add("count", event.count)
    add(event.frames, story, to: &line)
    if event.lastTime != event.time { line.add("lastTime", event.lastTime.description) }
    switch event.what {
    case .found(let by, let location, let isReturn, let root):
      line.add("event", isReturn ? "foundAgain" : "found")
      line.add("by", raw: object(by, story))
      add(location, to: &line)
      if let root { line.add("partOf", root) }
    case .leases(let targets, let count, let repeats, let seconds):
      line.add("event", "leases")
      line.add("targets", targets)
      line.add("leases", count)
      line.add("copies", repeats)
      line.add("leaseSecondsLeast", seconds.lowerBound)
      line.add("leaseSecondsMost", seconds.upperBound)
    case .renewed(let renewals): add(renewals, story, to: &line)
    case .changed(let change, let sighting):
      line.add("event", "changed")
      ReportLine.add(change, to: &line)
      line.add("root", sighting.device)
      add(sighting.location, to: &line)
    case .rebooted(let from, let to, let location):
      line.add("event", "rebooted")
      line.add("from", from.map { Int($0) })
      line.add("to", to.map { Int($0) })
      add(location, to: &line)
    case .lost(let cause, let by):
      line.add("event", "lost")
      line.add("cause", cause.rawValue)
      if let by { line.add(cause == .byebye ? "by" : "last", raw: object(by, story)) }
    case .partEnded(let by):
      line.add("event", "partEnded")
      line.add("by", raw: object(by, story))
    case .parted(let part):
      line.add("event", "parted")
      line.add("part", part)
    case .answered(let search, let services):
      line.add("event", "answered")
      line.add("search", search)
      line.add("services", services)
    case .locationRefused(let text, let verdict):
      line.add("event", "locationRefused")
      add(text, to: &line)
      line.add("rule", rule(verdict))
      line.add("text", StoryWords.location(text, verdict))
    case .ignored(let reason, let type, let source):
      line.add("event", "ignored")
      line.add("type", type)
      line.add("source", source.description)
      add(reason, to: &line)
    }
    return line.closed
  }

  private static func add(_ renewals: Renewals, _ story: Story, to line: inout JSONLine) {
    line.add("event", "renewed")
    line.add("messages", renewals.messages)
    line.add("copies", renewals.copies)
    line.add("answers", renewals.answers)
    line.add("rounds", renewals.rounds)
    if let least = renewals.gapLeast, let most = renewals.gapMost {
      line.add("gapLeast", least.decimal)
      line.add("gapMost", most.decimal)
    }
    if renewals.messages > 0 {
      line.add("marginLeast", renewals.marginLeast.decimal)
      line.add("marginOfSeconds", renewals.marginLeaseSeconds)
      add(renewals.marginFrame, story, to: &line)
    }
  }

  private static func rule(_ verdict: LocationVerdict) -> String {
    switch verdict {
    case .usable: "usable"
    case .absent: "absent"
    case .tooLong: "tooLong"
    case .notURL(let refusal): refusal.reason.rawValue
    case .outOfScope(let reason): reason.rawValue
    }
  }

  // MARK: Everything else

  private static func add(_ reason: UnmadeReason, to line: inout JSONLine) {
    line.add("reason", reason.name)
    switch reason {
    case .refused(let why): line.add("rejection", why.rawValue)
    case .bound(let limit): line.add("bound", limit)
    case .late(let search): line.add("search", Int(search))
    case .wrongTarget(let asked, let answered):
      line.add("asked", asked)
      line.add("answered", answered)
    case .nobodyAsked(let socket): line.add("socket", socket.description)
    case .notHeard(let address): line.add("destination", address.description)
    case .byebyeOfNothing, .byebyeOvertaken, .updateOfNothing, .own, .otherSearch: break
    }
  }

  private static func line(_ search: SearchStory, _ story: Story) -> String {
    var line = begin("search", search.start)
    line.add("search", Int(search.id))
    line.add("target", search.target)
    line.add("source", search.source.description)
    line.add("destination", search.destination.description)
    line.add("copies", search.copies)
    line.add("maximumWaitSeconds", search.maximumWaitSeconds)
    add(search.frames, story, to: &line)
    line.add("end", search.end.description)
    line.add("ended", search.hasEnded)
    line.add("services", search.services)
    line.add("devices", search.devices)
    line.add("late", search.lateCount)
    if search.lateCount > 0 {
      line.add("lateLeast", search.lateLeast.decimal)
      line.add("lateMost", search.lateMost.decimal)
      line.add("lateFrames", search.lateFrames.texts(story.names))
    }
    line.add("otherTargets", search.otherTargetCount)
    if let failure = search.failure { line.add("failure", failure) }
    return line.closed
  }

  private static func line(_ group: Unmade, _ story: Story) -> String {
    var line = begin("datagrams", group.time)
    add(group.reason, to: &line)
    line.add("type", group.type)
    line.add("source", group.source.description)
    if !group.uuid.isEmpty { line.add("uuid", "uuid:" + group.uuid) }
    line.add("count", group.count)
    add(group.frames, story, to: &line)
    line.add("lastTime", group.lastTime.description)
    if let offsets = group.offsets {
      line.add("offset", offsets.lowerBound)
      if offsets.upperBound != offsets.lowerBound { line.add("offsetMost", offsets.upperBound) }
    }
    if let lateness = group.lateness {
      line.add("lateLeast", lateness.lowerBound.decimal)
      line.add("lateMost", lateness.upperBound.decimal)
    }
    line.add("text", StoryWords.reason(group.reason, group))
    return line.closed
  }

  private static func line(_ one: PartyDatagrams, _ story: Story) -> String {
    var line = begin("party", one.time)
    line.add("type", one.type)
    line.add("target", one.target)
    line.add("source", one.source.description)
    line.add("destination", one.destination.description)
    line.add("count", one.count)
    add(one.frames, story, to: &line)
    switch one.made {
    case .found(let seconds):
      line.add("made", "found")
      line.add("leaseSeconds", seconds)
    case .leased(let seconds):
      line.add("made", "leased")
      line.add("leaseSeconds", seconds)
    case .renewed(let margin):
      line.add("made", "renewed")
      line.add("marginLeast", margin.decimal)
    case .copied: line.add("made", "copied")
    case .changed: line.add("made", "changed")
    case .ended: line.add("made", "ended")
    case .nothing(let reason):
      line.add("made", "nothing")
      add(reason, to: &line)
      if let offset = one.offset { line.add("offset", offset) }
      if let lateness = one.lateness { line.add("late", lateness.decimal) }
    }
    return line.closed
  }

  private static func line(_ presence: Presence, _ story: Story) -> String {
    var line = begin("presence")
    line.add("party", story.party?.description ?? "")
    line.add("sent", presence.sent)
    line.add("received", presence.received)
    if presence.unread > 0 { line.add("unread", presence.unread) }
    line.add("joins", presence.joins.texts(story.names))
    line.add("leaves", presence.leaves.texts(story.names))
    if presence.multicast > 0 { line.add("multicast", presence.multicast) }
    return line.closed
  }

  private static func line(_ finding: StoryFinding, _ story: Story) -> String {
    var line = begin("finding")
    line.add("finding", finding.kind.rawValue)
    line.add("party", finding.party)
    if let source = finding.source { line.add("source", source.description) }
    add(finding.frames, story, to: &line)
    line.add("text", finding.text)
    return line.closed
  }

  private static func lines(_ outcome: ProbeOutcome, _ story: Story) -> [String] {
    var lines = outcome.rows.map { row -> String in
      var line = begin("probe", row.by.time)
      line.add("device", row.device)
      line.add("usn", row.usn)
      line.add("target", row.by.target)
      line.add("how", row.source.rawValue)
      add(row.by.frame, story, to: &line)
      if let gone = row.gone { line.add("gone", gone.description) }
      return line.closed
    }
    var line = begin("probe", outcome.start)
    line.add("target", outcome.probe.target)
    line.add("end", outcome.end.description)
    line.add("services", outcome.rows.count + outcome.cut)
    line.add("captureEnd", outcome.captureEnd.description)
    line.add("text", ProbeText.caveat)
    lines.append(line.closed)
    return lines
  }
}
