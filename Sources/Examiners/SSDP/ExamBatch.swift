import RollcallPrimitives

/// A question that is part of a batch.
struct Request: Hashable, Sendable {
  var question: ExamQuestion
  /// From the batch's start.
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
struct Batch: Hashable, Sendable {
  var probe: DeviceProbe
  /// In the order in which they are sent.
  var requests: [Request]
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

  init(_ probe: DeviceProbe, _ requests: [Request], wait: Interval, tries: Int = 1) {
    (self.probe, self.requests, self.wait, self.tries) = (probe, requests, wait, tries)
  }
}

/// A batch that is under way.
struct RunningBatch: Sendable {
  var batch: Batch
  var start: Instant
  private var next = 0
  /// The first question of the first try.
  let first: Int
  var asked: [(request: Request, ask: Int)] = []

  init(_ batch: Batch, at start: Instant, first: Int) {
    (self.batch, self.start, self.first) = (batch, start, batch.firstAsk ?? first)
  }

  var isWhollySent: Bool { next >= batch.requests.count }

  /// When something has to be done, if nothing is heard.
  var due: Instant {
    if next < batch.requests.count { return start + batch.requests[next].after }
    return start + (batch.requests.last?.after ?? .zero) + batch.wait
  }

  mutating func takeRequest(at now: Instant) -> Request? {
    guard next < batch.requests.count, due <= now else { return nil }
    defer { next += 1 }
    return batch.requests[next]
  }
}

extension DeviceExam {
  private static let answerWait = Interval.milliseconds(1_500)

  /// What every root device answers to.
  static let rootTarget = "upnp:rootdevice"

  /// A target that the device was seen to answer. Where it answers to none, that of every root device: silence to a
  /// target that it does not have says nothing about the form of a search.
  private var answeredTarget: String {
    let own = subject.map { $0.adverts.map(\.target) } ?? []
    let (uuids, types) = (own.filter(DeviceExam.isUUID), own.filter { !DeviceExam.isUUID($0) })
    return ([DeviceExam.rootTarget, "ssdp:all"] + types + uuids).first(where: isAnswered) ?? DeviceExam.rootTarget
  }

  private func isAnswered(_ target: String) -> Bool {
    asks.contains { $0.question.target == target && $0.question.isMulticast && !answers(to: $0).isEmpty }
  }

  private static func isUUID(_ target: String) -> Bool { ExamTarget(target).form == .uuid }

  /// The same requests for what the device answers to, where they ask for a root device only to ask for something.
  func adapted(_ requests: [Request], of probe: DeviceProbe) -> [Request] {
    let known = answeredTarget
    if isMute || known == DeviceExam.rootTarget { return requests }
    return requests.map { request in
      var request = request
      switch request.question.target {
      case _ where (request.probe ?? probe) == .searchRoot: break
      case DeviceExam.rootTarget: request.question.target = known
      // UUIDs are the same in any case of letters.
      case DeviceExam.rootTarget.uppercased() where !DeviceExam.isUUID(known):
        request.question.target = known.uppercased()
      default: break
      }
      return request
    }
  }

  /// Whether the device still answers.
  func aliveBatch(_ probe: DeviceProbe, after: DeviceProbe? = nil) -> Batch {
    var question = ExamQuestion(DeviceExam.rootTarget)
    if isMute { question = ExamQuestion(DeviceExam.rootTarget, mx: nil, isMulticast: false) }
    var batch = Batch(
      probe, [Request(question, needed: 1)], wait: DeviceExam.answerWait, tries: DeviceProbe.aliveTries)
    (batch.isVital, batch.follows) = (probe == .stillThere, after)
    return batch
  }

  /// Everything that is asked of this device, in order.
  func plannedBatches(_ subject: ExamSubject) -> [Batch] {
    var batches: [Batch] = []
    for probe in plan.probes { batches += self.batches(of: probe, subject) }
    let silent = DeviceExam.silentProbes.filter { plan.probes.contains($0) }
    if !silent.isEmpty, !isMute {
      // All at once: each has a socket of its own, and nobody should answer.
      let requests = silent.flatMap { probe in questions(thatMeetSilence: probe, subject).map { Request($0, as: probe) }
      }
      let spaced = requests.enumerated().map { number, request in
        var request = request
        request.after = .milliseconds(DeviceExam.silenceSpacingMilliseconds * Int64(number))
        return request
      }
      let batch = Batch(
        silent[0], spaced, wait: .milliseconds(1_400), tries: DeviceProbe.silenceTries)
      let place = batches.firstIndex { $0.probe > .searchUnknown } ?? batches.count
      batches.insert(contentsOf: [batch, aliveBatch(.stillThere, after: silent.last)], at: place)
    }
    return batches
  }

  static let silentProbes: [DeviceProbe] = [
    .searchUnknown, .versionHigher, .mxMissing, .mxText, .manMissing, .manUnquoted, .manOther, .valueCase,
    .otherStartLine, .malformed,
  ]

  private func batches(of probe: DeviceProbe, _ subject: ExamSubject) -> [Batch] {
    func one(_ question: ExamQuestion, needed: Int = 1) -> Batch {
      Batch(probe, [Request(question, needed: needed)], wait: DeviceExam.answerWait, tries: DeviceProbe.triesMaximum)
    }
    let root = DeviceExam.rootTarget
    let unicast = ExamQuestion(root, mx: nil, isMulticast: false)
    // What gets the most answers.
    let wide = isAnswered("ssdp:all") ? "ssdp:all" : root
    if isMute {
      switch probe {
      case .searchRoot: return [one(ExamQuestion(root))]
      // One that has no root device, or does not know it, may still know its own names.
      case .searchUUID: return [one(ExamQuestion("uuid:" + subject.root.uuid))]
      case .searchDevice: return subject.types(.device).prefix(1).map { one(ExamQuestion($0.target)) }
      case .searchService: return subject.types(.service).prefix(1).map { one(ExamQuestion($0.target)) }
      case .answerPort:
        return [
          Batch(
            probe, [Request(ExamQuestion(root), needed: 1, port: 1_900)], wait: DeviceExam.answerWait,
            tries: DeviceProbe.silenceTries)
        ]
      case .unicast: return [one(unicast)]
      case .unicastMX: return [one(ExamQuestion(root, isMulticast: false))]
      default: return []
      }
    }
    switch probe {
    case .searchAll, .answerPort, .description, .renewal, .byebye: return []
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
      let requests = (0..<3).map {
        Request(ExamQuestion(root), after: .milliseconds(100 * Int64($0)), sharesPort: $0 > 0)
      }
      return [Batch(probe, requests, wait: DeviceExam.answerWait)]
    case .overlap:
      let later = [300, 1_500, 2_700].map { Request(ExamQuestion(root), after: .milliseconds($0)) }
      return [Batch(probe, [Request(ExamQuestion(wide, mx: "5"))] + later, wait: .milliseconds(2_800))]
    case .spread:
      let requests = (0..<DeviceProbe.spreadCount).map {
        Request(
          ExamQuestion(root, mx: DeviceProbe.spreadMX[$0 % DeviceProbe.spreadMX.count]),
          after: .milliseconds(DeviceExam.spreadSpacingMilliseconds * Int64($0)))
      }
      return [Batch(probe, requests, wait: .milliseconds(3_500))]
    case .mxZero:
      let batch = Batch(
        probe, [Request(ExamQuestion(root, mx: "0"))], wait: .milliseconds(1_000), tries: DeviceProbe.silenceTries)
      return [batch, aliveBatch(.stillThere, after: .mxZero)]
    case .mxHuge:
      let requests = [0, 100, 200].map {
        Request(ExamQuestion(wide, mx: String(DeviceProbe.hugeMX)), after: .milliseconds($0))
      }
      return [Batch(probe, requests, wait: .milliseconds(5_600))]
    case .stillThere: return [aliveBatch(.stillThere)]
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
    let root = DeviceExam.rootTarget
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
    case .valueCase: return [ExamQuestion(root, man: "\"SSDP:DISCOVER\""), ExamQuestion(root.uppercased())]
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
