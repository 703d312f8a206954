import RollcallCapture
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallTrace
import RollcallWire

/// A capture that was taken at one station of a network, with what such a file says beside its frames.
struct StationCapture {
  struct Frame {
    var seconds: Double
    var source: String
    var destination: String
    var text: String
    var direction: CaptureFrame.Direction?
    var comments: [String]
  }
  /// Of the section header.
  var comments: [String] = []
  var names: [(address: String, name: String)] = []
  var frames: [Frame] = []

  mutating func add(
    _ seconds: Double, _ source: String, _ destination: String, _ text: String,
    _ direction: CaptureFrame.Direction? = nil, comments: [String] = []
  ) {
    frames.append(
      Frame(
        seconds: seconds, source: source, destination: destination, text: text, direction: direction,
        comments: comments))
  }

  /// Moves the clock to a time, and is no discovery.
  mutating func addNothing(_ seconds: Double) { add(seconds, "10.0.0.1:5000", "10.0.0.2:53", "no discovery", .inbound) }

  /// The first second of the capture is 1000.
  var bytes: [UInt8] {
    var section = CaptureSection()
    section.comments = comments
    var writer = CaptureWriter(section: section)
    let interface = writer.interface(name: "if0")
    writer.names(
      names.compactMap { name in IPAddress(name.address).map { CaptureName(address: $0, name: name.name) } })
    for (number, frame) in frames.enumerated() {
      guard let source = Endpoint(frame.source), let destination = Endpoint(frame.destination) else { continue }
      let hardware = MACAddress(bits: 0x0200_0000_0000 | source.address.low & 0xFFFF_FFFF)
      let other = MACAddress(bits: 0x0200_0000_0000 | destination.address.low & 0xFFFF_FFFF)
      let link =
        LinkAddresses(source: hardware, group: destination.address)
        ?? LinkAddresses(source: hardware, destination: other)
      let time = Instant.zero + .seconds(1_000) + .milliseconds(Int64((frame.seconds * 1_000).rounded()))
      for piece in FrameWriter.udp(
        link, from: source, to: destination, hopLimit: 2, payload: TinyCapture.octets(frame.text),
        identification: UInt32(number))
      {
        writer.frame(interface: interface, time: time, piece, direction: frame.direction, comments: frame.comments)
      }
    }
    writer.finish()
    return writer.bytes
  }

  /// `1000.200 0:2 found uuid:lamp`: of each report the time, the file and its frame, and two words.
  /// - Parameter host: `nil`: everybody.
  static func reports(_ files: [[UInt8]], as host: String?, teller: StoryTeller? = nil) throws -> [String] {
    var lines: [String] = []
    var options = ReplayOptions(wantsMessages: false)
    if let host { options.perspective = .host(host) }
    var replay = Replay(options: options, teller: teller) { event in
      guard case .report(let report, let time, let frame) = event else { return }
      let place = frame.map { "\(FrameNames.file(of: $0)):\(FrameNames.frame(of: $0))" } ?? "time"
      let words = ReportText.line(report).split(separator: " ").prefix(2).joined(separator: " ")
      lines.append("\(time.description.dropLast(6)) \(place) \(words)")
    }
    if files.count == 1 {
      var reader = try TinyCapture.reader(files[0])
      replay.run(&reader)
    } else {
      replay.run(merging: try files.map { CaptureSource(path: "x", reader: try TinyCapture.reader($0)) })
    }
    return lines
  }
}

extension StationCapture {
  static let phone = "192.168.1.9"
  static let tv = "192.168.1.20"

  /// What a phone and a television said, as the file of one of them has it. The last message has the phone's address, and
  /// is somebody else's.
  /// - Parameters:
  ///   - isNoted: whether the file says whose it is.
  ///   - isNumbered: whether a file of the phone that says so has the number of the phone's search.
  static func file(
    of station: String, isNoted: Bool = true, isNumbered: Bool = true, comments: [String] = []
  ) -> [UInt8] {
    var capture = StationCapture()
    capture.names = [(phone, "phone"), (tv, "tv")]
    let isPhone = station == phone
    if isNoted { capture.comments = ["rollcall host: \(isPhone ? "phone" : "tv")"] + comments }
    func add(_ seconds: Double, _ source: String, _ destination: String, _ text: String, isForged: Bool = false) {
      let isOut = source.hasPrefix(station + ":") && !isForged
      let hasNumber = seconds == 0 && isNoted && isNumbered && isPhone
      capture.add(
        seconds, source, destination, text, isOut ? .outbound : .inbound,
        comments: hasNumber ? ["rollcall search: 7 wait 1s"] : [])
    }
    add(0, phone + ":40000", TinyCapture.group, TinyCapture.search("ssdp:all"))
    add(0.2, tv + ":1900", phone + ":40000", TinyCapture.answer("lamp"))
    add(0.5, tv + ":1900", TinyCapture.group, TinyCapture.alive("lamp"))
    add(0.6, phone + ":1900", TinyCapture.group, TinyCapture.alive("own", location: "http://192.168.1.9/"))
    add(
      0.7, phone + ":1900", TinyCapture.group, TinyCapture.alive("ghost", location: "http://192.168.1.9/"),
      isForged: true)
    return capture.bytes
  }
}
