import RollcallCapture
import RollcallCaptureSupport
import RollcallDiscovery
import Foundation
import RollcallExplaining
import RollcallReplaying
import RollcallRunning
import Testing

/// Stories of real captures: facts that were read from the frames by hand.
@Suite("Stories from the field")
struct FieldStoryTests {
  struct Fact: CustomTestStringConvertible {
    var capture: String
    var party: String?
    /// Each has to stand in the text, with blanks and line ends taken as one blank.
    var sentences: [String]
    var testDescription: String { capture + (party.map { " " + $0 } ?? "") }
  }

  static let facts: [Fact] = [
    // The camera left its own network for the home's: byebyes from the new address, then the new LOCATION (D56).
    Fact(
      capture: "iot-edimax-cam1-a3.pcap",
      sentences: [
        "frames 22–27 6× byebye from 10.10.10.51: refused, foreignByebye",
        "frame 32 LOCATION: http://192.168.4.3:80/IPCamDesc.xml → http://10.10.10.51:80/IPCamDesc.xml",
      ]),
    // Somebody searched from port 1901, and the capture did not see it.
    Fact(
      capture: "iot-hue-bridge-a5.pcap",
      sentences: [
        "frames 166…183 6× response from 10.10.10.6: an answer to 10.10.10.30:1901, from where the capture shows no "
          + "search", "at the tightest 46.592 s left of 100 s (frame 927)",
      ]),
    Fact(
      capture: "iot-dlink-homehub-c15.pcap", party: "10.10.10.87",
      sentences: [
        "frame 192 lost: byebye upnp:rootdevice from 10.10.10.87", "frame 267 found again: alive upnp:rootdevice",
        "10.10.10.87: is found (uuid:f5bd487e-816d-5ea6-bef9-0d89f9950a72) from +6.632 on (frame 87).",
      ]),
    Fact(
      capture: "telegram-lan-mixed.pcap", party: "192.168.1.75",
      sentences: [
        "192.168.1.75: speaks multicast DNS (120 messages); by SSDP: only searched (3 times) and announced nothing "
          + "(frames 139…145).",
        "frames 139…145 3× search urn:dial-multiscreen-org:service:dial:1: a search: it asks, and announces nothing",
      ]),
    Fact(
      capture: "telegram-lan-mixed.pcap", party: "uuid:no-such-device",
      sentences: ["uuid:no-such-device: never announced: no SSDP message of the capture names this UUID."]),
  ]

  @Test("what the frames show stands in the story", arguments: FieldStoryTests.facts)
  func stands(_ fact: Fact) throws {
    guard let capture = CaptureFolder.capture("ssdp/" + fact.capture, for: "stories from the field") else { return }
    let teller = StoryTeller(party: fact.party.flatMap { StoryParty($0) }, configuration: EngineConfiguration())
    var reader = try CaptureReader(path: capture.path)
    var replay = Replay(options: ReplayOptions(wantsMessages: false), teller: teller)
    replay.run(&reader)
    let text = StoryText.lines(teller.finished(frames: replay.summary.frames)).joined(separator: " ")
      .split(separator: " ").joined(separator: " ")
    for sentence in fact.sentences { #expect(text.contains(sentence), "\(sentence)") }
    CaptureFolder.checked(capture)
  }
}
