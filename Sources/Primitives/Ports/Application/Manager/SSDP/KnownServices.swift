extension ProviderID {
  /// Of services of which nothing else is said.
  public static var standard: ProviderID { .ssdp }
}

extension ServiceRegistration {
  /// The services of the Connect SDK that are found over SSDP.
  public static let standard: [ServiceRegistration] = [dial, dlna, webOS, netcast, roku]

  public static let dial = ServiceRegistration(
    "DIAL", filter: "urn:dial-multiscreen-org:service:dial:1",
    capabilities: CapabilityGroup.launcher.names("App App.Close App.Params AppState"))

  public static let dlna = ServiceRegistration(
    "DLNA", filter: "urn:schemas-upnp-org:device:MediaRenderer:1",
    requires: [
      "urn:schemas-upnp-org:service:AVTransport:1", "urn:schemas-upnp-org:service:RenderingControl:1",
    ],
    capabilities: all(
      CapabilityGroup.mediaPlayer.names(without: "Loop MetaData.Description MetaData.Thumbnail Subtitle.VTT"),
      CapabilityGroup.mediaControl.names(without: "FastForward Rewind"),
      CapabilityGroup.playlistControl.names(without: "SetPlayMode"),
      CapabilityGroup.volumeControl.names()))

  /// It plays and launches without an agreement of its user; the rest needs one. That it can pin web apps is of no use here.
  public static let webOS = ServiceRegistration(
    "webOS TV", filter: "urn:lge-com:service:webos-second-screen:1",
    capabilities: all(
      CapabilityGroup.launcher.names(without: webOSAgreed),
      CapabilityGroup.mediaPlayer.names(without: "Subtitle.SRT Subtitle.VTT"),
      CapabilityGroup.mediaControl.names(),
      CapabilityGroup.playlistControl.names(without: "SetPlayMode"),
      CapabilityGroup.volumeControl.names(),
      CapabilityGroup.webAppLauncher.names(without: "Pin")),
    pairing: .prompt,
    pairedCapabilities: all(
      CapabilityGroup.launcher.names(webOSAgreed),
      CapabilityGroup.externalInputControl.names(),
      CapabilityGroup.keyControl.names(),
      CapabilityGroup.mouseControl.names(),
      CapabilityGroup.powerControl.names("Off"),
      CapabilityGroup.textInputControl.names(),
      CapabilityGroup.toastControl.names(),
      CapabilityGroup.tvControl.names()))
  /// What it launches, and tells of apps, when its user has agreed.
  private static let webOSAgreed = "App.List Hulu.Params RunningApp RunningApp.Subscribe"

  /// Its renderer is the service `DLNA`, and plays without an agreement; this one does nothing without it.
  public static let netcast = ServiceRegistration(
    "Netcast TV", filter: "urn:schemas-upnp-org:device:MediaRenderer:1",
    requires: ["urn:schemas-upnp-org:service:netrcu:1"],
    pairing: .pin,
    pairedCapabilities: all(
      CapabilityGroup.launcher.names(
        "App App.Close App.List AppState AppStore Browser Hulu Netflix Netflix.Params YouTube YouTube.Params"),
      CapabilityGroup.mediaPlayer.names(without: "Loop Play.Playlist Subtitle.VTT"),
      CapabilityGroup.mediaControl.names(without: "MetaData MetaData.Subscribe PlayState.Subscribe"),
      CapabilityGroup.volumeControl.names("Get Mute.Get Mute.Set UpDown"),
      CapabilityGroup.externalInputControl.names("Picker.Close Picker.Launch"),
      CapabilityGroup.keyControl.names(),
      CapabilityGroup.mouseControl.names(),
      CapabilityGroup.powerControl.names("Off"),
      CapabilityGroup.textInputControl.names(),
      CapabilityGroup.tvControl.names(
        without: "Channel.Set Program.Get Program.List Program.List.Subscribe Program.Subscribe")))

  public static let roku = ServiceRegistration(
    "Roku", filter: "roku:ecp",
    capabilities: all(
      CapabilityGroup.launcher.names("App App.Close App.List App.Params AppStore AppStore.Params"),
      CapabilityGroup.mediaPlayer.names("Close Display.Image MetaData.Title Play.Audio Play.Video"),
      CapabilityGroup.mediaControl.names("FastForward Pause Play Rewind"),
      CapabilityGroup.keyControl.names(),
      CapabilityGroup.textInputControl.names(without: "Subscribe")))

  private static func all(_ names: [String]...) -> [String] { names.flatMap { $0 } }

  /// Two more that every home has: a server of media, and the gateway to the internet.
  public static let mediaServer = ServiceRegistration(
    "DLNA server", filter: "urn:schemas-upnp-org:device:MediaServer:1",
    requires: ["urn:schemas-upnp-org:service:ContentDirectory:1"],
    capabilities: ["ContentDirectory.Browse", "ContentDirectory.Search"])
  public static let gateway = ServiceRegistration(
    "Gateway", filter: "urn:schemas-upnp-org:device:InternetGatewayDevice:1",
    capabilities: ["Gateway.ExternalAddress", "Gateway.PortMapping"])
}
