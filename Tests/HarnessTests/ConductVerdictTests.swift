import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallTrace
import RollcallWire
import Testing

@testable import RollcallRunning

/// `conforms` of an expectation: datagrams that hosts sent, read from their trace.
@Suite("Verdicts on what hosts send") struct ConductVerdictTests {
  private static let address = RadioAddress(bits: 0xC0FF_EE00_0001, isRandom: true)

  private static func pdu(_ data: [UInt8]) -> [UInt8] { AdvertisingPDU.bytes(.connectable, from: address, data: data) }

  private static func entry(_ seconds: Int64, _ effect: RadioEffect) -> TraceEntry {
    TraceEntry(time: .zero + .seconds(seconds), station: 1, content: .effect(.radio(effect)))
  }

  /// A host advertises a structure that does not end within its packet, and then sends a name that is no UTF-8 again.
  private static let trace: [TraceEntry] = [
    entry(5, .advertise(set: 0, every: .milliseconds(100), pdu: pdu([2, 1, 6, 2, 9]), response: [])),
    entry(
      7,
      .resend(
        RadioPDU(
          channel: 37, strength: -60, accessAddress: AirFrame.advertisingAddress, bytes: pdu([2, 9, 0xE9])))),
  ]

  /// The clause that is broken or not kept, the host and the second; else the verdict.
  private func said(
    _ conduct: Judgement?, hosts: [Int] = [1], keeps: [String] = [], ignores: [String] = []
  ) -> String? {
    var evidence = Judge.Evidence(
      reports: [], entriesPeak: 0, devicesPeak: 0, presentAtConvergence: [], presentAtEnd: [],
      end: .zero + .seconds(9))
    evidence.conduct = conduct
    let expectation = ResolvedExpectation(
      id: "e1", text: "", mayBeVacuous: false, kind: .conforms(hosts: hosts, keeps: keeps, ignores: ignores))
    guard let verdict = Judge(evidence).verdict(on: expectation) else { return nil }
    switch verdict.reason {
    case .broken(let clause, let by, _, _, let time)?:
      return "\(clause) broken by \(by) at \(time.nanoseconds / 1_000_000_000)"
    case .notKept(let clause, let by)?: return "\(clause) not kept by \(by)"
    default: return verdict.outcome.rawValue
    }
  }

  @Test("the first breach counts that is not ignored, then each clause that is to be kept and is not, known or not")
  func conforms() {
    let conduct = TraceHearing.judgement(Self.trace, hosts: ["engine", "tv"])
    let (name, all) = ("tv \(Self.address)", ["AD-OVERRUN", "AD-NAME"])
    expectEqual(said(conduct), "AD-OVERRUN broken by \(name) at 5")
    expectEqual(said(conduct, ignores: ["AD-OVERRUN"]), "AD-NAME broken by \(name) at 7")
    expectEqual(said(conduct, ignores: all), "held")
    expectEqual(said(conduct, keeps: ["BLE-ADDRESS-KIND"], ignores: all), "held")
    for missing in ["AD-UUIDS", "AD-UNHEARD-OF"] {
      expectEqual(
        said(conduct, keeps: ["BLE-ADDRESS-KIND", missing], ignores: all), "\(missing) not kept by \(name)")
    }
    expectEqual(said(conduct, hosts: [0]), "held")
    expectEqual(
      said(conduct, hosts: [0], keeps: ["BLE-ADDRESS-KIND"]), "BLE-ADDRESS-KIND not kept by a host that sent nothing")
    expectEqual(said(nil), "vacuous")
  }
}
