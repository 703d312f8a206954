public import Foundation
import RollcallPrimitives
import RollcallWire

/// What an `SSDPSearchSession` searches for, where, and for how long.
public struct SSDPSearchSessionConfiguration {
  /// ST, byte for byte as it goes on the wire; `ssdp:all` asks for everything.
  public let searchTarget: String
  /// An address as text. `239.255.255.250` with port 1900 is the group: the search goes out on every interface, over IPv4 and,
  /// where there is an address of it, over IPv6. Any other address is that of one host, which alone is asked.
  public let host: String
  /// 0 ... 65 535; 0 asks a host at the SEARCHPORT that it announced, else at 1900.
  public let port: UInt
  /// MX in seconds, 1 ... 5: how long a device may wait before it answers, and how long it is from one broadcast to the next.
  /// MX has whole seconds on the wire; a part of a second is left off, from both.
  public let maximumWaitResponseTime: TimeInterval
  /// How often the M-SEARCH is sent before the session ends: 1 ... 10. More abort the session.
  public let maximumBroadcastsBeforeClosing: UInt

  /// Values out of bounds end a debug build here; in a release build they abort the session when it starts.
  public init(
    searchTarget: String, host: String, port: UInt, maximumWaitResponseTime: TimeInterval,
    maximumBroadcastsBeforeClosing: UInt
  ) {
    assert((1...5).contains(maximumWaitResponseTime), "maximumWaitResponseTime is \(maximumWaitResponseTime); 1 to 5 s")
    assert(maximumBroadcastsBeforeClosing >= 1, "maximumBroadcastsBeforeClosing is 0; at least 1 has to be sent")
    self.searchTarget = searchTarget
    self.host = host
    self.port = port
    self.maximumWaitResponseTime = maximumWaitResponseTime
    self.maximumBroadcastsBeforeClosing = maximumBroadcastsBeforeClosing
  }

  /// A search of the group. With the defaults, three broadcasts and MX 3, it takes 9.1 s.
  public static func createMulticastConfiguration(
    forSearchTarget searchTarget: String, maximumWaitResponseTime: TimeInterval = 3,
    maximumBroadcastsBeforeClosing: UInt = 3
  ) -> SSDPSearchSessionConfiguration {
    SSDPSearchSessionConfiguration(
      searchTarget: searchTarget, host: Endpoint.ssdp(.v4).address.description, port: 1_900,
      maximumWaitResponseTime: maximumWaitResponseTime, maximumBroadcastsBeforeClosing: maximumBroadcastsBeforeClosing)
  }

  /// The same for an engine, which refuses what is out of bounds; `nil`: host and port are no address.
  var search: Search? {
    guard let address = IPAddress(host), let port = UInt16(exactly: port) else { return nil }
    let place = Endpoint(address, port: port)
    return Search(
      // The host gives the number.
      id: SearchID.byHand.lowerBound, target: searchTarget,
      maximumWaitSeconds: Int(exactly: maximumWaitResponseTime.rounded(.towardZero)) ?? 0,
      broadcasts: Int(clamping: maximumBroadcastsBeforeClosing), host: place == .ssdp(address.family) ? nil : place)
  }
}
