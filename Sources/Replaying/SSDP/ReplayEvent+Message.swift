package import RollcallPrimitives
package import RollcallWire

extension ReplayEvent {
  /// A discovery message of a capture.
  package struct Message {
    package var frame: Int
    /// As the file has it.
    package var time: String
    package var source: Endpoint
    package var destination: Endpoint
    /// `nil`: no reader makes anything of it.
    package var kind: SSDPKind?
    package var fields: [(name: String, value: String)]
    package var rejection: Rejection?

    /// The kind as people read it.
    package var type: String { kind?.name ?? "unknown" }
  }
}

extension ReplaySummary {
  /// Discovery messages by kind.
  struct MessageTally: Sendable {
    private var kinds: [Int] = Array(repeating: 0, count: SSDPKind.allCases.count)
    private var unknown = 0

    init() {}

    mutating func count(_ kind: SSDPKind) { kinds[Int(kind.rawValue)] += 1 }
    /// One of which no reader makes anything.
    mutating func countUnknown() { unknown += 1 }

    /// As JSON lines name them, zeros included.
    var list: [(String, Int)] {
      var list = SSDPKind.allCases.filter { $0 != .notifyOther }.map { ($0.name, kinds[Int($0.rawValue)]) }
      list.append(("unknown", unknown + kinds[Int(SSDPKind.notifyOther.rawValue)]))
      return list
    }
  }
}
