import RollcallCapture
import RollcallCaptureSupport
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Datagrams against tshark") struct UDPTruthTests {
  /// Files of the other folders that are not claimed, with the reason.
  static let notClaimed: [String: String] = [
    "snoop.snoop": "Solaris' own format, which libpcap does not read either; the error names it and how to convert it",
    "dsa-284.pcap": "tshark 4.0 refuses link type 284; libpcap gives the same eight frames",
    "fuzz-cf-36387328.pcap": "pcap 2.3 with its lengths swapped: whole for libpcap, cut for tshark",
    "ipv6-fragmented-mdns.pcap":
      "tshark's field holds what lies behind the UDP length; its own text and the checksum say 729 bytes, not 733",
  ]

  /// GTP-U and VXLAN: the truth leaves out frames with more than one UDP layer and those with ICMP inside.
  static let tunnelPorts: Set<UInt16> = [2152, 4789]

  @Test(
    "every UDP datagram of every capture is found, with its frame, time, endpoints and payload",
    arguments: ["ssdp", "formats", "linktypes", "malformed", "mdns"])
  func agreement(folder: String) throws {
    let captures = CaptureFolder.captures(in: folder, for: "datagrams of \(folder) against tshark")
    if CaptureFolder.url == nil { return }
    var (files, datagrams, unclaimed) = (0, 0, 0)
    for file in captures {
      let name = file.lastPathComponent
      guard let truth = try? String(contentsOf: file.appendingPathExtension("udp.tsv"), encoding: .utf8) else {
        Issue.record("\(name) has no truth beside it")
        continue
      }
      if let reason = Self.notClaimed[name] {
        CaptureFolder.notClaimed(file)
        unclaimed += 1
        #expect(differences(file, truth) != nil, "\(name) is listed as not claimed (\(reason)), but agrees now")
        continue
      }
      if let difference = differences(file, truth) { Issue.record("\(name): \(difference)") }
      let count = truth.split(separator: "\n").count - 1
      CaptureFolder.checked(file)
      CaptureFolder.compared(file, datagrams: count)
      files += 1
      datagrams += count
    }
    print(
      "tshark and the extractor compared over \(folder): \(files) files, \(datagrams) datagrams, \(unclaimed) not claimed"
    )
    #expect(files > 0 && datagrams > 0, "nothing was compared")
  }

  @Test("of the file where tshark's field is too long, every datagram has the right checksum")
  func behindTheLength() throws {
    guard let file = CaptureFolder.capture("mdns/ipv6-fragmented-mdns.pcap", for: "checksums of reassembled datagrams")
    else { return }
    var reader = try CaptureReader(path: file.path)
    var extractor = DatagramExtractor()
    var (frame, datagram) = (CaptureFrame(), ExtractedDatagram())
    var found: [[Int]] = []
    while extractor.next(from: &reader, &frame, &datagram) {
      expectEqual(datagram.checksum, .good)
      found.append([frame.number, datagram.payload.count, datagram.fragmentCount])
    }
    expectEqual(found, [[7, 729, 7], [20, 1_440, 13], [29, 991, 9], [36, 774, 7]])
  }

  /// What differs first, if anything.
  func differences(_ file: URL, _ truth: String) -> String? {
    let lines = truth.split(separator: "\n").map(String.init)
    let expectedFrames = Int(lines[0].dropFirst(2).prefix { $0.isNumber }) ?? -1
    var (rows, frames) = ([String](), 0)
    let expected = Array(lines.dropFirst())
    let expectedRows = Set(expected)
    do throws(CaptureError) {
      var reader = try CaptureReader(path: file.path)
      var extractor = DatagramExtractor()
      var (frame, datagram) = (CaptureFrame(), ExtractedDatagram())
      while extractor.next(from: &reader, &frame, &datagram) {
        let row = [
          "\(frame.number)", frame.timeText, "\(datagram.source.address)", "\(datagram.source.port)",
          "\(datagram.destination.address)", "\(datagram.destination.port)", "\(datagram.payload.count)",
          SHA256.hex(of: datagram.payload),
        ].joined(separator: "\t")
        if Self.tunnelPorts.contains(datagram.destination.port), !expectedRows.contains(row) { continue }
        rows.append(row)
      }
      frames = reader.frameCount
    } catch {
      if expectedFrames > 0 { return "\(error)" }
    }
    if frames != expectedFrames { return "\(frames) frames, tshark \(expectedFrames)" }
    for (found, wanted) in zip(rows, expected) where found != wanted { return "found \(found), tshark \(wanted)" }
    return rows.count == expected.count ? nil : "\(rows.count) datagrams, tshark \(expected.count)"
  }
}
