import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallRunning
import Testing
import RollcallTrace

/// What a capture tells in comments, which anybody may have written.
@Suite("Comments of a capture")
struct CaptureCommentTests {
  /// Signals that the engine is given in a replay as 10.0.0.5, with their times.
  /// - Parameters:
  ///   - comments: behind the one that names the host.
  ///   - notes: on the frame, which is a search of the host or an announcement of another.
  private func signals(_ comments: [String], frame notes: [String] = [], isSearch: Bool = false) throws -> [String] {
    var section = CaptureSection()
    section.comments = ["rollcall host: 10.0.0.5"] + comments
    var writer = CaptureWriter(section: section)
    let interface = writer.interface(name: "eth0")
    var capture = TinyCapture()
    if isSearch {
      capture.add(0, "10.0.0.5:50000", TinyCapture.search("ssdp:all"))
    } else {
      capture.add(0, "10.0.0.9", TinyCapture.alive("a"))
    }
    for frame in capture.pieces(mtuBytes: 1_500) {
      writer.frame(interface: interface, time: .zero + .seconds(1_000), frame, comments: notes)
    }
    writer.finish()
    var reader = try TinyCapture.reader(writer.bytes)
    let recorder = Recorder()
    var replay = Replay(
      options: ReplayOptions(perspective: .host("10.0.0.5"), wantsMessages: false), recorder: recorder)
    replay.run(&reader)
    return recorder.entries.compactMap { entry -> String? in
      guard case .signal(let signal) = entry.content else { return nil }
      return "\(entry.time) \(signal.value.text)"
    }
  }

  private static let end = "rollcall end: 1002.000000000"

  @Test("a signal in a comment is given as it stands there, and what is not written just so is none")
  func section() throws {
    let signals: [(right: String, wrong: [String])] = [
      (
        "interface 0 up 10.0.0.5/24 fe80::1/64",
        [
          "interface +0 up 10.0.0.5/24", "interface -0 up 10.0.0.5/24", "interface 65536 up 10.0.0.5/24",
          "interface 0 on 10.0.0.5/24", "interface 0 up 10.0.0.5/+24", "interface 0 up 10.0.0.5/-1",
          "interface 0 up 10.0.0.5", "interface 0 up 10.0.0.5//24", "interface 0 up 10.0.0.5/24 x", "interface 0",
        ]
      ),
      ("interface 3 down", ["interface 3 Down", "interface"]),
      (
        "refused send if2 10.0.0.9 port 1900",
        [
          "refused send if+2 10.0.0.9 port 1900", "refused send 2 10.0.0.9 port 1900",
          "refused send if2 10.0.0.9 port +1900", "refused send if2 10.0.0.9 port 65536",
          "refused drop if2 10.0.0.9 port 1900", "refused send if2 10.0.0.9", "refused send if2 10.0.0.9 1900",
        ]
      ),
      ("power off", ["power", "power 0"]), ("permission bluetooth denied", ["permission denied"]),
      (
        #"command search 7 a\x20b mx 3 x2"#,
        [
          "command search +7 a mx 3 x2", "command search 7 a mx +3 x2", "command search 7 a mx 3 x+2",
          "command search 7 a mx 03 x2", "command search 7 a mx 3 2", #"command search 7 a\x+0 mx 3 x2"#,
          #"command search 7 a\x2 mx 3 x2"#, #"command search 7 a\x2g mx 3 x2"#, "command search 7 a 3 x2",
          "search 7 a mx 3 x2",
        ]
      ),
      (
        "command search 7 a mx 3 x2 spacing 500ms to 10.0.0.9:1900 if4",
        [
          "command search 7 a mx 3 x2 spacing +500ms", "command search 7 a mx 3 x2 spacing 500",
          "command search 7 a mx 3 x2 spacing 1000ms", "command search 7 a mx 3 x2 to 10.0.0.9:+1900",
          "command search 7 a mx 3 x2 to 10.0.0.9", "command search 7 a mx 3 x2 if+4", "command search 7 a mx 3 x2 4",
          "command search 7 a mx 3 x2 if4 to 10.0.0.9:1900",
        ]
      ),
      (
        "command adopt 10.0.0.9:50000 search 7 ssdp:all mx 3 x1",
        [
          "command adopt 10.0.0.9:+50000 search 7 ssdp:all mx 3 x1", "command adopt - search 7 ssdp:all mx 3 x1",
          "command adopt 10.0.0.9:50000 7 ssdp:all mx 3 x1", "command adopt 10.0.0.9:50000",
        ]
      ),
      (
        "command stop-search 7",
        ["command stop-search +7", "command stop-search -7", "command stop-search 4294967296", "command stop-search"]
      ),
      ("command hold uuid:a", ["command hold", "command hold -", "command hold uuid:a b"]),
      ("command stop", ["command stop now", "command", "stop"]),
    ]
    for (right, wrong) in signals {
      let found = try self.signals(["rollcall signal: 1000.5 \(right)", Self.end])
      expectEqual(found, ["1000.500000000 \(right)"], "\(right)")
      for text in wrong {
        let found = try self.signals(["rollcall signal: 1000.5 \(text)", Self.end])
        expectEqual(found, [], "\(text)")
      }
    }
    for time in [
      "+1000.5 ", "-1000.5 ", "1000.+5 ", "1000.-5 ", "1000. ", ".5 ", "1000.5.0 ", "1000.0000000001 ", "", "1000.5",
    ] {
      let found = try self.signals(["rollcall signal: \(time)command stop", Self.end])
      expectEqual(found, [], "\(time)")
    }
    // Without an end the replay ends with its last frame.
    for text in ["+1002.0", "1002.+0", "-1002.0", "1002", "1001.5"] {
      let found = try self.signals(["rollcall signal: 1001.5 command stop", "rollcall end: \(text)"])
      expectEqual(found.isEmpty, (text.contains("+") || text.contains("-")), "\(text)")
    }
  }

  @Test("a comment on a search gives its number and how long it listens, in digits; else both are found out")
  func notes() throws {
    let right = try signals([], frame: ["rollcall search: 7 wait 3s"], isSearch: true)
    expectEqual(right, ["1000.000000000 command adopt 10.0.0.5:50000 search 7 ssdp:all mx 3 x1"])
    for note in [
      "rollcall search: +7 wait 3s", "rollcall search: -7 wait 3s", "rollcall search: 7 wait +3s",
      "rollcall search: 7 wait -3s", "rollcall search: 7 wait 3", "rollcall search: 7 wait s",
      "rollcall search: 4294967296 wait 3s", "rollcall search: 7 for 3s", "rollcall find: 7 wait 3s",
    ] {
      let found = try signals([], frame: [note], isSearch: true)
      expectEqual(found, ["1000.000000000 command adopt 10.0.0.5:50000 search 1 ssdp:all mx 1 x1"], "\(note)")
    }
  }
}
