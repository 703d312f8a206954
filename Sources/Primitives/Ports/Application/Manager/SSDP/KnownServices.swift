extension ProviderID {
  /// Of services of which nothing else is said.
  public static var standard: ProviderID { .ssdp }
}

extension ServiceRegistration {
  /// The services of the Connect SDK that are found over SSDP.
  public static let standard: [ServiceRegistration] = [dial, dlna, webOS, netcast, roku]

  public static let dial = ServiceRegistration(
    "DIAL", filter: "urn:dial-multiscreen-org:service:dial:1",
    capabilities: ["Launcher.App", "Launcher.App.Close", "Launcher.App.Params", "Launcher.AppState"])

  public static let dlna = ServiceRegistration(
    "DLNA", filter: "urn:schemas-upnp-org:device:MediaRenderer:1",
    requires: [
      "urn:schemas-upnp-org:service:AVTransport:1", "urn:schemas-upnp-org:service:RenderingControl:1",
    ],
    capabilities: mediaPlayer + mediaControl + volumeControl)

  public static let webOS = ServiceRegistration(
    "webOS TV", filter: "urn:lge-com:service:webos-second-screen:1",
    capabilities: ["Launcher.App", "Launcher.App.Close", "Launcher.App.List", "Launcher.AppState"] + mediaControl
      + volumeControl + webAppLauncher,
    pairing: .prompt,
    pairedCapabilities: keyControl + [
      "MouseControl.Click", "MouseControl.Connect", "MouseControl.Move", "PowerControl.Off",
      "TVControl.Channel.Down", "TVControl.Channel.Get", "TVControl.Channel.Up", "TextInputControl.Send.Text",
    ])

  public static let netcast = ServiceRegistration(
    "Netcast TV", filter: "urn:schemas-upnp-org:device:MediaRenderer:1",
    requires: ["urn:schemas-upnp-org:service:netrcu:1"],
    pairing: .pin,
    pairedCapabilities: keyControl + [
      "Launcher.App", "Launcher.App.Close", "Launcher.App.List", "PowerControl.Off",
      "TVControl.Channel.Down", "TVControl.Channel.Up", "VolumeControl.Get", "VolumeControl.Mute.Set",
      "VolumeControl.Set", "VolumeControl.UpDown",
    ])

  public static let roku = ServiceRegistration(
    "Roku", filter: "roku:ecp",
    capabilities: keyControl + [
      "Launcher.App", "Launcher.App.List", "Launcher.App.Params", "MediaControl.FastForward",
      "MediaControl.Pause", "MediaControl.Play", "MediaControl.Rewind", "MediaPlayer.Play.Audio",
      "MediaPlayer.Play.Video", "TextInputControl.Send.Text",
    ])

  /// Two more that every home has: a server of media, and the gateway to the internet.
  public static let mediaServer = ServiceRegistration(
    "DLNA server", filter: "urn:schemas-upnp-org:device:MediaServer:1",
    requires: ["urn:schemas-upnp-org:service:ContentDirectory:1"],
    capabilities: ["ContentDirectory.Browse", "ContentDirectory.Search"])
  public static let gateway = ServiceRegistration(
    "Gateway", filter: "urn:schemas-upnp-org:device:InternetGatewayDevice:1",
    capabilities: ["Gateway.ExternalAddress", "Gateway.PortMapping"])

  private static let keyControl = ["Back", "Down", "Home", "Left", "OK", "Right", "Up"].map { "KeyControl.\($0)" }
  private static let mediaPlayer = [
    "MediaPlayer.Close", "MediaPlayer.Display.Image", "MediaPlayer.MetaData.Title", "MediaPlayer.Play.Audio",
    "MediaPlayer.Play.Video",
  ]
  private static let mediaControl = [
    "MediaControl.Duration", "MediaControl.FastForward", "MediaControl.Pause", "MediaControl.Play",
    "MediaControl.PlayState", "MediaControl.Position", "MediaControl.Rewind", "MediaControl.Seek",
    "MediaControl.Stop",
  ]
  private static let volumeControl = [
    "VolumeControl.Get", "VolumeControl.Mute.Get", "VolumeControl.Mute.Set", "VolumeControl.Set",
    "VolumeControl.UpDown",
  ]
  private static let webAppLauncher = [
    "WebAppLauncher.Close", "WebAppLauncher.Join", "WebAppLauncher.Launch", "WebAppLauncher.Message.Receive",
    "WebAppLauncher.Message.Send",
  ]
}
