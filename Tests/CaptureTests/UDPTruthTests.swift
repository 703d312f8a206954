import Capture
import Foundation
import Primitives
import Testing

@Suite("Datagrams against tshark") struct UDPTruthTests {
  /// Files of the other folders that are not claimed, with the reason.
  static let notClaimed: [String: String] = [
    "pcapng-gz.pcapng.gz": "gzip", "snoop.snoop": "snoop format", "arcnet-7.pcap": "ARCNET",
    "dsa-284.pcap": "tshark 4.0 refuses link type 284; libpcap gives the same eight frames",
    "gre-vlan-v6-v4-ppp-dns.pcap": "GRE", "nflog-239-dns.pcap": "NFLOG", "pktap-258.pcap": "PKTAP",
    "user2-149-pktap.pcap": "PKTAP", "ppi-192-wlan-dns.pcap": "PPI", "ppp-9-udp.pcap": "PPP", "pppoe.pcap": "PPPoE",
    "radiotap-127-mdns.pcap": "802.11", "wlan-105-mdns.pcap": "802.11",
    "fuzz-cf-36387328.pcap": "pcap 2.3 with its lengths swapped: whole for libpcap, cut for tshark",
    "pbb-recursive.pcapng": "802.1ah",
  ]

  /// GTP-U and VXLAN: the truth leaves out frames with more than one UDP layer and those with ICMP inside.
  static let tunnelPorts: Set<UInt16> = [2152, 4789]

  @Test(
    "every UDP datagram of every capture is found, with its frame, time, endpoints and payload",
    arguments: ["ssdp", "formats", "linktypes", "malformed"])
  func agreement(folder: String) throws {
    if Captures.isAbsent("datagram comparison of \(folder)") { return }
    var (files, datagrams, unclaimed) = (0, 0, 0)
    for file in Captures.files(in: folder) {
      let name = file.lastPathComponent
      guard let truth = try? String(contentsOf: file.appendingPathExtension("udp.tsv"), encoding: .utf8) else {
        Issue.record("\(name) has no truth beside it")
        continue
      }
      if let reason = Self.notClaimed[name] {
        unclaimed += 1
        #expect(differences(file, truth) != nil, "\(name) is listed as not claimed (\(reason)), but agrees now")
        continue
      }
      if let difference = differences(file, truth) { Issue.record("\(name): \(difference)") }
      files += 1
      datagrams += truth.split(separator: "\n").count - 1
    }
    print(
      "tshark and the extractor compared over \(folder): \(files) files, \(datagrams) datagrams, \(unclaimed) not claimed"
    )
    #expect(files > 0 && datagrams > 0, "nothing was compared")
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
