/// Words of protocols, file formats and products, which name nobody: an anonymiser leaves them as they are.
enum PublicWords {
  /// Whether a run of letters and digits says nothing about anybody: a word of the list, words of it in camel case, or
  /// such with a short number behind them.
  static func contains(_ run: String) -> Bool {
    // What may be hexadecimal may be a number of somebody's.
    guard run.utf8.contains(where: { !isDigit($0) && !(97...102).contains($0 | 0x20) }) else { return false }
    let digits = run.utf8.reversed().prefix { isDigit($0) }.count
    if digits > 3 { return false }
    let stem = String(run.dropLast(digits))
    if list.contains(stem.lowercased()) { return true }
    let parts = camelParts(stem)
    return parts.count > 1 && parts.allSatisfy { list.contains($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  /// `rootDesc` is `root` and `desc`, `UPnPDevice` stays one word.
  private static func camelParts(_ text: String) -> [String] {
    var parts: [String] = []
    var wasSmall = false
    for character in text {
      if parts.isEmpty || character.isUppercase && wasSmall { parts.append("") }
      parts[parts.count - 1] += character.lowercased()
      wasSmall = character.isLowercase
    }
    return parts
  }

  /// Labels of host names that many have, where they do not stand first.
  static let domains: Set<String> = [
    "local", "localdomain", "lan", "home", "internal", "intranet", "arpa", "com", "org", "net", "edu", "io", "de", "uk",
    "fritz", "box", "speedport", "ip", "www", "schemas",
  ]

  private static let list = Set(words.split { $0 == " " || $0 == "\n" }.map(String.init))

  private static let words = """
    http https ftp xml html htm php cgi json dll asp aspx js txt png jpg ico uuid urn upnp ssdp dlna dial soap scpd
    utf charset text application www org com net edu schemas opt ns ext man mx host location server user agent
    all alive byebye update discover rootdevice propchange notify search msearch m ok max age no cache control store
    private public must revalidate proxy identity close keep connection length type date gmt mon tue wed thu fri sat sun
    jan mar apr may jun jul aug sep oct nov
    root rootdesc device devices devicedesc devicedescription dev service services description desc descr descriptor
    gatedesc igd igddevicedesc wfadevice wfawlanconfig wps simpleconfig ipcamdesc udhisapi upnphost content setup index
    main default info status api rest v id uid name udn url urlbase path port mac key value get set
    media mediaserver mediarenderer renderer player rendering transport avtransport connectionmanager contentdirectory
    renderingcontrol basic basicdevice light lighting binary binarylight dimmable dimmablelight switch switchpower dimming
    layer forwarding layer3forwarding wan lan gateway internetgatewaydevice internetgateway internet router wandevice
    wanconnectiondevice wanipconnection wanpppconnection wancommoninterfaceconfig wanipv6firewallcontrol deviceprotection
    ip ipv ppp common interface config printer print scanner scan camera tv television dmr dms dmc dmp tuner bridge hue
    socket sensor zone zoneplayer rincon roku ecp directv pc rid smp dmrdesc mediarendererdesc upnpdevicedesc
    linux windows microsoft android debian ubuntu raspbian fedora posix unix bsd freebsd openbsd netbsd darwin macos ios
    nt portable sdk for samsung sony philips lg panasonic belkin sonos embedded unspecified unknown stack os router
    gupnp gssdp miniupnpd miniupnpc minidlna minissdpd minidlnad twonky cyberlink cyberlinkjava cyberlinkc java intel ms
    dlnadoc cling platinum jupnp jhupnp ipbridge igrs rygel kodi vlc plex emby jellyfin python perl go rust swift node
    eth wlan enp wlp br lo
    test example
    """
}
