import RollcallCapture
import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// The first byte chooses a link layer, then come frames: two bytes of time step and length, then so many bytes.
  ///
  /// Every frame is looked at twice, with different bytes behind its end: what is not part of it must not matter. What
  /// is found is what the slow reference finds, fragments put together, wherever the reference knows the layers.
  package static let linkLayers = FuzzTarget(name: "link-layers", dictionary: words, seeds: seeds) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    try check(bytes)
    for cut in cuts(of: bytes) { try check(Array(bytes[..<cut])) }
  }

  static let linkTypes: [UInt32] = [
    LinkType.ethernet, LinkType.raw, LinkType.linuxCooked, LinkType.linuxCooked2, LinkType.null, LinkType.loop,
    LinkType.ipv4, LinkType.ipv6, 12, 9, 50, 51, 104, 105, 119, 127, 192, 163, 147, 7, 10, 129, 149, 226, 239, 258, 284,
  ]
  /// From one frame to the next; fragments are given up after 30 s.
  static let linkSteps: [Interval] = [
    .zero, .microseconds(1), .milliseconds(1), .seconds(1), .seconds(10), .seconds(29), .seconds(30), .seconds(31),
  ]

  private static func check(_ bytes: [UInt8]) throws(FuzzFinding) {
    var choices = ByteChoices(bytes)
    let linkType = choices.pick(linkTypes)
    var extractor = DatagramExtractor()
    var other = DatagramExtractor()
    var reference = LinkReference(linkType: linkType)
    var time = Instant.zero
    var number = 0
    var found = 0
    var byteCount = 0
    while !choices.isOver {
      let step = Int(choices.byte())
      time += linkSteps[step >> 5]
      let content = choices.take((step & 0x0F) << 8 | Int(choices.byte()))
      number += 1
      byteCount += content.count
      let first = FoundDatagram(content, linkType, time, number, behind: 0xA5, &extractor)
      let second = FoundDatagram(content, linkType, time, number, behind: 0x11, &other)
      try expect(first == second, "frame \(number): the bytes behind its end matter")
      if let first {
        found += 1
        try expect(first.isInside, "frame \(number): the payload lies elsewhere")
        try expect(first.payload.count <= byteCount, "frame \(number): more payload than bytes")
      }
      if let expected = reference?.read(content, at: time) {
        try expect(
          first?.plain == expected, "frame \(number): \(String(describing: first?.plain)), reference: \(expected)")
      } else if let reference, !reference.isOut {
        try expect(first == nil, "frame \(number): \(String(describing: first?.plain)), reference: nothing")
      }
    }
    try expect(extractor.datagramCount == found, "datagrams are counted wrong")
    let counted = extractor.linkTypes.reduce(0) { $0 + $1.frames }
    try expect(counted == number, "\(number) frames, \(counted) counted")
    try expect(extractor.droppedReassemblies <= number, "more was dropped than there were frames")
  }

  private static let words = [
    "\u{8}\u{0}E\u{0}", "\u{11}", "\u{7}l\u{7}l", "M-SEARCH", "\u{0}\u{20}", "`\u{0}", ",", "\u{0}\u{2}\u{0}\u{0}",
    "\u{0}\u{0}\u{0}\u{2}", "\u{0}\u{1E}", "\u{2}\u{0}\u{0}\u{0}", "E\u{0}\u{0}", "F", "\u{0}\u{0}\u{0}\u{0}",
  ]

  private static let seeds: [[UInt8]] = {
    let link = LinkAddresses(
      source: MACAddress(2, 0, 0, 0, 0, 1), destination: MACAddress(1, 0, 0x5E, 0x7F, 0xFF, 0xFA), vlan: nil)
    let tagged = LinkAddresses(source: link.source, destination: link.destination, vlan: 7)
    func frames(_ link: LinkAddresses, isV6: Bool, byteCount: Int, mtu: Int = 1_500) -> [[UInt8]] {
      let source =
        isV6
        ? Endpoint(IPAddress(v6High: 0xFE80 << 48, low: 0x20), port: 1_900)
        : Endpoint(IPAddress(192, 168, 1, 20), port: 1_900)
      let group = FuzzTarget.announcementGroup(isV6: isV6)
      let payload = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }
      return FrameWriter.udp(
        link, from: source, to: group, hopLimit: 2, payload: payload, identification: 0x77, mtuBytes: mtu)
    }
    func input(_ linkType: UInt8, _ frames: [[UInt8]]) -> [UInt8] {
      var bytes = [linkType]
      for frame in frames { bytes += [UInt8(frame.count >> 8), UInt8(frame.count & 0xFF)] + frame }
      return bytes
    }
    let small4 = frames(link, isV6: false, byteCount: 21)
    let small6 = frames(link, isV6: true, byteCount: 21)
    let cut4 = frames(link, isV6: false, byteCount: 130, mtu: 68)
    let cut6 = frames(tagged, isV6: true, byteCount: 1_400, mtu: 1_280)
    func bare(_ frames: [[UInt8]]) -> [[UInt8]] { frames.map { Array($0.dropFirst(14)) } }
    let backbone = [UInt8](repeating: 2, count: 12) + [0x88, 0xE7, 0, 0, 0, 1]
    let cooked = bare(small4).map { [0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 8, 0] + $0 }
    let cooked2 = bare(small6).map { [0x86, 0xDD, 0, 0, 0, 0, 0, 2, 0, 1, 4, 6, 2, 0, 0, 0, 0, 1, 0, 0] + $0 }
    return [
      input(0, small4), input(0, small6), input(0, cut4), input(0, cut4.reversed()), input(0, cut6),
      input(0, frames(tagged, isV6: false, byteCount: 3)), input(1, bare(small4 + small6)), input(2, cooked),
      input(3, cooked2), input(4, bare(small4).map { [2, 0, 0, 0] + $0 }),
      input(5, bare(small6).map { [0, 0, 0, 30] + $0 }),
      input(0, small4.map { backbone + $0 }), input(0, small6.map { backbone + backbone + $0 }),
      input(0, cut4 + small6 + cut4), input(9, bare(small4).map { [0xFF, 3, 0, 0x21] + $0 }),
    ]
  }()
}

/// What was found in a frame, with its bytes.
struct FoundDatagram: Equatable {
  /// What the reference knows too.
  struct Plain: Equatable {
    var source: Endpoint
    var destination: Endpoint
    var hopLimit: UInt8
    var vlan: Int32
    var fragmentCount: Int
    var isCut: Bool
    var checksum: UDPChecksum
    var payload: [UInt8]
  }

  var plain: Plain
  var isInside: Bool
  var payload: [UInt8] { plain.payload }

  /// Gives the frame to an extractor, with `behind` in every byte that follows it.
  init?(
    _ content: [UInt8], _ linkType: UInt32, _ time: Instant, _ number: Int, behind: UInt8,
    _ extractor: inout DatagramExtractor
  ) {
    let room = content + [UInt8](repeating: behind, count: CaptureFrame.paddingBytes)
    let found = room.withUnsafeBytes { memory -> FoundDatagram? in
      guard let base = memory.baseAddress else { return nil }
      var frame = CaptureFrame()
      (frame.number, frame.time, frame.linkType, frame.bytes) = (number, time, linkType, base)
      (frame.capturedCount, frame.originalCount) = (content.count, content.count)
      var datagram = ExtractedDatagram()
      let fragments = extractor.fragmentCount
      guard extractor.extract(frame, into: &datagram) else { return nil }
      // A datagram that came in one piece lies in the frame; one that was put together lies in a buffer of its own.
      var isInside = extractor.fragmentCount > fragments
      if !isInside, let start = datagram.payload.baseAddress {
        let offset = start - base
        isInside = offset >= 0 && offset + datagram.payload.count <= content.count
      }
      return FoundDatagram(
        plain: Plain(
          source: datagram.source, destination: datagram.destination, hopLimit: datagram.hopLimit,
          vlan: datagram.vlan, fragmentCount: datagram.fragmentCount, isCut: datagram.isCut,
          checksum: datagram.checksum, payload: Array(datagram.payload)), isInside: isInside)
    }
    guard let found else { return nil }
    self = found
  }

  private init(plain: Plain, isInside: Bool) { (self.plain, self.isInside) = (plain, isInside) }
}
