import RollcallDevices
import RollcallDiscovery
import RollcallPrimitives
import RollcallScenarios
import RollcallWire

// Peripherals of a capture, each an inhabitant that says what it said.
extension Reproducer {
  mutating func addPeripherals(to scenario: inout Scenario) {
    let packets = tape.packets.list
    if packets.isEmpty { return }
    // It asks nobody: the responses of the capture come by themselves.
    scenario.engine.configuration.scan = ScanPolicy(.passive)
    let times = heardAt(packets)
    var plans: [RadioAddress: RecordedPeripheral.Plan] = [:]
    var places: [RadioAddress: [[UInt8]: Int]] = [:]
    for (taped, time) in zip(packets, times) {
      let bytes = taped.packet.bytes
      let known = places[taped.address]?[bytes]
      let place = known ?? plans[taped.address]?.packets.count ?? 0
      if known == nil {
        plans[taped.address, default: RecordedPeripheral.Plan()].packets.append(RecordedPeripheral.Packet(pdu: bytes))
        places[taped.address, default: [:]][bytes] = place
      }
      plans[taped.address]?.packets[place].heard.append(
        RecordedPeripheral.Hearing(at: time, channel: taped.packet.channel, strength: taped.packet.strength))
    }
    for address in tape.packets.addresses {
      guard let plan = plans[address] else { continue }
      let called = PacketText.name(plan)
      let word = called.map { HostText.kebab(Substring($0)) } ?? "peripheral"
      let name = name((word == "device" ? "peripheral" : word) + "-" + PacketText.tail(address))
      scenario.inhabitants.append(InhabitantEntry(name, .recordedPeripheral(plan)))
      result.notes.append((name, [PacketText.note(address, plan, name: called)]))
    }
    for loss in tape.packets.losses { lose(loss) }
  }

  /// When each is heard in the scenario. To the nanosecond, two that a file has at one instant come one after the other.
  private func heardAt(_ packets: [TapedPacket]) -> [Interval] {
    var last = Interval(nanoseconds: .min)
    return packets.map { taped in
      var time = at(taped.time)
      if grain == .nanoseconds, time <= last { time = last + .nanoseconds(1) }
      last = time
      return time
    }
  }
}

/// What a recorded peripheral is called, and what is worth saying about it.
private enum PacketText {
  static func name(_ plan: RecordedPeripheral.Plan) -> String? {
    for packet in plan.packets {
      let name = packet.pdu.withUnsafeBytes { bytes -> String? in
        guard let pdu = try? AdvertisingPDU(bytes) else { return nil }
        return AdvertisedFields(UnsafeRawBufferPointer(rebasing: bytes[pdu.data])).name
      }
      if let name, !name.isEmpty { return name }
    }
    return nil
  }

  /// The last two bytes of its address.
  static func tail(_ address: RadioAddress) -> String {
    String(address.description.prefix { $0 != "/" }.filter { $0 != ":" }.suffix(4))
  }

  /// `c0:ff:ee:00:00:01/random "Thermometer": ADV_IND 12, SCAN_RSP 3`
  static func note(_ address: RadioAddress, _ plan: RecordedPeripheral.Plan, name: String?) -> String {
    var counts: [(name: String, count: Int)] = []
    for packet in plan.packets {
      let kind = packet.pdu.withUnsafeBytes { (try? AdvertisingPDU($0))?.kind.name } ?? "packet"
      if let place = counts.firstIndex(where: { $0.name == kind }) {
        counts[place].count += packet.heard.count
      } else {
        counts.append((kind, packet.heard.count))
      }
    }
    return "\(address)" + (name.map { " \"\(PlainText.shown($0))\"" } ?? "") + ": "
      + counts.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
  }
}
