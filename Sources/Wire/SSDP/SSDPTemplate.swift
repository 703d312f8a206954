public import RollcallPrimitives

/// The form of a message, compiled once: literal text and numbered holes, filled for each message that is sent.
public struct SSDPTemplate: Sendable, Hashable {
  public enum Piece: Sendable, Hashable {
    /// Text as it goes on the wire, line ends included.
    case text(String)
    /// A place that the sender fills; numbers may repeat and need no order.
    case hole(Int)
  }

  /// All literal text in a row.
  private let literals: [UInt8]
  /// Literal bytes up to `end`, then the hole, if `hole` is not negative.
  private struct Step: Sendable, Hashable {
    var end: Int
    var hole: Int
  }
  private let steps: [Step]

  /// Neighbouring texts are joined.
  public init(_ pieces: [Piece]) {
    var literals: [UInt8] = []
    var steps: [Step] = []
    for piece in pieces {
      switch piece {
      case .text(let text): literals += Array(text.utf8)
      case .hole(let number):
        precondition(number >= 0, "holes are numbered from 0")
        steps.append(Step(end: literals.count, hole: number))
      }
    }
    if literals.count > steps.last?.end ?? 0 { steps.append(Step(end: literals.count, hole: -1)) }
    self.literals = literals
    self.steps = steps
  }

  /// Writes one message at a cursor; `fill` appends what belongs into a hole, which may be nothing.
  public func write(into writer: inout ByteWriter, _ fill: (_ hole: Int, inout ByteWriter) -> Void) {
    literals.withUnsafeBytes { literals in
      var start = 0
      for step in steps {
        writer.append(UnsafeRawBufferPointer(rebasing: literals[start..<step.end]))
        start = step.end
        if step.hole >= 0 { fill(step.hole, &writer) }
      }
    }
  }

  /// Writes one message as a payload, held once.
  ///
  /// What does not fit into `byteCountMaximum` bytes is cut off after the last piece that fits; 1400 bytes pass every
  /// usual link without fragments (UDA-1.2.2-ONE-DGRAM).
  public func write(
    to store: PayloadStore, byteCountMaximum: Int = 1400, _ fill: (_ hole: Int, inout ByteWriter) -> Void
  ) -> Payload {
    store.write(byteCountMaximum: byteCountMaximum) { memory in
      var writer = ByteWriter(memory)
      write(into: &writer, fill)
      return writer.count
    }
  }

  /// Writes one message as bytes.
  public func bytes(
    byteCountMaximum: Int = 1400, _ fill: (_ hole: Int, inout ByteWriter) -> Void
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCountMaximum) { memory, count in
      var writer = ByteWriter(UnsafeMutableRawBufferPointer(memory))
      write(into: &writer, fill)
      count = writer.count
    }
  }
}
