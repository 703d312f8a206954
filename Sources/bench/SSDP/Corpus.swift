import RollcallPrimitives

/// Varied valid messages as fifteen kinds of device stacks write them: order, case and spacing of fields differ.
///
/// Made from a seed: the same in every process. Identities are invented.
struct Corpus {
  /// All messages in a row, with `PayloadStore.paddingBytes` zero bytes behind the last one.
  private(set) var bytes: [UInt8] = []
  private(set) var ranges: [Range<Int>] = []
  /// The device that sends each message; LOCATION names its address.
  private(set) var senders: [IPAddress] = []

  var count: Int { ranges.count }
  var byteCount: Int { ranges.last?.upperBound ?? 0 }
  func message(_ index: Int) -> [UInt8] { Array(bytes[ranges[index]]) }

  init(messageCount: Int, deviceCount: Int, seed: UInt64) {
    var maker = MessageMaker(seed: Seed(seed), deviceCount: deviceCount)
    while ranges.count < messageCount {
      let (sender, text) = maker.next()
      let message = Array(text.utf8)
      guard (90...512).contains(message.count) else { continue }
      senders.append(sender)
      ranges.append(bytes.count..<(bytes.count + message.count))
      bytes += message
    }
    bytes += [UInt8](repeating: 0, count: PayloadStore.paddingBytes)
  }
}

/// How a stack writes its messages.
private struct Stack {
  enum Letters { case capitals, title, small }
  var server: String
  var letters: Letters
  var hasBlank: Bool
  var extras: [String]
}

private struct CorpusDevice {
  var stack: Int
  var uuid: String
  var host: IPAddress
  var port: Int
  var path: String
  var cacheControl: String
  /// Empty under UDA 1.0.
  var boot: [(String, String)]
  var bootID: UInt64
}

private struct MessageMaker {
  private var dice: RandomStream
  private var devices: [CorpusDevice] = []
  /// In which order each stack sends its fields: a rank for each place.
  private var ranks: [[UInt64]]

  init(seed: Seed, deviceCount: Int) {
    dice = seed.stream("corpus")
    ranks = Self.stacks.indices.map { stack in
      var stream = seed.stream("corpus/order/\(stack)")
      return (0..<16).map { _ in stream.next() }
    }
    for _ in 0..<deviceCount { devices.append(makeDevice()) }
  }

  private mutating func roll(_ bound: Int) -> Int { Int(dice.below(UInt64(bound))) }
  private mutating func pick<T>(_ choices: [T]) -> T { choices[roll(choices.count)] }
  private mutating func hex(_ count: Int) -> String {
    var text = ""
    for _ in 0..<count { text += String(roll(16), radix: 16) }
    return text
  }

  private mutating func makeDevice() -> CorpusDevice {
    var uuid = [hex(8), hex(4), hex(4), hex(4), hex(12)].joined(separator: "-")
    if roll(10) == 0 { uuid = uuid.uppercased() }
    let maxAge = pick([60, 100, 120, 900, 1_800, 1_800, 1_800, 3_600, 86_400])
    let forms = ["max-age=\(maxAge)", "max-age = \(maxAge)", "no-cache, max-age=\(maxAge)"]
    let bootID = roll(2) == 0 ? dice.below(1 << 31) : dice.below(400)
    let hasBoot = roll(100) < 45
    return CorpusDevice(
      stack: roll(Self.stacks.count), uuid: uuid, host: IPAddress(192, 168, UInt8(roll(3)), UInt8(2 + roll(252))),
      port: pick([80, 1_400, 2_869, 5_000, 8_008, 8_060, 8_200, 49_152, 49_153, 60_000]), path: pick(Self.paths),
      cacheControl: roll(5) == 0 ? pick(forms) : forms[0],
      boot: hasBoot ? [("BOOTID.UPNP.ORG", "\(bootID)"), ("CONFIGID.UPNP.ORG", "\(1 + roll(1 << 24))")] : [],
      bootID: bootID)
  }

  /// One message; some are too short or too long for the corpus.
  mutating func next() -> (sender: IPAddress, text: String) {
    let device = devices[roll(devices.count)]
    return (device.host, message(device))
  }

  private mutating func message(_ device: CorpusDevice) -> String {
    let stack = Self.stacks[device.stack]
    let target = pick(Self.targets)
    let nt = target.isEmpty ? "uuid:" + device.uuid : target
    let usn = "uuid:" + device.uuid + (target.isEmpty ? "" : "::" + target)
    let location = "http://\(device.host):\(device.port)\(device.path)"
    let group = ("HOST", "239.255.255.250:1900")
    let lease = [("CACHE-CONTROL", device.cacheControl), ("LOCATION", location), ("SERVER", stack.server)]
    let kind = roll(100)
    if kind < 20 {
      var fields = [group, ("MAN", "\"ssdp:discover\""), ("MX", "\(1 + roll(5))")]
      fields.append(("ST", pick(["ssdp:all", "upnp:rootdevice", nt])))
      if roll(2) == 0 { fields.append(("USER-AGENT", pick(Self.userAgents))) }
      if roll(7) == 0 { fields += [("CPFN.UPNP.ORG", "Living room tablet"), ("CPUUID.UPNP.ORG", device.uuid)] }
      return text("M-SEARCH * HTTP/1.1", fields, stack)
    }
    if kind < 50 {
      let fields = lease + [("ST", nt), ("USN", usn)] + device.boot + extras(stack.extras)
      return text("HTTP/1.1 200 OK", shuffled(fields, device.stack), stack)
    }
    let names = kind < 88 ? "ssdp:alive" : kind < 96 ? "ssdp:byebye" : "ssdp:update"
    var fields = [group, ("NT", nt), ("NTS", names), ("USN", usn)]
    if kind < 88 {
      fields += lease + device.boot + extras(stack.extras.filter { $0 != "EXT" })
    } else if kind < 96 {
      fields += device.boot
    } else {
      let boot = [("BOOTID.UPNP.ORG", "\(device.bootID)"), ("CONFIGID.UPNP.ORG", "1")]
      fields += [("LOCATION", location)] + (device.boot.isEmpty ? boot : device.boot)
      fields.append(("NEXTBOOTID.UPNP.ORG", "\(device.bootID + 1)"))
    }
    return text("NOTIFY * HTTP/1.1", shuffled(fields, device.stack), stack)
  }

  private mutating func extras(_ names: [String]) -> [(String, String)] {
    names.map { name in
      switch name {
      case "EXT": (name, "")
      case "01-NLS": (name, hex(32))
      case "OPT": (name, "\"http://schemas.upnp.org/upnp/1/0/\"; ns=01")
      case "DATE": (name, "Thu, 0\(1 + roll(8)) Jan 1970 00:\(10 + roll(50)):\(10 + roll(50)) GMT")
      case "Content-Length": (name, "0")
      case "bridgeid": (name, hex(16).uppercased())
      case "WAKEUP": (name, "MAC=" + hex(12) + ";Timeout=60")
      default: (name, hex(8 + roll(24)))
      }
    }
  }

  private func shuffled(_ fields: [(String, String)], _ stack: Int) -> [(String, String)] {
    fields.enumerated().sorted { ranks[stack][$0.offset & 15] < ranks[stack][$1.offset & 15] }.map(\.element)
  }

  private func text(_ startLine: String, _ fields: [(String, String)], _ stack: Stack) -> String {
    var text = startLine + "\r\n"
    for (name, value) in fields {
      let shown =
        switch stack.letters {
        case .capitals: name.first?.isLowercase == true ? name : name.uppercased()
        case .small: name.lowercased()
        case .title: name.split(separator: "-").map { Self.title(String($0)) }.joined(separator: "-")
        }
      text += shown + (stack.hasBlank && !value.isEmpty ? ": " : ":") + value + "\r\n"
    }
    return text + "\r\n"
  }

  private static func title(_ word: String) -> String {
    if ["USN", "ST", "NT", "NTS", "MAN", "MX", "EXT"].contains(word) { return word }
    return word.prefix(1).uppercased() + word.dropFirst().lowercased()
  }

  private static let stacks: [Stack] = [
    Stack(
      server: "Linux/3.14.0 UPnP/1.0 MiniGateway/1.9", letters: .capitals, hasBlank: true, extras: ["EXT", "01-NLS"]),
    Stack(server: "Stick/9.4 UPnP/1.0 Stick/9.4", letters: .title, hasBlank: true, extras: ["EXT"]),
    Stack(
      server: "Linux/3.14.0 UPnP/1.0 LampBridge/1.56.0", letters: .capitals, hasBlank: true,
      extras: ["bridgeid", "EXT"]),
    Stack(
      server: "Linux UPnP/1.0 Speaker/70.3-35220 (S12)", letters: .capitals, hasBlank: true,
      extras: ["X-HOUSEHOLD", "X-BOOTSEQ", "X-WIFIMODE", "EXT"]),
    Stack(
      server: "OS, UPnP/1.0, Vendor UPnP SDK/1.0", letters: .capitals, hasBlank: true,
      extras: ["DATE", "EXT", "Content-Length"]),
    Stack(server: "TVOS/4.1.0 UPnP/1.0", letters: .title, hasBlank: true, extras: ["DeviceName.example.com", "EXT"]),
    Stack(
      server: "Desktop-OS/10.0 UPnP/1.0 UPnP-Device-Host/1.0", letters: .title, hasBlank: false,
      extras: ["OPT", "01-NLS", "EXT"]),
    Stack(server: "Linux/2.6 UPnP/1.0 quick/1.0", letters: .capitals, hasBlank: true, extras: ["OPT", "EXT", "DATE"]),
    Stack(
      server: "Storage/7/192.168.1.20", letters: .capitals, hasBlank: true,
      extras: ["OPT", "01-NLS", "X-User-Agent", "EXT"]),
    Stack(server: "Box 7590 UPnP/1.0 Vendor Box 7590 154.07.29", letters: .capitals, hasBlank: false, extras: ["EXT"]),
    Stack(server: "Linux/5.10 UPnP/1.1 Glib/1.6.2", letters: .title, hasBlank: true, extras: ["EXT", "DATE"]),
    Stack(
      server: "Linux/4.9.170, UPnP/1.0, Portable SDK for UPnP devices/1.14.13", letters: .capitals, hasBlank: true,
      extras: ["OPT", "01-NLS", "X-User-Agent", "DATE", "EXT"]),
    Stack(server: "Phone/9 UPnP/1.0 Java/2.0", letters: .title, hasBlank: true, extras: ["EXT"]),
    Stack(
      server: "Screen/9 UPnP/1.0 DIAL/2.1", letters: .capitals, hasBlank: true,
      extras: ["WAKEUP", "EXT", "X-AV-Server-Info"]),
    Stack(server: "Debian/12 UPnP/2.0 MiniMedia/1.3.3", letters: .small, hasBlank: true, extras: ["EXT", "DATE"]),
  ]

  /// What is announced; the empty one stands for the bare UUID.
  private static let targets = [
    "upnp:rootdevice", "", "urn:schemas-upnp-org:device:InternetGatewayDevice:1",
    "urn:schemas-upnp-org:device:MediaRenderer:1", "urn:schemas-upnp-org:device:MediaServer:3",
    "urn:schemas-upnp-org:device:Basic:1", "urn:schemas-upnp-org:service:ContentDirectory:1",
    "urn:schemas-upnp-org:service:ConnectionManager:1", "urn:schemas-upnp-org:service:AVTransport:1",
    "urn:schemas-upnp-org:service:RenderingControl:3", "urn:schemas-upnp-org:service:WANIPConnection:2",
    "urn:schemas-upnp-org:service:Layer3Forwarding:1", "urn:dial-multiscreen-org:service:dial:1",
    "urn:rollcall-example:service:IRCC:1", "urn:rollcall-example:service:SpeakerGroup:1",
  ]
  private static let paths = [
    "/rootDesc.xml", "/description.xml", "/dial/dd.xml", "/xml/device_description.xml",
    "/upnp/desc/device/device.xml", "/igddesc.xml", "/dmr", "/ssdp/device-desc.xml", "/MediaRenderer/desc.xml",
    "/0175c106/desc.xml?v=3",
  ]
  private static let userAgents = [
    "Browser/126.0.6478.127 Linux", "Browser/125.0 Windows", "Linux/5.10 UPnP/1.1 discover/1.6.2",
    "Phone/17.5 UPnP/1.1 ControlPoint/2.3", "client/0.49.0 Python/3.11",
  ]
}
