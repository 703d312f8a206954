/// What a session tells its application, on the queue of the session, one call after the other.
///
/// Finds come first. Then the session ends once: it aborts, or it stops.
public protocol SSDPSearchSessionDelegate: AnyObject {
  /// A service answered that the session was not told of before.
  func searchSession(_ searchSession: SSDPSearchSession, didFindService service: SSDPService)
  /// The search cannot be done; nothing more is told.
  func searchSession(_ searchSession: SSDPSearchSession, didAbortWithError error: SSDPSearchSessionError)
  /// The search is over, by `stopSearch` or because its time was up.
  /// - Parameter foundServices: all that were told, in that order.
  func searchSessionDidStopSearch(_ searchSession: SSDPSearchSession, foundServices: [SSDPService])
  /// The time of the session is up; `searchSessionDidStopSearch` is called next. By default it does nothing.
  func searchSessionDidTimeOut(_ searchSession: SSDPSearchSession)
}

extension SSDPSearchSessionDelegate {
  public func searchSessionDidTimeOut(_ searchSession: SSDPSearchSession) {}
}

/// Why a session aborts.
public enum SSDPSearchSessionError: Error {
  /// Host and port of the configuration are no address with a port. Names of hosts are not looked up.
  case addressCreationFailure
  /// The search was refused, or none of its broadcasts could leave. It holds a `DiscoveryError`, which says what was found
  /// and what a person can do: `cannotSend` where this program may not use multicast, `noInterface` where no network is
  /// connected, `other` where the engine takes no such search (more than 10 broadcasts).
  case searchAborted(any Error)
}
