import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import Testing
import RollcallWire

/// A replay as JSON lines: messages, reports and the summary, of one file and of two.
@Suite("Lines of a replay")
struct ReplayLineTests {
  private static let lamp = "192.168.1.20"

  private static let alive =
    #""time":"1000.000000000","source":"192.168.1.20:1900","destination":"239.255.255.250:1900","#
    + #""type":"notify-alive","headers":{"HOST":"239.255.255.250:1900","CACHE-CONTROL":"max-age=1800","#
    + #""LOCATION":"http://192.168.1.20/d.xml","NT":"upnp:rootdevice","NTS":"ssdp:alive","#
    + #""SERVER":"Linux/6.1 UPnP/1.0 tiny/1","USN":"uuid:lamp::upnp:rootdevice"},"accepted":true}"#
  private static let found =
    #""layer":"ssdp","event":"found","device":"uuid:lamp","location":"http://192.168.1.20/d.xml","#
    + #""source":"192.168.1.20"}"#
  private static let byebye =
    #""time":"1001.000000000","source":"192.168.1.66:1900","destination":"239.255.255.250:1900","#
    + #""type":"notify-byebye","headers":{"HOST":"239.255.255.250:1900","NT":"upnp:rootdevice","NTS":"ssdp:byebye","#
    + #""USN":"uuid:lamp::upnp:rootdevice"},"accepted":false,"rejection":{"reason":"foreignByebye","offset":91}}"#
  private static let unknown =
    #""time":"1002.000000000","source":"192.168.1.20:1900","destination":"239.255.255.250:1900","#
    + #""type":"unknown","headers":{},"accepted":false,"rejection":{"reason":"startLine","offset":0}}"#
  private static let head = #"{"schema":"rollcall/1","kind":"#

  @Test("messages come with their fields and what was wrong with them, reports behind the message that caused them")
  func messages() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.alive("lamp"))
    capture.add(1, "192.168.1.66", TinyCapture.byebye("lamp"))
    capture.add(2, Self.lamp, "hello")
    var lines: [String] = []
    var replay = Replay(options: ReplayOptions()) { lines.append(ReplayLines.json($0, capture: "x")) }
    var reader = try capture.reader()
    replay.run(&reader)
    let message = Self.head + #""message","capture":"x","frame":"#
    expectEqual(
      lines,
      [
        message + "1," + Self.alive, Self.head + #""report","time":"1000.000000000","frame":1,"# + Self.found,
        message + "2," + Self.byebye, message + "3," + Self.unknown,
      ])
    // Of two files each frame has the name of its own.
    var other = TinyCapture()
    other.add(1, "192.168.1.66", TinyCapture.byebye("lamp"))
    capture.lines.remove(at: 1)
    let names = FrameNames(labels: ["a", "b"])
    var merged: [String] = []
    var both = Replay(options: ReplayOptions()) { merged.append(ReplayLines.json($0, capture: "x", names: names)) }
    both.run(merging: try [capture, other].map { CaptureSource(path: "x", reader: try $0.reader()) })
    expectEqual(
      merged,
      [
        message + #"1,"file":"a","# + Self.alive,
        Self.head + #""report","time":"1000.000000000","frame":1,"file":"a","# + Self.found,
        message + #"1,"file":"b","# + Self.byebye, message + #"2,"file":"a","# + Self.unknown,
      ])
  }

  @Test("a packet of Bluetooth LE has its channel and strength where they are known, and the file of its frame")
  func packets() {
    let packet = RadioPDU(channel: 37, strength: -60, accessAddress: 0x8E89_BED6, bytes: [0x00, 0x0A, 0xFF])
    let bare = RadioPDU(channel: nil, strength: nil, accessAddress: 0x8E89_BED6, bytes: [])
    let time = Instant.zero + .milliseconds(12_500)
    let second = ReplayEvent.packet(packet, time: time, frame: FrameNames.number(file: 1, frame: 7))
    expectEqual(
      ReplayLines.json(second, capture: "x", names: FrameNames(labels: ["a", "b"])),
      Self.head + #""packet","frame":7,"file":"b","time":"12.500000000","channel":37,"strength":-60,"bytes":"000aff"}"#)
    expectEqual(
      ReplayLines.json(.packet(bare, time: time, frame: 7), capture: "x"),
      Self.head + #""packet","frame":7,"time":"12.500000000","channel":null,"strength":null,"bytes":""}"#)
  }

  @Test("a datagram of two files has the name of its file")
  func datagrams() throws {
    var (one, other) = (TinyCapture(), TinyCapture())
    one.add(0, Self.lamp, "hello")
    other.add(1, Self.lamp, "hello")
    let names = FrameNames(labels: ["a", "b"])
    var lines: [String] = []
    let options = ReplayOptions(wantsDatagrams: true, wantsMessages: false)
    var replay = Replay(options: options) { event in
      if case .datagram = event { lines.append(ReplayLines.json(event, capture: "x", names: names)) }
    }
    replay.run(merging: try [one, other].map { CaptureSource(path: "x", reader: try $0.reader()) })
    let rest =
      #""linkType":1,"source":"192.168.1.20:1900","destination":"239.255.255.250:1900","length":5,"#
      + #""sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}"#
    expectEqual(
      lines,
      [
        Self.head + #""datagram","frame":1,"file":"a","time":"1000.000000000","# + rest,
        Self.head + #""datagram","frame":1,"file":"b","time":"1001.000000000","# + rest,
      ])
  }

  @Test("of several files the one that was not read to its end is named")
  func damaged() throws {
    let whole = TinyCapture.lamps(2).bytes
    let cut = Array(whole.dropLast(7))
    func damage(_ files: [[UInt8]]) throws -> String {
      let line = try summary(files)
      let start = try #require(line.firstRange(of: #""damage":[{"#))
      return String(line[start.upperBound...])
    }
    // The last block says at its end how long it is.
    let last = whole.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    let (read, count) = (whole.count - last, cut.count)
    let alone =
      #""what":"the file ends inside frame 3 (byte \#(read))","beforeEnd":false,"framesRead":2,"bytesRead":\#(read),"#
      + #""bytes":\#(count),"percentRead":\#(read * 100 / count)}]}"#
    try expectEqual(damage([cut]), alone)
    try expectEqual(damage([whole, cut]), #""capture":"x","# + alone)
    let line = try summary([cut])
    #expect(
      line.contains(
        #""problems":[{"what":"the file ends inside frame 3 (byte \#(read))","frame":3,"count":1}],"damage":[{"#))
  }

  /// A summary without its head.
  private func summary(_ files: [[UInt8]]) throws -> String {
    var replay = Replay(options: ReplayOptions())
    if files.count == 1 {
      var reader = try TinyCapture.reader(files[0])
      replay.run(&reader)
    } else {
      replay.run(merging: try files.map { CaptureSource(path: "x", reader: try TinyCapture.reader($0)) })
    }
    let line = ReplayLines.json(replay.summary, capture: "x")
    let head = Self.head + #""summary","capture":"x","#
    #expect(line.hasPrefix(head))
    return String(line.dropFirst(head.count))
  }

  /// Frames of another link, which is not read, with their times.
  private func foreign(_ seconds: [Int64]) -> [UInt8] {
    var writer = CaptureWriter(section: CaptureSection())
    let interface = writer.interface(name: "usb", linkType: 189)
    for time in seconds { writer.frame(interface: interface, time: .zero + .seconds(time), [1, 2, 3]) }
    writer.finish()
    return writer.bytes
  }

  @Test("a summary counts messages and refusals by kind, a device that came back once, and what is wrong with the file")
  func summaries() throws {
    var capture = TinyCapture()
    for (seconds, last, text) in [
      (0, 20, TinyCapture.alive("lamp")), (1, 20, TinyCapture.byebye("lamp")), (5, 20, TinyCapture.alive("lamp")),
      (6, 21, TinyCapture.alive("hall", location: "http://192.168.1.21/")), (7, 20, "hello"),
      (8, 66, TinyCapture.byebye("lamp")), (9, 20, TinyCapture.alive("lamp").replacing("ssdp:alive", with: "ssdp:x")),
      (10, 9, TinyCapture.search("ssdp:all")), (11, 66, TinyCapture.byebye("lamp")),
    ] as [(Double, Int, String)] { capture.add(seconds, "192.168.1.\(last)", text) }
    let messages = #""messages":{"notify-alive":3,"notify-byebye":3,"search":1,"unknown":2},"#
    let rejected = #""rejected":{"startLine":1,"badNTS":1,"foreignByebye":2},"#
    let devices = #""devices":{"ever":2,"present":2,"openLeases":2},"#
    try expectEqual(
      summary([capture.bytes]), #""frames":9,"linkTypes":{"1":9},"# + messages + rejected + devices + #""problems":[]}"#
    )
    let unread = #"{"what":"link type 189 (USB of Linux) is not read","frame":null,"count":"#
    try expectEqual(
      summary([foreign([5, 3, 4])]),
      #""frames":3,"linkTypes":{"189":3},"messages":{},"rejected":{},"#
        + #""devices":{"ever":0,"present":0,"openLeases":0},"problems":[{"what":"time goes back","frame":2,"count":2},"#
        + unread + "3}]}")
    // Before it runs, a replay has nothing to tell.
    let nothing = #""messages":{},"rejected":{},"devices":{"ever":0,"present":0,"openLeases":0},"problems":[]}"#
    let fresh = Replay(options: ReplayOptions()).summary
    expectEqual(
      ReplayLines.json(fresh, capture: "x"),
      Self.head + #""summary","capture":"x","frames":0,"linkTypes":{},"# + nothing)
    #expect(fresh.reports == 0 && fresh.entries == 0)
    // Two files are counted together, and so are frames of one link in both.
    let together = try summary([foreign([5]), foreign([6, 7])])
    #expect(together.hasPrefix(#""frames":3,"linkTypes":{"189":3},"#), "\(together)")
    try expectEqual(
      summary([capture.bytes, foreign([1_001, 1_002])]),
      #""frames":11,"linkTypes":{"1":9,"189":2},"# + messages + rejected + devices + #""problems":["# + unread
        + "2}]}")
  }
}
