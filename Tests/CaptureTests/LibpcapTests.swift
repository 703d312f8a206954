import RollcallCapture
import RollcallCaptureSupport
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Reader against libpcap") struct LibpcapTests {
  /// What libpcap cannot give, and why: these files are not compared.
  static let refusedByLibpcap = [
    "pcapng-eth-and-sll.pcapng", "pcapng-test004-be.pcapng", "pcapng-test004-le.pcapng", "pcapng-test008-be.pcapng",
    "pcapng-test008-le.pcapng", "pcapng-test100-be.pcapng", "pcapng-test100-le.pcapng", "pcapng-test200-be.pcapng",
    "pcapng-test202-be.pcapng", "pcapng-too-many-interfaces.pcapng",  // several link types or snap lengths
    "pcapng-gz.pcapng.gz", "snoop.snoop",  // gzip, and no pcap at all
  ]

  /// Where libpcap gives less of a frame, or another time, than the file holds: files of `ble`.
  static let adjusted: Set<String> = [
    "fuzz-ble-rf.pcap", "hackrf-20-channels-rf.pcap", "numeric-pin-ppi.pcap",
  ]
  static let damaged = ["fuzz-ble-rf.pcap"]

  @Test(
    "reader and libpcap agree on every frame of every file",
    arguments: CaptureFolder.subfolders.filter { $0 != "malformed" })
  func frames(folder: String) throws {
    let captures = CaptureFolder.captures(in: folder, for: "frames of \(folder) against libpcap")
    if CaptureFolder.url == nil { return }
    var (files, frames) = (0, 0)
    var adjusted: Set<String> = []
    for file in captures where !Self.refusedByLibpcap.contains(file.lastPathComponent) {
      let oracle = try PcapOracle(path: file.path)
      var reader = try CaptureReader(path: file.path)
      var frame = CaptureFrame()
      var seen: [OracleFrame] = []
      while reader.next(&frame) {
        // The API knows one number for raw IP, files have three.
        let linkType = [12, 14].contains(frame.linkType) ? LinkType.raw : frame.linkType
        if linkType != oracle.linkType { Issue.record("\(file.lastPathComponent): link type \(linkType)") }
        var here = OracleFrame(
          time: frame.time, capturedCount: frame.capturedCount, originalCount: frame.originalCount)
        // libpcap keeps no more than the snap length of the file's header, and takes microseconds for signed.
        let snapLength = Int(reader.interfaces[frame.interface].snapLength)
        if snapLength > 0, here.capturedCount > snapLength { here.capturedCount = snapLength }
        let microseconds = (here.time.nanoseconds - frame.seconds * 1_000_000_000) / 1_000
        if microseconds > Int64(Int32.max) { here.time += .microseconds(-(1 << 32)) }
        if here.capturedCount != frame.capturedCount || here.time != frame.time {
          adjusted.insert(file.lastPathComponent)
        }
        seen.append(here)
      }
      expectEqual((oracle.failure == nil), (reader.problem == nil), "\(file.lastPathComponent)")
      #expect(reader.problem == nil || Self.damaged.contains(file.lastPathComponent), "\(file.lastPathComponent)")
      expectEqual(seen.count, oracle.frames.count, "\(file.lastPathComponent)")
      if let index = zip(seen, oracle.frames).enumerated().first(where: { $0.1.0 != $0.1.1 })?.offset {
        Issue.record("\(file.lastPathComponent) frame \(index + 1): \(seen[index]), libpcap \(oracle.frames[index])")
      }
      CaptureFolder.checked(file)
      files += 1
      frames += seen.count
    }
    print("libpcap and the reader compared over \(folder): \(files) files, \(frames) frames")
    #expect(files > 0 && frames > 0, "nothing was compared")
    expectEqual(adjusted, (folder == "ble" ? Self.adjusted : []))
  }

  @Test("where a file is damaged, reader and libpcap stop at the same frame")
  func damage() throws {
    let captures = CaptureFolder.captures(in: "malformed", for: "frames of malformed against libpcap")
    if CaptureFolder.url == nil { return }
    // Numbers above 65 535 are no link types: the reader refuses what libpcap opens and then cannot use.
    let refused = ["fuzz-cf-70809344.pcap", "linktype-reserved-bits.pcap"]
    var (files, damaged) = (0, 0)
    for file in captures {
      let name = file.lastPathComponent
      guard !refused.contains(name), let oracle = try? PcapOracle(path: file.path) else { continue }
      var (count, problem) = (0, CaptureProblem?.none)
      do throws(CaptureError) {
        var reader = try CaptureReader(path: file.path)
        var frame = CaptureFrame()
        while reader.next(&frame) { count += 1 }
        problem = reader.problem
      } catch {
        if case .noFrame(let why) = error { problem = why } else { Issue.record("\(name): \(error)") }
      }
      expectEqual(count, oracle.frames.count, "\(name)")
      expectEqual((problem == nil), (oracle.failure == nil), "\(name): \(problem?.description ?? "sound")")
      files += 1
      damaged += problem == nil ? 0 : 1
    }
    print("libpcap and the reader compared over malformed: \(files) files, \(damaged) of them damaged")
    #expect(files > 0 && damaged > 0)
  }

  @Test("libpcap's refusal of a file comes with its words")
  func refusal() {
    #expect(throws: CaptureError.self) { try PcapOracle(path: "/nonexistent/file.pcap") }
  }
}
