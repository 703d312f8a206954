// outside: a file in memory (fmemopen), and nothing on the disk.
#if Pcap
  internal import RollcallPcap

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #elseif canImport(Darwin)
    internal import Darwin
  #endif

  /// One compiled program, which libpcap owns.
  final class BPFProgram {
    private var program = bpf_program()

    /// - Parameter isSwapped: whether the file is big-endian. BSD's loopback header is in
    ///   the file's order, and its address families depend on the system: libpcap allows for both only where it knows
    ///   that frames come from a file. So it is given one, of a header and nothing else.
    init(_ expression: String, linkType: UInt32, isSwapped: Bool) throws(CaptureFilterError) {
      let words: [UInt32] = [0xA1B2_C3D4, 0x0004_0002, 0, 0, 256 << 10, linkType]
      var header = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
      if isSwapped {
        header = stride(from: 0, to: 24, by: 4).flatMap { header[$0..<($0 + 4)].reversed() }
        // The second word is two numbers.
        header.replaceSubrange(4..<8, with: [0, 2, 0, 4])
      }
      var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
      let opened = header.withUnsafeMutableBytes { bytes -> OpaquePointer? in
        guard let file = fmemopen(bytes.baseAddress, bytes.count, "r") else { return nil }
        guard let handle = pcap_fopen_offline(file, &message) else {
          fclose(file)
          return nil
        }
        // libpcap has read the header by now; closing the handle does not touch the bytes.
        return handle
      }
      guard let handle = opened else {
        throw .linkType(linkType, expression: expression, why: DataLink.text(message))
      }
      defer { pcap_close(handle) }
      // A mask of all ones: unknown, so that `ip broadcast` is refused and not wrong.
      guard pcap_compile(handle, &program, expression, 1, 0xFFFF_FFFF) == 0 else {
        throw .linkType(linkType, expression: expression, why: DataLink.words(of: handle))
      }
    }

    deinit { pcap_freecode(&program) }

    func accepts(_ frame: CaptureFrame) -> Bool {
      var header = pcap_pkthdr()
      header.caplen = UInt32(clamping: frame.capturedCount)
      header.len = UInt32(clamping: frame.originalCount)
      return pcap_offline_filter(&program, &header, frame.bytes.assumingMemoryBound(to: UInt8.self)) != 0
    }
  }

  /// Where the numbers of libpcap's API (DLT_) differ from those of files (LINKTYPE_), by platform too.
  enum DataLink {
    static func linkType(of number: CInt) -> UInt32 {
      switch number {
      case CInt(DLT_RAW): LinkType.raw
      case CInt(DLT_LOOP): LinkType.loop
      default: UInt32(bitPattern: number)
      }
    }

    /// libpcap's words for what just failed.
    static func words(of handle: OpaquePointer) -> String {
      pcap_geterr(handle).map { String(cString: $0) } ?? "libpcap does not say why"
    }

    static func text(_ message: [CChar]) -> String {
      String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
#else
  /// Without libpcap there is no program.
  final class BPFProgram {
    init(_ expression: String, linkType: UInt32, isSwapped: Bool) throws(CaptureFilterError) { throw .notBuiltIn }

    func accepts(_ frame: CaptureFrame) -> Bool { false }
  }
#endif
