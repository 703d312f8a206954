package import RollcallPrimitives

/// The services of a peripheral as somebody planned them; Generic Access and Generic Attribute stand before them.
package struct GATTPlan: Hashable, Sendable {
  package struct Service: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var isPrimary: Bool
    /// Services that it includes, each the first of its UUID.
    package var includes: [BluetoothUUID]
    package var characteristics: [Characteristic]

    package init(
      _ uuid: BluetoothUUID, isPrimary: Bool = true, includes: [BluetoothUUID] = [], _ characteristics: [Characteristic]
    ) {
      (self.uuid, self.isPrimary, self.includes, self.characteristics) = (uuid, isPrimary, includes, characteristics)
    }
  }

  package struct Characteristic: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var properties: GATTCharacteristic.Properties
    package var value: [UInt8]
    /// For people (Characteristic User Description); `nil`: none.
    package var text: String?
    /// While somebody subscribes: its value is sent so often, with the number of the notification added to its first
    /// bytes; `nil`: when it is written.
    package var sendsEvery: Interval?
    /// The error with which it answers who reads or writes it; `nil`: none.
    package var error: UInt8?
    /// Behind those that stand there by themselves.
    package var descriptors: [Descriptor] = []
    /// Who decides of reads and writes of its value; `nil`: the server, as the properties have it.
    package var access: Access?

    package init(
      _ uuid: BluetoothUUID, _ properties: GATTCharacteristic.Properties, value: [UInt8] = [], text: String? = nil,
      sendsEvery: Interval? = nil, error: UInt8? = nil
    ) {
      (self.uuid, self.properties, self.value, self.text) = (uuid, properties, value, text)
      (self.sendsEvery, self.error) = (sendsEvery, error)
    }
  }

  package struct Descriptor: Hashable, Sendable {
    package var uuid: BluetoothUUID
    package var value: [UInt8]
    package init(_ uuid: BluetoothUUID, _ value: [UInt8]) { (self.uuid, self.value) = (uuid, value) }
  }

  /// What the server does by itself, and what it asks an application.
  package struct Access: Hashable, Sendable {
    package enum Way: Hashable, Sendable {
      case served
      case asked
      /// With this error.
      case refused(UInt8)
    }
    package var read: Way
    package var write: Way
    /// The error with which it answers who subscribes; `nil`: none.
    package var subscription: UInt8?

    package init(read: Way, write: Way, subscription: UInt8? = nil) {
      (self.read, self.write, self.subscription) = (read, write, subscription)
    }
  }

  package var services: [Service]
  /// The largest ATT_MTU that it takes.
  package var mtu: UInt16

  package init(_ services: [Service] = [], mtu: UInt16 = 247) { (self.services, self.mtu) = (services, mtu) }

  package static let servicesMaximum = 32
  package static let characteristicsMaximum = 64
}
