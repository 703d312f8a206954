/// Numbers of link layers as capture files have them (LINKTYPE_), which are not the DLT_ numbers of the API.
package enum LinkType {
  package static let null: UInt32 = 0
  package static let ethernet: UInt32 = 1
  static let arcnet: UInt32 = 7
  package static let ppp: UInt32 = 9
  static let fddi: UInt32 = 10
  static let pppHDLC: UInt32 = 50
  static let pppoe: UInt32 = 51
  package static let raw: UInt32 = 101
  static let ciscoHDLC: UInt32 = 104
  package static let wireless: UInt32 = 105
  package static let loop: UInt32 = 108
  package static let linuxCooked: UInt32 = 113
  package static let radiotap: UInt32 = 127
  static let arcnetLinux: UInt32 = 129
  /// Private use number 2; read only where it holds Apple's PKTAP.
  static let user2: UInt32 = 149
  package static let ppi: UInt32 = 192
  package static let ipnet: UInt32 = 226
  package static let ipv4: UInt32 = 228
  package static let ipv6: UInt32 = 229
  package static let nflog: UInt32 = 239
  package static let pktap: UInt32 = 258
  package static let linuxCooked2: UInt32 = 276
  package static let dsa: UInt32 = 284
  static let hciH4: UInt32 = 187
  static let hciH4WithDirection: UInt32 = 201
  static let user0: UInt32 = 147
  package static let bluetoothLE: UInt32 = 251
  static let linuxMonitor: UInt32 = 254
  package static let bluetoothLEWithRadio: UInt32 = 256
  static let nordic: UInt32 = 272
  // What a btsnoop file can hold and a pcap file cannot: no number of LINKTYPE_ is larger than 65 535.
  static let btsnoopH1: UInt32 = 0x1_03E9
  static let btsnoopMonitor: UInt32 = 0x1_07D1

  /// The link layers whose frames are looked into, in the order of their numbers; 12 and 14 are raw IP too.
  package static let supported: [UInt32] = [
    null, ethernet, arcnet, ppp, fddi, 12, 14, pppHDLC, pppoe, raw, ciscoHDLC, wireless, loop, linuxCooked, radiotap,
    arcnetLinux, user2, ppi, ipnet, ipv4, ipv6, nflog, pktap, linuxCooked2, dsa,
  ]

  /// The link layers whose frames are looked into for Bluetooth LE, beside PPI.
  package static let radio: [UInt32] = [
    hciH4, hciH4WithDirection, bluetoothLE, linuxMonitor, bluetoothLEWithRadio, nordic, btsnoopH1, btsnoopMonitor,
  ]

  /// Whether datagrams, or packets of Bluetooth LE, are found in frames of this link layer.
  package static func isSupported(_ linkType: UInt32) -> Bool {
    supported.contains(linkType) || radio.contains(linkType)
  }

  /// What people call it; `LINKTYPE_n` where this table has no name.
  package static func name(_ linkType: UInt32) -> String {
    names.first { $0.number == linkType }?.name ?? "LINKTYPE_\(linkType)"
  }

  private static let names: [(number: UInt32, name: String)] = [
    (0, "BSD loopback"), (1, "Ethernet"), (6, "Token Ring"), (7, "ARCNET"), (8, "SLIP"), (9, "PPP"), (10, "FDDI"),
    (12, "raw IP"), (14, "raw IP"), (50, "PPP in HDLC framing"), (51, "PPPoE"), (101, "raw IP"), (104, "Cisco HDLC"),
    (105, "802.11"), (107, "Frame Relay"), (108, "OpenBSD loopback"), (113, "Linux cooked"), (119, "802.11 with Prism"),
    (127, "802.11 with radiotap"), (129, "ARCNET of Linux"), (149, "user 2"), (163, "802.11 with AVS"),
    (187, "Bluetooth HCI H4"), (189, "USB of Linux"), (192, "PPI"), (195, "802.15.4"),
    (201, "Bluetooth HCI H4 with direction"), (220, "USB of Linux, padded"), (226, "Solaris ipnet"), (228, "raw IPv4"),
    (229, "raw IPv6"), (230, "802.15.4 without FCS"), (231, "D-Bus"), (239, "NFLOG"), (249, "USBPcap"),
    (251, "Bluetooth LE"), (252, "Wireshark upper PDU"), (253, "netlink"), (254, "Bluetooth Linux monitor"),
    (256, "Bluetooth LE with radio header"), (258, "Apple PKTAP"), (272, "Nordic BLE sniffer"),
    (276, "Linux cooked v2"),
    (281, "Broadcom tag"), (284, "Marvell DSA"), (btsnoopH1, "Bluetooth HCI H1 of btsnoop"),
    (btsnoopMonitor, "Bluetooth Linux monitor of btsnoop"),
  ]

  /// A frame larger than this is damage: 256 KiB for all but the three links known for larger ones.
  static func frameBytesMaximum(_ linkType: UInt32) -> UInt32 {
    switch linkType {
    case 231, 249: 128 << 20
    case 279: 8 << 20
    default: 256 << 10
    }
  }
}
