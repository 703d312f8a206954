package import RollcallPrimitives

/// A message as all hear it who hear one payload: read once, and asked for names by their keys before any is compared.
///
/// A key is a hash. Equal names, letter case aside, have equal keys; others hardly ever have. So what a key does not
/// find is not there, and what it finds is still to be compared.
package final class DNSHearing: Sendable {
  package let reading: DNSReader.Reading
  /// The answers, then the additionals.
  package let records: [DNSRecord]
  /// Of the bytes.
  package let hash: UInt64
  private let questionKeys: [UInt64]
  private let authorityKeys: [UInt64]
  /// Of each record two: of its name, and of its name with the name that a PTR record leads to (else the first again).
  private let recordKeys: [UInt64]
  /// 1 024 bits; the ten lowest of each of those keys are the number of one that is set.
  private let filter: [UInt64]

  init(_ reading: DNSReader.Reading, _ bytes: UnsafeRawBufferPointer) {
    self.reading = reading
    let message = reading.message
    records = message.answers + message.additionals
    hash = Digest.hash(bytes)
    questionKeys = message.questions.map(\.name.key)
    authorityKeys = message.authorities.map(\.name.key)
    var keys: [UInt64] = []
    keys.reserveCapacity(2 * records.count)
    for record in records {
      keys.append(record.name.key)
      keys.append(record.pointerKey ?? record.name.key)
    }
    recordKeys = keys
    var filter = [UInt64](repeating: 0, count: 16)
    for list in [questionKeys, authorityKeys, recordKeys] {
      for key in list { filter[Int(key &>> 6 & 15)] |= 1 &<< (key & 63) }
    }
    self.filter = filter
  }

  package var message: DNSMessage { reading.message }

  /// Whether a question may ask for one of these names.
  package func asks(for keys: [UInt64]) -> Bool { keys.contains { mayHave($0) && questionKeys.contains($0) } }

  /// Whether a proposed record may have one of these names.
  package func proposes(_ keys: [UInt64]) -> Bool { keys.contains { mayHave($0) && authorityKeys.contains($0) } }

  /// The places in `records` of those that may have one of these names, or lead from and to a pair of them, rising.
  package func places(of keys: [UInt64]) -> [Int] {
    var found: [Int] = []
    for key in keys where mayHave(key) {
      for place in records.indices where recordKeys[2 &* place] == key || recordKeys[2 &* place &+ 1] == key {
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
}

extension DNSRecord {
  /// Of a PTR record: from where and to where; the names that many have lead to names that one has.
  package var pointerKey: UInt64? {
    guard case .ptr(let target) = data else { return nil }
    return (name.key ^ 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93 &+ target.key
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
    let bytes = store.bytes(of: payload)
    do throws(DNSFault) {
      let hearing = DNSHearing(try read(bytes), bytes)
      store.setReading(hearing, of: payload)
      return hearing
    } catch {
      store.setReading(Refusal(error), of: payload)
      throw error
    }
  }
}
