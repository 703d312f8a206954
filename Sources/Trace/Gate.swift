public import Primitives

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
    fold(.received, station, now, mark ^ UInt64(datagram.interface.number))
    if let recorder { recorder.record(datagram: datagram, .received, station, now, payloads) }
  }

  /// A machine sends a datagram.
  @inlinable public mutating func sent(
    _ datagram: Datagram, station: UInt32, at now: Instant, in payloads: PayloadStore
  ) {
    fold(.sent, station, now, Gate.mark(of: datagram, in: payloads) ^ UInt64(datagram.interface.number))
    if let recorder { recorder.record(datagram: datagram, .sent, station, now, payloads) }
  }

  /// A machine is woken.
  @inlinable public mutating func woken(station: UInt32, at now: Instant) {
    fold(.woken, station, now, 0)
    if let recorder { recorder.record(.woken, station, now) }
  }

  /// A machine is given anything but a datagram.
  public mutating func received(_ signal: Signal, station: UInt32, at now: Instant) {
    var content = Digest()
    content.combine(signal)
    fold(.received, station, now, content.state)
    if let recorder { recorder.record(.signal(signal), station, now) }
  }

  /// A machine reports: what `wanted` does, for the most frequent effect.
  public mutating func reported(_ report: borrowing Report, station: UInt32, at now: Instant) {
    var content = Digest()
    content.combine(report)
    fold(.wanted, station, now, content.state)
    if let recorder { recorder.record(.effect(.report(copy report)), station, now) }
  }

  /// A machine wants anything but to send.
  public mutating func wanted(_ effect: Effect, station: UInt32, at now: Instant) {
    var content = Digest()
    content.combine(effect)
    fold(.wanted, station, now, content.state)
    if let recorder { recorder.record(.effect(effect), station, now) }
  }

  @usableFromInline enum Kind: UInt64 { case received = 1, sent, woken, wanted }

  @inlinable mutating func fold(_ kind: Kind, _ station: UInt32, _ now: Instant, _ content: UInt64) {
    folds &+= 1
    folded.combine(
      UInt64(bitPattern: now.nanoseconds) ^ UInt64(station) &<< 36 ^ kind.rawValue &<< 61, content)
  }
}

extension Digest {
  /// Folds in a signal that is no datagram: a captured search field by field, since a replay has many, others by
  /// their text.
  mutating func combine(_ signal: Signal) {
    guard case .command(.adopt(let search, let socket)) = signal else { return combine(TraceText.text(of: signal)) }
    combine(socket.address.low ^ UInt64(socket.port) &<< 48, socket.address.high ^ 12)
    combine(search.target)
    combine(
      UInt64(search.id.number) &<< 32 ^ UInt64(truncatingIfNeeded: search.maximumWaitSeconds),
      UInt64(truncatingIfNeeded: search.broadcasts))
    if let spacing = search.spacing { combine(UInt64(bitPattern: spacing.nanoseconds), 13) }
    if let host = search.host { combine(host.address.low ^ UInt64(host.port) &<< 48, host.address.high ^ 14) }
    if let interface = search.interface { combine(UInt64(interface.number), 15) }
  }

  /// Folds in an effect that is no transmission: the frequent ones field by field, all others by their text.
  mutating func combine(_ effect: Effect) {
    switch effect {
    case .report(let report): combine(report)
    case .join(let group, let interface):
      combine(group.low ^ group.high, UInt64(interface.number) ^ 11)
    default: combine(TraceText.text(of: effect))
    }
  }

  private mutating func combine(_ device: DeviceSighting) {
    combine(device.source.low ^ UInt64(device.interface.number) &<< 48, device.source.high ^ 6)
    combine(device.device)
    combine(UInt64(device.bootID ?? 0), device.bootID == nil ? 7 : 8)
    if let location = device.location { combine(location) }
  }

  private mutating func combine(_ change: Change) {
    switch change {
    case .location(let former):
      combine(18, former == nil ? 0 : 1)
      if let former { combine(former) }
    case .address(let former): combine(former.low, former.high ^ 19)
    case .bootID(let former): combine(UInt64(former ?? 0), former == nil ? 20 : 21)
    case .configID(let former): combine(UInt64(former ?? 0), former == nil ? 22 : 23)
    case .united(let part):
      combine(24, 25)
      combine(part)
    }
  }

  mutating func combine(_ report: Report) {
    switch report {
    case .service(let service):
      combine(UInt64(service.search.number) ^ 5 &<< 32, service.names.digest)
    case .found(let device): combine(device)
    case .changed(let device, let change):
      combine(device)
      combine(change)
    case .lost(let device, let cause):
      combine(16, 17)
      combine(device)
      combine(cause.rawValue)
    case .rejected(let rejection):
      combine(UInt64(truncatingIfNeeded: rejection.offset), 9)
      combine(rejection.reason.rawValue)
    case .searchEnded(let outcome):
      combine(UInt64(outcome.search.number) &<< 1 | (outcome.wasStopped ? 1 : 0), UInt64(outcome.services.count) ^ 10)
      combine(outcome.target)
      for service in outcome.services { combine(service.names.digest) }
    default: combine(TraceText.text(of: report))
    }
  }
}
