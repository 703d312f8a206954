import RollcallPrimitives
import RollcallWire

// Search sessions: asked for, adopted, sent, ended.
extension ControlPoint {
  // MARK: Commands

  /// Begins a search, or says why not.
  mutating func search(
    _ search: Search, _ table: inout LeaseTable, at now: Instant, into outbox: inout Outbox
  ) {
    if let failure = refusal(of: search, table) { return outbox.report(.failed(failure)) }
    usedIDs.insert(search.id)
    let spacing = search.spacing ?? .seconds(Int64(search.maximumWaitSeconds))
    let copies = isOn(.searchSentOnce) ? 1 : search.broadcasts
    var end = now + Search.listening(waitSeconds: search.maximumWaitSeconds)
    for _ in 1..<copies { end += spacing }
    if isOn(.searchEndsEarly) { end = now + .seconds(Int64(search.maximumWaitSeconds)) }
    if isOn(.searchNeverEnds) { end = .never }
    begin(
      SearchSession(
        search, waitSeconds: search.maximumWaitSeconds, spacing: spacing, copies: copies,
        host: search.host.map { target(of: $0, table) }, port: nextPort(), isAdopted: false, at: now, end: end,
        serial: begunCount, seen: roomForServices()))
    fire(upTo: now, &table, into: &outbox)
  }

  /// Takes a search that somebody else sent: a copy of it left from `socket` just now (D66).
  ///
  /// A copy under the number of an open adopted search, or from its socket for its target, extends that search; a host
  /// with several addresses sends one search from each. MX is taken as captured (`Search.capturedWaitSeconds`).
  mutating func adopt(_ search: Search, copyAt socket: Endpoint, at now: Instant, into outbox: inout Outbox) {
    let wait = Search.capturedWaitSeconds(search.maximumWaitSeconds)
    let end = isOn(.searchNeverEnds) ? .never : now + search.capturedListening
    if let known = adopted(search, socket) {
      if !doors.isOpen(socket, of: known) { doors.open(socket, of: sessions[at: known].owner, at: known) }
      // The timer that is set comes too early, and finds nothing to do.
      sessions[at: known].end = max(sessions[at: known].end, end)
      sessions.retime(known)
      return
    }
    if let failure = commonRefusal(of: search) { return outbox.report(.failed(failure)) }
    usedIDs.insert(search.id)
    let place = begin(
      SearchSession(
        search, waitSeconds: wait, spacing: .zero, copies: 0, host: nil, port: socket.port, isAdopted: true, at: now,
        end: end, serial: begunCount, seen: roomForServices()))
    doors.open(socket, of: sessions[at: place].owner, at: place)
  }

  @discardableResult private mutating func begin(_ session: consuming SearchSession) -> Int32 {
    begunCount += 1
    schedule(at: min(nextTimer, session.nextTimer))
    return sessions.append(session)
  }

  private mutating func roomForServices() -> ServiceSet {
    spareSets.popLast() ?? ServiceSet()
  }

  /// Where the open adopted search is that this is a copy of: the first that has its target, and its number or socket.
  ///
  /// Mutating, so that it is not called on a copy.
  private mutating func adopted(_ search: Search, _ socket: Endpoint) -> Int32? {
    func isCopy(_ place: Int32) -> Bool {
      sessions[at: place].isAdopted && sessions[at: place].target == search.target
    }
    var door = doors.first(at: socket)
    while door != SearchDoors.end, !isCopy(doors.place(door)) { door = doors.next(door) }
    let here = door == SearchDoors.end ? nil : doors.place(door)
    if door != SearchDoors.end, doors.search(door) == search.id.number { return here }
    if !usedIDs.contains(search.id) { return here }
    // A host with several addresses: the number may be that of a search from another one.
    for session in sessions.indices {
      let place = sessions.place(session)
      if place == here || sessions[session].id == search.id && isCopy(place) { return place }
    }
    return here
  }

  mutating func stopSearch(_ id: SearchID, into outbox: inout Outbox) {
    guard let session = sessions.firstIndex(where: { $0.id == id }) else { return }
    end(session, wasStopped: true, into: &outbox)
    schedule()
  }

  /// Ends every search, in the order in which they began.
  mutating func stop(into outbox: inout Outbox) {
    while !sessions.isEmpty { end(0, wasStopped: true, into: &outbox) }
    schedule()
  }

  // MARK: What cannot be done

  private func refusal(of search: Search, _ table: borrowing LeaseTable) -> Failure? {
    if let failure = commonRefusal(of: search) { return failure }
    func invalid(_ explanation: String) -> Failure {
      Failure(reason: .invalidSearch, search: search.id, interface: search.interface, explanation: explanation)
    }
    let wait = search.maximumWaitSeconds
    if !(1...5).contains(wait), !isOn(.mxUnchecked) { return invalid("MX is \(wait) s; UDA asks for 1 to 5 s.") }
    if !(1...10).contains(search.broadcasts) {
      return invalid("\(search.broadcasts) broadcasts were asked for; 1 to 10 can be sent.")
    }
    let longest = Interval.seconds(Int64(max(1, wait)))
    if let spacing = search.spacing, spacing < .zero || spacing > longest {
      return invalid("The copies are \(spacing) apart; at most MX, so that no answer falls between them.")
    }
    let bytes = Array(search.target.utf8)
    if bytes.count > configuration.limits.nameBytes {
      return invalid("The target has \(bytes.count) bytes; at most \(configuration.limits.nameBytes) are sent.")
    }
    if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      return invalid("The target holds a control character, which would end its line.")
    }
    if let host = search.host, host.address.isMulticast || host.address.isUnspecified || host.address.isBroadcast {
      return invalid("\(host.address) is no host; leave the host out to search the group.")
    }
    if ways(for: search.host?.address, on: search.interface, table).isEmpty {
      let what = search.interface == nil ? "No interface is up" : "This interface is not up"
      return Failure(
        reason: .noInterface, search: search.id, interface: search.interface,
        explanation: "\(what) with an address to send from: connect to a network and search again.")
    }
    return nil
  }

  private func commonRefusal(of search: Search) -> Failure? {
    if usedIDs.contains(search.id) {
      return Failure(
        reason: .searchIdUsed, search: search.id, interface: search.interface,
        explanation: "Search \(search.id.number) was there before: a search is single-use, take another id.")
    }
    if search.target.isEmpty {
      return Failure(
        reason: .invalidSearch, search: search.id, interface: search.interface,
        explanation: "The target is empty; ssdp:all asks for everything.")
    }
    if sessions.count >= configuration.limits.searchesOpen, !isOn(.noBounds) {
      return Failure(
        reason: .invalidSearch, search: search.id, interface: search.interface,
        explanation: "\(sessions.count) searches are open, no more fit: stop one or wait for one to end.")
    }
    return nil
  }

  /// A copy could not be sent. A search of which no copy left is over: to wait for answers would be a pretence.
  mutating func refused(
    _ refusal: Refusal, _ table: borrowing LeaseTable, at now: Instant, into outbox: inout Outbox
  ) {
    if isOn(.sendFailureSilent) { return }
    let owner = sessions.firstIndex { !$0.isAdopted && $0.port == refusal.port }
    if let owner {
      sessions[owner].refusedCount += 1
      let path = UInt32(refusal.interface.number) << 1 | (refusal.address.family == .v6 ? 1 : 0)
      let isNew = !sessions[owner].refusedPaths.contains(path)
      if isNew { sessions[owner].refusedPaths.append(path) }
      if isNew { outbox.report(.failed(cannotSend(refusal, sessions[owner].id))) }
      if sessions[owner].copiesLeft == 0, sessions[owner].refusedCount >= sessions[owner].sentCount {
        end(owner, wasStopped: false, into: &outbox)
        schedule()
      }
    } else {
      outbox.report(.failed(cannotSend(refusal, nil)))
    }
  }

  private func cannotSend(_ refusal: Refusal, _ search: SearchID?) -> Failure {
    Failure(
      reason: .cannotSend, search: search, interface: refusal.interface,
      explanation: "Sending to \(refusal.address) on this interface was refused: see whether "
        + "this program may use the local network and multicast, whether a firewall forbids it, and whether the "
        + "interface has a route.")
  }

  // MARK: Timers

  /// Sends every copy and ends every search that is due, in order of time.
  mutating func fire(upTo now: Instant, _ table: inout LeaseTable, into outbox: inout Outbox) {
    while nextTimer <= now, nextTimer != .never {
      let due = nextTimer
      // Where a search got more time since the timer was set, nothing is due yet.
      var from = 0
      while let session = sessions.firstDue(due, from: from) {
        while sessions[session].nextCopy <= due { transmit(session, table, into: &outbox) }
        if sessions[session].end <= due {
          end(session, wasStopped: false, into: &outbox)
          from = session
        } else {
          sessions.retime(sessions.place(session))
          from = session + 1
        }
      }
      schedule()
    }
  }

  private mutating func end(_ number: Int, wasStopped: Bool, into outbox: inout Outbox) {
    let place = sessions.remove(at: number)
    let services = sessions[at: place].takeServices()
    let count = closedSockets.count
    let isOwn = !sessions[at: place].isAdopted
    doors.close(of: place) { closedSockets.append(ClosedSocket(endpoint: $0, isOwn: isOwn)) }
    settleClosedSockets(from: count)
    if spareSets.count < ControlPoint.spareSetsMaximum { spareSets.append(sessions[at: place].takeRoom()) }
    let (id, target) = (sessions[at: place].id, sessions[at: place].target)
    let sentCount = sessions[at: place].sentCount
    if sentCount > 0, sessions[at: place].refusedCount >= sentCount, !wasStopped {
      let explanation =
        "No copy of search \(id.number) for \(target) could be sent, so nothing can have answered. "
        + "Allow this program to send to the local network, then search again."
      outbox.report(.failed(Failure(reason: .cannotSend, search: id, explanation: explanation)))
      return
    }
    outbox.report(
      .searchEnded(SearchOutcome(search: id, target: target, services: services, wasStopped: wasStopped)))
  }

  /// Of the sockets from `index` on, keeps those that no other search has open, each once.
  private mutating func settleClosedSockets(from index: Int) {
    var index = index
    while index < closedSockets.count {
      let socket = closedSockets[index]
      if doors.isOpen(socket.endpoint) {
        closedSockets.remove(at: index)
      } else if let before = closedSockets[..<index].firstIndex(where: { $0.endpoint == socket.endpoint }) {
        closedSockets[index].isOwn = socket.isOwn || closedSockets[before].isOwn
        closedSockets.remove(at: before)
      } else {
        index += 1
      }
    }
    let excess = closedSockets.count - ControlPoint.closedSocketsMaximum
    if excess > 0 { closedSockets.removeFirst(excess) }
  }

  // MARK: Sending

  /// TTL of IPv4 multicast as UDA has it by default (UDA-1-TTL-DEFAULT), and of a search to one host: what is to be
  /// discovered is near, and a search must not leak past the site (H-TTL-ESCAPE).
  static let hopLimit4: UInt8 = 2
  /// ff02::c has link-local scope, which no router forwards; 1 says so in every hop's face.
  static let hopLimit6: UInt8 = 1

  /// An interface and the address to send from.
  private struct Way {
    var interface: InterfaceID
    var address: IPAddress
  }

  /// Every way to the groups, or the one way to a host.
  private func ways(for host: IPAddress?, on interface: InterfaceID?, _ table: borrowing LeaseTable) -> [Way] {
    var all: [Way] = []
    for candidate in table.interfaces.all where (interface ?? candidate.id) == candidate.id {
      for family in [IPAddress.Family.v4, .v6] where (host?.family ?? family) == family {
        if let address = candidate.addresses.source(family) {
          all.append(Way(interface: candidate.id, address: address))
        }
      }
    }
    guard let host, all.count > 1 else { return all }
    // The subnet decides; failing that, where the host was heard; failing that, the first.
    let onLink = all.first { way in
      guard let slot = table.interfaces.slot(of: way.interface) else { return false }
      return table.interfaces.all[slot].addresses.contains {
        !$0.address.isLinkLocal && $0.address.sharesPrefix($0.prefixBits, with: host)
      }
    }
    let heard = table.interfaceThatHeard(host)
    return [onLink ?? all.first { $0.interface == heard } ?? all[0]]
  }

  /// Where a unicast search goes: port 0 means the SEARCHPORT that was announced there, else 1900
  /// (UDA-1.2.2-CP-SEARCHPORT).
  private func target(of host: Endpoint, _ table: borrowing LeaseTable) -> Endpoint {
    if host.port != 0 { return host }
    let announced = isOn(.searchPortIgnored) ? nil : table.searchPort(at: host.address)
    return Endpoint(host.address, port: announced ?? 1_900)
  }

  /// An own port for each search, from the range that is nobody's.
  private mutating func nextPort() -> UInt16 {
    var port: UInt16
    repeat {
      port = UInt16(49_152 + searchCount % 16_000)
      searchCount += 1
    } while sessions.firstIndex(where: { !$0.isAdopted && $0.port == port }) != nil
    return port
  }

  private mutating func transmit(_ number: Int, _ table: borrowing LeaseTable, into outbox: inout Outbox) {
    let session = sessions[number]
    sessions[number].copiesLeft -= 1
    sessions[number].nextCopy = session.copiesLeft > 1 ? session.nextCopy + session.spacing : .never
    for way in ways(for: session.host?.address, on: session.interface, table) {
      let family = way.address.family
      let group = Endpoint.ssdp(family)
      let destination = session.host ?? group
      let payload =
        session.host == nil
        ? SSDPComposer.search(
          target: session.target, mx: Int64(session.waitSeconds), host: group.description,
          userAgent: configuration.userAgent, into: outbox.payloads)
        : SSDPComposer.unicastSearch(
          target: session.target, host: destination.description, userAgent: configuration.userAgent,
          into: outbox.payloads)
      let source = Endpoint(way.address, port: session.port)
      let place = sessions.place(number)
      if !doors.isOpen(source, of: place) { doors.open(source, of: sessions[at: place].owner, at: place) }
      sessions[number].sentCount += 1
      let isLinkScope = session.host == nil && family == .v6
      outbox.transmit(
        Datagram(
          source: source, destination: destination, interface: way.interface,
          hopLimit: isLinkScope ? ControlPoint.hopLimit6 : ControlPoint.hopLimit4, payload: payload))
    }
  }
}
