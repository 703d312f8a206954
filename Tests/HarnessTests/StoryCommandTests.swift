import RollcallCapture
import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallRunning
import RollcallScenarios
import Testing

/// Stories of files that tell of an engine's own host what no frame shows: commands, refusals, interfaces.
@Suite("What no frame shows, told")
struct StoryCommandTests {
  private static let tv = "192.168.1.20:1900"

  /// What the host 192.168.1.9 was told, and sent and heard; the last frame comes after 12 seconds.
  private func story(
    _ signals: [String], probe: Probe? = nil, _ fill: (inout StationCapture) -> Void
  ) throws -> Story {
    var capture = StationCapture()
    capture.comments = ["rollcall host: 192.168.1.9"] + signals.map { "rollcall signal: " + $0 }
    capture.addNothing(0)
    fill(&capture)
    capture.addNothing(12)
    let teller = StoryTeller(configuration: EngineConfiguration(), probe: probe)
    let options = ReplayOptions(perspective: .host("192.168.1.9"), wantsMessages: false)
    var replay = Replay(options: options, teller: teller)
    var reader = try TinyCapture.reader(capture.bytes)
    replay.run(&reader)
    return teller.finished(frames: replay.summary.frames)
  }

  private func rows(_ story: Story, _ section: String) -> [String] {
    let sections = ["Devices", "Searches", "Datagrams that made no device", "Not found"]
    let lines = StoryLifeTests.text(story).split(separator: "\n").map(String.init).drop { $0 != section }.dropFirst()
    return Array(lines.prefix { !sections.contains($0) })
  }

  // MARK: Searches

  @Test("a search that a program beside the engine sent is told, with its copies and what was found by it")
  func adopted() throws {
    let socket = "192.168.1.9:50000"
    let signals = [
      "1000.0 command adopt \(socket) search 3 ssdp:all mx 1 x1",
      "1000.5 command adopt \(socket) search 3 ssdp:all mx 1 x1",
    ]
    let story = try story(signals) { capture in
      for seconds in [0.001, 0.501] {
        capture.add(seconds, socket, TinyCapture.group, TinyCapture.search("ssdp:all"), .inbound)
      }
      capture.add(0.7, Self.tv, socket, TinyCapture.answer("lamp"), .inbound)
      capture.add(2, "192.168.1.21:1900", socket, TinyCapture.answer("hall"), .inbound)
    }
    expectEqual(
      StoryLifeTests.lines(story, about: "search"),
      [
        "time:1000,search:3,target:ssdp:all,source:192.168.1.9:50000,destination:239.255.255.250:1900,copies:2,"
          + "maximumWaitSeconds:1,frames:[],end:1001.600000000,ended:true,services:1,devices:1,late:1,"
          + "lateLeast:0.400000000,lateMost:0.400000000,lateFrames:[5],otherTargets:0"
      ])
    expectEqual(
      rows(story, "Searches"),
      [
        "+0.000 search 3 for ssdp:all from 192.168.1.9:50000, 2 copies, MX 1 s: 1 service of 1 device; over at +1.600; "
          + "1 answer too late, by 0.4 s (frame 5)"
      ])
    expectEqual(rows(story, "Devices")[2], "+0.700 frame 4 answered search 3: 1 service")
  }

  @Test("a search goes on where one of its copies could not be sent, and where its number was asked for again")
  func failures() throws {
    let socket = "192.168.1.9:49152"
    let signals = [
      "1000.0 interface 0 up 192.168.1.9/24", "1000.0 command search 5 upnp:rootdevice mx 1 x2 spacing 500ms",
      "1000.5 refused send if0 239.255.255.250 port 49152", "1001.0 command search 5 ssdp:all mx 1 x1",
    ]
    let story = try story(signals) { capture in
      capture.add(
        0, socket, TinyCapture.group, TinyCapture.search("upnp:rootdevice"), .outbound,
        comments: ["rollcall search: 5 wait 1s"])
      capture.add(0.7, Self.tv, socket, TinyCapture.answer("lamp"), .inbound)
    }
    expectEqual(
      rows(story, "Searches"),
      [
        "+0.000 frame 2 search 5 for upnp:rootdevice from 192.168.1.9:49152, 1 copy, MX 1 s: 1 service of 1 device; "
          + "over at +1.600"
      ])
  }

  @Test("in the story of a run all searches are told that left, with those of which a copy could not be sent")
  func runs() throws {
    func searches(_ path: String) throws -> [String] {
      let scenario = try ScenarioFile.read(Places.root.appendingPathComponent(path).path).scenario
      let story = RunStory.tell(try scenario.resolved(), seed: 1, scenario: path)
      return story.jsonLines.filter { $0.contains(#""about":"search","#) }
    }
    let refused = try searches("Scenarios/ssdp/sends-refused.yaml")
    expectEqual(refused.map { $0.contains(#""search":2,"#) }, [true, false])
    expectEqual(refused.map { $0.contains(#""search":3,"#) }, [false, true])
    #expect(refused.allSatisfy { $0.contains(#""services":4,"#) && !$0.contains(#""failure":"#) })
    let adopted = try searches("Scenarios/field/minissdpd-cache-and-answers.yaml")
    #expect(adopted.contains { !$0.contains(#""services":0,"#) }, "\(adopted)")
  }

  // MARK: Interfaces

  @Test("a probe knows nothing of what went with its interface before it, and when that went which was there")
  func probe() throws {
    let probe = Probe(target: "upnp:rootdevice", at: .seconds(10))
    func gone(_ signals: [String]) throws -> [String] {
      let story = try story(signals, probe: probe) { capture in
        capture.add(0, Self.tv, TinyCapture.group, TinyCapture.alive("lamp"), .inbound)
      }
      return try #require(story.probe).rows.map { $0.gone?.description ?? "here" }
    }
    try expectEqual(gone([]), ["here"])
    #expect(try gone(["1009.0 interface 0 down"]) == [] && gone(["1010.0 interface 0 down"]) == [])
    try expectEqual(gone(["1010.001 interface 0 down"]), ["1010.001000000"])
    try expectEqual(gone(["1012.0 interface 0 down"]), ["1012.000000000"])
  }

  @Test("what comes on an interface that is down is refused in words, and a LOCATION on the host itself, too")
  func refused() throws {
    let story = try story(["1000.0 interface 0 up 192.168.1.9/24", "1003.0 interface 0 down"]) { capture in
      for (number, last) in [9, 255, 77, 20].enumerated() {
        let alive = TinyCapture.alive("lamp", location: "http://192.168.1.\(last)/")
        capture.add(Double(number), Self.tv, TinyCapture.group, alive, .inbound)
      }
    }
    expectEqual(
      rows(story, "Devices"),
      [
        "uuid:lamp",
        "+0.000 frame 2 first heard: alive upnp:rootdevice from 192.168.1.20, 1800 s; no LOCATION that may be used",
        "+0.000 frame 2 LOCATION not handed on: 'http://192.168.1.9/' is out of scope: receiver, the host is the "
          + "engine's own",
        "+1.000 frame 3 no renewal and a copy",
        "+1.000 frame 3 LOCATION not handed on: 'http://192.168.1.255/' is out of scope: broadcast, the host is "
          + "everybody",
        "+2.000 frame 4 no renewal and a copy", "+2.000 frame 4 LOCATION: none → http://192.168.1.77/",
        "+3.000 lost: interface",
      ])
    expectEqual(
      rows(story, "Datagrams that made no device").first,
      "+3.000 frame 5 1× alive from 192.168.1.20 uuid:lamp: refused, wrongInterface at byte 0: its interface is "
        + "down, or one of more than the engine keeps")
  }
}
