import RollcallCapture
import RollcallCaptureSupport
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Malformed captures") struct MalformedTests {
  /// What each damaged file gives before its damage, and the damage; no other file has any.
  static let damaged: [String: (frames: Int, problem: CaptureProblem)] = [
    "fuzz-cf-38309632.pcap": (1, CaptureProblem(.cutShort, byteOffset: 1_182, frame: 2)),
    "fuzz-cf-42269440.pcap": (2, CaptureProblem(.wildLength, byteOffset: 56, frame: 3, value: 411_435_009)),
    "fuzz-cf-46653440.pcap": (1, CaptureProblem(.wildLength, byteOffset: 295, frame: 2, value: 145_032_960)),
    "fuzz-cf-56461312.pcap": (2, CaptureProblem(.cutShort, byteOffset: 57, frame: 3)),
    "fuzz-cf-95939072.pcap": (1, CaptureProblem(.wildLength, byteOffset: 30_760, frame: 2, value: 16_095_754)),
    "fuzz-igmplayer.pcap": (2, CaptureProblem(.wildLength, byteOffset: 185, frame: 3, value: 172_716_570)),
    "fuzz-ns-cut.pcap": (1, CaptureProblem(.cutShort, byteOffset: 57, frame: 2)),
    "fuzz-null-cut.pcap": (1, CaptureProblem(.cutShort, byteOffset: 237, frame: 2)),
    "fuzz-pcapng-epb-unbounded.pcapng": (0, CaptureProblem(.wildLength, byteOffset: 48, frame: 1, value: 65_536)),
  ]
  /// Files of which nothing can be read.
  static let refused: Set<String> = [
    "empty-pcap.pcap", "empty-pcapng.pcapng", "fuzz-cf-70809344.pcap", "fuzz-pcapng-epb-unbounded.pcapng",
    "linktype-reserved-bits.pcap", "pcap-version-1.pcap", "pcapng-shb-option-too-long.pcapng",
    "pcapng-text-mangled-big-endian.pcapng", "pcapng-text-mangled-dhcp.pcapng",
    "pcapng-text-mangled-little-endian.pcapng",
  ]

  @Test("of every malformed file the frames before the damage are kept, and the damage is named with its byte")
  func folder() {
    let captures = CaptureFolder.captures(in: "malformed", for: "malformed captures")
    if CaptureFolder.url == nil { return }
    var (files, named) = (0, 0)
    for file in captures {
      let name = file.lastPathComponent
      let bytes = (try? Data(contentsOf: file)).map { [UInt8]($0) } ?? []
      let capture = KeptCapture(bytes)
      var problem = capture.problem
      if case .noFrame(let why)? = capture.error { problem = why }
      expectEqual(
        (capture.error != nil), Self.refused.contains(name), "\(name): \(capture.error?.description ?? "read")")
      expectEqual(problem, Self.damaged[name]?.problem, "\(name): \(problem?.description ?? "sound")")
      if let frames = Self.damaged[name]?.frames { expectEqual(capture.frames.count, frames, "\(name)") }
      // The same again in small pieces, and packed.
      expectEqual(KeptCapture(bytes, step: 100, chunkBytes: 4_096), capture, "\(name)")
      let packed = KeptCapture(gzip(bytes))
      #expect(packed.frames == capture.frames && packed.problem == capture.problem, "\(name) packed")
      CaptureFolder.checked(file)
      files += 1
      named += problem == nil ? 0 : 1
    }
    print("malformed captures: \(files) files, damage named in \(named), \(Self.refused.count) refused")
    #expect(files > 0 && named == Self.damaged.count)
  }
}
