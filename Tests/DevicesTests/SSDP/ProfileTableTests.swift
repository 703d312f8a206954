import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("What each profile says, and when") struct ProfileTableTests {
  /// How it sends, its first message without the start line, and the targets of its set.
  static let golden = """
    basic: TTL 2, from port 1900
      HOST: 239.255.255.250:1900
      CACHE-CONTROL: max-age=1800
      LOCATION: http://192.168.1.20:49152/description.xml
      NT: upnp:rootdevice
      NTS: ssdp:alive
      SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0
      USN: uuid:…::upnp:rootdevice
      BOOTID.UPNP.ORG: 1
      CONFIGID.UPNP.ORG: 1
      - upnp:rootdevice
      - uuid
      - device:Basic:1
      - urn:rollcall-example:service:Presence:1
    tv: TTL 1, from port 24234
      HOST: 239.255.255.250:1900
      CACHE-CONTROL: max-age=1800
      LOCATION: http://192.168.1.20:7676/smp_18_
      NT: upnp:rootdevice
      NTS: ssdp:alive
      SERVER: Vendor UPnP/1.0 Vendor-TV-SDK/1.0
      USN: uuid:…::upnp:rootdevice
      - upnp:rootdevice
      - uuid
      - device:MediaRenderer:1
      - service:RenderingControl:1
      - service:ConnectionManager:1
      - service:AVTransport:1
    speaker: TTL 2, from port 1900
      HOST: 239.255.255.250:1900
      CACHE-CONTROL: max-age=1800
      LOCATION: http://192.168.1.20:1400/xml/device_description.xml
      NT: upnp:rootdevice
      NTS: ssdp:alive
      SERVER: Linux/4.4 UPnP/1.1 Vendor-Speaker/70.3
      USN: uuid:…::upnp:rootdevice
      BOOTID.UPNP.ORG: 1
      CONFIGID.UPNP.ORG: 1
      HOUSEHOLD.ROLLCALL.EXAMPLE: HHID_0f3a
      - upnp:rootdevice
      - uuid
      - device:ZonePlayer:1
      - service:AlarmClock:1
      - service:DeviceProperties:1
      - service:SystemProperties:1
      - service:ZoneGroupTopology:1
      - uuid
      - device:MediaServer:1
      - service:ContentDirectory:1
      - service:ConnectionManager:1
      - uuid
      - device:MediaRenderer:1
      - service:RenderingControl:1
      - service:ConnectionManager:1
      - service:AVTransport:1
    lightBridge: TTL 1, from port 1900
      HOST: 239.255.255.250:1900
      CACHE-CONTROL: max-age=100
      LOCATION: http://192.168.1.20:80/description.xml
      SERVER: Linux/3.14.0 UPnP/1.0 LampBridge/1.9.0
      NTS: ssdp:alive
      bridgeid: 0012FFFE345678
      NT: upnp:rootdevice
      USN: uuid:…::upnp:rootdevice
      - upnp:rootdevice
      - upnp:rootdevice
      - uuid
      - uuid
      - device:basic:1
      - device:basic:1
    router: TTL 1, from port 1900
      HOST: 239.255.255.250:1900
      CACHE-CONTROL: max-age=60
      LOCATION: http://192.168.1.20:57052/rootDesc0.xml
      NT: upnp:rootdevice
      NTS: ssdp:alive
      SERVER: RouterOS/7.1 UPnP/1.0 MiniGateway/1.6
      USN: uuid:…::upnp:rootdevice
      - upnp:rootdevice
      - uuid
      - uuid
      - device:InternetGatewayDevice:1
      - service:Layer3Forwarding:1
      - uuid
      - device:WANDevice:1
      - service:WANCommonInterfaceConfig:1
      - uuid
      - device:WANConnectionDevice:1
      - service:WANIPConnection:1
      - service:WANPPPConnection:1
    dialStick: TTL 4, from port 1900
      HOST: 239.255.255.250:1900
      CACHE-CONTROL: max-age=3600
      LOCATION: http://192.168.1.20:8060/dial/dd.xml
      NT: upnp:rootdevice
      NTS: ssdp:alive
      SERVER: Stick/9.4 UPnP/1.0 Stick/9.4
      USN: uuid:…::upnp:rootdevice
      - upnp:rootdevice
      - uuid
      - urn:dial-multiscreen-org:device:dialreceiver:1
      - urn:dial-multiscreen-org:service:dial:1
      - roku:ecp
    mediaServer: TTL 4, from port 1900
      HOST: 239.255.255.250:1900
      CACHE-CONTROL: max-age=1800
      LOCATION: http://192.168.1.20:8200/rootDesc.xml
      NT: upnp:rootdevice
      NTS: ssdp:alive
      SERVER: Linux/5.10 UPnP/1.0 MiniMedia/1.3
      USN: uuid:…::upnp:rootdevice
      - upnp:rootdevice
      - uuid
      - device:MediaServer:1
      - service:ContentDirectory:1
      - service:ConnectionManager:1
    windowsHost: TTL 4, from port 1900
      Host:239.255.255.250:1900
      NT:upnp:rootdevice
      NTS:ssdp:alive
      Location:http://192.168.1.20:2869/upnphost/description.xml
      USN:uuid:…::upnp:rootdevice
      Cache-Control:max-age=1800
      Server:Desktop-OS/10.0 UPnP/1.0 UPnP-Device-Host/1.0
      OPT:"http://schemas.upnp.org/upnp/1/0/"; ns=01
      01-NLS:620ba85929f089233ffc22b9e5c5759d
      - upnp:rootdevice
      - uuid
      - device:MediaServer:1
      - service:ContentDirectory:1
      - service:ConnectionManager:1
      - urn:rollcall-example:service:X_MediaReceiverRegistrar:1
    smartPlug: TTL 4, from port 3082
      HOST: 239.255.255.250:1900
      CACHE-CONTROL: max-age=86400
      LOCATION: http://192.168.1.20:49153/setup.xml
      NT: upnp:rootdevice
      NTS: ssdp:alive
      SERVER: Linux/2.6.21, UPnP/1.0, Portable SDK for UPnP devices/1.6.18
      USN: uuid:…::upnp:rootdevice
      X-User-Agent: redsonic
      bridgeid: 0012FFFE345678
      - upnp:rootdevice
      - uuid
      - urn:Plug:device:controllee:1
      - urn:Plug:service:WiFiSetup:1
      - urn:Plug:service:timesync:1
      - urn:Plug:service:basicevent:1
      - urn:Plug:service:firmwareupdate:1
      - urn:Plug:service:rules:1
      - urn:Plug:service:metainfo:1
    camera: TTL 1, from port 1900
      HOST: 239.255.255.250:1900
      CACHE-CONTROL: max-age=300
      LOCATION: http://192.168.1.20:80/CameraDesc.xml
      NT: upnp:rootdevice
      NTS: ssdp:alive
      SERVER: Embedded UPnP/1.0
      USN: uuid:…::upnp:rootdevice
      - upnp:rootdevice
      - device:Basic:1
    """

  private func announcing(_ profile: Profile) -> Bench<RootDevice> {
    var device = Bench(RootDevice(profile.blueprint(), seed: Seed(4), name: "it"))
    device.receive(up(0, "192.168.1.20"))
    device.act(.appear)
    return device
  }

  @Test("its announcements have these lines, and its sets these messages")
  func messages() {
    var lines: [String] = []
    for profile in Profile.allCases {
      var device = announcing(profile)
      device.run(for: .seconds(30))
      let alive = device.sent.filter { $0.nts == "ssdp:alive" }
      let style = device.machine.blueprint.description.uuidStyle
      lines.append("\(profile): TTL \(alive[0].hopLimit), from port \(alive[0].source.port)")
      let text = alive[0].text.replacing(device.machine.uuid.text(style), with: "…")
      lines += text.split(separator: "\r\n").dropFirst().map { "  \($0)" }
      lines += alive.prefix(device.machine.blueprint.set.order.count).compactMap { $0.field("NT") }.map { target in
        target.hasPrefix("uuid:") ? "  - uuid" : "  - " + target.replacing("urn:schemas-upnp-org:", with: "")
      }
    }
    let golden = Self.golden.split(separator: "\n").map(String.init)
    for (found, golden) in zip(lines, golden) where found != golden {
      Issue.record("found '\(found)', the golden has '\(golden)'")
    }
    expectEqual(lines.count, golden.count)
  }

  /// Ends of a range in microseconds.
  private typealias Ends = ClosedRange<Int64>

  /// Whether all values lie in the range, and some in its first and last third.
  private func fill(_ nanoseconds: [Int64], _ ends: Ends) -> Bool {
    let (low, high) = (ends.lowerBound * 1_000, ends.upperBound * 1_000)
    let third = (high - low) / 3
    return nanoseconds.allSatisfy { (low...high).contains($0) } && nanoseconds.contains { $0 <= low + third }
      && nanoseconds.contains { $0 >= high - third }
  }

  @Test("its sets are repeated so often, its messages spaced so, and its renewals as far apart")
  func times() {
    let table: [(profile: Profile, count: Int, repeats: Int, spacing: Ends, gap: Ends, renewal: Ends)] = [
      (.basic, 4, 2, 1_000...2_000, 200_000...400_000, 450_000_000...882_000_000),
      (.tv, 6, 2, 20_000...21_000, 10_000_000...10_050_000, 774_000_000...792_000_000),
      (.speaker, 16, 2, 1_000...2_000, 200_000...400_000, 450_000_000...882_000_000),
      (.lightBridge, 6, 1, 51_000...52_000, 0...0, 51_000_000...54_000_000),
      (.router, 12, 1, 200...300, 0...0, 30_600_000...32_400_000),
      (.dialStick, 5, 2, 1_000...2_000, 200_000...400_000, 900_000_000...1_764_000_000),
      (.mediaServer, 5, 2, 1_000...2_000, 200_000...400_000, 450_000_000...882_000_000),
      (.windowsHost, 6, 3, 65_000...85_000, 2_550_000...2_650_000, 882_000_000...900_000_000),
      (.smartPlug, 9, 2, 4_000...6_000, 200_000...400_000, 21_600_000_000...42_336_000_000),
      (.camera, 2, 3, 1_000...2_000, 1_000_000...1_010_000, 75_000_000...147_000_000),
    ]
    expectEqual(table.map(\.profile), Profile.allCases)
    for row in table {
      var device = announcing(row.profile)
      device.run(for: .microseconds(row.renewal.upperBound * 24))
      // The camera says byebye first, one set of it.
      let times = device.sent.dropFirst(row.profile == .camera ? row.count : 0).map(\.at.nanoseconds)
      let burst = row.count * row.repeats
      var (spacings, gaps, renewals) = ([Int64](), [Int64](), [Int64]())
      for index in 1..<(times.count / burst * burst) {
        if index % burst == 0 {
          // The first renewal counts from a byebye where there is one.
          if index > burst { renewals.append(times[index] - times[index - burst]) }
        } else if index % row.count == 0 {
          gaps.append(times[index] - times[index - 1])
        } else {
          spacings.append(times[index] - times[index - 1])
        }
      }
      #expect(renewals.count >= 20 && fill(renewals, row.renewal), "\(row.profile) renewals")
      #expect(fill(spacings, row.spacing), "\(row.profile) spacings")
      #expect(row.repeats == 1 ? gaps.isEmpty : fill(gaps, row.gap), "\(row.profile) gaps")
    }
  }
}
