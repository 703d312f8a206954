public import Primitives

/// A trace as people read it: one line an entry, payload text below it.
public enum TraceText {
  /// `12.500000000 tv > found uuid:…`: `<` is given to the machine, `>` is wanted by it.
  public static func line(_ entry: TraceEntry, stationName: (UInt32) -> String) -> String {
    let head = "\(entry.time) \(stationName(entry.station)) "
    switch entry.content {
    case .received(let datagram): return head + "< " + text(of: datagram)
    case .sent(let datagram): return head + "> " + text(of: datagram)
    case .signal(let signal): return head + "< " + text(of: signal)
    case .effect(let effect): return head + "> " + text(of: effect)
    case .woken: return head + "< wake"
    }
  }

  static func text(of datagram: RecordedDatagram) -> String {
    let route = "\(datagram.source) -> \(datagram.destination) if\(datagram.interface.number) ttl\(datagram.hopLimit) "
    return route + escaped(datagram.bytes)
  }

  /// Printable ASCII as it is, CR and LF as `\r` `\n`, every other byte as `\xNN`.
  public static func escaped(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
      switch byte {
      case 13: text += "\\r"
      case 10: text += "\\n"
      case 92: text += "\\\\"
      case 32...126: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return text
  }

  public static func text(of signal: Signal) -> String {
    switch signal {
    case .datagram: return "datagram"
    case .interface(let change):
      let list = change.addresses.map { "\($0.address)/\($0.prefixBits)" }.joined(separator: " ")
      return "interface \(change.interface.number) \(change.isUp ? "up" : "down")\(list.isEmpty ? "" : " " + list)"
    case .refused(let refusal):
      return "refused \(refusal.deed) if\(refusal.interface.number) \(refusal.address) port \(refusal.port)"
    case .command(let command): return "command " + text(of: command)
    }
  }

  static func text(of command: Command) -> String {
    switch command {
    case .search(let search): return text(of: search)
    case .adopt(let search, let endpoint): return "adopt \(endpoint) " + text(of: search)
    case .stopSearch(let id): return "stop-search \(id.number)"
    case .hold(let device): return "hold \(device)"
    case .release(let device): return "release \(device)"
    case .stop: return "stop"
    case .act(let act): return "\(act)"
    }
  }

  static func text(of search: Search) -> String {
    var line = "search \(search.id.number) \(search.target) mx \(search.maximumWaitSeconds) x\(search.broadcasts)"
    if let spacing = search.spacing { line += " spacing \(spacing)" }
    if let host = search.host { line += " to \(host)" }
    if let interface = search.interface { line += " if\(interface.number)" }
    return line
  }

  public static func text(of effect: Effect) -> String {
    switch effect {
    case .transmit(let datagram): return "send \(datagram.source) -> \(datagram.destination)"
    case .join(let group, let interface): return "join \(group) if\(interface.number)"
    case .leave(let group, let interface): return "leave \(group) if\(interface.number)"
    case .readdress(let address, let interface): return "readdress \(address) if\(interface.number)"
    case .report(let report): return text(of: report)
    }
  }

  /// One report in one line.
  public static func text(of report: Report) -> String {
    switch report {
    case .found(let device): return "found " + text(of: device)
    case .changed(let device, let change): return "changed " + text(of: device) + " " + text(of: change)
    case .lost(let device, let cause): return "lost \(device) \(cause.rawValue)"
    case .service(let service):
      return "service \(service.search.number) \(service.usn) \(service.target) \(service.location ?? "-")"
    case .searchEnded(let outcome):
      let list = outcome.services.map(\.usn).joined(separator: " ")
      let head = "search-ended \(outcome.search.number) \(outcome.target) \(outcome.services.count) services"
      return head + (outcome.wasStopped ? " stopped" : "") + (list.isEmpty ? "" : " " + list)
    case .failed(let failure):
      let search = failure.search.map { " search \($0.number)" } ?? ""
      let interface = failure.interface.map { " if\($0.number)" } ?? ""
      return "failed \(failure.reason.rawValue)\(search)\(interface)"
    case .rejected(let rejection): return "rejected \(rejection.reason.rawValue) at \(rejection.offset)"
    }
  }

  static func text(of device: DeviceSighting) -> String {
    "\(device.device) \(device.location ?? "-") \(device.source) if\(device.interface.number)"
      + (device.bootID.map { " boot \($0)" } ?? "")
  }

  static func text(of change: Change) -> String {
    switch change {
    case .location(let from): return "location from \(from ?? "-")"
    case .address(let from): return "address from \(from)"
    case .bootID(let from): return "bootID from \(from.map(String.init) ?? "-")"
    case .configID(let from): return "configID from \(from.map(String.init) ?? "-")"
    case .united(let part): return "united \(part)"
    }
  }
}
