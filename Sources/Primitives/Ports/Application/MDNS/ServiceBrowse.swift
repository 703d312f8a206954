/// Which services an engine browses for, in the domain `local`.
public enum ServiceBrowse: Hashable, Sendable {
  /// All types: those that `_services._dns-sd._udp.local` lists (RFC 6763 §9), and those that are heard of.
  case everything
  /// `_ipp._tcp`, or `_color._sub._ipp._tcp` for a subtype (RFC 6763 §7.1).
  case type(String)
}

extension ServiceBrowse: CustomStringConvertible {
  /// What people read.
  public var description: String {
    switch self {
    case .everything: "all"
    case .type(let type): type
    }
  }
}

extension ServiceBrowse {
  func fold(into digest: inout Digest) {
    switch self {
    case .everything: digest.combine(1)
    case .type(let type):
      digest.combine(2)
      digest.combine(type)
    }
  }

  func write(to words: inout WordWriter) {
    switch self {
    case .everything: words.add("all")
    case .type(let type):
      words.add("type")
      words.name(type)
    }
  }

  init(from words: inout WordReader) throws(WordError) {
    let expected = "all, or the word type"
    switch try words.next(expected) {
    case "all": self = .everything
    case "type": self = .type(try words.name("a type of service"))
    default: throw words.error(expected)
    }
  }
}
