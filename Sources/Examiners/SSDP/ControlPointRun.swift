import RollcallPrimitives

/// One start of the command, or one round with a control point that runs anyway.
struct ControlPointRun: Hashable, Sendable {
  var way: ControlPointProbe.Way
  var probes: [ControlPointProbe]
  /// From 1; later ones put one probe alone.
  var attempt: Int
  var company: Company

  /// What baits are sent beside those of the probes.
  enum Company: Hashable, Sendable {
    /// Good ones, by which it shows that it still takes some.
    case good
    /// Good ones and nothing else: how many of them does it show?
    case only
    /// None: it shows one device at a time.
    case none
  }

  var startedAt = Instant.zero
  var firstSearch: Instant?
  /// The socket and ST of the search whose answers the baits are.
  var asker: Endpoint?
  var target = ""
  var lastCopy = Instant.zero
  /// At most `ControlPointPlan.waitMaximumSeconds`; whether it asked for more.
  var maximumWaitSeconds: Int64 = 1
  var isWaitCut = false
  /// Numbers of its baits, in the order in which they are sent.
  var baits: [Int] = []
  var end: ControlPointExamination.CommandEnd?
  /// What was not sent since nobody was there any more.
  var unsentAtEnd = 0
  /// Whether the system did not send something of it.
  var isRefused = false

  init(way: ControlPointProbe.Way, probes: [ControlPointProbe], attempt: Int = 1, company: Company = .good) {
    (self.way, self.probes, self.attempt, self.company) = (way, probes, attempt, company)
  }

  /// Three good baits, which a program that shows more than one device shows.
  static func count(_ way: ControlPointProbe.Way) -> ControlPointRun {
    ControlPointRun(way: way, probes: [], company: .only)
  }
}

/// What will be done, worked out before anything is sent.
package struct ControlPointPlan: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    package var text: String
    package var packets: Int
    package var seconds: Int
  }
  /// One for each run, in order.
  package var lines: [Line]
  /// At most, repetitions included.
  package var packets: Int
  package var seconds: Int
  /// The same without repetitions.
  package var packetsOnce: Int
  package var secondsOnce: Int

  package init(_ setting: ControlPointExamination.Setting) {
    let runs = ControlPointPlan.runs(setting)
    lines = runs.map { run in
      let probes = "\(run.probes.count) probe\(run.probes.count == 1 ? "" : "s")"
      let names: String
      switch run.way {
      case .answer: names = "answers to its search: \(probes)"
      case .announcement: names = "announcements: \(probes)"
      case .story: names = "stories of several announcements: \(probes)"
      case .flood: names = "a flood of \(setting.floodCount) devices"
      }
      return Line(
        text: names, packets: ControlPointPlan.packets(run, setting), seconds: ControlPointPlan.seconds(run, setting))
    }
    packetsOnce = lines.reduce(0) { $0 + $1.packets }
    secondsOnce = lines.reduce(0) { $0 + $1.seconds }
    var (again, longer) = (0, 0)
    for way in [ControlPointProbe.Way.answer, .announcement] where runs.contains(where: { $0.way == way }) {
      again += ControlPointPlan.packets(.count(way), setting)
      longer += ControlPointPlan.seconds(.count(way), setting)
    }
    for run in runs {
      for probe in run.probes {
        let alone = ControlPointRun(way: run.way, probes: [probe])
        again += ControlPointPlan.packets(alone, setting) * setting.repeats
        longer += ControlPointPlan.seconds(alone, setting) * setting.repeats
      }
    }
    packets = packetsOnce + again
    seconds = secondsOnce + longer
    guard let duration = setting.duration else { return }
    let limit = Int(duration.nanoseconds / 1_000_000_000)
    (seconds, secondsOnce) = (min(seconds, limit), min(secondsOnce, limit))
  }

  static func packets(_ run: ControlPointRun, _ setting: ControlPointExamination.Setting) -> Int {
    let baits = run.probes.reduce(0) { $0 + ControlPointPlan.variants(of: $1) }
    switch run.way {
    // Each bad bait has a good one behind it, copies of a search are answered anew, and every bait says byebye.
    case .answer: return 2 * (2 * baits + 2 + 12)
    case .announcement: return 3 * (2 * baits + 3)
    case .story:
      let stories = run.probes.reduce(0) { total, probe in
        total
          + (0..<ControlPointPlan.variants(of: probe)).reduce(0) { sum, variant in
            sum + ControlPointStory.steps(probe, variant).reduce(0) { $0 + $1.parts.count }
          }
      }
      return stories + 9 + 3 * (baits + 1)
    case .flood: return 2 * setting.floodCount + 8
    }
  }

  static func seconds(_ run: ControlPointRun, _ setting: ControlPointExamination.Setting) -> Int {
    let patience = Int(ControlPointPlan.patience(setting).nanoseconds / 1_000_000_000)
    let start = setting.hasCommand ? 6 : run.way == .answer || run.way == .flood ? patience : 0
    switch run.way {
    // Copies of a search put the last answers off, MX is waited for, then the end of a command.
    case .answer: return start + 15 + 12 + 13 + (setting.hasCommand ? 10 : 0)
    case .announcement: return start + 3 + 2 + (setting.hasCommand ? 10 : 0)
    case .story: return start + 6 + 2 + (setting.hasCommand ? 10 : 0)
    case .flood: return start + 2 + 13 + (setting.hasCommand ? 10 : 0)
    }
  }

  /// A longer MX is not waited for.
  static let waitMaximumSeconds: Int64 = 10
  /// Copies of a search that come later than this after the first put nothing off any more.
  static let copiesMaximum = Interval.seconds(15)

  /// How long a search is waited for.
  static func patience(_ setting: ControlPointExamination.Setting) -> Interval {
    setting.hasCommand ? .seconds(6) : setting.duration.map { $0 / 3 } ?? .seconds(20)
  }

  /// How many baits a probe takes on one way.
  static func variants(of probe: ControlPointProbe) -> Int {
    switch probe {
    case .setOrder: 3
    case .oddMaxAge: 4
    case .byebyePart, .reboot, .uuidCase, .wrongST, .valueCase: 2
    case .copies: 0
    default: 1
    }
  }

  static func runs(_ setting: ControlPointExamination.Setting) -> [ControlPointRun] {
    var runs: [ControlPointRun] = []
    for way in ControlPointProbe.Way.allCases {
      let probes = setting.probes.filter { $0.facts.ways.contains(way) }
      if probes.isEmpty { continue }
      // Stories need each other's company, and without a command there is one search to answer at a time.
      let isSplit = way == .answer || way == .announcement
      let count = isSplit && setting.hasCommand ? min(max(1, setting.runs), probes.count) : 1
      for part in 0..<count {
        let (from, to) = (probes.count * part / count, probes.count * (part + 1) / count)
        runs.append(ControlPointRun(way: way, probes: Array(probes[from..<to])))
      }
    }
    return runs
  }
}
