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

    func name(of address: IPAddress) -> String {
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
    let frames = EntryFrames.all(
      of: result.trace.filter { $0.station == UInt32(host) }, result.membershipFrames, cast)
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
    section.comments += cast.browses.map { note(.command(.browse($0)), at: .zero) }
    let frames = EntryFrames.all(of: entries, membership, cast)
    let shown = Set(frames.flatMap(\.signals))
    section.comments += signals(entries, besides: shown, wantsSearches: hasUnsentSearch(entries))
      .map { note($0.signal, at: entries[$0.place].time) }
    var writer = CaptureWriter(section: section)
    for interface in cast.interfaces { _ = writer.interface(name: interface.name, details: interface.details) }
    if frames.contains(where: { $0.interface == cast.interfaces.count }) {
      _ = writer.interface(name: "radio", linkType: LinkType.bluetoothLEWithRadio)
    }
    writer.names(cast.names)
    for frame in frames {
      let given = frame.signals.compactMap { place -> String? in
        guard case .signal(let signal) = entries[place].content else { return nil }
        return note(signal, at: entries[place].time)
      }
      writer.frame(
        interface: frame.interface, time: frame.time, frame.bytes, direction: frame.direction,
        comments: frame.comments + given)
    }
    return writer.bytes
  }

  static func note(_ signal: SignalValue, at time: Instant) -> String {
    SceneNote.signal(SceneNote.TimedSignal(time: time, signal: signal)).comment
  }

  /// What reached the engine and no frame shows, with its place among the entries.
  ///
  /// Searches are on the wire and read from there, all of them, unless one of them is not: then the commands stand here,
  /// so that sockets have the numbers that refusals speak of.
  /// - Parameter shown: places of signals that stand beside frames.
  static func signals(
    _ entries: [TraceEntry], besides shown: Set<Int>, wantsSearches: Bool
  ) -> [(place: Int, signal: SignalValue)] {
    entries.enumerated().compactMap { place, entry in
      guard case .signal(let signal) = entry.content, !shown.contains(place) else { return nil }
      switch signal {
      case .application(.act): return nil
      case .radio(.heard(let packet)) where RadioFrames.bytes(of: packet) != nil: return nil
      case .application(.search) where !wantsSearches: return nil
      default: return (place, signal)
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
    var names = zip(resolved.hosts, resolved.plan.hosts).flatMap { host, plan in
      plan.interfaces.flatMap(\.addresses).map { CaptureName(address: $0.address, name: host.name) }
    }
    // Addresses that a host has later are its own, too; of two hosts the first one has the name.
    for entry in resolved.faults {
      guard case .readdress(let host, _, let address) = entry.fault, !names.contains(where: { $0.address == address })
      else { continue }
      names.append(CaptureName(address: address, name: resolved.hosts[host].name))
    }
    return names
  }
}
