import RollcallWire

extension Scenario {
  /// The JSON Schema (draft 2020-12) of the language, from the tables that the reader uses; ends with a line end.
  package static var schema: String {
    let form = Form<Scenario>.scenario.schema
    var members: [JSONValue.Member] = [
      .init("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
      .init("title", .string("Rollcall scenario")),
      .init(
        "description",
        .string(
          "A network, who lives on it, what they do, what breaks, and what has to come of it. Units are mandatory.")),
    ]
    if case .object(let own) = form.json { members += own }
    members.append(.init("$defs", .object(form.definitions.sorted { $0.name < $1.name })))
    return JSONValue.object(members).text
  }
}
