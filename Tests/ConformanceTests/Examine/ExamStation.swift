import RollcallConformance
import RollcallPrimitives

@testable import RollcallExaminers

/// An examiner whose network, clock and host are the test.
struct ExamStation {
  var exam: DeviceExam
  var outbox = Outbox(payloads: PayloadStore())

  init(_ plan: DeviceExamPlan = DeviceExamPlan(patience: .zero)) { exam = DeviceExam(plan) }

  mutating func give(_ value: SignalValue, at time: Interval) {
    let id = outbox.values.put(value)
    exam.receive(.value(id), at: Instant.zero + time, into: &outbox)
    outbox.values.remove(id)
  }

  /// Tells of the interface: with an address, or that it is not ready.
  mutating func begin(at time: Interval, isUp: Bool = true) {
    let addresses = isUp ? [InterfaceAddress(ExamBench.examiner, prefixBits: 24)] : []
    give(
      .interface(InterfaceChange(interface: InterfaceID(0), isUp: isUp, addresses: addresses)), at: time)
  }

  mutating func wake(at time: Interval) { exam.wake(at: Instant.zero + time, into: &outbox) }

  mutating func hear(
    _ text: String, to destination: Endpoint, from source: IPAddress = ExamBench.device, on interface: UInt16 = 0,
    at time: Interval
  ) {
    let datagram = RecordedDatagram(
      source: Endpoint(source, port: 1_900), destination: destination, interface: InterfaceID(interface), hopLimit: 2,
      bytes: Array(text.utf8)
    ).datagram(in: outbox.payloads)
    exam.receive(.datagram(datagram), at: Instant.zero + time, into: &outbox)
    outbox.payloads.release(datagram.payload)
  }

  mutating func notify(
    _ nts: String, _ nt: String, _ uuid: String = "u-1", _ fields: [String] = [],
    from source: IPAddress = ExamBench.device, on interface: UInt16 = 0, at time: Interval
  ) {
    let lines = ["NT: \(nt)", "NTS: ssdp:\(nts)", "USN: uuid:\(uuid)::\(nt)"] + fields
    hear(
      "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n",
      to: ExamStation.group, from: source, on: interface, at: time)
  }

  static let group = Endpoint(.ssdpGroup4, port: 1_900)

  /// What was sent so far.
  var sent: [RecordedDatagram] {
    var sent: [RecordedDatagram] = []
    for effect in outbox.effects {
      if case .transmit(let datagram) = effect { sent.append(RecordedDatagram(datagram, in: outbox.payloads)) }
    }
    return sent
  }

  /// An examiner of the device of a course: it is known, and all of this was asked and heard, and nothing more is.
  init(of course: DeviceCourse, _ plan: DeviceExamPlan = DeviceExamPlan(probes: [], patience: .zero)) {
    self.init(plan)
    begin(at: .zero)
    exam.roll = course.exam.roll
    exam.root = DeviceCourse.uuid
    exam.phase = .asking
    exam.asks = course.exam.asks
    exam.announcements = course.exam.announcements
    exam.batches = []
    exam.running = nil
    exam.due = .never
  }

  /// What was wanted of streams so far.
  var streams: [StreamEffect] {
    var streams: [StreamEffect] = []
    for effect in outbox.effects {
      if case .streams(let wanted) = effect { streams.append(wanted) }
    }
    return streams
  }
}
