import RollcallDiscovery

/// Numbers that a person typed, refused before anything is done.
enum Numbers {
  static func check(_ value: Int, _ range: ClosedRange<Int>, _ option: String) throws {
    if !range.contains(value) {
      throw Complaint("\(option) takes a number from \(range.lowerBound) to \(range.upperBound), and not \(value)")
    }
  }

  /// What `discover` searches for, by the rules of the engine that would refuse it later.
  static func checkSearches(_ targets: [String], waitSeconds: Int, broadcasts: Int) throws {
    try check(waitSeconds, 1...5, "--mx")
    try check(broadcasts, 1...10, "--broadcasts")
    let most = EngineConfiguration().limits.searchesOpen
    if targets.count > most {
      throw Complaint("--search may be repeated up to \(most) times, and these are \(targets.count)")
    }
    for target in targets {
      if target.isEmpty { throw Complaint("--search needs a target; ssdp:all asks for everything") }
      if !target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) || target.utf8.count > 256 {
        throw Complaint("--search takes a target of at most 256 plain characters without blanks, as in upnp:rootdevice")
      }
    }
  }
}
