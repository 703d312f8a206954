import RollcallCapture
import RollcallConformance
import RollcallDiscovery
import RollcallJudging
public import RollcallPrimitives
import RollcallReplaying
import RollcallReporting

/// A capture: a pcap, pcapng or btsnoop file, packed with gzip or not.
///
///     let judged = try Capture(contentsOf: "evening.pcapng").judge()
///     #expect(judged.passes(), "\(judged)")
public struct Capture: Sendable {
  /// The file as it was given, or what the bytes are called.
  public let path: String
  /// `nil`: they are read from the file each time.
  private let bytes: [UInt8]?

  /// Opens a file, which has to be there as long as the capture is used.
  /// - Throws: `CaptureFailure`: why it cannot be read.
  public init(contentsOf path: String) throws(CaptureFailure) {
    (self.path, bytes) = (path, nil)
    _ = try open()
  }

  /// - Parameter path: what findings call it.
  /// - Throws: `CaptureFailure`: why they cannot be read.
  public init(bytes: [UInt8], path: String = "capture.pcapng") throws(CaptureFailure) {
    (self.path, self.bytes) = (path, bytes)
    _ = try open()
  }

  private func open() throws(CaptureFailure) -> CaptureReader {
    do throws(CaptureError) {
      if let bytes { return try InputFiles.reader(of: bytes) }
      return try CaptureReader(path: path)
    } catch {
      throw CaptureFailure(description: "\(path): \(error)" + OtherInput.advice(on: path, after: error))
    }
  }

  /// Gives the capture to Rollcall's engine, at the times of its frames.
  /// - Parameters:
  ///   - host: whose ears the engine has: an address, or a name that the file gives to one; `nil`: it hears everything.
  ///   - until: how far time runs on behind the last frame, so that leases end.
  ///   - isStrict: only what the standard allows is accepted, and not all that can be understood.
  /// - Throws: `CaptureFailure`: why the file cannot be read any more.
  public func replay(
    as host: String? = nil, until: Interval? = nil, isStrict: Bool = false
  ) throws(CaptureFailure) -> ReplayResult {
    var engine = EngineConfiguration()
    engine.mode = isStrict ? .strict : .lenient
    var options = ReplayOptions(
      perspective: host.map { ReplayOptions.Perspective.host($0) } ?? .everybody, engine: engine, until: until)
    options.wantsServices = true
    var reader = try open()
    var reports: [ReplayReport] = []
    var replay = Replay(
      options: options,
      reports: { report, time, frame in reports.append(ReplayReport(report, at: time, frame: frame)) })
    replay.run(&reader)
    return ReplayResult(path: path, reports: reports, replay.summary)
  }

  /// Judges every party that is heard in it, clause by clause.
  /// - Parameter clauses: only clauses whose id begins like one of these; none: all.
  /// - Throws: `CaptureFailure`: why the file cannot be read any more.
  public func judge(clauses: [String] = []) throws(CaptureFailure) -> JudgeResult {
    var reader = try open()
    do throws(JudgeInput.Failure) {
      let heard = try JudgeInput.judge(&reader, path: path) { $0.begins(withOneOf: clauses) }
      return JudgeResult(
        JudgedInput(path: path, judgement: heard.judgement, isTrace: heard.isTrace, problems: heard.problems))
    } catch { throw CaptureFailure(description: error.description) }
  }
}

/// Why a capture cannot be read.
public struct CaptureFailure: Error, CustomStringConvertible {
  public let description: String
}
