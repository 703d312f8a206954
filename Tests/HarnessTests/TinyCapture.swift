import RollcallCapture
import RollcallDiscovery
import RollcallExplaining
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallScenarios
import RollcallWire

/// A capture of a handful of datagrams, written as text.
struct TinyCapture {
  struct Line {
    var seconds: Double
    var source: String
    var destination: String
    var text: String
    var interface = 0
    /// What IPv4 numbers its packet with; `nil`: its place.
    var identification: UInt32?
    /// In place of the text.
    var payload: [UInt8]?
  }
  var lines: [Line] = []
  /// Names of the interfaces.
  var interfaces = ["eth0"]
  /// Seconds since the Unix epoch that the first frame counts from.
  var epochSeconds: Int64 = 1_000

  static let group = "239.255.255.250:1900"

  mutating func add(
    _ seconds: Double, _ source: String, _ destination: String, _ text: String, interface: Int = 0
  ) {
    lines.append(
      Line(
        seconds: seconds, source: source.contains(":") ? source : source + ":1900", destination: destination,
        text: text, interface: interface))
  }

  mutating func add(_ seconds: Double, _ source: String, _ text: String, interface: Int = 0) {
    add(seconds, source, TinyCapture.group, text, interface: interface)
  }

  /// A datagram of port 5353.
  mutating func add(
    _ seconds: Double, _ source: String, to destination: String = "224.0.0.251:5353", payload: [UInt8]
  ) {
    lines.append(
      Line(
        seconds: seconds, source: source.contains(":") ? source : source + ":5353", destination: destination, text: "",
        payload: payload))
  }

  var bytes: [UInt8] {
    var writer = CaptureWriter(section: CaptureSection())
    for name in interfaces { _ = writer.interface(name: name) }
    for (number, line) in lines.enumerated() {
      guard let source = Endpoint(line.source), let destination = Endpoint(line.destination) else { continue }
      let hardware = MACAddress(bits: 0x0200_0000_0000 | source.address.low & 0xFFFF_FFFF)
      let link =
        LinkAddresses(source: hardware, group: destination.address)
        ?? LinkAddresses(source: hardware, destination: MACAddress(bits: 0x0200_0000_0000 | destination.address.low))
      let payload = line.payload ?? TinyCapture.octets(line.text)
      let time = Instant.zero + .seconds(epochSeconds) + .milliseconds(Int64((line.seconds * 1_000).rounded()))
      for frame in FrameWriter.udp(
        link, from: source, to: destination, hopLimit: 2, payload: payload,
        identification: line.identification ?? UInt32(number))
      {
        writer.frame(interface: line.interface, time: time, frame)
      }
    }
    writer.finish()
    return writer.bytes
  }

  /// The first datagram as frames, in fragments where it has to be.
  func pieces(mtuBytes: Int) -> [[UInt8]] {
    guard let line = lines.first, let source = Endpoint(line.source), let destination = Endpoint(line.destination),
      let link = LinkAddresses(source: MACAddress(bits: 0x0200_0000_0001), group: destination.address)
    else { return [] }
    return FrameWriter.udp(
      link, from: source, to: destination, hopLimit: 2, payload: TinyCapture.octets(line.text), identification: 7,
      mtuBytes: mtuBytes)
  }

  func reader() throws -> CaptureReader { try TinyCapture.reader(bytes) }

  /// Opens a capture that is in memory.
  static func reader(_ bytes: [UInt8]) throws -> CaptureReader {
    var rest = bytes[...]
    return try CaptureReader { buffer in
      let count = min(buffer.count, rest.count)
      buffer.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
  }

  /// The text as it goes on the wire: every line ends with CR LF.
  static func octets(_ text: String) -> [UInt8] { text.utf8.flatMap { $0 == 10 ? [13, 10] : [$0] } }

  // MARK: Messages

  static func alive(
    _ uuid: String, _ target: String = "upnp:rootdevice", location: String? = "http://192.168.1.20/d.xml",
    maxAge: Int = 1_800, more: String = ""
  ) -> String {
    let place = location.map { "LOCATION: \($0)\n" } ?? ""
    return "NOTIFY * HTTP/1.1\nHOST: 239.255.255.250:1900\nCACHE-CONTROL: max-age=\(maxAge)\n\(place)NT: \(target)\n"
      + "NTS: ssdp:alive\nSERVER: Linux/6.1 UPnP/1.0 tiny/1\nUSN: uuid:\(uuid)::\(target)\n\(more)\n"
  }

  /// A device whose byebye is forged five seconds before its own.
  static func forgedByebye(of uuid: String) -> TinyCapture {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", alive(uuid, maxAge: 60))
    capture.add(5, "192.168.1.66", byebye(uuid))
    capture.add(10, "192.168.1.20", byebye(uuid))
    return capture
  }

  static func byebye(_ uuid: String, _ target: String = "upnp:rootdevice") -> String {
    "NOTIFY * HTTP/1.1\nHOST: 239.255.255.250:1900\nNT: \(target)\nNTS: ssdp:byebye\nUSN: uuid:\(uuid)::\(target)\n\n"
  }

  static func search(_ target: String, mx: Int = 1) -> String {
    "M-SEARCH * HTTP/1.1\nHOST: 239.255.255.250:1900\nMAN: \"ssdp:discover\"\nMX: \(mx)\nST: \(target)\n\n"
  }

  static func answer(
    _ uuid: String, _ target: String = "upnp:rootdevice", location: String = "http://192.168.1.20/d.xml",
    maxAge: Int = 1_800
  ) -> String {
    "HTTP/1.1 200 OK\nCACHE-CONTROL: max-age=\(maxAge)\nEXT: \nLOCATION: \(location)\nSERVER: Linux/6.1 UPnP/1.0 tiny/1\n"
      + "ST: \(target)\nUSN: uuid:\(uuid)::\(target)\n\n"
  }

  // MARK: Replays

  func story(
    _ party: String? = nil, as perspective: ReplayOptions.Perspective = .everybody, settings: [String] = [],
    until: Interval? = nil, probe: Probe? = nil, searches: SearchOverride? = nil,
    bounds: StoryTeller.Bounds = StoryTeller.Bounds()
  ) throws -> Story {
    var engine = EngineConfiguration()
    try engine.apply(settings)
    var options = ReplayOptions(perspective: perspective, engine: engine, until: until, wantsMessages: false)
    options.searches = searches
    let teller = StoryTeller(
      party: party.flatMap { StoryParty($0) ?? StoryParty(name: $0) }, configuration: engine, probe: probe,
      bounds: bounds)
    var replay = Replay(options: options, teller: teller)
    var reader = try reader()
    replay.run(&reader)
    return teller.finished(frames: replay.summary.frames)
  }
}

extension TinyCapture {
  /// The scenario that is made of the capture, with all names kept.
  /// - Parameter end: when the capture ends, in seconds.
  func reproduced(end: Double, as perspective: ReplayOptions.Perspective = .everybody) throws -> Reproduce.Outcome {
    var capture = self
    capture.add(end, "192.168.1.9:4000", "192.168.1.8:4000", "no discovery\n")
    let options = Reproduce.Options(
      perspective: perspective, keepsIdentities: true, title: "made", source: "made", findsBite: false)
    return try Reproduce.reproduce(options) { try capture.reader() }
  }

  /// Announcements of so many lamps, a second apart, and the byebye of the fourth at nine seconds.
  static func lamps(_ count: Int) -> TinyCapture {
    var capture = TinyCapture()
    for number in 0..<count {
      let address = "192.168.1.2\(number)"
      capture.add(Double(number), address, alive("lamp\(number)", location: "http://\(address)/"))
    }
    capture.add(9, "192.168.1.23", byebye("lamp3"))
    return capture
  }
}
