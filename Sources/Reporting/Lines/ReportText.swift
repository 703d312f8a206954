package import RollcallPrimitives

/// A report in a line for people; a search that ended with the names of what it heard alone.
package enum ReportText {
  package static func line(_ report: Report) -> String {
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

  private static func text(of device: DeviceSighting) -> String {
    "\(device.device) \(device.location ?? "-") \(device.source) if\(device.interface.number)"
      + (device.bootID.map { " boot \($0)" } ?? "")
  }

  private static func text(of change: Change) -> String {
    switch change {
    case .location(let from): return "location from \(from ?? "-")"
    case .address(let from): return "address from \(from)"
    case .bootID(let from): return "bootID from \(from.map(String.init) ?? "-")"
    case .configID(let from): return "configID from \(from.map(String.init) ?? "-")"
    case .united(let part): return "united \(part)"
    }
  }
}
