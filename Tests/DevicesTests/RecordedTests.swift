import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Recorded hosts")
struct RecordedTests {
  private func start(_ plan: Recorded.Plan, _ outbox: inout Outbox) -> Recorded {
    var host = Recorded(plan)
    let change = InterfaceChange(
      interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(IPAddress(192, 168, 1, 20), prefixBits: 24)])
    host.receive(.interface(change), at: .zero, into: &outbox)
    host.receive(.command(.act(.appear)), at: .zero, into: &outbox)
    outbox.removeAll()
    return host
  }

  private func drain(_ outbox: inout Outbox, at now: Instant) -> [String] {
    var sent: [String] = []
    for position in 0..<outbox.count {
      guard let datagram = outbox.datagram(at: position) else { continue }
      let text = String(decoding: outbox.payloads.array(of: datagram.payload), as: UTF8.self)
      sent.append("\(now) \(text) to \(datagram.destination)")
      outbox.payloads.release(datagram.payload)
    }
    outbox.removeAll()
    return sent
  }

  private func run(_ host: inout Recorded, until end: Instant, _ outbox: inout Outbox) -> [String] {
    var sent: [String] = []
    while let deadline = host.deadline, deadline <= end {
      host.wake(at: deadline, into: &outbox)
      sent += drain(&outbox, at: deadline)
    }
    return sent
  }

  @Test("a set is said at its times and in its pace, and goes on in its beat when the recording is over")
  func beat() {
    var plan = Recorded.Plan()
    plan.utterances = [
      Recorded.Utterance(
        messages: [Array("a".utf8), Array("b".utf8)], starts: [.seconds(1), .seconds(10)], thenEvery: .seconds(9),
        paces: [[.zero, .milliseconds(2)]])
    ]
    var outbox = Outbox(payloads: PayloadStore())
    var host = start(plan, &outbox)
    let group = "to 239.255.255.250:1900"
    expectEqual(
      run(&host, until: .zero + .seconds(28), &outbox),
      [
        "1.000000000 a \(group)", "1.002000000 b \(group)", "10.000000000 a \(group)", "10.002000000 b \(group)",
        "19.000000000 a \(group)", "19.002000000 b \(group)", "28.000000000 a \(group)",
      ])
    host.receive(.command(.act(.vanish)), at: .zero + .seconds(28), into: &outbox)
    expectEqual(host.deadline, nil)
  }

  @Test("searches are answered each as it was answered, and later ones like the last")
  func answers() {
    var plan = Recorded.Plan()
    plan.answers = [
      Recorded.Answer(
        target: Array("ssdp:all".utf8), messages: [Array("x".utf8), Array("y".utf8)],
        replies: [
          Recorded.Answer.Reply(search: 1, delays: [.milliseconds(5), .milliseconds(7)]),
          Recorded.Answer.Reply(search: 3, delays: [.milliseconds(9)]),
        ])
    ]
    var outbox = Outbox(payloads: PayloadStore())
    var host = start(plan, &outbox)
    var sent: [String] = []
    for second in 1...4 {
      let now = Instant.zero + .seconds(Int64(second))
      for target in ["ssdp:all", "upnp:rootdevice"] {
        let search = "M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: \(target)\r\n\r\n"
        let payload = outbox.payloads.store(Array(search.utf8))
        host.receive(
          .datagram(
            Datagram(
              source: Endpoint(IPAddress(192, 168, 1, 9), port: 50_000),
              destination: Endpoint(.ssdpGroup4, port: 1_900), interface: InterfaceID(0), hopLimit: 2, payload: payload)
          ),
          at: now, into: &outbox)
        outbox.payloads.release(payload)
      }
      sent += run(&host, until: now + .milliseconds(500), &outbox)
    }
    let to = "to 192.168.1.9:50000"
    expectEqual(sent, ["1.005000000 x \(to)", "1.007000000 y \(to)", "3.009000000 x \(to)", "4.009000000 x \(to)"])
  }
}
