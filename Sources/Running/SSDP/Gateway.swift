package import RollcallPrimitives
import RollcallWire

/// A host that joins the groups of SSDP, and those of multicast DNS where it is told to, and hands everything on that it hears.
package struct Gateway: Machine {
  /// Where it hands it on to.
  package final class Uplink {
    /// A datagram, and its bytes until the call returns.
    package var send: (Datagram, UnsafeRawBufferPointer) -> Void = { _, _ in }
    /// What became of a stream of the gateway.
    package var streamed: (StreamSignal) -> Void = { _ in }
    package init() {}
  }

  let uplink: Uplink
  let hearsMDNS: Bool

  package init(_ uplink: Uplink, hearsMDNS: Bool = false) { (self.uplink, self.hearsMDNS) = (uplink, hearsMDNS) }

  package var deadline: Instant? { nil }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram): uplink.send(datagram, outbox.payloads.bytes(of: datagram.payload))
    case .value(let id):
      switch outbox.values[id] {
      case .streams(let signal): uplink.streamed(signal)
      case .host(.interface(let change)) where change.isUp:
        for address in change.addresses {
          outbox.join(.ssdp(address.address.family), on: change.interface)
          if hearsMDNS { outbox.join(.mdns(address.address.family), on: change.interface) }
        }
      default: break
      }
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {}
}
