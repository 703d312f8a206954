/// Why an engine of another process cannot go on, as a sentence for people.
package struct EngineFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// What is wrong with a frame of an engine.
package struct FrameFault: Error, Hashable, Sendable {
  /// Counts from the first byte of the frame, which is that of its length.
  package var offset: Int
  package var expected: String
  package var found: String

  package init(at offset: Int, expected: String, found: String) {
    (self.offset, self.expected, self.found) = (offset, expected, found)
  }
}

/// What became of the engine of a run.
package struct EngineEnd: Hashable, Sendable {
  /// Why it failed; `nil`: it did not.
  package var failure: String?
  /// The last lines that it logged, and behind them the last that it printed as errors; both are hostile text.
  package var notes: [String]

  package init(failure: String? = nil, notes: [String] = []) { (self.failure, self.notes) = (failure, notes) }
}

/// The way to the process of an engine: bytes in both directions, and the clock on the wall.
package protocol EngineChannel: AnyObject {
  /// Gives it bytes; the time that it has for its answer begins.
  /// - Throws: it takes none, as half a sentence: `it ended with exit code 1`.
  func write(_ bytes: [UInt8]) throws(EngineFailure)
  /// The next bytes that it wrote, at least one.
  /// - Throws: none will come, or none came in time, as half a sentence.
  func read() throws(EngineFailure) -> [UInt8]
  /// Ends it.
  /// - Parameter isKilled: at once, and not when it wants to.
  /// - Returns: the last lines that it printed as errors.
  func end(isKilled: Bool) -> [String]
}
