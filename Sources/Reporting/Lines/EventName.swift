import RollcallPrimitives

/// What reports are called: `search-ended` where people read and write it, `searchEnded` in JSON lines.
///
/// Both are understood wherever a person names an event.
package enum EventName {
  /// As people write them.
  package static let all = ["found", "changed", "lost", "service", "search-ended", "failed"]

  /// The name in JSON lines; `nil` where there is no such event.
  package static func json(_ name: String) -> String? {
    if name == "search-ended" || name == "searchEnded" { return "searchEnded" }
    return all.contains(name) ? name : nil
  }
}
