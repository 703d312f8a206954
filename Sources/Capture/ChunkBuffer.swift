/// The bytes of a file as they stream by: one buffer, refilled in large chunks.
///
/// `read` into a chunk that stays in the second-level cache beats mapped pages by a factor of four, works on pipes and
/// leaves room for padding. The buffer grows only as bytes really arrive, so a length that lies costs nothing.
final class ChunkBuffer {
  /// Fills the buffer from its start and says how many bytes it wrote; 0 at the end, negative for a failure.
  typealias Pull = (UnsafeMutableRawBufferPointer) -> Int

  private(set) var base: UnsafeMutableRawPointer
  private var capacity: Int
  private let pull: Pull
  private(set) var hasEnded = false
  private(set) var hasFailed = false

  init(chunkBytes: Int, pull: @escaping Pull) {
    capacity = max(4_096, chunkBytes)
    base = ChunkBuffer.allocate(capacity)
    self.pull = pull
  }

  deinit { base.deallocate() }

  private static func allocate(_ capacity: Int) -> UnsafeMutableRawPointer {
    let byteCount = capacity + CaptureFrame.paddingBytes
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    return memory
  }

  /// Moves what is unread to the front and pulls until `needed` bytes are there or the source ends.
  /// - Returns: the number of bytes from the start of the buffer.
  func refill(cursor: Int, end: Int, needed: Int) -> Int {
    var have = end - cursor
    if cursor > 0, have > 0 { base.copyMemory(from: base + cursor, byteCount: have) }
    while have < needed, !hasEnded {
      if have == capacity {
        capacity = min(capacity * 2, needed)
        let larger = ChunkBuffer.allocate(capacity)
        larger.copyMemory(from: base, byteCount: have)
        base.deallocate()
        base = larger
      }
      let count = pull(UnsafeMutableRawBufferPointer(start: base + have, count: capacity - have))
      if count <= 0 || count > capacity - have {
        hasEnded = true
        hasFailed = count != 0
      } else {
        have += count
      }
    }
    return have
  }
  /// Reads on to the end of the source and keeps nothing, not even what was unread.
  /// - Returns: how many bytes came; `nil` where the source failed.
  func countRest() -> Int? {
    var total = 0
    while !hasEnded {
      let count = pull(UnsafeMutableRawBufferPointer(start: base, count: capacity))
      if count <= 0 || count > capacity {
        hasEnded = true
        hasFailed = count != 0
      } else {
        total += count
      }
    }
    return hasFailed ? nil : total
  }
}
