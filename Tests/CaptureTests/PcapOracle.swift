import RollcallPcap
import RollcallPrimitives

@testable import RollcallCapture

/// A frame as libpcap sees it.
struct OracleFrame: Hashable, Sendable {
  var time: Instant
  var capturedCount: Int
  var originalCount: Int
}

/// What libpcap makes of a capture file: the stranger that the reader must agree with.
struct PcapOracle: Sendable {
  var frames: [OracleFrame] = []
  /// A LINKTYPE_ number, as in the file.
  var linkType: UInt32
  /// libpcap's words, where it stopped before the end.
  var failure: String?

  /// Reads the whole file; `.unreadable` carries libpcap's words where it refuses it.
  /// - Parameter filter: what libpcap is to let through, by its own hand.
  init(path: String, filter: CaptureFilter? = nil) throws(CaptureError) {
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard
      let handle = pcap_open_offline_with_tstamp_precision(path, UInt32(PCAP_TSTAMP_PRECISION_NANO), &message)
    else { throw .unreadable(DataLink.text(message)) }
    defer { pcap_close(handle) }
    linkType = DataLink.linkType(of: pcap_datalink(handle))
    if let filter {
      var program = bpf_program()
      defer { pcap_freecode(&program) }
      guard pcap_compile(handle, &program, filter.expression, 1, 0xFFFF_FFFF) == 0,
        pcap_setfilter(handle, &program) == 0
      else { throw .unreadable(DataLink.words(of: handle)) }
    }
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var bytes: UnsafePointer<UInt8>?
    while true {
      let status = pcap_next_ex(handle, &header, &bytes)
      guard status == 1, let header else {
        // −2 is the end of the file.
        if status != -2 { failure = pcap_geterr(handle).map { String(cString: $0) } ?? "status \(status)" }
        return
      }
      let record = header.pointee
      // With nanosecond precision asked for, the field named microseconds holds nanoseconds.
      let time = Int64(record.ts.tv_sec) * 1_000_000_000 + Int64(record.ts.tv_usec)
      frames.append(
        OracleFrame(
          time: Instant(nanoseconds: time), capturedCount: Int(record.caplen), originalCount: Int(record.len)))
    }
  }
}
