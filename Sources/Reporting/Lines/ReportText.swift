package import RollcallPrimitives

/// A report in a line for people; a search that ended with the names of what it heard alone.
package enum ReportText {
  /// - Parameters:
  ///   - names: what a scenario calls nearby peers, by their names as devices.
  ///   - interfaces: what interfaces are called, by their numbers; `if0` where there is no name.
  package static func line(
    _ report: Report, names: [String: String] = [:], interfaces: [String] = []
  ) -> String {
    if case .nearby(let told) = report, names[told.device] != nil { return told.named(names).sentence }
    switch report {
    case .found(let device): return "found " + text(of: device, interfaces)
    case .changed(let device, let change): return "changed " + text(of: device, interfaces) + " " + text(of: change)
    case .lost(let device, let cause): return "lost \(device) \(cause.rawValue)"
    case .service(let service):
      return "service \(service.search.number) \(service.name) \(service.target) \(service.location ?? "-")"
    case .searchEnded(let outcome):
      let list = outcome.services.map(\.name).joined(separator: " ")
      let head = "search-ended \(outcome.search.number) \(outcome.target) \(outcome.services.count) services"
      return head + (outcome.wasStopped ? " stopped" : "") + (list.isEmpty ? "" : " " + list)
    case .description(let fetch): return text(of: fetch)
    case .peripheral(let report): return "peripheral \(report.device) \(report.event.text)"
    case .nearby(let report): return "nearby \(report.device) \(report.peer) \(report.name): \(report.event.text)"
    case .managed(let report): return "device \(report.state.name ?? report.id) \(report.text)"
    case .failed(let failure):
      let search = failure.search.map { " search \($0.number)" } ?? ""
      let interface = failure.interface.map { " " + name($0, interfaces) } ?? ""
      return "failed \(failure.reason.rawValue)\(search)\(interface)"
    case .rejected(let rejection): return "rejected \(rejection.reason.rawValue) at byte \(rejection.offset)"
    }
  }

  /// `description uuid:… http://… 200 1234 bytes in 12 ms`.
  package static func text(of fetch: DescriptionFetch) -> String {
    let head = "description \(fetch.device) \(fetch.location ?? "-")"
    let way = fetch.redirects.map { " -> \($0)" }.joined()
    let milliseconds = fetch.duration.nanoseconds / 1_000_000
    switch fetch.outcome {
    case .fetched(let document):
      return "\(head)\(way) \(document.status) \(document.body.count) bytes in \(milliseconds) ms"
    case .failed(let failure):
      return "\(head)\(way) failed \(failure.reason.rawValue) after \(milliseconds) ms: \(failure.explanation)"
    }
  }

  private static func name(_ interface: InterfaceID, _ interfaces: [String]) -> String {
    let number = Int(interface.number)
    return interfaces.indices.contains(number) ? interfaces[number] : "if\(number)"
  }

  private static func text(of device: DeviceSighting, _ interfaces: [String]) -> String {
    // Only of a root device it is worth a word that it has no LOCATION; the name of a peripheral is its address.
    var words = [device.device]
    if device.provider.expectsLocation || device[.location] != nil { words.append(device[.location]?.text ?? "-") }
    if device.provider != .bluetooth { words.append("\(device.locator.address)") }
    if let interface = device.locator.interface { words.append(name(interface, interfaces)) }
    for attribute in device.attributes where attribute.name != .location {
      words.append(word(for: attribute.name) + " " + text(of: attribute.value))
    }
    return words.joined(separator: " ")
  }

  private static func text(of change: Change) -> String {
    switch change {
    case .address(let from): return "address from \(from)"
    case .attribute(let name, let from): return "\(name.rawValue) from \(from.map { text(of: $0) } ?? "-")"
    case .united(let part): return "united \(part)"
    }
  }

  private static func text(of value: DeviceAttribute.Value) -> String {
    switch value {
    case .text(let text): text
    case .number(let number): "\(number)"
    }
  }
}
