import RollcallDoors

extension Guarded<[String]> {
  /// The lines that were added since the last call.
  func takeAll() -> [String] {
    withLock { lines in
      defer { lines.removeAll() }
      return lines
    }
  }
}
