import RollcallCapture
import RollcallPrimitives
import RollcallSimulation
import RollcallTrace
import RollcallWire

/// The frames of a capture that the entries of one host show.
struct EntryFrames {
  struct Frame {
    var time: Instant
    var interface: Int
    var bytes: [UInt8]
    var direction: CaptureFrame.Direction
    var comments: [String]
    /// The place of the entry that it shows; `nil`: none.
    var entry: Int?
    /// The places of signals that the engine was given right behind it, of streams and connections alone.
    var signals: [Int] = []
  }

  var cast: CaptureExport.Cast
  private var identification: UInt32 = 0
  private var searches = SentSearches()
  private var streams = StreamFrames()
  private var links = LinkFrames()

  init(_ cast: CaptureExport.Cast) { self.cast = cast }

  /// The number of the interface that stands for the radio: one more than the host has.
  var radio: Int { cast.interfaces.count }

  /// The frames of a host's entries and of its membership messages, in order of time.
  static func all(
    of entries: [TraceEntry], _ membership: [MembershipFrame], _ cast: CaptureExport.Cast
  ) -> [Frame] {
    var frames: [Frame] = []
    var shown = EntryFrames(cast)
    shown.take(entries, into: &frames)
    for message in membership { if let frame = shown.frame(of: message) { frames.append(frame) } }
    return frames.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }

  /// Adds the frames of entries, in the order of the entries; a frame may belong to an earlier time.
  ///
  /// What the system refused to send is left out, where the refusal is among these entries.
  mutating func take(_ entries: [TraceEntry], into frames: inout [Frame]) {
    let refused = EntryFrames.refusedEntries(entries)
    for (place, entry) in entries.enumerated() {
      take(entry, place, isRefused: refused.contains(place), into: &frames)
    }
  }

  private mutating func take(_ entry: TraceEntry, _ place: Int, isRefused: Bool, into frames: inout [Frame]) {
    searches.take(entry)
    frames += streams.take(entry).compactMap { frame(of: $1, at: $0, place) }
    frames += links.take(entry).map { shown in
      Frame(
        time: entry.time, interface: radio, bytes: shown.bytes, direction: shown.isOwn ? .outbound : .inbound,
        comments: [], entry: place)
    }
    // At one instant the order counts, and only a frame can say what was given before it and what behind.
    if entry.isOfConnection, let last = frames.last, last.time == entry.time {
      frames[frames.count - 1].signals.append(place)
    }
    if let bytes = RadioFrames.bytes(of: entry) {
      frames.append(
        Frame(time: entry.time, interface: radio, bytes: bytes, direction: .inbound, comments: [], entry: place))
    }
    switch entry.content {
    case .received(let heard):
      add(heard, .inbound, ["from \(cast.name(of: heard.source.address))"], entry.time, place, to: &frames)
    case .sent(let sent) where !isRefused:
      var comments = ["sent by \(cast.host)"]
      if let search = searches.search(of: sent) { comments.append(SearchNote(search).comment) }
      add(sent, .outbound, comments, entry.time, place, to: &frames)
    default: break
    }
  }

  private mutating func add(
    _ datagram: RecordedDatagram, _ direction: CaptureFrame.Direction, _ comments: [String], _ time: Instant,
    _ place: Int, to frames: inout [Frame]
  ) {
    identification &+= 1
    let number = Int(datagram.interface.number)
    let mtu = number < cast.interfaces.count ? cast.interfaces[number].mtuBytes : 1_500
    let pieces = FrameWriter.udp(
      EntryFrames.link(datagram.source.address, datagram.destination.address), from: datagram.source,
      to: datagram.destination, hopLimit: datagram.hopLimit, payload: datagram.bytes, identification: identification,
      mtuBytes: mtu)
    for piece in pieces {
      frames.append(
        Frame(
          time: time, interface: number, bytes: piece, direction: direction, comments: comments, entry: place))
    }
  }

  private func frame(of shown: StreamFrames.Segment, at time: Instant, _ place: Int) -> Frame? {
    let (source, destination) = (shown.segment.source.address, shown.segment.destination.address)
    guard let bytes = FrameWriter.tcp(EntryFrames.link(source, destination), shown.segment) else { return nil }
    return Frame(
      time: time, interface: Int(shown.interface.number), bytes: bytes,
      direction: shown.isOwn ? .outbound : .inbound,
      comments: [shown.isOwn ? "sent by \(cast.host)" : "from \(cast.name(of: source))"], entry: place)
  }

  private func frame(of message: MembershipFrame) -> Frame? {
    let isV4 = message.destination.family == .v4
    let bytes = FrameWriter.frame(
      EntryFrames.link(message.source, message.destination), from: message.source, to: message.destination,
      protocolNumber: isV4 ? .igmp : .icmpV6, ipPayload: message.message)
    guard let bytes else { return nil }
    let isOwn = cast.name(of: message.source) == cast.host
    return Frame(
      time: message.time, interface: Int(message.interface.number), bytes: bytes,
      direction: isOwn ? .outbound : .inbound, comments: [isOwn ? "membership report" : "membership query"])
  }

  /// Which transmissions the system refused: each refusal is about the latest one that it can be about.
  private static func refusedEntries(_ entries: [TraceEntry]) -> Set<Int> {
    var refused: Set<Int> = []
    for (place, entry) in entries.enumerated() {
      guard case .signal(.host(.refused(let refusal))) = entry.content, refusal.deed == .send else { continue }
      let copy = entries[..<place].indices.last { index in
        guard case .sent(let sent) = entries[index].content, !refused.contains(index) else { return false }
        return sent.destination.address == refusal.address && sent.source.port == refusal.port
          && sent.interface == refusal.interface
      }
      if let copy { refused.insert(copy) }
    }
    return refused
  }

  /// Hardware addresses follow from IP addresses: locally administered, the same in every file.
  private static func link(_ source: IPAddress, _ destination: IPAddress) -> LinkAddresses {
    let from = hardware(source)
    return LinkAddresses(source: from, group: destination)
      ?? LinkAddresses(source: from, destination: hardware(destination))
  }

  private static func hardware(_ address: IPAddress) -> MACAddress {
    let low = address.low ^ address.high
    return MACAddress(bits: 0x0200_0000_0000 | low & 0xFFFF_FFFF)
  }
}
