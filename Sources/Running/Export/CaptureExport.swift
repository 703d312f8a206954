package import RollcallCapture
import RollcallDiscovery
package import RollcallPrimitives
package import RollcallScenarios
package import RollcallSimulation
package import RollcallTrace
import RollcallWire

/// Writes what one host of a run sent and heard as an annotated pcapng file.
///
/// Times are virtual nanoseconds, addresses have the names of their hosts, the section's comments say which run it was
/// and what reached the engine beyond datagrams, and each frame says why it is there.
package enum CaptureExport {
  /// Who is who in the file.
  package struct Cast {
    /// What the machine's host is called: `rollcall replay --as` takes it.
    package var host: String
    /// Lines for the section's comments: where the file comes from.
    package var origin: [String]
    /// In the order of their numbers.
    package var interfaces: [(name: String, details: String?, mtuBytes: Int)]
    package var names: [CaptureName]
    /// When the run ended.
    package var end: Instant
    /// Which services the host looks for from the start.
    package var browses: [ServiceBrowse]

    package init(
      host: String, origin: [String], interfaces: [(name: String, details: String?, mtuBytes: Int)],
      names: [CaptureName], end: Instant, browses: [ServiceBrowse] = []
    ) {
      (self.host, self.origin, self.interfaces) = (host, origin, interfaces)
      (self.names, self.end, self.browses) = (names, end, browses)
    }

    fileprivate func name(of address: IPAddress) -> String {
      names.first { $0.address == address }?.name ?? address.description
    }
  }

  /// - Precondition: the run recorded and watched `host`.
  package static func write(
    _ result: RunResult, of resolved: Resolved, host: Int, scenario: String, seed: UInt64
  ) -> [UInt8] {
    write(
      result.trace.filter { $0.station == UInt32(host) }, membership: result.membershipFrames,
      cast: cast(result, of: resolved, host: host, origin: "\(scenario) seed \(seed)"))
  }

  /// For the entries of a host, by their place among them: the number of the frame, from 1, that shows each in the file
  /// that `write` makes; of fragments the last.
  static func frameNumbers(_ result: RunResult, of resolved: Resolved, host: Int) -> [Int: Int] {
    let cast = cast(result, of: resolved, host: host, origin: "")
    let frames = frames(result.trace.filter { $0.station == UInt32(host) }, result.membershipFrames, cast)
    var numbers: [Int: Int] = [:]
    for (number, frame) in frames.enumerated() { if let entry = frame.entry { numbers[entry] = number + 1 } }
    return numbers
  }

  private static func cast(_ result: RunResult, of resolved: Resolved, host: Int, origin: String) -> Cast {
    let interfaces = resolved.plan.hosts[host].interfaces.enumerated().map { number, interface in
      (
        name: "if\(number)", details: Optional(resolved.plan.segments[interface.segment].name),
        mtuBytes: min(interface.inbound.mtu, interface.outbound.mtu)
      )
    }
    return Cast(
      host: resolved.hosts[host].name, origin: ["rollcall run: \(origin) digest \(result.digest)"],
      interfaces: interfaces, names: names(resolved), end: .zero + result.virtualTime,
      browses: host == 0 ? resolved.scenario.engine.configuration.browse : [])
  }

  /// Writes the trace of one machine.
  package static func write(_ entries: [TraceEntry], membership: [MembershipFrame], cast: Cast) -> [UInt8] {
    var section = CaptureSection()
    section.application = "rollcall"
    section.comments = cast.origin
    section.comments.append(SceneNote.host(cast.host).comment)
    section.comments.append(SceneNote.end(cast.end).comment)
    section.comments += cast.browses.map {
      SceneNote.signal(SceneNote.TimedSignal(time: .zero, signal: .command(.browse($0)))).comment
    }
    let frames = frames(entries, membership, cast)
    let shown = Set(frames.flatMap(\.signals))
    section.comments += signals(entries, besides: shown).map { SceneNote.signal($0).comment }
    var writer = CaptureWriter(section: section)
    for interface in cast.interfaces { _ = writer.interface(name: interface.name, details: interface.details) }
    if frames.contains(where: { $0.interface == cast.interfaces.count }) {
      _ = writer.interface(name: "radio", linkType: LinkType.bluetoothLEWithRadio)
    }
    writer.names(cast.names)
    for frame in frames {
      let given = frame.signals.compactMap { place -> String? in
        guard case .signal(let signal) = entries[place].content else { return nil }
        return SceneNote.signal(SceneNote.TimedSignal(time: entries[place].time, signal: signal)).comment
      }
      writer.frame(
        interface: frame.interface, time: frame.time, frame.bytes, direction: frame.direction,
        comments: frame.comments + given)
    }
    writer.finish()
    return writer.bytes
  }

  private struct Frame {
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

  /// What reached the engine and no frame shows.
  ///
  /// Searches are on the wire and read from there, all of them, unless one of them is not: then the commands stand here,
  /// so that sockets have the numbers that refusals speak of.
  /// - Parameter shown: places of signals that stand beside frames.
  private static func signals(_ entries: [TraceEntry], besides shown: Set<Int>) -> [SceneNote.TimedSignal] {
    let wantsSearches = hasUnsentSearch(entries)
    return entries.enumerated().compactMap { place, entry in
      guard case .signal(let signal) = entry.content, !shown.contains(place) else { return nil }
      switch signal {
      case .application(.act): return nil
      case .radio(.heard(let packet)) where RadioFrames.bytes(of: packet) != nil: return nil
      case .application(.search) where !wantsSearches: return nil
      default: return SceneNote.TimedSignal(time: entry.time, signal: signal)
      }
    }
  }

  /// Whether some copy of some search never reached the wire.
  private static func hasUnsentSearch(_ entries: [TraceEntry]) -> Bool {
    for (index, entry) in entries.enumerated() {
      switch entry.content {
      // A program beside the engine sent it: its frames look like anybody's.
      case .signal(.application(.adopt)): return true
      case .signal(.host(.refused(let refusal))) where refusal.deed == .send: return true
      case .signal(.application(.search)):
        let isOnWire = entries[(index + 1)...].prefix { !$0.isInput }.contains {
          if case .sent = $0.content { true } else { false }
        }
        if !isOnWire { return true }
      default: break
      }
    }
    return false
  }

  private static func names(_ resolved: Resolved) -> [CaptureName] {
    zip(resolved.hosts, resolved.plan.hosts).flatMap { host, plan in
      plan.interfaces.flatMap(\.addresses).map { CaptureName(address: $0.address, name: host.name) }
    }
  }

  private static func frames(
    _ entries: [TraceEntry], _ membership: [MembershipFrame], _ cast: Cast
  ) -> [Frame] {
    var identification: UInt32 = 0
    var searches = SentSearches()
    var streams = StreamFrames()
    var links = LinkFrames()
    let refused = refusedEntries(entries)
    var frames: [Frame] = []
    for (place, entry) in entries.enumerated() {
      searches.take(entry)
      frames += streams.take(entry).compactMap { frame(of: $1, at: $0, place, cast) }
      frames += links.take(entry).map { shown in
        Frame(
          time: entry.time, interface: cast.interfaces.count, bytes: shown.bytes,
          direction: shown.isOwn ? .outbound : .inbound, comments: [], entry: place)
      }
      // At one instant the order counts, and only a frame can say what was given before it and what behind.
      if entry.isOfConnection, let last = frames.last, last.time == entry.time {
        frames[frames.count - 1].signals.append(place)
      }
      if let bytes = RadioFrames.bytes(of: entry) {
        frames.append(
          Frame(
            time: entry.time, interface: cast.interfaces.count, bytes: bytes, direction: .inbound, comments: [],
            entry: place))
        continue
      }
      let datagram: RecordedDatagram
      let direction: CaptureFrame.Direction
      var comments: [String]
      switch entry.content {
      case .received(let heard):
        (datagram, direction) = (heard, .inbound)
        comments = ["from \(cast.name(of: heard.source.address))"]
      case .sent(let sent):
        // What the system refused to send was never on the wire.
        if refused.contains(place) { continue }
        (datagram, direction) = (sent, .outbound)
        comments = ["sent by \(cast.host)"]
        if let search = searches.search(of: sent) { comments.append(SearchNote(search).comment) }
      default: continue
      }
      identification += 1
      let number = Int(datagram.interface.number)
      let mtu = number < cast.interfaces.count ? cast.interfaces[number].mtuBytes : 1_500
      let pieces = FrameWriter.udp(
        link(datagram.source.address, datagram.destination.address), from: datagram.source, to: datagram.destination,
        hopLimit: datagram.hopLimit, payload: datagram.bytes, identification: identification, mtuBytes: mtu)
      for piece in pieces {
        frames.append(
          Frame(
            time: entry.time, interface: Int(datagram.interface.number), bytes: piece, direction: direction,
            comments: comments, entry: place))
      }
    }
    for message in membership {
      let isV4 = message.destination.family == .v4
      guard
        let bytes = FrameWriter.frame(
          link(message.source, message.destination), from: message.source, to: message.destination,
          protocolNumber: isV4 ? .igmp : .icmpV6, ipPayload: message.message)
      else { continue }
      let isOwn = cast.name(of: message.source) == cast.host
      frames.append(
        Frame(
          time: message.time, interface: Int(message.interface.number), bytes: bytes,
          direction: isOwn ? .outbound : .inbound,
          comments: [isOwn ? "membership report" : "membership query"]))
    }
    return frames.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }

  private static func frame(
    of shown: StreamFrames.Segment, at time: Instant, _ place: Int, _ cast: Cast
  ) -> Frame? {
    let (source, destination) = (shown.segment.source.address, shown.segment.destination.address)
    guard let bytes = FrameWriter.tcp(link(source, destination), shown.segment) else { return nil }
    return Frame(
      time: time, interface: Int(shown.interface.number), bytes: bytes,
      direction: shown.isOwn ? .outbound : .inbound,
      comments: [shown.isOwn ? "sent by \(cast.host)" : "from \(cast.name(of: source))"], entry: place)
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
