import RollcallPrimitives
import RollcallWire

/// What one message shows of RFC 6762.
enum MulticastChecks {
  static func judge(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    judgePlace(heard, &collector)
    judgeHeader(heard, &collector)
    let (message, scene) = (heard.message, heard.scene)
    if !message.flags.isResponse {
      for (clause, records) in [(ClauseID.flushBits, message.answers), (.probeFlush, message.authorities)]
      where !records.isEmpty {
        let flushed = records.first { $0.isCacheFlush }
        collector.rule(
          clause, flushed == nil, at: scene, expected: "no cache-flush bit in a query",
          found: flushed.map { "\($0.type) of \($0.name) with it" } ?? "")
      }
      return
    }
    if heard.isLegacyReply {
      let flushed = heard.records.first { $0.isCacheFlush }
      collector.rule(
        .legacyReply, !message.questions.isEmpty && flushed == nil, at: scene,
        expected: "the question, and no cache-flush bit",
        found: flushed.map { "\($0.type) of \($0.name) with the bit" } ?? "no question")
    }
    guard heard.isMulticast else { return }
    collector.rule(
      .noQuestions, message.questions.isEmpty, at: scene, expected: "no question in a response",
      found: message.questions.first.map { "\($0.type) \($0.name)" } ?? "")
    for record in message.answers + message.additionals { judge(record, scene, &collector) }
  }

  private static func judge(
    _ record: DNSRecord, _ scene: FindingCollector.Scene, _ collector: inout FindingCollector
  ) {
    let isService = ServiceChecks.isShared(record.name)
    if record.type == .ptr, isService {
      collector.rule(
        .flushBits, !record.isCacheFlush, at: scene, expected: "PTR of a service without the cache-flush bit",
        found: "PTR of \(record.name) with it")
    }
    let seconds: UInt32
    switch record.type {
    case .a, .aaaa, .srv: seconds = 120
    case .txt: seconds = 4_500
    case .ptr where isService: seconds = 4_500
    default: return
    }
    // 0 says that it ends.
    guard record.ttlSeconds != 0 else { return }
    collector.rule(
      .recommendedTTL, record.ttlSeconds == seconds, at: scene, expected: "\(record.type) with a TTL of \(seconds) s",
      found: "\(record.ttlSeconds) s")
  }

  /// What its sender probed for is its own, and has the cache-flush bit.
  static func rule(ownFlush record: DNSRecord, _ heard: HeardMessage, _ collector: inout FindingCollector) {
    collector.rule(
      .flushBits, record.isCacheFlush, at: heard.scene, expected: "the cache-flush bit in what was probed for",
      found: "\(record.type) of \(record.name) without it")
  }

  /// Who asks from beyond the link is not answered (RFC 6762 §5.5, §11).
  static func judgeReach(_ heard: HeardMessage, isOnLink: Bool?, _ collector: inout FindingCollector) {
    guard !heard.isMulticast, let isOnLink else { return }
    collector.rule(
      .offLinkIgnored, isOnLink, at: heard.scene, expected: "answers by unicast to addresses of the link alone",
      found: "one to \(heard.observation.destination.address)")
  }

  private static func judgePlace(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    let (observation, scene) = (heard.observation, heard.scene)
    let isResponse = heard.message.flags.isResponse
    if observation.destination.address.isMulticast {
      let isRight =
        observation.destination == .mdns(observation.destination.address.family)
        && observation.source.port == Endpoint.mdnsPort
      collector.rule(
        .multicastAddress, isRight, at: scene, expected: "multicast from port 5353 to port 5353 of the group",
        found: "from port \(observation.source.port) to \(observation.destination)")
    } else if isResponse {
      collector.rule(
        .multicastAddress, observation.source.port == Endpoint.mdnsPort, at: scene,
        expected: "a response from port 5353", found: "from port \(observation.source.port)")
    }
    // The text asks it of responses alone.
    if isResponse {
      collector.rule(
        .multicastHopLimit, observation.hopLimit == 255, at: scene, expected: "a TTL or hop limit of 255",
        found: "\(observation.hopLimit)")
    }
    let byteCount = observation.bytes.count + (observation.source.address.family == .v4 ? 28 : 48)
    collector.rule(
      .packetSize, byteCount <= 9_000, at: scene, expected: "at most 9000 bytes with IP and UDP headers",
      found: "\(byteCount)")
  }

  /// Bits that have to be clear, as the header has them; RD should be, which is not looked at.
  private static func judgeHeader(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    let flags = heard.message.flags
    var wrong: [String] = []
    if flags.isResponse, heard.isMulticast, heard.message.id != 0 { wrong.append("id \(heard.message.id)") }
    if flags.isResponse != flags.isAuthoritative { wrong.append(flags.isResponse ? "no AA" : "AA") }
    if flags.opcode != 0 { wrong.append("opcode \(flags.opcode)") }
    if flags.responseCode != 0 { wrong.append("rcode \(flags.responseCode)") }
    if flags.isResponse, heard.isMulticast, flags.isTruncated { wrong.append("TC") }
    if flags.recursionAvailable { wrong.append("RA") }
    if flags.isReservedBitSet { wrong.append("Z") }
    if flags.isAuthenticData { wrong.append("AD") }
    if flags.isCheckingDisabled { wrong.append("CD") }
    collector.rule(
      .headerBits, wrong.isEmpty, at: heard.scene,
      expected: flags.isResponse ? "only QR and AA" : "no bit but TC", found: wrong.joined(separator: ", "))
  }
}
