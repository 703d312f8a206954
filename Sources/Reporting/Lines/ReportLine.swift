import Foundation
import RollcallCapture
package import RollcallPrimitives

/// A report as a JSON line, the same from `run`, `replay` and every other verb.
package enum ReportLine {
  /// - Parameters:
  ///   - time: as text, since a replay prints the file's own.
  ///   - frame: the frame that caused it; `nil`: time did.
  ///   - names: what frames are called in a replay of several files; the file then stands beside the frame.
  ///   - interfaces: what interfaces are called, by their numbers; one without a name has its number.
  package static func json(
    _ report: Report, time: String, frame: Int?, names: FrameNames = FrameNames(), interfaces: [String] = []
  ) -> String {
    var line = JSONLine(linesOf: 512)
    write(report, time: time, frame: frame, names: names, interfaces: interfaces, to: &line)
    return line.closed
  }

  /// Writes all of it but the end.
  package static func write(
    _ report: borrowing Report, time: String, frame: Int?, names: FrameNames, interfaces: [String] = [],
    to line: inout JSONLine
  ) {
    line.begin("report")
    line.add("time", time)
    line.add("frame", frame.map { FrameNames.frame(of: $0) })
    if let frame, let file = names.file(of: frame) { line.add("file", file) }
    add(report, interfaces: interfaces, to: &line)
  }

  /// What the line says of the report itself, as an object of its own.
  package static func object(_ report: Report, interfaces: [String] = []) -> String {
    JSONLine.object { add(report, interfaces: interfaces, to: &$0) }
  }

  package static func add(_ report: borrowing Report, interfaces: [String] = [], to line: inout JSONLine) {
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
    case .description(let fetch):
      add(ProviderID(ofDevice: fetch.device), to: &line)
      line.add(fixed: ",\"event\":\"description\"")
      let number = Int(fetch.interface.number)
      add(fetch, interface: interfaces.indices.contains(number) ? interfaces[number] : nil, to: &line)
    case .peripheral(let report):
      add(ProviderID(ofDevice: report.device), to: &line)
      add(report, to: &line)
    case .nearby(let report):
      add(.peers, to: &line)
      add(report, to: &line)
    case .managed(let report): add(report, to: &line)
    case .failed(let failure):
      if let provider = failure.provider { add(provider, to: &line) } else { line.add("layer", "manager") }
      line.add(fixed: ",\"event\":\"failed\"")
      line.add("cause", failure.reason.rawValue)
      if let search = failure.search { line.add("search", Int(search.number)) }
      if let number = failure.interface.map({ Int($0.number) }) {
        if interfaces.indices.contains(number) {
          line.add("interface", interfaces[number])
        } else {
          line.add("interface", number)
        }
      }
      line.add("explanation", failure.explanation)
    case .rejected(let rejection):
      line.add(fixed: ",\"layer\":\"ssdp\",\"event\":\"rejected\"")
      line.add("reason", rejection.reason.rawValue)
      line.add("offset", rejection.offset)
    }
  }

  /// What came of a description: here and in the lines of `discover`.
  /// - Parameter interface: what the interface is called; `nil`: it has its number.
  package static func add(_ fetch: DescriptionFetch, interface: String? = nil, to line: inout JSONLine) {
    line.add("device", fetch.device)
    if let location = fetch.location { line.add("location", location) } else { line.addNull("location") }
    if let interface { line.add("interface", interface) } else { line.add("interface", Int(fetch.interface.number)) }
    line.add("cause", fetch.cause.rawValue)
    line.add("seconds", fetch.duration.decimal)
    line.add("redirects", fetch.redirects)
    switch fetch.outcome {
    case .fetched(let document):
      line.add("outcome", "fetched")
      line.add("status", document.status)
      line.add("bytes", document.body.count)
      line.add("sha256", document.body.withUnsafeBytes { SHA256.hex(of: $0) })
      if let type = document.contentType { line.add("contentType", type) } else { line.addNull("contentType") }
      if let url = document.applicationURL { line.add("applicationURL", url) }
    case .failed(let failure):
      line.add("outcome", "failed")
      line.add("status", failure.status)
      line.add("reason", failure.reason.rawValue)
      line.add("explanation", failure.explanation)
    }
  }

  private static func add(_ provider: ProviderID, to line: inout JSONLine) { line.add("layer", provider.rawValue) }

  private static func add(_ device: DeviceSighting, to line: inout JSONLine) {
    line.add("device", device.device)
    // A root device ought to have one, so that there is none is worth a word.
    if device.provider.expectsLocation, device[.location] == nil { line.addNull("location") }
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
    case .services: "services"
    case .host: "host"
    case .port: "port"
    case .txt: "txt"
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

/// A report as a JSON line tells it: read back, or about to be compared with one that was.
package struct WrittenReport: Hashable, Sendable {
  package var time: Instant
  /// The frame that caused it; in a run the entry of the whole trace; `nil`: time did, or nobody says.
  package var place: Int?
  package let report: Report
  /// What the line calls interface 0, where it has a name for it and no number, as lines of `discover` do; else empty.
  package let interfaces: [String]

  /// The device that it is about; `nil` for the end of a search, among others.
  package var device: String? { report.device }

  /// Leaves out what a line does not tell: the interface of a device, and of the services of a search all but the USN.
  package init(_ report: Report, time: Instant, place: Int?) {
    (self.time, self.place) = (time, place)
    interfaces = []
    switch report {
    case .found(let device): self.report = .found(device.withoutInterface)
    case .changed(let device, let change): self.report = .changed(device.withoutInterface, change)
    case .searchEnded(var outcome):
      outcome.services = outcome.services.map { ServiceSighting(outcome.search, usn: $0.usn) }
      self.report = .searchEnded(outcome)
    case .description(var fetch):
      if case .fetched(var document) = fetch.outcome {
        let digest = document.body.withUnsafeBytes { SHA256.hex(of: $0) }
        document.body = WrittenReport.body(byteCount: document.body.count, sha256: digest)
        fetch.outcome = .fetched(document)
      }
      self.report = .description(fetch)
    case .lost, .service, .peripheral, .nearby, .managed, .failed, .rejected: self.report = report
    }
  }

  /// What stands for the body of a document, of which a line has the length and the digest.
  fileprivate static func body(byteCount: Int, sha256: String) -> [UInt8] {
    Array("\(byteCount) bytes, sha256 \(sha256)".utf8)
  }

  /// - Parameter line: a report as `ReportLine.json` writes it; its fields may stand in any order.
  package init?(line: some StringProtocol) {
    guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(line.utf8)), fields.schema == "rollcall/1",
      fields.kind == "report", fields.layer == "manager" || ProviderID(rawValue: fields.layer) != nil,
      let time = Instant(seconds: fields.time), let report = fields.report
    else { return nil }
    (self.time, place, self.report) = (time, fields.frame, report)
    if case .name(let name) = fields.interface { interfaces = [name] } else { interfaces = [] }
  }

  /// Whether both lines say the same, whenever and wherever.
  package func saysSame(as other: WrittenReport) -> Bool { report == other.report && interfaces == other.interfaces }

  /// What kind of line it is; `nil` where it is no line of rollcall.
  package static func kind(ofLine line: some StringProtocol) -> String? {
    (try? JSONDecoder().decode(Kind.self, from: Data(line.utf8)))?.kind
  }
}

extension DeviceSighting {
  fileprivate var withoutInterface: DeviceSighting {
    var copy = self
    copy.locator.interface = nil
    return copy
  }
}

extension ServiceSighting {
  /// What the end of a search tells of a service.
  fileprivate init(_ search: SearchID, usn: String) {
    self.init(search: search, device: "", usn: usn, target: "", location: nil)
  }
}

private struct Kind: Decodable { var kind: String }

/// Everything that can stand in the line of a report.
private struct Fields: Decodable {
  /// A name or a number: what a thing was before, or which interface it is.
  enum Former: Decodable {
    case name(String)
    case number(UInt32)

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let number = try? value.decode(UInt32.self) {
        self = .number(number)
      } else {
        self = .name(try value.decode(String.self))
      }
    }
  }

  /// A list of USNs, or what a peripheral offers as text.
  enum Services: Decodable {
    case list([String])
    case text(String)

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let list = try? value.decode([String].self) {
        self = .list(list)
      } else {
        self = .text(try value.decode(String.self))
      }
    }
  }

  var schema: String
  package var kind: String
  var time: String
  package var frame: Int?
  var layer: String
  var event: String
  package var device: String?
  var location: String?
  var source: String?
  var bootID: UInt32?
  var configID: UInt32?
  var name: String?
  var cause: String?
  var what: String?
  var from: Former?
  var part: String?
  var search: UInt32?
  var target: String?
  package var usn: String?
  var services: Services?
  var host: String?
  var port: UInt32?
  var txt: String?
  var interface: Former?
  var explanation: String?
  var reason: String?
  var offset: Int?
  var seconds: String?
  var redirects: [String]?
  var outcome: String?
  var status: Int?
  var bytes: Int?
  var sha256: String?
  var contentType: String?
  var applicationURL: String?
  var peripheral: PeripheralFields?
  var peer: String?
  var nearby: NearbyFields?
  var managed: ManagedFields?

  var report: Report? {
    switch event {
    case "found": return sighting.map { .found($0) }
    case "changed":
      guard let sighting, let change else { return nil }
      return .changed(sighting, change)
    case "lost":
      guard let device, let cause = cause.flatMap({ LossCause(rawValue: $0) }) else { return nil }
      return .lost(device: device, cause: cause)
    case "service":
      guard let search, let device, let usn, let target else { return nil }
      return .service(
        ServiceSighting(search: SearchID(search), device: device, usn: usn, target: target, location: location))
    case "searchEnded":
      guard let search, let target, case .list(let services) = services, cause == nil || cause == "stopped" else {
        return nil
      }
      let heard = services.map { ServiceSighting(SearchID(search), usn: $0) }
      return .searchEnded(
        SearchOutcome(search: SearchID(search), target: target, services: heard, wasStopped: cause != nil))
    case "failed":
      guard let reason = cause.flatMap({ Failure.Reason(rawValue: $0) }), let explanation,
        interface == nil || interfaceID != nil
      else { return nil }
      return .failed(
        Failure(
          reason: reason, search: search.map { SearchID($0) }, interface: interfaceID, explanation: explanation))
    case "description": return description.map { .description($0) }
    case "rejected":
      guard let reason = reason.flatMap({ RejectionReason(rawValue: $0) }), let offset else { return nil }
      return .rejected(Rejection(reason, at: offset))
    case "peripheral":
      guard let device, let event = peripheral?.event else { return nil }
      return .peripheral(PeripheralReport(device, event))
    case "nearby":
      guard let device, let peer, let name, let event = nearby?.event else { return nil }
      return .nearby(PeerReport(device, peer: peer, named: name, event))
    case "managed":
      guard let device, let managed else { return nil }
      return managed.report(device).map { .managed($0) }
    default: return nil
    }
  }

  /// The one with a name is number 0; `nil`: none is there, or none that can be.
  private var interfaceID: InterfaceID? {
    switch interface {
    case .none: nil
    case .name: InterfaceID(0)
    case .number(let number): UInt16(exactly: number).map { InterfaceID($0) }
    }
  }

  /// Its document has what the line says of it, as `WrittenReport` has.
  private var description: DescriptionFetch? {
    guard let device, let cause = cause.flatMap({ DescriptionFetch.Cause(rawValue: $0) }), let interfaceID,
      let end = seconds.flatMap({ Instant(seconds: $0) }), let redirects
    else { return nil }
    let result: DescriptionFetch.Outcome
    if outcome == "fetched", let status, let bytes, let sha256 {
      let body = WrittenReport.body(byteCount: bytes, sha256: sha256)
      result = .fetched(
        DescriptionFetch.Document(
          status: status, body: body, contentType: contentType, applicationURL: applicationURL))
    } else if outcome == "failed", let reason = reason.flatMap({ DescriptionFetch.Reason(rawValue: $0) }),
      let explanation
    {
      result = .failed(DescriptionFetch.Failure(reason, status: status, explanation))
    } else {
      return nil
    }
    return DescriptionFetch(
      device: device, location: location, cause: cause, interface: interfaceID, duration: end - .zero,
      redirects: redirects, outcome: result)
  }

  private var sighting: DeviceSighting? {
    guard let device, let address = source.flatMap({ DeviceAddress($0) }), let provider = ProviderID(rawValue: layer)
    else { return nil }
    var sighting = DeviceSighting(device: device, provider: provider, locator: Locator(address))
    sighting[.location] = location.map { .text($0) }
    sighting[.bootID] = bootID.map { .number($0) }
    sighting[.configID] = configID.map { .number($0) }
    sighting[.name] = name.map { .text($0) }
    if case .text(let services) = services { sighting[.services] = .text(services) }
    sighting[.host] = host.map { .text($0) }
    sighting[.port] = port.map { .number($0) }
    sighting[.txt] = txt.map { .text($0) }
    return sighting
  }

  private var change: Change? {
    if what == "united", from == nil { return part.map { .united(part: $0) } }
    if what == "address", case .name(let former) = from { return DeviceAddress(former).map { .address(from: $0) } }
    guard let name = what.flatMap({ DeviceAttribute.Name(rawValue: $0) }) else { return nil }
    switch from {
    case .none: return .attribute(name, from: nil)
    case .name(let former): return .attribute(name, from: .text(former))
    case .number(let former): return .attribute(name, from: .number(former))
    }
  }
}
