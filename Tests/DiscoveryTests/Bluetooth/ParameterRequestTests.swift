import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

/// What a central makes of a peripheral's request for other parameters of their connection.
@Suite struct ParameterRequestTests {
  /// A central with one connection that stands.
  private static func connected() -> Central {
    var central = Central(faults: [])
    let peer = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)
    central.perform(CentralCommand(peer, .connect), at: .zero)
    central.receive(
      LinkID(1), .connected(.central, own: RadioAddress(bits: 1, isRandom: false), peer: peer, LinkParameters()),
      at: .zero)
    central.receive(LinkID(1), .acknowledged(frames: 1), at: .zero)
    _ = central.takeOutput()
    return central
  }

  /// What the central wants of its controller when this frame of the signalling channel comes.
  private static func wanted(_ payload: [UInt8], _ central: inout Central) -> [LinkEffect] {
    central.receive(LinkID(1), .frame(ChannelFrame.bytes(.signalling, payload)), at: .zero)
    return central.takeOutput().compactMap { output in
      if case .want(_, let effect) = output { return effect }
      return nil
    }
  }

  private static func sent(_ command: SignallingCommand) -> LinkEffect {
    .send(ChannelFrame.bytes(.signalling, command.bytes))
  }

  /// Intervals in milliseconds, latency, timeout in milliseconds.
  static let cases: [(ClosedRange<UInt16>, UInt16, UInt16, Bool)] = [
    (15...15, 0, 2_000, true), (15...30, 0, 2_000, true), (30...45, 4, 4_000, true), (15...60, 30, 6_000, true),
    (450...495, 0, 6_000, true), (60...90, 20, 6_000, true),
    // A shortest interval below 15 ms, or no multiple of it.
    (14...30, 0, 2_000, false), (10...40, 0, 2_000, false), (20...40, 0, 2_000, false), (17...32, 0, 2_000, false),
    // Too narrow, but for 15 ms alone.
    (30...30, 0, 2_000, false), (30...44, 0, 2_000, false), (15...29, 0, 2_000, false),
    // The latency, and the timeout on either side.
    (15...30, 31, 6_000, false), (15...30, 0, 1_990, false), (15...30, 0, 6_010, false),
    // Between two events that the peripheral attends: 2 s at most, and three of them within the timeout.
    (60...105, 18, 6_000, true), (60...107, 18, 6_000, false), (300...500, 3, 6_000, false),
    (300...495, 3, 6_000, true), (1_980...2_010, 0, 6_000, false), (480...660, 0, 2_000, true),
    (480...675, 0, 2_000, false),
  ]

  @Test("a request for other parameters is granted inside the published bounds alone (CB-45)", arguments: cases)
  func bounds(interval: ClosedRange<UInt16>, latency: UInt16, timeout: UInt16, isGranted: Bool) {
    var central = ParameterRequestTests.connected()
    let request = ParameterRequest(milliseconds: interval, latency: latency, timeoutMilliseconds: timeout)
    let wanted = ParameterRequestTests.wanted(SignallingCommand.parameterRequest(number: 7, request).bytes, &central)
    let answer = ParameterRequestTests.sent(.parameterResponse(number: 7, isAccepted: isGranted))
    // It goes over to the longest interval, behind its answer.
    let update = LinkEffect.update(
      LinkParameters(
        interval: .microseconds(Int64(request.longestUnits) * 1_250), latency: latency,
        timeout: .milliseconds(Int64(timeout))))
    expectEqual(wanted, (isGranted ? [answer, update] : [answer]))
  }

  @Test("an interval whose longest is below its shortest is refused, and so are numbers that mean nothing")
  func nonsense() {
    for words in [[24, 12, 0, 400], [12, 0, 0, 400], [0, 0, 0, 0], [.max, .max, .max, .max]] as [[UInt16]] {
      var central = ParameterRequestTests.connected()
      let request = ParameterRequest(
        shortestUnits: words[0], longestUnits: words[1], latency: words[2], timeoutUnits: words[3])
      let wanted = ParameterRequestTests.wanted(SignallingCommand.parameterRequest(number: 1, request).bytes, &central)
      expectEqual(wanted, [ParameterRequestTests.sent(.parameterResponse(number: 1, isAccepted: false))], "\(words)")
    }
  }

  @Test("another request is rejected, an answer is not answered, and bytes that are no command are reported")
  func others() {
    var central = ParameterRequestTests.connected()
    func wanted(_ payload: [UInt8]) -> [LinkEffect] { ParameterRequestTests.wanted(payload, &central) }
    expectEqual(wanted([0x14, 3, 0, 0]), [ParameterRequestTests.sent(.reject(number: 3))])
    #expect(wanted([0x13, 3, 2, 0, 0, 0]) == [] && wanted([0x01, 3, 2, 0, 0, 0]) == [])
    central.receive(LinkID(1), .frame(ChannelFrame.bytes(.signalling, [0x12, 1, 9])), at: .zero)
    let told = central.takeOutput()
    guard told.count == 1, case .rejected(at: 7)? = told.first else {
      Issue.record("\(told)")
      return
    }
  }

  @Test("who asks without an end gets no more answers than there is room for, and no application hears of a change")
  func storm() {
    var central = ParameterRequestTests.connected()
    let request = ParameterRequest(milliseconds: 15...30, latency: 0, timeoutMilliseconds: 2_000)
    var answers = 0
    for _ in 0..<100 {
      let payload = SignallingCommand.parameterRequest(number: 1, request).bytes
      answers += ParameterRequestTests.wanted(payload, &central).count { if case .send = $0 { true } else { false } }
    }
    #expect((1...LinkSize.framesMaximum).contains(answers))
    expectEqual(central.brokenInvariants, [])
    central.receive(LinkID(1), .updated(request.longest), at: .zero)
    #expect(central.takeOutput().isEmpty)
  }
}
