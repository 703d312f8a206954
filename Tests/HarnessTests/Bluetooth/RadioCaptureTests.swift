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

/// What the air of a run looks like to tshark: in the capture of the engine's host, and whole.
@Suite struct RadioCaptureTests {
  private func resolved(_ file: String) throws -> Resolved {
    let path = Places.root.appendingPathComponent("Scenarios/bluetooth/\(file)").path
    return try #require(try ScenarioFile.read(path).scenario.points(file: file).first).scenario.resolved()
  }

  private static let kinds = [
    "0x00": "ADV_IND", "0x01": "ADV_DIRECT_IND", "0x02": "ADV_NONCONN_IND", "0x03": "SCAN_REQ", "0x04": "SCAN_RSP",
    "0x06": "ADV_SCAN_IND",
  ]

  @Test(arguments: [
    "name-only-in-scan-response.yaml", "faulty-advertising-data.yaml", "walks-out-of-range.yaml",
    "television-and-remote.yaml",
  ])
  func `tshark reads each packet that the engine's radio heard, with its channel, strength and a right CRC`(
    file: String
  ) throws {
    let resolved = try resolved(file)
    let result = Run.perform(resolved, seed: Seed(1), options: RunOptions(recordedHosts: [0], watchedHost: 0))
    let capture = CaptureExport.write(result, of: resolved, host: 0, scenario: file, seed: 1)
    let heard = result.trace.compactMap { entry -> String? in
      guard case .signal(.radio(.heard(let packet))) = entry.content,
        let pdu = packet.bytes.withUnsafeBytes({ try? AdvertisingPDU($0) }), let address = pdu.sender
      else { return nil }
      let name = address.description.split(separator: "/").first.map(String.init) ?? ""
      let time = (entry.time - Instant.zero).nanoseconds
      return "\(time / 1_000_000_000).\(String(time % 1_000_000_000 + 1_000_000_000).dropFirst()) \(pdu.kind.name) "
        + "\(name) \(packet.channel ?? 0) \(packet.strength ?? 0)"
    }
    let fields = ["time_epoch", "btle.advertising_header.pdu_type", "btle.advertising_address", "btle_rf.channel"]
    let wanted = fields.map { $0 == "time_epoch" ? "frame.time_epoch" : $0 } + ["btle_rf.signal_dbm"]
    let all = ["-Y", "btle", "-T", "fields"] + wanted.flatMap { ["-e", $0] }
    guard let answer = try Tshark.ask(capture, all, for: "packets of the air") else { return }
    expectEqual(answer.status, 0)
    let numbers = ["0": 37, "12": 38, "39": 39]
    let read = answer.lines.map { line in
      let parts = line.split(separator: "\t").map(String.init)
      guard parts.count == 5 else { return line }
      return
        "\(parts[0]) \(RadioCaptureTests.kinds[parts[1]] ?? parts[1]) \(parts[2]) \(numbers[parts[3]] ?? 0) \(parts[4])"
    }
    #expect(!heard.isEmpty)
    expectEqual(read, heard)
    // In advertising data that is faulty on purpose tshark may find fault; in all else it finds none.
    let faults = try Tshark.ask(
      capture, ["-Y", "btle and (_ws.malformed or btle.crc.incorrect)"], for: "packets of the air")
    if file != "faulty-advertising-data.yaml" { expectEqual(faults?.lines, []) }
  }

  @Test func `the whole air of a run, questions and answers among it, is Bluetooth to tshark`() throws {
    let resolved = try resolved("name-only-in-scan-response.yaml")
    let air = try air(of: resolved, for: .seconds(5))
    let counts = try Tshark.ask(
      air.bytes, ["-T", "fields", "-e", "btle.advertising_header.pdu_type"], for: "the whole air")
    guard let counts else { return }
    expectEqual(counts.lines.count, air.count)
    expectEqual(Set(counts.lines), ["0x00", "0x03", "0x04", "0x06"])
    expectEqual(try faults(air.bytes), [])
  }

  /// Every packet that is sent on the air, as a capture; and how many there are.
  private func air(of resolved: Resolved, for duration: Interval) throws -> (bytes: [UInt8], count: Int) {
    let plan = Stage.plan(resolved, seed: Seed(3))
    let medium = try #require(plan.media.compactMap { $0 as? RadioMedium }.first)
    var packets: [(start: Instant, bytes: [UInt8])] = []
    medium.tap = { bytes, channel, start, _ in
      packets.append((start, AirFrame.bytes(pdu: bytes, channel: channel, strength: -50)))
    }
    var world = World(plan: plan)
    world.start()
    world.run(until: .zero + duration)
    packets.sort { $0.start < $1.start }
    var writer = CaptureBytesOfAir()
    for packet in packets { writer.add(packet.bytes, at: packet.start) }
    return (writer.bytes, packets.count)
  }

  /// What tshark finds to be no sound packet of Bluetooth LE; `nil` without it.
  private func faults(_ capture: [UInt8]) throws -> [String]? {
    try Tshark.ask(capture, ["-Y", "_ws.malformed or btle.crc.incorrect or !btle"], for: "the whole air")?.lines
  }

  @Test func `extended advertising is what the standard calls it to tshark, in the capture and on the whole air`()
    throws
  {
    let file = "extended-advertising-says-more.yaml"
    let resolved = try resolved(file)
    let result = Run.perform(resolved, seed: Seed(1), options: RunOptions(recordedHosts: [0], watchedHost: 0))
    let capture = CaptureExport.write(result, of: resolved, host: 0, scenario: file, seed: 1)
    guard let heard = try names(capture) else { return }
    #expect(heard.isSuperset(of: ["ADV_EXT_IND", "AUX_ADV_IND", "AUX_SCAN_RSP", "ADV_IND"]))
    #expect(heard.allSatisfy { !$0.contains("alformed") })
    for file in [file, "extended-lock-is-connected.yaml"] {
      let air = try air(of: try self.resolved(file), for: .seconds(20)).bytes
      expectEqual(try faults(air), [])
      let all = try #require(try names(air))
      let connecting: Set = ["AUX_CONNECT_REQ", "AUX_CONNECT_RSP"]
      #expect(all.isSuperset(of: file.contains("lock") ? connecting : ["AUX_SCAN_REQ"]), "\(all)")
    }
  }

  /// What tshark calls the packets; `nil` without it.
  private func names(_ capture: [UInt8]) throws -> Set<String>? {
    let answer = try Tshark.ask(capture, ["-Y", "btle"], for: "extended advertising")
    return answer.map { answer in
      Set(answer.lines.map { String($0.split(separator: " ", omittingEmptySubsequences: true).last ?? "") })
    }
  }
}

/// A pcap file of LINKTYPE 256, with nanoseconds.
private struct CaptureBytesOfAir {
  var bytes: [UInt8] = []

  init() {
    for number in [0xA1B2_3C4D, 0x0004_0002, 0, 0, 0x4_0000, 256] as [UInt32] { append(number) }
  }

  private mutating func append(_ number: UInt32) {
    bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
  }

  mutating func add(_ frame: [UInt8], at time: Instant) {
    let nanoseconds = (time - Instant.zero).nanoseconds
    append(UInt32(nanoseconds / 1_000_000_000))
    append(UInt32(nanoseconds % 1_000_000_000))
    append(UInt32(frame.count))
    append(UInt32(frame.count))
    bytes += frame
  }
}
