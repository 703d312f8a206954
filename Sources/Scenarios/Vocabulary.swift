package import RollcallDevices
import RollcallDiscovery
import RollcallPrimitives
import RollcallSessions
import RollcallWire

// The words that other rooms own: quirks, profiles, policies and switches of the engine, kinds of inhabitants.

extension Form<Quirk> {
  /// `noBlankLine`, `maxAge(100)`; without an argument a quirk that takes one has the value of its catalogue entry.
  static let quirk = Form(
    schema: Schema(
      .members(
        (
          "anyOf",
          .array([
            .members(("enum", .array(Quirk.catalogue.map { .string($0.name) }))),
            .members(
              ("type", .string("string")),
              (
                "pattern",
                .string(
                  "^(" + Quirk.catalogue.filter { $0.argument != .none }.map(\.name).joined(separator: "|")
                    + #")\(.+\)$"#)
              )),
          ])
        ))
    ).named("quirk"),
    read: { tree, reader in
      guard case .scalar(let text) = tree.content else {
        reader.wrongKind(tree, expected: "a quirk such as noBlankLine or maxAge(100)")
        return nil
      }
      switch Vocabulary.quirk(text) {
      case .success(let quirk): return quirk
      case .failure(let problem):
        reader.complain(problem.message, at: tree.mark)
        return nil
      }
    },
    write: { quirk, _ in .scalar(Vocabulary.text(of: quirk)) })
}

extension Form<Bite> {
  static let bite = Form(
    schema: Schema(.members(("type", .string("string")), ("pattern", .string(#"^[A-Za-z][A-Za-z0-9_-]*\..+$"#)))),
    read: { tree, reader in
      guard let text = tree.text, let dot = text.firstIndex(of: ".") else {
        reader.wrongKind(tree, expected: "engine.<switch>, manager.<profile>, peers.<fault> or <inhabitant>.<quirk>")
        return nil
      }
      let (who, what) = (String(text[..<dot]), String(text[text.index(after: dot)...]))
      if who == "engine" {
        if let word = EngineSwitch.allCases.first(where: { $0.rawValue == what }) { return .engine(word) }
        let names = EngineSwitch.allCases.map(\.rawValue)
        reader.complain("unknown switch '\(shortened(what))'" + suggestion(for: what, of: names), at: tree.mark)
        return nil
      }
      if who == "manager", let profile = ManagerProfile(rawValue: what) { return .manager(profile) }
      if who == "peers" {
        if let word = PeerFault(rawValue: what) { return .peers(word) }
        let names = PeerFault.allCases.map(\.rawValue)
        reader.complain("unknown fault '\(shortened(what))'" + suggestion(for: what, of: names), at: tree.mark)
        return nil
      }
      if let quirk = MDNSQuirk(rawValue: what) { return .responder(who, quirk) }
      switch Vocabulary.quirk(what) {
      case .success(let quirk): return .inhabitant(who, quirk)
      case .failure(let problem):
        reader.complain(problem.message, at: tree.mark)
        return nil
      }
    },
    write: { bite, _ in
      switch bite {
      case .engine(let word): .scalar("engine.\(word.rawValue)")
      case .manager(let profile): .scalar("manager.\(profile.rawValue)")
      case .peers(let word): .scalar("peers.\(word.rawValue)")
      case .inhabitant(let name, let quirk): .scalar("\(name).\(Vocabulary.text(of: quirk))")
      case .responder(let name, let quirk): .scalar("\(name).\(quirk.rawValue)")
      }
    })
}

extension QuirkEntry.Argument {
  fileprivate var noun: String {
    switch self {
    case .none: "nothing"
    case .seconds: "a number of seconds such as 60"
    case .count: "a count such as 6"
    case .duration: "a duration such as 5s"
    case .text: "a text without blanks"
    case .address: "an address such as 10.0.0.1"
    }
  }
}

package enum Vocabulary {
  struct Problem: Error { var message: String }

  static func quirk(_ text: String) -> Result<Quirk, Problem> {
    var name = text
    var argument: String?
    if let open = text.firstIndex(of: "("), text.last == ")" {
      name = String(text[..<open])
      argument = String(text[text.index(after: open)...].dropLast())
    }
    do {
      return .success(try Quirk.parse(name: name, argument: argument))
    } catch {
      switch error {
      case .unknownName(let name):
        let near = suggestion(for: name, of: Quirk.catalogue.map(\.name))
        return .failure(Problem(message: "unknown quirk '\(shortened(name))'" + near))
      case .argumentNotAllowed(let name): return .failure(Problem(message: "the quirk '\(name)' takes no argument"))
      case .argumentInvalid(let name, let expected, let found):
        return .failure(Problem(message: "the quirk '\(name)' takes \(expected.noun), not '\(shortened(found))'"))
      }
    }
  }

  /// What `quirk` reads back as the same.
  package static func text(of quirk: Quirk) -> String {
    let argument: String? =
      switch quirk {
      case .truncated(let count), .manyRepeats(let count), .manyAnswers(let count): String(count)
      case .maxAge(let seconds): String(seconds)
      case .ttl(let value): String(value)
      case .foreignNT(let text), .opaqueTarget(let text), .answersOnlySome(let text): text
      case .renewsOften(let interval), .answersLate(let interval), .spuriousByebye(let interval),
        .descriptionSlow(let interval):
        interval.description
      case .unicastNotify(let address), .descriptionOnOtherHost(let address): address.description
      default: nil
      }
    return argument.map { "\(quirk.name)(\($0))" } ?? quirk.name
  }
}

extension Form<Profile> {
  static let profile = Form.kebab("a profile")
}
