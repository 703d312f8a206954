import RollcallDevices
import RollcallPrimitives
import RollcallWire

/// The radio of a controller under test, and what there is on the air around it: it does what it is asked for if a radio
/// can do that, and bytes choose what it hears.
struct HCIAir {
  private struct Link {
    enum State { case waiting, standing, ending }
    let id: LinkID
    var state: State
    let peer: RadioAddress
    /// Frames that have not arrived.
    var unacknowledged: UInt32 = 0
    /// Parameters that it is to have.
    var wanted: LinkParameters?
  }

  private struct Set {
    let number: UInt8
    let sender: RadioAddress
    let isConnectable: Bool
  }

  private var links: [Link] = []
  private var sets: [Set] = []
  private var usedCount: UInt32 = 0
  private var ownNumbers: [LinkID] = []
  private var isScanning = false
  var wasReset = false

  var isSilent: Bool { links.isEmpty && sets.isEmpty && !isScanning }

  static let linksMaximum = 16

  private static func peer(_ number: UInt8) -> RadioAddress {
    RadioAddress(bits: 0xC0FF_EE00_0000 | UInt64(number), isRandom: number & 1 == 1)
  }

  // MARK: - What it is asked for

  mutating func take(_ effect: RadioEffect) throws(FuzzFinding) {
    switch effect {
    case .advertise(let number, let interval, let pdu, let response):
      guard let read = pdu.withUnsafeBytes({ try? AdvertisingPDU($0) }), read.byteCount == pdu.count,
        read.isAdvertisement, read.kind != .scanResponse, let sender = read.sender
      else { throw FuzzFinding("\(pdu) is no advertisement") }
      let answer = response.withUnsafeBytes { try? AdvertisingPDU($0) }
      try expect(response.isEmpty || answer?.kind == .scanResponse, "\(response) is no scan response")
      try expect(response.isEmpty || answer?.sender == sender, "an answer from another address")
      try expect(interval >= .milliseconds(20) && interval <= .seconds(10_486), "an advertisement every \(interval)")
      sets.removeAll { $0.number == number }
      sets.append(Set(number: number, sender: sender, isConnectable: read.isConnectable))
      try expect(sets.count <= 8, "\(sets.count) advertising sets")
    case .stopAdvertising(let number): sets.removeAll { $0.number == number }
    case .scan(let window, let interval, _):
      try expect(window > .zero && window <= interval, "a window of \(window) each \(interval)")
      isScanning = true
    case .stopScan: isScanning = false
    case .link(let link, let wish): try take(wish, link)
    case .reset: (links, sets, isScanning, wasReset) = ([], [], false, true)
    default: break
    }
  }

  private mutating func take(_ wish: LinkEffect, _ id: LinkID) throws(FuzzFinding) {
    let place = links.firstIndex { $0.id == id }
    switch wish {
    case .connect(let peer, let parameters):
      try expect(!ownNumbers.contains(id), "connection \(id.number) is used again")
      try expect(parameters.areValid, "parameters that no controller takes: \(parameters)")
      ownNumbers.append(id)
      links.append(Link(id: id, state: .waiting, peer: peer))
      try expect(links.count <= 2 * HCIAir.linksMaximum + 1, "\(links.count) connections")
    case .send(let frame):
      guard let place, links[place].state == .standing else {
        throw FuzzFinding("it sends on connection \(id.number), which is not there")
      }
      let read = frame.withUnsafeBytes { try? ChannelFrame($0) }
      try expect(read?.byteCount == frame.count && frame.count <= LinkSize.frameBytesMaximum, "\(frame) is no frame")
      links[place].unacknowledged += 1
      try expect(links[place].unacknowledged <= UInt32(LinkSize.framesMaximum), "more frames than there is room for")
    case .update(let parameters):
      guard let place else { throw FuzzFinding("other parameters of connection \(id.number), which is not there") }
      try expect(parameters.areValid, "parameters that no controller takes: \(parameters)")
      links[place].wanted = parameters
    case .readStrength: try expect(place != nil, "the strength of no connection")
    case .end:
      // It may have ended meanwhile, which the controller is still to be told.
      guard let place else { return }
      if links[place].state == .waiting { links.remove(at: place) } else { links[place].state = .ending }
    }
  }

  // MARK: - What it hears

  /// A packet on the air, heard if somebody listens; some are not what they ought to be.
  mutating func advertisement(_ choices: inout ByteChoices) -> RadioSignal? {
    let (kind, number) = (choices.byte(), choices.byte())
    let data = choices.take(choices.below(40))
    let sender = HCIAir.peer(number)
    let bytes: [UInt8]
    switch (AdvertisingPDU.Kind(rawValue: kind & 7), data.count) {
    case (.directed?, _): bytes = AdvertisingPDU.bytes(.directed, from: sender, to: HCIAir.peer(kind >> 3))
    case (.connectable?, ...31), (.nonconnectable?, ...31), (.scannable?, ...31), (.scanResponse?, ...31):
      bytes = AdvertisingPDU.bytes(AdvertisingPDU.Kind(rawValue: kind & 7)!, from: sender, data: data)
    default: bytes = [kind] + data
    }
    let strength = Int8(bitPattern: number)
    return .heard(
      RadioPDU(channel: 37 + kind % 3, strength: strength, accessAddress: AirFrame.advertisingAddress, bytes: bytes))
  }

  /// A connection begins or ends, if one can.
  mutating func change(_ choices: inout ByteChoices) -> RadioSignal? {
    let (way, number) = (choices.byte(), choices.below(32))
    if way & 0x80 != 0, let place = links.firstIndex(where: { $0.wanted != nil && $0.state == .standing }),
      let wanted = links[place].wanted
    {
      links[place].wanted = nil
      return .link(links[place].id, .updated(wanted))
    }
    switch way & 3 {
    case 0:
      let waiting = links.indices.filter { links[$0].state == .waiting }
      guard !waiting.isEmpty else { return nil }
      let place = waiting[number % waiting.count]
      guard links.count - waiting.count < HCIAir.linksMaximum else {
        return .link(links.remove(at: place).id, .ended(.refused))
      }
      links[place].state = .standing
      return .link(
        links[place].id,
        .connected(.central, own: HCIScript.publicAddress, peer: links[place].peer, LinkParameters()))
    case 1:
      guard let set = sets.first(where: \.isConnectable), links.count < HCIAir.linksMaximum else { return nil }
      usedCount += 1
      let id = LinkID(0 &- usedCount)
      let peer = HCIAir.peer(UInt8(number))
      links.append(Link(id: id, state: .standing, peer: peer))
      // Such a set ends with the connection.
      sets.removeAll { $0.number == set.number }
      return .link(id, .connected(.peripheral, own: set.sender, peer: peer, LinkParameters()))
    case 2:
      guard !links.isEmpty else { return nil }
      let link = links.remove(at: number % links.count)
      let own: LinkEnd = link.state == .ending ? .closed : link.state == .waiting ? .refused : .closedByPeer
      return .link(link.id, .ended(choices.pick([own, own, .timedOut])))
    default:
      // A signal of a connection that is no more, or of one that never was.
      return .link(
        LinkID(UInt32(number)), choices.pick([.ended(.closed), .acknowledged(frames: 2), .frame([0, 0, 4, 0])])
      )
      .unlessKnown(links.contains { $0.id == LinkID(UInt32(number)) })
    }
  }

  /// The other side of a connection says or takes something.
  mutating func speech(_ choices: inout ByteChoices) -> RadioSignal? {
    let (way, number) = (choices.byte(), choices.below(32))
    let standing = links.indices.filter { links[$0].state != .waiting }
    guard !standing.isEmpty else { return nil }
    let place = standing[number % standing.count]
    switch way & 3 {
    case 0:
      let payload = choices.take(choices.below(60))
      let long = payload.first == 0xFF ? [UInt8](repeating: 5, count: AttributePDU.mtuMaximum - payload.count) : []
      return .link(links[place].id, .frame(ChannelFrame.bytes(.attributes, payload + long)))
    case 1:
      let frames = min(links[place].unacknowledged, UInt32(choices.below(20)))
      links[place].unacknowledged -= frames
      return .link(links[place].id, .acknowledged(frames: frames))
    default: return .link(links[place].id, .strength(choices.bool() ? Int8(bitPattern: choices.byte()) : nil))
    }
  }
}

extension RadioSignal {
  /// Nothing, where it would be about a connection that is there.
  fileprivate func unlessKnown(_ isKnown: Bool) -> RadioSignal? { isKnown ? nil : self }
}
