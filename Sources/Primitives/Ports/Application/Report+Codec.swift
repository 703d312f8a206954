extension Report: PortValue {
  public static var port: PortNumber { .application }
  public static var verbs: [String] {
    [
      "found", "changed", "lost", "service", "search-ended", "description", "peripheral", "nearby", "managed",
      "failed", "rejected",
    ]
  }

  public func fold(into digest: inout Digest) {
    switch self {
    case .service(let service): digest.combine(UInt64(service.search.number) ^ 5 &<< 32, service.names.digest)
    case .found(let device): device.fold(into: &digest)
    case .changed(let device, let change):
      device.fold(into: &digest)
      change.fold(into: &digest)
    case .lost(let device, let cause):
      digest.combine(16, 17)
      digest.combine(device)
      digest.combine(cause.rawValue)
    case .rejected(let rejection):
      digest.combine(UInt64(truncatingIfNeeded: rejection.offset), 9)
      digest.combine(rejection.reason.rawValue)
    case .searchEnded(let outcome):
      digest.combine(
        UInt64(outcome.search.number) &<< 1 | (outcome.wasStopped ? 1 : 0), UInt64(outcome.services.count) &<< 8 ^ 10)
      digest.combine(outcome.target)
      for service in outcome.services { digest.combine(UInt64(service.search.number), service.names.digest) }
    case .description(let fetch): fetch.fold(into: &digest)
    case .peripheral(let report): report.fold(into: &digest)
    case .nearby(let report): report.fold(into: &digest)
    case .managed(let report): report.fold(into: &digest)
    case .failed(let failure):
      digest.combine(26, 27)
      digest.combine(failure.reason.rawValue)
      digest.combine(failure.search?.number)
      digest.combine(failure.interface?.number)
      digest.combine(failure.explanation)
    }
  }

  public func write(to words: inout WordWriter) {
    switch self {
    case .found(let device):
      words.add("found")
      device.write(to: &words)
    case .changed(let device, let change):
      words.add("changed")
      device.write(to: &words)
      change.write(to: &words)
    case .lost(let device, let cause):
      words.add("lost")
      words.name(device)
      words.add(cause.rawValue)
    case .service(let service):
      words.add("service")
      words.add(service.search.number)
      service.names.write(to: &words)
    case .searchEnded(let outcome):
      words.add("search-ended")
      outcome.write(to: &words)
    case .description(let fetch):
      words.add("description")
      fetch.write(to: &words)
    case .peripheral(let report): report.write(to: &words)
    case .nearby(let report): report.write(to: &words)
    case .managed(let report): report.write(to: &words)
    case .failed(let failure):
      words.add("failed")
      failure.write(to: &words)
    case .rejected(let rejection):
      words.add("rejected")
      words.add(rejection.reason.rawValue)
      words.add("at")
      words.add(rejection.offset)
    }
  }

  public init(verb: Substring, from words: inout WordReader) throws(WordError) {
    switch verb {
    case "found": self = .found(try DeviceSighting(from: &words))
    case "changed": self = .changed(try DeviceSighting(from: &words), try Change(from: &words))
    case "lost":
      let device = try words.name("the name of a device")
      self = .lost(device: device, cause: try words.value(LossCause.self, "the cause of a loss"))
    case "service":
      let search = SearchID(try words.number("the number of a search"))
      self = .service(ServiceSighting(search: search, names: try ServiceNames(from: &words)))
    case "search-ended": self = .searchEnded(try SearchOutcome(from: &words))
    case "description": self = .description(try DescriptionFetch(from: &words))
    case "peripheral": self = .peripheral(try PeripheralReport(from: &words))
    case "nearby": self = .nearby(try PeerReport(from: &words))
    case "managed": self = .managed(try ManagerReport(from: &words))
    case "failed": self = .failed(try Failure(from: &words))
    case "rejected":
      let reason = try words.value(RejectionReason.self, "the reason of a refusal")
      try words.word("at")
      self = .rejected(Rejection(reason, at: try words.number("a byte of the payload")))
    default: throw words.error("a report such as found")
    }
  }
}

extension SearchOutcome {
  fileprivate func write(to words: inout WordWriter) {
    words.add(search.number)
    words.name(target)
    if wasStopped { words.add("stopped") }
    words.add(services.count)
    words.add("services")
    for service in services {
      words.add("/")
      service.names.write(to: &words)
    }
  }

  fileprivate init(from words: inout WordReader) throws(WordError) {
    search = SearchID(try words.number("the number of a search"))
    target = try words.name("a search target")
    wasStopped = words.take("stopped")
    let count: UInt32 = try words.number("how many services were heard")
    try words.word("services")
    services = []
    for _ in 0..<count {
      try words.word("/")
      services.append(ServiceSighting(search: search, names: try ServiceNames(from: &words)))
    }
  }
}

extension Failure {
  fileprivate func write(to words: inout WordWriter) {
    words.add(reason.rawValue)
    if let search {
      words.add("search")
      words.add(search.number)
    }
    if let interface { words.add(interface) }
    words.add(":")
    words.rest(explanation.utf8)
  }

  fileprivate init(from words: inout WordReader) throws(WordError) {
    reason = try words.value(Reason.self, "the reason of a failure")
    search = words.take("search") ? SearchID(try words.number("the number of a search")) : nil
    interface = try words.optionalInterface()
    try words.word(":")
    guard let text = String(validating: try words.bytes(), as: UTF8.self) else { throw words.error("text") }
    explanation = text
  }
}
