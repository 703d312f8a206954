package import RollcallPrimitives

/// A report as a JSON line, the same from `run`, `replay` and every other verb.
package enum ReportLine {
  /// - Parameters:
  ///   - time: as text, since a replay prints the file's own.
  ///   - frame: the frame that caused it; `nil`: time did.
  ///   - names: what frames are called in a replay of several files; the file then stands beside the frame.
  package static func json(
    _ report: Report, time: String, frame: Int?, names: FrameNames = FrameNames()
  ) -> String {
    var line = JSONLine(linesOf: 512)
    write(report, time: time, frame: frame, names: names, to: &line)
    return line.closed
  }

  /// Writes all of it but the end.
  package static func write(
    _ report: borrowing Report, time: String, frame: Int?, names: FrameNames, to line: inout JSONLine
  ) {
    line.begin("report")
    line.add("time", time)
    line.add("frame", frame.map { FrameNames.frame(of: $0) })
    if let frame, let file = names.file(of: frame) { line.add("file", file) }
    add(report, to: &line)
  }

  /// What the line says of the report itself, as an object of its own.
  package static func object(_ report: Report) -> String { JSONLine.object { add(report, to: &$0) } }

  package static func add(_ report: borrowing Report, to line: inout JSONLine) {
    switch report {
    case .found(let device):
      add(device.provider, to: &line)
      line.add(fixed: ",\"event\":\"found\"")
      add(device, to: &line)
    case .changed(let device, let change):
      add(device.provider, to: &line)
      line.add(fixed: ",\"event\":\"changed\"")
      add(device, to: &line)
      add(change, to: &line)
    case .lost(let device, let cause):
      add(ProviderID(ofDevice: device), to: &line)
      line.add(fixed: ",\"event\":\"lost\"")
      line.add("device", device)
      line.add("cause", cause.rawValue)
    case .service(let service):
      line.add(service)
    case .searchEnded(let outcome):
      line.add(fixed: ",\"layer\":\"ssdp\",\"event\":\"searchEnded\"")
      line.add("search", Int(outcome.search.number))
      line.add("target", outcome.target)
      if outcome.wasStopped { line.add("cause", "stopped") }
      line.add(fixed: ",\"services\":[")
      line.addUSNs(of: outcome.services)
      line.add(fixed: "]")
    case .failed(let failure):
      line.add(fixed: ",\"layer\":\"ssdp\",\"event\":\"failed\"")
      line.add("cause", failure.reason.rawValue)
      if let search = failure.search { line.add("search", Int(search.number)) }
      if let interface = failure.interface { line.add("interface", Int(interface.number)) }
      line.add("explanation", failure.explanation)
    case .rejected(let rejection):
      line.add(fixed: ",\"layer\":\"ssdp\",\"event\":\"rejected\"")
      line.add("reason", rejection.reason.rawValue)
      line.add("offset", rejection.offset)
    }
  }

  private static func add(_ provider: ProviderID, to line: inout JSONLine) { line.add("layer", provider.rawValue) }

  private static func add(_ device: DeviceSighting, to line: inout JSONLine) {
    line.add("device", device.device)
    // A root device ought to have one, so that there is none is worth a word.
    if device.provider == .ssdp, device[.location] == nil { line.addNull("location") }
    if let location = device[.location] { add(location, as: key(of: .location), to: &line) }
    line.add("source", device.locator.address.description)
    for attribute in device.attributes where attribute.name != .location {
      add(attribute.value, as: key(of: attribute.name), to: &line)
    }
  }

  private static func key(of name: DeviceAttribute.Name) -> StaticString {
    switch name {
    case .location: "location"
    case .bootID: "bootID"
    case .configID: "configID"
    case .name: "name"
    }
  }

  private static func add(_ value: DeviceAttribute.Value, as key: StaticString, to line: inout JSONLine) {
    switch value {
    case .text(let text): line.add(key, text)
    case .number(let number): line.add(key, Int(number))
    }
  }

  /// What changed, and from what: here and in the lines of a story.
  package static func add(_ change: Change, to line: inout JSONLine) {
    switch change {
    case .attribute(let name, let from):
      line.add("what", name.rawValue)
      if let from { add(from, as: "from", to: &line) } else { line.addNull("from") }
    case .address(let from):
      line.add("what", "address")
      line.add("from", from.description)
    case .united(let part):
      line.add("what", "united")
      line.add("part", part)
    }
  }
}
