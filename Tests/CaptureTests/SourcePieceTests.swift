import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing

/// A source that gives its bytes piece by piece, and remembers how it was asked.
private final class Pieces {
  private let pieces: [[UInt8]]
  /// What it answers behind its last piece, by the room that there is; then 0.
  private var behind: [(Int) -> Int]
  private var piece = 0
  private var offset = 0
  /// The room that it got at each call, and how much it had given before.
  private(set) var asked: [(room: Int, given: Int)] = []
  private var given = 0

  init(_ pieces: [[UInt8]], behind: [(Int) -> Int] = []) { (self.pieces, self.behind) = (pieces, behind) }

  func pull(_ room: UnsafeMutableRawBufferPointer) -> Int {
    asked.append((room.count, given))
    if piece == pieces.count { return behind.isEmpty ? 0 : behind.removeFirst()(room.count) }
    let count = min(room.count, pieces[piece].count - offset)
    room.copyBytes(from: pieces[piece][offset..<(offset + count)])
    (offset, given) = (offset + count, given + count)
    if offset == pieces[piece].count { (piece, offset) = (piece + 1, 0) }
    return count
  }
}

/// Everything that a reader makes of a source.
private struct Reading: Equatable {
  var frames: [KeptFrame] = []
  var damage: CaptureDamage?
  var error: CaptureError?

  init(_ pieces: Pieces, chunkBytes: Int = 4_096) {
    do throws(CaptureError) {
      var reader = try CaptureReader(chunkBytes: chunkBytes, pull: pieces.pull)
      var frame = CaptureFrame()
      while reader.next(&frame) { frames.append(KeptFrame(frame)) }
      damage = reader.damage
    } catch {
      self.error = error
    }
  }
}

@Suite("Sources in pieces") struct SourcePieceTests {
  private static let ng = PcapngSample()
  private static let good = ng.section() + ng.interface() + ng.enhanced(0, 1, [1])
  private static let pcap: [UInt8] = {
    let sample = PcapSample()
    return sample.header + sample.record(1, 2, [1, 2, 3]) + sample.record(3, 4, []) + sample.record(5, 6, [4, 5, 6, 7])
  }()
  private static let pcapng: [UInt8] = {
    let name = ng.option(2, "e")
    let blocks = [
      ng.section(), ng.interface(1, name), ng.enhanced(0, 1, [1, 2]), ng.block(0x99, [1, 2, 3]), ng.simple([3]),
    ]
    return Array(blocks.joined()) + ng.enhanced(0, 2, [4, 5, 6], ng.option(1, "c"))
  }()

  @Test("a file in two pieces, cut or not, reads as in one, wherever the second piece begins")
  func twoPieces() {
    let files = [Self.pcap, Self.pcapng, Array(Self.pcap.dropLast()), Array(Self.pcapng.dropLast())]
    for whole in files {
      let expected = Reading(Pieces([whole]))
      #expect(expected.frames.count >= 2 && expected.error == nil)
      for place in 1..<whole.count {
        let found = Reading(Pieces([Array(whole[..<place]), Array(whole[place...])]))
        expectEqual(found, expected, "\(place)")
      }
    }
  }

  @Test("a block that nobody reads and that fits no buffer is passed over in pieces of any size")
  func passedOver() {
    let block = Self.ng.block(0x4711, [UInt8](repeating: 3, count: 262_200))
    let whole = Self.good + block + Self.ng.enhanced(0, 2, [2, 2])
    for rest in 0...9 {
      for step in 1...5 {
        let start = Self.good.count + block.count - rest
        let steps = stride(from: start, to: whole.count, by: step).map {
          Array(whole[$0..<min($0 + step, whole.count)])
        }
        let found = Reading(Pieces([Array(whole[..<start])] + steps))
        expectEqual(found.frames.map(\.bytes), [[1], [2, 2]], "\(rest), \(step)")
        #expect(found.damage == nil && found.error == nil, "\(rest), \(step)")
      }
    }
    // Up to 256 KiB such a block is looked at when it is not whole, and no further.
    for (total, isLookedAt) in [(262_144, true), (262_148, false)] {
      let cut = Self.good + Self.ng.block(0x4711, [UInt8](repeating: 3, count: total - 12)).dropLast()
      let problem = CaptureProblem(.cutShort, byteOffset: Self.good.count, frame: 2)
      let expected = CaptureDamage(
        problem: problem, frames: 1, readBytes: Self.good.count, totalBytes: cut.count, isBeforeEnd: !isLookedAt)
      expectEqual(Reading(Pieces([cut])).damage, expected, "\(total)")
    }
  }

  @Test("a frame is given as soon as its bytes are there: the source is not asked for more before")
  func asSoonAsThere() throws {
    let sample = PcapSample()
    let pieces = Pieces([
      sample.header + sample.record(1, 0, []), sample.record(2, 0, []), sample.record(3, 0, [7, 8, 9]),
    ])
    var reader = try CaptureReader(pull: pieces.pull)
    var frame = CaptureFrame()
    var calls = [pieces.asked.count]
    while reader.next(&frame) { calls.append(pieces.asked.count) }
    #expect(calls == [1, 1, 2, 3] && pieces.asked.count == 4)
  }

  @Test("at its end and at damage a reader stays, and says nothing else when it is asked again")
  func over() throws {
    let sample = PcapSample()
    let words: [UInt32] = [2, 0, 0x7FFF_FFFF, 0x7FFF_FFFF]
    let wild = words.flatMap(sample.word)
    let filler = [UInt8](repeating: 0, count: 20_000)
    let files: [[UInt8]] = [
      Self.pcap, Self.pcapng, Array(Self.pcap.dropLast()), Array(Self.pcapng.dropLast()), Self.pcap + wild + filler,
      Self.pcapng + Self.ng.enhanced(9, 1, [1]) + filler,
    ]
    for (index, file) in files.enumerated() {
      var reader = try CaptureReader(chunkBytes: 4_096, pull: source(file))
      var frame = CaptureFrame()
      while reader.next(&frame) {}
      let (damage, count) = (reader.damage, reader.frameCount)
      for _ in 0..<3 {
        let isMore = reader.next(&frame)
        let (again, countAgain) = (reader.damage, reader.frameCount)
        #expect(!isMore && again == damage && countAgain == count, "file \(index)")
      }
      expectEqual((damage == nil), (index < 2), "file \(index)")
    }
  }

  @Test("the buffer grows with what has come, to twice its size each time, whatever a length claims")
  func growth() {
    let claim = Self.ng.number(UInt32(6)) + Self.ng.number(UInt32(200 << 20))
    let bytes = Self.good + claim + [UInt8](repeating: 0, count: 60_000)
    let pieces = Pieces([bytes])
    let found = Reading(pieces)
    #expect(found.frames.count == 1 && found.damage?.problem.what == .cutShort)
    expectEqual(found.damage?.totalBytes, bytes.count)
    #expect(pieces.asked.allSatisfy { $0.room <= max(4_096, $0.given) } && pieces.asked.count <= 12)
  }

  @Test("the bytes behind damage are counted however they come; where the source fails there, nobody knows how many")
  func countedRest() {
    let sample = PcapSample()
    let words: [UInt32] = [2, 0, 0x7FFF_FFFF, 0x7FFF_FFFF]
    let wild = words.flatMap(sample.word)
    let good = sample.header + sample.record(1, 0, [5])
    let bytes = good + wild + [UInt8](repeating: 0, count: 10_000)
    let problem = CaptureProblem(.wildLength, byteOffset: good.count, frame: 2, value: 0x7FFF_FFFF)
    func check(_ name: String, _ pieces: Pieces, _ total: Int?) {
      let expected = CaptureDamage(
        problem: problem, frames: 1, readBytes: good.count, totalBytes: total, isBeforeEnd: true)
      expectEqual(Reading(pieces).damage, expected, "\(name)")
    }
    check("as much as there is room for", Pieces([bytes]), bytes.count)
    for step in [1, 3] {
      let steps = stride(from: 0, to: bytes.count, by: step).map { Array(bytes[$0..<min($0 + step, bytes.count)]) }
      check("\(step) at a time", Pieces(steps), bytes.count)
    }
    check("a failure", Pieces([bytes], behind: [{ _ in -1 }]), nil)
    check("more than there was room for", Pieces([bytes], behind: [{ $0 + 1 }]), nil)
  }

  @Test("a source that claims more than there was room for has failed, in the middle of a record, too")
  func claims() {
    for more in [0, 5, 15] {
      let bytes = Self.pcap + [UInt8](repeating: 0, count: more)
      let problem = CaptureProblem(.readFailure, byteOffset: Self.pcap.count, frame: 4)
      let expected = CaptureDamage(
        problem: problem, frames: 3, readBytes: Self.pcap.count, totalBytes: nil, isBeforeEnd: true)
      let found = Reading(Pieces([bytes], behind: [{ $0 + 1 }]))
      #expect(found.frames.count == 3 && found.damage == expected, "\(more)")
    }
  }

  /// A gzip file of a stored block that is not the last, around `content`, and what is behind it.
  private static func stored(_ content: [UInt8], _ behind: [UInt8]) -> [UInt8] {
    let (low, high) = (UInt8(content.count & 0xFF), UInt8(content.count >> 8))
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0, low, high, ~low, ~high] + content + behind
  }

  @Test("the packed bytes behind damage are counted however they come; a failure that does not last is one, too")
  func packedRest() throws {
    let bytes = Self.stored(Self.pcap, [7] + [UInt8](repeating: 0xAA, count: 140_000))
    let start = Self.stored(Self.pcap, []).count + 50
    let single = bytes[start..<(start + 300)].map { [$0] }
    let ways = [Pieces([bytes]), Pieces([Array(bytes[..<start])] + single + [Array(bytes[(start + 300)...])])]
    for (index, way) in ways.enumerated() {
      let found = Reading(way)
      let damage = try #require(found.damage)
      #expect(found.frames.count == 3 && damage.frames == 3 && damage.isBeforeEnd, "\(index)")
      #expect(damage.problem.what == .brokenGzip && damage.problem.frame == 4, "\(index)")
      #expect(damage.readBytes == damage.problem.byteOffset && damage.totalBytes == bytes.count, "\(index)")
    }
    let whole = Self.stored(Self.pcap, [])
    let problem = CaptureProblem(.brokenGzip, byteOffset: whole.count, frame: 4)
    let expected = CaptureDamage(
      problem: problem, frames: 3, readBytes: whole.count, totalBytes: nil, isBeforeEnd: true)
    expectEqual(Reading(Pieces([whole], behind: [{ _ in -1 }])).damage, expected)
  }

  @Test("a packed file that is damaged right behind the header of pcap holds a capture without a frame")
  func packedHeader() {
    guard case .noFrame(let problem?)? = Reading(Pieces([Self.stored(PcapSample().header, [7])])).error else {
      Issue.record("the header was not read")
      return
    }
    #expect(problem.what == .brokenGzip && problem.frame == 1)
  }

  @Test("behind a member of gzip stands another one of gzip: what zlib wraps in its own header is damage")
  func otherMember() {
    // One stored byte, and the sum of Adler.
    let zlib: [UInt8] = [0x78, 0x01, 1, 1, 0, 0xFE, 0xFF, 0x41, 0, 0x42, 0, 0x42]
    let found = Reading(Pieces([gzip(Self.pcap) + zlib]))
    #expect(found.frames.count == 3 && found.error == nil)
    #expect(found.damage?.problem.what == .brokenGzip && found.damage?.isBeforeEnd == true)
  }
}
