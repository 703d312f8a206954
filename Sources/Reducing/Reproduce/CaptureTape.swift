package import RollcallCapture
package import RollcallPrimitives
package import RollcallReplaying
package import RollcallReporting
import RollcallWire

/// The discovery messages of a capture and the packets of its peripherals, in the order and at the times in which a
/// replay gives them to the engine.
package struct CaptureTape: Sendable {
  package var messages: [TapedMessage] = []
  package var packets = TapedPackets()
  /// Where the clock ends.
  package var end = Instant.zero
  package var frames = 0
  package var problems = CaptureProblems()
  /// Addresses where the capture's own names were asked for: a tape has none.
  package var perspective: ReplayOptions.Perspective
  /// What a replay of the capture itself says, with all that it holds beyond messages.
  package var originalReports: [TapedReport] = []

  /// More are not taken: a scenario is for people.
  package static let messagesMaximum = 5_000
  package static let packetsMaximum = 20_000

  package enum Problem: Error, Hashable, CustomStringConvertible {
    case noMessages
    case tooMany(Int)
    case tooManyPackets(Int)
    /// Nobody knows what stands behind the damage, so no scenario says the same.
    case damaged(CaptureDamage)

    package var description: String {
      switch self {
      case .damaged(let damage): damage.sentence("read")
      case .noMessages: "there is no discovery message and no advertisement in it to reproduce"
      case .tooMany(let count):
        "\(count) discovery messages; at most \(CaptureTape.messagesMaximum) make a scenario: cut the capture first"
      case .tooManyPackets(let count):
        "\(count) advertisements; at most \(CaptureTape.packetsMaximum) make a scenario: cut the capture first"
      }
    }
  }

  private init(_ perspective: ReplayOptions.Perspective) { self.perspective = perspective }

  /// Reads a capture from its start.
  package static func read(
    as perspective: ReplayOptions.Perspective, _ open: () throws -> CaptureReader
  ) throws -> CaptureTape {
    var tape = CaptureTape(perspective)
    var frames = try open()
    var frame = CaptureFrame()
    var clock = Instant(nanoseconds: .min)
    var times: [Int: Instant] = [:]
    var begun = CaptureScene(reader: frames, as: perspective)
    begun.countFromBegin()
    while frames.next(&frame) {
      if let origin = begun.origin { frame.countTime(from: origin) }
      if frame.hasTime { clock = max(clock, frame.time) }
      times[frame.number] = clock
      if RadioExtractor.mayHold(frame.linkType) { tape.packets.take(frame, at: clock) }
    }
    tape.end = clock
    var last: TapedMessage?
    var scene = CaptureScene(reader: frames, as: perspective)
    scene.take(frames.takeRemarks())
    let hosts = hosts(of: perspective, frames, scene)
    var messages: [TapedMessage] = []
    var reports: [TapedReport] = []
    var reader = try open()
    var options = ReplayOptions(perspective: perspective, wantsDatagrams: true)
    options.wantsServices = true
    var replay = Replay(options: options) { event in
      switch event {
      case .datagram(let frame, let datagram):
        let isOwn = scene.isSent(frame, by: datagram.source.address)
        last = TapedMessage(
          frame: frame.number, time: times[frame.number] ?? .zero, interface: frame.interface,
          source: datagram.source, destination: datagram.destination, hopLimit: datagram.hopLimit,
          payload: Array(datagram.payload), kind: nil, isOwn: isOwn)
        // Messages of multicast DNS are no event of a replay.
        guard let one = last, one.isMulticastDNS, messages.count <= messagesMaximum else { return }
        let isHeard = perspective == .everybody || isOwn || scene.isHeard(at: datagram.destination.address)
        if isHeard { messages.append(one) }
      case .message(let message):
        guard var one = last else { return }
        one.kind = message.kind == .notifyOther ? nil : message.kind
        if messages.count <= messagesMaximum { messages.append(one) }
      case .packet: break
      case .report(let report, let time, _):
        if reports.count <= messagesMaximum * 100 { reports.append(TapedReport(time: time, report: report)) }
      }
    }
    replay.run(&reader)
    tape.messages = messages
    tape.originalReports = reports
    if !hosts.isEmpty { tape.perspective = .host(hosts.map(\.description).joined(separator: ",")) }
    tape.frames = replay.summary.frames
    tape.problems = replay.summary.captureProblems
    if let damaged = tape.problems.damaged.first(where: { $0.damage.isBeforeEnd }) {
      throw Problem.damaged(damaged.damage)
    }
    if messages.isEmpty, tape.packets.list.isEmpty { throw Problem.noMessages }
    if messages.count > messagesMaximum { throw Problem.tooMany(replay.summary.messageCount) }
    let packetCount = tape.packets.count
    if packetCount > packetsMaximum { throw Problem.tooManyPackets(packetCount) }
    return tape
  }

  /// The addresses of the host: those that were asked for, and those that the file names it by.
  private static func hosts(
    of perspective: ReplayOptions.Perspective, _ reader: borrowing CaptureReader, _ scene: CaptureScene
  ) -> [IPAddress] {
    guard case .host(let text) = perspective else { return [] }
    var hosts: [IPAddress] = []
    for address in text.split(separator: ",").compactMap({ IPAddress($0) }) + reader.names.map(\.address)
    where !address.isMulticast && !address.isBroadcast && scene.isHeard(at: address) && !hosts.contains(address) {
      hosts.append(address)
    }
    return hosts
  }

  /// When the first message or packet comes.
  package var start: Instant {
    switch (messages.first?.time, packets.list.first?.time) {
    case (let message?, let packet?): min(message, packet)
    case (let message, let packet): message ?? packet ?? .zero
    }
  }

  // MARK: Replaying

  /// What an engine reports when it hears the tape, and when.
  package func reports() -> [TapedReport] {
    var list: [TapedReport] = []
    var options = ReplayOptions(perspective: perspective, wantsMessages: false)
    options.wantsServices = true
    var replay = Replay(options: options) { event in
      if case .report(let report, let time, _) = event { list.append(TapedReport(time: time, report: report)) }
    }
    replay.run(
      messages.map { message in
        Replay.Given(
          time: message.time, interface: message.interface, source: message.source, destination: message.destination,
          hopLimit: message.hopLimit, payload: message.payload, isOwn: message.isOwn)
      }, packets: givenPackets, until: end)
    return list
  }

  private var givenPackets: [Replay.GivenPacket] {
    var before = 0
    return packets.list.map { taped in
      while before < messages.count, messages[before].frame < taped.frame { before += 1 }
      return Replay.GivenPacket(time: taped.time, datagramsBefore: before, packet: taped.packet)
    }
  }
}

/// A report and when it was made, for comparison.
package struct TapedReport: Hashable, Sendable {
  package var time: Instant
  package var report: Report

  package init(time: Instant, report: Report) { (self.time, self.report) = (time, report) }

  /// What a line tells of it, without its time.
  package var written: WrittenReport { WrittenReport(report, time: .zero, place: nil) }
}
