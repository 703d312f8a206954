import RollcallDevices
import RollcallPrimitives
import RollcallScenarios
import RollcallWire

/// A host of a capture that did what a responder does: it probed, announced its services, and said goodbye.
struct RecordedResponder: Hashable, Sendable {
  var section: MDNSResponderSection
  /// When it announced what it had probed for.
  var starts: [Instant] = []
  var goodbyes: [Instant] = []

  /// From the first probe to the announcement, where nothing is in its way (RFC 6762 §8.1).
  static let probing = Interval.milliseconds(750)

  /// `nil`: the messages do not show all of it, or it said other things in the course of time.
  init?(_ messages: [TapedMessage]) {
    section = MDNSResponderSection(probeDelay: .zero)
    var texts: [DNSName: [UInt8]] = [:]
    var lastProbe: Instant?
    var isUp = false
    for taped in messages {
      guard let message = taped.payload.withUnsafeBytes({ try? DNSReader.read($0).message }) else { return nil }
      if !message.flags.isResponse {
        if !message.authorities.isEmpty { lastProbe = taped.time }
        continue
      }
      let isGoodbye = !message.answers.isEmpty && message.answers.allSatisfy { $0.ttlSeconds == 0 }
      if isGoodbye {
        if isUp, message.answers.contains(where: { $0.type == .ptr }) { goodbyes.append(taped.time) }
        isUp = false
        continue
      }
      let records = message.answers + message.additionals
      let isFirst = !isUp && records.contains { $0.type == .srv }
      if isFirst {
        // Without a probe before it the host was there when the capture began.
        guard let probe = lastProbe, taped.time - probe <= .seconds(1) else { return nil }
        starts.append(taped.time)
        isUp = true
      }
      for record in records where record.type == .txt {
        if texts[record.name, default: record.data.bytes] != record.data.bytes { return nil }
        texts[record.name] = record.data.bytes
      }
      for record in records { take(record) }
    }
    for place in section.services.indices {
      let name = section.services[place].type.domainName.adding(section.services[place].instance)
      section.services[place].txt = name.flatMap { texts[$0] } ?? [0]
    }
    section.services.removeAll { $0.port == 0 }
    if starts.isEmpty || section.services.isEmpty || section.hostName == nil { return nil }
  }

  private mutating func take(_ record: DNSRecord) {
    guard case .srv(_, _, let port, let target) = record.data, let name = try? ServiceInstanceName(record.name),
      target.parent == .local, let label = String(validating: target.firstLabel, as: UTF8.self)
    else { return }
    section.hostName = section.hostName ?? label
    let instance = Array(record.name.firstLabel)
    if section.services.contains(where: { $0.type == name.type && $0.instance == instance }) { return }
    var service = MDNSService(name.type, name.instance, port: port)
    service.instance = instance
    section.services.append(service)
  }
}
