package import RollcallPrimitives

/// A frame that the host writes (docs/engine-protocol.md).
package enum HostFrame: Hashable, Sendable {
  case hello(seed: Seed, duration: Interval)
  case interface(InterfaceChange, at: Instant)
  case datagram(RecordedDatagram, at: Instant)
  case wake(at: Instant)
  case search(Search, at: Instant)
  case stopSearch(SearchID, at: Instant)
  case stop(at: Instant)
  case hold(device: String, at: Instant)
  case release(device: String, at: Instant)
  case refused(Refusal, at: Instant)
  /// What the protocol has no frame for, as a trace has it.
  case other(String, at: Instant)
  case end

  /// Of the protocol.
  package static let version: UInt16 = 1

  /// What the engine of a host is given with a signal that is no datagram.
  package init(_ value: SignalValue, at now: Instant) {
    switch value {
    case .host(.interface(let change)): self = .interface(change, at: now)
    case .host(.refused(let refusal)): self = .refused(refusal, at: now)
    case .application(.search(let search)): self = .search(search, at: now)
    case .application(.stopSearch(let search)): self = .stopSearch(search, at: now)
    case .application(.stop): self = .stop(at: now)
    case .application(.hold(let device)): self = .hold(device: device, at: now)
    case .application(.release(let device)): self = .release(device: device, at: now)
    default: self = .other(value.value.text, at: now)
    }
  }

  /// As the table of the protocol has it.
  package var name: String {
    switch self {
    case .hello: "HELLO"
    case .interface: "INTERFACE"
    case .datagram: "DATAGRAM"
    case .wake: "WAKE"
    case .search: "SEARCH"
    case .stopSearch: "STOP_SEARCH"
    case .stop: "STOP"
    case .hold: "HOLD"
    case .release: "RELEASE"
    case .refused: "REFUSED"
    case .other: "OTHER"
    case .end: "END"
    }
  }

  /// The whole frame, from its length on.
  package var bytes: [UInt8] {
    var writer: FrameWriter
    switch self {
    case .hello(let seed, let duration):
      writer = FrameWriter(1)
      writer.add(HostFrame.version)
      writer.add(seed.value)
      writer.add(duration.nanoseconds)
    case .interface(let change, let time):
      writer = FrameWriter(2, at: time)
      writer.add(change.interface.number)
      writer.add(change.isUp)
      let addresses = change.addresses.prefix(255)
      writer.add(UInt8(addresses.count))
      for one in addresses {
        writer.add(one.address)
        writer.add(UInt8(clamping: one.prefixBits))
      }
    case .datagram(let datagram, let time):
      writer = FrameWriter(3, at: time)
      writer.add(datagram.interface.number)
      writer.add(datagram.source)
      writer.add(datagram.destination)
      writer.add(datagram.hopLimit)
      writer.add(counted: datagram.bytes[...])
    case .wake(let time): writer = FrameWriter(4, at: time)
    case .search(let search, let time):
      writer = FrameWriter(5, at: time)
      writer.add(search)
    case .stopSearch(let search, let time):
      writer = FrameWriter(6, at: time)
      writer.add(search.number)
    case .stop(let time): writer = FrameWriter(7, at: time)
    case .hold(let device, let time):
      writer = FrameWriter(8, at: time)
      writer.add(device)
    case .release(let device, let time):
      writer = FrameWriter(9, at: time)
      writer.add(device)
    case .refused(let refusal, let time):
      writer = FrameWriter(10, at: time)
      writer.add(refusal.deed == .join ? 1 as UInt8 : 2)
      writer.add(refusal.interface.number)
      writer.add(refusal.address)
      writer.add(refusal.port)
    case .other(let text, let time):
      writer = FrameWriter(11, at: time)
      writer.add(text)
    case .end: writer = FrameWriter(15)
    }
    return writer.frame
  }

  /// When it is; `nil`: it has no time of its own.
  package var time: Instant? {
    switch self {
    case .hello, .end: nil
    case .interface(_, let time), .datagram(_, let time), .search(_, let time), .stopSearch(_, let time),
      .hold(_, let time), .release(_, let time), .refused(_, let time), .other(_, let time), .wake(let time),
      .stop(let time):
      time
    }
  }
}
