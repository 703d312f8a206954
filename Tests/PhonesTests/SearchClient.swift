import Foundation
import RollcallConnect

// A client that is written against the names of the article "Discovering what's out there" alone: it has to compile as it
// stands, and to run on the main queue. It is not Sendable, as a view controller in Swift 5 is not.

/// Searches for a kind of service, and keeps what a screen would show.
final class SearchClient: SSDPSearchSessionDelegate {
  private var searchSession: SSDPSearchSession?
  private(set) var shown: [SSDPService] = []
  private(set) var messages: [String] = []

  /// The usual search: three times, three seconds apart.
  func search(for target: String) {
    begin(SSDPSearchSessionConfiguration.createMulticastConfiguration(forSearchTarget: target))
  }

  /// Others give one value, the other, or both.
  func searchBriefly(for target: String) {
    begin(.createMulticastConfiguration(forSearchTarget: target, maximumBroadcastsBeforeClosing: 1))
  }
  func searchPatiently(for target: String) {
    begin(
      .createMulticastConfiguration(
        forSearchTarget: target, maximumWaitResponseTime: 5, maximumBroadcastsBeforeClosing: 2))
  }

  /// One host only.
  func ask(_ host: String, for target: String) {
    begin(
      SSDPSearchSessionConfiguration(
        searchTarget: target, host: host, port: 1900, maximumWaitResponseTime: 1, maximumBroadcastsBeforeClosing: 1))
  }

  private func begin(_ configuration: SSDPSearchSessionConfiguration) {
    guard let session = SSDPSearchSession(configuration: configuration) else {
      messages.append("no socket")
      return
    }
    let count: UInt = configuration.maximumBroadcastsBeforeClosing
    let wait: TimeInterval = configuration.maximumWaitResponseTime
    let place: (String, UInt) = (configuration.host, configuration.port)
    messages.append("asks \(place.0):\(place.1) for \(configuration.searchTarget), \(count) x \(Int(wait)) s")
    session.delegate = self
    searchSession = session
    session.startSearch()
  }

  func cancel() {
    searchSession?.stopSearch()
    searchSession = nil
  }

  // MARK: - SSDPSearchSessionDelegate

  func searchSession(_ searchSession: SSDPSearchSession, didFindService service: SSDPService) {
    shown.append(service)
    messages.append("found \(service.uniqueServiceName) at \(service.location.absoluteString)")
  }

  func searchSession(_ searchSession: SSDPSearchSession, didAbortWithError error: SSDPSearchSessionError) {
    switch error {
    case .addressCreationFailure: messages.append("no address")
    case .searchAborted(let reason): messages.append("aborted: \(reason)")
    }
  }

  func searchSessionDidStopSearch(_ searchSession: SSDPSearchSession, foundServices: [SSDPService]) {
    messages.append("stopped with \(foundServices.count), \(foundServices == shown ? "as shown" : "others")")
  }
}

/// Answers that an application keeps, read again.
enum SearchArchive {
  static func services(in answers: [Data]) -> [SSDPService] { answers.compactMap(SSDPServiceParser.parse) }

  /// The same service with the fields of now.
  static func renewed(_ service: SSDPService, until date: Date) -> SSDPService {
    SSDPService(
      cacheControl: date, location: service.location, server: service.server, searchTarget: service.searchTarget,
      uniqueServiceName: service.uniqueServiceName, otherHeaders: service.otherHeaders)
  }
}
