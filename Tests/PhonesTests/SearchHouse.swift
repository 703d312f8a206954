import Dispatch
import Foundation
import RollcallConnect
import RollcallDoors
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation

@testable import RollcallPhones

/// Worlds with devices that answer searches, and what is on the wire of them.
enum SearchHouse {
  static let light = "urn:example-org:service:light:1"

  /// A device that answers each search for a target half a second later, with these fields.
  static func device(
    _ name: String, _ address: String, asked: String = light, fields: [String], after delay: String = "500ms"
  ) -> String {
    let lines = (["HTTP/1.1 200 OK"] + fields).map { "          - '\($0)'" }
    return """
        \(name):
          kind: recorded
          address: \(address)
          answers:
            - to: "\(asked)"
              replies: [{search: 1, delays: [\(delay)]}]
              lines:
      \(lines.joined(separator: "\n"))
      """
  }

  static func fields(
    _ number: Int, _ address: String, target: String = light, server: String? = "OS/1 UPnP/1.1 Lamp/1"
  ) -> [String] {
    ["CACHE-CONTROL: max-age=1800", "LOCATION: http://\(address)/d.xml"] + (server.map { ["SERVER: \($0)"] } ?? [])
      + ["ST: \(target)", "USN: uuid:00000000-0000-4000-8000-00000000000\(number)::\(target)"]
  }

  static func world(_ inhabitants: [String], engine: String = "{}", seed: UInt64 = 1) throws -> PhoneWorld {
    let text = """
      scenario: A house with lamps
      duration: 5m
      engine: \(engine)
      inhabitants:
      \(inhabitants.joined(separator: "\n"))
      expect: []
      """
    return PhoneWorld(try Scenario(yaml: text, file: "lamps.yaml").resolved(), seed: Seed(seed))
  }

  static func lamps(seed: UInt64 = 1) throws -> PhoneWorld {
    try world(
      [
        device("lamp", "192.168.1.50", fields: fields(1, "192.168.1.50") + ["Ext: ", "bootid.upnp.org: 7"]),
        device("candle", "192.168.1.51", fields: fields(2, "192.168.1.51"), after: "700ms"),
      ], seed: seed)
  }

  /// The searches on the wire from now on: when, where to, and all lines.
  static func searches(in world: PhoneWorld) -> Guarded<[String]> {
    let seen = Guarded<[String]>([])
    world.world.tap = { datagram, bytes, time in
      let text = String(decoding: bytes, as: UTF8.self)
      guard text.hasPrefix("M-SEARCH") else { return }
      let lines = text.replacingOccurrences(of: "\r\n", with: "|")
      seen.withLock { $0.append("\(time) \(datagram.destination) \(lines)") }
    }
    return seen
  }

  static func multicast(_ target: String = light, wait: TimeInterval = 3, broadcasts: UInt = 3)
    -> SSDPSearchSessionConfiguration
  {
    .createMulticastConfiguration(
      forSearchTarget: target, maximumWaitResponseTime: wait, maximumBroadcastsBeforeClosing: broadcasts)
  }
}

/// Keeps what it is told as lines.
final class SearchApp: SSDPSearchSessionDelegate, @unchecked Sendable {
  var session: SSDPSearchSession?
  let queue: DispatchQueue
  private let told = Guarded<[String]>([])
  let services = Guarded<[SSDPService]>([])
  /// What it does in the callback of a find.
  var onFind: ((SSDPSearchSession) -> Void)?

  init(_ configuration: SSDPSearchSessionConfiguration, queue: DispatchQueue = DispatchQueue(label: "app")) {
    self.queue = queue
    session = SSDPSearchSession(configuration: configuration, queue: queue)
    session?.delegate = self
    session?.startSearch()
  }

  var lines: [String] { told.takeAll() }

  private func note(_ line: String) {
    dispatchPrecondition(condition: .onQueue(queue))
    told.withLock { $0.append(line) }
  }
  func searchSession(_ searchSession: SSDPSearchSession, didFindService service: SSDPService) {
    services.withLock { $0.append(service) }
    note("found \(service.location.host ?? "-") \(service.searchTarget)")
    onFind?(searchSession)
  }
  func searchSession(_ searchSession: SSDPSearchSession, didAbortWithError error: SSDPSearchSessionError) {
    switch error {
    case .addressCreationFailure: note("aborted: no address")
    case .searchAborted(let error as DiscoveryError): note("aborted: \(error.reason)")
    case .searchAborted(let error): note("aborted: \(error)")
    }
  }
  func searchSessionDidStopSearch(_ searchSession: SSDPSearchSession, foundServices: [SSDPService]) {
    let hosts = foundServices.map { $0.location.host ?? "-" }
    note("stopped with [\(hosts.joined(separator: ", "))]")
  }
  func searchSessionDidTimeOut(_ searchSession: SSDPSearchSession) { note("timed out") }
}
