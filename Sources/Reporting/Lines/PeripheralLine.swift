import RollcallPrimitives

// What became of a peripheral, as a part of a JSON line and read back.
extension ReportLine {
  static func add(_ report: PeripheralReport, to line: inout JSONLine) {
    line.add(fixed: ",\"event\":\"peripheral\"")
    line.add("device", report.device)
    line.add("peripheral", raw: JSONLine.object { add(report.event, to: &$0) })
  }

  private static func add(_ event: PeripheralReport.Event, to line: inout JSONLine) {
    line.add("what", event.name)
    switch event {
    case .connected, .readyToWrite: break
    case .connectionFailed(let end), .disconnected(let end): line.add("cause", end.rawValue)
    case .services(let services): add(services, to: &line)
    case .includedServices(let service, let services):
      line.add("handle", Int(service))
      add(services, to: &line)
    case .characteristics(let service, let characteristics):
      line.add("handle", Int(service))
      line.add(
        "attributes",
        raw: list(of: characteristics) { line, one in
          line.add("uuid", one.uuid.description)
          line.add("handle", Int(one.handle))
          line.add("properties", Int(one.properties.rawValue))
        })
    case .descriptors(let characteristic, let descriptors):
      line.add("handle", Int(characteristic))
      line.add(
        "attributes",
        raw: list(of: descriptors) { line, one in
          line.add("uuid", one.uuid.description)
          line.add("handle", Int(one.handle))
        })
    case .discovered(let services, let characteristics, let descriptors):
      line.add("services", services)
      line.add("characteristics", characteristics)
      line.add("descriptors", descriptors)
    case .value(let handle, let uuid, let bytes, let cause):
      line.add("handle", Int(handle))
      if let uuid { line.add("uuid", uuid.description) } else { line.addNull("uuid") }
      line.add("cause", cause.rawValue)
      line.add("value", PeripheralReport.hex(bytes))
    case .written(let handle): line.add("handle", Int(handle))
    case .notifying(let handle, let isOn):
      line.add("handle", Int(handle))
      line.add("isOn", isOn)
    case .strength(let strength): line.add("strength", strength.map { Int($0) })
    case .servicesChanged(let handles):
      line.add("handle", Int(handles.lowerBound))
      line.add("last", Int(handles.upperBound))
    case .failed(let failure):
      line.add("request", failure.request.rawValue)
      line.add("cause", failure.reason.rawValue)
      if let attribute = failure.attribute { line.add("attribute", attribute.description) }
      if let error = failure.error { line.add("error", Int(error)) }
    }
  }

  /// An object for each of them.
  private static func list<Member>(of members: [Member], _ write: (inout JSONLine, Member) -> Void) -> String {
    "[" + members.map { member in JSONLine.object { write(&$0, member) } }.joined(separator: ",") + "]"
  }

  private static func add(_ services: [GATTService], to line: inout JSONLine) {
    line.add(
      "attributes",
      raw: list(of: services) { line, service in
        line.add("uuid", service.uuid.description)
        line.add("handle", Int(service.handles.lowerBound))
        line.add("last", Int(service.handles.upperBound))
        line.add("isPrimary", service.isPrimary)
      })
  }
}

/// What stands in a line of what became of a peripheral.
struct PeripheralFields: Decodable {
  struct Attribute: Decodable {
    var uuid: String
    var handle: UInt16
    var last: UInt16?
    var properties: UInt8?
    var isPrimary: Bool?
  }
  var what: String
  var cause: String?
  var handle: UInt16?
  var last: UInt16?
  var attributes: [Attribute]?
  var services: Int?
  var characteristics: Int?
  var descriptors: Int?
  var uuid: String?
  var value: String?
  var isOn: Bool?
  var strength: Int8?
  var request: String?
  var attribute: String?
  var error: UInt8?

  /// `nil`: the fields are not those of such an event.
  var event: PeripheralReport.Event? {
    var words = [what]
    switch what {
    case "connected", "readyToWrite": break
    case "connectionFailed", "disconnected": words += [cause ?? ""]
    case "services", "includedServices", "characteristics", "descriptors":
      if let handle { words.append("\(handle)") }
      for one in attributes ?? [] {
        if one.uuid.contains(" ") { return nil }
        words += [one.uuid, "\(one.handle)"]
        if let last = one.last { words.append("\(last)") }
        if let properties = one.properties { words.append("\(properties)") }
        if one.isPrimary == false { words.append("secondary") }
      }
    case "discovered":
      let counts = [services, characteristics, descriptors].compactMap { $0 }
      guard counts.count == 3, counts.allSatisfy({ $0 >= 0 }) else { return nil }
      words += counts.map { "\($0)" }
    case "value":
      guard let cause = cause.flatMap({ PeripheralReport.ValueCause(rawValue: $0) }), let handle, let value,
        let bytes = PeripheralReport.bytes(hex: value)
      else { return nil }
      let read = uuid.map { BluetoothUUID($0) }
      if let read, read == nil { return nil }
      return .value(handle: handle, read ?? nil, bytes, cause)
    case "written": words += [handle.map { "\($0)" } ?? ""]
    case "notifying":
      guard let handle, let isOn else { return nil }
      words += ["\(handle)", isOn ? "on" : "off"]
    case "strength": words += [strength.map { "\($0)" } ?? "?"]
    case "servicesChanged":
      guard let handle, let last else { return nil }
      words += ["\(handle)", "\(last)"]
    case "requestFailed":
      words += [request ?? "", cause ?? ""]
      if let attribute { words += ["of", attribute] }
      if let error { words += ["error", "\(error)"] }
    default: return nil
    }
    var reader = WordReader(Substring(words.joined(separator: " ")))
    guard let event = try? PeripheralReport.Event(from: &reader), reader.rest.isEmpty else { return nil }
    return event
  }
}
