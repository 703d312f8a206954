import Foundation

/// Where the records of tests and suites stand in a test program, so that it can be started with a few of them.
///
/// A test program asks each of its records for its test before it looks at a filter, which takes much longer than most
/// tests. The mutated copy can forget all records but those that are named to it (`MutantSwitch.records`). A record says
/// nothing of its test before it is asked: so the program lists its tests several times, once for each bit of the places.
struct TestRecords {
  /// By the name of a test or suite. Missing: the place of what has it is not certain.
  private(set) var places: [String: Int] = [:]

  /// - Parameters:
  ///   - listing: what the program lists where it keeps the records whose place has this bit set, or clear.
  init(_ listing: (_ bit: Int, _ isSet: Bool) throws -> Set<String>) rethrows {
    var clear: [String: Int] = [:]
    for bit in 0..<24 {
      let found = try listing(bit, true)
      // No place has this bit, nor a higher one.
      if bit > 0, found.isEmpty { break }
      for name in found { places[name, default: 0] |= 1 << bit }
      for name in try listing(bit, false) {
        if places[name] == nil { places[name] = 0 }
        clear[name, default: 0] |= 1 << bit
      }
    }
    // One that is listed with a bit set and with it clear has several records.
    for (name, bits) in clear where (places[name] ?? 0) & bits != 0 { places[name] = nil }
  }

  /// The records that these tests need, their suites' with them, as the program reads it; `nil`: all.
  func kept(for ids: [String]) -> String? {
    var kept: Set<Int> = []
    for id in ids {
      guard let place = places[id] else { return nil }
      kept.insert(place)
      // A suite without a record has no trait, and needs none.
      var parts = id.split(separator: "/")
      while parts.count > 1 {
        parts.removeLast()
        if let place = places[parts.joined(separator: "/")] { kept.insert(place) }
      }
    }
    return kept.sorted().map(String.init).joined(separator: ",")
  }

  /// The names in a stream of events: of suites, and of tests without their place in the sources, as `--list-tests` has
  /// them.
  static func names(in events: String) -> Set<String> {
    let names = payloads("test", in: events).compactMap { test -> String? in
      guard let id = test["id"] as? String else { return nil }
      return test["kind"] as? String == "function" ? id.split(separator: "/").dropLast().joined(separator: "/") : id
    }
    return Set(names)
  }

  /// What the records of one kind hold in a stream of events.
  static func payloads(_ kind: String, in events: String) -> [[String: Any]] {
    events.split(separator: "\n").compactMap { line in
      guard let record = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        record["kind"] as? String == kind
      else { return nil }
      return record["payload"] as? [String: Any]
    }
  }
}
