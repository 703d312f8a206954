import Capture
import Primitives
package import Scenarios
import Simulation
import Trace
import Wire

/// Writes what one host of a run sent and heard as an annotated pcapng file.
///
/// Times are virtual nanoseconds, addresses have the names of their hosts, the section's comments say which run it was
/// and what reached the engine beyond datagrams, and each frame says why it is there.
package enum CaptureExport {
  /// - Precondition: the run recorded and watched `host`.
  package static func write(
    _ result: RunResult, of resolved: Resolved, host: Int, scenario: String, seed: UInt64
  ) -> [UInt8] {
    let name = resolved.hosts[host].name
    let entries = result.trace.filter { $0.station == UInt32(host) }
    var section = CaptureSection()
    section.application = "rollcall"
    section.comments = ["rollcall run: \(scenario) seed \(seed) digest \(result.digest)"]
    section.comments.append(SceneNote.host(name).comment)
    section.comments.append(SceneNote.end(.zero + result.virtualTime).comment)
    section.comments += signals(entries).map { SceneNote.signal($0).comment }
    var writer = CaptureWriter(section: section)
    let interfaces = resolved.plan.hosts[host].interfaces
    for (number, interface) in interfaces.enumerated() {
      _ = writer.interface(name: "if\(number)", details: resolved.plan.segments[interface.segment].name)
    }
    writer.names(names(resolved))
    for frame in frames(entries, result.membershipFrames, resolved, host) {
      writer.frame(
        interface: frame.interface, time: frame.time, frame.bytes, direction: frame.direction,
        comments: frame.comments)
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
  }

  /// What reached the engine and no frame shows.
  ///
  /// Searches are on the wire and read from there, all of them, unless one of them is not: then the commands stand here,
  /// so that sockets have the numbers that refusals speak of.
  private static func signals(_ entries: [TraceEntry]) -> [SceneNote.TimedSignal] {
    let wantsSearches = hasUnsentSearch(entries)
    return entries.compactMap { entry in
      guard case .signal(let signal) = entry.content else { return nil }
      switch signal {
      case .datagram, .command(.act): return nil
      case .command(.search) where !wantsSearches: return nil
      case .interface, .refused, .command: return SceneNote.TimedSignal(time: entry.time, signal: signal)
      }
    }
  }

  /// Whether some copy of some search never reached the wire.
  private static func hasUnsentSearch(_ entries: [TraceEntry]) -> Bool {
    for (index, entry) in entries.enumerated() {
      switch entry.content {
      // A program beside the engine sent it: its frames look like anybody's.
      case .signal(.command(.adopt)): return true
      case .signal(.refused(let refusal)) where refusal.deed == .send: return true
      case .signal(.command(.search)):
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
    _ entries: [TraceEntry], _ membership: [MembershipFrame], _ resolved: Resolved, _ host: Int
  ) -> [Frame] {
    var identification: UInt32 = 0
    var searches = SentSearches()
    var refused: [Endpoint] = []
    for entry in entries {
      if case .signal(.refused(let refusal)) = entry.content, refusal.deed == .send {
        refused.append(Endpoint(refusal.address, port: refusal.port))
      }
    }
    var frames: [Frame] = []
    for entry in entries {
      searches.take(entry)
      let datagram: RecordedDatagram
      let direction: CaptureFrame.Direction
      var comments: [String]
      switch entry.content {
      case .received(let heard):
        (datagram, direction) = (heard, .inbound)
        comments = ["from \(hostName(heard.source.address, resolved))"]
      case .sent(let sent):
        // What the system refused to send was never on the wire.
        if refused.contains(Endpoint(sent.destination.address, port: sent.source.port)) { continue }
        (datagram, direction) = (sent, .outbound)
        comments = ["sent by \(resolved.hosts[host].name)"]
        if let search = searches.search(of: sent) { comments.append(SearchNote(search).comment) }
      default: continue
      }
      identification += 1
      let mtu = mtu(resolved, host, Int(datagram.interface.number))
      let pieces = FrameWriter.udp(
        link(datagram.source.address, datagram.destination.address), from: datagram.source, to: datagram.destination,
        hopLimit: datagram.hopLimit, payload: datagram.bytes, identification: identification, mtuBytes: mtu)
      for piece in pieces {
        frames.append(
          Frame(
            time: entry.time, interface: Int(datagram.interface.number), bytes: piece, direction: direction,
            comments: comments))
      }
    }
    for message in membership {
      let isV4 = message.destination.family == .v4
      guard
        let bytes = FrameWriter.frame(
          link(message.source, message.destination), from: message.source, to: message.destination,
          protocolNumber: isV4 ? .igmp : .icmpV6, ipPayload: message.message)
      else { continue }
      let isOwn = hostName(message.source, resolved) == resolved.hosts[host].name
      frames.append(
        Frame(
          time: message.time, interface: Int(message.interface.number), bytes: bytes,
          direction: isOwn ? .outbound : .inbound,
          comments: [isOwn ? "membership report" : "membership query"]))
    }
    return frames.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }

  private static func mtu(_ resolved: Resolved, _ host: Int, _ interface: Int) -> Int {
    let interfaces = resolved.plan.hosts[host].interfaces
    guard interface < interfaces.count else { return 1_500 }
    return min(interfaces[interface].inbound.mtu, interfaces[interface].outbound.mtu)
  }

  private static func hostName(_ address: IPAddress, _ resolved: Resolved) -> String {
    for (host, plan) in zip(resolved.hosts, resolved.plan.hosts) {
      if plan.interfaces.contains(where: { $0.addresses.contains { $0.address == address } }) { return host.name }
    }
    return address.description
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
