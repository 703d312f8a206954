package import RollcallPrimitives

/// What came of fetching the description of a device: the bytes, or why there are none.
package struct DescriptionFetch: Hashable, Sendable {
  /// Why it was fetched, and perhaps fetched again. The raw value is what stands in JSON lines.
  package enum Cause: String, Hashable, Sendable, CaseIterable {
    case found
    /// LOCATION, BOOTID or CONFIGID are not what they were.
    case location, bootID, configID
  }

  /// The raw value is what stands in JSON lines.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
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

  package struct Document: Hashable, Sendable {
    package var status: Int
    package var body: [UInt8]
    package var contentType: String?
    package init(status: Int, body: [UInt8], contentType: String?) {
      (self.status, self.body, self.contentType) = (status, body, contentType)
    }
  }

  package struct Failure: Hashable, Sendable, Error {
    package var reason: Reason
    /// The status that was answered, where one was.
    package var status: Int?
    /// For people: what was found, where, and what was expected.
    package var explanation: String
    package init(_ reason: Reason, status: Int? = nil, _ explanation: String) {
      (self.reason, self.status, self.explanation) = (reason, status, explanation)
    }
  }

  package enum Outcome: Hashable, Sendable {
    case fetched(Document)
    case failed(Failure)
  }

  package var device: String
  /// As announced; `nil` with `noLocation`.
  package var location: String?
  package var cause: Cause
  package var interface: InterfaceID
  package var began: Instant
  package var ended: Instant
  /// The URLs that were followed from LOCATION on.
  package var redirects: [String]
  package var outcome: Outcome

  package init(
    device: String, location: String?, cause: Cause, interface: InterfaceID, began: Instant, ended: Instant,
    redirects: [String] = [], outcome: Outcome
  ) {
    (self.device, self.location, self.cause, self.interface) = (device, location, cause, interface)
    (self.began, self.ended, self.redirects, self.outcome) = (began, ended, redirects, outcome)
  }
}
