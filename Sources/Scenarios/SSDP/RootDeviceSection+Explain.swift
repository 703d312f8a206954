import RollcallDevices
import RollcallPrimitives

extension RootDeviceSection {
  /// Every term of a description.
  init(_ kind: DeviceKind) {
    // Quirks alter the description and the timing: what is shown is what goes on the wire.
    let blueprint = DeviceBlueprint(kind.description, quirks: kind.quirks)
    let (device, timing) = (blueprint.description, blueprint.timing)
    self.init(quirks: kind.quirks)
    deviceType = device.root.type
    services = device.root.services
    embedded = device.embedded.map { EmbeddedSection(type: $0.type, services: $0.services, uuid: $0.uuid) }
    uda = device.uda
    server = device.serverText
    uuidStyle = device.uuidStyle
    maxAge = Int(device.maxAgeSeconds)
    bootID = device.initialBootID
    configID = device.configID
    port = device.port
    path = device.path
    securePort = device.securePort
    searchPort = device.searchPort
    notifyPort = device.notifySourcePort
    ttl = Int(device.multicastHopLimit)
    repeats = timing.repeats
    renewalRepeats = timing.renewalRepeats
    byebyeRepeats = timing.byebyeRepeats
    startJitter = timing.startJitter
    setGap = timing.setGap
    messageSpacing = timing.messageSpacing
    renewal =
      timing.renewalInterval
      ?? timing.renewalPermille.map { permille in
        let lease = Interval.seconds(device.maxAgeSeconds)
        return lease * permille.lowerBound / 1_000...lease * permille.upperBound / 1_000
      }
  }
}

extension InhabitantKind {
  /// A root device with every term of its description.
  init(explaining kind: DeviceKind) { self = .rootDevice(RootDeviceSection(kind)) }
}
