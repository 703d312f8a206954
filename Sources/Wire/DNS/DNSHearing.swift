package import RollcallPrimitives

/// A message as all hear it who hear one payload: checked once, and asked for names by their keys before any is made.
///
/// A key is a hash. Equal names, letter case aside, have equal keys; others hardly ever have. So what a key does not
/// find is not there, and what it finds is still to be compared. A record is made when it is asked for the first time.
/// Not thread-safe, like the store that keeps it.
package final class DNSHearing {
  private let index: DNSIndex
  /// The message: somebody may hold this for longer than the payload.
  private let bytes: [UInt8]
  /// Of the bytes.
  package let hash: UInt64
  private let questionKeys: [UInt64]
  private let authorityKeys: [UInt64]
  /// Of each answer and additional two: of its name, and of its name with the name that a PTR record leads to (else the
  /// first again).
  private let recordKeys: [UInt64]
  /// 1 024 bits; the ten lowest of each of those keys are the number of one that is set.
  private let filter: [UInt64]
  private var names = DNSNames()
  /// Of the answers, then of the additionals, those that were asked for; empty before the first.
  private var made: [DNSRecord?] = []

  package init(_ bytes: UnsafeRawBufferPointer) throws(DNSFault) {
    let index = try DNSReader.index(bytes)
    var last: (start: Int, key: UInt64) = (0, 0)
    /// Of the owner of an entry: many in a row have the same one.
    func ownerKey(_ entry: DNSIndex.Entry) -> UInt64 {
      let start = DNSNames.firstLabel(ofNameAt: Int(entry.nameStart), of: bytes)
      if start != last.start { last = (start, DNSNames.key(at: start, of: bytes)) }
      return last.key
    }
    questionKeys = index.entries[index.questions].map(ownerKey)
    authorityKeys = index.entries[index.authorities].map(ownerKey)
    var keys: [UInt64] = []
    keys.reserveCapacity(2 * (index.answers.count + index.additionals.count))
    for part in [index.answers, index.additionals] {
      for entry in index.entries[part] {
        let owner = ownerKey(entry)
        keys.append(owner)
        keys.append(
          entry.type == .ptr
            ? DNSName.pointerKey(from: owner, to: DNSNames.key(at: Int(entry.dataStart), of: bytes)) : owner)
      }
    }
    recordKeys = keys
    var filter = [UInt64](repeating: 0, count: 16)
    for list in [questionKeys, authorityKeys, recordKeys] {
      for key in list { filter[Int(key &>> 6 & 15)] |= 1 &<< (key & 63) }
    }
    self.filter = filter
    (self.index, self.bytes, hash) = (index, Array(bytes), Digest.hash(bytes))
  }

  package var id: UInt16 { index.id }
  package var flags: DNSFlags { index.flags }
  /// As `DNSReader.Reading` has them.
  package var faults: [DNSFault] { index.faults }
  package var questionCount: Int { index.questions.count }
  package var answerCount: Int { index.answers.count }
  package var authorityCount: Int { index.authorities.count }

  /// The first questions, so many at most.
  package func questions(atMost count: Int = .max) -> [DNSQuestion] {
    bytes.withUnsafeBytes { bytes in
      index.entries[index.questions].prefix(count).map { $0.question(of: bytes, &names) }
    }
  }

  package var authorities: [DNSRecord] {
    bytes.withUnsafeBytes { bytes in index.entries[index.authorities].map { $0.record(of: bytes, &names) } }
  }

  /// The answers, then the additionals.
  package var records: [DNSRecord] { (0..<answerCount + index.additionals.count).map(record) }

  /// One of `records`.
  package func record(at place: Int) -> DNSRecord {
    if made.isEmpty { made = [DNSRecord?](repeating: nil, count: answerCount + index.additionals.count) }
    if let record = made[place] { return record }
    let record = bytes.withUnsafeBytes { entry(place).record(of: $0, &names) }
    made[place] = record
    return record
  }

  /// Of one of `records`.
  private func entry(_ place: Int) -> DNSIndex.Entry {
    let behind = place - answerCount
    return index.entries[behind < 0 ? index.answers.upperBound + behind : index.additionals.lowerBound + behind]
  }

  /// The answers of this type that have this name.
  package func answers(_ name: DNSName, _ type: DNSType) -> [DNSRecord] {
    let key = name.key
    guard mayHave(key) else { return [] }
    return (0..<answerCount).compactMap { place in
      guard recordKeys[2 &* place] == key, entry(place).type == type else { return nil }
      let found = record(at: place)
      return found.name == name ? found : nil
    }
  }

  /// Whether a question may ask for one of these names.
  package func asks(for keys: [UInt64]) -> Bool { keys.contains { mayHave($0) && questionKeys.contains($0) } }

  /// Whether a proposed record may have one of these names.
  package func proposes(_ keys: [UInt64]) -> Bool { keys.contains { mayHave($0) && authorityKeys.contains($0) } }

  /// The places in `records` of those that may have one of these names, or lead from and to a pair of them, rising.
  package func places(of keys: [UInt64]) -> [Int] {
    var found: [Int] = []
    for key in keys where mayHave(key) {
      for place in 0..<recordKeys.count / 2 where recordKeys[2 &* place] == key || recordKeys[2 &* place &+ 1] == key {
        if !found.contains(place) { found.append(place) }
      }
    }
    if found.count > 1 { found.sort() }
    return found
  }

  @inline(__always) private func mayHave(_ key: UInt64) -> Bool {
    filter[Int(key &>> 6 & 15)] & 1 &<< (key & 63) != 0
  }
}

extension DNSName {
  package var key: UInt64 { withWire { ASCIICase.hash($0) } }

  /// Of a PTR record, by the keys of its two names: the names that many have lead to names that one has.
  fileprivate static func pointerKey(from owner: UInt64, to target: UInt64) -> UInt64 {
    (owner ^ 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93 &+ target
  }
}

extension DNSRecord {
  /// Of a PTR record: from where and to where; `nil` for any other.
  package var pointerKey: UInt64? {
    guard case .ptr(let target) = data else { return nil }
    return DNSName.pointerKey(from: name.key, to: target.key)
  }
}

extension DNSReader {
  /// Why a payload is no message, kept beside it.
  private final class Refusal: Sendable {
    let fault: DNSFault
    init(_ fault: DNSFault) { self.fault = fault }
  }

  /// Reads a payload once, however many receivers ask.
  package static func hearing(of payload: Payload, in store: PayloadStore) throws(DNSFault) -> DNSHearing {
    let known = store.reading(of: payload)
    if let known = known as? DNSHearing { return known }
    if let known = known as? Refusal { throw known.fault }
    do throws(DNSFault) {
      let hearing = try DNSHearing(store.bytes(of: payload))
      store.setReading(hearing, of: payload)
      return hearing
    } catch {
      store.setReading(Refusal(error), of: payload)
      throw error
    }
  }
}
