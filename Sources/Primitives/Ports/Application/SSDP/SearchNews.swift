/// What somebody who searches by hand is told of a search: more than reports say, since an answer comes with its bytes.
///
/// It is no value of a port. A driver makes it of what it gave to an engine and of what came of it
/// (`DiscoveryEngine.searchNews`), so an engine that nobody searches with by hand does and reports what it always did.
package struct SearchNews: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    /// An answer that the engine accepted for this search, byte for byte; again, where it comes again.
    case answer([UInt8])
    /// The search is over; stopped: before its time.
    case ended(wasStopped: Bool)
    /// Nothing can be heard: the search was refused, or no copy that was sent so far has left.
    case failed(Failure)
  }
  package var search: SearchID
  package var event: Event

  package init(_ search: SearchID, _ event: Event) { (self.search, self.event) = (search, event) }
}

extension SearchID {
  /// The numbers of searches by hand. Those below are of scenarios and options; those above are of managers.
  package static let byHand = SearchID(0x4000_0000)...SearchID(0x7FFF_FFFF)
  package var isByHand: Bool { SearchID.byHand.contains(self) }

  /// The number of the next search by hand, of searches that one host counts.
  ///
  /// - Parameter count: how many there were before.
  package static func byHand(after count: UInt32) -> SearchID {
    SearchID(byHand.lowerBound.number + count % 0x4000_0000)
  }
}
