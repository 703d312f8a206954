/// What devices can do in one field, under the names that the Connect SDK has for it.
///
/// An application may have names of its own beside these, for services of its own.
public struct CapabilityGroup: Hashable, Sendable {
  /// `MediaControl`: the first word of each of its names.
  public let name: String
  /// Ordered by name, without the `Any` form.
  public let capabilities: [Capability]

  /// What any capability of the group meets: `MediaControl.Any`.
  public var any: Capability { .any(name) }

  /// - Parameter endings: what stands behind the first word, with blanks between them.
  private init(_ name: String, _ endings: String) {
    self.name = name
    capabilities = endings.split(separator: " ").map { Capability("\(name).\($0)") }.sorted()
  }

  /// All groups, ordered by name.
  public static let all: [CapabilityGroup] = [
    externalInputControl, keyControl, launcher, mediaControl, mediaPlayer, mouseControl, playlistControl, powerControl,
    tvControl, textInputControl, toastControl, volumeControl, webAppLauncher,
  ]

  public static let externalInputControl = CapabilityGroup(
    "ExternalInputControl", "List Picker.Close Picker.Launch Set")
  public static let keyControl = CapabilityGroup("KeyControl", "Back Down Home Left OK Right Send.KeyCode Up")
  public static let launcher = CapabilityGroup(
    "Launcher",
    "App App.Close App.List App.Params AppState AppState.Subscribe AppStore AppStore.Params Browser Browser.Params Hulu "
      + "Hulu.Params Netflix Netflix.Params RunningApp RunningApp.Subscribe YouTube YouTube.Params")
  public static let mediaControl = CapabilityGroup(
    "MediaControl",
    "Duration FastForward MetaData MetaData.Subscribe Pause Play PlayState PlayState.Subscribe Position Rewind Seek "
      + "Stop")
  public static let mediaPlayer = CapabilityGroup(
    "MediaPlayer",
    "Close Display.Image Loop MetaData.Description MetaData.MimeType MetaData.Thumbnail MetaData.Title Play.Audio "
      + "Play.Playlist Play.Video Subtitle.SRT Subtitle.VTT")
  public static let mouseControl = CapabilityGroup("MouseControl", "Click Connect Disconnect Move Scroll")
  public static let playlistControl = CapabilityGroup("PlaylistControl", "JumpToTrack Next Previous SetPlayMode")
  public static let powerControl = CapabilityGroup("PowerControl", "Off On")
  public static let textInputControl = CapabilityGroup(
    "TextInputControl", "Send.Delete Send.Enter Send.Text Subscribe")
  public static let toastControl = CapabilityGroup(
    "ToastControl", "Show Show.Clickable.App Show.Clickable.App.Params Show.Clickable.URL")
  public static let tvControl = CapabilityGroup(
    "TVControl",
    "3D.Get 3D.Set 3D.Subscribe Channel.Down Channel.Get Channel.List Channel.Set Channel.Subscribe Channel.Up "
      + "Program.Get Program.List Program.List.Subscribe Program.Subscribe")
  public static let volumeControl = CapabilityGroup(
    "VolumeControl", "Get Mute.Get Mute.Set Mute.Subscribe Set Subscribe UpDown")
  public static let webAppLauncher = CapabilityGroup(
    "WebAppLauncher",
    "Close Connect Disconnect Join Launch Launch.Params Message.Receive Message.Receive.JSON Message.Send "
      + "Message.Send.JSON Pin")

  /// Those of its capabilities that are not left out.
  /// - Parameter endings: with blanks between them.
  func names(without endings: String = "") -> [String] {
    let left = endings.split(separator: " ").map { "\(name).\($0)" }
    return capabilities.map(\.name).filter { !left.contains($0) }
  }

  /// These of its capabilities.
  func names(_ endings: String) -> [String] { endings.split(separator: " ").map { "\(name).\($0)" } }
}
