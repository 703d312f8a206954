import Capture
import Conformance
import Foundation
import Harness
import Primitives
import Wire

/// Large captures through the whole engine, beside a libpcap loop that only counts the frames of the same file.
enum ReplayBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    let mixed = measure(
      "mixed", options.size(1_000_000_000, smoke: 100_000), discoveryPercent: 20, target: .atMost(1), options, report)
    let all = measure(
      "all SSDP", options.size(100_000_000, smoke: 100_000), discoveryPercent: 100, target: .atMost(3), options,
      report)
    return Proof.fold(mixed, all)
  }

  private static func measure(
    _ name: String, _ size: Int, discoveryPercent: UInt64, target: Target, _ options: Options, _ report: Report
  ) -> UInt64 {
    let path = NSTemporaryDirectory() + "rollcall-bench-\(ProcessInfo.processInfo.processIdentifier).pcapng"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let capture: (bytes: Int, frames: Int)
    do {
      capture = try CaptureMaker.write(path, byteCount: size, discoveryPercent: discoveryPercent)
    } catch {
      report.note("replay was left out: \(path) cannot be written: \(error)")
      return 0
    }
    var lines = 0
    var contenders = [
      Contender("engine", operations: capture.frames) { replay(path).digest.state },
      Contender("extraction", operations: capture.frames) { extract(path) },
      Contender("trace", operations: capture.frames) { trace(path, &lines) },
    ]
    let anchor = PcapLoop.open()
    if let anchor { contenders.append(Contender("pcap_loop", operations: capture.frames) { anchor.count(path) }) }
    contenders.append(Contender("judge", operations: capture.frames) { judge(path) })
    let contest = Contest(contenders, passes: options.passes(5))
    let summary = replay(path)
    report.note(
      "replay, \(name): \(capture.bytes / 1_000_000) MB pcapng, \(capture.frames) frames, "
        + "\(summary.messageCount) SSDP messages, \(summary.devicesEver) devices, \(summary.reports) reports")
    let (perFrame, extraction) = (contest.median(0), contest.median(1))
    let perMessage = (perFrame - extraction) * Double(capture.frames) / Double(max(1, summary.messageCount))
    report.note(
      "to find the datagrams takes \(Report.number(extraction)) ns a frame, an SSDP message "
        + "\(Report.number(perMessage)) ns more: a fifth of them are searches, a third answers")
    report.add(
      Figure(
        name: "replay (\(name)), a frame", value: perFrame, unit: "ns",
        anchor: anchor == nil ? nil : ("libpcap, pcap_loop that only counts", contest.median(3)),
        ratio: anchor == nil ? nil : contest.ratio(0, to: 3), target: anchor == nil ? nil : target))
    report.add(
      Figure(
        name: "the same, every report as a JSON line", value: contest.median(2), unit: "ns",
        anchor: ("without", perFrame), ratio: contest.ratio(2, to: 0), target: .atMost(1.15)))
    report.add(
      Figure(
        name: "judging the same, a frame", value: contest.median(contenders.count - 1), unit: "ns",
        anchor: ("its replay", perFrame), ratio: contest.ratio(contenders.count - 1, to: 0), target: .atMost(3)))
    report.add(
      Figure(
        name: "replay speed", value: Double(capture.bytes) / Double(capture.frames) / perFrame, unit: "GB/s"))
    if let words = SearchBenchmark.child(["--replay", path])?.split(whereSeparator: \.isWhitespace), words.count == 2,
      let half = Double(words[0]), let peak = Double(words[1])
    {
      report.note("  resident MiB at half of the file \(Report.number(half / 1_048_576))")
      report.add(
        Figure(
          name: "replay in its own process, resident peak", value: peak / 1_048_576, unit: "MiB",
          target: .atMost(32)))
    }
    return contest.proof
  }

  /// Replays the capture and says how much memory was resident at its middle and at most.
  static func memoryReport(_ path: String) -> String {
    guard var reader = try? CaptureReader(path: path) else { return "0 0" }
    let total = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    var half = 0
    var frames = 0
    // Any observer will do that is called now and then: here for each report.
    var replay = Replay(options: ReplayOptions(wantsMessages: false)) { event in
      frames += 1
      guard half == 0, case .report(_, _, let frame?) = event, frame * 570 > total / 2 else { return }
      half = ResidentMemory.now ?? 0
    }
    replay.run(&reader)
    return "\(half) \(ResidentMemory.peak ?? 0)"
  }

  /// A replay that writes every report as a JSON line into a buffer, as `rollcall replay --format json` does.
  private static func trace(_ path: String, _ lines: inout Int) -> UInt64 {
    guard var reader = try? CaptureReader(path: path) else { return 0 }
    var buffer: [UInt8] = []
    buffer.reserveCapacity(1 << 17)
    var (written, count) = (0, 0)
    var replay = Replay(options: ReplayOptions(wantsMessages: false)) { event in
      ReplayLines.append(event, capture: path, to: &buffer)
      buffer.append(10)
      count += 1
      if buffer.count > 64 << 10 {
        written += buffer.count
        buffer.removeAll(keepingCapacity: true)
      }
    }
    replay.run(&reader)
    lines = count
    return UInt64(written + buffer.count)
  }

  /// The capture at `ROLLCALL_BENCH_CAPTURE`, made if it is not there, so many times; with 0 it is made only.
  static func passes(_ count: Int, judged: Bool = false) -> (operations: Int, proof: UInt64) {
    let path = ProcessInfo.processInfo.environment["ROLLCALL_BENCH_CAPTURE"] ?? "replay-bench.pcapng"
    if !FileManager.default.fileExists(atPath: path) {
      _ = try? CaptureMaker.write(path, byteCount: 100_000_000, discoveryPercent: 100)
    }
    var (messages, proof) = (0, UInt64(0))
    for _ in 0..<count {
      if judged {
        proof = Proof.fold(proof, judge(path))
        continue
      }
      let summary = replay(path)
      messages += summary.messageCount
      proof = Proof.fold(proof, summary.digest.state)
    }
    return (messages, proof)
  }

  private static func extract(_ path: String) -> UInt64 {
    guard var reader = try? CaptureReader(path: path) else { return 0 }
    var extractor = DatagramExtractor()
    var frame = CaptureFrame()
    var datagram = ExtractedDatagram()
    var bytes = 0
    while extractor.next(from: &reader, &frame, &datagram) { bytes &+= datagram.payload.count }
    return UInt64(bytes)
  }

  /// Every clause against every party, as `rollcall judge` does it.
  private static func judge(_ path: String) -> UInt64 {
    guard var reader = try? CaptureReader(path: path) else { return 0 }
    var judge = ClauseJudge(.capture)
    var hearing = CaptureHearing()
    hearing.run(&reader, judge: &judge)
    return UInt64(judge.messageCount) &* 31 &+ UInt64(judge.docket.findings.count)
  }

  private static func replay(_ path: String) -> ReplaySummary {
    guard var reader = try? CaptureReader(path: path) else { return ReplaySummary() }
    var replay = Replay(options: ReplayOptions(wantsMessages: false))
    replay.run(&reader)
    return replay.summary
  }
}

/// libpcap's own loop over a file, opened at run time.
private struct PcapLoop {
  private typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<CChar>) -> OpaquePointer?
  private typealias Seen = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?) -> Void
  private typealias Loop = @convention(c) (OpaquePointer, CInt, Seen, UnsafeMutableRawPointer?) -> CInt
  private typealias Close = @convention(c) (OpaquePointer) -> Void

  private let openFile: Open
  private let loop: Loop
  private let close: Close

  static func open() -> PcapLoop? {
    for library in ["libpcap.so.0.8", "libpcap.so.1", "libpcap.A.dylib"] {
      guard let handle = dlopen(library, RTLD_NOW), let open = dlsym(handle, "pcap_open_offline"),
        let loop = dlsym(handle, "pcap_loop"), let close = dlsym(handle, "pcap_close")
      else { continue }
      return PcapLoop(
        openFile: unsafeBitCast(open, to: Open.self), loop: unsafeBitCast(loop, to: Loop.self),
        close: unsafeBitCast(close, to: Close.self))
    }
    return nil
  }

  func count(_ path: String) -> UInt64 {
    var message = [CChar](repeating: 0, count: 256)
    guard let file = openFile(path, &message) else { return 0 }
    defer { close(file) }
    var frames: UInt64 = 0
    _ = loop(
      file, -1, { user, _, _ in user.unsafelyUnwrapped.assumingMemoryBound(to: UInt64.self).pointee &+= 1 }, &frames)
    return frames
  }
}

/// Makes a capture as a busy home network would give it: four fifths TCP and other UDP, one fifth SSDP.
private enum CaptureMaker {
  private static let searchers = 20

  static func write(_ path: String, byteCount: Int, discoveryPercent: UInt64) throws -> (bytes: Int, frames: Int) {
    try Data().write(to: URL(fileURLWithPath: path))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? file.close() }
    var written = 0
    var writer = CaptureWriter(section: CaptureSection()) { bytes in
      written += bytes.count
      file.write(Data(bytes))
    }
    let interface = writer.interface(name: "lan")
    let (discovery, others) = (discoveryFrames(), otherFrames())
    var dice = Seed(2).stream("capture")
    var time = Instant(nanoseconds: 1_700_000_000_000_000_000)
    var frames = 0
    while written < byteCount {
      time += dice.interval(in: .microseconds(10) ... .milliseconds(6))
      let pool = dice.below(100) < discoveryPercent ? discovery : others
      writer.frame(interface: interface, time: time, pool[Int(dice.below(UInt64(pool.count)))])
      frames += 1
    }
    writer.finish()
    return (written, frames)
  }

  private static func link(_ host: Int, _ group: IPAddress? = nil) -> LinkAddresses {
    let source = MACAddress(bits: 0x0200_0000_0000 | UInt64(host))
    return group.flatMap { LinkAddresses(source: source, group: $0) }
      ?? LinkAddresses(source: source, destination: MACAddress(bits: 0x0200_0000_0001))
  }

  /// Messages of six hundred devices; answers go to twenty searchers, who are also the ones who search.
  private static func discoveryFrames() -> [[UInt8]] {
    let corpus = Corpus(messageCount: 4_000, deviceCount: 600, seed: 11)
    var dice = Seed(2).stream("frames")
    return (0..<corpus.count).flatMap { index -> [[UInt8]] in
      let message = corpus.message(index)
      let searcher = Endpoint(IPAddress(192, 168, 3, UInt8(1 + dice.below(UInt64(searchers)))), port: 50_000)
      let device = Endpoint(corpus.senders[index], port: 1_900)
      let group = Endpoint(.ssdpGroup4, port: 1_900)
      switch message.first {
      case UInt8(ascii: "H"):
        return FrameWriter.udp(link(index), from: device, to: searcher, hopLimit: 64, payload: message)
      case UInt8(ascii: "M"):
        return FrameWriter.udp(link(index, .ssdpGroup4), from: searcher, to: group, hopLimit: 2, payload: message)
      default:
        return FrameWriter.udp(link(index, .ssdpGroup4), from: device, to: group, hopLimit: 2, payload: message)
      }
    }
  }

  private static func otherFrames() -> [[UInt8]] {
    var dice = Seed(2).stream("others")
    return (0..<400).flatMap { number -> [[UInt8]] in
      let from = IPAddress(192, 168, 0, UInt8(2 + dice.below(250)))
      let to = IPAddress(93, 184, UInt8(dice.below(256)), UInt8(1 + dice.below(250)))
      let size = [20, 32, 120, 400, 1_200, 1_460][Int(dice.below(6))]
      let bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
      if number % 4 == 0 {
        return FrameWriter.udp(
          link(number), from: Endpoint(from, port: 40_000), to: Endpoint(to, port: 443), hopLimit: 64, payload: bytes)
      }
      let tcp = IPProtocol.tcp
      return FrameWriter.frame(
        link(number), from: from, to: to, protocolNumber: tcp, ipPayload: bytes, hopLimit: 64, hasRouterAlert: false
      ).map { [$0] } ?? []
    }
  }
}
