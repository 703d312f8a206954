import RollcallConformance
package import RollcallPrimitives
import RollcallWire

/// Plays devices that are not there to a control point that is, and watches what it believes.
///
/// A machine like all others: it is given datagrams, fetches, lines of output and time, and says what it wishes for.
/// What a control point believes is a black box; it shows by fetching a bait's LOCATION, and by what it prints.
package struct ControlPointExamination {
  /// What an examination is asked for.
  package struct Setting: Hashable, Sendable {
    package var address: IPAddress
    package var interface = InterfaceID(0)
    /// Where descriptions of baits are served.
    package var pagePort: UInt16 = 50_900
    /// What LOCATIONs off the subnet name, and whether somebody listens there.
    package var offSubnet = Endpoint(IPAddress(203, 0, 113, 66), port: 50_901)
    package var isOffSubnetWatched = false
    /// Whether the control point is started for each run, and its output read.
    package var hasCommand = false
    package var probes = ControlPointProbe.allCases
    /// The number of starts of the command that share the baits of each way.
    package var runs = 2
    /// How often a probe is put again, alone, before it is a breach.
    package var repeats = 1
    package var floodCount = 200
    /// `nil`: as long as the plan takes.
    package var duration: Interval?
    /// Only the control point at this address is examined; `nil`: the first one that searches.
    package var examined: IPAddress?
    package var salt: UInt64 = 0

    package init(address: IPAddress) { self.address = address }

    /// From where baits speak.
    package var speaker: Endpoint { Endpoint(address, port: 50_902) }
  }

  /// What it wants of its driver.
  package enum Wish: Hashable, Sendable {
    case send([UInt8], from: Endpoint, to: Endpoint)
    /// Starts the command; its lines and its end are told back.
    case startCommand
    /// Ends it, if it still goes on; its end is told back, too.
    case stopCommand
  }

  /// How a run of the command ended.
  package enum CommandEnd: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// It was stopped because it was asked for.
    case stopped
  }

  /// A page that is asked for.
  package enum Page: Hashable, Sendable {
    case document([UInt8])
    case redirect(to: String)
    /// A document that is too long for anybody; whether all of it was taken is told back by `tookPage`.
    case huge
    case unknown
  }

  package let setting: Setting
  package internal(set) var log = ControlPointLog()
  package internal(set) var isOver = false
  package internal(set) var examined: IPAddress?
  /// Addresses of others that searched, in the order in which they were heard.
  package internal(set) var others: [IPAddress] = []
  /// What the driver is to do; taken by `takeWishes`.
  private var wishes: [Wish] = []

  var names: ControlPointBaitNames
  var baits: [ControlPointBait] = []
  /// By number; where the bait of a UUID is found.
  var byUUID: [String: Int] = [:]
  var samples: [ControlPointSample] = []
  var queue: [ControlPointRun] = []
  var run: ControlPointRun?
  /// What will be sent, in order of time.
  var agenda: [Appointment] = []
  var phase = Phase.idle
  /// When the phase ends by itself.
  var phaseEnd = Instant.never
  var limit = Instant.never
  /// ST of the first search that was heard.
  var searched: String?
  var reading = ControlPointOutput()
  /// Whether the command ends by itself after its search; `nil`: not seen yet.
  var endsByItself: Bool?
  var hasWaitedForEnd = false
  /// Ways on which it was counted how many good baits it shows, and those on which it shows one.
  var countedWays: [ControlPointProbe.Way] = []
  var singleWays: [ControlPointProbe.Way] = []
  /// Whether it ended since the examiner's own interface went away.
  var isCutOff = false
  /// Datagrams that the system did not send.
  var refusedCount = 0
  var starts = 0
  /// Lines of its output, of all starts together.
  var lineCount = 0
  var redirectCounts: [Int: Int] = [:]
  /// By bait: whether all of a huge page was taken.
  var pagesTaken: [Int: Bool] = [:]
  let store = PayloadStore()

  /// Something to be sent.
  struct Appointment: Hashable, Sendable {
    enum What: Hashable, Sendable {
      case bait(Int)
      case story(Int, step: Int)
      case farewell(Int)
    }
    var time: Instant
    var what: What
  }

  enum Phase: Hashable, Sendable {
    case idle
    /// For a search to answer, or for a control point to come up.
    case waiting
    case acting
    /// Everything is sent; what it makes of it may still come.
    case settling
    /// The command is to end.
    case ending
    /// All baits say byebye, so that nobody on the network keeps them.
    case leaving
    case over
  }

  package init(_ setting: Setting) {
    self.setting = setting
    names = ControlPointBaitNames(
      address: setting.address, pagePort: setting.pagePort, offSubnet: setting.offSubnet, salt: setting.salt)
    examined = setting.examined
    queue = ControlPointPlan.runs(setting)
  }

  package mutating func takeWishes() -> [Wish] {
    defer { wishes = [] }
    return wishes
  }

  mutating func wish(_ wish: Wish) { wishes.append(wish) }

  /// What goes on now, in a person's words.
  package var progress: String {
    guard let run else { return "" }
    let what: String
    switch run.way {
    case _ where run.attempt > 1: what = "once more \(run.probes.map(\.rawValue).joined(separator: ", "))"
    case .answer: what = "answers"
    case .announcement: what = "announcements"
    case .story: what = "stories"
    case .flood: what = "a flood"
    }
    let how = phase == .waiting ? "waiting for a search" : phase == .ending ? "ending" : "\(agenda.count) to send"
    let others = queue.isEmpty ? "the last run" : "\(queue.count) more to come"
    return "\(what): \(how); \(others), \(log.entries.count) datagrams so far"
  }

  // MARK: - What the driver gives

  package mutating func begin(at now: Instant) {
    limit = setting.duration.map { now + $0 } ?? .never
    nextRun(at: now)
  }

  /// When it wants to be moved on.
  package var deadline: Instant? {
    if isOver { return nil }
    let isBound = phase != .ending && phase != .leaving
    let next = min(agenda.first?.time ?? .never, min(phaseEnd, isBound ? limit : .never))
    return next == .never ? nil : next
  }

  /// Does what is due; what is late is done now.
  package mutating func advance(to now: Instant) {
    var turns = 0
    while !isOver, let deadline, deadline <= now, turns < 10_000 {
      turns += 1
      if limit <= now, phase != .ending, phase != .leaving {
        queue = []
        endRun(at: now)
      } else if let first = agenda.first, first.time <= now {
        agenda.removeFirst()
        perform(first.what, at: now)
      } else {
        endPhase(at: now)
      }
    }
  }

  /// A datagram, of whomever; what baits said themselves is not given back.
  /// - Parameter hopLimit: TTL that it came with; 0: not known.
  package mutating func hear(
    _ bytes: [UInt8], from source: Endpoint, to destination: Endpoint, hopLimit: UInt8 = 0, at now: Instant
  ) {
    advance(to: now)
    guard !isOver else { return }
    let search = ControlPointSearch(bytes)
    if let examined, source.address != examined {
      if search != nil, !others.contains(source.address), others.count < 64 { others.append(source.address) }
      return
    }
    guard let search else {
      // Only what the examined one says is kept.
      if examined != nil { log.add(bytes, from: source, to: destination, hopLimit: hopLimit, isSent: false, at: now) }
      return
    }
    examined = source.address
    let position = log.add(bytes, from: source, to: destination, hopLimit: hopLimit, isSent: false, at: now)
    guard destination.address.isMulticast else { return }
    if searched == nil { searched = search.target }
    heard(search, from: source, position: position, at: now)
  }

  /// Somebody asks for a page.
  package mutating func fetched(
    _ path: String, at listener: Endpoint, from client: IPAddress?, at now: Instant
  ) -> Page {
    guard let (number, kind) = names.bait(of: path), number < baits.count else { return .unknown }
    // Others hear announcements, too; what they fetch is no matter.
    if let client, !client.isLoopback {
      if examined == nil { examined = client }
      guard examined == client else { return .document(document(of: number).bytes) }
    }
    mark(number, .fetched(kind), "GET \(path)" + (client.map { " from \($0)" } ?? ""), at: now)
    if baits[number].probe == .redirects, baits[number].role == .probe {
      redirectCounts[number, default: 0] += 1
      return .redirect(to: names.location(number, .own))
    }
    if baits[number].probe == .hugePage, baits[number].role == .probe { return .huge }
    return .document(document(of: number).bytes)
  }

  /// The description whose service has this path; `nil`: none has it.
  func described(at path: String) -> DescriptionDocument? {
    guard let number = names.bait(ofService: path), number < baits.count else { return nil }
    return document(of: number)
  }

  /// A huge page was read to its end, or given up.
  package mutating func tookPage(_ path: String, whole: Bool) {
    guard let (number, _) = names.bait(of: path), number < baits.count else { return }
    pagesTaken[number] = whole || pagesTaken[number] ?? false
  }

  /// Bytes of a huge page.
  package static let hugePageByteCount = 16 << 20

  /// A line of the command's output.
  package mutating func read(_ line: String, at now: Instant) {
    lineCount += 1
    for sighting in reading.take(line, names: self) { tell(sighting, at: now) }
  }

  package mutating func commandEnded(_ end: CommandEnd, at now: Instant) {
    guard phase != .over, phase != .idle, phase != .leaving else { return }
    run?.end = end
    if case .exited = end, phase != .ending, endsByItself == nil, run?.firstSearch != nil { endsByItself = true }
    if case .ending = phase { return evaluate(at: now) }
    // Nobody is there any more to hear what is left; what it printed is all there is.
    run?.unsentAtEnd = agenda.count
    agenda = []
    evaluate(at: now)
  }

  /// What was shown of the bait with this UUID, in a few words, for tests.
  package func shown(_ uuid: String) -> [String] {
    guard let number = byUUID[uuid] else { return [] }
    return baits[number].marks.map { mark in
      switch mark.kind {
      case .fetched(let path): "fetched \(path.rawValue)"
      case .told(.some(let path)): "told at \(path.rawValue)"
      case .mentioned(let path): "mentioned at \(path.rawValue)"
      case .told(nil): baits[number].told.last.map { $0.usn.isEmpty ? "told" : "told \($0.usn)" } ?? "told"
      case .gone: "gone"
      }
    }
  }

  // MARK: - Marks

  mutating func mark(_ number: Int, _ kind: ControlPointBait.Mark.Kind, _ text: String, at now: Instant) {
    guard baits[number].marks.count < ControlPointBait.marksMaximum else { return }
    baits[number].marks.append(ControlPointBait.Mark(kind: kind, time: now, text: String(text.prefix(300))))
  }

  private mutating func tell(_ sighting: ControlPointOutput.Sighting, at now: Instant) {
    let number = sighting.bait
    if let usn = sighting.usn, sighting.isGone || baits[number].told.count < 32 {
      if sighting.isGone {
        for place in baits[number].told.indices where sighting.isWhole || baits[number].told[place].usn == usn {
          baits[number].told[place].isThere = false
        }
      } else if let place = baits[number].told.firstIndex(where: { $0.usn == usn }) {
        baits[number].told[place].isThere = true
      } else {
        baits[number].told.append((usn, true))
      }
    }
    if sighting.isMention, let path = sighting.path { return mark(number, .mentioned(path), sighting.line, at: now) }
    mark(number, sighting.isGone ? .gone : .told(sighting.path), sighting.line, at: now)
    guard let last = baits[number].marks.indices.last, sighting.usn != nil else { return }
    baits[number].marks[last].hasCapitals = sighting.hasCapitals
  }
}
