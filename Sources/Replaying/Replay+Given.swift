import RollcallCapture
package import RollcallPrimitives

// Datagrams and packets that stand in no file.
extension Replay {
  /// A datagram to be heard, or seen leaving.
  package struct Given: Sendable {
    package var time: Instant
    /// The number of the interface.
    package var interface: Int
    package var source: Endpoint
    package var destination: Endpoint
    package var hopLimit: UInt8
    package var payload: [UInt8]
    /// Whether the host sent it whose ears the engine has; of no account where it hears as everybody.
    package var isOwn: Bool

    package init(
      time: Instant, interface: Int, source: Endpoint, destination: Endpoint, hopLimit: UInt8, payload: [UInt8],
      isOwn: Bool
    ) {
      (self.time, self.interface, self.source, self.destination) = (time, interface, source, destination)
      (self.hopLimit, self.payload, self.isOwn) = (hopLimit, payload, isOwn)
    }
  }

  /// A packet of Bluetooth LE to be heard.
  package struct GivenPacket: Sendable {
    package var time: Instant
    /// How many of the datagrams come before it.
    package var datagramsBefore: Int
    package var packet: RadioPDU

    package init(time: Instant, datagramsBefore: Int, packet: RadioPDU) {
      (self.time, self.datagramsBefore, self.packet) = (time, datagramsBefore, packet)
    }
  }

  /// Replays datagrams and packets as a capture that holds nothing else, and lets time run on until `end`.
  ///
  /// - Parameters:
  ///   - datagrams: in the order of time.
  ///   - packets: in the order of time.
  package mutating func run(_ datagrams: [Given], packets: [GivenPacket] = [], until end: Instant) {
    begin()
    var frame = CaptureFrame()
    var next = 0
    func hearPackets(before index: Int, _ replay: inout Replay) {
      while next < packets.count, packets[next].datagramsBefore <= index {
        (frame.number, frame.time) = (index + next + 1, packets[next].time)
        replay.advance(to: frame)
        replay.hear(packets[next].packet, of: frame.number)
        next += 1
      }
    }
    for (index, given) in datagrams.enumerated() {
      hearPackets(before: index, &self)
      (frame.number, frame.time, frame.interface) = (index + next + 1, given.time, given.interface)
      advance(to: frame)
      given.payload.withUnsafeBytes { payload in
        var datagram = ExtractedDatagram()
        (datagram.source, datagram.destination, datagram.hopLimit) = (given.source, given.destination, given.hopLimit)
        datagram.payload = payload
        if isOfServices(datagram) {
          considerService(datagram, of: frame, sentByHost: given.isOwn)
        } else if let place = place(of: datagram) {
          consider(datagram, of: frame, at: place, sentByHost: given.isOwn)
        }
      }
    }
    hearPackets(before: datagrams.count, &self)
    (frame.number, frame.time) = (datagrams.count + next + 1, end)
    advance(to: frame)
    runOut()
    close()
  }
}
