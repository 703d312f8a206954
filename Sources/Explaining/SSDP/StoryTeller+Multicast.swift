package import RollcallPrimitives
import RollcallWire

// What a replay tells of multicast DNS.
extension StoryTeller {
  /// A datagram of port 5353 came by.
  /// - Parameters:
  ///   - isHeard: whether the host of the replay hears it.
  ///   - isCut: whether the capture holds a part of it only.
  package func hears(
    multicast bytes: UnsafeRawBufferPointer, from source: Endpoint, to destination: Endpoint,
    on interface: InterfaceID, isHeard: Bool, isCut: Bool, frame: Int, at now: Instant
  ) {
    story.multicastCount += 1
    if frame == watchedFrame {
      watchedMulticast = WatchedMulticast(
        bytes: Array(bytes), source: source, destination: destination, time: now)
    }
    var what = MulticastStory.What.ignored(isCut ? .cut : .notHeard)
    if isHeard, !isCut {
      what = multicast.hear(
        bytes,
        MulticastMemory.Heard(
          frame: frame, time: now, source: source, destination: destination, interface: interface))
    }
    if source.address == watched {
      if case .ignored(.malformed) = what {} else { story.presence?.multicast += 1 }
    }
    // Who asks about one party wants to know of nobody else.
    switch party {
    case nil: break
    case .address(let address): if source.address != address, destination.address != address { return }
    case .uuid: return
    case .name(let name): if !name.isNamed(by: what) { return }
    }
    guard story.multicast.count < bounds.multicastMessages else { return cut("messages of multicast DNS") }
    story.multicast.append(
      MulticastStory(time: now, frame: frame, source: source, destination: destination, what: what))
  }

  /// The engine reported something of a service.
  func service(_ report: Report, at time: Instant, frame: Int?) {
    if party != nil, !isOfParty(service: report) { return }
    guard story.services.count < bounds.multicastMessages else { return cut("events of services") }
    story.services.append(ServiceStoryEvent(time: time, frame: frame, report: report))
  }

  /// Whether the service has the name that was asked about, or is one of the host with that name.
  private func isOfParty(service report: Report) -> Bool {
    guard case .name(let name) = party else { return false }
    switch report {
    case .found(let sighting), .changed(let sighting, _):
      let service = sighting.device.serviceOfName.flatMap { DNSName(String($0)) }
      var isOwn = service.map { name.isName($0) } ?? false
      if case .text(let host)? = sighting[.host], let host = DNSName(host), name.isName(host) { isOwn = true }
      if isOwn { askedServices.insert(DeviceName(sighting.device)) }
      return isOwn || askedServices.contains(DeviceName(sighting.device))
    case .lost(let device, _): return askedServices.contains(DeviceName(device))
    default: return false
    }
  }
}
