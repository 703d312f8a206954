/// Numbers of link layers as capture files have them (LINKTYPE_), which are not the DLT_ numbers of the API.
package enum LinkType {
  package static let null: UInt32 = 0
  package static let ethernet: UInt32 = 1
  package static let raw: UInt32 = 101
  package static let loop: UInt32 = 108
  package static let linuxCooked: UInt32 = 113
  package static let ipv4: UInt32 = 228
  package static let ipv6: UInt32 = 229
  package static let linuxCooked2: UInt32 = 276

  /// Whether datagrams are found in frames of this link layer.
  package static func isSupported(_ linkType: UInt32) -> Bool {
    switch linkType {
    case null, ethernet, 12, 14, raw, loop, linuxCooked, ipv4, ipv6, linuxCooked2: true
    default: false
    }
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
    (281, "Broadcom tag"), (284, "Marvell DSA"),
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
