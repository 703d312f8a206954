package import RollcallExaminers
import RollcallPrimitives
package import RollcallTrace
import RollcallWire

// Records of examinations of responders.
extension ExamRecord {
  /// A responder's examination as it was recorded.
  package struct Responder {
    package var plan: ResponderExamPlan
    package var interface: String
    package var entries: [TraceEntry]
  }

  private static let responder = "# examine responder"

  package static func line(_ plan: ResponderExamPlan, interface: String) -> String {
    var words = WordWriter()
    words.add(responder)
    words.name(interface)
    words.add(plan.family == .v4 ? "ipv4" : "ipv6")
    words.add("target")
    words.name(plan.target)
    words.add("type")
    words.name(plan.type?.description)
    words.add("patience")
    words.add(plan.patience.nanoseconds)
    words.add("seed")
    words.add(plan.seed.value)
    words.add("probes")
    for probe in plan.probes { words.add(probe.rawValue) }
    return words.text
  }

  /// - Parameter text: the file, with LF or CRLF at the ends of lines.
  package static func responder(_ text: String) throws(Failure) -> Responder {
    try read(text, responder) { words throws(WordError) in
      let interface = try words.name("the name of an interface")
      let family: IPAddress.Family
      switch try words.next("ipv4 or ipv6") {
      case "ipv4": family = .v4
      case "ipv6": family = .v6
      default: throw words.error("ipv4 or ipv6")
      }
      try words.word("target")
      let target = try words.optionalName("an address or the name of a host, or -")
      try words.word("type")
      var type: DNSName?
      if let name = try words.optionalName("the name of a type, or -") {
        type = DNSName(name)
        if type == nil { throw words.error("the name of a type, or -") }
      }
      try words.word("patience")
      let patience = Interval.nanoseconds(try words.number("a number of nanoseconds"))
      try words.word("seed")
      let seed = Seed(try words.number("a seed"))
      let plan = ResponderExamPlan(
        target: target, probes: try words.probes(), type: type, patience: patience, family: family, seed: seed)
      return { entries in Responder(plan: plan, interface: interface, entries: entries) }
    }
  }
}
