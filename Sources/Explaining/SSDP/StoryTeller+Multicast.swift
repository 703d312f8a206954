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
    // Who asks about one party wants to know of nobody else.
    if let party, party != .address(source.address), party != .address(destination.address) { return }
    guard story.multicast.count < bounds.multicastMessages else { return cut("messages of multicast DNS") }
    story.multicast.append(
      MulticastStory(time: now, frame: frame, source: source, destination: destination, what: what))
  }

  /// The engine reported something of a service.
  func service(_ report: Report, at time: Instant, frame: Int?) {
    if party != nil { return }
    guard story.services.count < bounds.multicastMessages else { return cut("events of services") }
    story.services.append(ServiceStoryEvent(time: time, frame: frame, report: report))
  }
}
