import RollcallCapture
import RollcallCaptureSupport
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Annotated pcapng") struct CaptureWriterTests {
  static let names = [
    CaptureName(address: IPAddress(192, 168, 1, 20), name: "television"),
    CaptureName(address: IPAddress("fe80::1:2:3:4")!, name: "speaker.local"),
  ]

  static func section() -> CaptureSection {
    var section = CaptureSection()
    section.hardware = "virtual"
    section.operatingSystem = "Rollcall"
    section.application = "rollcall run"
    section.comments = ["seed 7", "scenario Scenarios/ssdp/loss.yaml"]
    return section
  }

  static func sample(sink: CaptureWriter.Sink? = nil) -> CaptureWriter {
    var writer = CaptureWriter(section: section(), sink: sink)
    let first = writer.interface(name: "tv.eth0", details: "the television's", comments: ["segment home"])
    let second = writer.interface(name: "phone.wlan0")
    writer.names(names)
    let at = Instant(nanoseconds: 1_700_000_000_123_456_789)
    let message = Array("NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:byebye\r\n\r\n".utf8)
    let frames4 = FrameWriter.udp(
      Ends.link(.ssdpGroup4), from: Ends.source4, to: Ends.group4, hopLimit: 2, payload: message)
    writer.frame(interface: first, time: at, frames4[0], comments: ["delivered", "to phone — é"])
    let frames6 = FrameWriter.udp(
      Ends.link(.ssdpGroup6, vlan: 5), from: Ends.source6, to: Ends.group6, hopLimit: 2, payload: message)
    writer.frame(interface: second, time: at + .seconds(1), frames6[0], originalCount: 500)
    let large = message + [UInt8](repeating: 65, count: 3_000)
    for (source, group) in [(Ends.source4, Ends.group4), (Ends.source6, Ends.group6)] {
      let link = Ends.link(group.address)
      for frame in FrameWriter.udp(link, from: source, to: group, hopLimit: 2, payload: large, identification: 5) {
        writer.frame(interface: second, time: at + .seconds(2), frame)
      }
    }
    let igmp = FrameWriter.frame(
      Ends.link(IPAddress("224.0.0.22")!), from: Ends.source4.address, to: IPAddress("224.0.0.22")!,
      protocolNumber: .igmp, ipPayload: [0x22, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0, 239, 255, 255, 250])
    writer.frame(interface: first, time: at + .seconds(3), igmp!)
    let mld = FrameWriter.frame(
      Ends.link(IPAddress("ff02::16")!), from: Ends.source6.address, to: IPAddress("ff02::16")!,
      protocolNumber: .icmpV6, ipPayload: [143, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0] + IPAddress.ssdpGroup6.bytes)
    writer.frame(interface: first, time: at + .seconds(3), mld!)
    writer.finish()
    return writer
  }

  @Test("what is written reads back equal, with its comments and names")
  func roundTrip() {
    let capture = KeptCapture(Self.sample().bytes)
    #expect(capture.error == nil && capture.problem == nil)
    expectEqual(capture.sections, [Self.section()])
    expectEqual(capture.names, Self.names)
    expectEqual(capture.interfaces.map(\.name), ["tv.eth0", "phone.wlan0"])
    expectEqual(capture.interfaces.map(\.details), ["the television's", nil])
    expectEqual(capture.interfaces.map(\.comments), [["segment home"], []])
    expectEqual(capture.interfaces.map(\.linkType), [1, 1])
    expectEqual(capture.frames.map(\.comments), [["delivered", "to phone — é"]] + [[String]](repeating: [], count: 9))
    expectEqual(capture.frames.map(\.interface), [0, 1, 1, 1, 1, 1, 1, 1, 0, 0])
    expectEqual(capture.frames.first?.time, "1700000000.123456789")
    expectEqual(capture.frames[1].originalCount, 500)
    expectEqual(
      capture.frames[0].bytes,
      FrameWriter.udp(
        Ends.link(.ssdpGroup4), from: Ends.source4, to: Ends.group4, hopLimit: 2,
        payload: Array("NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:byebye\r\n\r\n".utf8))[0])
    expectEqual(Extraction(capture.frames.map(\.bytes)).found.map(\.frame), [1, 2, 5, 8])
  }

  @Test("a sink gets the same bytes, in runs")
  func sink() {
    var (received, runs) = ([UInt8](), 0)
    let writer = Self.sample {
      received += $0
      runs += 1
    }
    #expect(writer.bytes.isEmpty && runs == 1)
    expectEqual(received, Self.sample().bytes)
  }

  @Test("texts that do not fit are cut between two characters, and bytes of zero leave names")
  func longTexts() {
    var section = CaptureSection()
    section.comments = [String(repeating: "é", count: 40_000)]
    var writer = CaptureWriter(section: section)
    let interface = writer.interface(name: "")
    writer.names([
      CaptureName(address: IPAddress(1, 2, 3, 4), name: "a\0b"), CaptureName(address: IPAddress(1, 2, 3, 4), name: ""),
    ])
    writer.frame(interface: interface, time: Instant(nanoseconds: -5), [1])
    let capture = KeptCapture(writer.bytes)
    expectEqual(capture.sections.first?.comments, [String(repeating: "é", count: 32_767)])
    expectEqual(capture.names.map(\.name), ["ab"])
    expectEqual(capture.frames.map(\.time), ["0.000000000"])
  }

  @Test("tshark decodes what is written, with nothing malformed and every checksum good")
  func tshark() throws {
    let fields = [
      "frame.number", "frame.time_epoch", "frame.interface_name", "_ws.col.Protocol", "ip.src_host", "ipv6.src_host",
      "udp.checksum.status", "ip.checksum.status", "igmp.checksum.status", "icmpv6.checksum.status", "vlan.id",
      "frame.comment", "_ws.malformed",
    ]
    let checks = ["-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    let asked =
      ["-N", "n"] + checks + ["-T", "fields", "-E", "separator=|"] + fields.flatMap { ["-e", $0] }
    guard let answer = try Tshark.ask(Self.sample().bytes, asked, for: "what is written as others read it") else {
      return
    }
    expectEqual(answer.status, 0)
    // A checksum status of 1 is good; nothing stands in the last column, which would say "malformed".
    expectEqual(
      answer.lines,
      [
        "1|1700000000.123456789|tv.eth0|SSDP|television||1|1||||delivered,to phone — é|",
        "2|1700000001.123456789|phone.wlan0|SSDP||speaker.local|1||||5||",
        "3|1700000002.123456789|phone.wlan0|IPv4|television|||1|||||",
        "4|1700000002.123456789|phone.wlan0|IPv4|television|||1|||||",
        "5|1700000002.123456789|phone.wlan0|SSDP|television||1|1|||||",
        "6|1700000002.123456789|phone.wlan0|IPv6||speaker.local|||||||",
        "7|1700000002.123456789|phone.wlan0|IPv6||speaker.local|||||||",
        "8|1700000002.123456789|phone.wlan0|SSDP||speaker.local|1||||||",
        "9|1700000003.123456789|tv.eth0|IGMPv3|television|||1|1||||",
        "10|1700000003.123456789|tv.eth0|ICMPv6||speaker.local||||1|||",
      ])
  }

  @Test("the direction of a frame reads back, and a frame without one has none")
  func directions() throws {
    var writer = CaptureWriter(section: CaptureSection())
    let interface = writer.interface(name: "x")
    writer.frame(interface: interface, time: .zero, [1], direction: .inbound, comments: ["came"])
    writer.frame(interface: interface, time: .zero, [2], direction: .outbound)
    writer.frame(interface: interface, time: .zero, [3])
    writer.frame(interface: interface, time: .zero, [4], comments: ["neither"])
    var reader = try CaptureReader(pull: source(writer.bytes))
    var frame = CaptureFrame()
    var directions: [CaptureFrame.Direction?] = []
    while reader.next(&frame) { directions.append(frame.direction) }
    expectEqual(directions, [.inbound, .outbound, nil, nil])
  }
}

@Suite("Comments between frames") struct CaptureRemarkTests {
  @Test("they are read where they stand, each once, and count as no frame")
  func remarks() throws {
    var writer = CaptureWriter(section: CaptureSection())
    let interface = writer.interface(name: "a")
    writer.remarks(["first", "second"], time: .zero)
    writer.frame(interface: interface, time: .zero + .seconds(1), [1])
    writer.remarks(["third"], interface: interface, time: .zero + .seconds(2))
    writer.frame(interface: interface, time: .zero + .seconds(2), [2])
    writer.remarks(["last"], time: .zero + .seconds(3))
    var rest = writer.bytes[...]
    var reader = try CaptureReader { room in
      let count = min(room.count, rest.count)
      room.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
    var frame = CaptureFrame()
    func next() throws {
      let isThere = reader.next(&frame)
      try #require(isThere)
    }
    expectEqual(reader.takeRemarks(), ["first", "second"])
    try next()
    expectEqual([frame.number, Int(frame.content[0])], [1, 1])
    expectEqual(reader.takeRemarks(), [])
    try next()
    expectEqual([frame.number, Int(frame.content[0])], [2, 2])
    expectEqual(reader.takeRemarks(), ["third"])
    let hasMore = reader.next(&frame)
    #expect(!hasMore)
    expectEqual(reader.takeRemarks(), ["last"])
    #expect(reader.problem == nil)
  }

  @Test("a frame's time counts from another origin, before and behind it")
  func origin() {
    var frame = CaptureFrame()
    for (nanoseconds, text) in [
      (1_500_000_000 as Int64, "0.500000000"), (1_000_000_000, "0.000000000"), (999_999_999, "-1.999999999"),
      (3_000_000_001, "2.000000001"),
    ] {
      (frame.time, frame.hasTime) = (Instant(nanoseconds: nanoseconds), true)
      frame.countTime(from: .zero + .seconds(1))
      expectEqual(frame.timeText, text)
      expectEqual(frame.time, Instant(nanoseconds: nanoseconds - 1_000_000_000))
    }
    var bare = CaptureFrame()
    bare.hasTime = false
    bare.countTime(from: .zero + .seconds(1))
    expectEqual(bare.timeText, "")
  }
}
