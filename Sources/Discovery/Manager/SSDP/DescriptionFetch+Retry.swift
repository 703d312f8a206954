import RollcallPrimitives

extension DescriptionFetch.Failure {
  /// Whether the same request may bring the document a little later: the network lost something, or the server was busy. What
  /// is wrong with the document or with LOCATION stays wrong until the device says something new.
  var mayPass: Bool {
    switch reason {
    case .connectionRefused, .cannotConnect, .timedOut, .closedEarly, .queueFull, .interfaceGone: true
    case .status: (status ?? 0) >= 500
    case .noLocation, .badLocation, .scheme, .hostName, .outOfScope, .deviceGone, .tooLong, .badResponse,
      .redirectRefused, .redirectLoop, .tooManyRedirects, .stopped:
      false
    }
  }
}
