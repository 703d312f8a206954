package import RollcallPrimitives

/// How the engine listens for Bluetooth peripherals while the radio is on.
package struct ScanPolicy: Hashable, Sendable {
  package enum Mode: String, Hashable, Sendable, CaseIterable {
    /// It sends nothing.
    case passive
    /// It asks scannable peripherals for their scan response.
    case active
  }
  package var mode: Mode
  /// It listens so long on one channel; equal to the interval: always.
  package var window: Interval
  /// From the beginning of one window to that of the next, on the next channel.
  package var interval: Interval

  package init(_ mode: Mode = .active, window: Interval = .milliseconds(30), interval: Interval = .milliseconds(30)) {
    (self.mode, self.window, self.interval) = (mode, window, interval)
  }
}

/// Faults that can be planted into the finding of peripherals: what the switches of the engine turn on there.
package struct BluetoothFaults: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let neverLost = BluetoothFaults(rawValue: 1)
  package static let silenceFromFirstPacket = BluetoothFaults(rawValue: 2)
  package static let foundWithEachPacket = BluetoothFaults(rawValue: 4)
  package static let responsesIgnored = BluetoothFaults(rawValue: 8)
  package static let changesIgnored = BluetoothFaults(rawValue: 16)
  package static let beaconsIgnored = BluetoothFaults(rawValue: 32)
  package static let faultyDataRefused = BluetoothFaults(rawValue: 64)
  package static let addressKindIgnored = BluetoothFaults(rawValue: 128)
  package static let radioOffIgnored = BluetoothFaults(rawValue: 256)
  package static let unsoughtFound = BluetoothFaults(rawValue: 512)
  package static let failureSilent = BluetoothFaults(rawValue: 1_024)
}
