internal import RollcallZlib

/// A gzip file, unpacked as it is read: one member or several (RFC 1952), and nothing but gzip.
///
/// It unpacks into the reader's own buffer and only when the reader asks, so a small file that unpacks to terabytes
/// takes time but no memory: there is no cap on the total, and none is needed.
final class GzipStream {
  static let packedBytes = 64 << 10

  /// Where in the packed file the damage was found; `nil` while there is none.
  private(set) var damagedAt: Int?
  /// Whether the packed file merely ends before what was packed does; else what stands in it is wrong.
  private(set) var isCutShort = false

  // zlib remembers where its state lies and refuses one that moved.
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutableRawBufferPointer
  private let pull: ChunkBuffer.Pull
  /// Packed bytes that were pulled so far.
  private var pulledCount = 0
  private var hasEnded = false
  private var hasFailed = false
  private var isBetweenMembers = false
  private let isReady: Bool

  static func isGzip(_ start: UnsafeRawBufferPointer) -> Bool {
    start.count >= 2 && start[0] == 0x1F && start[1] == 0x8B
  }

  /// - Parameters:
  ///   - start: the first bytes of the file, as far as they were read.
  ///   - pull: gives the bytes behind them.
  init(start: UnsafeRawBufferPointer, pull: @escaping ChunkBuffer.Pull) {
    input = .allocate(byteCount: max(start.count, GzipStream.packedBytes), alignment: 64)
    input.copyMemory(from: start)
    self.pull = pull
    pulledCount = start.count
    // 15 bits of window, and 16 to say gzip and only gzip.
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    isReady = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(start.count)
  }

  deinit {
    if isReady { inflateEnd(stream) }
    stream.deallocate()
    input.deallocate()
  }

  /// Fills `output` from its start: the number of bytes, 0 at the end, −1 at damage.
  func read(into output: UnsafeMutableRawBufferPointer) -> Int {
    if hasEnded { return 0 }
    guard damagedAt == nil, isReady else { return damaged() }
    let room = min(output.count, 1 << 30)
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(room)
    while true {
      if stream.pointee.avail_in == 0, !fill() {
        guard isBetweenMembers, damagedAt == nil else {
          isCutShort = damagedAt == nil
          return damaged()
        }
        hasEnded = true
        return 0
      }
      if isBetweenMembers {
        // Zeros pad a file out to a block of tape; anything but another member is damage.
        if stream.pointee.next_in.pointee == 0 {
          stream.pointee.next_in += 1
          stream.pointee.avail_in -= 1
          continue
        }
        inflateReset(stream)
        isBetweenMembers = false
      }
      let status = inflate(stream, Z_NO_FLUSH)
      if status == Z_STREAM_END { isBetweenMembers = true }
      let count = room - Int(stream.pointee.avail_out)
      guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
        let failed = damaged()
        return count > 0 ? count : failed
      }
      if count > 0 { return count }
    }
  }

  /// Pulls more packed bytes; false at the end of the file.
  private func fill() -> Bool {
    let count = pull(input)
    guard count > 0, count <= input.count else {
      if count != 0 {
        hasFailed = true
        _ = damaged()
      }
      return false
    }
    pulledCount += count
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(count)
    return true
  }

  private func damaged() -> Int {
    if damagedAt == nil { damagedAt = pulledCount - Int(stream.pointee.avail_in) }
    return -1
  }

  /// Reads the packed file to its end without unpacking it.
  /// - Returns: its bytes in all; `nil` where the source failed.
  func countRest() -> Int? {
    while !hasFailed {
      let count = pull(input)
      if count == 0 { return pulledCount }
      guard count > 0, count <= input.count else { return nil }
      pulledCount += count
    }
    return nil
  }
}
