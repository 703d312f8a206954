package import RollcallPrimitives

/// What an engine was told so far: it says which frames of it make sense.
package struct ToldEngine: Hashable, Sendable {
  package var now = Instant.zero
  package var interfaces: [InterfaceID: InterfaceChange] = [:]
  /// Of each search its target.
  package var searches: [SearchID: String] = [:]

  package init() {}

  package mutating func note(_ frame: HostFrame) {
    if let time = frame.time { now = time }
    switch frame {
    case .interface(let change, _): interfaces[change.interface] = change
    case .search(let search, _): searches[search.id] = search.target
    default: break
    }
  }
}

/// A frame that an engine writes (docs/engine-protocol.md).
package enum EngineFrame: Hashable, Sendable {
  case send(from: UInt16, to: Endpoint, on: InterfaceID, hopLimit: UInt8, bytes: [UInt8])
  case join(Endpoint, on: InterfaceID)
  case leave(Endpoint, on: InterfaceID)
  case found(DeviceSighting)
  case changed(DeviceSighting, Change)
  case lost(device: String, cause: LossCause)
  case service(ServiceSighting)
  case searchEnded(SearchID, wasStopped: Bool)
  case failed(Failure)
  /// Text for people.
  case note(String)
  case ready(deadline: Instant?)

  package static let lengthMaximum = 1_048_576
  package static let datagramBytesMaximum = 65_507
  package static let textBytesMaximum = 4_096

  private enum Kind: UInt8 {
    case send = 129
    case join, leave, found, changed, lost, service, searchEnded, failed
    case note = 142
    case ready
  }

  /// The name of a type, as the table of the protocol has it.
  package static func name(ofType type: UInt8) -> String {
    switch Kind(rawValue: type) {
    case .send: "SEND"
    case .join: "JOIN"
    case .leave: "LEAVE"
    case .found: "FOUND"
    case .changed: "CHANGED"
    case .lost: "LOST"
    case .service: "SERVICE"
    case .searchEnded: "SEARCH_ENDED"
    case .failed: "FAILED"
    case .note: "LOG"
    case .ready: "READY"
    case nil: "type \(type)"
    }
  }

  /// Reads a frame.
  /// - Parameters:
  ///   - frame: the whole of it, from its length on, which was checked: there is a type.
  ///   - told: what its engine was told before.
  package init(_ frame: [UInt8], by told: ToldEngine) throws(FrameFault) {
    guard let kind = Kind(rawValue: frame[4]) else {
      throw FrameFault(
        at: 4, expected: "the type of a frame of an engine: 129 … 137, 142 or 143", found: "\(frame[4])")
    }
    var reader = FrameReader(frame)
    switch kind {
    case .send:
      let interface = try reader.interface(told)
      let port = try reader.port("the source port")
      let destination = try reader.endpoint("the destination")
      let hopLimit = try reader.number(UInt8.self, "TTL or hop limit")
      let bytes = try reader.bytes("a datagram", atMost: EngineFrame.datagramBytesMaximum)
      self = .send(from: port, to: destination, on: interface, hopLimit: hopLimit, bytes: Array(bytes))
    case .join:
      let interface = try reader.interface(told)
      self = .join(try reader.group(), on: interface)
    case .leave:
      let interface = try reader.interface(told)
      self = .leave(try reader.group(), on: interface)
    case .found: self = .found(try reader.sighting(told))
    case .changed:
      let sighting = try reader.sighting(told)
      self = .changed(sighting, try reader.change())
    case .lost:
      let device = try reader.device()
      self = .lost(device: device, cause: try reader.choice(LossCause.allCases, "the cause of a loss"))
    case .service: self = .service(try reader.service(told))
    case .searchEnded:
      let search = try reader.search(told)
      self = .searchEnded(search, wasStopped: try reader.flag("whether it was stopped"))
    case .failed:
      let reasons: [Failure.Reason] = [.cannotJoin, .cannotSend, .noInterface, .invalidSearch, .searchIdUsed]
      let reason = try reader.choice(reasons, "the reason of a failure")
      let search = try reader.optional("a search") { reader throws(FrameFault) in try reader.search(told) }
      let interface = try reader.optional("an interface") { reader throws(FrameFault) in try reader.interface(told) }
      self = .failed(
        Failure(
          reason: reason, search: search, interface: interface, explanation: try reader.text("an explanation")))
    case .note: self = .note(try reader.text("a text", atMost: Int(UInt16.max)))
    case .ready:
      let start = reader.offset + 1
      let deadline = try reader.optional("a deadline") { reader throws(FrameFault) in
        Instant(nanoseconds: try reader.number(Int64.self, "a deadline"))
      }
      if let deadline, deadline <= told.now {
        throw FrameFault(at: start, expected: "a deadline later than now, \(told.now)", found: "\(deadline)")
      }
      self = .ready(deadline: deadline)
    }
    try reader.end()
  }
}

extension FrameReader {
  /// A multicast address and a port.
  fileprivate mutating func group() throws(FrameFault) -> Endpoint {
    let start = offset
    let group = try endpoint("the group")
    guard group.address.isMulticast else {
      throw FrameFault(at: start, expected: "a multicast address", found: "\(group.address)")
    }
    return group
  }
}
