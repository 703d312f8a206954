package import RollcallPrimitives
import RollcallWire

// What a replay tells of packets of Bluetooth LE.
extension StoryTeller {
  /// The engine is about to be given this packet.
  package func hears(_ packet: RadioPDU, frame: Int, at now: Instant) {
    if frame == watchedFrame { watchedPackets.append((packet, now)) }
    packet.bytes.withUnsafeBytes { bytes in
      guard let pdu = try? AdvertisingPDU(bytes) else { return }
      guard let address = pdu.isAdvertisement ? pdu.sender : pdu.target else { return }
      guard let place = peripheral(address.deviceName, at: now) else { return }
      if !pdu.isAdvertisement {
        story.peripherals[place].requests += 1
        return
      }
      let faults = AdvertisedFields(UnsafeRawBufferPointer(rebasing: bytes[pdu.data])).faults
      story.peripherals[place].hear(pdu.kind, packet.strength, faults, frame: frame, at: now)
    }
  }

  /// The engine reported something of a peripheral.
  func peripheral(_ device: String, _ report: Report, at time: Instant, frame: Int?) {
    guard let place = peripheral(device, at: time) else { return }
    guard story.peripherals[place].events.count < bounds.eventsPerDevice else { return cut("events of peripherals") }
    story.peripherals[place].events.append(PeripheralStory.Event(time: time, frame: frame, report: report))
  }

  /// Its place among all; `nil`: there are too many.
  private func peripheral(_ device: String, at now: Instant) -> Int? {
    if let known = peripheralByName[device] { return known }
    guard story.peripherals.count < bounds.devices else {
      cut("peripherals")
      return nil
    }
    peripheralByName[device] = story.peripherals.count
    story.peripherals.append(PeripheralStory(device: device, first: now, last: now))
    return story.peripherals.count - 1
  }
}
