import RollcallPrimitives
import RollcallWire

/// A name of multicast DNS that a story is asked about: that of a host, of a service, or of a kind of service.
///
/// `printer.local` and `Office Printer._ipp._tcp.local`, each also without `.local`; the first label alone, which may
/// have dots in it; `_ipp._tcp` for all services of the kind; and what reports call a service, with `peer:` before it.
package struct MulticastName: Hashable, Sendable {
  private let whole: DNSName?
  /// The text as one label, as a name of one label only.
  private let label: DNSName?
  package let description: String

  package init?(_ text: String) {
    let text = text.serviceOfName.map { String($0) } ?? text
    var whole = DNSName(text)
    if let name = whole, !name.isWithin(.local) { whole = DNSName(text + ".local") }
    label = DNSName(labels: [text])
    self.whole = whole?.isRoot == true ? nil : whole
    if self.whole == nil, label == nil { return nil }
    description = text
  }

  /// Whether it names this host, this service, or the kind that this service is of.
  func isName(_ name: DNSName) -> Bool {
    if let whole {
      if name == whole { return true }
      let isKind = whole.firstLabel.first == MulticastName.underscore && whole.labelCount >= 3
      if isKind, name.isWithin(whole) { return true }
    }
    // One label alone is that of a host or of a service, and not a part of a longer name.
    guard let label, let parent = name.parent else { return false }
    guard parent == .local || parent.firstLabel.first == MulticastName.underscore else { return false }
    return DNSName(labels: [name.firstLabel]) == label
  }

  private static let underscore = UInt8(ascii: "_")

  private func isNamed(by record: DNSRecord) -> Bool {
    if isName(record.name) { return true }
    switch record.data {
    case .ptr(let target), .cname(let target), .srv(_, _, _, let target): return isName(target)
    default: return false
    }
  }

  /// Whether a message asks for it, wants to have it, or tells of it.
  func isNamed(by what: MulticastStory.What) -> Bool {
    switch what {
    case .query(let query):
      query.questions.contains { isName($0.name) } || query.proposed.contains { isNamed(by: $0) }
    case .response(let response): response.records.contains { isNamed(by: $0.record) }
    case .ignored: false
    }
  }

  /// Whether a message says that it is there.
  func isAnnounced(by what: MulticastStory.What) -> Bool {
    guard case .response(let response) = what else { return false }
    return response.records.contains { $0.record.ttlSeconds > 0 && isNamed(by: $0.record) }
  }
}
