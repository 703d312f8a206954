package import RollcallPrimitives
package import RollcallWire

/// What a capture shows of one Bluetooth LE peripheral.
package struct PeripheralStory: Hashable, Sendable {
  /// Something that the engine reported of it.
  package struct Event: Hashable, Sendable {
    package var time: Instant
    /// `nil`: time caused it.
    package var frame: Int?
    package var report: Report
  }
  /// Structures of its advertising data that cannot be used as they are, of one kind.
  package struct Fault: Hashable, Sendable {
    package var reason: AdvertisedFields.Fault.Reason
    package var frames: FrameRanges
  }

  /// `ble:` and its address.
  package var device: String
  /// Its packets.
  package var frames = FrameRanges()
  package var first: Instant
  package var last: Instant
  /// How many packets of each kind, by the number of the kind.
  package var kinds = [Int](repeating: 0, count: AdvertisingPDU.Kind.allCases.count)
  /// In dBm; `nil`: no receiver said.
  package var strengths: ClosedRange<Int8>?
  package var events: [Event] = []
  package var faults: [Fault] = []
  /// Packets that asked it for more, or to connect.
  package var requests = 0

  /// Each kind that occurred, as the standard spells it.
  package var packets: [(name: String, count: Int)] {
    zip(AdvertisingPDU.Kind.allCases, kinds).filter { $0.1 > 0 }.map { ($0.0.name, $0.1) }
  }
}

extension PeripheralStory {
  /// A packet of it was heard.
  mutating func hear(
    _ kind: AdvertisingPDU.Kind, _ strength: Int8?, _ faults: [AdvertisedFields.Fault], frame: Int, at now: Instant
  ) {
    if frames.count == 0 { first = now }
    frames.add(frame)
    last = max(last, now)
    kinds[Int(kind.rawValue)] += 1
    if let strength {
      strengths = min(strengths?.lowerBound ?? strength, strength)...max(strengths?.upperBound ?? strength, strength)
    }
    for fault in faults {
      if let place = self.faults.firstIndex(where: { $0.reason == fault.reason }) {
        self.faults[place].frames.add(frame)
      } else {
        self.faults.append(Fault(reason: fault.reason, frames: FrameRanges(frame)))
      }
    }
  }

  /// `-50 dBm`, `-61 to -50 dBm`.
  package var strengthText: String? {
    strengths.map { range in
      range.count == 1 ? "\(range.lowerBound) dBm" : "\(range.lowerBound) to \(range.upperBound) dBm"
    }
  }

  /// What a fault means.
  package static func words(_ reason: AdvertisedFields.Fault.Reason) -> String {
    switch reason {
    case .overrun: "a field says that it is longer than what is left, and is dropped"
    case .partOfUUID: "bytes stand behind the last whole UUID of a list"
    case .serviceDataTooShort: "service data is shorter than its UUID, and is dropped"
    case .manufacturerDataTooShort: "manufacturer data has no whole company identifier, and is dropped"
    case .numberSize: "a number has another size than it ought to have, and is dropped"
    case .noFlags: "flags have no byte"
    case .nameNotUTF8: "its name is not UTF-8"
    }
  }
}
