public import RollcallPrimitives

/// The gate that every call to a machine passes: what went in and what came out, folded into a digest and, where
/// somebody wants to read it, recorded.
///
/// The digest runs over all entries of all stations in order, whatever recorder is on; it is what two runs are
/// compared by. `@inlinable`, because a busy network passes here tens of millions of times a second.
@frozen public struct Gate {
  @usableFromInline var folded = Digest()
  @usableFromInline var folds: UInt64 = 0
  /// Where entries are kept; `nil`: only the digest is.
  public var recorder: Recorder?

  @inlinable public var digest: Digest { folded }
  /// Entries so far.
  @inlinable public var entryCount: UInt64 { folds }

  public init(recorder: Recorder? = nil) { self.recorder = recorder }

  /// What a datagram adds to the digest, wherever it goes: worked out once, folded in a receiver at a time.
  @inlinable public static func mark(of datagram: Datagram, in payloads: PayloadStore) -> UInt64 {
    let source = datagram.source
    let destination = datagram.destination
    let ends = Digest.fold(
      source.address.low ^ source.address.high ^ UInt64(source.port) &<< 48 ^ 0xA076_1D64_78BD_642F,
      destination.address.low ^ destination.address.high ^ UInt64(destination.port) &<< 48 ^ 0xE703_7ED1_A0B4_28DB)
    return Digest.fold(ends ^ payloads.digest(of: datagram.payload), UInt64(datagram.hopLimit) ^ 0x8EBC_6AF0_9C88_C6E3)
  }

  /// A machine is given a datagram with this mark.
  @inlinable public mutating func received(
    _ datagram: Datagram, mark: UInt64, station: UInt32, at now: Instant, in payloads: PayloadStore
  ) {
    received(mark: mark, on: datagram.interface, station: station, at: now)
    if let recorder { recorder.record(datagram: datagram, .received, station, now, payloads) }
  }

  /// The same where there is no recorder.
  @inlinable @inline(__always) public mutating func received(
    mark: UInt64, on interface: InterfaceID, station: UInt32, at now: Instant
  ) {
    fold(.received, .lan, station, now, mark ^ UInt64(interface.number))
  }

  /// A machine sends a datagram. Returns its mark, which is that of all who hear it.
  @discardableResult @inlinable public mutating func sent(
    _ datagram: Datagram, station: UInt32, at now: Instant, in payloads: PayloadStore
  ) -> UInt64 {
    let mark = Gate.mark(of: datagram, in: payloads)
    fold(.sent, .lan, station, now, mark ^ UInt64(datagram.interface.number))
    if let recorder { recorder.record(datagram: datagram, .sent, station, now, payloads) }
    return mark
  }

  /// A machine is woken.
  @inlinable public mutating func woken(station: UInt32, at now: Instant) {
    fold(.woken, .lan, station, now, 0)
    if let recorder { recorder.record(.woken, station, now) }
  }

  /// A machine is given anything but a datagram.
  public mutating func received(_ signal: SignalValue, station: UInt32, at now: Instant) {
    let value = signal.value
    fold(.received, type(of: value).port, station, now, value.digest)
    if let recorder { recorder.record(.signal(signal), station, now) }
  }

  /// A machine reports: what `wanted` does, for the most frequent effect.
  public mutating func reported(_ report: borrowing Report, station: UInt32, at now: Instant) {
    fold(.wanted, .application, station, now, report.digest)
    if let recorder { recorder.record(.effect(.application(copy report)), station, now) }
  }

  /// A machine wants anything but to send.
  public mutating func wanted(_ effect: Effect, station: UInt32, at now: Instant) {
    guard let value = effect.value else { return }
    fold(.wanted, type(of: value).port, station, now, value.digest)
    if let recorder { recorder.record(.effect(effect), station, now) }
  }

  @usableFromInline enum Kind: UInt64 { case received = 1, sent, woken, wanted }

  /// Time fills a word of its own, and what happened where another, so that no two entries look alike.
  @inlinable mutating func fold(
    _ kind: Kind, _ port: PortNumber, _ station: UInt32, _ now: Instant, _ content: UInt64
  ) {
    folds &+= 1
    let place = UInt64(station) | UInt64(port.number) &<< 32 | kind.rawValue &<< 40
    folded.combine(
      Digest.fold(UInt64(bitPattern: now.nanoseconds) ^ 0x589965CC75374CC3, place ^ 0x1D8E_4E27_C47D_124F), content)
  }
}
