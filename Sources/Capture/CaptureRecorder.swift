#if Pcap
  internal import RollcallPcap
  internal import RollcallPrimitives
#endif

/// Why nothing can be recorded; libpcap's words.
package enum CaptureRecorderError: Error, Hashable, Sendable {
  case noSuchInterface(String, why: String)
  case notPermitted(String, why: String)
  case failed(String, why: String)
}

extension CaptureRecorderError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noSuchInterface(let name, let why): "there is no interface \(name): \(why)"
    case .notPermitted(let name, let why):
      "capturing on \(name) needs root or the capability CAP_NET_RAW: \(why)"
    case .failed(let name, let why): "cannot capture on \(name): \(why)"
    }
  }
}

#if Pcap
  /// Records what an interface sends and hears, by libpcap, as pcapng.
  package final class CaptureRecorder {
    /// What became of a recording.
    package struct Tally: Hashable, Sendable {
      package var frames = 0
      /// Frames that came faster than they were read, as the kernel counts them.
      package var lostFrames = 0
    }

    /// How long the kernel may hold frames back, and how often the end is asked for: 0.1 s.
    package static let readTimeoutMilliseconds: CInt = 100
    static let bufferBytes: CInt = 16 << 20

    package let interface: String
    package let linkType: UInt32
    package let snapLength: Int
    private let filter: CaptureFilter?
    private let handle: OpaquePointer

    /// Opens the interface, which from now on is listened to.
    /// - Parameter snapLength: bytes kept of each frame.
    package init(
      interface: String, filter: CaptureFilter? = nil, snapLength: Int = 262_144, isPromiscuous: Bool = true
    ) throws(CaptureRecorderError) {
      (self.interface, self.filter) = (interface, filter)
      self.snapLength = max(1, min(snapLength, 262_144))
      var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
      guard let handle = pcap_create(interface, &message) else {
        throw .failed(interface, why: DataLink.text(message))
      }
      self.handle = handle
      pcap_set_snaplen(handle, CInt(self.snapLength))
      pcap_set_promisc(handle, isPromiscuous ? 1 : 0)
      pcap_set_timeout(handle, CaptureRecorder.readTimeoutMilliseconds)
      pcap_set_buffer_size(handle, CaptureRecorder.bufferBytes)
      pcap_set_tstamp_precision(handle, PCAP_TSTAMP_PRECISION_NANO)
      let status = pcap_activate(handle)
      linkType = status < 0 ? 0 : DataLink.linkType(of: pcap_datalink(handle))
      if status < 0 {
        let said = DataLink.words(of: handle)
        let why = said.isEmpty ? String(cString: pcap_statustostr(status)) : said
        switch status {
        case PCAP_ERROR_NO_SUCH_DEVICE: throw .noSuchInterface(interface, why: why)
        case PCAP_ERROR_PERM_DENIED: throw .notPermitted(interface, why: why)
        default: throw .failed(interface, why: why)
        }
      }
      // The timeout is no promise: on Linux a silent interface does not let a blocked reader go. So nobody blocks in
      // there, and the wait is our own.
      guard pcap_setnonblock(handle, 1, &message) == 0 else { throw .failed(interface, why: DataLink.text(message)) }
      guard let filter else { return }
      var program = bpf_program()
      defer { pcap_freecode(&program) }
      guard pcap_compile(handle, &program, filter.expression, 1, 0xFFFF_FFFF) == 0,
        pcap_setfilter(handle, &program) == 0
      else { throw .failed(interface, why: DataLink.words(of: handle)) }
    }

    deinit { pcap_close(handle) }

    /// Records until `frameCountMaximum` frames are written or `isOver` says so.
    ///
    /// What has come is handed to the sink at each pause, so that little is lost to a crash.
    /// - Parameter isOver: asked before each frame and at least every 0.1 s; a deadline, or a person at the keyboard.
    package func record(
      section: CaptureSection, frameCountMaximum: Int = .max, sink: @escaping CaptureWriter.Sink, isOver: () -> Bool
    ) throws(CaptureRecorderError) -> Tally {
      var writer = CaptureWriter(section: section, sink: sink)
      let number = writer.interface(
        name: interface, linkType: linkType, snapLength: UInt32(snapLength),
        comments: filter.map { ["filter: \($0.expression)"] } ?? [])
      // A device may give microseconds whatever was asked for.
      let nanosecondsPerTick: Int64 = pcap_get_tstamp_precision(handle) == PCAP_TSTAMP_PRECISION_NANO ? 1 : 1_000
      var tally = Tally()
      var header: UnsafeMutablePointer<pcap_pkthdr>?
      var bytes: UnsafePointer<UInt8>?
      writer.finish()
      while tally.frames < frameCountMaximum, !isOver() {
        let status = pcap_next_ex(handle, &header, &bytes)
        if status == 0 {
          writer.finish()
          CaptureFile.wait(
            for: pcap_get_selectable_fd(handle), milliseconds: CaptureRecorder.readTimeoutMilliseconds)
          continue
        }
        guard status == 1, let record = header?.pointee else {
          writer.finish()
          throw .failed(interface, why: DataLink.words(of: handle))
        }
        let fraction = Interval.nanoseconds(Int64(record.ts.tv_usec) * nanosecondsPerTick)
        let time = Instant.zero + .seconds(Int64(record.ts.tv_sec)) + fraction
        writer.frame(
          interface: number, time: time, UnsafeRawBufferPointer(start: bytes, count: Int(record.caplen)),
          originalCount: Int(record.len))
        tally.frames += 1
      }
      writer.finish()
      var statistics = pcap_stat()
      if pcap_stats(handle, &statistics) == 0 {
        tally.lostFrames = Int(statistics.ps_drop) + Int(statistics.ps_ifdrop)
      }
      return tally
    }
  }
#endif
