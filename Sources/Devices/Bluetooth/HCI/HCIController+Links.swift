import RollcallPrimitives
import RollcallWire

/// A connection of a host.
struct HCILink: Sendable {
  let link: LinkID
  let handle: UInt16
  let role: LinkRole
  /// Of this side, as the other knows it.
  let own: RadioAddress
  /// The frame of L2CAP that comes in parts, and how many packets it has so far; `nil`: none.
  var partial: [UInt8]?
  /// Frames on their way to the other side; the last packet of each is completed when it has arrived.
  var waitingCount = 0
  /// The host has asked for the end.
  var isEnding = false
  /// The host has asked for other parameters, and waits to hear of them.
  var isUpdating = false
  /// The host waits for the strength.
  var readsStrength = false
}

/// A connection that a host waits for.
struct HCIPending: Sendable {
  /// One for each address that will do.
  var links: [LinkID]
  let peers: [RadioAddress]
  let usesAcceptList: Bool
  let parameters: LinkParameters
}

extension HCIController {
  // MARK: - Asking for one

  mutating func create(_ opcode: HCIOpcode, _ parameters: inout HCIParameters) {
    guard pending == nil else { return refuse(opcode, .commandDisallowed) }
    let usesAcceptList: UInt8
    let (ownKind, peerKind, bits): (UInt8, UInt8, UInt64)
    if opcode == .createConnection {
      _ = parameters.bits(4)
      usesAcceptList = parameters.byte()
      (peerKind, bits, ownKind) = (parameters.byte(), parameters.bits(6), parameters.byte())
    } else {
      (usesAcceptList, ownKind) = (parameters.byte(), parameters.byte())
      (peerKind, bits) = (parameters.byte(), parameters.bits(6))
      let physical = parameters.byte()
      guard physical & 1 == 1 else { return refuse(opcode, .unsupportedFeature) }
      guard parameters.leftCount == 16 * physical.nonzeroBitCount else { return refuse(opcode, .invalidParameters) }
      // Those of 1M come first: its scan, which this radio chooses by itself.
      _ = parameters.bits(4)
    }
    let (_, wanted) = parameters.linkParameters()
    guard usesAcceptList <= 1, peerKind <= 3, wanted.areValid, let own = address(ofKind: ownKind) else {
      return refuse(opcode, .invalidParameters)
    }
    let peers = usesAcceptList == 1 ? acceptList : [RadioAddress(isRandom: peerKind, bits: bits)]
    let links = peers.map { _ -> LinkID in
      lastLink += 1
      return LinkID(lastLink)
    }
    pending = HCIPending(links: links, peers: peers, usesAcceptList: usesAcceptList == 1, parameters: wanted)
    send(HCIEvent.commandStatus(opcode, .success))
    want(.setAddress(own))
    for (link, peer) in zip(links, peers) { want(.link(link, .connect(to: peer, wanted))) }
  }

  mutating func cancel() {
    guard let pending else { return refuse(.cancelConnection, .commandDisallowed) }
    complete(.cancelConnection)
    for link in pending.links { want(.link(link, .end)) }
    notConnected(.unknownConnection)
  }

  /// The wait is over without a connection.
  private mutating func notConnected(_ status: HCIStatus) {
    guard let pending else { return }
    self.pending = nil
    tell(
      HCIEvent.connectionComplete(
        status, 0, .central, peer: pending.peers.first ?? RadioAddress(bits: 0, isRandom: false), pending.parameters))
  }

  // MARK: - Of one that there is

  mutating func ask(_ opcode: HCIOpcode, _ parameters: inout HCIParameters) {
    let handle = parameters.word()
    guard let place = links.firstIndex(where: { $0.handle == handle }) else {
      guard opcode == .readStrength || opcode == .setDataLength else { return refuse(opcode, .unknownConnection) }
      return send(
        HCIEvent.commandComplete(
          opcode,
          [HCIStatus.unknownConnection.rawValue] + [UInt8](littleEndian: UInt64(handle), count: 2)
            + (opcode == .readStrength ? [127] : [])))
    }
    let little = [UInt8](littleEndian: UInt64(handle), count: 2)
    switch opcode {
    case .disconnect:
      guard !links[place].isEnding else { return refuse(opcode, .commandDisallowed) }
      send(HCIEvent.commandStatus(opcode, .success))
      links[place].isEnding = true
      want(.link(links[place].link, .end))
    case .updateConnection: update(place, &parameters)
    case .readRemoteVersion:
      send(HCIEvent.commandStatus(opcode, .success))
      tell(HCIEvent.bytes(HCIEvent.remoteVersionCode, [0] + little + [0x0B, 0xFF, 0xFF, 0, 0]))
    case .readRemoteFeatures:
      send(HCIEvent.commandStatus(opcode, .success))
      tell(
        HCIEvent.le(
          HCIEvent.remoteFeatures, [0] + little + [UInt8](littleEndian: HCIController.leFeatures, count: 8)))
    case .setDataLength:
      // Both sides have the longest packets from the start.
      complete(opcode, little)
    default:
      if !links[place].readsStrength { want(.link(links[place].link, .readStrength)) }
      links[place].readsStrength = true
    }
  }

  /// Other parameters, which the central alone can want: a peripheral asks its central over L2CAP.
  private mutating func update(_ place: Int, _ parameters: inout HCIParameters) {
    let (shortestUnits, wanted) = parameters.linkParameters()
    guard shortestUnits >= 6, shortestUnits <= wanted.intervalUnits, wanted.areValid else {
      return refuse(.updateConnection, .invalidParameters)
    }
    guard links[place].role == .central, !links[place].isUpdating, !links[place].isEnding else {
      return refuse(.updateConnection, .commandDisallowed)
    }
    send(HCIEvent.commandStatus(.updateConnection, .success))
    links[place].isUpdating = true
    want(.link(links[place].link, .update(wanted)))
  }

  /// What becomes of a connection of the radio.
  mutating func take(_ signal: LinkSignal, of link: LinkID, at now: Instant) {
    if case .connected(let role, let own, let peer, let parameters) = signal {
      return connected(link, role, own: own, peer: peer, parameters)
    }
    if case .ended(let end) = signal, let pending, pending.links.contains(link) {
      return notConnected(HCIController.status(of: end))
    }
    guard let place = links.firstIndex(where: { $0.link == link }) else { return }
    let handle = links[place].handle
    switch signal {
    case .frame(let frame):
      for packet in HCIEvent.data(handle, frame, packetBytesMaximum: HCIController.dataBytesMaximum) { send(packet) }
    case .acknowledged(let frames):
      let count = min(Int(frames), links[place].waitingCount)
      links[place].waitingCount -= count
      if count > 0 { tell(HCIEvent.completedPackets(handle, UInt16(count))) }
    case .strength(let strength):
      guard links[place].readsStrength else { return }
      links[place].readsStrength = false
      complete(
        .readStrength,
        [UInt8](littleEndian: UInt64(handle), count: 2) + [UInt8(bitPattern: strength ?? 127)])
    case .ended(let end):
      let ended = links.remove(at: place)
      if ended.readsStrength {
        send(
          HCIEvent.commandComplete(
            .readStrength,
            [HCIStatus.unknownConnection.rawValue] + [UInt8](littleEndian: UInt64(handle), count: 2) + [127]))
      }
      tell(HCIEvent.disconnectionComplete(handle, HCIController.status(of: end)))
    case .updated(let parameters):
      links[place].isUpdating = false
      tell(HCIEvent.connectionUpdateComplete(handle, parameters))
    case .connected: break
    }
  }

  private mutating func connected(
    _ link: LinkID, _ role: LinkRole, own: RadioAddress, peer: RadioAddress, _ parameters: LinkParameters
  ) {
    if role == .central {
      guard let waiting = pending, waiting.links.contains(link) else {
        // It was made while the host took its wish back.
        return want(.link(link, .end))
      }
      pending = nil
      for other in waiting.links where other != link { want(.link(other, .end)) }
    }
    let handle = takeHandle()
    links.append(HCILink(link: link, handle: handle, role: role, own: own))
    tell(HCIEvent.connectionComplete(.success, handle, role, peer: peer, parameters))
    if role == .peripheral { setWasConnected(own, handle: handle) }
  }

  private static func status(of end: LinkEnd) -> HCIStatus {
    switch end {
    case .closed: .terminatedByLocalHost
    case .closedByPeer: .remoteUserTerminated
    case .timedOut, .radioOff: .connectionTimeout
    case .notEstablished: .connectionFailedToBeEstablished
    case .refused: .connectionLimitExceeded
    }
  }

  // MARK: - Data

  /// A packet of data of the host: a frame of L2CAP, or a part of one.
  mutating func takeData(_ code: UInt16, _ content: [UInt8]) {
    let (handle, flags) = (code & 0x0FFF, code >> 12 & 3)
    guard let place = links.firstIndex(where: { $0.handle == handle }) else {
      return reject("data of a connection that is not there")
    }
    guard content.count <= HCIController.dataBytesMaximum, code >> 14 == 0 else {
      reject("\(content.count) bytes of data in one packet")
      return tell(HCIEvent.completedPackets(handle, 1))
    }
    var frame = content
    switch flags {
    case 1:
      guard let before = links[place].partial else {
        reject("the rest of a frame that did not begin")
        return tell(HCIEvent.completedPackets(handle, 1))
      }
      frame = before + content
    case 0, 2:
      if links[place].partial != nil { reject("a frame that did not end") }
    default:
      reject("a packet of data with flags that mean nothing")
      return tell(HCIEvent.completedPackets(handle, 1))
    }
    links[place].partial = nil
    guard let read = frame.withUnsafeBytes({ try? ChannelFrame($0) }) else {
      // More of it is to come, if there is room for it.
      if frame.count <= LinkSize.frameBytesMaximum {
        links[place].partial = frame
      } else {
        reject("a frame of more than \(LinkSize.frameBytesMaximum) bytes")
      }
      return tell(HCIEvent.completedPackets(handle, 1))
    }
    guard read.byteCount == frame.count, frame.count <= LinkSize.frameBytesMaximum else {
      reject("a frame of \(frame.count) bytes that says \(read.byteCount)")
      return tell(HCIEvent.completedPackets(handle, 1))
    }
    guard links[place].waitingCount < HCIController.dataCount, !links[place].isEnding else {
      if !links[place].isEnding { reject("more packets than there is room for") }
      return tell(HCIEvent.completedPackets(handle, 1))
    }
    links[place].waitingCount += 1
    want(.link(links[place].link, .send(frame)))
  }
}
