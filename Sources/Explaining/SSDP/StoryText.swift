import RollcallPrimitives
package import RollcallReporting
import RollcallWire

/// A story for people: laid out in columns, no line wider than the terminal unless a name is.
package struct StoryText {
  private let story: Story
  private let width: Int
  private let times: TimeStyle
  private var lines: [String] = []

  static let widthLeast = 60
  /// Rows of one section; a person reads no more, and the JSON lines hold all that is kept.
  package static let rowsMaximum = 100

  /// - Parameters:
  ///   - width: columns of the terminal.
  ///   - times: how the column of times is written; within sentences times count from the first frame.
  package static func lines(_ story: Story, width: Int = 100, times: TimeStyle = .relative) -> [String] {
    var text = StoryText(story: story, width: max(StoryText.widthLeast, width), times: times)
    text.writeHead()
    if story.isProbeOnly {
      text.writeProbe()
      return text.lines
    }
    text.writePresence()
    text.writeDevices()
    text.writePeripherals()
    text.writeServices()
    text.writeMulticast()
    text.writeSearches()
    text.writeDatagrams()
    text.writeUnmade()
    text.writeFindings()
    text.writeProbe()
    text.writeCuts()
    return text.lines
  }

  private init(story: Story, width: Int, times: TimeStyle) {
    (self.story, self.width, self.times) = (story, width, times)
  }

  // MARK: Layout

  private mutating func heading(_ text: String) { lines += ["", text] }

  /// Text that goes on under its own beginning.
  private mutating func row(_ head: String, _ text: String) {
    let indent = head.count
    var line = head
    var isFresh = true
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if !isFresh, line.count + 1 + word.count > width {
        lines.append(line)
        line = String(repeating: " ", count: indent)
        isFresh = true
      }
      if !isFresh { line += " " }
      line += word
      isFresh = false
    }
    lines.append(line)
  }

  /// When and where, in two columns.
  private func head(_ time: Instant, _ frames: FrameRanges) -> String {
    let when = times.text(time, since: story.start)
    let place = frames.count == 0 ? "" : frames.short(story.names)
    return "    " + when.padded(to: 10) + " " + place.padded(to: placeWidth) + " "
  }

  private var placeWidth: Int { story.names.labels.isEmpty ? 18 : 26 }

  // MARK: Sections

  private mutating func writeHead() {
    let length = PlainWords.duration(story.end - story.start)
    let packets = story.peripherals.reduce(0) { $0 + $1.kinds.reduce(0, +) }
    var text = "\(PlainWords.count(story.frames, "frame")) in \(length)"
    if story.messages > 0 || packets + story.multicastCount == 0 {
      text += ", " + PlainWords.count(story.messages, "message")
    }
    if packets > 0 { text += ", " + PlainWords.count(packets, "packet") + " of peripherals" }
    if story.multicastCount > 0 {
      text += ", " + PlainWords.count(story.multicastCount, "message") + " of multicast DNS"
    }
    text += "; times are seconds since \(story.start)"
    row("  ", text)
    if let overlap = story.overlap { row("  ", overlap.sentence(story.names)) }
  }

  private mutating func writePresence() {
    guard let party = story.party else { return }
    heading("  \(party.description)")
    for finding in story.findings { row("    ", sentence(finding)) }
    guard let presence = story.presence else { return }
    var text = "frames: \(presence.sent) from it, \(presence.received) to it"
    if presence.unread > 0 { text += "; \(presence.unread) \(StoryWords.notLookedInto)" }
    if presence.joins.count > 0 { text += "; joins of the SSDP group: \(presence.joins.short(story.names))" }
    if presence.leaves.count > 0 { text += "; leaves: \(presence.leaves.short(story.names))" }
    for kind in presence.messages { text += "; \(kind.name): \(kind.count)" }
    if presence.multicast > 0 { text += "; messages of multicast DNS: \(presence.multicast)" }
    row("    ", text)
  }

  private mutating func writeDevices() {
    if story.devices.isEmpty {
      if story.party == nil, story.peripherals.isEmpty, story.multicastCount == 0 {
        lines += ["", "  No device was found."]
      }
      return
    }
    heading("  Devices")
    for device in story.devices.prefix(StoryText.rowsMaximum) {
      row("  ", device.device)
      for event in device.events {
        if case .changed(.united(let part), let root) = event.what, part == device.device {
          row(head(event.time, event.frames), "turned out to be a part of \(root.device)")
        } else {
          row(head(event.time, event.frames), words(event))
        }
      }
      if device.cut > 0 { row("    ", "… \(PlainWords.count(device.cut, "event")) more are not kept") }
      if device.isPresent, let end = device.leaseEnd {
        row(
          head(story.end, FrameRanges()),
          "here at the end, with \(PlainWords.duration(end - story.end)) left of its leases")
      }
    }
    more(story.devices.count - StoryText.rowsMaximum, "device")
  }

  private mutating func writePeripherals() {
    // Who asks about one party wants to know of nobody else.
    if story.peripherals.isEmpty || story.party != nil { return }
    heading("  Peripherals")
    for one in story.peripherals.prefix(StoryText.rowsMaximum) {
      row("  ", one.device)
      for event in one.events {
        let frames = event.frame.map { FrameRanges($0) } ?? FrameRanges()
        row(head(event.time, frames), ReportText.line(event.report))
      }
      var text = one.packets.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
      if let strength = one.strengthText { text += "; \(strength)" }
      if one.requests > 0 { text += (text.isEmpty ? "" : "; ") + PlainWords.count(one.requests, "request") + " to it" }
      row(head(one.first, one.frames), text)
      for fault in one.faults { row(head(one.first, fault.frames), PeripheralStory.words(fault.reason)) }
    }
    more(story.peripherals.count - StoryText.rowsMaximum, "peripheral")
  }

  private mutating func writeServices() {
    if story.services.isEmpty { return }
    heading("  Services")
    for event in story.services.prefix(StoryText.rowsMaximum) {
      row(head(event.time, event.frame.map { FrameRanges($0) } ?? FrameRanges()), ReportText.line(event.report))
    }
    more(story.services.count - StoryText.rowsMaximum, "event")
  }

  private mutating func writeMulticast() {
    if story.multicast.isEmpty { return }
    heading("  Multicast DNS")
    for one in story.multicast.prefix(StoryText.rowsMaximum) {
      row(
        head(one.time, FrameRanges(one.frame)),
        "\(one.source.address) " + MulticastWords.text(one, story.names))
    }
    more(story.multicast.count - StoryText.rowsMaximum, "message")
  }

  private func words(_ event: StoryEvent) -> String {
    switch event.what {
    case .found(let by, let location, let isReturn, let root):
      let part = root.map { " on its own, before as a part of \($0)" } ?? ""
      let from = "\(StoryWords.message(by)) from \(by.source.address), \(StoryWords.lease(by)); "
      return (isReturn ? "found again" : "first heard") + part + ": " + from
        + (location ?? "no LOCATION that may be used")
    case .leases(let targets, let count, let repeats, let seconds):
      if count == 0 { return PlainWords.count(repeats, "copy").replacing("copys", with: "copies") }
      let length =
        seconds.lowerBound == seconds.upperBound
        ? "\(seconds.lowerBound) s" : "\(seconds.lowerBound) to \(seconds.upperBound) s"
      let copies = repeats == 0 ? "" : ", and \(repeats == 1 ? "a copy" : "\(repeats) copies")"
      let more = count > targets.count ? " and \(count - targets.count) more" : ""
      return "\(PlainWords.count(count, "more lease")) of \(length)\(copies): "
        .replacing("more leases", with: "more leases") + targets.joined(separator: ", ") + more
    case .renewed(let renewals): return words(renewals)
    case .changed(let change, let device): return words(change, device.location)
    case .rebooted(let from, let to, let location):
      let boot = "BOOTID \(from.map(String.init) ?? "unknown") → \(to.map(String.init) ?? "unknown")"
      return "rebooted, \(boot): lost and found; \(location ?? "no LOCATION that may be used")"
    case .lost(let cause, let by):
      guard let by else { return "lost: \(cause.rawValue)" }
      if cause == .byebye { return "lost: \(StoryWords.message(by)) from \(by.source.address)" }
      return "lost: \(cause.rawValue). The last that it said is frame \(story.names.text(by.frame)), "
        + "\(StoryWords.message(by)) at \(PlainWords.since(story.start, by.time)), which promised "
        + StoryWords.lease(by)
    case .partEnded(let by):
      return "\(StoryWords.message(by)) from \(by.source.address): ends that; other leases keep the device"
    case .parted(let part): return "\(part) is a device of its own from here on"
    case .answered(let search, let services):
      return "answered search \(search): \(PlainWords.count(services, "service"))"
    case .locationRefused(let text, let verdict):
      return times(event) + "LOCATION not handed on: " + StoryWords.location(text, verdict)
    case .ignored(let reason, let type, let source):
      return times(event) + "\(StoryWords.name(type)) from \(source): \(StoryWords.reason(reason))"
    }
  }

  private func times(_ event: StoryEvent) -> String { event.count == 1 ? "" : "\(event.count)× " }

  private func words(_ renewals: Renewals) -> String {
    var text = "renewed by \(PlainWords.count(renewals.messages, "message"))"
    if renewals.messages == 0 { text = "no renewal" }
    if renewals.copies > 0 { text += " and \(renewals.copies == 1 ? "a copy" : "\(renewals.copies) copies")" }
    if renewals.rounds > 1, let least = renewals.gapLeast, let most = renewals.gapMost {
      text += " in \(renewals.rounds) rounds, "
      text += PlainWords.lateness(least...most)
      text += " apart"
    }
    if renewals.answers > 0 { text += ", \(PlainWords.count(renewals.answers, "answer")) among them" }
    if renewals.messages > 0 {
      text +=
        "; at the tightest \(PlainWords.duration(renewals.marginLeast)) left of "
        + "\(renewals.marginLeaseSeconds) s (frame \(story.names.text(renewals.marginFrame)))"
    }
    return text
  }

  private func words(_ change: Change, _ location: String?) -> String {
    switch change {
    case .address(let from): "address changed, it was \(from); \(location ?? "no LOCATION")"
    case .attribute(.location, let from): "LOCATION: \(from?.text ?? "none") → \(location ?? "none")"
    case .attribute(.bootID, let from):
      "announced the next BOOTID; it was \((from?.number).map(String.init) ?? "unknown")"
    case .attribute(.configID, let from):
      "CONFIGID changed, it was \((from?.number).map(String.init) ?? "unknown")"
    case .attribute(let name, let from): "\(name.rawValue) changed, it was \(from?.text ?? "unknown")"
    case .united(let part): "\(part) turned out to be a part of it"
    }
  }

  private mutating func writeSearches() {
    if story.searches.isEmpty { return }
    heading("  Searches")
    var isTold = [Bool](repeating: false, count: story.searches.count)
    var rows = 0
    for (index, search) in story.searches.enumerated() where !isTold[index] {
      rows += 1
      if rows > StoryText.rowsMaximum {
        more(isTold.count { !$0 }, "search")
        break
      }
      isTold[index] = true
      // What one host asked again and again, and nobody answered, is told once.
      let alike = story.searches.indices[index...].filter {
        $0 == index || !isTold[$0] && isAlike(search, story.searches[$0])
      }
      guard alike.count > 1, let last = alike.last else {
        row(head(search.start, search.frames), words(search))
        continue
      }
      var frames = FrameRanges()
      for one in alike {
        isTold[one] = true
        frames.add(story.searches[one].frames)
      }
      row(
        head(search.start, frames),
        "\(alike.count) searches for \(search.target) from \(search.source.address), MX "
          + "\(search.maximumWaitSeconds) s: nobody answered; the last is over at "
          + PlainWords.since(story.start, story.searches[last].end))
    }
  }

  private func isAlike(_ left: SearchStory, _ right: SearchStory) -> Bool {
    func isQuiet(_ search: SearchStory) -> Bool {
      search.services == 0 && search.lateCount == 0 && search.otherTargetCount == 0 && search.failure == nil
        && search.hasEnded
    }
    return isQuiet(left) && isQuiet(right) && left.source.address == right.source.address
      && left.target == right.target && left.maximumWaitSeconds == right.maximumWaitSeconds
      && left.destination.address == right.destination.address
  }

  private func words(_ search: SearchStory) -> String {
    var text = "search \(search.id) for \(search.target) from \(search.source)"
    if !search.destination.address.isMulticast { text += " to \(search.destination)" }
    text += ", \(search.copies == 1 ? "1 copy" : "\(search.copies) copies"), MX \(search.maximumWaitSeconds) s: "
    if let failure = search.failure { return text + failure }
    text +=
      search.services == 0
      ? "no answer"
      : "\(PlainWords.count(search.services, "service")) of \(PlainWords.count(search.devices, "device"))"
    if search.isFull { text += ", and no more by the bound 'services-per-search' of the engine" }
    let end = PlainWords.since(story.start, search.end)
    text += search.hasEnded ? "; over at \(end)" : "; still open at the end of the capture, until \(end)"
    if search.lateCount > 0 {
      text +=
        "; \(PlainWords.count(search.lateCount, "answer")) too late, by "
        + PlainWords.lateness(search.lateLeast...search.lateMost) + " (\(search.lateFrames.short(story.names)))"
    }
    if search.otherTargetCount > 0 {
      text += "; \(PlainWords.count(search.otherTargetCount, "answer")) with another target"
    }
    return text
  }

  private mutating func writeDatagrams() {
    if story.datagrams.isEmpty { return }
    heading("  What the engine made of its datagrams")
    for one in story.datagrams {
      let target = one.target.isEmpty ? "" : " " + one.target
      row(
        head(one.time, one.frames),
        "\(one.count == 1 ? "" : "\(one.count)× ")\(StoryWords.name(one.type))\(target): "
          + StoryWords.made(one.made, offset: one.offset, lateness: one.lateness))
    }
  }

  private mutating func writeUnmade() {
    // What was told of one party already need not be told again.
    if story.unmade.isEmpty || story.party != nil { return }
    heading("  Datagrams that made no device")
    var isTold = [Bool](repeating: false, count: story.unmade.count)
    var rows = 0
    for (index, group) in story.unmade.enumerated() where !isTold[index] {
      rows += 1
      if rows > StoryText.rowsMaximum {
        more(isTold.count { !$0 }, "kind")
        break
      }
      isTold[index] = true
      let alike = story.unmade.indices[index...].filter { isAlike(group, story.unmade[$0]) }
      // What many senders do for one reason is told once.
      if alike.count > StoryText.sendersMaximum {
        for one in alike { isTold[one] = true }
        writeTogether(alike.map { story.unmade[$0] })
        continue
      }
      let who = group.uuid.isEmpty ? "" : " uuid:\(group.uuid)"
      row(
        head(group.time, group.frames),
        "\(group.count)× \(StoryWords.name(group.type)) from \(group.source)\(who): "
          + StoryWords.reason(group.reason, group))
      if case .refused = group.reason, let excerpt = group.excerpt { lines.append("      there: " + excerpt) }
    }
  }

  /// The most senders of one message that are listed one by one.
  private static let sendersMaximum = 8

  private func isAlike(_ left: Unmade, _ right: Unmade) -> Bool {
    guard left.type == right.type else { return false }
    switch (left.reason, right.reason) {
    case (.nobodyAsked, .nobodyAsked), (.late, .late), (.wrongTarget, .wrongTarget): return true
    default: return left.reason == right.reason
    }
  }

  private mutating func writeTogether(_ groups: [Unmade]) {
    guard let first = groups.first else { return }
    var frames = FrameRanges()
    for one in groups { frames.add(one.frames) }
    let count = groups.reduce(0) { $0 + $1.count }
    let senders = Set(groups.map(\.source)).count
    row(
      head(first.time, frames),
      "\(count)× \(StoryWords.name(first.type)) from \(senders == 1 ? "\(first.source)" : "\(senders) addresses"), "
        + "\(groups.count) kinds; the first, from \(first.source): " + StoryWords.reason(first.reason, first))
  }

  private mutating func more(_ count: Int, _ noun: String) {
    if count > 0 { row("    ", "… and \(count) more (\(noun)); --format json lists all that is kept") }
  }

  private mutating func writeFindings() {
    if story.party != nil { return }
    let missed = story.findings.filter { $0.kind != .searchesOnly }
    let askers = story.findings.filter { $0.kind == .searchesOnly }
    if missed.isEmpty, askers.isEmpty { return }
    heading("  Not found")
    for finding in missed.prefix(StoryText.rowsMaximum) { row("    ", sentence(finding)) }
    more(missed.count - StoryText.rowsMaximum, "UUID or address")
    if askers.count == 1 { row("    ", sentence(askers[0])) }
    if askers.count > 1 {
      let named = askers.prefix(12).map(\.party).joined(separator: ", ")
      let rest = askers.count > 12 ? " and \(askers.count - 12) more" : ""
      row("    ", "Control points that only searched: " + named + rest)
    }
  }

  private func sentence(_ finding: StoryFinding) -> String {
    let from = finding.source.map { $0.description == finding.party ? "" : " (\($0))" } ?? ""
    let place = finding.frames.count == 0 ? "" : " (\(finding.frames.short(story.names)))"
    return finding.party + from + ": " + finding.text + place + "."
  }

  private mutating func writeCuts() {
    if story.cuts.isEmpty { return }
    heading("  Not kept, since there was too much")
    for cut in story.cuts { row("    ", "\(cut.what): \(cut.count)") }
  }

  private mutating func writeProbe() {
    guard let probe = story.probe else { return }
    heading("  " + ProbeText.heading(probe, since: story.start))
    for line in ProbeText.rows(probe, since: story.start, names: story.names) { row("    ", line) }
  }
}
