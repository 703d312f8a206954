import Foundation
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import RollcallTrace
import RollcallWire
import Testing

@testable import RollcallRunning

/// Everything that is said on the air of a run is what scapy and bumble make of it.
@Suite struct OtherStacksRunTests {
  @Test func `scapy and bumble read whole runs as we do: advertisements, requests and the attribute protocol`() throws {
    var questions: [OtherStacks.Question] = []
    var opcodes: Set<AttributePDU.Opcode> = []
    var kinds: Set<AdvertisingPDU.Kind> = []
    for file in ["long-values.yaml", "connected-lamp.yaml", "services-change.yaml", "name-only-in-scan-response.yaml"] {
      let path = Places.root.appendingPathComponent("Scenarios/bluetooth/\(file)").path
      let point = try #require(try ScenarioFile.read(path).scenario.points(file: file).first)
      let resolved = try point.scenario.resolved()
      // What the radios put on the advertising channels.
      let plan = Stage.plan(resolved, seed: Seed(2))
      let medium = try #require(plan.media.compactMap { $0 as? RadioMedium }.first)
      var packets: [[UInt8]] = []
      medium.tap = { bytes, channel, _, _ in if channel >= 37 { packets.append(bytes) } }
      var world = World(plan: plan)
      world.start()
      world.run(until: .zero + .seconds(10))
      #expect(!packets.isEmpty, "\(file)")
      for packet in packets {
        let pdu = try packet.withUnsafeBytes { try AdvertisingPDU($0) }
        kinds.insert(pdu.kind)
        questions.append(try OtherStacks.Question(packet: packet))
        guard pdu.isAdvertisement, pdu.kind != .directed else { continue }
        questions.append(OtherStacks.Question(advertisingData: Array(packet[pdu.data])))
      }
      // What the engine and the peripherals said to each other.
      let result = Run.perform(resolved, seed: Seed(2), options: RunOptions(recordedHosts: [0], watchedHost: 0))
      for entry in result.trace {
        let frame: [UInt8]
        switch entry.content {
        case .signal(.radio(.link(_, .frame(let heard)))): frame = heard
        case .effect(.radio(.link(_, .send(let sent)))): frame = sent
        default: continue
        }
        let read = try frame.withUnsafeBytes { try ChannelFrame($0) }
        guard read.channel == .attributes else { continue }
        let pdu = try Array(frame[read.payload]).withUnsafeBytes { try AttributePDU($0) }
        opcodes.insert(pdu.opcode)
        questions.append(try OtherStacks.Question(pdu))
        // What was said is what is written for it.
        expectEqual(pdu.bytes, Array(frame[read.payload]))
      }
    }
    var seen = Set<OtherStacks.Question>()
    questions = questions.filter { seen.insert($0).inserted }
    #expect(kinds.isSuperset(of: [.connectable, .scannable, .scanRequest, .scanResponse]), "\(kinds)")
    #expect(opcodes.count > 12, "\(opcodes)")
    guard let answers = try OtherStacks.ask(questions, for: "whole runs beside scapy and bumble") else { return }
    let comparison = OtherStacks.compare(questions, answers)
    expectEqual(comparison.differences, [])
    // bumble has no link layer.
    #expect(comparison.left.allSatisfy { $0.hasPrefix("bumble ll ") }, "\(comparison.left)")
    expectEqual(comparison.scapy, questions.count)
  }
}
