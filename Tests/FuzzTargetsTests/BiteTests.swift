import RollcallDevices
import RollcallDiscovery
import RollcallFuzzTargets
import RollcallPrimitives
import RollcallSessions
import Testing

/// A target that holds for a broken machine proves nothing: each is shown machines with faults that it has to notice.
@Suite("Faults that the machine targets notice")
struct BiteTests {
  private func findings(of target: FuzzTarget, runs: Int) -> [String] {
    var mutations = FuzzMutations(of: target, seed: Seed(3))
    mutations.byteCountMaximum = 120
    for bytes in target.seeds + (0..<runs).map({ _ in mutations.next() }) {
      do { try target.run(bytes) } catch { return [error.what] }
    }
    return []
  }

  @Test(
    "the control point with a fault is found out",
    arguments: [
      EngineSwitch.perInterfaceDedupMissing, .familyIsTwoDevices, .noBounds, .mxUnchecked,
    ])
  func engine(fault: EngineSwitch) {
    #expect(!findings(of: .controlPoint(planting: [fault]), runs: 1_500).isEmpty)
  }

  @Test(
    "a root device with a bad habit is found out",
    arguments: [
      Quirk.noBlankLine, .lfOnly, .noServer, .neverByebye, .answersLate(.seconds(3)), .manyAnswers(3), .noNTS,
      .answersToPort1900, .maxAgeNegative, .doubleAnswer,
    ])
  func device(quirk: Quirk) {
    #expect(!findings(of: .rootDevice(with: [quirk]), runs: 300).isEmpty)
  }

  @Test(
    "an engine that looks for services with a fault is found out",
    arguments: [EngineSwitch.serviceFoundPerInterface, .recordsNeverExpire])
  func services(fault: EngineSwitch) {
    #expect(!findings(of: .services(planting: [fault]), runs: 1_500).isEmpty)
  }

  @Test(
    "a client of attributes with a fault is found out",
    arguments: [
      EngineSwitch.answersAwaitedForEver, .writeRoomIgnored, .indicationsNotConfirmed, .mtuIgnored, .connectGivesUp,
      .unestablishedReported, .connectedLostBySilence, .silentDisconnect,
    ])
  func client(fault: EngineSwitch) {
    #expect(!findings(of: .attributeClient(planting: [fault]), runs: 300).isEmpty)
  }

  @Test(
    "a server of attributes with a bad habit is found out",
    arguments: [
      PeripheralQuirk.answersNothing, .answersWrongly, .fallingHandles, .notifiesUnasked, .refusesFirstConnection,
      .endsConnections,
    ])
  func server(quirk: PeripheralQuirk) {
    #expect(!findings(of: .attributeServer(with: [quirk]), runs: 300).isEmpty)
  }

  @Test("a controller with a fault is found out", arguments: ControllerFault.allCases)
  func controller(fault: ControllerFault) {
    #expect(!findings(of: .hciCommands(with: fault), runs: 300).isEmpty)
  }

  @Test("a session that keeps a peer that is gone is found out")
  func session() {
    #expect(!findings(of: .invitationContext(planting: PeerFaults([.silenceNeverEnds])), runs: 300).isEmpty)
  }

  @Test(
    "a manager of devices with a fault is found out",
    arguments: [
      ManagerFaults.addressIsEnough, .neverSplits, .oneCapabilitySuffices, .allFiltersNeeded, .requirementsIgnored,
      .lastServiceKept, .unsuitableKept, .mergesNothing, .toldInBackground, .embeddedIgnored, .oldDescriptionKept,
      .identityRulesIgnored, .ambiguousIdentityTaken,
    ])
  func manager(fault: ManagerFaults) {
    #expect(!findings(of: .manager(planting: fault), runs: 1_500).isEmpty)
  }

  @Test(
    "connections to devices with a fault are found out",
    arguments: [
      ConnectionFaults.wrongKeyTaken, .typingAwaitedForEver, .outlivesDevice, .waitsForEver, .linkLossIgnored,
    ])
  func connections(fault: ConnectionFaults) {
    #expect(!findings(of: .connections(planting: fault), runs: 1_500).isEmpty)
  }

  @Test("nearby devices with a fault are found out", arguments: [PeerFault.silenceNeverEnds, .deliveredTwice])
  func nearby(fault: PeerFault) {
    #expect(!findings(of: .nearbyDevice(planting: PeerFaults([fault])), runs: 300).isEmpty)
  }
}
