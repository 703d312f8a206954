import RollcallPrimitives
import RollcallWire

// What is sent, in its order.
extension ResponderExam {
  /// What has to be known before anything can be asked: SRV and TXT of a service, addresses of the host.
  func learningSteps(_ subject: ResponderSubject) -> [Step] {
    var steps: [Step] = []
    if let name = subject.service?.name.domainName {
      steps.append(Step(message: ResponderExam.query([(name, .srv)])))
      steps.append(Step(message: ResponderExam.query([(name, .txt)])))
    } else if let host = subject.host {
      steps.append(Step(message: ResponderExam.query([(host, plan.family == .v4 ? .a : .aaaa)])))
    }
    return steps
  }

  static func query(_ questions: [(DNSName, DNSType)], wantsUnicast: Bool = false) -> DNSMessage {
    DNSMessage(flags: .query, questions: questions.map { DNSQuestion($0, $1, wantsUnicast: wantsUnicast) })
  }

  /// The question whose answer is a sign of life.
  static func sign(of subject: ResponderSubject) -> DNSMessage? {
    if let service = subject.service { return query([(service.name.domainName, .srv)]) }
    guard let host = subject.hostAddress else { return nil }
    return query([(host.name, host.type)])
  }

  func plannedSteps(_ subject: ResponderSubject) -> [Step] {
    // At the end it is seen that the responder is still there, on a network that loses a third of everything, too.
    let sign = ResponderExam.sign(of: subject).map { [Step(message: $0, tries: 8)] } ?? []
    return plan.probes.flatMap { probe -> [Step] in
      if probe.needsService, subject.service?.service == nil, probe != .types, probe != .service { return [] }
      if probe.needsService, subject.service == nil { return [] }
      guard subject.hostAddress != nil || probe.needsService else { return [] }
      return steps(probe, subject).map { step in
        var step = step
        step.probe = probe
        return step
      }
    } + sign
  }

  private func steps(_ probe: ResponderProbe, _ subject: ResponderSubject) -> [Step] {
    let service = subject.service
    let instance = service?.name.domainName ?? .root
    let type = service?.name.type.domainName ?? .root
    let host = subject.host ?? .root
    let hostType = subject.hostAddress?.type ?? .a
    func ask(_ questions: (DNSName, DNSType)..., wantsUnicast: Bool = false) -> Step {
      Step(message: ResponderExam.query(questions, wantsUnicast: wantsUnicast))
    }
    /// What ought to meet silence, and behind it a question that ought not.
    func silently(_ message: DNSMessage, isDirect: Bool = false) -> [Step] {
      var steps = [Step(message: message, expects: .silence, isDirect: isDirect, tries: 1)]
      if let sign = ResponderExam.sign(of: subject) { steps.append(Step(message: sign)) }
      return steps
    }
    switch probe {
    case .types: return [ask((ServiceType.enumerationName, .ptr))]
    case .browse: return Array(repeating: ask((type, .ptr)), count: 4)
    case .service: return [ask((instance, .txt))] + Array(repeating: ask((instance, .srv)), count: 3)
    case .anyType: return [ask((instance, .any))]
    case .questions: return [ask((instance, .txt), (host, hostType))]
    case .absence: return [ask((host, DNSType(rawValue: ResponderExam.absentType)))]
    case .families: return [ask((host, hostType))]
    case .unicastWish: return [ask((instance, .srv)), ask((instance, .srv), wantsUnicast: true)]
    case .direct:
      var step = ask((instance, .srv))
      step.isDirect = true
      return [ask((instance, .srv)), step]
    case .legacy, .legacyService:
      var step = probe == .legacy ? ask((host, hostType)) : ask((instance, .srv))
      step.isLegacy = true
      step.message.id = ResponderExam.legacyID
      return [step]
    case .known:
      var message = ResponderExam.query([(type, .ptr)])
      message.answers = known(of: subject) { $0 }
      return silently(message)
    case .knownOld:
      var step = ask((type, .ptr))
      step.message.answers = known(of: subject) { max(2, $0 / 2) - 1 }
      return [step]
    case .truncated:
      var step = ask((type, .ptr))
      step.message.flags.isTruncated = true
      step.window = .milliseconds(1_000)
      return [step]
    case .letterCase:
      let capital = DNSName(labels: type.labels.map { $0.map { $0 &- 97 < 26 ? $0 &- 32 : $0 } }) ?? type
      return [ask((capital, .ptr))]
    case .escapes:
      guard let joined = ResponderExam.joined(instance) else { return [] }
      return silently(ResponderExam.query([(joined, .srv)]))
    case .rate:
      var again = ask((instance, .srv))
      (again.spacing, again.expects, again.tries) = (.milliseconds(300), .nothing, 1)
      var first = ask((instance, .srv))
      first.tries = 1
      return [first, again, first, again]
    case .opcode, .responseCode, .responseQuestion:
      var message = ResponderExam.query([(host, hostType)])
      switch probe {
      case .opcode: message.flags.opcode = 2
      case .responseCode: message.flags.responseCode = 3
      default: message.flags = .response
      }
      return silently(message)
    case .learnt:
      guard let home, let name = ResponderExam.strangerName else { return [] }
      var record = DNSRecord(name, .address(home.address), ttlSeconds: 120, isCacheFlush: true)
      let announcement = DNSMessage(flags: .response, answers: [record])
      record.ttlSeconds = 0
      return [Step(message: announcement, expects: .nothing, window: .milliseconds(300), tries: 1)]
        + silently(ResponderExam.query([(name, record.type)]))
        + [
          Step(
            message: DNSMessage(flags: .response, answers: [record]), expects: .nothing, window: .milliseconds(50),
            tries: 1)
        ]
    case .duplicate:
      var first = ask((type, .ptr))
      (first.expects, first.tries) = (.nothing, 1)
      // Before 20 ms are over nobody answers.
      let given = Step(
        message: DNSMessage(flags: .response, answers: known(of: subject) { $0 }), expects: .silence, tries: 1,
        spacing: .milliseconds(5))
      return [first, given, first, given, first, given] + silently(ResponderExam.query([])).suffix(1)
    case .lowTTL:
      guard var record = service?.pointer else { return [] }
      record.ttlSeconds = max(1, record.ttlSeconds / 3)
      return [Step(message: DNSMessage(flags: .response, answers: [record]), window: .milliseconds(1_500), tries: 2)]
    }
  }

  /// Another name with the same text, but for what text escapes: its first two labels are one, with a dot in it (RFC
  /// 6763 §4.3); `nil`: that would be too long.
  static func joined(_ name: DNSName) -> DNSName? {
    let labels = name.labels
    guard labels.count > 2 else { return nil }
    return DNSName(labels: [labels[0] + [UInt8(ascii: ".")] + labels[1]] + labels[2...])
  }

  /// All its services of the type that is asked for, so that nothing is left to answer.
  private func known(of subject: ResponderSubject, _ ttl: (UInt32) -> UInt32) -> [DNSRecord] {
    let type = subject.service?.pointer.name
    return subject.services.filter { $0.pointer.name == type }.map { service in
      var record = service.pointer
      record.ttlSeconds = ttl(record.ttlSeconds)
      return record
    }
  }

  /// LOC, which no host of a home has.
  static let absentType: UInt16 = 29
  static let legacyID: UInt16 = 0x5243
  /// A name of the examiner's own.
  package static let strangerText = "rollcall-examiner.local"
  static let strangerName = DNSName(strangerText)
}
