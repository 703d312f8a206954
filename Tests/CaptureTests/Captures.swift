import Foundation
import RollcallPrimitives
import Testing

import RollcallCapture

/// A source of bytes that hands out at most `step` bytes at a time.
func source(_ bytes: [UInt8], step: Int = .max) -> (UnsafeMutableRawBufferPointer) -> Int {
  var offset = 0
  return { buffer in
    let count = min(step, buffer.count, bytes.count - offset)
    buffer.copyBytes(from: bytes[offset..<(offset + count)])
    offset += count
    return count
  }
}

/// A frame, copied out of the reader.
struct KeptFrame: Equatable {
  var number: Int
  var time: String
  var nanoseconds: Int64
  var linkType: UInt32
  var interface: Int
  var bytes: [UInt8]
  var originalCount: Int
  var comments: [String]

  init(_ frame: CaptureFrame) {
    number = frame.number
    time = frame.timeText
    nanoseconds = frame.time.nanoseconds
    linkType = frame.linkType
    interface = frame.interface
    bytes = Array(frame.content)
    originalCount = frame.originalCount
    comments = frame.comments
  }
}

/// Everything that a reader makes of some bytes.
struct KeptCapture: Equatable {
  var frames: [KeptFrame] = []
  var problem: CaptureProblem?
  var error: CaptureError?
  var interfaces: [CaptureInterface] = []
  var sections: [CaptureSection] = []
  var names: [CaptureName] = []

  init(_ bytes: [UInt8], step: Int = .max, chunkBytes: Int = CaptureReader.chunkBytes) {
    do throws(CaptureError) {
      var reader = try CaptureReader(chunkBytes: chunkBytes, pull: source(bytes, step: step))
      var frame = CaptureFrame()
      while reader.next(&frame) { frames.append(KeptFrame(frame)) }
      problem = reader.problem
      interfaces = reader.interfaces
      sections = reader.sections
      names = reader.names
    } catch {
      self.error = error
    }
  }
}
