import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// What hosts of one link say, by the last byte of their addresses: 10.0.0.1 has the lamp, 10.0.0.2 and 10.0.0.3 ask.
enum LinkTalk {
  typealias Packet = MulticastFixture.Packet

  static func by(_ last: UInt8, at milliseconds: Int64, _ packet: Packet) -> Packet {
    MulticastFixture.with(packet) { edited in
      (edited.source.address, edited.milliseconds) = (IPAddress(10, 0, 0, last), milliseconds)
    }
  }

  static func asked(
    at milliseconds: Int64, _ name: DNSName = MulticastFixture.type, _ type: DNSType = .ptr, known: [DNSRecord] = [],
    isTruncated: Bool = false, wantsUnicast: Bool = false, by last: UInt8 = 2
  ) -> Packet {
    var flags = DNSFlags.query
    flags.isTruncated = isTruncated
    let question = DNSQuestion(name, type, wantsUnicast: wantsUnicast)
    return by(last, at: milliseconds, Packet(message: DNSMessage(flags: flags, questions: [question], answers: known)))
  }

  static func said(_ records: [DNSRecord], at milliseconds: Int64, by last: UInt8 = 1) -> Packet {
    by(last, at: milliseconds, MulticastFixture.response(records))
  }

  /// To one host, at the port of multicast DNS.
  static func to(_ last: UInt8, _ packet: Packet) -> Packet {
    MulticastFixture.with(packet) { $0.destination = Endpoint(IPAddress(10, 0, 0, last), port: 5_353) }
  }

  /// As it is sent by a host of a run.
  static func sent(_ packet: Packet, by host: Int32) -> Packet { MulticastFixture.with(packet) { $0.host = host } }
  /// As it comes to a host of a run.
  static func came(_ packet: Packet, to host: Int32) -> Packet { MulticastFixture.with(packet) { $0.heardBy = host } }

  /// The interface of host 0 comes up.
  static let up = Packet(
    message: DNSMessage(flags: .query), host: 0,
    event: .interface(
      InterfaceChange(
        interface: InterfaceID(0), isUp: true,
        addresses: [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)])))

  static func probed(
    _ name: DNSName = MulticastFixture.host, _ data: UInt8 = 1, at milliseconds: Int64, by last: UInt8 = 1
  ) -> Packet {
    let question = DNSQuestion(name, .any, wantsUnicast: true)
    let record = DNSRecord(name, .address(IPAddress(10, 0, 0, data)), ttlSeconds: 120)
    return by(
      last, at: milliseconds, Packet(message: DNSMessage(flags: .query, questions: [question], authorities: [record])))
  }

  static func address(_ last: UInt8) -> DNSRecord {
    DNSRecord(MulticastFixture.host, .address(IPAddress(10, 0, 0, last)), ttlSeconds: 120, isCacheFlush: true)
  }
  /// A record of another type than the name is probed with.
  static func machine(_ name: DNSName = MulticastFixture.host) -> DNSRecord {
    DNSRecord(name, .other(.hinfo, [1, 65, 1, 66]), ttlSeconds: 120)
  }
  static func service(_ name: DNSName = MulticastFixture.instance, _ ttlSeconds: UInt32 = 120) -> DNSRecord {
    DNSRecord(
      name, .srv(priority: 0, weight: 0, port: 80, target: MulticastFixture.host), ttlSeconds: ttlSeconds,
      isCacheFlush: true)
  }

  /// How often a clause is held, violated and left open where everything is known, for each time that a talk may have.
  static func check(
    _ clause: ClauseID, _ rows: [(Int64, String)], fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column, _ talk: (Int64) -> [Packet]
  ) {
    for (time, tally) in rows {
      let judgement = MulticastFixture.judged(talk(time), isComplete: true)
      expectEqual(
        judgement.sum(clause), tally, "\(clause) with \(time): \(judgement.lines)", fileID: fileID, filePath: filePath,
        line: line, column: column)
    }
  }
}
