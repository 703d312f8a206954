package import RollcallDevices
import RollcallPrimitives
import RollcallWire

// The words of quirks.

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

extension Vocabulary {
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
