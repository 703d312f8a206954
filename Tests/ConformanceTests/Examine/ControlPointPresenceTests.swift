import RollcallExaminers
import RollcallExpectations
import RollcallPrimitives
import RollcallTrace
import RollcallWire
import Testing

@Suite("What an examination of a control point makes of a network that fails")
struct ControlPointPresenceTests {
  private static let down = SignalValue.interface(
    InterfaceChange(interface: InterfaceID(0), isUp: false, addresses: []))

  private func rows(_ examiner: ControlPointExaminer) -> [String] {
    examiner.examination.result().rows.map { "\($0.probe.rawValue) \($0.verdict.rawValue)" }
  }

  @Test(
    "an interface that goes away at any point leaves verdicts as they are, or takes them away",
    arguments: [[], [.anyStart]] as [Set<ToyControlPoint.Defect>])
  func interfaceLost(defects: Set<ToyControlPoint.Defect>) {
    let setting = Examined.setting([.nameCase, .brokenStart, .byebye]) { $0.runs = 1 }
    let whole = ExaminerBench.run(setting) { ToyControlPoint(defects) }
    let end = (whole.trace.map(\.time).max() ?? .zero) - Instant.zero
    let before = rows(whole.machine)
    var judgedCounts: [Int] = []
    for place in 0..<8 as Range<Int64> {
      let time = Interval.milliseconds(150) + (end - .milliseconds(150)) / 8 * place
      let cut = ExaminerBench.run(setting, told: (time, ControlPointPresenceTests.down)) { ToyControlPoint(defects) }
      let lost = cut.machine.lostInterface
      #expect(cut.machine.isOver)
      expectEqual(lost, Instant.zero + time)
      let after = rows(cut.machine)
      let others = zip(after, before).filter { $0 != $1 && !$0.hasSuffix(" notObservable") }
      // Of two ways one may have been put only: what is held then may be more than in the end, a breach may not.
      expectEqual(others.filter { $0.0.hasSuffix(" violated") }.map { "\($0.0) | \($0.1)" }, [], "\(time)")
      judgedCounts.append(after.count { !$0.hasSuffix(" notObservable") })
      let unput = cut.machine.examination.result().rows.filter { $0.verdict == .notObservable }
      if place == 0 {
        expectEqual(
          Set(unput.map(\.found)), ["the examiner's interface went away before this was put to its end"], "\(time)")
      }
      // Nothing is sent on it any more.
      let sent = cut.machine.examination.log.entries.last { $0.isSent }
      #expect(sent.map { $0.time <= .zero + time } ?? true)
    }
    expectEqual(judgedCounts.first, 0)
    expectEqual(judgedCounts, judgedCounts.sorted())
    #expect((judgedCounts.last ?? 0) > 0)
  }

  @Test("another interface, or another address beside its own, changes nothing; without its own it is over")
  func others() {
    let setting = Examined.setting([.nameCase])
    let undisturbed = rows(ExaminerBench.run(setting).machine)
    let second = SignalValue.interface(InterfaceChange(interface: InterfaceID(1), isUp: false, addresses: []))
    var more = ExaminerBench.change
    more.addresses.append(InterfaceAddress(IPAddress(10, 9, 9, 9), prefixBits: 24))
    for signal in [second, .interface(more)] {
      let run = ExaminerBench.run(setting, told: (.milliseconds(300), signal))
      expectEqual(run.machine.lostInterface, nil)
      expectEqual(rows(run.machine), undisturbed)
    }
    more.addresses.removeFirst()
    let moved = ExaminerBench.run(setting, told: (.milliseconds(300), .interface(more)))
    expectEqual(moved.machine.lostInterface, .zero + .milliseconds(300))
    let early = ExaminerBench.run(setting, told: (.milliseconds(50), ControlPointPresenceTests.down))
    expectEqual(early.machine.failure, .noAddress)
  }

  @Test("a run of which the system did not send something is not judged, and its datagrams are not counted as sent")
  func refusals() throws {
    let setting = Examined.setting([.nameCase, .brokenStart]) { $0.runs = 1 }
    let whole = ExaminerBench.run(setting) { ToyControlPoint([.anyStart]) }
    #expect(rows(whole.machine).contains("broken-start violated"))
    let first = try #require(whole.machine.examination.log.entries.first { $0.isSent })
    let refusal = Refusal(
      deed: .send, interface: InterfaceID(0), address: first.destination.address, port: first.source.port)
    let join = Refusal(deed: .join, interface: InterfaceID(0), address: first.destination.address, port: 1_900)
    let joined = ExaminerBench.run(setting, told: (first.time - .zero, .refused(join))) { ToyControlPoint([.anyStart]) }
    expectEqual(rows(joined.machine), rows(whole.machine))
    let refused = ExaminerBench.run(setting, told: (first.time - .zero, .refused(refusal))) {
      ToyControlPoint([.anyStart])
    }
    // The other way, announcements, was put in full.
    let texts = refused.machine.examination.result().rows.map { $0.ways.map(\.rawValue) }
    expectEqual(texts, [["announcement"], ["announcement"]])
    let log = refused.machine.examination.log.entries.filter(\.isSent)
    expectEqual(refused.machine.examination.result().sentCount, log.count - 1)
  }

  @Test("what a bait's description names of its service is there: actions, control and first events")
  func services() throws {
    var examiner = ControlPointExaminer(Examined.setting([.nameCase]), command: ["toy"])
    var outbox = Outbox(payloads: PayloadStore())
    examiner.receive(.interface(ExaminerBench.change), at: .zero, into: &outbox)
    examiner.wake(at: .zero + .milliseconds(100), into: &outbox)
    let control = Endpoint(Examined.control, port: 41_000)
    let search =
      "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\n"
      + "ST: urn:schemas-upnp-org:service:SwitchPower:1\r\n\r\n"
    var now = Instant.zero + .milliseconds(200)
    let datagram = Datagram(
      source: control, destination: .ssdp(.v4), interface: InterfaceID(0), hopLimit: 2,
      payload: outbox.payloads.store(Array(search.utf8)))
    examiner.receive(.datagram(datagram), at: now, into: &outbox)
    while examiner.examination.log.entries.count(where: \.isSent) < 2, let deadline = examiner.deadline {
      now = deadline
      examiner.wake(at: now, into: &outbox)
    }
    var stream: UInt32 = 9_000
    func ask(_ text: String) -> String {
      outbox.removeAll()
      stream += 1
      let id = StreamID(stream)
      let local = Endpoint(Examined.device, port: 50_900)
      for signal in [
        StreamSignal.accepted(id, listener: StreamID(1), local: local, remote: control),
        .room(id, byteCount: 65_536), .bytes(id, Array(text.utf8)),
      ] { examiner.receive(.streams(signal), at: now, into: &outbox) }
      var answer: [UInt8] = []
      for position in 0..<outbox.count {
        if case .streams(.write(id, let bytes)) = outbox[position] { answer += bytes }
      }
      return String(decoding: answer, as: UTF8.self)
    }
    let page = ask("GET /b/000000000000.xml HTTP/1.1\r\nHOST: x\r\n\r\n")
    for path in ["scpd.xml", "control", "event"] {
      #expect(page.contains("/service/000000000000/1/\(path)<"), "\(page)")
    }
    let scpd = ask("GET /service/000000000000/1/scpd.xml HTTP/1.1\r\nHOST: x\r\n\r\n")
    #expect(scpd.hasPrefix("HTTP/1.1 200 ") && scpd.contains("<name>GetStatus</name>"), "\(scpd)")
    let body =
      "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\" "
      + "s:encodingStyle=\"http://schemas.xmlsoap.org/soap/encoding/\"><s:Body>"
      + "<u:GetStatus xmlns:u=\"urn:schemas-upnp-org:service:SwitchPower:1\"/></s:Body></s:Envelope>"
    let called = ask(
      "POST /service/000000000000/1/control HTTP/1.1\r\nHOST: x\r\nCONTENT-TYPE: text/xml; charset=\"utf-8\"\r\n"
        + "SOAPACTION: \"urn:schemas-upnp-org:service:SwitchPower:1#GetStatus\"\r\n"
        + "CONTENT-LENGTH: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(called.hasPrefix("HTTP/1.1 200 ") && called.contains("ResultStatus"), "\(called)")
    let subscribed = ask(
      "SUBSCRIBE /service/000000000000/1/event HTTP/1.1\r\nHOST: x\r\nCALLBACK: <http://10.77.1.20:9000/>\r\n"
        + "NT: upnp:event\r\nTIMEOUT: Second-60\r\n\r\n")
    #expect(subscribed.hasPrefix("HTTP/1.1 200 ") && subscribed.contains("SID: uuid:"), "\(subscribed)")
    // The first event goes to the one that asked, and to nobody else.
    outbox.removeAll()
    examiner.wake(at: now + .milliseconds(100), into: &outbox)
    let opened = (0..<outbox.count).compactMap { position -> String? in
      if case .streams(.connect(let id, let to, _)) = outbox[position] { "\(id.number) \(to)" } else { nil }
    }
    // Stream 1 is the listener.
    expectEqual(opened, ["2 10.77.1.20:9000"])
    let other = ask(
      "SUBSCRIBE /service/000000000000/1/event HTTP/1.1\r\nHOST: x\r\nCALLBACK: <http://10.77.1.30:9000/>\r\n"
        + "NT: upnp:event\r\n\r\n")
    #expect(other.hasPrefix("HTTP/1.1 412 "), "\(other)")
    for path in [
      "/service/000000000000/2/scpd.xml", "/service/0000000000ff/1/scpd.xml", "/service/00000000000/1/scpd.xml",
      "/service/",
    ] {
      let missing = ask("GET \(path) HTTP/1.1\r\nHOST: x\r\n\r\n")
      #expect(missing.hasPrefix("HTTP/1.1 404 "), "\(path)")
    }
    // At the end the event that is not delivered yet is given up.
    outbox.removeAll()
    examiner.receive(.command(.stop), at: now + .milliseconds(200), into: &outbox)
    let resets = (0..<outbox.count).compactMap { position -> UInt32? in
      if case .streams(.reset(let id)) = outbox[position] { id.number } else { nil }
    }
    #expect(examiner.isOver && resets.contains(2))
  }
}
