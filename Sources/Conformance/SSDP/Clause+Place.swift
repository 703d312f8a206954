/// Where a clause stands: which document, and which part of it.
extension Clause {
  /// `UDA 2.0, section 1.2.2`, from the id, which has the section in it: as UDA 1.1 and 2.0 number them.
  ///
  /// UDA 1.0 has the same chapters and numbers them otherwise. A rule of Rollcall's own stands in no document but this.
  package var place: String { section.map { "\(document), \($0.name)" } ?? document }

  /// The document whose wording the clause rests on.
  package var document: String {
    if let text = evidence.first(where: { $0 != .memory && $0 != .ours }) { return text.rawValue }
    return evidence == [.memory] ? "\(standard.rawValue), from memory" : ownRule
  }

  /// Said of a rule of our own, which stands in no document of others.
  package var ownRule: String { "a rule of Rollcall, not of \(standard.rawValue)" }

  /// Number and subject of the section; `nil` for a rule of Rollcall's own.
  package var section: (number: String, name: String, subject: String)? {
    if let place = Clause.multicastSection(number) {
      return (place, "section \(place)", Clause.multicastSubject(number))
    }
    guard id.hasPrefix("UDA-") else { return nil }
    let number = String(id.dropFirst(4).prefix { $0 != "-" })
    let name = number == "A" ? "annex A" : number.contains(".") ? "section \(number)" : "chapter \(number)"
    return (number, name, Clause.subject(of: number))
  }

  /// What a section is about, in our words.
  private static func subject(of number: String) -> String {
    switch number {
    case "0": "addressing"
    case "1": "discovery"
    case "1.1": "the form of messages"
    case "1.1.1": "start lines"
    case "1.1.2": "header fields"
    case "1.1.3": "header fields of vendors"
    case "1.1.4": "UUIDs"
    case "1.1.5": "what a receiver does with a message"
    case "1.2": "advertisement"
    case "1.2.2": "announcing a device, ssdp:alive"
    case "1.2.3": "a device leaves, ssdp:byebye"
    case "1.2.4": "a device changes, ssdp:update"
    case "1.3": "search"
    case "1.3.2": "the search request, M-SEARCH"
    case "1.3.3": "the answer to a search"
    case "2.3": "the description of a device"
    case "A": "IPv6"
    default: ""
    }
  }
}
