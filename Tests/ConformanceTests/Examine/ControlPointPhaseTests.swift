import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("Phases of an examination of a control point")
struct ControlPointPhaseTests {
  private typealias Way = ControlPointProbe.Way

  private func ms(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private func state(_ examination: ControlPointExamination) -> String {
    "\(examination.phase) until \(examination.phaseEnd - Instant.zero)"
  }

  /// An examination of one run, begun at zero.
  private func begun(_ way: Way, hasCommand: Bool, duration: Interval? = nil) -> ControlPointExamination {
    var setting = Examined.setting()
    (setting.hasCommand, setting.duration) = (hasCommand, duration)
    var examination = ControlPointExamination(setting)
    examination.queue = [ControlPointRun(way: way, probes: [])]
    examination.begin(at: .zero)
    return examination
  }

  /// An examination in the midst of its last run.
  private func running(
    _ run: ControlPointRun, _ phase: ControlPointExamination.Phase, hasCommand: Bool = true
  ) -> ControlPointExamination {
    var examination = ControlPointExamination(Examined.setting { $0.hasCommand = hasCommand })
    (examination.queue, examination.run, examination.phase) = ([], run, phase)
    return examination
  }

  private func bait(
    _ number: Int, _ role: ControlPointBait.Role, _ way: Way, isSent: Bool = true, isTaken: Bool = false
  ) -> ControlPointBait {
    var bait = ControlPointBait(
      number: number, probe: .byebye, role: role, way: way, variant: 0, uuid: "\(number)")
    if isSent { bait.sentAt = .zero }
    if isTaken { bait.marks = [ControlPointBait.Mark(kind: .told(nil), time: .zero, text: "")] }
    return bait
  }

  @Test("a run waits for a search that it answers, longer without a command, and for a command to come up")
  func waits() {
    let rows: [(way: Way, hasCommand: Bool, duration: Interval?, state: String)] = [
      (.answer, true, nil, "waiting until 6s"), (.answer, true, .seconds(9), "waiting until 6s"),
      (.announcement, true, nil, "waiting until 2s"), (.story, true, nil, "waiting until 2s"),
      (.flood, true, nil, "waiting until 2s"), (.answer, false, nil, "waiting until 20s"),
      (.answer, false, .seconds(9), "waiting until 3s"), (.flood, false, nil, "waiting until 20s"),
      (.announcement, false, nil, "waiting until 0s"), (.story, false, nil, "waiting until 0s"),
      (.answer, true, .nanoseconds(1), "waiting until 6s"), (.answer, true, .zero, "leaving until 0s"),
    ]
    for row in rows {
      var examination = begun(row.way, hasCommand: row.hasCommand, duration: row.duration)
      let isBegun = row.duration != .zero
      let isStarted = isBegun && row.hasCommand
      expectEqual(state(examination), row.state, "\(row)")
      expectEqual(examination.takeWishes(), isStarted ? [.startCommand] : [], "\(row)")
      expectEqual(examination.takeWishes(), [], "\(row)")
      expectEqual(examination.starts, isStarted ? 1 : 0, "\(row)")
      expectEqual(examination.run?.way, isBegun ? row.way : nil, "\(row)")
    }
  }

  @Test("the first search begins answers and floods, and gives listeners of the group 700 ms to come up")
  func firstSearches() {
    let asker = Endpoint(Examined.control, port: 4_000)
    let search = Array("M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nMX: 3\r\nST: ssdp:all\r\n\r\n".utf8)
    let rows: [(way: Way, hasCommand: Bool, time: Int64, state: String)] = [
      (.answer, true, 100, "acting until 191ms"), (.answer, false, 100, "acting until 191ms"),
      (.flood, false, 100, "acting until 2001ms"), (.flood, true, 100, "waiting until 800ms"),
      (.announcement, true, 100, "waiting until 800ms"), (.announcement, true, 1_500, "waiting until 2s"),
      (.story, true, 100, "waiting until 800ms"),
    ]
    for row in rows {
      var examination = begun(row.way, hasCommand: row.hasCommand)
      examination.hear(search, from: asker, to: Endpoint(.ssdpGroup4, port: 1_900), at: ms(row.time))
      expectEqual(state(examination), row.state, "\(row)")
      expectEqual(examination.run?.firstSearch, ms(row.time), "\(row)")
      let isAnswered = row.way == .answer || row.way == .flood
      expectEqual(examination.run?.asker, isAnswered ? asker : nil, "\(row)")
      expectEqual(examination.run?.target, isAnswered ? "ssdp:all" : "", "\(row)")
      expectEqual(examination.run?.maximumWaitSeconds, isAnswered ? 3 : 1, "\(row)")
      expectEqual(examination.searched, "ssdp:all", "\(row)")
    }
  }

  @Test("the deadline is the next message, the end of the phase or that of the time given, which bounds no farewell")
  func deadlines() {
    let bound: [ControlPointExamination.Phase] = [.waiting, .acting, .settling]
    for phase in bound + [.ending, .leaving] {
      let isBound = bound.contains(phase)
      var examination = running(ControlPointRun(way: .answer, probes: []), phase)
      expectEqual(examination.deadline, nil)
      examination.limit = ms(5)
      expectEqual(examination.deadline, isBound ? ms(5) : nil, "\(phase)")
      examination.phaseEnd = ms(9)
      expectEqual(examination.deadline, isBound ? ms(5) : ms(9), "\(phase)")
      examination.phaseEnd = ms(4)
      expectEqual(examination.deadline, ms(4), "\(phase)")
      examination.agenda = [ControlPointExamination.Appointment(time: ms(3), what: .bait(0))]
      expectEqual(examination.deadline, ms(3), "\(phase)")
      examination.isOver = true
      expectEqual(examination.deadline, nil, "\(phase)")
    }
  }

  @Test("the wait after everything is sent depends on the way, on MX and on the good devices shown")
  func settling() {
    let rows: [(way: Way, hasCommand: Bool, company: ControlPointRun.Company, roles: String, state: String)] = [
      (.announcement, true, .good, "c", "settling until 2500ms"), (.story, true, .good, "c", "settling until 2500ms"),
      (.answer, true, .good, "c", "settling until 6s"), (.flood, true, .good, "c", "settling until 6s"),
      (.answer, true, .good, "C", "settling until 2500ms"), (.flood, true, .good, "C", "settling until 2500ms"),
      (.answer, true, .only, "C", "settling until 2500ms"), (.answer, true, .none, "C", "settling until 6s"),
      (.answer, false, .good, "C", "settling until 6s"), (.answer, true, .good, "Cpm", "settling until 2500ms"),
      (.answer, true, .good, "Cg", "settling until 6s"), (.answer, true, .good, "CG", "settling until 2500ms"),
      (.answer, true, .good, "cG", "settling until 6s"),
    ]
    let roles: [Character: ControlPointBait.Role] = ["c": .control, "g": .companion, "p": .probe, "m": .many]
    for row in rows {
      var run = ControlPointRun(way: row.way, probes: [], company: row.company)
      run.maximumWaitSeconds = 2
      run.baits = Array(0..<row.roles.count)
      var examination = running(run, .acting, hasCommand: row.hasCommand)
      // A capital stands for a device that is taken.
      for (number, letter) in row.roles.enumerated() {
        let role = roles[Character(letter.lowercased())] ?? .control
        examination.baits.append(bait(number, role, row.way, isTaken: letter.isUppercase))
      }
      examination.endPhase(at: ms(1_000))
      expectEqual(state(examination), row.state, "\(row)")
    }
  }

  @Test("a command that ends by itself is given ten seconds to do so, and four the first time; within a minute")
  func patience() {
    let nanosecond = Interval.nanoseconds(1)
    /// What becomes of a run that began at one second and has settled.
    func settled(
      _ end: Instant, knows: Bool?, attempt: Int = 1, isSearched: Bool = true, hasWaited: Bool = false,
      hasCommand: Bool = true
    ) -> [String] {
      var run = ControlPointRun(way: .announcement, probes: [], attempt: attempt)
      run.startedAt = ms(1_000)
      run.firstSearch = isSearched ? ms(1_000) : nil
      var examination = running(run, .settling, hasCommand: hasCommand)
      (examination.phaseEnd, examination.endsByItself, examination.hasWaitedForEnd) = (end, knows, hasWaited)
      examination.endPhase(at: end)
      let wait = examination.phase == .settling ? "settling for \(examination.phaseEnd - end)" : "\(examination.phase)"
      let known = examination.endsByItself.map { "\($0)" } ?? "unknown"
      return [wait, known, examination.takeWishes() == [.stopCommand] ? "stop" : "-"]
    }
    let (soon, minute) = (ms(3_000), ms(61_000))
    expectEqual(settled(soon, knows: nil), ["settling for 4s", "unknown", "-"])
    expectEqual(settled(minute - nanosecond, knows: nil), ["settling for 4s", "unknown", "-"])
    expectEqual(settled(minute, knows: nil), ["ending", "unknown", "stop"])
    expectEqual(settled(minute + nanosecond, knows: nil), ["ending", "unknown", "stop"])
    expectEqual(settled(soon, knows: true), ["settling for 10s", "true", "-"])
    expectEqual(settled(soon, knows: true, attempt: 2, isSearched: false), ["settling for 10s", "true", "-"])
    expectEqual(settled(soon, knows: false), ["ending", "false", "stop"])
    expectEqual(settled(soon, knows: nil, attempt: 2), ["ending", "unknown", "stop"])
    expectEqual(settled(soon, knows: nil, isSearched: false), ["ending", "unknown", "stop"])
    expectEqual(settled(soon, knows: nil, hasWaited: true), ["ending", "false", "stop"])
    expectEqual(settled(soon, knows: true, hasWaited: true), ["ending", "true", "stop"])
    expectEqual(settled(soon, knows: nil, attempt: 2, hasWaited: true), ["ending", "unknown", "stop"])
    expectEqual(settled(soon, knows: nil, hasCommand: false), ["leaving", "unknown", "-"])
  }

  @Test("a command that exits before it is asked to has ended by itself, where it had searched")
  func exits() {
    func known(
      _ end: ControlPointExamination.CommandEnd, _ phase: ControlPointExamination.Phase = .acting,
      isSearched: Bool = true, knows: Bool? = nil
    ) -> Bool? {
      var run = ControlPointRun(way: .announcement, probes: [])
      run.firstSearch = isSearched ? ms(1) : nil
      var examination = running(run, phase)
      examination.endsByItself = knows
      examination.commandEnded(end, at: ms(2))
      return examination.endsByItself
    }
    expectEqual(known(.exited(0)), true)
    expectEqual(known(.exited(1), .waiting), true)
    expectEqual(known(.exited(0), .settling), true)
    expectEqual(known(.exited(0), .ending), nil)
    expectEqual(known(.exited(0), isSearched: false), nil)
    expectEqual(known(.exited(0), knows: false), false)
    expectEqual(known(.signalled(15)), nil)
    expectEqual(known(.stopped), nil)
    for phase in [.idle, .leaving, .over] as [ControlPointExamination.Phase] {
      expectEqual(known(.exited(0), phase), nil, "\(phase)")
    }
  }

  @Test("where nothing is shown, the reason follows from the end of the command and the messages sent before it")
  func reasons() {
    func text(
      _ end: ControlPointExamination.CommandEnd, _ phase: ControlPointExamination.Phase = .acting, isSent: Bool = true,
      leaving unsentCount: Int = 0
    ) -> [String] {
      var run = ControlPointRun(way: .announcement, probes: [.nameCase])
      run.baits = [0]
      var examination = running(run, phase)
      examination.baits = [bait(0, .control, .announcement, isSent: isSent)]
      examination.agenda = [ControlPointExamination.Appointment](
        repeating: .init(time: ms(9), what: .bait(0)), count: unsentCount)
      examination.commandEnded(end, at: ms(2))
      return examination.samples.map { "\($0.outcome) \($0.text)" }
    }
    let silent = "unseen a good announcement is not shown: it listens to answers only, or is silent about the rest"
    expectEqual(text(.exited(3), leaving: 1), ["unseen it ends by itself and shows no announcement before"])
    expectEqual(text(.exited(3)), [silent])
    expectEqual(text(.exited(3), .ending), [silent])
    expectEqual(text(.stopped, leaving: 1), [silent])
    expectEqual(
      text(.exited(3), isSent: false), ["unseen it ended with exit code 3 before anything was sent to it"])
    expectEqual(
      text(.signalled(9), isSent: false), ["unseen it was ended by signal 9 before anything was sent to it"])
    expectEqual(text(.stopped, isSent: false), ["unseen the time was over"])
    expectEqual(text(.exited(3), .ending, leaving: 1), [silent])
    // It is not put again where no announcement is shown at all.
    expectEqual(text(.signalled(9)), ["violated it was ended by signal 9", silent])
    for phase in [.idle, .leaving, .over] as [ControlPointExamination.Phase] {
      expectEqual(text(.exited(3), phase), [], "\(phase)")
    }
  }

  @Test("a command that ends or is asked to end is sent nothing more of its run")
  func unsent() {
    let one = ControlPointExamination.Appointment(time: ms(9), what: .bait(0))
    var ended = running(ControlPointRun(way: .announcement, probes: []), .acting)
    (ended.agenda, ended.phaseEnd) = ([one], ms(10))
    ended.queue = [ControlPointRun(way: .answer, probes: [])]
    ended.commandEnded(.exited(0), at: ms(2))
    expectEqual(state(ended), "waiting until 6002ms")
    expectEqual(ended.deadline, ms(6_002))
    expectEqual(ended.takeWishes(), [.startCommand])
    var stopped = running(ControlPointRun(way: .announcement, probes: []), .acting)
    (stopped.agenda, stopped.phaseEnd) = ([one], ms(10))
    stopped.endRun(at: ms(5))
    expectEqual(stopped.phase, .ending)
    expectEqual(stopped.deadline, nil)
    expectEqual(stopped.takeWishes(), [.stopCommand])
  }

  @Test("each run waits anew for the end of a command that ends by itself")
  func waitsAnew() {
    var examination = running(ControlPointRun(way: .announcement, probes: []), .waiting)
    (examination.endsByItself, examination.hasWaitedForEnd) = (true, true)
    var states: [String] = []
    for time in 0...2 as ClosedRange<Int64> {
      examination.endPhase(at: ms(time))
      states.append(state(examination))
    }
    // Two good devices, each announced twice.
    expectEqual(states, ["acting until 331ms", "settling until 1501ms", "settling until 10002ms"])
  }

  @Test("a run is not judged where the system did not send a message of it")
  func refusals() {
    var examination = running(ControlPointRun(way: .announcement, probes: [.nameCase]), .acting)
    examination.refused()
    examination.commandEnded(.exited(0), at: ms(2))
    expectEqual(
      examination.samples.map { "\($0.outcome) \($0.text)" }, ["unseen the system did not send all that was put"])
    expectEqual(examination.refusedCount, 1)
  }

  @Test("a higher version is announced where the first search that was heard names a type with a version")
  func announcedVersions() {
    let rows: [(searched: String?, obstacle: String?)] = [
      (nil, "what it searches for was not heard"),
      ("ssdp:all", "it searches for ssdp:all, and any version answers that"),
      ("upnp:rootdevice", "it searches for upnp:rootdevice, which has no version"),
      ("urn:schemas-upnp-org:device:Basic:1", nil),
    ]
    for row in rows {
      var examination = running(ControlPointRun(way: .announcement, probes: []), .acting)
      examination.searched = row.searched
      for probe in [.higherVersion, .higherST] as [ControlPointProbe] {
        expectEqual(examination.obstacle(probe, .announcement), row.obstacle, "\(row) \(probe)")
      }
    }
  }

  @Test("progress is one line: the run, its phase, the runs that are left and the datagrams so far")
  func progress() {
    var examination = running(ControlPointRun(way: .answer, probes: [.nameCase]), .waiting)
    expectEqual(examination.progress, "answers: waiting for a search; the last run, 0 datagrams so far")
    (examination.phase, examination.queue) = (.ending, [ControlPointRun(way: .flood, probes: [])])
    expectEqual(examination.progress, "answers: ending; 1 more to come, 0 datagrams so far")
    examination.agenda = [ControlPointExamination.Appointment](
      repeating: .init(time: ms(9), what: .bait(0)), count: 2)
    for (way, name) in [
      (Way.answer, "answers"), (.announcement, "announcements"), (.story, "stories"), (.flood, "a flood"),
    ] as [(Way, String)] {
      examination.run = ControlPointRun(way: way, probes: [.nameCase, .blanks])
      examination.phase = .acting
      expectEqual(examination.progress, "\(name): 2 to send; 1 more to come, 0 datagrams so far")
    }
    examination.run?.attempt = 2
    let speaker = examination.setting.speaker
    examination.log.add([1], from: speaker, to: speaker, hopLimit: 2, isSent: true, at: .zero)
    examination.phase = .settling
    expectEqual(
      examination.progress, "once more name-case, blanks: 2 to send; 1 more to come, 1 datagrams so far")
    examination.run = nil
    expectEqual(examination.progress, "")
  }
}
