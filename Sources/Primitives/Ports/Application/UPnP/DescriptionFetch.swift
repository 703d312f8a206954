/// What came of fetching the description of a device: the bytes, or why there are none (UDA 2.0, section 2).
public struct DescriptionFetch: Hashable, Sendable {
  /// Why it was fetched, and perhaps fetched again. The raw value is what stands in JSON lines.
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    case found
    /// LOCATION, BOOTID or CONFIGID are not what they were.
    case location, bootID, configID
    /// The application wants it anew.
    case asked
  }

  /// The raw value is what stands in JSON lines.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    // Nothing was asked.
    /// The device has no LOCATION that may be reported.
    case noLocation
    /// It is no absolute URL.
    case badLocation
    /// Not http.
    case scheme
    /// A name instead of an address: nobody is asked whose it is.
    case hostName
    /// Not on the link of the interface that it was heard on (H-CP-SSRF).
    case outOfScope
    /// The interface has no address on that link any more.
    case interfaceGone
    /// Too many are waiting.
    case queueFull
    /// The device was lost before its turn came.
    case deviceGone
    // Nobody answered.
    case connectionRefused
    case cannotConnect
    // What came was not it.
    case timedOut
    case closedEarly
    case tooLong
    case badResponse
    /// Not 200.
    case status
    case redirectRefused
    case redirectLoop
    case tooManyRedirects
    /// The run ended first.
    case stopped
  }

  public struct Document: Hashable, Sendable {
    public var status: Int
    public var body: [UInt8]
    public var contentType: String?
    /// Where a device with DIAL has its apps, as its server says beside the description: `Application-URL`.
    public var applicationURL: String?
    public init(status: Int, body: [UInt8], contentType: String?, applicationURL: String? = nil) {
      (self.status, self.body, self.contentType) = (status, body, contentType)
      self.applicationURL = applicationURL
    }
  }

  public struct Failure: Hashable, Sendable, Error {
    public var reason: Reason
    /// The status that was answered, where one was.
    public var status: Int?
    /// For people: what was found, where, and what was expected.
    public var explanation: String
    public init(_ reason: Reason, status: Int? = nil, _ explanation: String) {
      (self.reason, self.status, self.explanation) = (reason, status, explanation)
    }
  }

  public enum Outcome: Hashable, Sendable {
    case fetched(Document)
    case failed(Failure)
  }

  public var device: String
  /// As announced; `nil` with `noLocation`.
  public var location: String?
  public var cause: Cause
  public var interface: InterfaceID
  /// How long it took.
  public var duration: Interval
  /// The URLs that were followed from LOCATION on.
  public var redirects: [String]
  public var outcome: Outcome

  public init(
    device: String, location: String?, cause: Cause, interface: InterfaceID, duration: Interval,
    redirects: [String] = [], outcome: Outcome
  ) {
    (self.device, self.location, self.cause, self.interface) = (device, location, cause, interface)
    (self.duration, self.redirects, self.outcome) = (duration, redirects, outcome)
  }

  /// Why there is no document; `nil`: there is one.
  public var failure: Failure? {
    if case .failed(let failure) = outcome { failure } else { nil }
  }
}

// What it adds to a digest, and its text.
extension DescriptionFetch {
  func fold(into digest: inout Digest) {
    digest.combine(30, UInt64(interface.number))
    digest.combine(device)
    digest.combine(location)
    digest.combine(cause.rawValue)
    digest.combine(UInt64(bitPattern: duration.nanoseconds), UInt64(redirects.count))
    for url in redirects { digest.combine(url) }
    switch outcome {
    case .fetched(let document):
      digest.combine(31, UInt64(truncatingIfNeeded: document.status))
      digest.combine(document.contentType)
      digest.combine(document.body)
      if let url = document.applicationURL { digest.combine(url) }
    case .failed(let failure):
      digest.combine(32)
      digest.combine(failure.status)
      digest.combine(failure.reason.rawValue)
      digest.combine(failure.explanation)
    }
  }

  func write(to words: inout WordWriter) {
    words.name(device)
    words.add(cause.rawValue)
    words.add(interface)
    words.add("in")
    words.add(duration.description)
    words.name(location)
    for url in redirects {
      words.add("via")
      words.name(url)
    }
    switch outcome {
    case .fetched(let document):
      words.add(document.applicationURL == nil ? "fetched" : "fetched-with-apps")
      if let url = document.applicationURL { words.name(url) }
      words.add(document.status)
      words.name(document.contentType)
      words.rest(document.body)
    case .failed(let failure):
      words.add("failed")
      words.add(failure.reason.rawValue)
      if let status = failure.status {
        words.add("status")
        words.add(status)
      }
      words.add(":")
      words.rest(failure.explanation.utf8)
    }
  }

  init(from words: inout WordReader) throws(WordError) {
    device = try words.name("the name of a device")
    cause = try words.value(Cause.self, "why a description is fetched")
    interface = try words.interface()
    try words.word("in")
    duration = try words.interval()
    location = try words.optionalName("a LOCATION")
    redirects = []
    while words.take("via") { redirects.append(try words.name("a URL")) }
    let hasApps = words.take("fetched-with-apps")
    if hasApps || words.take("fetched") {
      let apps: String? = hasApps ? try words.name("an Application-URL") : nil
      let status: Int = try words.number("a status")
      let type = try words.optionalName("a content type")
      outcome = .fetched(
        Document(status: status, body: try words.bytes(), contentType: type, applicationURL: apps))
      return
    }
    try words.word("failed")
    let reason = try words.value(Reason.self, "why there is no description")
    let status: Int? = words.take("status") ? try words.number("a status") : nil
    try words.word(":")
    guard let text = String(validating: try words.bytes(), as: UTF8.self) else { throw words.error("text") }
    outcome = .failed(Failure(reason, status: status, text))
  }
}
