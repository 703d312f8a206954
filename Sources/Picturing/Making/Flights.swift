import RollcallPrimitives

/// What is on its way: which mark sent what a host hears, and who does not hear it.
///
/// A trace says what was sent and what was heard, and not which of it is the same. Equal bytes between equal endpoints
/// are; of several copies the latest that the host has not heard yet.
struct Flights {
  private struct Flight {
    var mark: Int
    var time: Instant
    /// Stations that ought to hear it and have not.
    var awaited: [Int]
    var heardBy: [Int] = []
  }

  private var flights: [Flight] = []
  /// The latest copies of each datagram.
  private var copies: [UInt64: [Int]] = [:]
  /// The latest datagram between two endpoints, whatever its bytes.
  private var latest: [UInt64: Int] = [:]

  private static let copiesMaximum = 16
  /// What was sent so shortly before the end may still have been under way.
  private static let patience = Interval.seconds(1)

  /// - Parameters:
  ///   - key: of endpoints and bytes.
  ///   - way: of endpoints and the number of bytes: what was changed on its way has the same.
  mutating func send(_ mark: Int, key: UInt64, way: UInt64, at time: Instant, awaited: [Int]) {
    if mark < 0 { return }
    copies[key, default: []].append(flights.count)
    if copies[key, default: []].count > Flights.copiesMaximum { copies[key]?.removeFirst() }
    latest[way] = flights.count
    flights.append(Flight(mark: mark, time: time, awaited: awaited))
  }

  /// - Returns: the mark that sent what a station hears; −1: none is known.
  mutating func hear(key: UInt64, way: UInt64, station: Int) -> Int {
    let known = copies[key, default: []]
    // One that the network made twice belongs to the copy that was heard before.
    let found = known.last { !flights[$0].heardBy.contains(station) } ?? known.last ?? changed(way, station)
    guard let found else { return -1 }
    if !flights[found].heardBy.contains(station) { flights[found].heardBy.append(station) }
    flights[found].awaited.removeAll { $0 == station }
    return flights[found].mark
  }

  private func changed(_ way: UInt64, _ station: Int) -> Int? {
    latest[way].flatMap { flights[$0].awaited.contains(station) ? $0 : nil }
  }

  /// What did not arrive: marks, and the stations that did not hear them.
  func losses(end: Instant) -> [(mark: Int, station: Int)] {
    flights.flatMap { flight -> [(mark: Int, station: Int)] in
      if end - flight.time < Flights.patience { return [] }
      return flight.awaited.map { (mark: flight.mark, station: $0) }
    }
  }

  // MARK: - Keys

  static func key(_ datagram: RecordedDatagram) -> UInt64 {
    Digest.fold(ends(datagram) ^ 0xA076_1D64_78BD_642F, datagram.bytes.withUnsafeBytes { Digest.hash($0) })
  }

  static func way(_ datagram: RecordedDatagram) -> UInt64 {
    Digest.fold(ends(datagram) ^ 0x8EBC_6AF0_9C88_C6E3, UInt64(datagram.bytes.count) ^ 0x5899_65CC_7537_4CC3)
  }

  /// Of bytes that have no endpoints; `kind` keeps those of one port from those of another.
  static func key(_ bytes: [UInt8], kind: UInt64) -> UInt64 {
    Digest.fold(kind ^ 0xE703_7ED1_A0B4_28DB, bytes.withUnsafeBytes { Digest.hash($0) })
  }

  private static func ends(_ datagram: RecordedDatagram) -> UInt64 {
    let (source, destination) = (datagram.source, datagram.destination)
    return Digest.fold(
      source.address.low ^ source.address.high ^ UInt64(source.port) &<< 48 ^ 0x1D8E_4E27_C47D_124F,
      destination.address.low ^ destination.address.high ^ UInt64(destination.port) &<< 48 ^ 0x9E37_79B9_7F4A_7C15)
  }
}
