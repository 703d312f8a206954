import RollcallPrimitives
import RollcallSessions
import RollcallWire

// What it is told, and what it does about it.
extension NearbyPeer {
  /// Takes what the device tells until there is nothing more.
  mutating func settle(at now: Instant, into outbox: inout Outbox) {
    while true {
      let events = device.takeEvents()
      if events.isEmpty { return }
      for event in events { take(event, at: now, into: &outbox) }
    }
  }

  private mutating func take(_ event: PeerEvent, at now: Instant, into outbox: inout Outbox) {
    switch event {
    // A device tells of its own peers, too.
    case .found(_, let peer, _) where peer.id == name.id: break
    case .lost(_, let id) where id == name.id: break
    case .found(_, let peer, let info):
      found.removeAll { $0.id == peer.id }
      found.append(peer)
      report(.found(info: (info ?? []).map { "\($0.key)=\($0.value)" }), of: peer, into: &outbox)
      if plan.invites != nil, invites(peer) { schedule(.invite(peer.id), at: now + plan.inviteDelay) }
    case .lost(_, let id):
      let peer = found.first { $0.id == id } ?? PeerName(id, "")
      found.removeAll { $0.id == id }
      report(.lost, of: peer, into: &outbox)
    case .invited(_, let invitation, let peer, let context):
      invitations.append((invitation, peer))
      report(.invited(contextByteCount: context?.count), of: peer, into: &outbox)
      if plan.answer != .ignores { schedule(.answer(invitation: invitation), at: now + plan.answerDelay) }
    case .invitationEnded(_, let invitation):
      guard let place = invitations.firstIndex(where: { $0.number == invitation }) else { return }
      report(.invitationEnded, of: invitations.remove(at: place).peer, into: &outbox)
    case .session(_, let event): take(event, at: now, into: &outbox)
    case .opened(_, let number, let id):
      if let place = channels.firstIndex(where: { $0.number == number && !$0.id.isIncoming }) {
        channels[place].id = id
      }
    case .notOpened(_, let number, _):
      guard let place = channels.firstIndex(where: { $0.number == number && !$0.id.isIncoming }) else { return }
      let gone = channels.remove(at: place)
      refuse(gone.isFile ? .file : .stream, into: &outbox)
    case .advertisingFailed: refuse(.advertise, into: &outbox)
    case .browsingFailed: refuse(.browse, into: &outbox)
    case .failed: refuse(.session, into: &outbox)
    case .taken, .connectionData: break
    }
  }

  private mutating func take(_ event: SessionEvent, at now: Instant, into outbox: inout Outbox) {
    switch event {
    case .state(let id, let state): take(state, of: id, at: now, into: &outbox)
    case .message(let id, let bytes, let isReliable): heard(bytes, of: id, isReliable, into: &outbox)
    case .streamOpened(let id, _): channels.append(Channel(id: id, isFile: false))
    case .resourceStarted(let id, _, _, _): channels.append(Channel(id: id, isFile: true))
    case .streamBytes(let id, let bytes):
      count(bytes.count, of: id)
      device.perform(.session(1, .consumed(id, byteCount: bytes.count)), at: now, into: &outbox)
    case .resourceBytes(let id, let bytes): count(bytes.count, of: id)
    case .resourceWanted(let id, let byteCount):
      guard let channel = channels.first(where: { $0.id == id }) else { return }
      count(byteCount, of: id)
      let bytes = [UInt8](repeating: NearbyPeerPlan.filler, count: byteCount)
      device.perform(.session(1, .supply(channel.number, bytes)), at: now, into: &outbox)
    case .ended(let id, let error):
      guard let place = channels.firstIndex(where: { $0.id == id }) else { return }
      let gone = channels.remove(at: place)
      let ending = PeerReport.Ending(error)
      report(
        gone.isFile
          ? .fileEnded(isIncoming: id.isIncoming, byteCount: gone.byteCount, ending)
          : .streamEnded(isIncoming: id.isIncoming, byteCount: gone.byteCount, ending), of: id.peer, into: &outbox)
    case .invited, .invitationEnded, .introduced, .certificate, .streamRoom, .progress, .rejected: break
    }
  }

  private mutating func count(_ byteCount: Int, of id: SessionChannelID) {
    if let place = channels.firstIndex(where: { $0.id == id }) { channels[place].byteCount += byteCount }
  }

  // MARK: Members

  private mutating func take(
    _ state: PeerState, of id: SessionPeerID, at now: Instant, into outbox: inout Outbox
  ) {
    switch state {
    case .connecting: report(.connecting, of: id, into: &outbox)
    case .connected:
      members.append(Member(id: id))
      report(.connected, of: id, into: &outbox)
      for (number, message) in plan.messages.enumerated() where message.after != nil && isMeant(id, by: message) {
        schedule(.say(number, to: id, left: message.times), at: now + (message.after ?? .zero))
      }
      if let byteCount = plan.fileByteCount { schedule(.sendFile(id, byteCount: byteCount), at: now) }
      if let byteCount = plan.streamByteCount { schedule(.openStream(id, byteCount: byteCount), at: now) }
    case .notConnected:
      members.removeAll { $0.id == id }
      report(.notConnected, of: id, into: &outbox)
      if let again = plan.inviteAgain, let peer = found.first(where: { $0.id == id }), invites(peer) {
        schedule(.invite(id), at: now + again)
      }
    }
  }

  /// The first bytes of a message that has a number, which follows in eight bytes.
  private static let mark: [UInt8] = [0xB5, 0x4E]
  private static let numberedBytes = 10

  private mutating func heard(
    _ bytes: [UInt8], of id: SessionPeerID, _ isReliable: Bool, into outbox: inout Outbox
  ) {
    guard let place = members.firstIndex(where: { $0.id == id }) else { return }
    members[place].heardCount &+= 1
    members[place].heardBytes &+= bytes.count
    let member = members[place]
    report(
      .message(
        byteCount: bytes.count, count: member.heardCount, total: member.heardBytes, isReliable: isReliable), of: id,
      into: &outbox)
    guard isReliable, bytes.count >= NearbyPeer.numberedBytes, bytes.starts(with: NearbyPeer.mark) else { return }
    // Of the eight bytes the last 31 bits: a number that no counter has is somebody's own bytes.
    let number = bytes[6..<10].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let found = Int(number & UInt32(Int32.max))
    if found != member.expected { report(.disorder(expected: member.expected, found: found), of: id, into: &outbox) }
    members[place].expected = found &+ 1
  }

  func isMeant(_ id: SessionPeerID, by message: NearbyPeerPlan.Message) -> Bool {
    guard !message.to.isEmpty else { return true }
    return device.name(of: id).map { message.to.contains($0) } ?? false
  }

  // MARK: What it does

  func invites(_ peer: PeerName) -> Bool {
    switch plan.invites {
    case .named(let names): names.contains(peer.name)
    case .elected: name.id < peer.id
    case .everybody, nil: true
    }
  }

  mutating func invite(_ id: SessionPeerID, at now: Instant, into outbox: inout Outbox) {
    // One that is a member already, or has an invitation under way, is not asked again by an application that looks.
    if !plan.invitesMembers, members.contains(where: { $0.id == id }) { return }
    device.perform(
      .invite(
        id, session: 1, context: plan.context.map { Array($0.utf8) }, time: plan.inviteTimeout), at: now,
      into: &outbox)
  }

  mutating func carryOut(_ todo: Todo, at now: Instant, into outbox: inout Outbox) {
    switch todo {
    case .answer(let invitation):
      guard let place = invitations.firstIndex(where: { $0.number == invitation }) else { return }
      invitations.remove(at: place)
      device.perform(
        .answer(invitation: invitation, session: plan.answer == .accepts ? 1 : nil), at: now, into: &outbox)
    case .invite(let id):
      if found.contains(where: { $0.id == id }) { invite(id, at: now, into: &outbox) }
    case .say(let number, let id, let left): say(number, to: id, left: left, at: now, into: &outbox)
    case .sendFile(let id, let byteCount):
      let number = own(id, isFile: true)
      device.perform(
        .session(
          1,
          .openResource(
            number, name: "file \(number)", fileName: "file-\(number)", byteCount: byteCount, to: id)),
        at: now, into: &outbox)
    case .openStream(let id, let byteCount):
      let number = own(id, isFile: false, byteCount: byteCount)
      device.perform(.session(1, .openStream(number, name: "stream \(number)", to: id)), at: now, into: &outbox)
      let bytes = [UInt8](repeating: NearbyPeerPlan.filler, count: byteCount)
      device.perform(.session(1, .write(number, bytes)), at: now, into: &outbox)
      device.perform(.session(1, .close(number)), at: now, into: &outbox)
    }
  }

  /// The number of a new stream or file of this side.
  /// - Parameter byteCount: of a stream what is written at once; of a file bytes are counted as they are wanted.
  private mutating func own(_ id: SessionPeerID, isFile: Bool, byteCount: Int = 0) -> Int {
    channelCount += 1
    channels.append(
      Channel(
        id: SessionChannelID(peer: id, number: 0, isIncoming: false), number: channelCount, isFile: isFile,
        byteCount: byteCount))
    return channelCount
  }

  /// - Parameter id: to whom; `nil`: to all members that it is meant for.
  mutating func say(
    _ number: Int, to id: SessionPeerID?, left: Int, at now: Instant, into outbox: inout Outbox
  ) {
    let message = plan.messages[number]
    guard left > 0 else { return }
    let plain =
      message.text.map { Array($0.utf8) } ?? [UInt8](repeating: NearbyPeerPlan.filler, count: message.byteCount)
    // Those that come in order, and have room for a number. Others take none, so that nothing is missing between them.
    let isNumbered = message.text == nil && message.isReliable && message.byteCount >= NearbyPeer.numberedBytes
    for place in members.indices where id == nil || members[place].id == id {
      let peer = members[place].id
      if id == nil, !isMeant(peer, by: message) { continue }
      let bytes = isNumbered ? NearbyPeer.numbered(members[place].sentCount, plain) : plain
      let toldCount = device.events.count
      device.perform(
        .session(1, .send(bytes, to: [peer], isReliable: message.isReliable)), at: now, into: &outbox)
      // The number of a message that the session refused is that of the next one.
      let isRefused = device.events.dropFirst(toldCount).contains { event in
        if case .failed = event { true } else { false }
      }
      if isNumbered, !isRefused { members[place].sentCount &+= 1 }
    }
    if left > 1, id == nil || members.contains(where: { $0.id == id }) {
      schedule(.say(number, to: id, left: left - 1), at: now + message.interval)
    }
  }

  /// Bytes that begin with a number.
  private static func numbered(_ number: Int, _ plain: [UInt8]) -> [UInt8] {
    let digits = (0..<8).map { UInt8(truncatingIfNeeded: UInt64(number) >> UInt64(56 - 8 * $0)) }
    return mark + digits + plain.dropFirst(numberedBytes)
  }

  // MARK: Reports

  private func report(_ event: PeerReport.Event, of peer: PeerName, into outbox: inout Outbox) {
    outbox.report(
      .nearby(
        PeerReport(
          plan.deviceName(of: name.id), peer: plan.deviceName(of: peer.id), named: peer.name, event)))
  }

  private func report(_ event: PeerReport.Event, of id: SessionPeerID, into outbox: inout Outbox) {
    let known = found.first { $0.id == id }?.name ?? device.name(of: id)
    report(event, of: PeerName(id, known ?? ""), into: &outbox)
  }

  private func refuse(_ what: PeerReport.Refusal, into outbox: inout Outbox) {
    report(.refused(what), of: name, into: &outbox)
  }
}

extension PeerReport.Ending {
  init(_ error: SessionError?) {
    switch error {
    case nil: self = .complete
    case .cancelled: self = .cancelled
    case .notConnected: self = .notConnected
    case .invalidParameter, .timedOut, .unavailable, .failed: self = .failed
    }
  }
}
