import RollcallCapture
import RollcallCaptureSupport
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallRunning
import Testing

/// What `rollcall replay --datagrams` shows, line for line, against tshark's list of every UDP datagram.
@Suite("Replayed datagrams against tshark")
struct ReplayDatagramTests {
  /// Files where tshark's list is not the truth, each with the reason.
  static let notClaimed: [String: String] = [
    "snoop.snoop": "Solaris' own format, which libpcap does not read either; the error names it and how to convert it",
    "dsa-284.pcap": "tshark 4.0 refuses link type 284; libpcap gives the same eight frames, none of them UDP",
    "fuzz-cf-36387328.pcap": "pcap 2.3 with its lengths swapped: whole for libpcap, cut for tshark",
    "ipv6-fragmented-mdns.pcap":
      "tshark's field holds what lies behind the UDP length; its own text and the checksum say 729 bytes, not 733",
  ]
  /// GTP-U and VXLAN: the list leaves out frames with more than one UDP layer and those with ICMP inside.
  static let tunnelPorts: Set<UInt16> = [2152, 4789]

  @Test(
    "replay shows every datagram and the number of frames that tshark found",
    arguments: ["ssdp", "formats", "linktypes", "malformed", "mdns"])
  func agreement(folder: String) throws {
    let captures = CaptureFolder.captures(in: folder, for: "replayed datagrams of \(folder) against tshark")
    if CaptureFolder.url == nil { return }
    var (files, datagrams) = (0, 0)
    for capture in captures {
      let name = capture.lastPathComponent
      let truth = try String(contentsOf: capture.appendingPathExtension("udp.tsv"), encoding: .utf8)
        .split(separator: "\n").map(String.init)
      let difference = difference(capture, truth)
      if let reason = Self.notClaimed[name] {
        CaptureFolder.notClaimed(capture)
        #expect(difference != nil, "\(name) is listed as not claimed (\(reason)), but agrees now")
        continue
      }
      expectEqual(difference, nil, "\(name)")
      CaptureFolder.checked(capture)
      CaptureFolder.compared(capture, datagrams: truth.count - 1)
      files += 1
      datagrams += truth.count - 1
    }
    print("replayed datagrams over \(folder): \(files) files, \(datagrams) datagrams equal")
    #expect(files > 0 && datagrams > 0, "nothing was compared")
  }

  /// What differs first, if anything.
  private func difference(_ capture: URL, _ truth: [String]) -> String? {
    let expected = truth.dropFirst().map(line)
    let frames = Int(truth[0].dropFirst(2).prefix { $0.isNumber }) ?? -1
    let known = Set(expected)
    var found: [String] = []
    do throws(CaptureError) {
      var reader = try CaptureReader(path: capture.path)
      var replay = Replay(options: ReplayOptions(wantsDatagrams: true, wantsMessages: false)) { event in
        guard case .datagram(_, let datagram) = event else { return }
        let isInTunnel = Self.tunnelPorts.contains(datagram.destination.port)
        let line = Self.withoutLinkType(ReplayLines.json(event, capture: ""))
        if !isInTunnel || known.contains(line) { found.append(line) }
      }
      replay.run(&reader)
      if replay.summary.frames != frames { return "\(replay.summary.frames) frames, tshark \(frames)" }
    } catch {
      return frames == 0 ? nil : "\(error)"
    }
    for (found, wanted) in zip(found, expected) where found != wanted { return "found \(found), tshark \(wanted)" }
    return found.count == expected.count ? nil : "\(found.count) datagrams, tshark \(expected.count)"
  }

  /// A row of the list as the line that has to come out, but for the link type, which the list does not tell.
  private func line(_ row: String) -> String {
    let cells = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    func endpoint(_ address: String, _ port: String) -> String {
      address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
    return
      #"{"kind":"datagram","frame":\#(cells[0]),"time":"\#(cells[1])","source":"\#(endpoint(cells[2], cells[3]))","#
      + #""destination":"\#(endpoint(cells[4], cells[5]))","length":\#(cells[6]),"sha256":"\#(cells[7])"}"#
  }

  private static func withoutLinkType(_ line: String) -> String {
    line.replacing(#""schema":"rollcall/1","#, with: "").replacing(/"linkType":[0-9]+,/, with: "")
  }
}
