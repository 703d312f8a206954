import ArgumentParser
import RollcallCapture
import Dispatch
import Foundation
import RollcallPrimitives
import RollcallReporting

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Record what an interface sends and hears, as pcapng.",
    discussion: """
      Ends after --count frames, after --duration, or at Ctrl-C, whichever comes first. Needs root or the capability \
      CAP_NET_RAW.

      rollcall record -i eth0 -o here.pcapng --filter 'udp port 1900' --duration 90s
      """)

  @Option(name: .shortAndLong, help: "The interface, as in eth0.")
  var interface: String

  @Option(name: .shortAndLong, help: "The pcapng file to write.", completion: .file())
  var output: String

  @Option(help: "Record only what this filter of libpcap lets through, as in 'udp port 1900'.")
  var filter: String?

  @Option(help: "End after this many frames.")
  var count: Int?

  @Option(help: "End after this time, as in 90s.")
  var duration: String?

  @Option(help: "Keep this many bytes of each frame.")
  var snapLength = 262_144

  func run() throws {
    if let count, count < 1 { throw Complaint("--count takes a number of frames from 1 on, and not \(count)") }
    try Numbers.check(snapLength, 1...262_144, "--snap-length")
    let duration = try duration.map { try ReplayCommand.interval($0, option: "--duration") }
    let filter = try ReplayCommand.filter(filter)
    let recorder: CaptureRecorder
    do {
      recorder = try CaptureRecorder(interface: interface, filter: filter, snapLength: snapLength)
    } catch { throw Complaint("\(error)") }
    // A recording takes hours: what has come is whole at each pause, and stays where the rest finds no room.
    let file = try Output(path: output, isGrowing: true)
    let hasFailed = Latch()
    Output.whenFailed { hasFailed.raise() }

    var section = CaptureSection()
    section.application = "rollcall \(Rollcall.configuration.version)"
    let interrupt = Interrupt()
    let start = DispatchTime.now().uptimeNanoseconds
    let end = duration.map { start &+ UInt64(clamping: $0.nanoseconds) }
    Output.complain("recording \(interface) (\(LinkType.name(recorder.linkType))) to \(output); Ctrl-C ends it")
    do {
      let tally = try recorder.record(section: section, frameCountMaximum: count ?? .max) { bytes in
        file.bytes(Array(bytes))
        file.mark()
      } isOver: {
        interrupt.hasCome || hasFailed.isRaised || end.map { DispatchTime.now().uptimeNanoseconds >= $0 } ?? false
      }
      try file.finish()
      let lost = tally.lostFrames == 0 ? "" : ", \(tally.lostFrames) lost because they came too fast"
      Output.complain("\(output): \(tally.frames) frames\(lost)")
      if interrupt.hasCome, duration != nil || count != nil { throw Exit.interrupted }
    } catch let error as CaptureRecorderError {
      try file.finish()
      throw Complaint("\(error); \(output) holds what came before")
    }
  }
}
