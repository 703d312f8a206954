import RollcallDevices
import RollcallDiscovery
import RollcallSessions
import RollcallWire

extension Scenario {
  /// A page on the language for people (Markdown), from the tables that the reader uses; ends with a line end.
  package static var reference: String {
    var page = ScenarioReference()
    return page.text(of: Form<Scenario>.scenario.schema)
  }
}

/// Turns the schema into tables: one for each mapping, one line for each key.
struct ScenarioReference {
  private var sections: [String] = []
  /// Mappings that have a table, without what is said of them where they stand; and where it is.
  private var described: [JSONValue: String] = [:]

  mutating func text(of schema: Schema) -> String {
    let head = """
      # The scenario language

      Every key that a scenario may have, what may stand there, and what it means. Generated from the tables that the
      reader, the writer and `Scenarios/scenario.schema.json` are made of; a test compares. `rollcall explain --reference`
      prints it, `rollcall explain FILE` shows a scenario with every default, and docs/a-scenario.md reads one line by
      line. A time, a size and a share have a unit, always. An unknown key or word is an error with its place.


      """
    _ = table(schema.json, at: "", title: "A scenario")
    let whole = sections
    sections = []
    for part in schema.definitions.sorted(by: { $0.name < $1.name }) {
      let place = sections.count
      let phrase = phrase(part.value, at: part.name)
      // The tables of a part come behind the line that names it.
      sections.insert("### \(part.name)\n\n\(phrase.capitalisedFirst).\n", at: place)
    }
    let quirks = Quirk.catalogue.map { entry -> String in
      let argument = entry.argument == .none ? "" : "(\(entry.argument.rawValue))"
      return
        "| `\(entry.name)\(argument)` | \(cell(entry.explanation)) | \(entry.references.joined(separator: " ")) |\n"
    }
    let ofPeripherals = PeripheralQuirk.allCases.map { "| `\($0.rawValue)` | \(cell($0.text)) |\n" }
    let switches = EngineSwitch.allCases.map { "| `engine.\($0.rawValue)` | \(cell($0.explanation)) |\n" }
    let ofPeers = PeerFault.allCases.map { "| `peers.\($0.rawValue)` | \(cell($0.explanation)) |\n" }
    return head + whole.joined(separator: "\n") + "\n## Parts that are used in several places\n\n"
      + sections.joined(separator: "\n")
      + "\n## Quirks of devices\n\n| quirk | what it does | seen as |\n|---|---|---|\n" + quirks.joined()
      + "\n## Quirks of peripherals\n\n| quirk | what it does |\n|---|---|\n" + ofPeripherals.joined()
      + "\n## Faults of the engine, for `bites`\n\n| fault | what it does |\n|---|---|\n" + switches.joined()
      + "\n## Faults of nearby peers, for `bites`\n\n| fault | what it does |\n|---|---|\n" + ofPeers.joined()
  }

  /// Writes the table of a mapping, unless there is one already; says where it is.
  private mutating func table(_ json: JSONValue, at path: String, title: String? = nil) -> String {
    let bare = json.without(["description", "default"])
    if let place = described[bare] { return place }
    let name = title ?? path
    described[bare] = name
    let place = sections.count
    var text = title.map { "## \($0)\n\n" } ?? "### `\(path)`\n\n"
    if let choice = json["oneOf"]?.items {
      let keys = choice.compactMap { $0["required"]?.items?.first?.string }
      text += "Exactly one of \(keys.map { "`\($0)`" }.joined(separator: ", ")).\n\n"
    }
    text += "| key | what stands there | meaning |\n|---|---|---|\n"
    let required = json["required"]?.items?.compactMap(\.string) ?? []
    for member in json["properties"]?.members ?? [] {
      let below = path.isEmpty ? member.name : path + "." + member.name
      var meaning = member.value["description"]?.string ?? ""
      if let fallback = member.value["default"]?.scalarText { meaning += " `\(fallback)` by default." }
      if required.contains(member.name) { meaning += " Required." }
      text += "| `\(member.name)` | \(phrase(member.value, at: below)) | \(cell(meaning)) |\n"
    }
    sections.insert(text, at: place)
    return name
  }

  /// What may stand somewhere, in a few words.
  private mutating func phrase(_ json: JSONValue, at path: String) -> String {
    if let reference = json["$ref"]?.string {
      let name = String(reference.dropFirst("#/$defs/".count))
      return "[\(name)](#\(name))"
    }
    if let constant = json["const"]?.string { return "`\(constant)`" }
    if let words = json["enum"]?.items {
      // The catalogue of quirks has a table of its own.
      if words.count > 60 { return "one of the names in the tables below" }
      return words.compactMap(\.scalarText).map { "`\($0)`" }.joined(separator: ", ")
    }
    if let forms = json["anyOf"]?.items {
      var phrases: [String] = []
      for (number, form) in forms.enumerated() {
        let kind = form["properties"]?.members.first { $0.value["const"] != nil }
        let words = kind.flatMap { kind in kind.value["const"]?.string.map { " with \(kind.name): \($0)" } }
        phrases.append(phrase(form, at: path + (words ?? (number == 0 ? "" : ", form \(number + 1)"))))
      }
      return phrases.joined(separator: ", or ")
    }
    switch json["type"]?.string {
    case "object":
      if json["properties"] != nil { return "a mapping, see `\(table(json, at: path))`" }
      guard let values = json["additionalProperties"], values["type"] != nil || values["$ref"] != nil else {
        return "a mapping"
      }
      return "names, each with \(phrase(values, at: path + ".NAME"))"
    case "array": return json["items"].map { "a list of: \(phrase($0, at: path + "[]"))" } ?? "a list"
    case "integer":
      switch (json["minimum"]?.integer, json["maximum"]?.integer) {
      case (let least?, let most?): return "a whole number from \(least) to \(most)"
      case (let least?, nil): return "a whole number from \(least) on"
      default: return "a whole number"
      }
    case "boolean": return "`true` or `false`"
    case "number": return "a number"
    default:
      if let example = json["examples"]?.items?.first?.string { return "text as `\(cell(example))`" }
      return json["pattern"]?.string.map { "text of the form `\(cell($0))`" } ?? "text"
    }
  }

  private func cell(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}

extension JSONValue {
  fileprivate var members: [Member] { if case .object(let members) = self { members } else { [] } }
  fileprivate var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
  fileprivate var scalarText: String? {
    switch self {
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .string(let value), .number(let value): value
    case .null, .array, .object: nil
    }
  }
  fileprivate func without(_ names: [String]) -> JSONValue { .object(members.filter { !names.contains($0.name) }) }
}

extension String {
  fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
