import RollcallPrimitives

/// Kinds of devices as living rooms have them: intervals, sets, field order and SERVER forms follow public captures,
/// identities are invented.
package enum Profile: String, Hashable, Sendable, CaseIterable {
  /// A correct device of UDA 2.0 with one service.
  case basic
  /// A television: a renderer whose sets come twice, ten seconds apart, at TTL 1.
  case tv
  /// A loudspeaker with a serial number for a UUID and two embedded devices.
  case speaker
  /// A bridge for lamps: max-age 100, renewed after 51 to 54 s in bursts of doubled messages (D23, A15).
  case lightBridge
  /// A home router: an InternetGatewayDevice with two embedded devices, max-age 60, each set once.
  case router
  /// A streaming stick: DIAL, and a target that is no type (D34).
  case dialStick
  /// A media server with the two services that every one has, under UDA 1.0.
  case mediaServer
  /// A desktop computer that serves media over IPv4 and IPv6, each set three times.
  case windowsHost
  /// A plug socket with six services and a serial number for a UUID.
  case smartPlug
  /// A network camera whose sets lack the bare UUID (D40).
  case camera

  package var explanation: String {
    switch self {
    case .basic: "a correct UDA 2.0 device with one service"
    case .tv: "a television: a UDA 1.0 renderer, sets ten seconds apart, TTL 1"
    case .speaker: "a loudspeaker: UDA 1.1, serial number for a UUID, two embedded devices"
    case .lightBridge: "a lamp bridge: max-age 100, renewals after 51 to 54 s, bare UUID as USN"
    case .router: "a home router: InternetGatewayDevice, two embedded devices, max-age 60"
    case .dialStick: "a streaming stick: DIAL service and roku:ecp"
    case .mediaServer: "a media server: UDA 1.0, two services"
    case .windowsHost: "a desktop computer: media server over IPv4 and IPv6, three sets"
    case .smartPlug: "a plug socket: six vendor services, max-age 86400"
    case .camera: "a network camera: set without the bare UUID, three sets"
    }
  }

  /// The habits that make it what it is; more can be added behind them.
  package var quirks: [Quirk] {
    switch self {
    case .basic, .mediaServer, .tv: []
    case .speaker: [.nonHexUUID]
    case .lightBridge: [.bareUUIDAsUSN, .doubledMessages, .renewsLate, .typeLetterCase, .noDate, .hostInResponse]
    case .router: [.doubledUUIDMessage, .renewsLate]
    case .dialStick: [.opaqueTarget("roku:ecp")]
    case .windowsHost: [.titleCaseNames, .noSpaceAfterColon]
    case .smartPlug: [.nonHexUUID, .vendorFields]
    case .camera: [.incompleteSet, .byebyeBeforeFirstAlive]
    }
  }

  package var description: DeviceDescription {
    switch self {
    case .basic: Profile.basicDescription
    case .tv: Profile.tvDescription
    case .speaker: Profile.speakerDescription
    case .lightBridge: Profile.lightBridgeDescription
    case .router: Profile.routerDescription
    case .dialStick: Profile.dialStickDescription
    case .mediaServer: Profile.mediaServerDescription
    case .windowsHost: Profile.windowsHostDescription
    case .smartPlug: Profile.smartPlugDescription
    case .camera: Profile.cameraDescription
    }
  }

  package func blueprint(adding quirks: [Quirk] = []) -> DeviceBlueprint {
    DeviceBlueprint(description, quirks: self.quirks + quirks)
  }
}

extension Profile {
  private static func device(_ name: String) -> String { "urn:schemas-upnp-org:device:\(name)" }
  private static func services(_ names: String...) -> [String] { names.map { "urn:schemas-upnp-org:service:\($0)" } }
  private static let renderer = services("RenderingControl:1", "ConnectionManager:1", "AVTransport:1")
  private static let server = services("ContentDirectory:1", "ConnectionManager:1")

  private static let basicDescription = DeviceDescription(
    root: DevicePart(type: device("Basic:1"), services: ["urn:rollcall-example:service:Presence:1"]))

  private static let tvDescription: DeviceDescription = {
    var tv = DeviceDescription(uda: .uda10, root: DevicePart(type: device("MediaRenderer:1"), services: renderer))
    tv.server = "Vendor UPnP/1.0 Vendor-TV-SDK/1.0"
    (tv.port, tv.path, tv.hopLimit, tv.notifySourcePort) = (7_676, "/smp_18_", 1, 24_234)
    tv.timing.messageSpacing = .milliseconds(20) ... .milliseconds(21)
    tv.timing.setGap = .milliseconds(10_000) ... .milliseconds(10_050)
    tv.timing.renewalPermille = 430...440
    tv.style.order = ["HOST", "CACHE-CONTROL", "LOCATION", "NT", "NTS", "SERVER", "USN"]
    return tv
  }()

  private static let speakerDescription: DeviceDescription = {
    var speaker = DeviceDescription(
      uda: .uda11,
      root: DevicePart(
        type: device("ZonePlayer:1"),
        services: services("AlarmClock:1", "DeviceProperties:1", "SystemProperties:1", "ZoneGroupTopology:1")),
      embedded: [
        DevicePart(type: device("MediaServer:1"), services: server),
        DevicePart(type: device("MediaRenderer:1"), services: renderer),
      ])
    (speaker.operatingSystem, speaker.product) = ("Linux", "Vendor/70.3 (ZP120)")
    speaker.server = "Linux/4.4 UPnP/1.1 Vendor-Speaker/70.3"
    (speaker.port, speaker.path) = (1_400, "/xml/device_description.xml")
    speaker.style.extraFields = [.init(name: "HOUSEHOLD.ROLLCALL.EXAMPLE", value: "HHID_0f3a")]
    return speaker
  }()

  private static let lightBridgeDescription: DeviceDescription = {
    var bridge = DeviceDescription(uda: .uda10, root: DevicePart(type: device("Basic:1")))
    bridge.server = "Linux/3.14.0 UPnP/1.0 LampBridge/1.9.0"
    (bridge.port, bridge.path, bridge.maxAgeSeconds, bridge.hopLimit) = (80, "/description.xml", 100, 1)
    bridge.timing.messageSpacing = .milliseconds(51) ... .milliseconds(52)
    (bridge.timing.repeats, bridge.timing.renewalRepeats) = (1, 1)
    bridge.style.order = ["HOST", "EXT", "CACHE-CONTROL", "LOCATION", "SERVER", "NTS", "bridgeid", "NT", "ST", "USN"]
    bridge.style.extraFields = [.init(name: "bridgeid", value: "0012FFFE345678")]
    return bridge
  }()

  private static let routerDescription: DeviceDescription = {
    var router = DeviceDescription(
      uda: .uda10,
      root: DevicePart(type: device("InternetGatewayDevice:1"), services: services("Layer3Forwarding:1")),
      embedded: [
        DevicePart(type: device("WANDevice:1"), services: services("WANCommonInterfaceConfig:1")),
        DevicePart(
          type: device("WANConnectionDevice:1"), services: services("WANIPConnection:1", "WANPPPConnection:1")),
      ])
    router.server = "RouterOS/7.1 UPnP/1.0 MiniGateway/1.6"
    (router.port, router.path, router.maxAgeSeconds, router.hopLimit) = (57_052, "/rootDesc0.xml", 60, 1)
    router.timing.messageSpacing = .microseconds(200) ... .microseconds(300)
    (router.timing.repeats, router.timing.renewalRepeats) = (1, 1)
    return router
  }()

  private static let dialStickDescription: DeviceDescription = {
    var stick = DeviceDescription(
      uda: .uda10,
      root: DevicePart(
        type: "urn:dial-multiscreen-org:device:dialreceiver:1",
        services: ["urn:dial-multiscreen-org:service:dial:1"]))
    stick.server = "Stick/9.4 UPnP/1.0 Stick/9.4"
    (stick.port, stick.path, stick.maxAgeSeconds) = (8_060, "/dial/dd.xml", 3_600)
    stick.style.sendsDate = false
    return stick
  }()

  private static let mediaServerDescription: DeviceDescription = {
    var media = DeviceDescription(uda: .uda10, root: DevicePart(type: device("MediaServer:1"), services: server))
    (media.operatingSystem, media.product) = ("Linux/5.10", "MiniMedia/1.3")
    (media.port, media.path) = (8_200, "/rootDesc.xml")
    return media
  }()

  private static let windowsHostDescription: DeviceDescription = {
    var host = DeviceDescription(
      uda: .uda10,
      root: DevicePart(
        type: device("MediaServer:1"),
        services: server + ["urn:rollcall-example:service:X_MediaReceiverRegistrar:1"]))
    host.server = "Desktop-OS/10.0 UPnP/1.0 UPnP-Device-Host/1.0"
    (host.port, host.path) = (2_869, "/upnphost/description.xml")
    host.timing.messageSpacing = .milliseconds(65) ... .milliseconds(85)
    (host.timing.repeats, host.timing.renewalRepeats) = (3, 3)
    host.timing.setGap = .milliseconds(2_550) ... .milliseconds(2_650)
    host.timing.renewalPermille = 490...500
    host.style.order = ["HOST", "NT", "NTS", "LOCATION", "USN", "CACHE-CONTROL", "SERVER"]
    host.style.extraFields = [
      .init(name: "OPT", value: "\"http://schemas.upnp.org/upnp/1/0/\"; ns=01"),
      .init(name: "01-NLS", value: "620ba85929f089233ffc22b9e5c5759d"),
    ]
    return host
  }()

  private static let smartPlugDescription: DeviceDescription = {
    func vendor(_ name: String) -> String { "urn:Plug:service:\(name):1" }
    var plug = DeviceDescription(
      uda: .uda10,
      root: DevicePart(
        type: "urn:Plug:device:controllee:1",
        services: ["WiFiSetup", "timesync", "basicevent", "firmwareupdate", "rules", "metainfo"].map(vendor)))
    plug.server = "Linux/2.6.21, UPnP/1.0, Portable SDK for UPnP devices/1.6.18"
    (plug.port, plug.path, plug.maxAgeSeconds, plug.notifySourcePort) = (49_153, "/setup.xml", 86_400, 3_082)
    plug.timing.messageSpacing = .milliseconds(4) ... .milliseconds(6)
    return plug
  }()

  private static let cameraDescription: DeviceDescription = {
    var camera = DeviceDescription(uda: .uda10, root: DevicePart(type: device("Basic:1")))
    camera.server = "Embedded UPnP/1.0"
    (camera.port, camera.path, camera.maxAgeSeconds, camera.hopLimit) = (80, "/CameraDesc.xml", 300, 1)
    camera.timing.setGap = .milliseconds(1_000) ... .milliseconds(1_010)
    (camera.timing.repeats, camera.timing.renewalRepeats) = (3, 3)
    return camera
  }()
}
