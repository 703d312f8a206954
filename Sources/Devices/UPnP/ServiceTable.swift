package import RollcallWire

/// The services of `ServiceTables`, read from its text once.
package struct ServiceTable: Sendable {
  package static let standard = ServiceTable(ServiceTables.text)

  private var services: [(name: String, version: Int, scpd: SCPD)] = []

  /// Names with versions, as in `SwitchPower:1`, in the order of the text.
  package var names: [String] { services.map { "\($0.name):\($0.version)" } }
  /// Lines that cannot be read.
  private(set) package var faults: [String] = []

  package init(_ text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      if words.isEmpty { continue }
      if !take(words) { faults.append(String(line)) }
    }
  }

  private mutating func take(_ words: [String]) -> Bool {
    guard words.count >= 2 else { return false }
    if words[0] == "service" {
      let parts = words[1].split(separator: ":")
      guard parts.count == 2, let version = Int(parts[1]) else { return false }
      var scpd = SCPD(actions: [], variables: [])
      if words.count == 4, words[2] == "like" {
        guard let other = services.first(where: { "\($0.name):\($0.version)" == words[3] }) else { return false }
        scpd = other.scpd
      } else if words.count != 2 {
        return false
      }
      services.append((String(parts[0]), version, scpd))
      return true
    }
    guard let last = services.indices.last else { return false }
    switch words[0] {
    case "variable", "event":
      guard let variable = ServiceTable.variable(words) else { return false }
      services[last].scpd.variables.append(variable)
    case "action":
      guard let action = ServiceTable.action(words) else { return false }
      services[last].scpd.actions.append(action)
    default: return false
    }
    return true
  }

  /// `variable` name type first-value values
  private static func variable(_ words: [String]) -> SCPD.Variable? {
    guard words.count == 4 || words.count == 5 else { return nil }
    var variable = SCPD.Variable(words[1], type: words[2])
    variable.isEvented = words[0] == "event"
    variable.initial = words[3] == "-" ? "" : words[3]
    guard words.count == 5 else { return variable }
    let bounds = words[4].split(separator: ".").compactMap { Int($0) }
    if words[4].contains(".."), bounds.count == 2, bounds[0] <= bounds[1] {
      variable.range = bounds[0]...bounds[1]
    } else {
      variable.allowed = words[4].split(separator: "|").map(String.init)
    }
    return variable
  }

  /// `action` name, then for each argument its direction, name and variable
  private static func action(_ words: [String]) -> SCPD.Action? {
    let rest = Array(words.dropFirst(2))
    guard rest.count % 3 == 0 else { return nil }
    var arguments: [SCPD.Argument] = []
    for start in stride(from: 0, to: rest.count, by: 3) {
      guard rest[start] == "in" || rest[start] == "out" else { return nil }
      arguments.append(.init(rest[start + 1], isOut: rest[start] == "out", variable: rest[start + 2]))
    }
    return SCPD.Action(words[1], arguments)
  }

  /// The service of a type in the highest version that is not above its own; for a type that is not in the table one with a
  /// variable and no actions.
  package func scpd(of type: String) -> SCPD {
    let parts = type.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let own = parts.count == 5 ? (name: parts[3], version: Int(parts[4]) ?? 1) : (name: "", version: 1)
    let known = services.filter { $0.name == own.name && $0.version <= own.version }
    return known.max { $0.version < $1.version }?.scpd ?? ServiceTable.unknown
  }

  private static let unknown: SCPD = {
    var variable = SCPD.Variable("Status", type: "string")
    variable.isEvented = true
    return SCPD(actions: [], variables: [variable])
  }()
}
