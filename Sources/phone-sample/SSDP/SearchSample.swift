// An application that searches by hand, for the live scene in which a real program answers.
import Dispatch
import Foundation
import RollcallConnect
import RollcallConnectLive

/// Searches twice for one target, one second apart, on one interface, and ends when the session does.
final class SearchSample: SSDPSearchSessionDelegate {
  private let session: SSDPSearchSession
  private let say: (String) -> Void

  /// - Returns: `nil` where there is no network.
  init?(interface: String, target: String, say: @escaping (String) -> Void) {
    LiveNetwork.attach(interfaces: [interface])
    let configuration = SSDPSearchSessionConfiguration.createMulticastConfiguration(
      forSearchTarget: target, maximumWaitResponseTime: 1, maximumBroadcastsBeforeClosing: 2)
    guard let session = SSDPSearchSession(configuration: configuration) else { return nil }
    (self.session, self.say) = (session, say)
    session.delegate = self
    session.startSearch()
  }

  func searchSession(_ searchSession: SSDPSearchSession, didFindService service: SSDPService) {
    let seconds = Int(service.cacheControl.timeIntervalSinceNow.rounded())
    say("found \(service.uniqueServiceName) at \(service.location) by \(service.server), holds \(seconds) s")
    for (name, value) in service.otherHeaders.sorted(by: { $0.key < $1.key }) { say("  \(name): \(value)") }
  }

  func searchSession(_ searchSession: SSDPSearchSession, didAbortWithError error: SSDPSearchSessionError) {
    say("aborted: \(error)")
    exit(1)
  }

  func searchSessionDidTimeOut(_ searchSession: SSDPSearchSession) { say("timed out") }

  func searchSessionDidStopSearch(_ searchSession: SSDPSearchSession, foundServices: [SSDPService]) {
    say("stopped with \(foundServices.count)")
    exit(0)
  }
}
