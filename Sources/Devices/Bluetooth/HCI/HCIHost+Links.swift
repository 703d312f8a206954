import RollcallPrimitives
import RollcallWire

/// The connections of a host, and those that it waits for.
struct HCIHostLinks: Sendable {
  struct Wait: Sendable {
    let link: LinkID
    let peer: RadioAddress
    let parameters: LinkParameters
  }

  struct Link: Sendable {
    /// `nil`: nobody wants it any more.
    var link: LinkID?
    let handle: UInt16
    /// Packets of each frame that have not left the controller, in the order of the frames.
    var frames: [Int] = []
    /// Packets for which the controller has no room yet.
    var queue: [[UInt8]] = []
    /// Packets that the controller has.
    var inController = 0
    /// A frame of which parts have come.
    var partial: [UInt8]?
    var isEnding = false
  }

  /// What the controller was asked for: one wait, for all addresses at once.
  enum Initiating { case idle, asked, cancelling }

  /// The machine may have so many attempts beside its connections.
  static let waitsMaximum = 256
  static let linksMaximum = 256

  var waits: [Wait] = []
  var all: [Link] = []
  var initiating = Initiating.idle
  /// Those that centrals made are numbered from the top downwards.
  var nextOfOthers = UInt32.max

  init() {}
  /// Numbers are not used again.
  init(after other: HCIHostLinks) { nextOfOthers = other.nextOfOthers }

  func place(of link: LinkID) -> Int? { all.firstIndex { $0.link == link } }
}

extension HCIHost {
  // MARK: - What the machine wants

  mutating func want(_ effect: LinkEffect, of link: LinkID) {
    switch effect {
    case .connect(let peer, let parameters):
      guard parameters.areValid, links.waits.count < HCIHostLinks.waitsMaximum else {
        return tell(.link(link, .ended(.refused)))
      }
      links.waits.append(HCIHostLinks.Wait(link: link, peer: peer, parameters: parameters))
      waitsChanged()
    case .end:
      if let place = links.waits.firstIndex(where: { $0.link == link }) {
        links.waits.remove(at: place)
        waitsChanged()
        tell(.link(link, .ended(.closed)))
      } else if let place = links.place(of: link), !links.all[place].isEnding {
        end(place)
      }
    case .readStrength:
      guard let place = links.place(of: link) else { return }
      ask(.readStrength, HCICommand.handle(links.all[place].handle))
    case .update(let parameters):
      guard let place = links.place(of: link), !links.all[place].isEnding, parameters.areValid else { return }
      ask(.updateConnection, HCICommand.update(links.all[place].handle, parameters))
    case .send(let frame):
      guard let place = links.place(of: link), !links.all[place].isEnding else { return }
      guard links.all[place].frames.count < LinkSize.framesMaximum, frame.count <= LinkSize.frameBytesMaximum else {
        return reject("a frame for which there is no room")
      }
      let packets = HCICommand.data(links.all[place].handle, frame, packetBytesMaximum: dataBytesMaximum)
      links.all[place].frames.append(packets.count)
      links.all[place].queue += packets
      pump()
    }
  }

  private mutating func end(_ place: Int) {
    links.all[place].isEnding = true
    ask(.disconnect, HCICommand.disconnect(links.all[place].handle))
  }

  /// The controller waits for all addresses at once: where they change, it has to begin anew.
  private mutating func waitsChanged() {
    switch links.initiating {
    case .idle: initiate()
    case .asked:
      links.initiating = .cancelling
      ask(.cancelConnection)
    case .cancelling: break
    }
  }

  private mutating func initiate() {
    links.initiating = .idle
    guard let first = links.waits.first else { return }
    ask(.clearAcceptList)
    // Those for whom there is no room have to wait until one of these is connected or given up.
    for wait in links.waits.prefix(acceptListMaximum) { ask(.addToAcceptList, HCICommand.address(wait.peer)) }
    links.initiating = .asked
    ask(.extendedCreateConnection, HCICommand.connect(first.parameters, isRandom: isRandom))
  }

  private mutating func waitsFailed(_ end: LinkEnd) {
    let over = links.waits
    (links.waits, links.initiating) = ([], .idle)
    for wait in over { tell(.link(wait.link, .ended(end))) }
  }

  /// What a command came to; whether it was one of connections.
  mutating func finishOfLink(_ command: Command, _ status: UInt8, _ results: [UInt8]) -> Bool {
    switch command.opcode {
    case .extendedCreateConnection: if status != 0 { waitsFailed(.refused) }
    // There was no wait any more: the connection that came of it was told before.
    case .cancelConnection: if status != 0, links.initiating == .cancelling { initiate() }
    case .disconnect:
      guard status != 0, let place = place(ofHandle: command.parameters.little16(0)) else { break }
      // It knows no such connection.
      over(place, .closed)
    case .readStrength:
      guard let place = place(ofHandle: command.parameters.little16(0)), let link = links.all[place].link else { break }
      let strength = status == 0 && results.count >= 3 && results[2] != 127 ? Int8(bitPattern: results[2]) : nil
      tell(.link(link, .strength(strength)))
    default: return false
    }
    return true
  }

  // MARK: - What becomes of them

  private func place(ofHandle handle: UInt16) -> Int? { links.all.firstIndex { $0.handle == handle } }

  mutating func connected(_ connection: HCINotice.Connection) {
    let isCentral = connection.role == .central
    guard connection.status == 0 else {
      guard isCentral else { return }
      // Where it was not taken back on purpose, the controller cannot.
      guard links.initiating == .asked else { return initiate() }
      return waitsFailed(connection.status == HCIStatus.unknownConnection.rawValue ? .closed : .refused)
    }
    guard place(ofHandle: connection.handle) == nil, links.all.count < HCIHostLinks.linksMaximum, let own else {
      return reject("a connection with a handle that is taken")
    }
    var link: LinkID?
    if isCentral {
      if let place = links.waits.firstIndex(where: { $0.peer == connection.peer }) {
        link = links.waits.remove(at: place).link
      }
    } else {
      link = LinkID(links.nextOfOthers)
      links.nextOfOthers -= 1
    }
    links.all.append(HCIHostLinks.Link(link: link, handle: connection.handle))
    if let link {
      tell(.link(link, .connected(connection.role, own: own, peer: connection.peer, connection.parameters)))
    } else {
      // It was given up while it came about.
      end(links.all.count - 1)
    }
    if isCentral { initiate() }
  }

  mutating func disconnected(_ handle: UInt16, _ status: UInt8, _ reason: UInt8) {
    guard status == 0 else { return }
    guard let place = place(ofHandle: handle) else { return reject("the end of a connection that is not there") }
    over(place, HCIHost.end(for: reason))
  }

  mutating func updated(_ handle: UInt16, _ parameters: LinkParameters) {
    guard let place = place(ofHandle: handle) else { return reject("parameters of a connection that is not there") }
    if let link = links.all[place].link { tell(.link(link, .updated(parameters))) }
  }

  private mutating func over(_ place: Int, _ end: LinkEnd) {
    let over = links.all.remove(at: place)
    if let link = over.link { tell(.link(link, .ended(end))) }
    pump()
  }

  private static func end(for reason: UInt8) -> LinkEnd {
    switch HCIStatus(rawValue: reason) {
    case .terminatedByLocalHost: .closed
    case .remoteUserTerminated: .closedByPeer
    case .connectionFailedToBeEstablished: .notEstablished
    case .connectionLimitExceeded: .refused
    // 0x14 and 0x15: the other side has no more power, or is switched off.
    default: reason == 0x14 || reason == 0x15 ? .closedByPeer : .timedOut
    }
  }

  // MARK: - Data

  /// Gives the controller as many packets as it has room for, by turns.
  private mutating func pump() {
    var room = dataCount - links.all.reduce(0) { $0 + $1.inController }
    var isBusy = true
    while isBusy {
      isBusy = false
      for place in links.all.indices where room > 0 && !links.all[place].queue.isEmpty {
        send(links.all[place].queue.removeFirst())
        links.all[place].inController += 1
        (room, isBusy) = (room - 1, true)
      }
    }
  }

  /// Packets of a connection have left the controller.
  mutating func sent(_ handle: UInt16, _ count: Int) {
    guard let place = place(ofHandle: handle) else { return reject("packets of a connection that is not there") }
    guard count <= links.all[place].inController else { return reject("more packets than the controller was given") }
    links.all[place].inController -= count
    var (left, frames) = (count, UInt32(0))
    while let first = links.all[place].frames.first {
      let taken = min(left, first)
      left -= taken
      links.all[place].frames[0] -= taken
      guard taken == first else { break }
      links.all[place].frames.removeFirst()
      frames += 1
    }
    if frames > 0, let link = links.all[place].link { tell(.link(link, .acknowledged(frames: frames))) }
    pump()
  }

  /// A packet of data of the controller: a frame of L2CAP, or a part of one.
  mutating func takeData(_ code: UInt16, _ content: [UInt8]) {
    guard let place = place(ofHandle: code & 0x0FFF) else {
      return reject("data of a connection that is not there")
    }
    var frame = content
    switch code >> 12 & 3 {
    case 1:
      guard let before = links.all[place].partial else { return reject("the rest of a frame that did not begin") }
      frame = before + content
    case 0, 2: if links.all[place].partial != nil { reject("a frame that did not end") }
    default: return reject("a packet of data with flags that mean nothing")
    }
    links.all[place].partial = nil
    let byteCount = frame.count < ChannelFrame.headerBytes ? nil : ChannelFrame.headerBytes + Int(frame.little16(0))
    if let byteCount, frame.count > byteCount || byteCount > LinkSize.frameBytesMaximum {
      return reject("a frame of the wrong length", at: 5)
    }
    guard frame.count == byteCount else {
      links.all[place].partial = frame
      return
    }
    if let link = links.all[place].link { tell(.link(link, .frame(frame))) }
  }
}
