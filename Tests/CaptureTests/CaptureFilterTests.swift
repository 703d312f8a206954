import RollcallCapture
import RollcallCaptureSupport
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Filters") struct CaptureFilterTests {
  static let expressions = [
    "udp port 1900", "host 239.255.255.250", "ip6", "ip and not udp", "ether multicast", "greater 400",
    "udp[8:4] = 0x4e4f5449", "net 192.168.0.0/16 and udp",
  ]

  @Test("programs run on our frames let through what libpcap lets through", arguments: ["ssdp", "linktypes", "mdns"])
  func agreement(folder: String) throws {
    let captures = CaptureFolder.captures(in: folder, for: "filters of \(folder) against libpcap")
    if CaptureFolder.url == nil { return }
    let filters = try Self.expressions.map { try CaptureFilter($0) }
    var (files, passed, asked, refused) = (0, 0, 0, 0)
    for file in captures {
      files += 1
      for filter in filters {
        let oracle = try? PcapOracle(path: file.path, filter: filter)
        let programs = CapturePrograms(filter)
        var reader = try CaptureReader(path: file.path)
        var frame = CaptureFrame()
        var seen: [OracleFrame] = []
        do throws(CaptureFilterError) {
          while reader.next(&frame) {
            asked += 1
            guard try programs.accepts(frame) else { continue }
            seen.append(
              OracleFrame(time: frame.time, capturedCount: frame.capturedCount, originalCount: frame.originalCount))
          }
        } catch {
          #expect(oracle == nil, "\(file.lastPathComponent): only ours is refused: \(error)")
          refused += 1
          continue
        }
        guard let oracle else {
          Issue.record("\(file.lastPathComponent): only libpcap refuses '\(filter.expression)'")
          continue
        }
        expectEqual(seen, oracle.frames, "\(file.lastPathComponent) by '\(filter.expression)'")
        passed += seen.count
      }
    }
    print(
      "filters compared with libpcap over \(folder): \(files) files, \(filters.count) filters, \(passed) of \(asked) "
        + "frames passed, \(refused) times both refused")
    #expect(files >= 10 && passed > 0 && passed < asked)
  }

  @Test("a wrong expression is refused with libpcap's words")
  func wrongExpression() throws {
    #expect(
      throws: CaptureFilterError.wrongExpression("udp prot 1900", why: "can't parse filter expression: syntax error")
    ) { try CaptureFilter("udp prot 1900") }
    do throws(CaptureFilterError) {
      _ = try CaptureFilter("host 1.2.3.4.5")
      Issue.record("an address of five parts was taken")
    } catch {
      #expect("\(error)".hasPrefix("the filter 'host 1.2.3.4.5' is wrong: "))
    }
    // Some expressions fit only one link layer, and an empty one lets everything through.
    for right in ["", "wlan type data", "ether host 02:00:00:00:00:01", "inbound"] {
      #expect(throws: Never.self) { try CaptureFilter(right) }
    }
  }

  @Test("a link layer that libpcap cannot filter is named, and others in the same file are filtered")
  func linkTypes() throws {
    let programs = CapturePrograms(try CaptureFilter("udp"))
    var frame = CaptureFrame()
    let bytes = FrameWriterSample.udp4 + [UInt8](repeating: 0, count: 64)
    try bytes.withUnsafeBytes { buffer in
      frame.bytes = try #require(buffer.baseAddress)
      frame.capturedCount = FrameWriterSample.udp4.count
      frame.originalCount = frame.capturedCount
      for _ in 0..<2 {
        frame.linkType = LinkType.ethernet
        #expect(try programs.accepts(frame))
        frame.linkType = 253
        #expect {
          try programs.accepts(frame)
        } throws: { error in
          guard case .linkType(253, "udp", let why)? = error as? CaptureFilterError else { return false }
          return "\(error)" == "libpcap cannot filter link type 253 (netlink) by 'udp': \(why)" && !why.isEmpty
        }
      }
    }
  }

  @Test("frames of several link layers and byte orders in turn are each filtered as what they are")
  func mixed() throws {
    let packet = Array(FrameWriterSample.udp4[14...])
    let six = LinkLayerTests.samples.first { Encapsulation.isV6($0.bytes) }!.bytes
    let programs = CapturePrograms(try CaptureFilter("ip6"))
    func passed(_ sample: PcapSample, _ frames: [[UInt8]]) throws -> [Int] {
      var reader = try CaptureReader(
        pull: source(sample.header + frames.flatMap { sample.record(1, 0, $0) }))
      var frame = CaptureFrame()
      var numbers: [Int] = []
      while reader.next(&frame) {
        if try programs.accepts(frame) { numbers.append(frame.number) }
      }
      return numbers
    }
    for _ in 0..<2 {
      try expectEqual(passed(PcapSample(linkType: 101), [six, packet]), [1])
      try expectEqual(passed(PcapSample(linkType: 0), [[24, 0, 0, 0] + six, [30, 0, 0, 0] + six]), [1, 2])
      let big = PcapSample(bigEndian: true, linkType: 0)
      try expectEqual(passed(big, [[0, 0, 0, 24] + six, [0, 0, 0, 28] + six, [0, 0, 0, 2] + packet]), [1, 2])
      try expectEqual(passed(PcapSample(linkType: 108), [[0, 0, 0, 30] + six]), [1])
    }
  }
}
