import RollcallPrimitives
import RollcallWire

/// What single records of a response show, and which of them stand side by side.
enum RecordChecks {
  /// Behind so many bytes there may have been no room for more.
  static let fullBytes = 1_000

  static func judge(_ heard: HeardMessage, _ said: MulticastSaid, _ collector: inout FindingCollector) {
    judgeNames(heard, &collector)
    guard heard.message.flags.isResponse else { return }
    if heard.isLegacyReply { return judgeCompression(heard, &collector) }
    judgeAbsence(heard, &collector)
    judgeAdditions(heard, said, &collector)
  }

  // MARK: - Names

  private static func judgeNames(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    let names = heard.message.questions.map(\.name) + heard.records.map(\.name)
    let hosts = heard.records.filter { $0.type == .a || $0.type == .aaaa }.map(\.name)
    let wrong =
      names.first { name in name.labels.contains { String(validating: $0, as: UTF8.self) == nil } }
      ?? hosts.first { name in name.labels.contains { $0.contains { $0 < 0x20 || $0 == 0x7F } } }
    collector.rule(
      .nameBytes, wrong == nil, at: heard.scene, expected: "names of UTF-8, those of hosts without control characters",
      found: wrong.map { "\($0)" } ?? "")
  }

  /// SRV of a reply to a plain DNS client has its target in full (RFC 6762 §18.14).
  private static func judgeCompression(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    let targets = heard.records.compactMap { record -> Int? in
      if case .srv(_, _, _, let target) = record.data { return 6 + target.wire.count }
      return nil
    }
    if targets.isEmpty { return }
    let lengths = dataLengths(of: .srv, in: heard.observation.bytes)
    collector.rule(
      .compression, lengths == targets, at: heard.scene, expected: "SRV without compression in a legacy reply",
      found: "data of \(lengths.map(String.init).joined(separator: ", ")) bytes in place of "
        + targets.map(String.init).joined(separator: ", "))
  }

  /// The lengths of the data of all records of a type, as they stand there; the reader has checked the message.
  private static func dataLengths(of type: DNSType, in bytes: UnsafeRawBufferPointer) -> [Int] {
    func big16(_ place: Int) -> Int {
      place + 1 < bytes.count ? Int(bytes[place]) << 8 | Int(bytes[place + 1]) : 0
    }
    var place = DNSMessage.headerBytes
    func skipName() {
      while place < bytes.count {
        let length = Int(bytes[place])
        if length >= 0xC0 { return place += 2 }
        place += 1 + length
        if length == 0 { return }
      }
    }
    for _ in 0..<big16(4) {
      skipName()
      place += 4
    }
    var lengths: [Int] = []
    for _ in 0..<big16(6) + big16(8) + big16(10) {
      skipName()
      if big16(place) == Int(type.rawValue) { lengths.append(big16(place + 8)) }
      place += 10 + big16(place + 8)
    }
    return lengths
  }

  // MARK: - NSEC

  private static func judgeAbsence(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    let records = heard.message.answers + heard.message.additionals
    for record in records {
      guard case .nsec(_, let types) = record.data else { continue }
      let denied = records.first {
        $0.name == record.name && $0.type != .nsec && $0.ttlSeconds != 0 && !types.contains($0.type)
      }
      let wrong =
        types.contains(.nsec)
        ? "NSEC of \(record.name) that lists NSEC" : denied.map { "NSEC of \(record.name) beside its \($0.type)" }
      collector.rule(
        .negativeAnswers, wrong == nil, at: heard.scene, expected: "NSEC with the types that there are, less itself",
        found: wrong ?? "")
    }
  }

  // MARK: - What comes next

  private static func judgeAdditions(
    _ heard: HeardMessage, _ said: MulticastSaid, _ collector: inout FindingCollector
  ) {
    if heard.observation.bytes.count > fullBytes { return }
    let records = heard.records
    func isThere(_ name: DNSName, _ types: [DNSType]) -> Bool {
      types.contains { type in
        if records.contains(where: { $0.type == type && $0.name == name }) { return true }
        return said.last(name, type, of: heard).map { heard.time - $0 <= .seconds(1) } ?? false
      }
    }
    /// Whether it ever had any of these; a record of another host is not its own to say.
    func isOwn(_ name: DNSName, _ types: [DNSType]) -> Bool { types.contains { said.last(name, $0, of: heard) != nil } }
    for record in heard.message.answers where record.ttlSeconds != 0 {
      var missing: [String] = []
      switch record.data {
      case .ptr(let target) where ServiceChecks.isShared(record.name) && !ServiceChecks.isShared(target):
        guard isOwn(target, [.srv]) || isThere(target, [.srv]) else { continue }
        for type in [DNSType.srv, .txt] where !isThere(target, [type]) { missing.append("\(type) of \(target)") }
      case .srv(_, _, _, let target):
        guard isOwn(target, [.a, .aaaa]) || isThere(target, [.a, .aaaa]) else { continue }
        if !isThere(target, [.a, .aaaa]) { missing.append("addresses of \(target)") }
      case .address(let address):
        let other = address.family == .v4 ? DNSType.aaaa : .a
        // Who takes its two families for two interfaces says neither.
        guard isOwn(record.name, [other, .nsec]) || isThere(record.name, [other, .nsec]) else { continue }
        collector.rule(
          .otherFamily, isThere(record.name, [other, .nsec]), at: heard.scene,
          expected: "\(other) or NSEC beside \(record.type)", found: "none of \(record.name)")
        continue
      default: continue
      }
      collector.rule(
        .additionalRecords, missing.isEmpty, at: heard.scene, expected: "the records that come next",
        found: "no " + missing.joined(separator: ", no "))
    }
  }

  // MARK: - Addresses

  /// An address in a response is one of the interface that it leaves by (RFC 6762 §14).
  static func judgeAddresses(
    _ heard: HeardMessage, _ addresses: [IPAddress]?, _ collector: inout FindingCollector
  ) {
    guard let addresses, heard.message.flags.isResponse else { return }
    let said = (heard.message.answers + heard.message.additionals).compactMap { record -> IPAddress? in
      if record.ttlSeconds != 0, case .address(let address) = record.data { address } else { nil }
    }
    if said.isEmpty { return }
    let foreign = said.first { !addresses.contains($0) }
    collector.rule(
      .perInterface, foreign == nil, at: heard.scene, expected: "addresses of the interface that it leaves by",
      found: foreign.map { "\($0)" } ?? "")
  }
}
