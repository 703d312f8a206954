import RollcallDevices
import RollcallPrimitives
import RollcallSimulation
import RollcallTrace
import RollcallWire

/// One connection on which a peripheral has a value for its central each millisecond, until as many have come as there
/// are milliseconds in an hour.
///
/// The interval is 10 ms.
enum ConnectionBenchmark {
  static func run(_ options: Options, _ report: Report) -> UInt64 {
    let wanted = options.size(3_600_000, smoke: 500)
    let began = ProcessClock.now()
    let (count, seconds, proof) = notifications(wanted)
    let elapsed = Double(ProcessClock.now() - began) / 1e9
    report.note(
      "connection: \(Report.number(Double(count))) notifications in \(Report.number(seconds)) virtual seconds")
    report.add(
      Figure(
        name: "\(Report.number(Double(wanted))) notifications of a connection", value: elapsed, unit: "s",
        target: .atMost(10)))
    return proof
  }

  private static func notifications(_ wanted: Int) -> (count: Int, seconds: Double, proof: UInt64) {
    let names = ["central", "peripheral"]
    var plan = WorldPlan(
      network: NetworkPlan(
        segments: [SegmentPlan(name: "lan")], hosts: names.map { HostPlan(name: $0, interfaces: []) }),
      duration: .seconds(1), seed: Seed(1))
    plan.media = [
      RadioMedium(
        RadioPlan(
          radios: names.enumerated().map { RadioHostPlan(name: $1, position: Position(x: Int64($0) * 1_000)) }),
        seed: Seed(1))
    ]
    let gatt = GATTPlan([
      .init(
        BluetoothUUID(short: 0x180F),
        [.init(BluetoothUUID(short: 0x2A19), [.notify], value: [0, 0, 0, 0], sendsEvery: .milliseconds(1))])
    ])
    plan.machines.append(Subscriber())
    plan.machines.append(
      Peripheral(
        PeripheralPlan(
          address: .fixed(Subscriber.peer), saying: PeripheralPlan.Saying(AdvertisedFields()), gatt: gatt),
        name: names[1]))
    plan.commands = [(time: .zero, host: 1, command: .act(.appear))]
    var world = World(plan: plan)
    world.start()
    var count = 0
    while count < wanted, world.now < .zero + .seconds(10_000) {
      world.run(until: world.now + .seconds(1))
      count = world.machine(ofHost: 0, as: Subscriber.self)?.notificationCount ?? 0
    }
    precondition(count >= wanted, "\(count) notifications")
    return (count, Double(world.now.nanoseconds) / 1e9, world.gate.digest.state)
  }
}

/// A central that connects, subscribes to the one characteristic that there is, and counts.
private struct Subscriber: Machine {
  static let peer = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
  /// The descriptor behind Generic Access, Generic Attribute, and the declarations of service and characteristic.
  private static let configuration: UInt16 = 13
  private(set) var notificationCount = 0
  var deadline: Instant? { nil }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .value(let id) = signal else { return }
    let number = LinkID(1)
    switch outbox.values[id] {
    case .host(.power(.on)):
      let parameters = LinkParameters(interval: .milliseconds(10))
      outbox.want(RadioEffect.link(number, .connect(to: Subscriber.peer, parameters)))
    case .radio(.link(_, .connected)):
      let pdu = AttributePDU.writeRequest(handle: Subscriber.configuration, value: [1, 0])
      outbox.want(RadioEffect.link(number, .send(ChannelFrame.bytes(.attributes, pdu.bytes))))
    case .radio(.link(_, .frame(let frame))):
      if frame.count > 4, frame[4] == AttributePDU.Opcode.handleValueNotification.rawValue { notificationCount += 1 }
    default: break
    }
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {}
}
