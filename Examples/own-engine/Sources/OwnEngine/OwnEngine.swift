public import RollcallPrimitives

/// A small discovery engine: it listens to announcements, and forgets a device with its byebye or when its max-age is over.
///
/// It stands for the engine that you want to test. All that makes it one is `Machine`: it is given signals and time,
/// and says what it wants.
public struct OwnEngine: Machine {
  private struct Device {
    var name: String
    var end: Instant
  }
  /// In the order in which they were found.
  private var devices: [Device] = []
  /// Whether it understands byebye; without, a test has to fail.
  private let hearsByebye: Bool

  public init(hearsByebye: Bool = true) { self.hearsByebye = hearsByebye }

  public var deadline: Instant? { devices.map(\.end).min() }

  public mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram):
      let text = String(decoding: outbox.payloads.bytes(of: datagram.payload), as: UTF8.self)
      hear(text, from: datagram, at: now, &outbox)
    case .value(let id):
      // An interface came up: only who is in the group hears announcements.
      guard case .host(.interface(let change)) = outbox.values[id], change.isUp else { return }
      for address in change.addresses {
        let group: IPAddress = address.address.family == .v4 ? .ssdpGroup4 : .ssdpGroup6
        outbox.join(Endpoint(group, port: 1_900), on: change.interface)
      }
    }
  }

  public mutating func wake(at now: Instant, into outbox: inout Outbox) {
    for device in devices where device.end <= now { outbox.report(.lost(device: device.name, cause: .expired)) }
    devices.removeAll { $0.end <= now }
  }

  private mutating func hear(_ text: String, from datagram: Datagram, at now: Instant, _ outbox: inout Outbox) {
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
    guard lines.first == "NOTIFY * HTTP/1.1" else { return }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { break }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      fields[line[..<colon].lowercased()] = String(value)
    }
    // Of all the messages of a device, those of its root say that it is there.
    let suffix = "::upnp:rootdevice"
    guard let usn = fields["usn"], usn.hasSuffix(suffix) else { return }
    let name = String(usn.dropLast(suffix.count))
    let place = devices.firstIndex { $0.name == name }
    switch fields["nts"] {
    case "ssdp:alive":
      guard let lease = fields["cache-control"].flatMap(OwnEngine.leaseSeconds) else { return }
      let end = now + .seconds(lease)
      if let place {
        devices[place].end = end
      } else {
        devices.append(Device(name: name, end: end))
        outbox.report(
          .found(
            DeviceSighting(
              device: name, location: fields["location"], source: datagram.source.address,
              interface: datagram.interface, bootID: fields["bootid.upnp.org"].flatMap { UInt32($0) })))
      }
    case "ssdp:byebye":
      guard hearsByebye, let place else { return }
      devices.remove(at: place)
      outbox.report(.lost(device: name, cause: .byebye))
    default: break
    }
  }

  private static func leaseSeconds(_ text: String) -> Int64? {
    text.split(separator: "=").last.flatMap { Int64($0.drop { $0 == " " }) }
  }
}
