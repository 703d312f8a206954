import RollcallDevices
import RollcallDiscovery
package import RollcallPrimitives
import RollcallSessions
package import RollcallWire

// Advertising and browsing.
extension PeerDevice {
  package mutating func perform(_ command: PeerCommand, at now: Instant, into outbox: inout Outbox) {
    wake(at: now, into: &outbox)
    switch command {
    case .advertise(let number, let peer, let type, let info):
      advertise(number, PeerRecord(peer, info), type, at: now, into: &outbox)
    case .stopAdvertising(let number): stopAdvertising(number, at: now, into: &outbox)
    case .browse(let number, let peer, let type): browse(number, peer, type, at: now, into: &outbox)
    case .stopBrowsing(let number): stopBrowsing(number, at: now, into: &outbox)
    case .background(let isAway): setBackground(isAway, at: now, into: &outbox)
    case .answer(let number, let session): answer(number, session, at: now, into: &outbox)
    case .invite(let peer, let session, let context, let time):
      invite(peer, into: session, context, time, at: now, into: &outbox)
    case .openSession(let number, let setup): open(number, setup)
    case .closeSession(let number): close(number, at: now, into: &outbox)
    case .session(let number, let command): perform(command, session: number, at: now, into: &outbox)
    }
    collect(at: now, into: &outbox)
  }

  // MARK: Advertising

  private mutating func advertise(
    _ number: Int, _ record: PeerRecord, _ name: String, at now: Instant, into outbox: inout Outbox
  ) {
    guard let type = PeerRecord.serviceType(name), let txt = record.txt else {
      return tell(.advertisingFailed(number, .invalidParameter))
    }
    guard advertisers.count < PeerDevice.objectsMaximum, !advertisers.contains(where: { $0.number == number }),
      makeReception(record.peer)
    else { return tell(.advertisingFailed(number, .unavailable)) }
    let isThere = isAdvertised(record.peer.id, type)
    advertisers.append(Advertiser(number: number, record: record, type: type))
    withdrawals.removeAll { $0.record.peer.id == record.peer.id && $0.type == type }
    if !isInBackground {
      if isThere {
        responder.retext(record.instance, type, txt, at: now, into: &outbox)
      } else {
        responder.offer(service(record, type, txt), at: now, into: &outbox)
      }
    }
    for index in browsers.indices { tellOwn(record, type, toBrowser: index) }
  }

  private func service(_ record: PeerRecord, _ type: ServiceType, _ txt: [UInt8]) -> MDNSService {
    MDNSService(type, record.instance, port: plan.port, txt: txt)
  }

  /// Of several advertisers of a peer the one that began last: its name and information are what the network is told.
  private var shownAdvertisers: [Advertiser] {
    advertisers.enumerated().filter { index, one in
      !advertisers[(index + 1)...].contains { $0.record.peer.id == one.record.peer.id && $0.type == one.type }
    }.map(\.element)
  }

  /// Whether the network is told of a peer, but for the background.
  private func isAdvertised(_ peer: SessionPeerID, _ type: ServiceType) -> Bool {
    advertisers.contains { $0.record.peer.id == peer && $0.type == type }
      || withdrawals.contains { $0.record.peer.id == peer && $0.type == type }
  }

  private mutating func stopAdvertising(_ number: Int, at now: Instant, into outbox: inout Outbox) {
    guard let index = advertisers.firstIndex(where: { $0.number == number }) else { return }
    let gone = advertisers.remove(at: index)
    let other = shownAdvertisers.first { $0.record.peer.id == gone.record.peer.id && $0.type == gone.type }
    if let other {
      if let txt = other.record.txt {
        responder.retext(other.record.instance, other.type, txt, at: now, into: &outbox)
      }
      for index in browsers.indices { tellOwn(other.record, other.type, toBrowser: index) }
      return
    }
    let delay = faults.contains(.withdrawnAtOnce) ? .zero : plan.quirks.withdrawalDelay
    withdrawals.append(Withdrawal(record: gone.record, type: gone.type, due: now + delay))
    withdraw(at: now, into: &outbox)
  }

  /// Says goodbye to what is to be withdrawn by now.
  mutating func withdraw(at now: Instant, into outbox: inout Outbox) {
    for one in withdrawals where one.due <= now {
      responder.withdraw(one.record.instance, one.type, at: now, into: &outbox)
      for index in browsers.indices where browsers[index].type == one.type { forget(one.record.peer.id, index) }
    }
    withdrawals.removeAll { $0.due <= now }
  }

  // MARK: Browsing

  private mutating func browse(
    _ number: Int, _ peer: PeerName, _ name: String, at now: Instant, into outbox: inout Outbox
  ) {
    guard let type = PeerRecord.serviceType(name) else { return tell(.browsingFailed(number, .invalidParameter)) }
    guard browsers.count < PeerDevice.objectsMaximum, !browsers.contains(where: { $0.number == number }) else {
      return tell(.browsingFailed(number, .unavailable))
    }
    browsers.append(Browser(number: number, own: peer.id, type: type))
    if isInBackground || !isOn { return }
    look(for: type, true, at: now, into: &outbox)
    tellOwn(toBrowser: browsers.count - 1)
    for service in browser.present where service.name.type == type {
      if let record = PeerRecord(service.name, txt: service.txt) { note(record, browsers.count - 1) }
    }
  }

  private mutating func stopBrowsing(_ number: Int, at now: Instant, into outbox: inout Outbox) {
    guard let index = browsers.firstIndex(where: { $0.number == number }) else { return }
    let gone = browsers.remove(at: index)
    if !browsers.contains(where: { $0.type == gone.type }) { look(for: gone.type, false, at: now, into: &outbox) }
  }

  /// Whether services of a type are looked for.
  private mutating func look(
    for type: ServiceType, _ isOn: Bool, at now: Instant, into outbox: inout Outbox
  ) {
    let browse = ServiceBrowse.type("_\(type.name).\(type.transport.rawValue)")
    browser.receive(.application(isOn ? .browse(browse) : .stopBrowsing(browse)), at: now, into: &outbox)
    if isOn || !responder.isOn { return }
    // A browser that looks for nothing leaves the groups, which the responder still needs.
    for change in interfaces where change.isUp {
      for family in [IPAddress.Family.v4, .v6] where change.addresses.contains(where: { $0.address.family == family }) {
        outbox.join(.mdns(family), on: change.interface)
      }
    }
  }

  /// What the browser of the device has found and lost.
  mutating func noteServices() {
    for event in browser.takeEvents() {
      switch event {
      case .found(let service), .changed(let service, from: _):
        let record = PeerRecord(service.name, txt: service.txt)
        if let peer = record?.peer.id, sessions.contains(where: { $0.machine.seeks(peer) }), let place = whereIs(peer) {
          for index in sessions.indices {
            sessions[index].machine.see(peer, at: place.endpoint, on: place.interface, at: current)
          }
        }
        for index in browsers.indices where browsers[index].type == service.name.type {
          if let record { note(record, index) } else { forget(PeerRecord.id(ofInstance: service.name.instance), index) }
        }
      case .lost(let service, _):
        for index in browsers.indices where browsers[index].type == service.name.type {
          forget(PeerRecord.id(ofInstance: service.name.instance), index)
        }
      }
    }
  }

  private mutating func note(_ record: PeerRecord, _ index: Int) {
    var record = record
    if faults.contains(.infoDropped) { record.info = nil }
    var count = 1
    if let place = browsers[index].told.firstIndex(where: { $0.peer.id == record.peer.id }) {
      guard browsers[index].told[place] != record else { return }
      browsers[index].told[place] = record
    } else {
      browsers[index].told.append(record)
      if current < repeatsUntil, !faults.contains(.repeatsHidden) { count += max(0, plan.quirks.repeatedFoundCount) }
    }
    for _ in 0..<count { tell(.found(browser: browsers[index].number, record.peer, record.info)) }
  }

  private mutating func forget(_ peer: SessionPeerID?, _ index: Int) {
    guard let peer, let place = browsers[index].told.firstIndex(where: { $0.peer.id == peer }) else { return }
    browsers[index].told.remove(at: place)
    if faults.contains(.lossNotTold) { return }
    tell(.lost(browser: browsers[index].number, peer))
  }

  /// A device does not hear its own datagrams.
  private mutating func tellOwn(_ record: PeerRecord, _ type: ServiceType, toBrowser index: Int) {
    if browsers[index].type == type, !isInBackground, isOn { note(record, index) }
  }

  /// All that the device itself says to the network, what is still to be withdrawn included.
  private mutating func tellOwn(toBrowser index: Int) {
    for one in shownAdvertisers { tellOwn(one.record, one.type, toBrowser: index) }
    for one in withdrawals { tellOwn(one.record, one.type, toBrowser: index) }
  }

  /// The name of a peer, as far as the device has heard it.
  package func name(of peer: SessionPeerID) -> String? {
    for one in browsers {
      if let record = one.told.first(where: { $0.peer.id == peer }) { return record.peer.name }
    }
    for one in sessions {
      if let card = one.machine.card(of: peer) { return card.name }
    }
    return locals.first { $0.peer.id == peer }?.peer.name
  }

  // MARK: The background

  private mutating func setBackground(_ isAway: Bool, at now: Instant, into outbox: inout Outbox) {
    guard isAway != isInBackground, !faults.contains(.backgroundIgnored) else { return }
    if isAway {
      for one in advertisers { responder.withdraw(one.record.instance, one.type, at: now, into: &outbox) }
      for one in withdrawals { responder.withdraw(one.record.instance, one.type, at: now, into: &outbox) }
      withdrawals = []
      leaveSessions(at: now, into: &outbox)
      isInBackground = true
      pauseBrowsing(at: now, into: &outbox)
    } else {
      isInBackground = false
      repeatsUntil = now + .seconds(1)
      for one in shownAdvertisers {
        guard let txt = one.record.txt else { continue }
        responder.offer(service(one.record, one.type, txt), at: now, into: &outbox)
      }
      resumeBrowsing(at: now, into: &outbox)
    }
  }

  mutating func pauseBrowsing(at now: Instant, into outbox: inout Outbox) {
    // Applications are not told that peers are lost: they hear nothing.
    for index in browsers.indices { browsers[index].told = [] }
    for one in browsers { look(for: one.type, false, at: now, into: &outbox) }
    _ = browser.takeEvents()
  }

  mutating func resumeBrowsing(at now: Instant, into outbox: inout Outbox) {
    if isInBackground || !isOn { return }
    for one in browsers { look(for: one.type, true, at: now, into: &outbox) }
    for index in browsers.indices { tellOwn(toBrowser: index) }
  }
}
