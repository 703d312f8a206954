import RollcallPrimitives
import RollcallWire

// What the device does on streams.

extension RootDevice {
  /// As the description has it; `nil`: one made of the UUID. Kept by a device that serves its description.
  package var friendlyName: String? {
    get { descriptionHosts.first?.friendlyName }
    set { if !descriptionHosts.isEmpty { descriptionHosts[0].friendlyName = newValue } }
  }

  mutating func take(_ signal: StreamSignal, at now: Instant, into outbox: inout Outbox) {
    guard let taken = descriptionHosts.popLast() else { return }
    var host = taken
    var device = self
    device.descriptionHosts = [taken]
    let habits = blueprint.descriptionHabits
    host.receive(signal, habits: habits, at: now, into: &outbox) { head, requests in
      habits.answer(
        to: head, path: device.blueprint.description.path, document: { device.document().bytes }, requests: requests,
        port: device.port)
    }
    descriptionHosts.append(host)
  }

  /// Begins and ends to listen as the device comes and goes, and sends what is due.
  mutating func serveDescriptions(at now: Instant, into outbox: inout Outbox) {
    var places: [DescriptionHost.Place] = []
    if phase != .off {
      for attachment in attachments where attachment.address(false) != nil || attachment.address(true) != nil {
        places.append(DescriptionHost.Place(interface: attachment.interface, port: port))
        if blueprint.descriptionHabits.hasSecondPort {
          places.append(DescriptionHost.Place(interface: attachment.interface, port: port &+ 1))
        }
      }
    }
    descriptionHosts[0].listen(at: places, into: &outbox)
    descriptionHosts[0].advance(to: now, into: &outbox)
  }
}
