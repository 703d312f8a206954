import RollcallDiscovery
package import RollcallPrimitives
import RollcallWire

// Events in the life of a device, and how like follows like.
extension StoryTeller {
  package func add(_ index: Int, _ what: StoryEvent.What, _ time: Instant, _ frame: Int?) {
    guard lives[index].story.events.count < bounds.eventsPerDevice else {
      lives[index].story.cut += 1
      return cut("events of a device")
    }
    var event = StoryEvent(what: what, time: time, lastTime: time, frames: FrameRanges(), count: 1)
    if let frame { event.frames.add(frame) }
    lives[index].story.events.append(event)
  }

  func extend(_ index: Int, _ position: Int, _ time: Instant, _ frame: Int?) {
    lives[index].story.events[position].count += 1
    lives[index].story.events[position].lastTime = time
    if let frame { lives[index].story.events[position].frames.add(frame) }
  }

  private static let targetsMaximum = 6

  /// A (path, USN, NT) that had no lease has one.
  func leased(_ index: Int, _ announcement: Announcement) {
    let seconds = announcement.leaseSeconds
    if let last = lives[index].story.events.indices.last,
      case .leases(var targets, let count, let repeats, let range) = lives[index].story.events[last].what
    {
      if targets.count < StoryTeller.targetsMaximum, !targets.contains(announcement.target) {
        targets.append(announcement.target)
      }
      let wide = min(range.lowerBound, seconds)...max(range.upperBound, seconds)
      lives[index].story.events[last].what = .leases(
        targets: targets, count: count + 1, repeats: repeats, leaseSeconds: wide)
      return extend(index, last, announcement.time, announcement.frame)
    }
    add(
      index, .leases(targets: [announcement.target], count: 1, repeats: 0, leaseSeconds: seconds...seconds),
      announcement.time, announcement.frame)
  }

  /// A lease that stood goes on.
  ///
  /// The same message again within moments is a copy of it and no renewal: a set is sent two or three times. What the
  /// network copied was not sent again: it is told with the frames, and counted nowhere, as the judge has it.
  func renewed(_ index: Int, _ announcement: Announcement, margin: Interval, previous: Announcement?) {
    let now = announcement.time
    let moments = min(Interval.seconds(5), Interval.seconds(Int64(max(0, announcement.leaseSeconds))) / 10)
    let isCopy = previous.map { now - $0.time <= moments } ?? false
    if let hearing = current { told(hearing, isCopy ? .copied : .renewed(margin: margin)) }
    let last = lives[index].story.events.indices.last
    let isNetworkCopy =
      previous.map {
        $0.source == announcement.source
          && NetworkCopy.isCopy(announcement.identification, of: $0.identification, after: now - $0.time)
      } ?? false
    if isNetworkCopy, let last { return extend(index, last, now, announcement.frame) }
    if isCopy, let last {
      switch lives[index].story.events[last].what {
      case .leases(let targets, let count, let repeats, let range):
        lives[index].story.events[last].what = .leases(
          targets: targets, count: count, repeats: repeats + 1, leaseSeconds: range)
        return extend(index, last, now, announcement.frame)
      case .found:
        add(
          index,
          .leases(
            targets: [], count: 0, repeats: 1, leaseSeconds: announcement.leaseSeconds...announcement.leaseSeconds),
          now, announcement.frame)
        return
      default: break
      }
    }
    var renewals = Renewals()
    var open: Int?
    if let last, case .renewed(let going) = lives[index].story.events[last].what { (renewals, open) = (going, last) }
    if isCopy {
      renewals.copies += 1
    } else {
      if open == nil || now - renewals.lastTime > moments {
        if open != nil, renewals.rounds > 0 {
          let gap = now - renewals.roundStart
          renewals.gapLeast = min(renewals.gapLeast ?? gap, gap)
          renewals.gapMost = max(renewals.gapMost ?? gap, gap)
        }
        renewals.rounds += 1
        renewals.roundStart = now
      }
      renewals.messages += 1
      if renewals.messages == 1 || margin < renewals.marginLeast {
        (renewals.marginLeast, renewals.marginFrame) = (margin, announcement.frame)
        renewals.marginLeaseSeconds = previous?.leaseSeconds ?? announcement.leaseSeconds
      }
    }
    if announcement.type == "response" { renewals.answers += 1 }
    renewals.lastTime = now
    if let open {
      lives[index].story.events[open].what = .renewed(renewals)
      extend(index, open, now, announcement.frame)
    } else {
      if renewals.rounds == 0 { (renewals.rounds, renewals.roundStart) = (1, now) }
      add(index, .renewed(renewals), now, announcement.frame)
    }
  }

  func locationRefused(_ index: Int, _ text: String?, _ verdict: LocationVerdict, _ hearing: Hearing) {
    for position in lives[index].refusedLocations {
      if case .locationRefused(text, verdict) = lives[index].story.events[position].what {
        return extend(index, position, hearing.time, hearing.frame)
      }
    }
    guard lives[index].refusedLocations.count < 8, lives[index].story.events.count < bounds.eventsPerDevice else {
      return
    }
    lives[index].refusedLocations.append(lives[index].story.events.count)
    add(index, .locationRefused(text, verdict), hearing.time, hearing.frame)
  }

  /// A message of a device that is there, and that changed nothing.
  func ignored(_ reason: UnmadeReason, _ hearing: Hearing) {
    guard hearing.before.isPresent, let name = hearing.before.device, let index = lifeByName[name] else { return }
    if let last = lives[index].story.events.indices.last,
      case .ignored(reason, hearing.type, hearing.source.address) = lives[index].story.events[last].what
    {
      return extend(index, last, hearing.time, hearing.frame)
    }
    add(index, .ignored(reason, type: hearing.type, source: hearing.source.address), hearing.time, hearing.frame)
  }
}
