import RollcallCapture
import RollcallConformance
import Foundation
import RollcallJudging
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallWire

/// Large captures through the whole engine, beside a libpcap loop that only counts the frames of the same file.
enum ReplayBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    report.note("replay: what 200 devices and 20 control points of a simulated network say, one after the other;")
    report.note("shuffled: 4 000 messages of 600 devices in any order, byebyes among them, as no network says them")
    let reader = CaptureReaderInC.open(report)
    let sizes = (options.size(1_000_000_000, smoke: 100_000), options.size(100_000_000, smoke: 100_000))
    let figures = [
      measure("a fifth SSDP", .network, sizes.0, discoveryPercent: 20, target: .atMost(1), reader, options, report),
      measure("all SSDP", .network, sizes.1, discoveryPercent: 100, target: .atMost(3), reader, options, report),
      measure(
        "shuffled, a fifth SSDP", .shuffled, sizes.0, discoveryPercent: 20, target: .atMost(1), reader, options, report),
      measure(
        "shuffled, all SSDP", .shuffled, sizes.1, discoveryPercent: 100, target: .atMost(3), reader, options, report),
    ]
    return figures.reduce(0, Proof.fold)
  }

  private static func measure(
    _ name: String, _ traffic: CaptureMaker.Traffic, _ size: Int, discoveryPercent: UInt64, target: Target,
    _ reader: CaptureReaderInC?, _ options: Options, _ report: Report
  ) -> UInt64 {
    let path = NSTemporaryDirectory() + "rollcall-bench-\(ProcessInfo.processInfo.processIdentifier).pcapng"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let capture: (bytes: Int, frames: Int)
    do {
      capture = try CaptureMaker.write(path, traffic, byteCount: size, discoveryPercent: discoveryPercent)
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
    let readerPlace = contenders.count
    var messagesInC = 0
    if let reader {
      contenders.append(
        Contender("reader in C", operations: capture.frames) {
          let found = reader.read(path)
          messagesInC = found.messages
          return found.sum
        })
    }
    contenders.append(Contender("judge", operations: capture.frames) { judge(path) })
    let contest = Contest(contenders, passes: options.passes(5))
    let summary = replay(path)
    report.note(
      "replay, \(name): \(capture.bytes / 1_000_000) MB pcapng, \(capture.frames) frames, "
        + "\(summary.messageCount) SSDP messages, \(summary.devicesEver) devices, \(summary.reports) reports")
    report.note("  " + summary.messages.map { "\($0.count) \($0.name)" }.joined(separator: ", "))
    let (perFrame, extraction) = (contest.median(0), contest.median(1))
    let perMessage = (perFrame - extraction) * Double(capture.frames) / Double(max(1, summary.messageCount))
    report.note(
      "to find the datagrams takes \(Report.number(extraction)) ns a frame, an SSDP message "
        + "\(Report.number(perMessage)) ns more")
    report.add(
      Figure(
        name: "replay (\(name)), a frame", value: perFrame, unit: "ns",
        anchor: anchor == nil ? nil : ("libpcap, pcap_loop that only counts", contest.median(3)),
        ratio: anchor == nil ? nil : contest.ratio(0, to: 3), target: anchor == nil ? nil : target))
    if reader != nil {
      if messagesInC != summary.messageCount {
        report.note("the reader in C found \(messagesInC) messages, and the replay \(summary.messageCount)")
      }
      report.add(
        Figure(
          name: "the same beside a reader of its fields in C", value: perFrame, unit: "ns",
          anchor: ("libpcap and picohttpparser", contest.median(readerPlace)),
          ratio: contest.ratio(0, to: readerPlace), target: discoveryPercent == 100 ? .atMost(1.6) : nil))
    }
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

  /// A replay that writes every report as a JSON line, as `rollcall replay --format json` does.
  private static func trace(_ path: String, _ lines: inout Int) -> UInt64 {
    guard var reader = try? CaptureReader(path: path) else { return 0 }
    var (written, count) = (0, 0)
    let writer = LineWriter { written += $0.count }
    let reports: (RollcallPrimitives.Report, Instant, Int?) -> Void = { report, time, frame in
      writer.line(report, time: time, frame: frame)
      count += 1
    }
    var replay = Replay(options: ReplayOptions(wantsMessages: false), reports: reports)
    replay.run(&reader)
    writer.flush()
    lines = count
    return UInt64(written)
  }

  /// The capture at `ROLLCALL_BENCH_CAPTURE`, made if it is not there, so many times; with 0 it is made only.
  static func passes(_ count: Int, _ work: Work = .replay) -> (operations: Int, proof: UInt64) {
    let path = ProcessInfo.processInfo.environment["ROLLCALL_BENCH_CAPTURE"] ?? "replay-bench.pcapng"
    if !FileManager.default.fileExists(atPath: path) {
      _ = try? CaptureMaker.write(path, .network, byteCount: 100_000_000, discoveryPercent: 100)
    }
    var (messages, proof) = (0, UInt64(0))
    for _ in 0..<count {
      switch work {
      case .judge: proof = Proof.fold(proof, judge(path))
      case .lines:
        var lines = 0
        proof = Proof.fold(proof, trace(path, &lines))
        messages += lines
      case .replay:
        let summary = replay(path)
        messages += summary.messageCount
        proof = Proof.fold(proof, summary.digest.state)
      }
    }
    return (messages, proof)
  }

  enum Work { case replay, lines, judge }

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
    return UInt64(judge.books.messageCount) &* 31 &+ UInt64(judge.collector.findings.count)
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

/// `Tools/anchors/replay.c`: libpcap's loop, and picohttpparser with a look-up of the fields for each message.
private struct CaptureReaderInC {
  private typealias Read = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<UInt64>) -> Void

  private let function: Read

  static func open(_ report: Report) -> CaptureReaderInC? {
    switch AnchorInC.function("rollcall_anchor_replay", in: "replay.c", linking: ["pcap", ":libh2o-evloop.so.0.13"]) {
    case .success(let function): return CaptureReaderInC(function: unsafeBitCast(function, to: Read.self))
    case .failure(let absence):
      report.note("the reader in C was left out: \(absence.text) (Debian: libh2o-evloop0.13)")
      return nil
    }
  }

  func read(_ path: String) -> (messages: Int, sum: UInt64) {
    var sums: [UInt64] = [0, 0]
    function(path, &sums)
    return (Int(sums[0]), sums[1])
  }
}
