package import RollcallPrimitives

extension DiscoveryEngine {
  /// What one call to the engine brought for searches by hand, in order.
  ///
  /// To be asked behind the call, while its payload is good.
  ///
  /// - Parameters:
  ///   - signal: what the engine was given; `nil`: it was woken.
  ///   - first: where the outbox ended before the call.
  package mutating func searchNews(of signal: Signal?, from first: Int, in outbox: Outbox) -> [SearchNews] {
    var news: [SearchNews] = []
    var wasRefused = false
    for position in first..<outbox.count {
      guard case .application(let report) = outbox[position] else { continue }
      switch report {
      case .searchEnded(let outcome) where outcome.search.isByHand:
        news.append(SearchNews(outcome.search, .ended(wasStopped: outcome.wasStopped)))
      case .failed(let failure):
        guard let search = failure.search, search.isByHand else { continue }
        // Where copies go out on several interfaces, one that is refused on some of them is no end.
        let isOver = failure.reason != .cannotSend || failure.interface == nil || hasSentNothing(of: search)
        if isOver { news.append(SearchNews(search, .failed(failure))) }
      case .rejected: wasRefused = true
      default: break
      }
    }
    guard !wasRefused, case .datagram(let datagram)? = signal else { return news }
    let answered = searchesByHand(answeredBy: datagram, in: outbox.payloads)
    if answered.isEmpty { return news }
    let bytes = Array(outbox.payloads.bytes(of: datagram.payload))
    return news + answered.map { SearchNews($0, .answer(bytes)) }
  }
}
