import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// A DNS message: refused or read inside its bytes and budgets, as its index and a naive reference say, found by the
  /// keys of its names, and what was read is written and read again.
  package static let dns = FuzzTarget(
    name: "dns", dictionary: ["\u{4}_tcp\u{5}local", "\u{5}local", "\u{9}_services"], seeds: dnsSeeds
  ) { (bytes: [UInt8]) throws(FuzzFinding) in
    let reading: DNSReader.Reading
    switch read(bytes) {
    case .failure(let fault):
      try expect((0...bytes.count).contains(fault.offset), "\(fault) lies outside")
      return
    case .success(let found): reading = found
    }
    let message = reading.message
    let records = everyRecord(of: message)
    try expect(
      reading.faults.allSatisfy { (DNSMessage.headerBytes...bytes.count).contains($0.offset) }, "a fault lies outside")
    try expect(
      reading.faults.count <= counts(of: bytes) + 1, "more than one fault for a record")
    try expect(
      message.questions.count + records.count <= DNSReader.entryCountMaximum, "more entries than the budget")
    let names = message.questions.map(\.name) + records.map(\.name) + records.compactMap { name(in: $0.data) }
    let nameBytes = names.reduce(0) { $0 + $1.wire.count }
    try expect(nameBytes <= DNSReader.nameBytesMaximum, "names of \(nameBytes) bytes")
    for record in records {
      try expect(
        !record.precedesInTieBreak(record) && record.isTied(with: record), "a record is not tied with itself")
    }
    try compareIndex(of: bytes, message)
    try compareHearing(of: bytes, message)
    try expect(DNSName(names.first?.description ?? ".")?.wire == names.first?.wire ?? [0], "a name's text is another")
    // Pointers that the writer makes cost budget, too: at most one for each label.
    guard nameBytes + names.reduce(0, { $0 + 2 * $1.labelCount }) <= DNSReader.nameBytesMaximum else { return }
    for compression in DNSCompression.allCases {
      let written = message.written(compression: compression)
      // Names may be in full now.
      guard
        written.questions + written.answers + written.authorities + written.additionals
          == message.questions.count + records.count
      else { continue }
      guard case .success(let again) = read(written.bytes) else { throw FuzzFinding("what was written is refused") }
      try expect(again.message == message && again.faults.isEmpty, "\(again.message) was read, \(message) was written")
      try expect(again.message.written(compression: compression) == written, "written again it is other bytes")
    }
    let less = message.written(limitBytes: bytes.count / 2)
    try expect(less.bytes.count <= max(DNSMessage.headerBytes, bytes.count / 2), "the limit was passed")
    guard case .success(let part) = read(less.bytes) else { throw FuzzFinding("a part that was written is refused") }
    try expect(part.message.answers == Array(message.answers.prefix(less.answers)), "a part has other answers")
  }

  private static func read(_ bytes: [UInt8]) -> Result<DNSReader.Reading, DNSFault> {
    bytes.withUnsafeBytes { raw in
      do throws(DNSFault) { return .success(try DNSReader.read(raw)) } catch { return .failure(error) }
    }
  }

  /// Each entry stands where the index says: its name there, label by label, is that of the message.
  private static func compareIndex(of bytes: [UInt8], _ message: DNSMessage) throws(FuzzFinding) {
    guard let entries = bytes.withUnsafeBytes({ try? DNSReader.index($0).entries }) else {
      throw FuzzFinding("a message that was read has no index")
    }
    let names = message.questions.map(\.name) + everyRecord(of: message).map(\.name)
    let types = message.questions.map(\.type) + everyRecord(of: message).map(\.type)
    let seconds = message.questions.map { _ in 0 as UInt32 } + everyRecord(of: message).map(\.ttlSeconds)
    try expect(entries.map(\.type) == types, "the index has other types")
    try expect(entries.map(\.ttlSeconds) == seconds, "the index has other TTLs")
    for (entry, name) in zip(entries, names) {
      var labels: [[UInt8]] = []
      var place = Int(entry.nameStart)
      while bytes[place] != 0 {
        let size = Int(bytes[place])
        if size < 64 { labels.append(Array(bytes[place + 1...place + size])) }
        place = size < 64 ? place + 1 + size : (size & 63) * 256 + Int(bytes[place + 1])
      }
      try expect(name.labels == labels, "\(name) stands at byte \(entry.nameStart), where the labels are \(labels)")
    }
  }

  /// What is made of each part alone, the last first, is what was read; some are looked for by their keys.
  private static func compareHearing(of bytes: [UInt8], _ message: DNSMessage) throws(FuzzFinding) {
    guard let hearing = bytes.withUnsafeBytes({ try? DNSHearing($0) }) else {
      throw FuzzFinding("a message that was read cannot be heard")
    }
    let records = message.answers + message.additionals
    for place in records.indices.reversed() {
      let (found, record) = (hearing.record(at: place), records[place])
      try expect(found == record && found.name.isIdentical(to: record.name), "\(found) was made of \(record)")
      if place % 128 > 3 { continue }
      for key in [record.name.key, record.pointerKey ?? record.name.key] {
        try expect(hearing.places(of: [key]).contains(place), "no key finds \(record)")
      }
      let answers = message.answers.filter { $0.name == record.name && $0.type == record.type }
      try expect(hearing.answers(record.name, record.type) == answers, "other answers of \(record.name)")
    }
    try expect(
      hearing.questions() == message.questions && hearing.authorities == message.authorities
        && hearing.id == message.id && hearing.flags == message.flags, "other parts of a message")
    try expect(message.questions.prefix(64).allSatisfy { hearing.asks(for: [$0.name.key]) }, "no key finds a question")
    try expect(message.authorities.prefix(64).allSatisfy { hearing.proposes([$0.name.key]) }, "no key finds a proposal")
  }

  private static func everyRecord(of message: DNSMessage) -> [DNSRecord] {
    message.answers + message.authorities + message.additionals
  }

  /// Of the records that the header tells of.
  private static func counts(of bytes: [UInt8]) -> Int {
    stride(from: 6, to: DNSMessage.headerBytes, by: 2).reduce(0) { $0 + Int(bytes[$1]) * 256 + Int(bytes[$1 + 1]) }
  }

  private static func name(in data: DNSData) -> DNSName? {
    switch data {
    case .ptr(let name), .cname(let name), .srv(_, _, _, let name), .nsec(let name, _): name
    case .address, .txt, .opt, .other: nil
    }
  }

  private static let dnsSeeds: [[UInt8]] = {
    let type = DNSName("_ipp._tcp.local")!
    let (instance, host) = (type.adding("Printer")!, DNSName("host.local")!)
    let service = DNSRecord(instance, .srv(priority: 0, weight: 0, port: 631, target: host), ttlSeconds: 120)
    let answer = DNSMessage(
      flags: .response,
      answers: [DNSRecord(type, .ptr(instance), ttlSeconds: 4_500), service],
      additionals: [
        DNSRecord(instance, .txt([3, 97, 61, 98]), ttlSeconds: 4_500, isCacheFlush: true),
        DNSRecord(host, .address(IPAddress(10, 0, 0, 1)), ttlSeconds: 120, isCacheFlush: true),
        DNSRecord(host, .address(IPAddress(v6High: 0xFE80 << 48, low: 1)), ttlSeconds: 120),
        DNSRecord(host, .nsec(next: host, types: [.a, .aaaa]), ttlSeconds: 120),
        DNSRecord(.root, .opt([]), ttlSeconds: 0),
      ])
    let probe = DNSMessage(
      flags: .query, questions: [DNSQuestion(instance, .any, wantsUnicast: true)], authorities: [service])
    let query = DNSMessage(flags: .query, questions: [DNSQuestion(type, .ptr)])
    // A pointer to itself, and one to a name that ends with one.
    let loop: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xC0, 12, 0, 1, 0, 1]
    return [answer.bytes, answer.written(compression: .none).bytes, probe.bytes, query.bytes, loop]
  }()

  /// The pairs of a TXT record: read by the reader and by a naive reference, and written again.
  package static let dnsText = FuzzTarget(
    name: "dns-txt", dictionary: ["=", "\u{4}a=b", "\u{1}a"],
    seeds: [
      [9, 116, 120, 116, 118, 101, 114, 115, 61, 49, 1, 97, 2, 65, 61, 0, 2, 61, 98], [0], [1], [4, 107, 61, 0, 1],
    ]
  ) { (bytes: [UInt8]) throws(FuzzFinding) in
    var expected: [[UInt8]] = []
    var (rest, overrun) = (bytes[...], Int?.none)
    while let size = rest.first {
      if rest.count <= Int(size) {
        overrun = rest.startIndex
        break
      }
      let string = rest.dropFirst().prefix(Int(size))
      rest = rest.dropFirst(Int(size) + 1)
      let key = Array(string.prefix { $0 != 61 })
      if key.isEmpty || key.contains(where: { $0 < 32 || $0 > 126 }) { continue }
      if expected.contains(where: { lowercased($0.prefix { $0 != 61 }) == lowercased(key) }) { continue }
      expected.append(Array(string))
    }
    let record: TXTRecord
    do throws(DNSFault) { record = try TXTRecord(bytes) } catch {
      try expect(error.reason == .textOverrun && error.offset == overrun, "\(error), reference: \(overrun ?? -1)")
      return
    }
    try expect(overrun == nil, "strings that go beyond the end were read")
    let found = record.pairs.map { pair -> [UInt8] in
      guard case .bytes(let value) = pair.value else { return Array(pair.key.utf8) }
      return pair.key.utf8 + [61] + value
    }
    try expect(found == expected, "\(found), reference: \(expected)")
    try expect((try? TXTRecord(record.bytes)) == record, "written and read it is another record")
    for pair in record.pairs {
      try expect(record[pair.key.uppercased()] == pair.value, "\(pair.key) is not found by its key")
      var copy = record
      try expect(!copy.add(pair.key.lowercased()), "\(pair.key) was added twice")
    }
  }

  private static func lowercased(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.map { (65...90).contains($0) ? $0 + 32 : $0 }
  }
}
