public import RollcallPrimitives

/// Writes the standard messages out of plain strings, fields in the order of the tables of UDA.
///
/// Control bytes in a value become spaces. A message is cut off at 1400 bytes (see `SSDPTemplate`).
public enum SSDPComposer {
  /// What a device says about itself in every message.
  public struct Sender: Sendable, Hashable {
    public var location: String
    /// SERVER: `OS/version UPnP/version product/version`.
    public var server: String
    public var maxAgeSeconds: Int64
    /// The three numbers of UPnP 1.1 and later; `nil` leaves the field out.
    public var bootID: Int64?
    public var configID: Int64?
    public var searchPort: Int64?

    public init(
      location: String, server: String, maxAgeSeconds: Int64 = 1800, bootID: Int64? = nil, configID: Int64? = nil,
      searchPort: Int64? = nil
    ) {
      (self.location, self.server, self.maxAgeSeconds) = (location, server, maxAgeSeconds)
      (self.bootID, self.configID, self.searchPort) = (bootID, configID, searchPort)
    }
  }

  /// HOST of a message to the IPv4 group.
  public static let group4 = "239.255.255.250:1900"

  /// NOTIFY with ssdp:alive (UDA-1.2.2-A-NT/NTS/USN and the rows around it).
  public static func alive(
    target: String, usn: String, sender: Sender, host: String = group4, into store: PayloadStore
  ) -> Payload {
    aliveTemplate.write(to: store) { fill($0, &$1, host, target, usn, sender, nil) }
  }

  /// NOTIFY with ssdp:byebye: no CACHE-CONTROL, LOCATION, SERVER (UDA-1.2.3-BB-TEMPLATE).
  public static func byebye(
    target: String, usn: String, bootID: Int64? = nil, configID: Int64? = nil, host: String = group4,
    into store: PayloadStore
  ) -> Payload {
    let sender = Sender(location: "", server: "", bootID: bootID, configID: configID)
    return byebyeTemplate.write(to: store) { fill($0, &$1, host, target, usn, sender, nil) }
  }

  /// NOTIFY with ssdp:update (UDA-1.2.4-UPD-FIELDS); `sender.bootID` is the BOOTID that ends.
  public static func update(
    target: String, usn: String, sender: Sender, nextBootID: Int64, host: String = group4, into store: PayloadStore
  ) -> Payload {
    updateTemplate.write(to: store) { fill($0, &$1, host, target, usn, sender, nextBootID) }
  }

  /// M-SEARCH to a group (UDA-1.3.2-HOST-MC, UDA-1.3.2-MX-PRESENT).
  public static func search(
    target: String, mx: Int64, host: String = group4, userAgent: String? = nil, into store: PayloadStore
  ) -> Payload {
    searchTemplate.write(to: store) { hole, writer in
      switch hole {
      case Hole.host: writer.append(value: host)
      case Hole.target: writer.append(value: target)
      case Hole.mx: line("MX: ", mx, &writer)
      default: if let userAgent { line("USER-AGENT: ", userAgent, &writer) }
      }
    }
  }

  /// M-SEARCH to one device: HOST is its address, there is no MX (UDA-1.3.2-UC-HOST, UDA-1.3.2-UC-NOMX).
  public static func unicastSearch(
    target: String, host: String, userAgent: String? = nil, into store: PayloadStore
  ) -> Payload {
    searchTemplate.write(to: store) { hole, writer in
      switch hole {
      case Hole.host: writer.append(value: host)
      case Hole.target: writer.append(value: target)
      case Hole.mx: break
      default: if let userAgent { line("USER-AGENT: ", userAgent, &writer) }
      }
    }
  }

  /// The answer to a search (UDA-1.3.3-FIELDS); `date` is RFC 1123 text, left out where `nil`.
  public static func response(
    target: String, usn: String, sender: Sender, date: String? = nil, into store: PayloadStore
  ) -> Payload {
    responseTemplate.write(to: store) { hole, writer in
      if hole == Hole.date {
        if let date { line("DATE: ", date, &writer) }
      } else {
        fill(hole, &writer, "", target, usn, sender, nil)
      }
    }
  }

  private enum Hole {
    static let host = 0
    static let target = 1
    static let usn = 2
    static let location = 3
    static let server = 4
    static let maxAge = 5
    /// A hole for whole lines: BOOTID and what comes with it.
    static let numbers = 6
    static let mx = 7
    static let userAgent = 8
    static let date = 9
  }

  private static func fill(
    _ hole: Int, _ writer: inout ByteWriter, _ host: String, _ target: String, _ usn: String, _ sender: Sender,
    _ nextBootID: Int64?
  ) {
    switch hole {
    case Hole.host: writer.append(value: host)
    case Hole.target: writer.append(value: target)
    case Hole.usn: writer.append(value: usn)
    case Hole.location: writer.append(value: sender.location)
    case Hole.server: writer.append(value: sender.server)
    case Hole.maxAge: writer.append(decimal: sender.maxAgeSeconds)
    default:
      if let bootID = sender.bootID { line("BOOTID.UPNP.ORG: ", bootID, &writer) }
      if let configID = sender.configID { line("CONFIGID.UPNP.ORG: ", configID, &writer) }
      if let nextBootID { line("NEXTBOOTID.UPNP.ORG: ", nextBootID, &writer) }
      if let searchPort = sender.searchPort { line("SEARCHPORT.UPNP.ORG: ", searchPort, &writer) }
    }
  }

  private static func line(_ name: StaticString, _ number: Int64, _ writer: inout ByteWriter) {
    writer.append(name)
    writer.append(decimal: number)
    writer.append("\r\n" as StaticString)
  }

  private static func line(_ name: StaticString, _ value: String, _ writer: inout ByteWriter) {
    writer.append(name)
    writer.append(value: value)
    writer.append("\r\n" as StaticString)
  }

  private static let aliveTemplate = SSDPTemplate([
    .text("NOTIFY * HTTP/1.1\r\nHOST: "), .hole(Hole.host),
    .text("\r\nCACHE-CONTROL: max-age="), .hole(Hole.maxAge),
    .text("\r\nLOCATION: "), .hole(Hole.location),
    .text("\r\nNT: "), .hole(Hole.target),
    .text("\r\nNTS: ssdp:alive\r\nSERVER: "), .hole(Hole.server),
    .text("\r\nUSN: "), .hole(Hole.usn),
    .text("\r\n"), .hole(Hole.numbers), .text("\r\n"),
  ])

  private static let byebyeTemplate = SSDPTemplate([
    .text("NOTIFY * HTTP/1.1\r\nHOST: "), .hole(Hole.host),
    .text("\r\nNT: "), .hole(Hole.target),
    .text("\r\nNTS: ssdp:byebye\r\nUSN: "), .hole(Hole.usn),
    .text("\r\n"), .hole(Hole.numbers), .text("\r\n"),
  ])

  private static let updateTemplate = SSDPTemplate([
    .text("NOTIFY * HTTP/1.1\r\nHOST: "), .hole(Hole.host),
    .text("\r\nLOCATION: "), .hole(Hole.location),
    .text("\r\nNT: "), .hole(Hole.target),
    .text("\r\nNTS: ssdp:update\r\nUSN: "), .hole(Hole.usn),
    .text("\r\n"), .hole(Hole.numbers), .text("\r\n"),
  ])

  private static let searchTemplate = SSDPTemplate([
    .text("M-SEARCH * HTTP/1.1\r\nHOST: "), .hole(Hole.host),
    .text("\r\nMAN: \"ssdp:discover\"\r\n"), .hole(Hole.mx),
    .text("ST: "), .hole(Hole.target),
    .text("\r\n"), .hole(Hole.userAgent), .text("\r\n"),
  ])

  private static let responseTemplate = SSDPTemplate([
    .text("HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age="), .hole(Hole.maxAge),
    .text("\r\n"), .hole(Hole.date),
    .text("EXT:\r\nLOCATION: "), .hole(Hole.location),
    .text("\r\nSERVER: "), .hole(Hole.server),
    .text("\r\nST: "), .hole(Hole.target),
    .text("\r\nUSN: "), .hole(Hole.usn),
    .text("\r\n"), .hole(Hole.numbers), .text("\r\n"),
  ])
}
