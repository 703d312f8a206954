import RollcallPrimitives
import RollcallWire

// What messages, interfaces and inputs of the control point are made of.
extension EngineScript {
  static let uuids = ["a", "b", "c", "2fac1234-31f8-11b4-a222-08002b34c003", "A", "RINCON_1", "a:"]
  static let targets = [
    "ssdp:all", "upnp:rootdevice", "uuid:a", "urn:schemas-upnp-org:device:Foo:1", "urn:schemas-upnp-org:device:Foo:2",
    "urn:schemas-upnp-org:service:Bar:1", "roku:ecp", "", "x\r\ny",
  ]
  static let peers = [
    IPAddress(192, 168, 1, 20), IPAddress(192, 168, 1, 21), IPAddress(10, 0, 0, 9),
    IPAddress(v6High: 0xFE80 << 48, low: 0x20), IPAddress(192, 168, 1, 2), IPAddress(v6High: 0xFE80 << 48, low: 0x21),
  ]

  static func change(_ interface: Int, isUp: Bool, _ choice: UInt8 = 0) -> InterfaceChange {
    var addresses: [InterfaceAddress] = []
    if choice & 1 == 0 {
      addresses.append(InterfaceAddress(IPAddress(192, 168, UInt8(1 + interface), 2 + choice >> 4), prefixBits: 24))
    }
    if choice & 2 != 0 {
      addresses.append(InterfaceAddress(IPAddress(v6High: 0xFE80 << 48, low: 2 + UInt64(interface)), prefixBits: 64))
    }
    return InterfaceChange(interface: InterfaceID(UInt16(interface)), isUp: isUp, addresses: isUp ? addresses : [])
  }

  /// A message of parts, most of them sound.
  mutating func assembled() -> [UInt8] {
    let shape = part()
    let uuid = EngineScript.uuids[Int(part()) % EngineScript.uuids.count]
    let target = EngineScript.targets[Int(part()) % EngineScript.targets.count]
    let details = part()
    let isResponse = shape % 4 == 3
    var text = isResponse ? "HTTP/1.1 200 OK\r\nEXT:\r\n" : "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n"
    if !isResponse { text += "NTS: ssdp:" + ["alive", "byebye", "update"][Int(shape % 4)] + "\r\n" }
    let notification = target == "ssdp:all" ? "uuid:" + uuid : target
    text += (isResponse ? "ST: " : "NT: ") + notification + "\r\n"
    let isBare = notification.hasPrefix("uuid:") || shape & 0x40 != 0
    text += "USN: uuid:" + uuid + (isBare ? "" : "::" + notification) + "\r\n"
    let leases = ["60", "1800", "1", "0", "4294967295", "x"]
    if shape & 4 == 0 { text += "CACHE-CONTROL: max-age=\(leases[Int(details & 7) % leases.count])\r\n" }
    let hosts = ["192.168.1.20", "192.168.1.21", "[fe80::20]", "127.0.0.1"]
    if shape & 8 == 0 { text += "LOCATION: http://\(hosts[Int(details >> 3 & 3)]):80/\(details >> 5)\r\n" }
    if shape & 16 == 0 { text += "SERVER: a/1 UPnP/\(shape & 32 == 0 ? "1.0" : "2.0") b/1\r\n" }
    let boot = part()
    if boot & 1 == 1 { text += "BOOTID.UPNP.ORG: \(boot >> 2 & 7)\r\nCONFIGID.UPNP.ORG: \(boot >> 5)\r\n" }
    if boot & 2 == 2 {
      text += "NEXTBOOTID.UPNP.ORG: \(boot >> 3 & 7)\r\nSEARCHPORT.UPNP.ORG: \(50_000 + Int(boot))\r\n"
    }
    return Array((text + "\r\n").utf8)
  }

  static let words = [
    "M-SEARCH * HTTP/1.1\r\n", "NOTIFY * HTTP/1.1\r\n", "HTTP/1.1 200 OK\r\n", "\u{0}\u{0}\u{1}\u{0}\u{1}\u{1}",
    "\u{1}\u{0}\u{1}\u{0}\u{1}\u{1}", "\u{2}\u{0}\u{1}\u{0}\u{7}\u{1}", "\u{3}\u{0}\u{1}\u{0}\u{1}\u{1}",
  ]

  /// Configuration and start, then operations: 0 hears, 160 searches, 136 changes an interface, 200 lets time go by.
  static let seeds: [[UInt8]] = {
    let alive: [UInt8] = [0, 0, 0, 1, 0, 1, 0, 0, 0, 0]
    let byebye: [UInt8] = [0, 1, 0, 1, 0, 1, 0, 0, 0, 0]
    let part: [UInt8] = [0, 0, 1, 3, 0, 1, 0, 0, 0, 0]
    let update: [UInt8] = [0, 2, 0, 1, 0, 0x0B, 0, 0, 0, 0]
    let search: [UInt8] = [160, 0, 1, 0, 3, 2]
    let answer: [UInt8] = [0, 3, 0, 1, 0, 1, 0, 1, 1, 0]
    let minute: [UInt8] = [200, 7]
    return [
      [0, 0] + alive + minute, [0, 1] + alive + byebye + alive + [200, 4] + alive,
      [0, 0] + part + alive + minute + minute,
      [0, 0] + alive + update + alive + minute, [0, 0] + search + answer + answer + [200, 5, 200, 0x89],
      [2, 0] + alive + part + byebye + [140, 0, 0, 0] + alive + [140, 0, 1, 2],
      [128, 1, 1, 1, 1, 1, 1, 1, 1, 40, 40, 60, 60, 0] + alive + part + search + answer + alive + minute,
      [16, 0] + answer + [185, 0, 1, 200, 9] + [190] + alive,
    ]
  }()
}
