import RollcallPrimitives

/// A question that is part of a volley.
struct Shot: Hashable, Sendable {
  var question: ExamQuestion
  /// From the volley's start.
  var after: Interval
  /// The number of UUIDs of the device that have to answer before it ends; 0: it waits to its end.
  var needed: Int
  /// Asked for another probe than the rest.
  var probe: DeviceProbe?
  /// From the socket of the question before.
  var sharesPort: Bool
  /// From this port and no other.
  var port: UInt16?

  init(
    _ question: ExamQuestion, after: Interval = .zero, needed: Int = 0, as probe: DeviceProbe? = nil,
    sharesPort: Bool = false, port: UInt16? = nil
  ) {
    (self.question, self.after, self.needed, self.probe) = (question, after, needed, probe)
    (self.sharesPort, self.port) = (sharesPort, port)
  }
}

/// Questions that are asked together.
struct Volley: Hashable, Sendable {
  var probe: DeviceProbe
  /// In the order in which they are sent.
  var shots: [Shot]
  /// After the last one.
  var wait: Interval
  /// How often what is not done is asked.
  var tries: Int
  /// Whether the device counts as gone where nothing comes of it.
  var isVital = false
  /// What was asked before a vital one.
  var follows: DeviceProbe?
  /// Where it was asked for the first time, if this is not it.
  var firstAsk: Int?

  init(_ probe: DeviceProbe, _ shots: [Shot], wait: Interval, tries: Int = 1) {
    (self.probe, self.shots, self.wait, self.tries) = (probe, shots, wait, tries)
  }
}

/// A volley that is under way.
struct RunningVolley: Sendable {
  var volley: Volley
  var start: Instant
  private var next = 0
  /// The first question of the first try.
  let first: Int
  var asked: [(shot: Shot, ask: Int)] = []

  init(_ volley: Volley, at start: Instant, first: Int) {
    (self.volley, self.start, self.first) = (volley, start, volley.firstAsk ?? first)
  }

  var isWhollySent: Bool { next >= volley.shots.count }

  /// When something has to be done, if nothing is heard.
  var due: Instant {
    if next < volley.shots.count { return start + volley.shots[next].after }
    return start + (volley.shots.last?.after ?? .zero) + volley.wait
  }

  mutating func takeShot(at now: Instant) -> Shot? {
    guard next < volley.shots.count, due <= now else { return nil }
    defer { next += 1 }
    return volley.shots[next]
  }
}

extension DeviceExam {
  private static let answerWait = Interval.milliseconds(1_500)

  /// Whether the device still answers.
  func aliveVolley(_ probe: DeviceProbe, after: DeviceProbe? = nil) -> Volley {
    var question = ExamQuestion("upnp:rootdevice")
    if isMute { question = ExamQuestion("upnp:rootdevice", mx: nil, isMulticast: false) }
    var volley = Volley(
      probe, [Shot(question, needed: 1)], wait: DeviceExam.answerWait, tries: DeviceProbe.aliveTries)
    (volley.isVital, volley.follows) = (probe == .stillThere, after)
    return volley
  }

  /// Everything that is asked of this device, in order.
  func plannedVolleys(_ subject: ExamSubject) -> [Volley] {
    var volleys: [Volley] = []
    for probe in plan.probes { volleys += self.volleys(of: probe, subject) }
    let silent = DeviceExam.silentProbes.filter { plan.probes.contains($0) }
    if !silent.isEmpty, !isMute {
      // All at once: each has a socket of its own, and nobody should answer.
      let shots = silent.flatMap { probe in questions(thatMeetSilence: probe, subject).map { Shot($0, as: probe) } }
      let spaced = shots.enumerated().map { number, shot in
        var shot = shot
        shot.after = .milliseconds(DeviceExam.silenceSpacingMilliseconds * Int64(number))
        return shot
      }
      let volley = Volley(
        silent[0], spaced, wait: .milliseconds(1_400), tries: DeviceProbe.silenceTries)
      let place = volleys.firstIndex { $0.probe > .searchUnknown } ?? volleys.count
      volleys.insert(contentsOf: [volley, aliveVolley(.stillThere, after: silent.last)], at: place)
    }
    return volleys
  }

  static let silentProbes: [DeviceProbe] = [
    .searchUnknown, .versionHigher, .mxMissing, .mxText, .manMissing, .manUnquoted, .manOther, .valueCase,
    .otherStartLine, .malformed,
  ]

  private func volleys(of probe: DeviceProbe, _ subject: ExamSubject) -> [Volley] {
    func one(_ question: ExamQuestion, needed: Int = 1) -> Volley {
      Volley(probe, [Shot(question, needed: needed)], wait: DeviceExam.answerWait, tries: DeviceProbe.triesMaximum)
    }
    let root = "upnp:rootdevice"
    let unicast = ExamQuestion(root, mx: nil, isMulticast: false)
    // What gets the most answers.
    let wide = asks.contains { $0.question.target == "ssdp:all" && !answers(to: $0).isEmpty } ? "ssdp:all" : root
    if isMute {
      switch probe {
      case .searchRoot: return [one(ExamQuestion(root))]
      case .answerPort:
        return [
          Volley(
            probe, [Shot(ExamQuestion(root), needed: 1, port: 1_900)], wait: DeviceExam.answerWait,
            tries: DeviceProbe.silenceTries)
        ]
      case .unicast: return [one(unicast)]
      case .unicastMX: return [one(ExamQuestion(root, isMulticast: false))]
      default: return []
      }
    }
    switch probe {
    case .searchAll, .answerPort, .renewal, .byebye: return []
    case .searchRoot: return subject.root.isRoot ? [one(ExamQuestion(root))] : []
    case .searchUUID:
      return subject.all.prefix(DeviceProbe.uuidCountMaximum).map { one(ExamQuestion("uuid:" + $0.uuid)) }
    case .searchDevice:
      return subject.types(.device).prefix(DeviceProbe.deviceCountMaximum)
        .map { one(ExamQuestion($0.target), needed: $0.uuids.count) }
    case .searchService:
      return subject.types(.service).prefix(DeviceProbe.serviceCountMaximum)
        .map { one(ExamQuestion($0.target), needed: $0.uuids.count) }
    case .versionLower:
      return lowerVersions(of: subject).prefix(DeviceProbe.versionCountMaximum).map { one(ExamQuestion($0.asked)) }
    case .unicast: return [one(unicast)]
    case .unicastMX: return [one(ExamQuestion(root, isMulticast: false))]
    case .nameCase: return [one(ExamQuestion(root, wording: .smallNames))]
    case .unknownFields: return [one(ExamQuestion(root, wording: .unknownFields))]
    case .fieldOrder: return [one(ExamQuestion(root, wording: .reversed))]
    case .blanks: return [one(ExamQuestion(root, wording: .oddBlanks))]
    case .copies:
      let shots = (0..<3).map {
        Shot(ExamQuestion(root), after: .milliseconds(100 * Int64($0)), sharesPort: $0 > 0)
      }
      return [Volley(probe, shots, wait: DeviceExam.answerWait)]
    case .overlap:
      let later = [300, 1_500, 2_700].map { Shot(ExamQuestion(root), after: .milliseconds($0)) }
      return [Volley(probe, [Shot(ExamQuestion(wide, mx: "5"))] + later, wait: .milliseconds(2_800))]
    case .spread:
      let shots = (0..<DeviceProbe.spreadCount).map {
        Shot(ExamQuestion(root, mx: "2"), after: .milliseconds(DeviceExam.spreadSpacingMilliseconds * Int64($0)))
      }
      return [Volley(probe, shots, wait: .milliseconds(2_500))]
    case .mxZero:
      let volley = Volley(
        probe, [Shot(ExamQuestion(root, mx: "0"))], wait: .milliseconds(1_000), tries: DeviceProbe.silenceTries)
      return [volley, aliveVolley(.stillThere, after: .mxZero)]
    case .mxHuge:
      let shots = [0, 100, 200].map { Shot(ExamQuestion(wide, mx: "120"), after: .milliseconds($0)) }
      return [Volley(probe, shots, wait: .milliseconds(5_600))]
    case .stillThere: return [aliveVolley(.stillThere)]
    case .searchUnknown, .versionHigher, .mxMissing, .mxText, .manMissing, .manUnquoted, .manOther, .valueCase,
      .otherStartLine, .malformed:
      return []
    }
  }

  /// For each type with a version above 1, the versions below it: the lowest, and the next one.
  func lowerVersions(of subject: ExamSubject) -> [(asked: String, own: String, uuids: [String])] {
    var asked: [(asked: String, own: String, uuids: [String])] = []
    for type in highestTypes(of: subject) {
      let parts = ExamTarget(type.target)
      guard parts.version > 1 else { continue }
      asked.append((parts.stem + "1", type.target, type.uuids))
      if parts.version > 2 { asked.append((parts.stem + String(parts.version - 1), type.target, type.uuids)) }
    }
    return asked
  }

  /// Each type once, in the highest version that was heard.
  func highestTypes(of subject: ExamSubject) -> [(target: String, uuids: [String])] {
    var types: [(target: String, uuids: [String])] = []
    for type in subject.types(.device) + subject.types(.service) {
      let parts = ExamTarget(type.target)
      if let place = types.firstIndex(where: { ExamTarget($0.target).stem == parts.stem }) {
        if ExamTarget(types[place].target).version < parts.version { types[place] = type }
      } else {
        types.append(type)
      }
    }
    return types
  }

  private func questions(thatMeetSilence probe: DeviceProbe, _ subject: ExamSubject) -> [ExamQuestion] {
    let root = "upnp:rootdevice"
    switch probe {
    case .searchUnknown:
      var questions = [
        ExamQuestion("urn:rollcall-example:device:Nobody:1"), ExamQuestion("uuid:00000000-0000-4000-8000-0badc0ffee00"),
      ]
      // Who compares beginnings answers to his own type without its version.
      if let type = subject.types(.device).first {
        questions.append(ExamQuestion(String(ExamTarget(type.target).stem.dropLast())))
      }
      return questions
    case .versionHigher:
      return highestTypes(of: subject).prefix(DeviceProbe.versionCountMaximum).map {
        let parts = ExamTarget($0.target)
        return ExamQuestion(parts.stem + String(parts.version &+ 1))
      }
    case .mxMissing: return [ExamQuestion(root, mx: nil)]
    case .mxText: return ExamQuestion.badMX.map { ExamQuestion(root, mx: $0) }
    case .manMissing: return [ExamQuestion(root, man: nil)]
    case .manUnquoted: return [ExamQuestion(root, man: "ssdp:discover")]
    case .manOther: return [ExamQuestion(root, man: "\"ssdp:other\"")]
    case .valueCase: return [ExamQuestion(root, man: "\"SSDP:DISCOVER\""), ExamQuestion("UPNP:ROOTDEVICE")]
    case .otherStartLine: return [ExamQuestion(root, wording: .startLine("GET * HTTP/1.1"))]
    case .malformed: return [ExamQuestion(nil), ExamQuestion(root, wording: .noise)]
    default: return []
    }
  }
}

extension DeviceProbe: Comparable {
  /// Earlier is less.
  package static func < (left: DeviceProbe, right: DeviceProbe) -> Bool {
    (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
  }
}
