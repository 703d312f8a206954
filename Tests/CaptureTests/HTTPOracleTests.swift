import Foundation
import RollcallCapture
import RollcallCaptureSupport
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("HTTP of captures against tshark") struct HTTPOracleTests {
  /// Responses that the two see differently, with the reason.
  static let differing: [String: String] = [
    "iot-hue-switch-a3.pcap": "405: the last byte comes behind the end, which tshark takes for a retransmission",
    "iot-hue-switch-c5.pcap": "160: the last byte comes behind the end, which tshark takes for a retransmission",
    "ipv6-msearch-many-protocols.pcap":
      "a blank behind a field's name, which the reader refuses (RFC 9112, section 5.1)",
    "vbox-host-search.pcap": "30 and 45: an answer to bytes behind a request that are no request",
  ]

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func responses(_ file: URL) throws -> [String] {
    var reader = try CaptureReader(path: file.path)
    var extractor = DatagramExtractor(readsSegments: true)
    var exchanges = HTTPExchanges()
    var (frame, datagram) = (CaptureFrame(), ExtractedDatagram())
    var lines: [String] = []
    while reader.next(&frame) {
      if extractor.extract(frame, into: &datagram) { continue }
      guard let segment = extractor.segment else { continue }
      for one in exchanges.take(segment, frame: frame.number) where one.problem == nil {
        lines.append("\(one.responseFrame) \(one.head.status) \(one.body.count)")
      }
    }
    return lines
  }

  private func tshark(_ file: URL) throws -> [String]? {
    try Tshark.ask(
      file,
      [
        "-n", "-o", "tcp.reassemble_out_of_order:TRUE", "-o", "http.decompress_body:FALSE", "-d",
        "tcp.port==49152,http", "-Y", "http.response and tcp", "-T", "fields", "-E", "separator=|", "-E",
        "occurrence=a", "-e", "frame.number", "-e", "http.response.code", "-e", "http.content_length",
      ], for: "HTTP of captures")?.lines
  }

  @Test("every response is found, in the frame that completes it, with its status")
  func agreement() throws {
    var files: [URL] = []
    for folder in ["ssdp", "upnp-http"] { files += CaptureFolder.captures(in: folder, for: "HTTP of \(folder)") }
    let own = ["miniupnpd-ipv6", "miniupnpd-upnpc-and-byebye", "minissdpd-cache-and-answers"]
    files += own.map { HTTPOracleTests.root.appendingPathComponent("Captures/\($0)/capture.pcapng") }
    var count = 0
    for file in files {
      let found = try responses(file)
      guard let responses = try tshark(file) else { return }
      let expected = responses.flatMap { line -> [String] in
        let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        // An interim answer is a part of the one behind it.
        return cells[1].split(separator: ",").filter { $0 != "100" }.map { "\(cells[0]) \($0)" }
      }
      count += expected.count
      let short = found.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
      let name =
        file.lastPathComponent == "capture.pcapng"
        ? file.deletingLastPathComponent().lastPathComponent : file.lastPathComponent
      if let reason = HTTPOracleTests.differing[name] {
        #expect(short.sorted() != expected.sorted(), "\(name) is listed as different (\(reason)), but agrees now")
      } else {
        let missing = expected.filter { !short.contains($0) }
        let more = short.filter { !expected.contains($0) }
        #expect(
          missing.isEmpty && more.isEmpty,
          "\(name): tshark alone \(missing.prefix(8)), we alone \(more.prefix(8)) of \(expected.count)")
      }
    }
    print("tshark and we compared: \(files.count) files, \(count) HTTP responses")
    #expect(count > 0)
  }
}
